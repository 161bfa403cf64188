/* unsupported.c - calls of the runtime API that the virtual GPU cannot serve.
 * Each says so once per call on stderr and returns cudaErrorNotSupported: none pretends.
 * The list is unsupported.def. */
#include "runtime/runtime.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

#define UNSUPPORTED(name, parameters, why)                                                                   \
    cudaError_t name parameters                                                                              \
    {                                                                                                        \
        cudaError_t error = runtime_begin();                                                                 \
        return error ? error : runtime_unsupported(#name, why);                                              \
    }
#include "runtime/unsupported.def"
#undef UNSUPPORTED
