/* conformance.cu - runs the conformance suite on whatever GPU it is linked for.
 * --record FILE writes the results; --check FILE compares with them and prints differences.
 * The cases come from families.def; this file knows no instruction. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>
#include <vector>

#include "suite.h"

extern "C" {
#define FAMILY(name) extern const struct suite_family suite_##name;
#include "families.def"
#undef FAMILY
}

static const struct suite_family *const families[] = {
#define FAMILY(name) &suite_##name,
#include "families.def"
#undef FAMILY
};

enum { IN_WORDS = SUITE_GROUP * SUITE_SOURCES * SUITE_TUPLES, OUT_WORDS = SUITE_GROUP * 2 * SUITE_TUPLES };

struct session {
    FILE *record;
    struct golden golden;
    uint64_t *in, *out;
    size_t differences, cases, missing;
};

static bool is_fine(cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        fprintf(stderr, "conformance: %s: %s\n", what, cudaGetErrorString(status));
    return status == cudaSuccess;
}

static void fill(std::vector<uint64_t> &in, const struct suite_family *family, size_t first, size_t count)
{
    for (size_t c = 0; c < count; c++)
        for (size_t k = 0; k < suite_sources(&family->cases[first + c]); k++)
            for (size_t i = 0; i < SUITE_TUPLES; i++)
                in[(c * SUITE_SOURCES + k) * SUITE_TUPLES + i] =
                    suite_operand(&family->cases[first + c], k, i);
}

/* The first difference of a case is printed in full; the rest are counted. */
static void compare(struct session *session, const struct suite_case *c, const uint64_t *results)
{
    const uint8_t *entry = golden_find(&session->golden, c);
    size_t differences = 0;
    if (!entry) {
        printf("%s: not in the file\n", c->name);
        session->missing++;
        return;
    }
    for (size_t i = 0; i < SUITE_TUPLES; i++) {
        const uint64_t expected = golden_result(c, entry, i);
        const bool is_same = suite_matches(c, expected, results[i]);
        const bool same_carry = !c->uses_carry || golden_carry(c, entry, i) == results[SUITE_TUPLES + i];
        if (is_same && same_carry)
            continue;
        if (differences++ == 0 && !is_same)
            suite_explain(stdout, c, i, expected, results[i], "result");
        else if (differences == 1)
            suite_explain(stdout, c, i, golden_carry(c, entry, i), results[SUITE_TUPLES + i], "carry");
    }
    session->differences += differences != 0;
}

static bool run_group(struct session *session, const struct suite_family *family, size_t first, size_t count)
{
    std::vector<uint64_t> in(IN_WORDS), out(OUT_WORDS);
    fill(in, family, first, count);
    if (!is_fine(cudaMemcpy(session->in, in.data(), IN_WORDS * 8, cudaMemcpyHostToDevice),
                 "copying operands"))
        return false;
    if (!is_fine(cudaMemset(session->out, 0, OUT_WORDS * 8), "clearing results"))
        return false;
    family->run(first, session->in, session->out);
    if (!is_fine(cudaGetLastError(), family->cases[first].name))
        return false;
    if (!is_fine(cudaMemcpy(out.data(), session->out, OUT_WORDS * 8, cudaMemcpyDeviceToHost),
                 family->cases[first].name))
        return false;
    for (size_t c = 0; c < count; c++, session->cases++) {
        const uint64_t *results = &out[c * 2 * SUITE_TUPLES];
        if (!session->record)
            compare(session, &family->cases[first + c], results);
        else if (!golden_append(session->record, &family->cases[first + c], results))
            return perror("conformance"), false;
    }
    return true;
}

static bool run_family(struct session *session, const struct suite_family *family)
{
    const size_t before = session->differences;
    for (size_t first = 0; first < family->count; first += SUITE_GROUP) {
        const size_t left = family->count - first;
        if (!run_group(session, family, first, left < SUITE_GROUP ? left : SUITE_GROUP))
            return false;
    }
    printf("%-8s %4zu cases, %zu differ\n", family->name, family->count, session->differences - before);
    return true;
}

int main(int argc, char **argv)
{
    struct session session = {};
    const bool is_record = argc == 3 && strcmp(argv[1], "--record") == 0;
    const bool is_check = argc == 3 && strcmp(argv[1], "--check") == 0;
    bool is_good = true;
    if (!is_record && !is_check)
        return fprintf(stderr, "usage: conformance --record FILE | --check FILE\n"), 2;
    if (is_record && (!(session.record = fopen(argv[2], "wb")) || !golden_begin(session.record)))
        return perror(argv[2]), 2;
    if (is_check && !golden_read(&session.golden, argv[2]))
        return fprintf(stderr, "conformance: %s is no file of results\n", argv[2]), 2;
    if (!is_fine(cudaMalloc((void **)&session.in, IN_WORDS * 8), "memory") ||
        !is_fine(cudaMalloc((void **)&session.out, OUT_WORDS * 8), "memory"))
        return 2;
    for (const struct suite_family *family : families)
        is_good = is_good && run_family(&session, family);
    cudaFree(session.in);
    cudaFree(session.out);
    golden_free(&session.golden);
    if (session.record && fclose(session.record) != 0)
        return perror(argv[2]), 2;
    printf("%zu cases, %zu differ, %zu not recorded\n", session.cases, session.differences, session.missing);
    return !is_good ? 2 : session.differences || session.missing ? 1 : 0;
}
