/* printf_formats.cu - what kernels print, captured by the program itself through a file and compared with the host's. */
#include "../kit.cuh"

#include <string>
#include <unistd.h>

__device__ const char *const words[2] = {"even", "odd"};

__global__ void speak(const char *given, float f, double d, long long big, const void *pointer)
{
    const int t = threadIdx.x;
    if (t < 2)
        printf("t=%d %s|%5d|%-5d|%05d|%+d|%x|%X|%#o|%u\n", t, words[t], t, t, t, t, t + 250, t + 250, t + 8, -t);
    if (t == 0) {
        printf("%f %.3f %10.2e|%-12g|%G\n", f, d, d, d, d * 1e20);
        printf("%lld %llx %llu\n", big, big, big);
        printf("%c%c%% %s %.3s|%8s|\n", 'a', t + 'b', given, given, "in");
        printf("%*d|%-*d\n", 6, 42, 6, 42);
        printf("%p\n", pointer);
        printf("no arguments\n");
        const int count = printf("%d %d\n", 1, 2);
        printf("count %d\n", count);
    }
}

static std::string expected(double d, long long big, const void *pointer)
{
    char line[256];
    std::string text;
    for (int t = 0; t < 2; t++) {
        snprintf(line, sizeof line, "t=%d %s|%5d|%-5d|%05d|%+d|%x|%X|%#o|%u\n", t, t ? "odd" : "even", t, t, t, t, t + 250,
                 t + 250, t + 8, -t);
        text += line;
    }
    snprintf(line, sizeof line, "%f %.3f %10.2e|%-12g|%G\n", 0.1f, d, d, d, d * 1e20);
    text += line;
    snprintf(line, sizeof line, "%lld %llx %llu\n", big, big, big);
    text += line;
    text += "ab% given giv|      in|\n";
    text += "    42|42    \n";
    snprintf(line, sizeof line, "%p\n", pointer);
    text += line;
    return text + "no arguments\n1 2\ncount 2\n";
}

int main()
{
    const double d = -2.718281828;
    const long long big = 0x123456789abcdef0ll;
    const void *pointer = (const void *)0x1234abcd;
    const std::vector<char> word = {'g', 'i', 'v', 'e', 'n', '\0'};
    char *given = to_device(word);
    FILE *file = tmpfile();
    const int saved = dup(1);
    fflush(stdout);
    dup2(fileno(file), 1);
    speak<<<1, 32>>>(given, 0.1f, d, big, pointer);
    CHECK_LAUNCH();
    fflush(stdout);
    dup2(saved, 1);
    rewind(file);
    std::string got;
    for (int c; (c = fgetc(file)) != EOF;)
        got += (char)c;
    const std::string want = expected(d, big, pointer);
    if (!EXPECT(got == want))
        printf("got:\n%swant:\n%s", got.c_str(), want.c_str());
    CHECK(cudaFree(given));
    return finish();
}
