/* host_clock.cu - what the host's clocks say around a kernel. The program calls itself: with VGPU_CLOCK=virtual they show the
 * GPU's time and the program's own; without it, one line at the end says what they show. A GPU needs no such line. */
#include "../kit.cuh"

#include <chrono>
#include <cstring>
#include <ctime>
#include <string>
#include <sys/time.h>

/* Defined where the virtual GPU is linked. */
extern "C" void vgpu_load(void) __attribute__((weak));

/* Long for whoever emulates it, short on a GPU. */
__global__ void work(float *out)
{
    float x = threadIdx.x;
    for (int i = 0; i < 2000; i++)
        x = x * 0.999f + 0.5f;
    out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

static double by_chrono(void)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

static double by_gettime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec * 1e-9;
}

static double by_day(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return now.tv_sec + now.tv_usec * 1e-6;
}

static double by_clock(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static void launch(float *device)
{
    work<<<256, 256>>>(device);
    CHECK_LAUNCH();
}

/* Prints what every clock says of one launch, in us, after what events say. */
static int time_kernel(void)
{
    double (*const clocks[])(void) = {by_chrono, by_gettime, by_day, by_clock};
    float *device, ms;
    cudaEvent_t begin, end;
    CHECK(cudaMalloc(&device, 256 * 256 * sizeof *device));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    launch(device);
    CHECK(cudaEventRecord(begin));
    launch(device);
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    printf("%g", ms * 1e3);
    for (double (*read)(void) : clocks) {
        const double before = read();
        launch(device);
        printf(" %g", (read() - before) * 1e6);
    }
    printf("\n");
    return 0;
}

/* What the program itself prints, errors included, with a setting. */
static std::string run_self(const char *program, const char *setting)
{
    std::string command = std::string(setting) + " '" + program + "' kernel 2>&1", out;
    FILE *pipe = popen(command.c_str(), "r");
    char line[1000];
    while (pipe && fgets(line, sizeof line, pipe))
        out += line;
    EXPECT(pipe && pclose(pipe) == 0);
    return out;
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "kernel"))
        return time_kernel();
    const std::string shown = run_self(argv[0], "VGPU_CLOCK=virtual"), real = run_self(argv[0], "VGPU_CLOCK=real");
    double event, us[4];
    EXPECT_EQUAL(5, sscanf(shown.c_str(), "%lf %lf %lf %lf %lf", &event, &us[0], &us[1], &us[2], &us[3]));
    /* Beside the kernel there are the calls, and what the program does itself: well below a millisecond. */
    for (double one : us)
        EXPECT(one > 0.9 * event && one < event + 1000);
    EXPECT(shown.find("host's clock") == std::string::npos);
    EXPECT_EQUAL(vgpu_load != NULL, real.find("VGPU_CLOCK=virtual") != std::string::npos);
    EXPECT_EQUAL(5, sscanf(real.c_str(), "%lf %lf %lf %lf %lf", &event, &us[0], &us[1], &us[2], &us[3]));
    return finish();
}
