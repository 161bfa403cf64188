/* fuzz_device.c - libFuzzer target: hostile PTX goes the whole way that a submission's device code goes in the judge.
 * What the reader accepts is loaded, decoded, executed by a few warps under a tight budget, recorded, lowered and timed,
 * and what was found is put into words. Whatever the text, each step ends: with a result, or with a sentence that says
 * what is wrong. How it is mutated: device_mutations.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/check.h"
#include "core/counters.h"
#include "core/gpu.h"
#include "core/machine.h"
#include "exec/instructions.h"
#include "memory/memory.h"
#include "model/model.h"
#include "report/report.h"

enum { DEVICE_BYTES = 1 << 20, BUDGET = 300, WORK = 4000, KERNELS = 4, MESSAGE = 300 };

static void require(bool claim)
{
    if (!claim)
        __builtin_trap();
}

static void ignore(const struct vgpu_message *message, void *context)
{
    (void)context;
    require(message->text && message->text[0]);
}

/* How a kernel is launched, drawn from the text's size, so that the same input always goes the same way. */
struct manner {
    enum check_level check;
    uint32_t grid[3], block[3];
    bool is_sampled;
};

static const struct manner manners[] = {
    {CHECK_BOUNDS, {1, 1, 1}, {32, 1, 1}, false}, {CHECK_FULL, {1, 1, 1}, {32, 1, 1}, false},
    {CHECK_BOUNDS, {2, 2, 1}, {33, 2, 1}, false}, {CHECK_FULL, {3, 1, 1}, {8, 8, 1}, false},
    {CHECK_OFF, {40, 2, 1}, {16, 1, 1}, true},
};
enum { MANNERS = sizeof manners / sizeof *manners };

static void tell(const struct launch *launch, const struct occupancy *occupancy)
{
    struct counters counters;
    struct estimate estimate;
    counters_collect(&counters, launch);
    model_estimate(&estimate, launch, occupancy, MODEL_PROFILED);
    require(isfinite(estimate.time_us) && estimate.time_us > 0 && estimate.limiter);
    estimate_free(&estimate);
    report_launch(launch->findings, launch);
}

static void execute(const struct function *function, struct memory *memory, const struct manner *manner,
                    uint8_t *params)
{
    const struct gpu *gpu = gpu_default();
    const uint32_t threads = manner->block[0] * manner->block[1] * manner->block[2];
    struct occupancy occupancy;
    gpu_occupancy(gpu, function->registers, function->shared_bytes, threads, &occupancy);
    if (!occupancy.blocks_per_sm || threads > function->max_threads)
        return;
    struct launch launch = {.kernel = function,
                            .kernel_name = function->name,
                            .gpu = gpu,
                            .memory = memory,
                            .grid = {manner->grid[0], manner->grid[1], manner->grid[2]},
                            .dim = {manner->block[0], manner->block[1], manner->block[2]},
                            .params = params,
                            .check = manner->check,
                            .checker = &check_levels[manner->check],
                            .is_sampled = manner->is_sampled,
                            .is_recorded = true,
                            .budget = BUDGET,
                            .work = WORK,
                            .blocks_per_sm = occupancy.blocks_per_sm,
                            .resident_blocks = (uint64_t)occupancy.blocks_per_sm * gpu->sms};
    launch_run(&launch, 1);
    if (launch.findings && launch.stats)
        tell(&launch, &occupancy);
    launch_release(&launch);
}

/* Kernels are run only if a real launch would get so far: the runtime refuses the others by name. */
static void run_kernel(const struct function *function, struct memory *memory, const struct manner *manner)
{
    struct allocation *data = memory_alloc(memory, 4096, ALLOC_DEVICE);
    uint8_t *params = calloc(1, function->param_bytes + 16);
    if (data && params && function->shared_bytes <= gpu_default()->shared_per_block_optin) {
        for (uint32_t at = 0; at + 8 <= function->param_bytes; at += 8)
            memcpy(params + at, &data->base, 8);
        execute(function, memory, manner, params);
    }
    free(params);
    if (data)
        memory_release(memory, data);
}

static void use_module(const struct ptx_module *ptx, struct memory *memory, const struct manner *manner)
{
    char message[MESSAGE] = "";
    struct module *module = module_load(ptx, memory, message, sizeof message);
    if (!module) {
        require(message[0]);
        return;
    }
    uint32_t runs = 0;
    for (uint32_t i = 0; i < module->nfunctions; i++) {
        struct function *function = &module->functions[i];
        struct refusal why;
        if (!function->ptx->is_entry || !function->ptx->has_body)
            continue;
        if (!function_decode(function, &instruction_set, &why))
            require(why.text[0]);
        else if (runs++ < KERNELS)
            run_kernel(function, memory, manner);
    }
    model_forget(module);
    module_free(module, memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct memory *memories[2]; /* without and with what full checking keeps */
    const struct manner *manner = &manners[size % MANNERS];
    struct memory **memory = &memories[manner->check == CHECK_FULL];
    struct ptx_error error;
    if (!*memory) {
        report_set_sink(ignore, NULL);
        *memory = memory_new(manner->check == CHECK_FULL);
        require(*memory != NULL);
        memory_set_capacity(*memory, DEVICE_BYTES);
    }
    struct ptx_module *ptx = ptx_parse((const char *)data, size, &error);
    if (ptx)
        use_module(ptx, *memory, manner);
    else
        require(error.text[0]);
    ptx_free(ptx);
    return 0;
}
