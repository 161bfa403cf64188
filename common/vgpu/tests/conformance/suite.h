/* suite.h - the conformance suite: cases, their operands, and the file of results recorded on hardware. A
 * case runs one instruction over TUPLES operand tuples; tuple i is thread i of one block, so lane i % 32 of
 * its warp. Operands are made anew each time from the case's name and signature; only results are stored. */
#ifndef VGPU_SUITE_H
#define VGPU_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SUITE_TUPLES = 320, SUITE_SOURCES = 4, SUITE_GROUP = 24 };

struct suite_case {
    const char *name;      /* as in alu/forms.h */
    const char *signature; /* as in alu/forms.h */
    int uses_carry;
    int immediate; /* value of the last source where PTX wants a constant (lop3's table); -1: none */
};

/* A list of cases with the kernels that run them. generate.c writes one per family of alu/forms.h; lists
 * written by hand (warp-level and memory instructions) have the same shape and are named in families.def. */
struct suite_family {
    const char *name;
    const struct suite_case *cases;
    size_t count;
    /* Runs cases [first, first + count) as one block of SUITE_TUPLES threads, count <= SUITE_GROUP. in and
     * out are device memory: operand k of case c at in[(c * SUITE_SOURCES + k) * SUITE_TUPLES + i], its
     * result at out[c * 2 * SUITE_TUPLES + i], and its carry SUITE_TUPLES after that; c counts from first. */
    void (*run)(size_t first, const uint64_t *in, uint64_t *out);
};

size_t suite_sources(const struct suite_case *c);
uint64_t suite_operand(const struct suite_case *c, size_t source, size_t tuple);
uint32_t suite_carry_in(size_t tuple); /* 0 or 1 */
unsigned suite_bits(char letter);      /* of h w d f e; 1 for p */

/* Whether a result is as good as the recorded one: equal, or within the documented error of an approximate
 * function. */
bool suite_matches(const struct suite_case *c, uint64_t expected, uint64_t got);

struct golden {
    uint8_t *data;
    size_t size;
};

bool golden_read(struct golden *golden, const char *path);
void golden_free(struct golden *golden);
/* The recorded results of a case, or NULL. */
const uint8_t *golden_find(const struct golden *golden, const struct suite_case *c);
uint64_t golden_result(const struct suite_case *c, const uint8_t *entry, size_t tuple);
uint32_t golden_carry(const struct suite_case *c, const uint8_t *entry, size_t tuple);
bool golden_begin(FILE *file);
/* results[TUPLES], then carries[TUPLES]. */
bool golden_append(FILE *file, const struct suite_case *c, const uint64_t *results);

/* Prints one difference in full. */
void suite_explain(FILE *file, const struct suite_case *c, size_t tuple, uint64_t expected, uint64_t got,
                   const char *what);

#ifdef __cplusplus
}
#endif

#endif
