/* tools.c - see tools.h. What the environment names (NVCC, CUDA_HOME, CXX, MAKE) goes before PATH; a choice that is broken is
 * told, not passed over. */
#define _GNU_SOURCE
#include "grader/tools.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat status;
    return *path == '/' && stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool tools_on_path(const char *name, char *out, size_t size)
{
    const char *at = getenv("PATH");
    for (at = at ? at : ""; *at;) {
        int length = (int)strcspn(at, ":");
        snprintf(out, size, "%.*s/%s", length, at, name);
        if (is_program(out))
            return true;
        at += length + (at[length] == ':');
    }
    return false;
}

/* What a variable of the environment names: a path, or a program's name. */
static bool find_named(const char *variable, const char *below, char *out, size_t size)
{
    const char *value = getenv(variable);
    if (!value || !*value)
        return false;
    if (!strchr(value, '/'))
        return tools_on_path(value, out, size);
    snprintf(out, size, "%s%s", value, below);
    return is_program(out);
}

bool tools_find_make(char *out, size_t size)
{
    return find_named("MAKE", "", out, size) || tools_on_path("make", out, size) ||
           tools_on_path("gmake", out, size);
}

bool tools_find_cxx(char *out, size_t size)
{
    return find_named("CXX", "", out, size) || tools_on_path("g++", out, size) ||
           tools_on_path("c++", out, size);
}

bool tools_find_nvcc(char *out, size_t size, char *error, size_t error_size)
{
    static const struct {
        const char *variable, *below;
        bool is_a_choice;
    } places[] = {{"NVCC", "", true}, {"CUDA_HOME", "/bin/nvcc", true}, {"CUDA_PATH", "/bin/nvcc", false}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        const char *value = getenv(places[i].variable);
        if (!places[i].is_a_choice || !value || !*value ||
            find_named(places[i].variable, places[i].below, out, size))
            continue;
        snprintf(error, error_size, "%s is set to %.400s, but there is no nvcc.", places[i].variable, value);
        return false;
    }
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (find_named(places[i].variable, places[i].below, out, size))
            return true;
    }
    if (tools_on_path("nvcc", out, size))
        return true;
    snprintf(out, size, "/usr/local/cuda/bin/nvcc");
    if (is_program(out))
        return true;
    snprintf(error, error_size,
             "There is no nvcc: install the CUDA Toolkit 13.0, or say where it is with "
             "CUDA_HOME=/path/to/cuda.");
    return false;
}

void tools_find_root(const char *tool, char *out, size_t size)
{
    char real[PATH_MAX];
    snprintf(out, size, "%.2500s", realpath(tool, real) ? real : tool);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(out, '/');
        if (slash && slash != out)
            *slash = '\0';
    }
}

bool tools_find(struct toolchain *tools, char *error, size_t size)
{
    static const char advice[] = " `./grade doctor` looks at all that is needed.";
    bool is_found = tools_find_nvcc(tools->nvcc, sizeof tools->nvcc, error, size);
    if (is_found && !tools_find_cxx(tools->cxx, sizeof tools->cxx)) {
        snprintf(error, size, "There is no C++ compiler (g++), which nvcc needs.");
        is_found = false;
    }
    if (!is_found) {
        snprintf(error + strlen(error), size - strlen(error), "%s", advice);
        return false;
    }
    tools_find_root(tools->nvcc, tools->root, sizeof tools->root);
    tools_find_root(tools->cxx, tools->cxx_root, sizeof tools->cxx_root);
    return true;
}
