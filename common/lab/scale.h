/* scale.h - the one scale on which times are told, by build/lab3 and by reports alike: microseconds, the share of what the GPU
 * can do, the speedup with its base, the step before, and the need. Nothing is measured here. */
#ifndef LAB_SCALE_H
#define LAB_SCALE_H

#include "lab/lab.h"

/* What a GPU does at most: GB/s of a copy of LAB_COPY_BYTES within its memory, reading and writing counted; GFLOP/s if every unit
 * finishes a multiplication and addition of floats in every clock. 0: not known. */
struct lab_most {
    double copy, fma;
};
#define LAB_COPY_BYTES ((size_t)1 << 28)

/* SMs, the clock in kHz and the compute capability are those of cudaDeviceProp. */
double lab_fma_gflops(int major, int minor, int sms, double clock_khz);

/* One stage at one size. What is not known is 0 or NULL. */
struct lab_scale {
    double us;
    double rate; /* 1e9 units of work per second */
    const char *unit;
    double share;           /* rate over what is attainable */
    const char *attainable; /* "a copy", "FMA peak"; NULL: nobody knows the most of this unit */
    double speedup;
    const char *base; /* the kit's own step that it is over: "naive" */
    double gain;      /* over the step before */
    int before;       /* the row of that one, from 1 */
    double need;      /* the speedup that is asked for */
    bool is_told;     /* the speedup's number stands beside it already */
};
/* All but the gain. work: of lab_work(); base_us: of the kit's own step. */
void lab_find_scale(const struct lab *lab, const struct lab_stage *stage, const struct lab_most *most,
                    double work, double us, double base_us, struct lab_scale *out);
/* "2.17x", or "0.0006x" */
void lab_write_times(double value, char *out, size_t size);
/* True if work of this unit is told as a share of what the GPU can do: "GB/s" of its memory, "GFLOP/s". Of any other unit the
 * rate is told. So work that is limited by something else, as by the bus, has a unit of its own in the stage's row: "GB/s (bus)". */
bool lab_is_share(const char *unit);
/* "27 % of a copy", or "51.2 Gpoints/s" where nobody knows the most. */
void lab_write_share(const struct lab_scale *scale, char *out, size_t size);
/* All of it in words: "462.90 us, 27 % of a copy; 2.17x over the kit's naive, 1.40x over stage 2". Where both are the same number,
 * it is told once. Without a unit there is no share. */
void lab_write_scale(const struct lab_scale *scale, char *out, size_t size);

/* "naive" of "baseline_naive"; NULL: the stage has no baseline. */
const char *lab_base(const struct lab *lab, const struct lab_stage *stage);

#endif
