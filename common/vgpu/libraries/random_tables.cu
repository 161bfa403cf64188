/* random_tables.cu - the tables that quasirandom numbers are made from: direction vectors and scramble constants.
 * They are the toolkit's data, megabytes of it, so its own libcurand is opened when a program asks for them: on the host, no GPU
 * has a part in it. The numbers themselves are made by the program's kernels, with curand_kernel.h. */
#include <curand.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "vgpu.h"

#define RAND_API extern "C" curandStatus_t
#define TEXT_OF(number) #number
#define NAME_OF(major) "libcurand.so." TEXT_OF(major)

static void *open_in(const char *folder)
{
    char path[4096];
    if (!folder || snprintf(path, sizeof path, "%s/lib64/%s", folder, NAME_OF(CURAND_VER_MAJOR)) >= (int)sizeof path)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

/* Of the toolkit that the environment names, that the kit was built with, or that the system knows. */
static void *find_library(void)
{
    static void *library;
    if (!library)
        library = open_in(getenv("CUDA_HOME"));
    if (!library)
        library = open_in(VGPU_TOOLKIT);
    if (!library)
        library = dlopen(NAME_OF(CURAND_VER_MAJOR), RTLD_NOW | RTLD_LOCAL);
    return library;
}

/* The toolkit's function of the same name. */
template <class F> static F *toolkits(const char *name)
{
    void *library = find_library();
    F *function = library ? (F *)dlsym(library, name) : NULL;
    if (!function)
        vgpu_unsupported(name, "the table lies in the toolkit's " NAME_OF(CURAND_VER_MAJOR) ", which was not found");
    return function;
}

/* Each gives what the toolkit's function of that name gives. */
#define TABLE(name, parameters, arguments)                                                                   \
    RAND_API name parameters                                                                                 \
    {                                                                                                        \
        curandStatus_t(*function) parameters = toolkits<curandStatus_t parameters>(#name);                   \
        return function ? function arguments : CURAND_STATUS_INITIALIZATION_FAILED;                          \
    }
TABLE(curandGetDirectionVectors32, (curandDirectionVectors32_t * vectors[], curandDirectionVectorSet_t set), (vectors, set))
TABLE(curandGetDirectionVectors64, (curandDirectionVectors64_t * vectors[], curandDirectionVectorSet_t set), (vectors, set))
TABLE(curandGetScrambleConstants32, (unsigned **constants), (constants))
TABLE(curandGetScrambleConstants64, (unsigned long long **constants), (constants))
