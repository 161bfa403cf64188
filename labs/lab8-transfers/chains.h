/* chains.h - the five chains of lab 8: what their stages have in memory, how they are called, and what is right. */
#ifndef CHAINS_H
#define CHAINS_H

#include "lab/lab.h"

/* The sizes of a case. Some chains use the first alone. */
enum { COUNT, BINS, MODULUS = BINS, ROUNDS = BINS };

struct chain {
    lab_layout_fn *layout;
    lab_call_fn *call;
    const char *second; /* what the second size counts; NULL: nothing */
};
extern const struct chain pieces_chain, count_chain, levels_chain, cipher_chain, rounds_chain;

lab_element_fn pieces_element, cipher_element;
lab_reference_fn count_reference, levels_reference, rounds_reference;
lab_recognise_fn count_recognise, levels_recognise, rounds_recognise;
lab_work_fn cipher_work, rounds_work;

/* The serial rest of a whole array, as a step of the host. */
void find_levels(void *levels, size_t levels_bytes, const void *x, size_t x_bytes);

#endif
