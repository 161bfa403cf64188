/* plan.c - what nvcc would do, from what --dryrun says, and the few words of it that are changed so that steps do not wait.
 * A line that is not as expected ends the reading; nothing is guessed. Runs no step. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "grader/compiler/compiler.h"

enum { MOST_WORDS = 100, MOST_SAID = 1 << 20 };

/* nvcc's lines in its order, by words that each of them has. */
static const struct {
    enum step step; /* STEPS: not taken */
    const char *words;
} lines[] = {{STEP_HOST_TEXT, " -E -x c++ "},
             {STEP_HOST_FRONT, "cudafe++ "},
             {STEP_DEVICE_TEXT, " -E -x c++ "},
             {STEP_PTX, "/cicc\" "},
             {STEP_CUBIN, "ptxas "},
             {STEP_FATBIN, "fatbinary "},
             {STEPS, "rm "},
             {STEP_HOST_CODE, " -c -x c++ "}};
enum { LINES = sizeof lines / sizeof *lines };

/* ------------------------------------------------------------------------------------------- asking */

static void become_nvcc(char **nvcc, const char *folder, int out)
{
    char *words[MOST_WORDS + 2] = {nvcc[0], "--dryrun"};
    for (int i = 1; i < MOST_WORDS && nvcc[i]; i++)
        words[i + 1] = nvcc[i];
    setenv("TMPDIR", folder, 1);
    if (dup2(out, STDERR_FILENO) >= 0)
        execv(words[0], words);
    _exit(127);
}

/* All that it says, to be freed; NULL: too much, or nothing. */
static char *read_all(int fd)
{
    char *text = malloc(MOST_SAID);
    size_t used = 0;
    ssize_t got = 1;
    while (text && got > 0 && used < MOST_SAID) {
        got = read(fd, text + used, MOST_SAID - used);
        used += got > 0 ? (size_t)got : 0;
    }
    if (!text || used == MOST_SAID) {
        free(text);
        return NULL;
    }
    text[used] = '\0';
    return text;
}

static char *ask(char **nvcc, const char *folder)
{
    int ends[2], status = -1;
    if (pipe(ends) != 0)
        return NULL;
    const pid_t pid = fork();
    if (pid == 0)
        become_nvcc(nvcc, folder, ends[1]);
    close(ends[1]);
    char *text = pid > 0 ? read_all(ends[0]) : NULL;
    close(ends[0]);
    if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0)
        return text;
    free(text);
    return NULL;
}

/* ------------------------------------------------------------------------------------------- reading */

/* "LD_LIBRARY_PATH=...": for the environment of all steps. */
static bool is_setting(const char *line)
{
    size_t length = 0;
    while (isupper((unsigned char)line[length]) || line[length] == '_')
        length++;
    return length > 0 && line[length] == '=';
}

static bool keep_setting(struct plan *plan, char *line)
{
    int count = 0;
    while (plan->settings[count])
        count++;
    if (count < PLAN_SETTINGS)
        plan->settings[count] = line;
    return count < PLAN_SETTINGS;
}

static bool take_line(struct plan *plan, char *line, int *count)
{
    if (is_setting(line))
        return keep_setting(plan, line);
    const int at = (*count)++;
    if (at >= LINES || !strstr(line, lines[at].words))
        return false;
    if (lines[at].step != STEPS)
        plan->commands[lines[at].step] = strdup(line);
    return true;
}

/* Every line begins with "#$ "; what does not is a warning, which nvcc must say itself. */
static bool read_lines(struct plan *plan, char *text)
{
    int count = 0;
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, "#$ ", 3) != 0 || !take_line(plan, line + 3, &count))
            return false;
    return count == LINES;
}

/* ------------------------------------------------------------------------------------------- changing */

__attribute__((format(printf, 1, 2))) static char *print(const char *format, ...)
{
    va_list list;
    char *text = NULL;
    va_start(list, format);
    if (vasprintf(&text, format, list) < 0)
        text = NULL;
    va_end(list);
    return text;
}

/* The path in quotes behind `option`; "": there is none. */
static void find_path(const char *command, const char *option, char *out, size_t size)
{
    const char *at = command ? strstr(command, option) : NULL;
    at = at ? at + strlen(option) : "";
    snprintf(out, size, "%.*s", (int)strcspn(at, "\""), at);
}

/* Puts `to` in the place of `from`. False: it is not there once. */
static bool change(char **command, const char *from, const char *to)
{
    char *at = *command ? strstr(*command, from) : NULL;
    if (!at || strstr(at + 1, from))
        return false;
    char *text = print("%.*s%s%s", (int)(at - *command), *command, to, at + strlen(from));
    free(*command);
    *command = text;
    return text != NULL;
}

static bool write_file(const char *path, const char *text)
{
    FILE *file = *path ? fopen(path, "wx") : NULL;
    if (!file)
        return false;
    const bool is_written = fputs(text, file) >= 0;
    return fclose(file) == 0 && is_written;
}

/* The name that host and device code agree on for what is local to the file: cudafe++ would make one up for cicc, which would
 * have to wait. There is one file in a program here, so that the sums in it can be zeros. */
static bool name_module(struct plan *plan)
{
    char path[4000], source[256];
    char **front = &plan->commands[STEP_HOST_FRONT];
    find_path(*front, "--module_id_file_name \"", path, sizeof path);
    find_path(*front, "--orig_src_file_name \"", source, sizeof source);
    for (char *at = source; *at; at++)
        *at = isalnum((unsigned char)*at) ? *at : '_';
    char *name = print("_00000000_%zu_%s_00000000", strlen(source), source);
    const bool is_done = name && change(front, "--gen_module_id_file ", "") && write_file(path, name);
    free(name);
    return is_done;
}

/* What fatbinary would write as millions of digits for the compiler to read; so the compiler need not wait for them, and the
 * assembler takes the bytes. */
static bool part_fatbin(struct plan *plan)
{
    static const char option[] = "--embedded-fatbin=\"";
    char path[4000], from[4100], to[4100];
    find_path(plan->commands[STEP_FATBIN], option, path, sizeof path);
    snprintf(from, sizeof from, "%s%s\"", option, path);
    snprintf(to, sizeof to, "--create=\"%s.bytes\"", path);
    char *text = print("#include \"fatbinary_section.h\"\n"
                       "asm(\".section .nv_fatbin, \\\"a\\\"\\n.align 8\\nfatbinData:\\n\"\n"
                       "    \".incbin \\\"%s.bytes\\\"\\n.balign 8\\n.text\\n\");\n"
                       "extern \"C\" { extern const unsigned long long fatbinData[1]; }\n"
                       "static const __fatBinC_Wrapper_t __fatDeviceText\n"
                       "    __attribute__((aligned(8), section(\".nvFatBinSegment\"))) =\n"
                       "    {0x466243b1, 1, fatbinData, 0};\n",
                       path);
    const bool is_done = text && change(&plan->commands[STEP_FATBIN], from, to) && write_file(path, text);
    free(text);
    return is_done;
}

/* The compiler stops before the assembler, which a step of its own calls. */
static bool part_host_code(struct plan *plan, const char *folder)
{
    char **compile = &plan->commands[STEP_HOST_CODE], object[4000], from[4100], to[4100];
    find_path(*compile, " -o \"", object, sizeof object);
    snprintf(from, sizeof from, " -o \"%s\"", object);
    snprintf(to, sizeof to, " -o \"%s/host.s\"", folder);
    plan->commands[STEP_OBJECT] =
        print("%.*s -c \"%s/host.s\" -o \"%s\"", (int)strcspn(*compile, " "), *compile, folder, object);
    return *object && plan->commands[STEP_OBJECT] && change(compile, " -c -x c++ ", " -S -x c++ ") &&
           change(compile, from, to);
}

/* ptxas takes several kernels at a time. Each of them has the same code as else; only symbols may stand in another order. So
 * many threads on every machine: the same text gives the same object. */
static bool part_cubin(struct plan *plan)
{
    return change(&plan->commands[STEP_CUBIN], "ptxas ", "ptxas --split-compile=4 ");
}

bool plan_make(struct plan *plan, char **nvcc, const char *folder)
{
    *plan = (struct plan){.dryrun = ask(nvcc, folder)};
    return plan->dryrun && read_lines(plan, plan->dryrun) && name_module(plan) && part_cubin(plan) &&
           part_fatbin(plan) && part_host_code(plan, folder);
}

void plan_free(struct plan *plan)
{
    for (int i = 0; i < STEPS; i++)
        free(plan->commands[i]);
    free(plan->dryrun);
}
