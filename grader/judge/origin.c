/* origin.c - whose work a kernel is: a student's, or that of the toolkit's libraries.
 * Asks where the lines of its code come from. A header's lines keep its path, whatever namespace it was included in, under whatever
 * name its kernels are launched, whatever #line says in the submission: that renames the submission's own lines only. What a library
 * has for the inside of kernels (cub/block, cub/warp, cooperative_groups) is no whole algorithm, and counts as the student's. */
#include <stdlib.h>
#include <string.h>

#include "grader/judge/judge.h"
#include "vgpu/vgpu.h"

/* "a/./b//c/../d" becomes "a/b/d": a program may spell the path of what it includes as it likes. */
static void normalise(const char *path, char *out, size_t size)
{
    size_t length = 0;
    for (const char *at = path; *at;) {
        const size_t part = strcspn(at, "/");
        if (part == 2 && !memcmp(at, "..", 2)) {
            while (length && out[--length] != '/')
                ;
        } else if (part && !(part == 1 && *at == '.') && length + part + 2 < size) {
            out[length++] = '/';
            memcpy(out + length, at, part);
            length += part;
        }
        at += part + (at[part] == '/');
    }
    out[length] = '\0';
}

const char *judge_library_header(const char *path)
{
    /* The first that fits decides. */
    static const struct {
        const char *part;
        bool is_whole; /* it belongs to algorithms for a whole device */
    } rows[] = {
        {"/thrust/system/cuda/detail/get_value.h", false}, /* device_ptr, device_reference: an access */
        {"/thrust/system/cuda/detail/assign_value.h", false},
        {"/thrust/system/cuda/detail/iter_swap.h", false},
        {"/thrust/system/cuda/", true},
        {"/cub/agent/", true},
        {"/cub/device/", true},
    };
    static _Thread_local char normal[1024];
    normalise(path, normal, sizeof normal);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *found = strstr(normal, rows[i].part);
        if (found)
            return rows[i].is_whole ? found + 1 : NULL;
    }
    return NULL;
}

static bool is_library(const char *path)
{
    return judge_library_header(path) != NULL;
}

void judge_find_libraries(struct judge_code *code)
{
    struct vgpu_code *device = vgpu_code_read(code->fatbin, code->bytes);
    code->libraries = calloc(code->trace->nnames + 1, sizeof *code->libraries);
    for (uint32_t i = 0; device && code->libraries && i < code->trace->nnames; i++) {
        const char *file = vgpu_code_file(device, code->trace->names[i], is_library);
        code->libraries[i] = file ? strdup(judge_library_header(file)) : NULL;
    }
    vgpu_code_free(device);
}
