/* nbody.cu - all-pairs gravitation, positions staged in shared memory as float4, several steps.
 * Compared with double precision on the host; rsqrtf is approximate, hence the tolerance. */
#include "../kit.cuh"

enum { N = 256, TILE = 64, STEPS = 3 };

__global__ void accelerate(float4 *out, float4 *velocity, const float4 *bodies, float dt)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float3 a = {0, 0, 0};
    for (int first = 0; first < N; first += TILE) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < TILE; k++) {
            float4 other = tile[k];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f), s = other.w * r * r * r;
            a.x += dx * s;
            a.y += dy * s;
            a.z += dz * s;
        }
        __syncthreads();
    }
    float4 v = velocity[i];
    v.x += a.x * dt;
    v.y += a.y * dt;
    v.z += a.z * dt;
    velocity[i] = v;
    out[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

struct body {
    double x[3], v[3], m;
};

static void step_on_host(std::vector<struct body> &bodies, double dt)
{
    std::vector<struct body> old = bodies;
    for (struct body &me : bodies) {
        double a[3] = {0, 0, 0};
        for (const struct body &other : old) {
            double d[3], r2 = 0.01;
            for (int k = 0; k < 3; k++) {
                d[k] = other.x[k] - me.x[k];
                r2 += d[k] * d[k];
            }
            for (int k = 0; k < 3; k++)
                a[k] += d[k] * other.m / (r2 * sqrt(r2));
        }
        for (int k = 0; k < 3; k++)
            me.v[k] += a[k] * dt;
    }
    for (struct body &me : bodies)
        for (int k = 0; k < 3; k++)
            me.x[k] += me.v[k] * dt;
}

int main(void)
{
    std::vector<float> numbers = random_floats(4 * N, 2);
    std::vector<float4> start(N), still(N, make_float4(0, 0, 0, 0));
    std::vector<struct body> want(N);
    for (int i = 0; i < N; i++) {
        start[i] = make_float4(numbers[4 * i], numbers[4 * i + 1], numbers[4 * i + 2], fabsf(numbers[4 * i + 3]) / N);
        want[i] = {{start[i].x, start[i].y, start[i].z}, {0, 0, 0}, start[i].w};
    }
    float4 *a = to_device(start), *b = device_new<float4>(N), *velocity = to_device(still);
    for (int step = 0; step < STEPS; step++) {
        accelerate<<<N / TILE, TILE>>>(b, velocity, a, 0.05f);
        std::swap(a, b);
        step_on_host(want, 0.05);
    }
    CHECK_LAUNCH();
    std::vector<float4> got = from_device(a, N);
    for (int i = 0; i < N; i++) {
        EXPECT_NEAR(want[i].x[0], got[i].x, 1e-5);
        EXPECT_NEAR(want[i].x[1], got[i].y, 1e-5);
        EXPECT_NEAR(want[i].x[2], got[i].z, 1e-5);
    }
    return finish();
}
