/* micro.cuh - what the measurements of micro share: timing by events, memory, a line of output.
 * A measurement launches through time_us() and prints through report(); no result of a kernel is ever looked at, so
 * that the virtual GPU may execute a sample of the blocks only. It knows no GPU: sizes follow the device. */
#ifndef VGPU_BENCH_MICRO_CUH
#define VGPU_BENCH_MICRO_CUH

#include <functional>

enum : size_t { ARENA_BYTES = (size_t)1 << 29 };

struct device {
    int sms, shared_per_sm, shared_per_block;
    double mhz;
    char *in, *out; /* ARENA_BYTES each: many times the L2; `in` holds zeros */
};

extern device dev;

/* Median over the repetitions, in microseconds. `launch` gets the number of the repetition. */
double time_us(const std::function<void(int)> &launch);
/* One line: name value unit. */
void report(double value, const char *unit, const char *name, ...) __attribute__((format(printf, 3, 4)));
/* Clocks of the device in so many microseconds. */
double clocks(double us);
/* A part of `in` that no launch has read for ARENA_BYTES: its data come from DRAM. The offset in bytes. */
size_t fresh_bytes(size_t bytes);

/* Queues a chain of so many FMAs: the GPU is busy while the host queues what follows. */
void keep_busy(int steps);

void check(cudaError_t error, const char *what);

/* The groups, each in the file of its subject. */
void measure_chains();
void measure_threads();
void measure_divergence();
void measure_trips();
void measure_occupancy();
void measure_tail();
void measure_banks();
void measure_constant();
void measure_copy();
void measure_offset();
void measure_stride();
void measure_atomics();
void measure_launch();
void measure_latency();
void measure_operations();
void measure_barriers();
void measure_shared();
void measure_l1();
void measure_l2();
void measure_dram();
void measure_local();
void measure_texture();
void measure_jumps();

#endif
