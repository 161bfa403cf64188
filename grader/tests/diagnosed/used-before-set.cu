// says: `device` has no value yet in this line
// shows: CHECK(cudaMemset(device, 0, 4));
#include <cuda_runtime.h>
#define CHECK(call) (void)(call)

void fill()
{
    float *device;
    CHECK(cudaMemset(device, 0, 4));
}
