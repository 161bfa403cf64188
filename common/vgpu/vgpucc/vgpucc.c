/* vgpucc.c - compiles CUDA programs for the virtual GPU: a thin driver over nvcc.
 * nvcc does all the work; vgpucc sees to it that the program carries plain PTX with line numbers and is linked with
 * libvgpu.a instead of libcudart. What it does not know it passes on untouched; its exit status is nvcc's.
 * It runs no shell and writes no files. */
#define _GNU_SOURCE /* memmem */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/list.h"
#include "core/gpu.h"
#include "vgpu.h"

static const char help[] =
    "usage: vgpucc FILE... [-o PROGRAM] [nvcc options]\n"
    "\n"
    "Compiles CUDA programs so that they run on the virtual GPU, without any GPU:\n"
    "    vgpucc prog.cu -o prog && ./prog\n"
    "Files and options are nvcc's (.cu .cpp .c .o .a; -c -O3 -I -D -L -l -std -arch ...).\n"
    "vgpucc adds: --no-compress -lineinfo -g, the architecture of VGPU_GPU if you name none,\n"
    "PTX if your options leave it out, and libvgpu.a in place of libcudart. With -lcublas, -lcublasLt\n"
    "and -lcurand come the kit's own: products, vectors and random numbers; their other calls fail.\n"
    "`vgpucc --dryrun ...` shows nvcc's steps.\n"
    "\n"
    "The environment steers the program that results:\n"
    "    VGPU_GPU=h200        the GPU to be: p100 gtx1080 v100 t4 a100 rtx4090 h100 h200,\n"
    "                         or the path of a .gpu file\n"
    "    VGPU_CHECK=bounds    full: also races, uninitialised memory, barriers, leaks;\n"
    "                         bounds: bad accesses only; off: none\n"
    "    VGPU_THREADS=n       host threads to use (default: all cores); results never depend on it\n"
    "    VGPU_COUNTERS=FILE   write one JSON object per kernel launch, a line each\n"
    "    VGPU_EXPLAIN=1       when the program ends, tell what limits each kernel, by which lines\n"
    "    VGPU_REPORT=FILE     write a page for a browser: lines, accesses, timeline, one block step by step\n"
    "    VGPU_BUDGET=n        cost of a block's loop, in instructions, before it is stopped\n"
    "    VGPU_WORK=n          the same for all warps of all launches together\n"
    "    VGPU_EXECUTE=all     sample: some blocks of each launch, for counters and times only;\n"
    "                         none: no kernels at all\n"
    "    VGPU_CLOCK=real      virtual: the host's clocks (chrono, clock_gettime) show a GPU's time\n"
    "    VGPU_TIME=on         off: no timing model, launches take no time but their own\n"
    "\n"
    "The environment steers vgpucc: NVCC, CUDA_HOME or CUDA_PATH (where nvcc is), VGPU_LIB\n"
    "(libvgpu.a, if it does not lie beside vgpucc; the libraries lie beside it).\n";

/* ------------------------------------------------------------------------------------------- options */

enum option_kind {
    OPTION_VALUE,       /* takes a value and means nothing to us */
    OPTION_NO_LINK,     /* nvcc stops before the link */
    OPTION_ARCH,        /* -arch X */
    OPTION_CODE,        /* -code X */
    OPTION_GENCODE,     /* -gencode arch=X,code=Y */
    OPTION_CUDART,      /* which libcudart: none, whatever was said */
    OPTION_LIBRARY,     /* -l X */
    OPTION_RELOCATABLE, /* -rdc true: device code is linked */
    OPTION_LINES,       /* -lineinfo, or -G, which includes it */
    OPTION_OPTIONS_FILE /* more options in a file */
};

/* nvcc's options that take a value or that matter here. Values come as `-o x`, `-o=x` or, for one letter, `-ox`. */
static const struct option {
    const char *brief, *full; /* without dashes; full may be NULL */
    enum option_kind kind;
    bool takes_value;
} options[] = {
    {"o", "output-file", OPTION_VALUE, true},
    {"x", "x", OPTION_VALUE, true},
    {"I", "include-path", OPTION_VALUE, true},
    {"isystem", "system-include", OPTION_VALUE, true},
    {"include", "pre-include", OPTION_VALUE, true},
    {"L", "library-path", OPTION_VALUE, true},
    {"D", "define-macro", OPTION_VALUE, true},
    {"U", "undefine-macro", OPTION_VALUE, true},
    {"std", NULL, OPTION_VALUE, true},
    {"Xcompiler", "compiler-options", OPTION_VALUE, true},
    {"Xlinker", "linker-options", OPTION_VALUE, true},
    {"Xarchive", "archive-options", OPTION_VALUE, true},
    {"Xptxas", "ptxas-options", OPTION_VALUE, true},
    {"Xnvlink", "nvlink-options", OPTION_VALUE, true},
    {"ccbin", "compiler-bindir", OPTION_VALUE, true},
    {"odir", "output-directory", OPTION_VALUE, true},
    {"MF", "dependency-output", OPTION_VALUE, true},
    {"MT", "dependency-target-name", OPTION_VALUE, true},
    {"maxrregcount", "maxrregcount", OPTION_VALUE, true},
    {"default-stream", "default-stream", OPTION_VALUE, true},
    {"diag-suppress", "diag-suppress", OPTION_VALUE, true},
    {"diag-error", "diag-error", OPTION_VALUE, true},
    {"diag-warn", "diag-warn", OPTION_VALUE, true},
    {"m", "machine", OPTION_VALUE, true},
    {"t", "threads", OPTION_VALUE, true},
    {"idp", "input-drive-prefix", OPTION_VALUE, true},
    {"ldir", "libdevice-directory", OPTION_VALUE, true},
    {"tp", "target-directory", OPTION_VALUE, true},
    {"split-compile", "split-compile", OPTION_VALUE, true},
    {"Werror", NULL, OPTION_VALUE, true},
    {"rdc", "relocatable-device-code", OPTION_RELOCATABLE, true},
    {"optf", "options-file", OPTION_OPTIONS_FILE, true},
    {"l", "library", OPTION_LIBRARY, true},
    {"arch", "gpu-architecture", OPTION_ARCH, true},
    {"code", "gpu-code", OPTION_CODE, true},
    {"gencode", "generate-code", OPTION_GENCODE, true},
    {"cudart", "cudart", OPTION_CUDART, true},
    {"c", "compile", OPTION_NO_LINK, false},
    {"dc", "device-c", OPTION_NO_LINK, false},
    {"dw", "device-w", OPTION_NO_LINK, false},
    {"dlink", "device-link", OPTION_NO_LINK, false},
    {"lib", "lib", OPTION_NO_LINK, false},
    {"E", "preprocess", OPTION_NO_LINK, false},
    {"M", "generate-dependencies", OPTION_NO_LINK, false},
    {"MM", "generate-nonsystem-dependencies", OPTION_NO_LINK, false},
    {"ptx", "ptx", OPTION_NO_LINK, false},
    {"cubin", "cubin", OPTION_NO_LINK, false},
    {"fatbin", "fatbin", OPTION_NO_LINK, false},
    {"cuda", "cuda", OPTION_NO_LINK, false},
    {"lineinfo", "generate-line-info", OPTION_LINES, false},
    {"G", "device-debug", OPTION_LINES, false},
};
enum { OPTIONS = sizeof options / sizeof options[0], MAX_OPTIONS_FILE = 1 << 20 };

/* Libraries of the toolkit that the kit has in its own form: libvgpu-cublas.a beside libvgpu.a. */
static const struct {
    const char *name, *ours;
} own_libraries[] = {{"cublas", "vgpu-cublas"}, {"cublasLt", "vgpu-cublas"}, {"curand", "vgpu-curand"}};
enum { OWN_LIBRARIES = sizeof own_libraries / sizeof own_libraries[0] };
/* Libraries that talk to a real GPU's driver. */
static const char *const gpu_libraries[] = {
    "cuda",   "cufft",  "cufftw", "cusolver", "cusolverMg", "cusparse", "cudnn",     "cutensor",
    "nccl",   "nvjpeg", "nvrtc",  "nvgraph",  "nvidia-ml",  "cufile",   "nvJitLink", "npp",
    "nppc",   "nppi",   "nppial", "nppicc",   "nppidei",    "nppif",    "nppig",     "nppim",
    "nppist", "nppisu", "nppitc", "npps",     "cupti",
};
static const char *const dropped_libraries[] = {"cudart", "cudart_static", "cudadevrt", "culibos"};

/* What the command line says, as far as it matters here. */
struct request {
    const char *const *argv; /* after the program's name */
    int argc;
    const char **out; /* nvcc's arguments */
    size_t nout, room;
    bool is_linking, has_inputs, has_lines, has_arch, has_ptx, has_gencode, is_relocatable;
    const char *arch; /* value of -arch; of the first -gencode: its arch */
    const char *code; /* value of -code */
    bool needs_own[OWN_LIBRARIES];
};

static int fail(const char *sentence, const char *detail)
{
    fprintf(stderr, "vgpucc: %s%s\n", sentence, detail);
    return 1;
}

/* Nothing can be done without memory. */
static void *or_end(void *memory)
{
    if (memory)
        return memory;
    fputs("vgpucc: out of memory\n", stderr);
    _exit(1);
}

static void push(struct request *request, const char *text)
{
    request->out =
        or_end(list_reserve(request->out, &request->room, request->nout + 2, sizeof *request->out));
    request->out[request->nout++] = text;
    request->out[request->nout] = NULL;
}

/* Texts live as long as vgpucc: until nvcc takes its place. */
static struct text {
    struct text *next;
    char bytes[];
} * texts;

static char *join(const char *a, const char *b)
{
    size_t size = strlen(a) + strlen(b) + 1;
    struct text *text = or_end(malloc(sizeof *text + size));
    text->next = texts;
    texts = text;
    snprintf(text->bytes, size, "%s%s", a, b);
    return text->bytes;
}

/* ------------------------------------------------------------------------------------------- reading */

/* The option that argument spells; *value is what stands behind it in the same argument, or NULL. */
static const struct option *find_option(const char *argument, const char **value)
{
    bool is_full = argument[0] == '-' && argument[1] == '-';
    const char *name = argument + (is_full ? 2 : 1), *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    *value = equals ? equals + 1 : NULL;
    for (size_t i = 0; i < OPTIONS; i++) {
        const char *spelled[] = {options[i].brief, options[i].full};
        for (int j = 0; j < 2; j++)
            if (spelled[j] && strlen(spelled[j]) == length && !strncmp(spelled[j], name, length))
                return &options[i];
    }
    if (is_full || !name[0] || !name[1] || !strchr("oIlLDUx", name[0]))
        return NULL;
    for (size_t i = 0; i < OPTIONS; i++)
        if (options[i].brief[0] == name[0] && !options[i].brief[1]) {
            *value = name + 1;
            return &options[i];
        }
    return NULL;
}

static bool is_listed(const char *name, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(list[i], name))
            return true;
    return false;
}

/* "cublas" of "cublas_static" */
static char *stem_of_library(const char *name)
{
    char *stem = join(name, "");
    char *suffix = strstr(stem, "_static");
    if (suffix)
        *suffix = 0;
    return stem;
}

static bool take_own_library(struct request *request, const char *stem)
{
    for (size_t i = 0; i < OWN_LIBRARIES; i++)
        if (!strcmp(own_libraries[i].name, stem))
            return request->needs_own[i] = true;
    return false;
}

static void take_library(struct request *request, const char *name)
{
    const char *stem = stem_of_library(name);
    if (is_listed(name, dropped_libraries, sizeof dropped_libraries / sizeof dropped_libraries[0]))
        return;
    if (take_own_library(request, stem))
        return;
    if (is_listed(stem, gpu_libraries, sizeof gpu_libraries / sizeof gpu_libraries[0])) {
        fprintf(
            stderr,
            "vgpucc: warning: lib%s needs a real GPU and cannot run on the virtual one; it is left out, and "
            "calls into it will not link\n",
            name);
        return;
    }
    push(request, "-l");
    push(request, name);
}

/* -gencode arch=compute_90,code=[sm_90,compute_90] */
static void take_gencode(struct request *request, const char *value)
{
    const char *code = strstr(value, "code=");
    request->has_gencode = true;
    if (!code || strstr(code, "compute_"))
        request->has_ptx = true;
    if (!request->arch) {
        const char *arch = strstr(value, "arch=");
        request->arch = arch ? arch + strlen("arch=") : "compute_75";
    }
    push(request, "-gencode");
    push(request, value);
}

static void scan_file(struct request *request, const char *path);

/* -arch and -code are put together at the end, since each changes the other's meaning. */
static void take_option(struct request *request, const struct option *option, const char *argument,
                        const char *value)
{
    switch (option->kind) {
    case OPTION_NO_LINK:
        request->is_linking = false;
        break;
    case OPTION_LINES:
        request->has_lines = true;
        break;
    case OPTION_ARCH:
        request->arch = value;
        request->has_arch = true;
        return;
    case OPTION_CODE:
        request->code = value;
        return;
    case OPTION_GENCODE:
        take_gencode(request, value);
        return;
    case OPTION_CUDART:
        return;
    case OPTION_LIBRARY:
        take_library(request, value);
        return;
    case OPTION_OPTIONS_FILE:
        scan_file(request, value);
        break;
    case OPTION_RELOCATABLE:
        request->is_relocatable |= !strcmp(value, "true");
        break;
    case OPTION_VALUE:
        break;
    }
    push(request, argument);
}

/* Whether take_option() has left the value to the caller to pass on. */
static bool is_passed(const struct option *option)
{
    return option->kind == OPTION_VALUE || option->kind == OPTION_OPTIONS_FILE ||
           option->kind == OPTION_RELOCATABLE;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

/* An object or archive of -rdc=true refers to the registration function that device linking makes. */
static bool needs_device_link(const char *path)
{
    static const char mark[] = "__cudaRegisterLinkedBinary";
    size_t size;
    if (!ends_with(path, ".o") && !ends_with(path, ".a"))
        return false;
    char *bytes = file_read(path, SIZE_MAX, true, &size);
    bool has_mark = bytes && memmem(bytes, size, mark, strlen(mark));
    free(bytes);
    return has_mark;
}

static void read_arguments(struct request *request)
{
    for (int i = 0; i < request->argc; i++) {
        const char *argument = request->argv[i], *value;
        if (argument[0] == '@') {
            scan_file(request, argument + 1);
            push(request, argument);
            continue;
        }
        if (argument[0] != '-' || !argument[1]) {
            request->has_inputs = true;
            request->is_relocatable |= needs_device_link(argument);
            push(request, argument);
            continue;
        }
        const struct option *option = find_option(argument, &value);
        if (!option) {
            push(request, argument);
            continue;
        }
        bool is_apart = option->takes_value && !value && i + 1 < request->argc;
        if (is_apart)
            value = request->argv[++i];
        take_option(request, option, argument, value ? value : "");
        if (is_apart && is_passed(option))
            push(request, value);
    }
}

/* A response file goes to nvcc as it is; here it is only looked at. */
static void scan_file(struct request *request, const char *path)
{
    struct request words = {0}, inner = {.is_linking = true};
    size_t size;
    char *text = file_read(path, MAX_OPTIONS_FILE, true, &size);
    for (char *word = text ? strtok(text, " \t\r\n") : NULL; word; word = strtok(NULL, " \t\r\n"))
        if (word[0] != '@')
            push(&words, word);
    inner.argv = words.out;
    inner.argc = (int)words.nout;
    read_arguments(&inner);
    request->is_linking &= inner.is_linking;
    request->has_inputs |= inner.has_inputs;
    request->has_lines |= inner.has_lines;
    request->is_relocatable |= inner.is_relocatable;
    /* An architecture in the file stays there: nvcc reads it, and it is trusted to name PTX. */
    request->has_gencode |= inner.has_gencode || inner.has_arch || inner.code;
    request->has_ptx |= inner.has_ptx || inner.has_arch || inner.code;
    free(inner.out);
    free(words.out);
    free(text);
}

/* ------------------------------------------------------------------------------------------- architectures */

/* "compute_90" of "sm_90", "90", "compute_90,..." */
static char *ptx_arch(const char *arch)
{
    if (!arch)
        arch = "";
    while (*arch && !isdigit((unsigned char)*arch))
        arch++;
    size_t length = 0;
    while (isalnum((unsigned char)arch[length]))
        length++;
    char *text = join("compute_", *arch ? arch : "75");
    if (*arch)
        text[strlen("compute_") + length] = 0;
    return text;
}

/* The chosen GPU's own, so that `#if __CUDA_ARCH__ >= 800` means what the program's device properties say. GPUs that nvcc no
 * longer compiles for take the oldest code that it makes. A name that nobody knows is the program's to complain about. */
static unsigned default_arch(void)
{
    enum { OLDEST = 75 };
    char message[256];
    const char *name = getenv("VGPU_GPU");
    const struct gpu *gpu = name && *name ? gpu_find(name, message, sizeof message) : NULL;
    if (!gpu)
        gpu = gpu_default();
    const unsigned arch = gpu->cc_major * 10 + gpu->cc_minor;
    return arch > OLDEST ? arch : OLDEST;
}

static void push_default_arch(struct request *request)
{
    char value[80];
    const unsigned arch = default_arch();
    snprintf(value, sizeof value, "arch=compute_%u,code=[compute_%u,sm_%u]", arch, arch, arch);
    push(request, "-gencode");
    push(request, join(value, ""));
}

static void push_code(struct request *request)
{
    push(request, "-arch");
    push(request, request->arch);
    push(request, "-code");
    bool has_ptx = strstr(request->code, "compute_") != NULL;
    push(request, has_ptx ? request->code : join(request->code, join(",", ptx_arch(request->arch))));
}

static void push_arch(struct request *request)
{
    bool is_native = request->arch && !strcmp(request->arch, "native");
    if (request->has_gencode) {
        if (!request->has_ptx) {
            char *arch = ptx_arch(request->arch);
            push(request, "-gencode");
            push(request, join(join("arch=", arch), join(",code=", arch)));
        }
    } else if (request->code && request->has_arch) {
        push_code(request);
    } else if (!request->has_arch || is_native) {
        push_default_arch(request);
    } else {
        push(request, "-arch"); /* -arch=sm_90 means PTX of compute_90 and code of sm_90 */
        push(request, request->arch);
    }
}

/* ------------------------------------------------------------------------------------------- places */

static bool is_program(const char *path)
{
    return access(path, X_OK) == 0;
}

static char *nvcc_below(const char *variable)
{
    const char *folder = getenv(variable);
    char *path = folder && *folder ? join(folder, "/bin/nvcc") : NULL;
    return path && is_program(path) ? path : NULL;
}

static char *nvcc_on_path(void)
{
    const char *list = getenv("PATH");
    while (list && *list) {
        size_t length = strcspn(list, ":");
        char *folder = join("", list);
        folder[length] = 0;
        char *path = join(folder, "/nvcc");
        if (length && is_program(path))
            return path;
        list += length + (list[length] == ':');
    }
    return NULL;
}

static char *find_nvcc(void)
{
    const char *given = getenv("NVCC");
    if (given && *given)
        return join(given, "");
    char *path = nvcc_below("CUDA_HOME");
    if (!path)
        path = nvcc_below("CUDA_PATH");
    if (!path)
        path = nvcc_on_path();
    if (!path && is_program("/usr/local/cuda/bin/nvcc"))
        path = join("/usr/local/cuda/bin/nvcc", "");
    return path;
}

/* libvgpu.a beside this program, or where VGPU_LIB says. */
static char *find_library(void)
{
    const char *given = getenv("VGPU_LIB");
    if (given && *given)
        return join(given, "");
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length <= 0)
        return join("libvgpu.a", "");
    self[length] = 0;
    char *slash = strrchr(self, '/');
    if (slash)
        slash[1] = 0;
    return join(self, "libvgpu.a");
}

/* nvcc links device code only together with a libcudart: it gets an empty one, which stands before the toolkit's. */
static int push_device_link(struct request *request, const char *folder)
{
    char *path = join(folder, "/vgpu-link");
    if (access(join(path, "/libcudart_static.a"), R_OK) != 0) {
        fprintf(
            stderr,
            "vgpucc: cannot read %s/libcudart_static.a, which linking with -rdc=true needs: build it with "
            "`make vgpu`\n",
            path);
        return 1;
    }
    push(request, "-cudart");
    push(request, "static");
    push(request, "-L");
    push(request, path);
    return 0;
}

/* Libraries that were named, in our form: they call the runtime, so they stand before it. */
static int push_own_libraries(struct request *request, const char *folder)
{
    for (size_t i = 0; i < OWN_LIBRARIES; i++) {
        if (!request->needs_own[i])
            continue;
        char *path = join(join(folder, "/lib"), join(own_libraries[i].ours, ".a"));
        if (access(path, R_OK) != 0) {
            fprintf(stderr,
                    "vgpucc: cannot read %s, which takes the place of lib%s: build it with `make vgpu`, "
                    "which wants the toolkit's headers of that library\n",
                    path, own_libraries[i].name);
            return 1;
        }
        push(request, "-l");
        push(request, own_libraries[i].ours);
    }
    return 0;
}

/* Given as -L and -l, since a file name would be compiled as a source under `-x cu`. */
static int push_library(struct request *request)
{
    char *path = find_library();
    if (access(path, R_OK) != 0) {
        fprintf(stderr, "vgpucc: cannot read %s: build it with `make vgpu`, or let VGPU_LIB name it\n", path);
        return 1;
    }
    char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *folder = slash ? (*slash = 0, path[0] ? path : "/") : ".";
    if (request->is_relocatable && push_device_link(request, folder) != 0)
        return 1;
    push(request, "-L");
    push(request, folder);
    if (push_own_libraries(request, folder) != 0)
        return 1;
    push(request, "-l");
    push(request, strcmp(name, "libvgpu.a") ? join(":", name) : "vgpu");
    push(request, "-lpthread");
    push(request, "-lm");
    push(request, "-ldl");
    return 0;
}

/* ------------------------------------------------------------------------------------------- main */

static int show_version(const char *nvcc)
{
    printf("vgpucc " VGPU_VERSION ", Warpstep's compiler driver for the virtual GPU\nnvcc: %s\n",
           nvcc ? nvcc : "not found");
    return 0;
}

static int build_command(struct request *request, const char *nvcc)
{
    push(request, nvcc);
    push(request, "--no-compress");
    push(request, "-g");
    read_arguments(request);
    if (!request->has_inputs)
        return fail("no input files; `vgpucc --help` shows how to use it", "");
    if (!request->has_lines)
        push(request, "-lineinfo");
    push_arch(request);
    if (!request->is_relocatable || !request->is_linking) {
        push(request, "-cudart");
        push(request, "none");
    }
    return request->is_linking ? push_library(request) : 0;
}

int main(int argc, char **argv)
{
    struct request request = {.argv = (const char *const *)argv + 1, .argc = argc - 1, .is_linking = true};
    char *nvcc = find_nvcc();
    if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
        fputs(help, stdout);
        return 0;
    }
    if (argc > 1 && (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")))
        return show_version(nvcc);
    if (!nvcc)
        return fail(
            "nvcc was not found: install the CUDA Toolkit 13.0 (no GPU or driver is needed), and put nvcc on "
            "PATH or set CUDA_HOME",
            "");
    if (build_command(&request, nvcc) == 0) {
        execvp(nvcc, (char *const *)request.out);
        fprintf(stderr, "vgpucc: cannot run %s: %s\n", nvcc, strerror(errno));
    }
    free(request.out);
    return 1;
}
