/* state.c - the runtime's start, its settings from the environment, and CUDA's rules of errors.
 * A fault of a kernel is pending until a synchronising call, then sticky until cudaDeviceReset; every other error is
 * only the thread's last error, cleared by cudaGetLastError.
 * Bad settings never end the program: one sentence says which default is used instead. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/real_time.h"
#include "report/report.h"
#include "runtime/print.h"
#include "runtime/runtime.h"
#include "runtime/signals.h"

enum { MAX_THREADS = 256 };
/* Two to three seconds of interpretation, far above what ordinary blocks take. */
#define DEFAULT_BUDGET 200000000u

static struct config config;
static struct memory *memory;
static cudaError_t pending_fault, sticky_fault, start_error;
static _Thread_local cudaError_t last_error;
static bool has_refused; /* a call, since the start or a reset */
static pthread_once_t start_once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock;

/* ------------------------------------------------------------------------------------------- settings */

static void read_gpu(void)
{
    const char *name = getenv("VGPU_GPU");
    char message[500];
    config.gpu = gpu_default();
    const struct gpu *gpu = name && *name ? gpu_find(name, message, sizeof message) : config.gpu;
    if (gpu)
        config.gpu = gpu;
    else
        fprintf(stderr, "vgpu: warning: VGPU_GPU: %s. Using %s.\n", message, config.gpu->id);
}

void runtime_halve_sms(void)
{
    static struct gpu half;
    half = *config.gpu;
    half.sms = (half.sms + 1) / 2;
    config.gpu = &half;
}

/* The number of a word from the environment; `otherwise` if it is not set, or none of these (then one sentence has said
 * so). */
static int read_word(const char *name, const char *const *words, int count, int otherwise)
{
    const char *value = getenv(name);
    if (!value || !*value)
        return otherwise;
    for (int i = 0; i < count; i++)
        if (!strcasecmp(value, words[i]))
            return i;
    fprintf(stderr, "vgpu: warning: %s=%.40s is none of ", name, value);
    for (int i = count - 1; i >= 0; i--)
        fprintf(stderr, "%s%s", words[i], i ? ", " : ". ");
    fprintf(stderr, "Using %s.\n", words[otherwise]);
    return otherwise;
}

static void read_check(void)
{
    static const char *const words[] = {
        [CHECK_OFF] = "off", [CHECK_BOUNDS] = "bounds", [CHECK_FULL] = "full"};
    config.check = (enum check_level)read_word("VGPU_CHECK", words, 3, CHECK_BOUNDS);
}

static void read_execution(void)
{
    static const char *const words[] = {
        [VGPU_EXECUTE_ALL] = "all", [VGPU_EXECUTE_SAMPLE] = "sample", [VGPU_EXECUTE_NONE] = "none"};
    config.execution = (enum vgpu_execution)read_word("VGPU_EXECUTE", words, 3, VGPU_EXECUTE_ALL);
    if (config.execution != VGPU_EXECUTE_ALL)
        fprintf(stderr,
                "vgpu: note: VGPU_EXECUTE=%s: results are meaningless, only counters and times count\n",
                words[config.execution]);
}

static void read_time(void)
{
    static const char *const words[] = {[false] = "off", [true] = "on"};
    config.is_timed = read_word("VGPU_TIME", words, 2, true);
}

static void read_clock(void)
{
    static const char *const words[] = {[false] = "real", [true] = "virtual"};
    config.is_clock_virtual = read_word("VGPU_CLOCK", words, 2, false);
}

/* A positive number from the environment; 0 if it is not set, or bad (then one sentence has said so). */
static uint64_t read_number(const char *name, uint64_t most, const char *otherwise)
{
    const char *value = getenv(name);
    if (!value || !*value)
        return 0;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (!errno && !*end && *value != '-' && number >= 1 && number <= most)
        return number;
    fprintf(stderr, "vgpu: warning: %s=%.40s is no number from 1 to %llu. Using %s.\n", name, value,
            (unsigned long long)most, otherwise);
    return 0;
}

static unsigned host_cores(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return (unsigned)CPU_COUNT(&set);
#endif
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (unsigned)count : 1;
}

static void read_threads(void)
{
    config.threads = (unsigned)read_number("VGPU_THREADS", MAX_THREADS, "one thread per core");
    if (!config.threads)
        config.threads = host_cores();
    if (config.threads > MAX_THREADS)
        config.threads = MAX_THREADS;
}

static void read_counters_path(void)
{
    const char *path = getenv("VGPU_COUNTERS");
    config.counters_path = path && *path ? strdup(path) : NULL;
}

static void read_explain(void)
{
    const char *text = getenv("VGPU_EXPLAIN"), *report = getenv("VGPU_REPORT");
    config.is_told = text && *text && strcmp(text, "0") != 0 && strcmp(text, "off") != 0;
    config.report = report && *report ? strdup(report) : NULL;
    config.is_explained = config.is_told || config.report;
}

void runtime_set_check(enum check_level check)
{
    config.check = check;
    config.is_check_set = true;
    memory_set_tracking(memory, check == CHECK_FULL);
}

void runtime_set_use(bool is_noted)
{
    config.notes_use = is_noted;
    memory_set_use(memory, is_noted);
}

void runtime_set_caches(bool has_caches)
{
    memory_set_caches(memory, has_caches);
}

void runtime_set_execution(enum vgpu_execution execution)
{
    config.execution = execution;
    memory_expect_all(memory, execution == VGPU_EXECUTE_ALL);
}

void runtime_set_timed(bool is_timed)
{
    config.is_timed = is_timed;
}

void runtime_set_sample_least(unsigned blocks)
{
    config.sample_least = blocks;
}

void runtime_set_sample_seed(uint64_t seed)
{
    config.sample_seed = seed;
}

void runtime_set_order(enum vgpu_order order)
{
    config.order = order;
}

void runtime_set_garbage(uint64_t seed)
{
    config.garbage = seed;
}

void runtime_set_work(uint64_t work)
{
    config.work = work ? work : UINT64_MAX;
}

void runtime_refuse_launches(int error)
{
    config.refusal = error;
}

void runtime_set_patience(uint64_t patience)
{
    config.patience = patience;
}

void runtime_spend(uint64_t work)
{
    if (config.work != UINT64_MAX)
        config.work -= work < config.work ? work : config.work;
}

/* ------------------------------------------------------------------------------------------- start */

static void make_lock(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static bool make_memory(void)
{
    memory = memory_new(config.check == CHECK_FULL);
    if (!memory)
        return false;
    memory_set_capacity(memory, config.gpu->memory_bytes);
    memory_expect_all(memory, config.execution == VGPU_EXECUTE_ALL);
    return true;
}

static void start(void)
{
    make_lock();
    read_gpu();
    read_check();
    read_execution();
    read_time();
    read_clock();
    read_threads();
    read_counters_path();
    read_explain();
    config.budget = read_number("VGPU_BUDGET", UINT64_MAX, "the default budget");
    if (!config.budget)
        config.budget = DEFAULT_BUDGET;
    config.work = read_number("VGPU_WORK", UINT64_MAX, "no limit");
    runtime_set_work(config.work);
    if (!make_memory()) {
        fprintf(stderr, "vgpu: error: cannot reserve address space for device memory\n");
        start_error = cudaErrorInitializationError;
        return;
    }
    signals_install(&memory);
}

struct memory *runtime_memory(void)
{
    return memory;
}

const struct config *runtime_config(void)
{
    return &config;
}

/* Guarded by the lock itself: how often its owner holds it, and since when. */
static unsigned lock_depth;
static uint64_t locked_ns;
static uint64_t busy_ns; /* until now; only counted where somebody may ask */

void runtime_lock(void)
{
    pthread_once(&start_once, start);
    pthread_mutex_lock(&lock);
    if (lock_depth++ == 0 && config.is_clock_virtual)
        locked_ns = real_ns();
}

void runtime_unlock(void)
{
    if (--lock_depth == 0 && config.is_clock_virtual)
        __atomic_fetch_add(&busy_ns, real_ns() - locked_ns, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
}

uint64_t runtime_busy_ns(void)
{
    return __atomic_load_n(&busy_ns, __ATOMIC_RELAXED);
}

static bool keeps_place;

void runtime_keep_place(void)
{
    keeps_place = true;
}

/* The old memory goes first, and so does not lie where the new one should. */
static bool replace_memory(void)
{
    memory_free_all(memory);
    memory = NULL;
    const bool is_fresh = make_memory();
    if (!is_fresh)
        start_error = cudaErrorInitializationError;
    return is_fresh;
}

/* Both are there for a moment: no address of the old one is handed out again, and without room nothing is lost. */
static bool move_memory(void)
{
    struct memory *old = memory;
    const bool is_fresh = make_memory();
    if (is_fresh)
        memory_free_all(old);
    else
        memory = old;
    return is_fresh;
}

cudaError_t runtime_restart(void)
{
    runtime_lock();
    pending_fault = sticky_fault = cudaSuccess;
    last_error = cudaSuccess;
    has_refused = false;
    const bool is_fresh = keeps_place ? replace_memory() : move_memory();
    keeps_place = false;
    runtime_unlock();
    return is_fresh ? cudaSuccess : cudaErrorMemoryAllocation;
}

/* ------------------------------------------------------------------------------------------- errors */

cudaError_t runtime_error(cudaError_t error)
{
    if (error != cudaSuccess)
        last_error = error;
    return error;
}

cudaError_t runtime_begin(void)
{
    pthread_once(&start_once, start);
    if (start_error)
        return runtime_error(start_error);
    return runtime_error(__atomic_load_n(&sticky_fault, __ATOMIC_ACQUIRE));
}

bool runtime_is_there(void)
{
    pthread_once(&start_once, start);
    return !start_error;
}

cudaError_t runtime_begin_sync(void)
{
    cudaError_t error = runtime_begin();
    if (error)
        return error;
    runtime_lock();
    print_show();
    if (pending_fault)
        sticky_fault = pending_fault;
    pending_fault = cudaSuccess;
    error = sticky_fault;
    runtime_unlock();
    return runtime_error(error);
}

void runtime_fault(cudaError_t error)
{
    runtime_lock();
    if (!pending_fault && !sticky_fault)
        pending_fault = error;
    runtime_unlock();
}

cudaError_t runtime_refused(cudaError_t error)
{
    has_refused = true;
    return runtime_error(error);
}

bool runtime_has_refused(void)
{
    return has_refused;
}

bool runtime_has_fault(void)
{
    return pending_fault || sticky_fault;
}

cudaError_t cudaGetLastError(void)
{
    cudaError_t error = last_error ? last_error : sticky_fault;
    last_error = sticky_fault;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    return last_error ? last_error : sticky_fault;
}

cudaError_t runtime_complain_because(cudaError_t error, enum vgpu_finding kind, const char *cause,
                                     const char *what)
{
    void *frames[ALLOC_FRAMES] = {NULL};
    if (config.check == CHECK_OFF && kind != VGPU_UNSUPPORTED_CALL)
        return runtime_error(error);
    report_frames(frames, ALLOC_FRAMES);
    report_host(kind, frames, ALLOC_FRAMES, cause, "%s", what);
    return runtime_refused(error);
}

cudaError_t runtime_complain(cudaError_t error, enum vgpu_finding kind, const char *what, ...)
{
    char sentence[400];
    va_list list;
    va_start(list, what);
    vsnprintf(sentence, sizeof sentence, what, list);
    va_end(list);
    return runtime_complain_because(error, kind, NULL, sentence);
}

cudaError_t runtime_unsupported(const char *call, const char *why)
{
    char sentence[300];
    snprintf(sentence, sizeof sentence, "%s is not supported on the virtual GPU%s%s", call, *why ? ": " : "",
             why);
    return runtime_complain_because(cudaErrorNotSupported, VGPU_UNSUPPORTED_CALL, NULL, sentence);
}
