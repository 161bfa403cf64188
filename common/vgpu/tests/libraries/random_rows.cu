/* random_rows.cu - prints what cuRAND's host API gives: a row for each generator, order, distribution, seed, offset and size.
 * random.golden has the rows of `random_rows host` with the toolkit's library, whose generators of the host need no GPU and give
 * the same numbers as those of a device (record.sh); on the virtual GPU both are held against it.
 * A row: generator order distribution seed offset sizes status sum value... ; the sum is of the bytes of all calls. */
// options: -lcurand
#include <curand.h>

#include "../kit.cuh"

enum type { WORDS, LONG_WORDS, FLOATS, DOUBLES };

static const struct {
    const char *name;
    curandRngType_t type;
} generators[] = {{"xorwow", CURAND_RNG_PSEUDO_XORWOW},
                  {"philox", CURAND_RNG_PSEUDO_PHILOX4_32_10},
                  {"mrg32k3a", CURAND_RNG_PSEUDO_MRG32K3A},
                  {"mtgp32", CURAND_RNG_PSEUDO_MTGP32}},
  quasi_generators[] = {{"sobol", CURAND_RNG_QUASI_DEFAULT},
                        {"sobol32", CURAND_RNG_QUASI_SOBOL32},
                        {"scrambled32", CURAND_RNG_QUASI_SCRAMBLED_SOBOL32},
                        {"sobol64", CURAND_RNG_QUASI_SOBOL64},
                        {"scrambled64", CURAND_RNG_QUASI_SCRAMBLED_SOBOL64}};

static const struct {
    const char *name;
    curandOrdering_t order;
} orders[] = {{"default", CURAND_ORDERING_PSEUDO_DEFAULT},
              {"best", CURAND_ORDERING_PSEUDO_BEST},
              {"legacy", CURAND_ORDERING_PSEUDO_LEGACY}};

static curandStatus_t generate(curandGenerator_t generator, void *out, size_t count)
{
    return curandGenerate(generator, (unsigned *)out, count);
}

static curandStatus_t generate_long(curandGenerator_t generator, void *out, size_t count)
{
    return curandGenerateLongLong(generator, (unsigned long long *)out, count);
}

static curandStatus_t uniform(curandGenerator_t generator, void *out, size_t count)
{
    return curandGenerateUniform(generator, (float *)out, count);
}

static curandStatus_t uniform_double(curandGenerator_t generator, void *out, size_t count)
{
    return curandGenerateUniformDouble(generator, (double *)out, count);
}

static curandStatus_t normal(curandGenerator_t generator, void *out, size_t count)
{
    return curandGenerateNormal(generator, (float *)out, count, 1.5f, 2.0f);
}

static curandStatus_t normal_double(curandGenerator_t generator, void *out, size_t count)
{
    return curandGenerateNormalDouble(generator, (double *)out, count, 1.5, 2.0);
}

static curandStatus_t log_normal(curandGenerator_t generator, void *out, size_t count)
{
    return curandGenerateLogNormal(generator, (float *)out, count, 0.25f, 0.5f);
}

static curandStatus_t log_normal_double(curandGenerator_t generator, void *out, size_t count)
{
    return curandGenerateLogNormalDouble(generator, (double *)out, count, 0.25, 0.5);
}

static const struct distribution {
    const char *name;
    enum type type;
    curandStatus_t (*make)(curandGenerator_t generator, void *out, size_t count);
} distributions[] = {{"words", WORDS, generate},         {"long_words", LONG_WORDS, generate_long},
                     {"uniform", FLOATS, uniform},       {"uniform_double", DOUBLES, uniform_double},
                     {"normal", FLOATS, normal},         {"normal_double", DOUBLES, normal_double},
                     {"log_normal", FLOATS, log_normal}, {"log_normal_double", DOUBLES, log_normal_double}};

/* Small, continued by a second call, with an offset, odd, more than any grid has threads; and a seed that is set anew between two
 * calls, which does not go back to the first number, but with MTGP32. */
static const struct scene {
    unsigned long long seed, offset;
    size_t counts[2];
    bool is_reseeded;
} scenes[] = {{1234, 0, {64, 100}},    {1234, 0, {6, 100000}}, {0xdeadbeef12345678ull, 12295, {1000, 0}},
              {42, 5, {101, 0}},       {42, 0, {1000000, 0}},  {7, 5, {3, 100}, true},
              {7, 0, {300, 100}, true}},
  /* The same of quasirandom numbers, whose "seed" is how many dimensions they have; the last is no whole number of points. */
    quasi_scenes[] = {{1, 0, {64, 100}}, {3, 0, {6, 99999}}, {1000, 70001, {3000, 1000}}, {2, 5, {100, 101}}};

static uint64_t add_to_sum(uint64_t sum, const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3ull;
    return sum;
}

static void print_value(enum type type, const unsigned char *bytes, size_t i)
{
    if (type == WORDS)
        printf(" %08x", ((const unsigned *)bytes)[i]);
    else if (type == LONG_WORDS)
        printf(" %016llx", ((const unsigned long long *)bytes)[i]);
    else if (type == FLOATS)
        printf(" %.9g", ((const float *)bytes)[i]);
    else
        printf(" %.17g", ((const double *)bytes)[i]);
}

/* The first ones, and those around the numbers of threads that a library may use. */
static bool is_shown(size_t i, size_t count)
{
    return i < 16 || i + 2 > count || (i & 0xffff) == 0x1001 || i == 4096 || i == 81920 || i == 99999;
}

static void make_row(curandGenerator_t generator, const struct distribution *distribution,
                     const struct scene *scene, bool is_host)
{
    const size_t size = distribution->type == DOUBLES || distribution->type == LONG_WORDS ? 8 : 4;
    uint64_t sum = 0xcbf29ce484222325ull;
    curandStatus_t status = CURAND_STATUS_SUCCESS;
    std::vector<unsigned char> bytes;
    size_t count = 0;
    for (int call = 0; call < 2 && scene->counts[call] && !status; call++) {
        count = scene->counts[call];
        bytes.assign(count * size, 0);
        void *out = is_host ? bytes.data() : (void *)device_new<unsigned char>(count * size);
        status = distribution->make(generator, out, count);
        if (!is_host) {
            CHECK(cudaMemcpy(bytes.data(), out, bytes.size(), cudaMemcpyDeviceToHost));
            CHECK(cudaFree(out));
        }
        sum = add_to_sum(sum, bytes.data(), bytes.size());
        if (scene->is_reseeded && !status)
            status = curandSetPseudoRandomGeneratorSeed(generator, scene->seed + 1);
    }
    printf(" %d", status);
    if (!status)
        printf(" %016llx", (unsigned long long)sum);
    for (size_t i = 0; i < count && !status; i++)
        if (is_shown(i, count))
            print_value(distribution->type, bytes.data(), i);
}

static curandStatus_t prepare(curandGenerator_t *generator, bool is_host, curandRngType_t type,
                              curandOrdering_t order, const struct scene *scene)
{
    curandStatus_t status =
        is_host ? curandCreateGeneratorHost(generator, type) : curandCreateGenerator(generator, type);
    const bool is_quasi = type >= CURAND_RNG_QUASI_DEFAULT;
    if (!status && is_quasi)
        status = curandSetQuasiRandomGeneratorDimensions(*generator, (unsigned)scene->seed);
    else if (!status)
        status = curandSetPseudoRandomGeneratorSeed(*generator, scene->seed);
    if (!status && scene->offset)
        status = curandSetGeneratorOffset(*generator, scene->offset);
    if (!status)
        status = curandSetGeneratorOrdering(*generator, is_quasi ? CURAND_ORDERING_QUASI_DEFAULT : order);
    return status;
}

/* An order changes all distributions alike, and what begins with many states takes long: the scene of two calls will do. */
static bool is_wanted(curandRngType_t type, curandOrdering_t order, const struct distribution *distribution,
                      const struct scene *scene)
{
    const bool is_whole = scene->counts[1] != 100000;
    const curandRngType_t reseeded = scene->offset ? CURAND_RNG_PSEUDO_XORWOW : CURAND_RNG_PSEUDO_MTGP32;
    if ((scene->is_reseeded && type != reseeded) || distribution->type == LONG_WORDS)
        return false;
    if (type == CURAND_RNG_PSEUDO_MTGP32 && distribution->make == normal_double)
        return false; /* the toolkit rounds these to floats on the host; an H200 does not */
    return !(order != CURAND_ORDERING_PSEUDO_DEFAULT && (distribution->type != WORDS || is_whole)) &&
           !(type == CURAND_RNG_PSEUDO_MRG32K3A && is_whole);
}

static void print_row(bool is_host, curandRngType_t type, curandOrdering_t order,
                      const struct distribution *distribution, const struct scene *scene)
{
    curandGenerator_t generator;
    const curandStatus_t status = prepare(&generator, is_host, type, order, scene);
    printf("%s %llx %llu %zu,%zu", distribution->name, scene->seed, scene->offset, scene->counts[0],
           scene->counts[1]);
    if (status)
        printf(" %d", status);
    else
        make_row(generator, distribution, scene, is_host);
    puts("");
    if (!status)
        curandDestroyGenerator(generator);
}

int main(int argc, char **argv)
{
    const bool is_host = argc > 1 && !strcmp(argv[1], "host");
    for (const auto &kind : generators)
        for (const auto &order : orders)
            for (const auto &distribution : distributions)
                for (const auto &scene : scenes)
                    if (is_wanted(kind.type, order.order, &distribution, &scene)) {
                        printf("%s %s ", kind.name, order.name);
                        print_row(is_host, kind.type, order.order, &distribution, &scene);
                    }
    for (const auto &kind : quasi_generators)
        for (const auto &distribution : distributions)
            for (const auto &scene : quasi_scenes) {
                printf("%s quasi ", kind.name);
                print_row(is_host, kind.type, CURAND_ORDERING_QUASI_DEFAULT, &distribution, &scene);
            }
    return 0;
}
