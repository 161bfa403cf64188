/* test_sandbox.c - how jobs end: by themselves, out of CPU time, asleep, or with too much output; and what they cannot do in a
 * sandbox, with bubblewrap and without.
 * A job is this program again, with a role's name. None of these tests depends on how fast or how busy the machine is: work is
 * measured in CPU time, and whoever works is not asleep. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grader/sandbox/parts.h"

enum { SLEEP_S = 1, STATUS = 7 };

/* ------------------------------------------------------------------------------------------- roles of a job */

/* Computes for longer than a job may sleep. */
static void compute(void)
{
    while (clock() < SLEEP_S * CLOCKS_PER_SEC * 3 / 2)
        continue;
}

static void *compute_in_thread(void *argument)
{
    compute();
    return argument;
}

static void play_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        compute();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void play_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, compute_in_thread, NULL) == 0)
        pthread_join(thread, NULL);
}

static void play_sleeper(void)
{
    for (;;)
        pause();
}

/* Wakes up all the time, and does nothing. */
static void play_dozer(void)
{
    for (;;)
        usleep(1000);
}

static void play_stopped(void)
{
    raise(SIGSTOP);
}

/* Of two values of a variable, some programs take the first and others the last. */
static void play_heir(void)
{
    int count = 0;
    for (char **variable = environ; *variable; variable++)
        count += strncmp(*variable, "TMPDIR=", strlen("TMPDIR=")) == 0;
    if (count != 1 || strcmp(getenv("TMPDIR"), "/its/own") != 0)
        abort();
}

static void play_endless(void)
{
    for (;;)
        continue;
}

static void play_printer(void)
{
    for (;;)
        puts("much ado about nothing");
}

/* ------------------------------------------------------------------------------------------- roles of a bad job */

enum { REFUSED = 21, DONE = 22 };
static const char *outside; /* folder of the test, which no job may see or write */

static void end(bool is_refused)
{
    _exit(is_refused ? REFUSED : DONE);
}

/* As many as there may be; then it leaves them alone. */
static void play_bomb(void)
{
    for (pid_t child; (child = fork()) >= 0;) {
        if (child == 0)
            play_sleeper();
    }
    end(errno == EAGAIN);
}

/* Daemons that have left the group, and fork on while they are killed. */
static void play_daemons(void)
{
    for (int i = 0; i < 8; i++) {
        if (fork() != 0)
            continue;
        setsid();
        if (fork() == 0)
            play_sleeper();
        _exit(0);
    }
    usleep(100000);
    _exit(DONE);
}

static void play_hoarder(void)
{
    const size_t size = (size_t)512 * MIB;
    char *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; bytes != MAP_FAILED; i = (i + 4096) % size)
        bytes[i] = 1;
}

/* None of its children is over the limit of one process. */
static void play_family(void)
{
    for (;;) {
        if (fork() == 0) {
            compute();
            _exit(0);
        }
        wait(NULL);
    }
}

static void play_spy(void)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/secret", outside);
    end(open(path, O_RDONLY) < 0);
}

static void play_vandal(void)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/left", outside);
    open(path, O_WRONLY | O_CREAT, 0666); /* in a room of its own it may; nobody else sees it */
    _exit(DONE);
}

/* The test listens at the port that stands in the file's name. */
static void play_caller(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    address.sin_port = htons((uint16_t)atoi(getenv("PORT")));
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    end(fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0);
}

static void play_tracer(void)
{
    end(ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 && syscall(SYS_shmget, 1, 4096, IPC_CREAT | 0600) < 0);
}

/* What the keeper would say, to every descriptor that there is. */
static void play_liar(void)
{
    const struct keeper_word word = {.magic = KEEPER_MAGIC};
    bool is_refused = true;
    for (int fd = 3; fd < 256; fd++)
        is_refused = write(fd, &word, sizeof word) < 0 && is_refused;
    end(is_refused);
}

static void play_murderer(void)
{
    char path[64];
    kill(getppid(), SIGKILL);
    snprintf(path, sizeof path, "/proc/%d/fd/4", (int)getppid());
    usleep(100000);
    end(open(path, O_WRONLY) < 0);
}

/* A folder of the system's that is hidden, with one file in it that is named, in another one that is not hidden. */
#define HIDDEN       "/usr/include"
#define NAMED_INSIDE HIDDEN "/errno.h"

static void play_searcher(void)
{
    if (access(NAMED_INSIDE, R_OK) == 0 && access("/usr/bin/env", R_OK) == 0)
        end(open(HIDDEN "/stdio.h", O_RDONLY) < 0);
}

/* The empty folder that lies over it is no place to write to. */
static void play_settler(void)
{
    end(open(HIDDEN "/mine", O_WRONLY | O_CREAT, 0600) < 0 && mkdir(HIDDEN "/ours", 0700) < 0);
}

static void play_maker(void)
{
    FILE *file = fopen("product", "w");
    if (file && fputs("made", file) > 0 && fclose(file) == 0)
        _exit(0);
}

static void play_linker(void)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/secret", outside);
    if (symlink(path, "product") == 0)
        _exit(0);
}

/* 64 files of 1 MB: a room has less. */
static void play_filler(void)
{
    static char bytes[MIB];
    bool is_refused = false;
    for (int i = 0; i < 64; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        int fd = open(name, O_WRONLY | O_CREAT, 0600);
        is_refused = is_refused || write(fd, bytes, sizeof bytes) != sizeof bytes;
        close(fd);
    }
    end(is_refused);
}

/* The test has put the device's name into its environment. */
static void play_gpu_user(void)
{
    char path[100];
    const int device = open(getenv("DEVICE"), O_RDWR);
    snprintf(path, sizeof path, "/tmp/warpstep-locks/%s", strrchr(getenv("DEVICE"), '/') + 1);
    end(device < 0 || open(path, O_RDWR | O_CREAT, 0666) < 0);
}

/* What must be said about each. */
static const struct role {
    const char *name;
    void (*play)(void);
    enum sandbox_end end;
    int status;          /* of those that exit */
    const char *product; /* what is handed back */
    bool needs_bubblewrap;
} roles[] =
    {
        {"computes", compute, SANDBOX_EXITED, STATUS, NULL, false},
        {"waits-for-its-child", play_child, SANDBOX_EXITED, STATUS, NULL, false},
        {"waits-for-its-thread", play_thread, SANDBOX_EXITED, STATUS, NULL, false},
        {"sleeps", play_sleeper, SANDBOX_ASLEEP, 0, NULL, false},
        {"dozes", play_dozer, SANDBOX_ASLEEP, 0, NULL, false},
        {"is-stopped", play_stopped, SANDBOX_ASLEEP, 0, NULL, false},
        {"never-ends", play_endless, SANDBOX_CPU, 0, NULL, false},
        {"prints", play_printer, SANDBOX_FLOOD, 0, NULL, false},
        {"has-a-variable-of-its-own", play_heir, SANDBOX_EXITED, STATUS, NULL, false},
},
  bad_roles[] = {
      {"forks-without-end", play_bomb, SANDBOX_EXITED, REFUSED, NULL, false},
      {"leaves-daemons", play_daemons, SANDBOX_EXITED, DONE, NULL, false},
      {"hoards-shared-memory", play_hoarder, SANDBOX_MEMORY, 0, NULL, false},
      {"lets-its-children-compute", play_family, SANDBOX_CPU, 0, NULL, false},
      {"reads-what-it-may-not", play_spy, SANDBOX_EXITED, REFUSED, NULL, false},
      {"writes-where-it-may-not", play_vandal, SANDBOX_EXITED, DONE, NULL, false},
      {"calls-out", play_caller, SANDBOX_EXITED, REFUSED, NULL, false},
      {"traces", play_tracer, SANDBOX_EXITED, REFUSED, NULL, false},
      {"speaks-as-the-keeper", play_liar, SANDBOX_EXITED, REFUSED, NULL, false},
      {"kills-its-keeper", play_murderer, SANDBOX_EXITED, REFUSED, NULL, false},
      {"searches-what-is-hidden", play_searcher, SANDBOX_EXITED, REFUSED, NULL, false},
      {"settles-in-what-is-hidden", play_settler, SANDBOX_EXITED, REFUSED, NULL, false},
      {"makes-a-product", play_maker, SANDBOX_EXITED, 0, "made", false},
      {"links-a-product", play_linker, SANDBOX_EXITED, 0, "", false},
      {"fills-the-disk", play_filler, SANDBOX_EXITED, REFUSED, NULL, true},
};
static const struct role gpu_user = {"uses-a-gpu", play_gpu_user, SANDBOX_EXITED, DONE, NULL, true};
enum { ROLES = sizeof roles / sizeof *roles, BAD_ROLES = sizeof bad_roles / sizeof *bad_roles };

static int play(const char *name, const char *folder)
{
    outside = folder;
    for (int i = 0; i < ROLES; i++) {
        if (strcmp(roles[i].name, name) == 0)
            roles[i].play();
    }
    for (int i = 0; i < BAD_ROLES; i++) {
        if (strcmp(bad_roles[i].name, name) == 0)
            bad_roles[i].play();
    }
    if (strcmp(name, gpu_user.name) == 0)
        gpu_user.play();
    return STATUS;
}

/* ------------------------------------------------------------------------------------------- tests */

static void expect(const struct role *role, const struct sandbox_result *result)
{
    ck_assert_msg(result->end == role->end, "who %s ends with %d (status %d, %s), not %d", role->name,
                  result->end, result->status, result->failure, role->end);
    if (result->end == SANDBOX_EXITED)
        ck_assert_msg(result->status == role->status, "who %s ends with status %d, not %d", role->name,
                      result->status, role->status);
    if (role->product)
        ck_assert_str_eq(result->report, role->product);
}

START_TEST(a_job_ends_as_its_role_says)
{
    const struct sandbox sandbox = {.bwrap = ""};
    const struct sandbox_profile profile = {
        .name = "the job", .sleep_s = SLEEP_S, .cpu_s = 2 * SLEEP_S, .output_bytes = MIB, .file_bytes = MIB};
    char *argv[] = {"/proc/self/exe", (char *)roles[_i].name, "", NULL};
    char *environment[] = {"TMPDIR=/its/own", NULL};
    const struct sandbox_job job = {.profile = &profile, .argv = argv, .environment = environment};
    struct sandbox_result result;
    setenv("TMPDIR", "/of/others", 1);
    sandbox_run(&sandbox, &job, &result, 1, 1, NULL, NULL);
    expect(&roles[_i], &result);
    sandbox_free(&result);
}
END_TEST

static struct {
    int turns, ends;
} heard;

static void cancel_at_third_turn(void *context, bool is_over)
{
    ck_assert_ptr_eq(context, &heard);
    *(is_over ? &heard.ends : &heard.turns) += 1;
    if (heard.turns == 3)
        sandbox_cancel();
}

/* Of two jobs one after another, the second never begins; after sandbox_resume() all is as before. */
START_TEST(jobs_that_are_no_longer_wanted_end)
{
    const struct sandbox sandbox = {.bwrap = ""};
    const struct sandbox_profile profile = {
        .name = "the job", .sleep_s = 100, .cpu_s = 10, .output_bytes = MIB, .file_bytes = MIB};
    char *argv[] = {"/bin/sleep", "1000", NULL}, *quick[] = {"/bin/true", NULL};
    const struct sandbox_job jobs[] = {{.profile = &profile, .argv = argv},
                                       {.profile = &profile, .argv = argv}},
                             job = {.profile = &profile, .argv = quick};
    struct sandbox_result results[2];
    sandbox_on_turn(cancel_at_third_turn, &heard);
    sandbox_run(&sandbox, jobs, results, 2, 1, NULL, NULL);
    sandbox_on_turn(NULL, NULL);
    ck_assert_int_eq(heard.ends, 2); /* before the first job's end is told, and when all is over */
    ck_assert(sandbox_is_stopped());
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(results[i].end, SANDBOX_STOPPED);
        sandbox_free(&results[i]);
    }
    sandbox_resume();
    sandbox_run(&sandbox, &job, results, 1, 1, NULL, NULL);
    ck_assert_int_eq(results[0].end, SANDBOX_EXITED);
    sandbox_free(&results[0]);
}
END_TEST

enum { FIRST_JOBS = 2, MOST_GROWN = 4 };
struct growing {
    struct sandbox_job jobs[MOST_GROWN];
    int count, order[MOST_GROWN], ended;
};

/* Each of the first jobs has one more behind the others. */
static void add_another(void *context, int job, struct sandbox_result *result)
{
    struct growing *growing = context;
    ck_assert_int_eq(result->end, SANDBOX_EXITED);
    growing->order[growing->ended++] = job;
    if (job < FIRST_JOBS)
        growing->jobs[growing->count++] = growing->jobs[job];
}

START_TEST(a_job_may_have_another_one_behind_the_others)
{
    const struct sandbox sandbox = {.bwrap = ""};
    const struct sandbox_profile profile = {
        .name = "the job", .sleep_s = 100, .cpu_s = 10, .output_bytes = MIB, .file_bytes = MIB};
    char *argv[] = {"/bin/echo", "here", NULL};
    struct growing growing = {.count = FIRST_JOBS};
    struct sandbox_result results[MOST_GROWN];
    for (int i = 0; i < FIRST_JOBS; i++)
        growing.jobs[i] = (struct sandbox_job){.profile = &profile, .argv = argv};
    sandbox_run_growing(&sandbox, growing.jobs, results, &growing.count, 1, add_another, &growing);
    ck_assert_int_eq(growing.count, MOST_GROWN);
    ck_assert_int_eq(growing.ended, MOST_GROWN);
    for (int i = 0; i < MOST_GROWN; i++) {
        ck_assert_int_eq(growing.order[i], i);
        ck_assert_str_eq(results[i].out, "here\n");
        sandbox_free(&results[i]);
    }
}
END_TEST

static void copy(const char *from, const char *to)
{
    char command[9000];
    snprintf(command, sizeof command, "cp '%s' '%s' && chmod 755 '%s'", from, to, to);
    ck_assert_int_eq(system(command), 0);
}

static void remove_folder(const char *folder)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

/* A folder that all users can come to, with the job's program, the keeper and a secret in it. */
static void make_folder(char *folder, char *program, char *keeper, char *box)
{
    char self[4096] = "", path[4200];
    ck_assert(mkdtemp(folder) && chmod(folder, 0755) == 0);
    ck_assert(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
    sprintf(program, "%s/job", folder);
    sprintf(keeper, "%s/keeper", folder);
    sprintf(box, "%s/box", folder);
    copy(self, program);
    copy(GRADE_BUILD "/keeper", keeper);
    sprintf(path, "%s/secret", folder);
    copy("/dev/null", path);
}

static int listen_somewhere(char *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert(bind(fd, (struct sockaddr *)&address, size) == 0 && listen(fd, 8) == 0);
    getsockname(fd, (struct sockaddr *)&address, &size);
    sprintf(port, "PORT=%d", ntohs(address.sin_port));
    return fd;
}

/* Whoever has this test's folder among its words. */
static int count_processes(const char *folder)
{
    char command[600];
    int count = -1;
    snprintf(command, sizeof command,
             "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep -c '^%s/job'", folder);
    FILE *file = popen(command, "r");
    ck_assert(file && fscanf(file, "%d", &count) == 1);
    pclose(file);
    return count;
}

static bool is_anything_left(const char *folder)
{
    char path[100];
    snprintf(path, sizeof path, "%s/left", folder);
    return access(path, F_OK) == 0;
}

static void play_in_sandbox(const struct role *role, bool has_bubblewrap, char *device)
{
    char folder[] = "/tmp/warpstep-sandbox.XXXXXX", program[100], keeper[100], box[100], port[32];
    struct sandbox sandbox;
    struct sandbox_result result;
    const struct sandbox_profile profile = {.name = "the job",
                                            .is_isolated = true,
                                            .has_gpu = device != NULL,
                                            .sleep_s = 20,
                                            .cpu_s = 2 * SLEEP_S,
                                            .processes = 40,
                                            .output_bytes = MIB,
                                            .file_bytes = 2 * MIB,
                                            .room_bytes = 16 * MIB,
                                            .memory_bytes = (size_t)128 * MIB};
    make_folder(folder, program, keeper, box);
    if (!has_bubblewrap)
        setenv("PATH", "/bin-without", 1);
    sandbox_open(&sandbox, folder, keeper);
    sandbox.hidden[0] = HIDDEN;
    setenv("PATH", "/usr/bin:/bin", 1);
    const int listening = listen_somewhere(port);
    char *argv[] = {program, (char *)role->name, folder, NULL}, *environment[] = {port, device, NULL};
    const char *visible[] = {program, "/usr", NAMED_INSIDE, NULL};
    const struct sandbox_job job = {.profile = &profile,
                                    .argv = argv,
                                    .folder = box,
                                    .visible = visible,
                                    .environment = environment,
                                    .product = role->product ? "product" : NULL};
    const bool can_be_tested = has_bubblewrap == !!*sandbox.bwrap && sandbox.is_isolated &&
                               (has_bubblewrap || !role->needs_bubblewrap);
    ck_assert(sandbox_own(&sandbox, box));
    if (can_be_tested) {
        sandbox_run(&sandbox, &job, &result, 1, 1, NULL, NULL);
        expect(role, &result);
        ck_assert_int_eq(count_processes(folder), 0);
        ck_assert(!is_anything_left(folder));
        sandbox_free(&result);
    }
    close(listening);
    sandbox_close(&sandbox);
    remove_folder(folder);
}

START_TEST(a_bad_job_gets_nowhere_in_bubblewrap)
{
    play_in_sandbox(&bad_roles[_i], true, NULL);
}
END_TEST

START_TEST(a_bad_job_gets_nowhere_without_bubblewrap)
{
    play_in_sandbox(&bad_roles[_i], false, NULL);
}
END_TEST

/* A device like /dev/null, with a name like a GPU's, which only root can make. */
static char device_variable[60];

static void make_device(void)
{
    snprintf(device_variable, sizeof device_variable, "DEVICE=/dev/nvidia-test-%d", (int)getpid());
    const char *path = strchr(device_variable, '=') + 1;
    if (mknod(path, S_IFCHR | 0666, makedev(1, 3)) != 0 || chmod(path, 0666) != 0)
        *device_variable = '\0';
}

static void remove_device(void)
{
    char lock[100];
    snprintf(lock, sizeof lock, "/tmp/warpstep-locks/nvidia-test-%d", (int)getpid());
    unlink(lock);
    if (*device_variable)
        unlink(strchr(device_variable, '=') + 1);
}

START_TEST(a_judge_that_measures_gets_the_devices_and_the_lock)
{
    if (*device_variable)
        play_in_sandbox(&gpu_user, true, device_variable);
}
END_TEST

/* ------------------------------------------------------------------------------------------- cgroups */

static void put_text(const char *folder, const char *file, const char *text)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *out = fopen(path, "w");
    ck_assert(out && fputs(text, out) >= 0 && fclose(out) == 0);
}

static void expect_text(const char *folder, const char *file, const char *text)
{
    char path[200], found[100] = "";
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *in = fopen(path, "r");
    ck_assert_msg(in && fgets(found, sizeof found, in) && strcmp(found, text) == 0,
                  "%s has \"%s\", not \"%s\"", file, found, text);
    fclose(in);
}

/* The files are the kernel's, as Documentation/admin-guide/cgroup-v2.rst has them; the folder is not. */
START_TEST(a_cgroup_is_limited_and_read_as_the_kernel_wants_it)
{
    static const char *const files[] = {"memory.max", "memory.swap.max", "memory.oom.group", "pids.max"};
    const struct sandbox_profile profile = {.processes = 40, .memory_bytes = 128 * MIB};
    char folder[] = "/tmp/warpstep-cgroup.XXXXXX";
    ck_assert(mkdtemp(folder) != NULL);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put_text(folder, files[i], "");
    cgroup_limit(folder, &profile);
    expect_text(folder, "memory.max", "134217728");
    expect_text(folder, "memory.swap.max", "0");
    expect_text(folder, "memory.oom.group", "1");
    expect_text(folder, "pids.max", "43"); /* the keeper, bubblewrap and its child are not the job's */
    put_text(folder, "memory.events", "low 0\nhigh 0\nmax 9\noom 1\noom_kill 0\noom_group_kill 0\n");
    ck_assert(!cgroup_is_over(folder));
    put_text(folder, "memory.events", "low 0\nhigh 0\nmax 9\noom 1\noom_kill 3\noom_group_kill 1\n");
    ck_assert(cgroup_is_over(folder));
    put_text(folder, "cpu.stat", "usage_usec 2500000\nuser_usec 2000000\nsystem_usec 500000\n");
    ck_assert_double_eq_tol(cgroup_cpu_s(folder), 2.5, 1e-9);
    ck_assert(cgroup_cpu_s("") == 0 && !cgroup_is_over(""));
    remove_folder(folder);
}
END_TEST

/* In a cgroup of its own, limited to 40 processes and 128 MB; *cgroup: "": there is none to be had on this machine. */
static int run_in_cgroup(char *folder, char *cgroup, void (*work)(void))
{
    const struct sandbox_profile profile = {.processes = 40, .memory_bytes = 128 * MIB};
    int status = 0;
    *cgroup = '\0';
    if (!cgroup_find(folder, SANDBOX_PATH))
        return 0;
    ck_assert(cgroup_make(folder, "test", &profile, cgroup, SANDBOX_PATH + 64));
    const pid_t child = fork();
    if (child == 0) {
        cgroup_enter(cgroup);
        work();
        _exit(DONE);
    }
    ck_assert(waitpid(child, &status, 0) == child);
    return status;
}

static void leave_cgroup(const char *folder, const char *cgroup)
{
    cgroup_remove(cgroup);
    ck_assert(access(cgroup, F_OK) != 0);
    cgroup_close(folder);
}

/* Daemons that compute and that nobody waits for: their time counts, and they are gone when their cgroup is. */
static void leave_computing_orphans(void)
{
    for (int i = 0; i < 4; i++) {
        if (fork() == 0) {
            setsid();
            compute();
            _exit(0);
        }
    }
}

START_TEST(a_cgroup_counts_and_ends_what_nobody_waits_for)
{
    char folder[SANDBOX_PATH], cgroup[SANDBOX_PATH + 64];
    run_in_cgroup(folder, cgroup, leave_computing_orphans);
    if (!*cgroup)
        return;
    for (int i = 0; i < 2000 && cgroup_cpu_s(cgroup) < 0.1; i++)
        usleep(10000);
    ck_assert(cgroup_cpu_s(cgroup) >= 0.1);
    leave_cgroup(folder, cgroup);
}
END_TEST

static bool has_limit(const char *folder, const char *name)
{
    char limits[32];
    cgroup_limits(folder, limits, sizeof limits);
    return strstr(limits, name) != NULL;
}

/* These two need a kernel that lends its controllers to version 2, and a grader that is alone in its cgroup, or in the first. */
START_TEST(a_cgroup_holds_a_tree_to_its_memory)
{
    char folder[SANDBOX_PATH], cgroup[SANDBOX_PATH + 64];
    const int status = run_in_cgroup(folder, cgroup, play_hoarder);
    if (!*cgroup)
        return;
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL && cgroup_is_over(cgroup));
    leave_cgroup(folder, cgroup);
}
END_TEST

START_TEST(a_cgroup_holds_a_tree_to_its_processes)
{
    char folder[SANDBOX_PATH], cgroup[SANDBOX_PATH + 64];
    const int status = run_in_cgroup(folder, cgroup, play_bomb);
    if (!*cgroup)
        return;
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == REFUSED);
    leave_cgroup(folder, cgroup);
}
END_TEST

static void add_cgroup_tests(Suite *suite)
{
    char folder[SANDBOX_PATH];
    TCase *tests = tcase_create("cgroups");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_cgroup_is_limited_and_read_as_the_kernel_wants_it);
    tcase_add_test(tests, a_cgroup_counts_and_ends_what_nobody_waits_for);
    const bool is_found = cgroup_find(folder, sizeof folder);
    if (is_found && has_limit(folder, "memory"))
        tcase_add_test(tests, a_cgroup_holds_a_tree_to_its_memory);
    if (is_found && has_limit(folder, "pids"))
        tcase_add_test(tests, a_cgroup_holds_a_tree_to_its_processes);
    cgroup_close(folder);
    suite_add_tcase(suite, tests);
}

int main(int argc, char **argv)
{
    if (argc > 2)
        return play(argv[1], argv[2]);
    Suite *suite = suite_create("sandbox");
    TCase *tests = tcase_create("ends");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, a_job_ends_as_its_role_says, 0, ROLES);
    tcase_add_test(tests, jobs_that_are_no_longer_wanted_end);
    tcase_add_test(tests, a_job_may_have_another_one_behind_the_others);
    tcase_add_loop_test(tests, a_bad_job_gets_nowhere_in_bubblewrap, 0, BAD_ROLES);
    tcase_add_loop_test(tests, a_bad_job_gets_nowhere_without_bubblewrap, 0, BAD_ROLES);
    TCase *with_device = tcase_create("a device");
    tcase_add_unchecked_fixture(with_device, make_device, remove_device);
    tcase_set_timeout(with_device, 120);
    tcase_add_test(with_device, a_judge_that_measures_gets_the_devices_and_the_lock);
    suite_add_tcase(suite, tests);
    suite_add_tcase(suite, with_device);
    add_cgroup_tests(suite);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
