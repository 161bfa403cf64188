/* fuzz_decode.c - libFuzzer target: what the PTX reader accepts is loaded, decoded and run by one warp.
 * Whatever the text, each step ends: with a result, or with a sentence that says what is wrong.
 * Mutations work on words and whole instructions too, as bytes alone rarely give PTX that can be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/report.h"
#include "core/gpu.h"
#include "core/machine.h"
#include "memory/memory.h"

enum { DEVICE_BYTES = 1 << 20, BUDGET = 300, KERNELS = 4, MESSAGE = 300 };

static void require(bool claim)
{
    if (!claim)
        __builtin_trap();
}

/* ------------------------------------------------------------------------------------------- the target */

/* Kernels are run only if a real launch would get so far: the runtime refuses the others by name. */
static void run_kernel(const struct function *function, struct memory *memory, enum check_level check)
{
    struct allocation *data = memory_alloc(memory, 4096, ALLOC_DEVICE);
    uint8_t *params = calloc(1, function->param_bytes + 16);
    const struct gpu *gpu = gpu_default();
    if (data && params && function->shared_bytes <= gpu->shared_per_block_optin) {
        for (uint32_t at = 0; at + 8 <= function->param_bytes; at += 8)
            memcpy(params + at, &data->base, 8);
        struct launch launch = {.kernel = function, .kernel_name = function->name, .gpu = gpu, .memory = memory,
                                .grid = {1, 1, 1}, .dim = {32, 1, 1}, .nblocks = 1, .params = params, .check = check,
                                .budget = BUDGET, .blocks_per_sm = 1, .resident_blocks = gpu->sms};
        launch_run(&launch, 1);
        launch_release(&launch);
    }
    free(params);
    if (data)
        memory_release(memory, data);
}

static void use_module(const struct ptx_module *ptx, struct memory *memory, enum check_level check)
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
        message[0] = '\0';
        if (!function->ptx->is_entry || !function->ptx->has_body)
            continue;
        if (!function_decode(function, message, sizeof message))
            require(message[0]);
        else if (runs++ < KERNELS)
            run_kernel(function, memory, check);
    }
    module_free(module, memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct memory *memories[2];
    struct ptx_error error;
    enum check_level check = size % 2 ? CHECK_FULL : CHECK_BOUNDS;
    struct memory **memory = &memories[size % 2];
    if (!*memory) {
        *memory = memory_new(check == CHECK_FULL);
        require(*memory != NULL);
        memory_set_capacity(*memory, DEVICE_BYTES);
    }
    struct ptx_module *ptx = ptx_parse((const char *)data, size, &error);
    if (ptx)
        use_module(ptx, *memory, check);
    ptx_free(ptx);
    return 0;
}

/* ------------------------------------------------------------------------------------------- mutations */

static const char *const opcodes[] = {
    "ld.global.u32", "ld.shared.v4.f32", "ld.u8", "ld.param.u64", "ld.param.v2.b32", "ld.local.v2.u64", "ld.const.b16",
    "ld.volatile.shared.b32", "ld.acquire.gpu.global.b32", "ld.global.nc.v2.u16", "ldu.global.b32", "st.global.u32",
    "st.shared.v4.b32", "st.local.b64", "st.param.b32", "st.v2.u8", "st.release.cta.b64", "prefetch.global.L2",
    "isspacep.shared", "cvta.to.global.u64", "cvta.local.u64", "cvta.shared.u32", "cp.async.ca.shared.global",
    "cp.async.cg.shared.global", "cp.async.commit_group", "cp.async.wait_group", "cp.async.wait_all",
    "cp.async.mbarrier.arrive.noinc.shared.b64", "atom.global.add.u32", "atom.shared.cas.b64", "atom.add.f64",
    "atom.global.add.noftz.f16x2", "atom.exch.b128", "atom.cas.b16", "atom.inc.u32", "atom.max.s64", "red.global.or.b32",
    "red.add.f32", "red.global.add.v4.f32", "tex.1d.v4.f32.s32", "tex.2d.v4.f32.f32", "tex.3d.v4.s32.f32",
    "tex.level.2d.v4.f32.f32", "tex.grad.2d.v4.f32.f32", "tex.a2d.v4.f32.f32", "tex.cube.v4.f32.f32",
    "tld4.r.2d.v4.f32.f32", "txq.width.b32", "suq.height.b32", "suld.b.2d.b32.trap", "suld.b.1d.v4.b32.clamp",
    "sust.b.2d.v2.b32.zero", "sust.p.2d.v4.b32.trap", "sured.b.add.2d.u32.trap", "bar.sync", "bar.red.popc.u32",
    "bar.red.and.pred", "bar.arrive", "bar.warp.sync", "barrier.sync", "barrier.cluster.arrive", "membar.gl",
    "fence.acq_rel.gpu", "mbarrier.init.shared.b64", "mbarrier.arrive.shared.b64", "mbarrier.test_wait.shared.b64",
    "mbarrier.try_wait.parity.shared.b64", "mbarrier.inval.shared.b64", "mbarrier.pending_count.b64",
    "mbarrier.arrive.expect_tx.shared.b64", "shfl.sync.bfly.b32", "shfl.sync.idx.b32", "vote.sync.ballot.b32",
    "vote.sync.any.pred", "match.any.sync.b32", "match.all.sync.b64", "redux.sync.add.s32", "redux.sync.or.b32",
    "activemask.b32", "elect.sync", "bra", "bra.uni", "brx.idx", "call", "call.uni", "ret", "exit", "trap", "mov.b32",
    "mov.b64", "mov.b128", "mov.u32", "mov.pred", "setp.lt.s32", "setp.lt.and.f16x2", "setp.eq.f64", "nanosleep.u32",
    "createpolicy.fractional.L2::evict_first.b64", "mapa.shared::cluster.u32", "getctarank.u32", "pmevent",
};

static const char *const operands[] = {
    "%r1", "%r2", "%r3", "%rd1", "%rd2", "%f1", "%f2", "%fd1", "%fd2", "%rs1", "%rs2", "%p1", "%p2", "!%p1", "%p1|%p2",
    "%r1|%p1", "%rq1", "%rb1", "_", "0", "1", "-1", "31", "4294967295", "0x7fffffffffffffff", "0f3F800000",
    "0d3FF0000000000000", "[%rd1]", "[%rd1+4]", "[%r1]", "[%r1+-8]", "[shared]", "[shared+8]", "[global]", "[constant]",
    "[local]", "[arg]", "[p0]", "[p1+4]", "[0]", "[%rs1]", "[%p1]", "[%r1,%r2]", "{%r1,%r2}", "{%r1,%r2,%r3,%r1}",
    "{%f1,%f2}", "{%f1,%f2,%f1,%f2}", "{%rd1,%rd2}", "{%rs1,%rs2}", "{%r1}", "{_,%r1}", "{0,1}", "{%p1,%p2}",
    "[%rd1,{%r1,%r2}]", "[%rd1,{%f1,%f2}]", "[%rd1,{%f1,%f2,%f1,%f2}]", "[%rd1,{%r1}]", "[texture,{%f1}]", "shared",
    "global", "constant", "local", "arg", "p0", "f", "(arg)", "()", "(%r1)", "label", "table", "prototype", "%tid.x",
    "%clock64", "%laneid", "%lanemask_lt", "%envreg1", "%nosuch", "WARP_SZ", "-%r1", "%r1,%r2", "dynamic", "[dynamic+4]",
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

static uint32_t draw(unsigned *state, uint32_t limit)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)*state * limit) >> 32);
}

static size_t form_count(void)
{
    static size_t count;
    while (form_at(count))
        count++;
    return count;
}

static void make_instruction(char *text, size_t size, unsigned *state)
{
    const char *opcode = draw(state, 3) ? opcodes[draw(state, COUNT(opcodes))]
                                        : form_at(draw(state, (uint32_t)form_count()))->name;
    int used = snprintf(text, size, "%s%s", draw(state, 8) ? "" : "@%p1 ", opcode);
    uint32_t count = draw(state, 6);
    for (uint32_t k = 0; k < count && used > 0 && (size_t)used < size; k++)
        used += snprintf(text + used, size - (size_t)used, "%s%s", k ? ", " : " ", operands[draw(state, COUNT(operands))]);
    if (used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ";\n");
}

static size_t replace(uint8_t *data, size_t size, size_t max_size, size_t at, size_t length, const char *text)
{
    size_t with = strlen(text);
    if (size - length + with > max_size)
        return size;
    memmove(data + at + with, data + at + length, size - at - length);
    memcpy(data + at, text, with);
    return size - length + with;
}

/* A whole instruction after some line. */
static size_t insert_instruction(uint8_t *data, size_t size, size_t max_size, unsigned *state)
{
    char text[300];
    size_t at = draw(state, (uint32_t)size + 1);
    while (at < size && data[at] != '\n')
        at++;
    if (at == size)
        return size;
    make_instruction(text, sizeof text, state);
    return replace(data, size, max_size, at + 1, 0, text);
}

static bool is_word(uint8_t c)
{
    return c == '%' || c == '.' || c == '_' || c == '$' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Some word becomes another operand or opcode. */
static size_t replace_word(uint8_t *data, size_t size, size_t max_size, unsigned *state)
{
    size_t begin = draw(state, (uint32_t)size), end;
    while (begin < size && !is_word(data[begin]))
        begin++;
    while (begin > 0 && begin < size && is_word(data[begin - 1]))
        begin--;
    for (end = begin; end < size && is_word(data[end]);)
        end++;
    const char *word = draw(state, 2) ? operands[draw(state, COUNT(operands))] : opcodes[draw(state, COUNT(opcodes))];
    return replace(data, size, max_size, begin, end - begin, word);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    unsigned state = seed;
    uint32_t kind = draw(&state, 8);
    if (!size || kind == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    return kind < 6 ? insert_instruction(data, size, max_size, &state) : replace_word(data, size, max_size, &state);
}
