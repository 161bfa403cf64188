/* linear_algebra.cu - inverse by Gauss and Jordan in double precision, sparse matrix times vector, conjugate gradients. */
#include "../kit.cuh"

enum { N = 40, ROWS = 400 };

/* One block holds [A | I] in dynamic shared memory and turns it into [I | A^-1]. */
__global__ void invert(double *out, const double *in)
{
    extern __shared__ double m[];
    __shared__ int pivot_row;
    for (int i = threadIdx.x; i < N * 2 * N; i += blockDim.x) {
        int r = i / (2 * N), c = i % (2 * N);
        m[i] = c < N ? in[r * N + c] : (c - N == r ? 1.0 : 0.0);
    }
    __syncthreads();
    for (int k = 0; k < N; k++) {
        if (threadIdx.x == 0) {
            pivot_row = k;
            for (int r = k + 1; r < N; r++)
                if (fabs(m[r * 2 * N + k]) > fabs(m[pivot_row * 2 * N + k]))
                    pivot_row = r;
        }
        __syncthreads();
        double scale = 1.0 / m[pivot_row * 2 * N + k];
        __syncthreads();
        for (int c = threadIdx.x; c < 2 * N; c += blockDim.x) {
            double lifted = m[pivot_row * 2 * N + c] * scale;
            m[pivot_row * 2 * N + c] = m[k * 2 * N + c];
            m[k * 2 * N + c] = lifted;
        }
        __syncthreads();
        for (int r = threadIdx.y; r < N; r += blockDim.y) {
            double factor = m[r * 2 * N + k];
            __syncwarp();
            for (int c = k + threadIdx.x; r != k && c < 2 * N; c += blockDim.x)
                m[r * 2 * N + c] -= factor * m[k * 2 * N + c];
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < N * N; i += blockDim.x)
        out[i] = m[i / N * 2 * N + N + i % N];
}

static void test_inverse(void)
{
    std::vector<double> a(N * N);
    std::vector<float> noise = random_floats(N * N, 1);
    for (int i = 0; i < N * N; i++)
        a[i] = noise[i];
    double *out = device_new<double>(N * N);
    invert<<<1, dim3(32, 1), N * 2 * N * sizeof(double)>>>(out, to_device(a));
    CHECK_LAUNCH();
    std::vector<double> inverse = from_device(out, N * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i * N + k] * inverse[k * N + j];
            EXPECT_NEAR(i == j ? 1.0 : 0.0, sum, 1e-9);
        }
}

/* y = A x, a warp per row; A has 4 on its diagonal and -1 beside it. */
__global__ void multiply(double *y, const double *x, const int *start, const int *column, const double *value)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    double sum = 0;
    for (int e = start[row] + threadIdx.x; e < start[row + 1]; e += 32)
        sum += value[e] * x[column[e]];
    for (int d = 16; d > 0; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x == 0)
        y[row] = sum;
}

__global__ void dot(double *out, const double *a, const double *b)
{
    __shared__ double part[128];
    double sum = 0;
    for (int i = threadIdx.x; i < ROWS; i += 128)
        sum += a[i] * b[i];
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 64; s > 0; s /= 2) {
        if (threadIdx.x < s)
            part[threadIdx.x] += part[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *out = part[0];
}

__global__ void combine(double *out, const double *a, double factor, const double *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < ROWS)
        out[i] = a[i] + factor * b[i];
}

static double dot_product(const double *a, const double *b)
{
    static double *result = device_new<double>(1);
    dot<<<1, 128>>>(result, a, b);
    return from_device(result, 1)[0];
}

static void test_conjugate_gradients(void)
{
    std::vector<int> start(1, 0), column;
    std::vector<double> value, right(ROWS, 1.0), zero(ROWS, 0.0);
    for (int r = 0; r < ROWS; r++) {
        for (int c = r - 1; c <= r + 1; c++)
            if (c >= 0 && c < ROWS) {
                column.push_back(c);
                value.push_back(c == r ? 4.0 : -1.0);
            }
        start.push_back(column.size());
    }
    int *s = to_device(start), *c = to_device(column);
    double *v = to_device(value), *x = to_device(zero), *r = to_device(right), *p = to_device(right), *q = to_device(zero);
    double rr = dot_product(r, r);
    for (int round = 0; round < 60 && rr > 1e-24; round++) {
        multiply<<<ROWS / 4, dim3(32, 4)>>>(q, p, s, c, v);
        double alpha = rr / dot_product(p, q);
        combine<<<divide_up(ROWS, 128), 128>>>(x, x, alpha, p);
        combine<<<divide_up(ROWS, 128), 128>>>(r, r, -alpha, q);
        double next = dot_product(r, r);
        combine<<<divide_up(ROWS, 128), 128>>>(p, r, next / rr, p);
        rr = next;
    }
    std::vector<double> got = from_device(x, ROWS);
    for (int i = 0; i < ROWS; i++)
        EXPECT_NEAR(1.0, 4 * got[i] - (i ? got[i - 1] : 0) - (i + 1 < ROWS ? got[i + 1] : 0), 1e-10);
}

int main(void)
{
    test_inverse();
    test_conjugate_gradients();
    return finish();
}
