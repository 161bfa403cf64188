// replay.cu - stands for a submission: what host code may do between its caller and its kernels, an entry point each.
// Lines that a note must name end in "note: ENTRY". Results are described in replay.h.
#include <cooperative_groups.h>

#include "replay.h"

static const int count = REPLAY_COUNT, threads = 128, blocks = count / threads;

__global__ void scale(float *out, const float *in, float factor, float offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * factor + offset;
}

void replay_pointers(float *out, const float *in)
{
    scale<<<blocks, threads>>>(out, in, 2, 0);
}

// ---- arguments that hold pointers ----

struct job {
    char tag;
    float *out;
    struct {
        int n;
        const float *in;
    } source;
    double offset;
};

__global__ void work(job j, short factor)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < j.source.n)
        j.out[i] = j.source.in[i] * factor + j.offset;
}

void replay_structs(float *out, const float *in)
{
    work<<<blocks, threads>>>(job{'j', out, {count, in}, 0.5}, 3);
}

void replay_offsets(float *out, const float *in)
{
    cudaMemset(out, 0, count * sizeof *out);
    work<<<blocks, threads>>>(job{'o', out + 100, {count - 100, in + 50}, 0}, 1);
}

// ---- memory of its own ----

void replay_own(float *out, const float *in)
{
    float *first, *second;
    cudaMalloc(&first, count * sizeof *first);
    scale<<<blocks, threads>>>(first, in, 2, 0);
    cudaMalloc(&second, 2 * count * sizeof *second);
    scale<<<blocks, threads>>>(second + count, first, 2, 0);
    cudaFree(first);
    cudaMalloc(&first, count * sizeof *first);
    scale<<<blocks, threads>>>(first, second + count, 1, 1);
    cudaMemcpy(out, first, count * sizeof *out, cudaMemcpyDeviceToDevice);
    cudaFree(first);
    cudaFree(second);
}

struct list {
    float *target;
    const float *source;
    float factor;
    list *next;
};

__global__ void walk(const list *head)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (const list *job = head; job; job = job->next)
        job->target[i] = job->source[i] * job->factor;
}

// A linked list on the device: pointers to given and own memory inside data that the host writes.
void replay_lists(float *out, const float *in)
{
    list *device, host[4];
    cudaMalloc(&device, sizeof host);
    for (int i = 0; i < 4; i++)
        host[i] = list{out + i, in + i, i == 2 ? 10.0f : 1.0f, i < 3 ? device + i + 1 : nullptr};
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    walk<<<blocks / 4, threads>>>(device);
    cudaFree(device);
}

// ---- device variables ----

__device__ float gain[4];
static __device__ float shift[2] = {10, 0};
__constant__ float tone[2];
static __constant__ float base[3] = {0, 200, 0};

__global__ void use_variables(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] * gain[i % 4] + shift[i % 2] + tone[i % 2] + base[i % 3];
}

void replay_variables(float *out, const float *in)
{
    const float gains[] = {1, 2, 3, 4}, eleven = 11, none[2] = {0, 0}, hundred = 100, three_hundred = 300;
    cudaMemcpyToSymbol(gain, gains, sizeof gains);
    cudaMemcpyToSymbol(shift, &eleven, sizeof eleven, sizeof(float));
    cudaMemcpyToSymbol(tone, none, sizeof none);
    cudaMemcpyToSymbol(base, &hundred, sizeof hundred);
    cudaMemcpyToSymbolAsync(base, &three_hundred, sizeof three_hundred, 2 * sizeof(float), cudaMemcpyHostToDevice, 0);
    use_variables<<<blocks, threads>>>(out, in);
}

__constant__ float few[8];
__device__ float more[16];

__global__ void add_copies(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = few[i % 8] + more[i % 16];
}

void replay_variable_copies(float *out, const float *in)
{
    float *own;
    cudaMalloc(&own, sizeof(float) * 16);
    cudaMemcpyToSymbol(few, in, sizeof few, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(more, in, sizeof more, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyFromSymbol(own, more, sizeof more, 0, cudaMemcpyDeviceToDevice);
    cudaMemcpyToSymbol(more, own, sizeof more, 0, cudaMemcpyDeviceToDevice);
    add_copies<<<blocks, threads>>>(out);
    cudaFree(own);
}

__device__ float table[REPLAY_COUNT];

void replay_variable_addresses(float *out, const float *in)
{
    void *address;
    cudaGetSymbolAddress(&address, table);
    scale<<<blocks, threads>>>((float *)address, in, 1, 7);
    scale<<<blocks, threads>>>(out, (float *)address, 1, 0);
}

// ---- memsets and rows ----

void replay_memsets(float *out, const float *in)
{
    scale<<<blocks, threads>>>(out, in, 1, 0);
    cudaMemset2D(out, 64 * sizeof *out, 0, 16 * sizeof *out, 64);
    cudaMemset(out + 4032, 0x3f, 64 * sizeof *out);
}

void replay_rows(float *out, const float *in)
{
    float host[8][32], *own;
    size_t pitch;
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 32; column++)
            host[row][column] = row * 100 + column;
    cudaMallocPitch(&own, &pitch, 24 * sizeof *own, 8);
    cudaMemset(out, 0, count * sizeof *out);
    cudaMemcpy2D(own, pitch, host, sizeof host[0], 24 * sizeof *own, 8, cudaMemcpyHostToDevice);
    cudaMemcpy2D(out, 64 * sizeof *out, own, pitch, 24 * sizeof *own, 8, cudaMemcpyDeviceToDevice);
    cudaMemcpy2D(out + 40, 64 * sizeof *out, in + 40, 64 * sizeof *in, 24 * sizeof *in, 64, cudaMemcpyDeviceToDevice);
    cudaFree(own);
}

// ---- streams, launches of other kinds ----

void replay_streams(float *out, const float *in)
{
    cudaStream_t one, two;
    cudaEvent_t done;
    float *own;
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEventCreate(&done);
    cudaMalloc(&own, count * sizeof *own);
    scale<<<blocks, threads, 0, one>>>(own, in, 2, 0);
    cudaEventRecord(done, one);
    cudaStreamWaitEvent(two, done, 0);
    scale<<<blocks, threads, 0, two>>>(out, own, 1, 3);
    cudaStreamSynchronize(two);
    cudaDeviceSynchronize();
    cudaFree(own);
    cudaEventDestroy(done);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
}

extern __shared__ float tile[];

// 2048 elements at the two ends of 64 KB.
__global__ void mirror(float *out, const float *in)
{
    const int far = 64 * 1024 / sizeof(float) - 1024;
    int i = blockIdx.x * 2048 + threadIdx.x, j = threadIdx.x;
    tile[j] = in[i];
    tile[far + j] = in[i + 1024];
    __syncthreads();
    out[i] = tile[far + 1023 - j];
    out[i + 1024] = tile[1023 - j];
}

void replay_much_shared(float *out, const float *in)
{
    cudaFuncSetAttribute(mirror, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
    mirror<<<count / 2048, 1024, 64 * 1024>>>(out, in);
}

__global__ void exchange(float *out, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
    cooperative_groups::this_grid().sync();
    float other = out[i ^ 2048];
    cooperative_groups::this_grid().sync();
    out[i] = other;
}

void replay_cooperative(float *out, const float *in)
{
    void *arguments[] = {&out, &in};
    cudaLaunchCooperativeKernel((const void *)exchange, blocks, threads, arguments, 0, 0);
}

template <typename T, int plus>
static __global__ void add_constant(T *out, const T *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + plus;
}

void replay_templates(float *out, const float *in)
{
    add_constant<float, 3><<<blocks, threads>>>(out, in);
}

// ---- textures ----

static cudaTextureObject_t texture_of(const cudaResourceDesc &resource)
{
    cudaTextureDesc sampling = {};
    cudaTextureObject_t object = 0;
    sampling.addressMode[0] = sampling.addressMode[1] = cudaAddressModeClamp;
    cudaCreateTextureObject(&object, &resource, &sampling, NULL);
    return object;
}

static cudaTextureObject_t texture_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return texture_of(resource);
}

// Rows of 64, turned: a column becomes a row.
__global__ void turn(float *out, cudaTextureObject_t picture, cudaTextureObject_t row)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float>(picture, 63 - i / 64 + 0.5f, i % 64 + 0.5f) + 2 * tex1D<float>(row, i % 64 + 0.5f);
}

void replay_image(float *out, const float *in)
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaArray_t picture, row;
    cudaMallocArray(&picture, &floats, 64, 64);
    cudaMallocArray(&row, &floats, 64);
    cudaMemcpy2DToArray(picture, 0, 0, in, 64 * sizeof *in, 64 * sizeof *in, 64, cudaMemcpyDeviceToDevice);
    cudaMemcpy2DToArrayAsync(row, 0, 0, in, 64 * sizeof *in, 64 * sizeof *in, 1, cudaMemcpyDeviceToDevice, 0);
    cudaTextureObject_t of_picture = texture_of(picture), of_row = texture_of(row);
    turn<<<blocks, threads>>>(out, of_picture, of_row);
    cudaDestroyTextureObject(of_picture);
    cudaDestroyTextureObject(of_row);
    cudaFreeArray(picture);
    cudaFreeArray(row);
}

__global__ void fetch(float *out, cudaTextureObject_t texture)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex1Dfetch<float>(texture, (i * 3) % REPLAY_COUNT);
}

void replay_linear_texture(float *out, const float *in)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)in;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = count * sizeof *in;
    const cudaTextureObject_t texture = texture_of(resource);
    fetch<<<blocks, threads>>>(out, texture);
    cudaDestroyTextureObject(texture);
}

struct sampler {
    float *out;
    cudaTextureObject_t texture;
    int dx;
};

__global__ void sample(sampler s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s.out[i] = tex2D<float>(s.texture, i % 64 + s.dx + 0.5f, i / 64 + 0.5f);
}

static cudaTextureObject_t rows_of(const float *memory)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = (void *)memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    resource.res.pitch2D.width = resource.res.pitch2D.height = 64;
    resource.res.pitch2D.pitchInBytes = 64 * sizeof *memory;
    return texture_of(resource);
}

// The last column's right neighbour is the border again. The first texture is over memory of its own, and gone.
void replay_pitched_texture(float *out, const float *in)
{
    float *own;
    cudaMalloc(&own, count * sizeof *own);
    cudaTextureObject_t unused = rows_of(own), texture = rows_of(in);
    cudaDestroyTextureObject(unused);
    cudaFree(own);
    sample<<<blocks, threads>>>(sampler{out, texture, 1});
    cudaDestroyTextureObject(texture);
}

// Between host, array, array and memory; half of the rows are the host's.
void replay_image_copies(float *out, const float *in)
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    const size_t row = 64 * sizeof(float);
    float host[32][64];
    cudaArray_t first, second;
    for (int i = 0; i < 32 * 64; i++)
        host[i / 64][i % 64] = i % 64;
    cudaMallocArray(&first, &floats, 64, 64);
    cudaMallocArray(&second, &floats, 80, 70);
    cudaMemcpy2DToArray(first, 0, 0, in, row, row, 64, cudaMemcpyDeviceToDevice);
    cudaMemcpy2DToArray(first, 0, 0, host, row, row, 32, cudaMemcpyHostToDevice);
    cudaMemcpy2DArrayToArray(second, 16 * sizeof(float), 6, first, 0, 0, row, 64, cudaMemcpyDeviceToDevice);
    cudaMemcpy2DFromArray(out, row, second, 16 * sizeof(float), 6, row, 64, cudaMemcpyDeviceToDevice);
    scale<<<blocks, threads>>>(out, out, 1, 0);
    cudaFreeArray(first);
    cudaFreeArray(second);
}

__global__ void fetch_all(const sampler *s)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s->out[i] = tex1Dfetch<float>(s->texture, i ^ s->dx);
}

// A handle in memory that the host writes.
void replay_texture_in_struct(float *out, const float *in)
{
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = (void *)in;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = count * sizeof *in;
    sampler *device, host = {out, texture_of(resource), 1};
    cudaMalloc(&device, sizeof host);
    cudaMemcpy(device, &host, sizeof host, cudaMemcpyHostToDevice);
    fetch_all<<<blocks, threads>>>(device);
    cudaDestroyTextureObject(host.texture);
    cudaFree(device);
}

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // cudaMemcpyToArray and its sisters: students may know them

// A counted copy runs through the rows of an array: 100 elements on, and the rest from the beginning.
void replay_counted_copies(float *out, const float *in)
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    const size_t some = 100 * sizeof(float), all = count * sizeof(float);
    cudaArray_t picture;
    cudaMallocArray(&picture, &floats, 64, 64);
    cudaMemcpyToArray(picture, 0, 0, in + 100, all - some, cudaMemcpyDeviceToDevice);
    cudaMemcpyToArray(picture, 28 * sizeof(float), 62, in, some, cudaMemcpyDeviceToDevice);
    cudaMemcpyFromArray(out, picture, 0, 0, all, cudaMemcpyDeviceToDevice);
    scale<<<blocks, threads>>>(out, out, 1, 0);
    cudaFreeArray(picture);
}

// ---- what can be replayed, with a word about it ----

void replay_reads(float *out, const float *in)
{
    float host[2] = {1, 1};
    scale<<<blocks, threads>>>(out, in, 1, 0);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost); // note: reads
    if (host[0] != 0)
        scale<<<blocks, threads>>>(out, in, 0, 0);
}

void replay_left_behind(float *out, const float *in)
{
    cudaStream_t stream;
    cudaStreamCreate(&stream); // note: left_behind
    scale<<<blocks, threads, 0, stream>>>(out, in, 1, 0);
}

static float *kept;

void replay_kept(float *out, const float *in)
{
    cudaMalloc(&kept, count * sizeof *kept);
    scale<<<blocks, threads>>>(kept, in, 2, 2);
    scale<<<blocks, threads>>>(out, kept, 0.5, 0);
}

void replay_kept_again(float *out, const float *in)
{
    scale<<<blocks, threads>>>(kept, in, 1, 1); // note: kept_again
    scale<<<blocks, threads>>>(out, kept, 1, 0);
}

void replay_refused_launch(float *out, const float *in)
{
    scale<<<blocks, threads>>>(out, in, 1, 0);
    scale<<<1, 2048>>>(out, in, 0, 0); // note: refused_launch
}

void replay_refused_copy(float *out, const float *in)
{
    scale<<<blocks, threads>>>(out, in, 1, 0);
    cudaMemcpy(out, in, 5 * count * sizeof *out, cudaMemcpyDeviceToDevice); // note: refused_copy
}

// Scratch memory of another kind: kernels, a memset and a copy alone use it.
void replay_managed(float *out, const float *in)
{
    float *memory;
    cudaMallocManaged(&memory, count * sizeof *memory);
    cudaMemset(memory, 255, count * sizeof *memory);
    scale<<<blocks, threads>>>(memory, in, 3, 0);
    cudaMemcpy(out, memory, count * sizeof *memory, cudaMemcpyDefault);
    cudaFree(memory);
}

// The same work, with a host that waits after each launch and without.
void replay_not_waited_for(float *out, const float *in)
{
    scale<<<blocks, threads>>>(out, in, 2, 0);
    scale<<<blocks, threads>>>(out, out, 2, 0);
    scale<<<blocks, threads>>>(out, out, 1, 1);
}

void replay_waited_for(float *out, const float *in)
{
    cudaEvent_t begin, end;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    cudaEventRecord(begin);
    scale<<<blocks, threads>>>(out, in, 2, 0);
    cudaDeviceSynchronize();
    scale<<<blocks, threads>>>(out, out, 2, 0);
    cudaStreamSynchronize(0);
    scale<<<blocks, threads>>>(out, out, 1, 1);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    cudaDeviceSynchronize();
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
}

// ---- what cannot be replayed ----

void replay_written_by_host(float *out, const float *in)
{
    float *memory;
    cudaMallocManaged(&memory, count * sizeof *memory); // note: written_by_host
    memory[5] = 1;
    scale<<<blocks, threads>>>(out, in, 1, 0);
    cudaFree(memory);
}

void replay_pinned(float *out, const float *in)
{
    float *memory;
    (void)in;
    cudaMallocHost(&memory, count * sizeof *memory);
    scale<<<blocks, threads>>>(out, memory, 1, 0); // note: pinned
    cudaDeviceSynchronize();
    cudaFreeHost(memory);
}

static void nothing(void *)
{
}

void replay_host_function(float *out, const float *in)
{
    scale<<<blocks, threads>>>(out, in, 1, 0);
    cudaLaunchHostFunc(0, nothing, NULL); // note: host_function
}

void replay_graph(float *out, const float *in)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t ready;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(out, 0, count * sizeof *out, stream);
    cudaMemcpyAsync(out, in, count / 2 * sizeof *out, cudaMemcpyDeviceToDevice, stream);
    scale<<<blocks, threads, 0, stream>>>(out, out, 2, 1);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

void replay_layers(float *out, const float *in)
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaArray_t layers;
    cudaMalloc3DArray(&layers, &floats, make_cudaExtent(32, 32, 4), cudaArrayLayered); // note: layers
    scale<<<blocks, threads>>>(out, in, 1, 0);
    cudaFreeArray(layers);
}

void replay_surface(float *out, const float *in)
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaArray_t written;
    cudaMallocArray(&written, &floats, 32, 32, cudaArraySurfaceLoadStore); // note: surface
    scale<<<blocks, threads>>>(out, in, 1, 0);
    cudaFreeArray(written);
}

void replay_half_elements(float *out, const float *in)
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaArray_t picture;
    cudaMallocArray(&picture, &floats, 63, 63);
    cudaMemcpy2DToArray(picture, 0, 0, in, 256, 63, 63, cudaMemcpyDeviceToDevice); // note: half_elements
    scale<<<blocks, threads>>>(out, in, 1, 0);
    cudaFreeArray(picture);
}

void replay_view(float *out, const float *in)
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc sampling = {};
    cudaResourceViewDesc view = {};
    cudaTextureObject_t object;
    cudaMallocArray(&resource.res.array.array, &floats, 64, 64);
    view.format = cudaResViewFormatUnsignedInt1;
    view.width = view.height = 64;
    cudaCreateTextureObject(&object, &resource, &sampling, &view); // note: view
    scale<<<blocks, threads>>>(out, in, 1, 0);
    cudaDestroyTextureObject(object);
    cudaFreeArray(resource.res.array.array);
}

static cudaTextureObject_t last_one;

void replay_destroyed_texture(float *out, const float *in)
{
    last_one = rows_of(in);
    sample<<<blocks, threads>>>(sampler{out, last_one, 1});
    cudaDestroyTextureObject(last_one);
    sample<<<blocks, threads>>>(sampler{out, last_one, 1}); // note: destroyed_texture
    last_one = rows_of(in);
}

void replay_kept_texture(float *out, const float *in)
{
    (void)in;
    sample<<<blocks, threads>>>(sampler{out, last_one, 1}); // note: kept_texture
}

void replay_frees_given(float *out, const float *in)
{
    scale<<<blocks, threads>>>(out, in, 1, 0);
    cudaFree(out); // note: frees_given
}

void replay_freed_pointer(float *out, const float *in)
{
    float *memory;
    cudaMalloc(&memory, count * sizeof *memory);
    scale<<<blocks, threads>>>(memory, in, 1, 0);
    cudaFree(memory);
    scale<<<blocks, threads>>>(out, memory, 1, 0); // note: freed_pointer
}

// ---- arrays on the host ----

void replay_round_trip(float *out, const float *in)
{
    float *from, *to;
    cudaMalloc(&from, count * sizeof *from);
    cudaMalloc(&to, count * sizeof *to);
    cudaMemcpy(from, in, count * sizeof *from, cudaMemcpyHostToDevice);
    scale<<<blocks, threads>>>(to, from, 2, 1);
    cudaMemcpy(out, to, count * sizeof *to, cudaMemcpyDeviceToHost);
    cudaFree(to);
    cudaFree(from);
}

__global__ void double_even(float *both)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 0)
        both[i] *= 2;
}

// Even elements are four times what they should be by now.
__global__ void scale_odd(float *both)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 0)
        both[i] /= 4;
}

// Two halves, on a stream each, with the direction left to the runtime.
void replay_asynchronous(float *out, const float *in)
{
    const int half = count / 2;
    cudaStream_t streams[2];
    float *both;
    cudaMalloc(&both, count * sizeof *both);
    for (int i = 0; i < 2; i++) {
        float *part = both + i * half;
        cudaStreamCreate(&streams[i]);
        cudaMemcpyAsync(part, in + i * half, half * sizeof *part, cudaMemcpyDefault, streams[i]);
        double_even<<<blocks / 2, threads, 0, streams[i]>>>(part);
        cudaMemcpyAsync(out + i * half, part, half * sizeof *part, cudaMemcpyDefault, streams[i]);
    }
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(streams[i]);
    cudaFree(both);
}

// Streams that do not wait for the default one, in pinned memory, in order by events alone.
void replay_pinned_arrays(float *out, const float *in)
{
    cudaStream_t one, two;
    cudaEvent_t there, done;
    float *from, *to;
    cudaHostRegister((void *)in, count * sizeof *in, cudaHostRegisterDefault);
    cudaHostRegister(out, count * sizeof *out, cudaHostRegisterDefault);
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaEventCreate(&there);
    cudaEventCreate(&done);
    cudaMalloc(&from, count * sizeof *from);
    cudaMalloc(&to, count * sizeof *to);
    cudaMemcpyAsync(from, in, count * sizeof *from, cudaMemcpyHostToDevice, one);
    cudaEventRecord(there, one);
    cudaStreamWaitEvent(two, there, 0);
    scale<<<blocks, threads, 0, two>>>(to, from, 2, 5);
    cudaMemcpyAsync(out, to, count * sizeof *out, cudaMemcpyDeviceToHost, two);
    cudaEventRecord(done, two);
    cudaEventSynchronize(done);
    cudaHostUnregister((void *)in);
    cudaHostUnregister(out);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaEventDestroy(there);
    cudaEventDestroy(done);
    cudaFree(from);
    cudaFree(to);
}

// The host doubles what a kernel has left, and again, in halves.
void replay_steps_of_the_host(float *out, const float *in)
{
    float *own;
    cudaMalloc(&own, count * sizeof *own);
    cudaMemcpy(own, in, count * sizeof *own, cudaMemcpyHostToDevice);
    scale<<<blocks, threads>>>(own, own, 2, 0);
    cudaMemcpy(out, own, count * sizeof *out, cudaMemcpyDeviceToHost);
    replay_step(out, out, count);
    replay_step(out + count / 2, out + count / 2, count / 2);
    replay_step(out, out, count / 2);
    cudaMemcpy(own, out, count * sizeof *own, cudaMemcpyHostToDevice);
    scale<<<blocks, threads>>>(own, own, 1, 1);
    cudaMemcpy(out, own, count * sizeof *out, cudaMemcpyDeviceToHost);
    cudaFree(own);
}

void replay_step_elsewhere(float *out, const float *in)
{
    static float mine[REPLAY_COUNT];
    (void)out;
    replay_step(mine, in, count); // note: step_elsewhere
}

// A fork and a join are captured; the second graph is made of the same capture.
void replay_graph_of_copies(float *out, const float *in)
{
    const int half = count / 2;
    cudaStream_t one, two;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t ready, again;
    float *own;
    cudaMalloc(&own, count * sizeof *own);
    cudaStreamCreate(&one);
    cudaStreamCreate(&two);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaMemcpy(own, in, count * sizeof *own, cudaMemcpyHostToDevice);
    cudaStreamBeginCapture(one, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, one);
    cudaStreamWaitEvent(two, fork, 0);
    double_even<<<blocks / 2, threads, 0, one>>>(own);
    scale<<<blocks / 2, threads, 0, one>>>(own, own, 1, 0);
    double_even<<<blocks / 2, threads, 0, two>>>(own + half);
    cudaEventRecord(join, two);
    cudaStreamWaitEvent(one, join, 0);
    cudaMemcpyAsync(out, own, count * sizeof *own, cudaMemcpyDeviceToHost, one);
    cudaStreamEndCapture(one, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphInstantiate(&again, graph, 0);
    cudaMemcpy(own, in, count * sizeof *own, cudaMemcpyHostToDevice);
    cudaGraphLaunch(ready, one);
    cudaGraphLaunch(again, one);
    scale<<<blocks, threads, 0, one>>>(own, own, 6, 0);
    scale_odd<<<blocks, threads, 0, one>>>(own);
    cudaMemcpyAsync(out, own, count * sizeof *own, cudaMemcpyDeviceToHost, one);
    cudaStreamSynchronize(one);
    cudaGraphExecDestroy(ready);
    cudaGraphExecDestroy(again);
    cudaGraphDestroy(graph);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaFree(own);
}

// Two branches of a graph that nobody captured: x + 1 and 2 * x are added by a third node, four elements become 0.
__global__ void add(float *out, const float *a, const float *b)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = a[i] + b[i];
}

void replay_graph_by_hand(float *out, const float *in)
{
    cudaGraph_t graph;
    cudaGraphNode_t branches[2], joined, cleared;
    cudaGraphExec_t ready;
    float *own, *other, factors[] = {1, 2}, summands[] = {1, 0};
    cudaMalloc(&own, 2 * count * sizeof *own);
    other = own + count;
    cudaGraphCreate(&graph, 0);
    for (int i = 0; i < 2; i++) {
        float **to = i ? &other : &own;
        void *arguments[] = {to, &in, &factors[i], &summands[i]};
        cudaKernelNodeParams kernel = {};
        kernel.func = (void *)scale;
        kernel.gridDim = dim3(blocks);
        kernel.blockDim = dim3(threads);
        kernel.kernelParams = arguments;
        cudaGraphAddKernelNode(&branches[i], graph, NULL, 0, &kernel);
    }
    void *arguments[] = {&out, &own, &other};
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)add;
    kernel.gridDim = dim3(blocks);
    kernel.blockDim = dim3(threads);
    kernel.kernelParams = arguments;
    cudaGraphAddKernelNode(&joined, graph, branches, 2, &kernel);
    cudaMemsetParams set = {};
    set.dst = out;
    set.elementSize = 4;
    set.width = 4;
    set.height = 1;
    cudaGraphAddMemsetNode(&cleared, graph, &joined, 1, &set);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, 0);
    cudaGraphLaunch(ready, 0);
    cudaDeviceSynchronize();
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaFree(own);
}

// Captured, then changed before it is made ready.
void replay_graph_with_a_change(float *out, const float *in)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphNode_t nodes[2];
    cudaGraphExec_t ready;
    cudaMemsetParams set = {};
    size_t two = 2;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    scale<<<blocks, threads, 0, stream>>>(out, in, 1, 0);
    cudaMemsetAsync(out, 0, 4, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphGetNodes(graph, nodes, &two);
    cudaGraphMemsetNodeGetParams(nodes[1], &set);
    set.width = 32;
    cudaGraphMemsetNodeSetParams(nodes[1], &set);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    cudaGraphExecDestroy(ready);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

void replay_graph_with_memory(float *out, const float *in)
{
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t ready;
    cudaMemAllocNodeParams params = {};
    scale<<<blocks, threads>>>(out, in, 1, 0);
    params.poolProps.allocType = cudaMemAllocationTypePinned;
    params.poolProps.location.type = cudaMemLocationTypeDevice;
    params.bytesize = 16;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &params);
    cudaGraphInstantiate(&ready, graph, 0); // note: graph_with_memory
    cudaGraphLaunch(ready, 0);
}

void replay_changed_graph(float *out, const float *in)
{
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t ready;
    cudaMemsetParams set = {};
    size_t one = 1;
    scale<<<blocks, threads>>>(out, in, 1, 0);
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(out, 0, 4, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphGetNodes(graph, &node, &one);
    cudaGraphMemsetNodeGetParams(node, &set);
    set.width = 8;
    cudaGraphExecMemsetNodeSetParams(ready, node, &set); // note: changed_graph
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
}

// 40 of 64 columns and 32 of 64 rows, through packed memory; the output's other elements come from a copy of -1.
void replay_rows_of_host(float *out, const float *in)
{
    static float minus[REPLAY_COUNT];
    const size_t row = 64 * sizeof(float), width = 40 * sizeof(float);
    float *packed, *whole;
    for (int i = 0; i < count; i++)
        minus[i] = -1;
    cudaMalloc(&packed, 32 * width);
    cudaMalloc(&whole, count * sizeof *whole);
    cudaMemcpy(whole, minus, sizeof minus, cudaMemcpyHostToDevice);
    cudaMemcpy(out, whole, sizeof minus, cudaMemcpyDeviceToHost);
    cudaMemcpy2D(packed, width, in + 24, row, width, 32, cudaMemcpyHostToDevice);
    scale<<<10, threads>>>(packed, packed, 3, 0);
    cudaMemcpy2D(out, row, packed, width, width, 32, cudaMemcpyDeviceToHost);
    cudaFree(packed);
    cudaFree(whole);
}

__global__ void turn_around(float *out, cudaTextureObject_t picture)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = tex2D<float>(picture, 63 - i % 64 + 0.5f, 63 - i / 64 + 0.5f);
}

void replay_image_of_host(float *out, const float *in)
{
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    const size_t row = 64 * sizeof(float);
    cudaArray_t picture;
    float *own;
    cudaMalloc(&own, count * sizeof *own);
    cudaMallocArray(&picture, &floats, 64, 64);
    cudaMemcpy2DToArray(picture, 0, 0, in, row, row, 64, cudaMemcpyHostToDevice);
    cudaTextureObject_t texture = texture_of(picture);
    turn_around<<<blocks, threads>>>(own, texture);
    cudaMemcpy(out, own, count * sizeof *own, cudaMemcpyDeviceToHost);
    cudaDestroyTextureObject(texture);
    cudaFreeArray(picture);
    cudaFree(own);
}

void replay_host_pointer(float *out, const float *in)
{
    float *to;
    cudaMalloc(&to, count * sizeof *to);
    scale<<<blocks, threads>>>(to, in, 1, 0); // note: host_pointer
    cudaMemcpy(out, to, count * sizeof *to, cudaMemcpyDeviceToHost);
    cudaFree(to);
}

void replay_mapped(float *out, const float *in)
{
    float *to, *from;
    cudaHostRegister(out, count * sizeof *out, cudaHostRegisterMapped);
    cudaHostRegister((void *)in, count * sizeof *in, cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&to, out, 0);
    cudaHostGetDevicePointer(&from, (void *)in, 0);
    scale<<<blocks, threads>>>(to, from, 1, 0); // note: mapped
    cudaDeviceSynchronize();
    cudaHostUnregister(out);
    cudaHostUnregister((void *)in);
}

void replay_past_the_end(float *out, const float *in)
{
    float *to;
    cudaMalloc(&to, count * sizeof *to);
    cudaMemcpy(to, in + 100, count * sizeof *to, cudaMemcpyHostToDevice); // note: past_the_end
    scale<<<blocks, threads>>>(to, to, 1, 0);
    cudaMemcpy(out, to, count * sizeof *to, cudaMemcpyDeviceToHost);
    cudaFree(to);
}
