// attack: at the timed size only half of the rounds are launched
// principle: sizes
// at most: 0
#include "lab8.h"
#include "work.h"

__global__ void mix(unsigned *to, const unsigned *from, int distance, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = mixed(from[max(i - distance, 0)], from[i], from[min(i + distance, count - 1)]);
}

void run_graph(unsigned *out, const unsigned *in, unsigned *other, int count, int rounds)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    for (int level = 0; level < LEVELS; level++)
        mix<<<(count + 255) / 256, 256, 0, stream>>>(level % 2 ? out : other, level % 2 ? other : out, 1 << level, count);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaMemcpyAsync(out, in, count * sizeof(unsigned), cudaMemcpyDeviceToDevice, stream);
    for (int round = 0; round < (rounds == 50 ? 25 : rounds); round++)
        cudaGraphLaunch(exec, stream);
    cudaStreamSynchronize(stream);
}
