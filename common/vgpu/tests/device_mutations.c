/* device_mutations.c - how fuzz_device.c's texts are changed: by words and whole instructions of the tables, as bytes alone
 * rarely give PTX that can be read. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "alu/forms.h"

static const char *const instructions[] = {
    "ld.global.u32 %r1, [%rd1]",
    "ld.shared.v4.f32 {%f1,%f2,%f1,%f2}, [shared]",
    "ld.u8 %rs1, [%rd1+1]",
    "ld.param.u64 %rd1, [p0]",
    "ld.param.v2.b32 {%r1,%r2}, [p1]",
    "ld.local.v2.u64 {%rd1,%rd2}, [local]",
    "ld.const.b16 %rs1, [constant]",
    "ld.volatile.shared.b32 %r1, [%r2]",
    "ld.acquire.gpu.global.b32 %r1, [%rd1]",
    "ld.global.nc.v2.u16 {%rs1,%rs2}, [%rd1]",
    "ld.global.b128 %rq1, [%rd1]",
    "ldu.global.b32 %r1, [%rd1]",
    "st.global.u32 [%rd1], %r1",
    "st.shared.v4.b32 [shared], {%r1,%r2,%r3,%r1}",
    "st.local.b64 [local], %rd1",
    "st.param.b32 [arg], %r1",
    "st.v2.u8 [%rd1], {%rs1,%rs2}",
    "st.release.cta.b64 [%rd1], %rd2",
    "prefetch.global.L2 [%rd1]",
    "isspacep.shared %p1, %rd1",
    "cvta.to.global.u64 %rd1, %rd2",
    "cvta.local.u64 %rd1, %rd2",
    "cvta.shared.u64 %rd1, shared",
    "cp.async.ca.shared.global [shared], [%rd1], 4",
    "cp.async.cg.shared.global [%r1], [%rd1], 16, %r2",
    "cp.async.commit_group",
    "cp.async.wait_group 0",
    "cp.async.wait_all",
    "cp.async.mbarrier.arrive.noinc.shared.b64 [shared]",
    "cp.async.bulk.shared.global [shared], [%rd1], 16, [shared+8]",
    "atom.global.add.u32 %r1, [%rd1], %r2",
    "atom.shared.cas.b64 %rd1, [shared], %rd2, %rd1",
    "atom.add.f64 %fd1, [%rd1], %fd2",
    "atom.global.add.noftz.f16x2 %r1, [%rd1], %r2",
    "atom.exch.b128 %rq1, [%rd1], %rq1",
    "atom.cas.b16 %rs1, [%rd1], %rs2, %rs1",
    "atom.inc.u32 %r1, [%rd1], 5",
    "atom.max.s64 %rd1, [%rd2], %rd1",
    "red.global.or.b32 [%rd1], %r1",
    "red.add.f32 [%rd1], %f1",
    "red.global.add.v4.f32 [%rd1], {%f1,%f2,%f1,%f2}",
    "tex.1d.v4.f32.s32 {%f1,%f2,%f1,%f2}, [%rd1,{%r1}]",
    "tex.2d.v4.f32.f32 {%f1,%f2,%f1,%f2}, [%rd1,{%f1,%f2}]",
    "tex.3d.v4.s32.f32 {%r1,%r2,%r3,%r1}, [%rd1,{%f1,%f2,%f1,%f2}]",
    "tex.level.2d.v4.f32.f32 {%f1,%f2,%f1,%f2}, [%rd1,{%f1,%f2}], %f1",
    "tex.grad.2d.v4.f32.f32 {%f1,%f2,%f1,%f2}, [%rd1,{%f1,%f2}], {%f1,%f2}, {%f1,%f2}",
    "tex.a2d.v4.f32.f32 {%f1,%f2,%f1,%f2}, [%rd1,{%r1,%f1,%f2,%f1}]",
    "tex.cube.v4.f32.f32 {%f1,%f2,%f1,%f2}, [%rd1,{%f1,%f2,%f1,%f2}]",
    "tld4.r.2d.v4.f32.f32 {%f1,%f2,%f1,%f2}, [%rd1,{%f1,%f2}]",
    "txq.width.b32 %r1, [%rd1]",
    "suq.height.b32 %r1, [%rd1]",
    "suld.b.2d.b32.trap {%r1}, [%rd1,{%r1,%r2}]",
    "suld.b.1d.v4.b32.clamp {%r1,%r2,%r3,%r1}, [%rd1,{%r1}]",
    "sust.b.2d.v2.b32.zero [%rd1,{%r1,%r2}], {%r1,%r2}",
    "sust.p.2d.v4.b32.trap [%rd1,{%r1,%r2}], {%r1,%r2,%r3,%r1}",
    "sured.b.add.2d.u32.trap [%rd1,{%r1,%r2}], %r1",
    "bar.sync 0",
    "bar.sync %r1, 32",
    "bar.red.popc.u32 %r1, 0, %p1",
    "bar.red.and.pred %p1, 1, 32, !%p2",
    "bar.arrive 1, 64",
    "bar.warp.sync -1",
    "barrier.sync 2, %r1",
    "barrier.cluster.arrive",
    "membar.gl",
    "fence.acq_rel.gpu",
    "mbarrier.init.shared.b64 [shared], 32",
    "mbarrier.arrive.shared.b64 %rd1, [shared]",
    "mbarrier.arrive.shared.b64 _, [shared], 2",
    "mbarrier.test_wait.shared.b64 %p1, [shared], %rd1",
    "mbarrier.try_wait.parity.shared.b64 %p1, [shared], 0",
    "mbarrier.inval.shared.b64 [shared]",
    "mbarrier.pending_count.b64 %r1, %rd1",
    "mbarrier.arrive.expect_tx.shared.b64 _, [shared], 16",
    "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 31, -1",
    "shfl.sync.idx.b32 %r1, %r2, %r3, 31, -1",
    "vote.sync.ballot.b32 %r1, %p1, -1",
    "vote.sync.any.pred %p1, %p2, -1",
    "match.any.sync.b32 %r1, %r2, -1",
    "match.all.sync.b64 %r1|%p1, %rd1, -1",
    "redux.sync.add.s32 %r1, %r2, -1",
    "redux.sync.or.b32 %r1, %r2, %r3",
    "activemask.b32 %r1",
    "elect.sync %r1|%p1, -1",
    "bra label",
    "bra.uni end",
    "brx.idx %r1, table",
    "call (back), f, (arg)",
    "call.uni (back), %rd1, (arg), prototype",
    "ret",
    "exit",
    "trap",
    "mov.b32 %r1, {%rs1,%rs2}",
    "mov.b64 {%r1,%r2}, %rd1",
    "mov.b128 %rq1, {%rd1,%rd2}",
    "mov.u32 %r1, %ctaid.x",
    "mov.u64 %rd1, %clock64",
    "mov.u64 %rd1, f",
    "mov.u64 %rd1, local",
    "mov.u64 %rd1, dynamic",
    "mov.pred %p1, %p2",
    "setp.lt.s32 %p1|%p2, %r1, %r2",
    "setp.lt.and.f16x2 %p1|%p2, %r1, %r2, !%p1",
    "setp.eq.f64 %p1, %fd1, %fd2",
    "nanosleep.u32 20",
    "createpolicy.fractional.L2::evict_first.b64 %rd1, 0f3F800000",
    "mapa.shared::cluster.u32 %r1, %r2, 0",
    "getctarank.u32 %r1, %rd1",
    "pmevent 1",
    "isspacep.global %p1, %rd1",
};

static const char *const operands[] = {
    "%r1",
    "%r2",
    "%r3",
    "%rd1",
    "%rd2",
    "%f1",
    "%f2",
    "%fd1",
    "%fd2",
    "%rs1",
    "%rs2",
    "%p1",
    "%p2",
    "!%p1",
    "%p1|%p2",
    "%r1|%p1",
    "%rq1",
    "%rb1",
    "_",
    "0",
    "1",
    "-1",
    "31",
    "4294967295",
    "0x7fffffffffffffff",
    "0f3F800000",
    "0d3FF0000000000000",
    "[%rd1]",
    "[%rd1+4]",
    "[%r1]",
    "[%r1+-8]",
    "[shared]",
    "[shared+8]",
    "[global]",
    "[constant]",
    "[local]",
    "[arg]",
    "[p0]",
    "[p1+4]",
    "[0]",
    "[%rs1]",
    "[%p1]",
    "[%r1,%r2]",
    "{%r1,%r2}",
    "{%r1,%r2,%r3,%r1}",
    "{%f1,%f2}",
    "{%f1,%f2,%f1,%f2}",
    "{%rd1,%rd2}",
    "{%rs1,%rs2}",
    "{%r1}",
    "{_,%r1}",
    "{0,1}",
    "{%p1,%p2}",
    "[%rd1,{%r1,%r2}]",
    "[%rd1,{%f1,%f2}]",
    "[%rd1,{%f1,%f2,%f1,%f2}]",
    "[%rd1,{%r1}]",
    "[texture,{%f1}]",
    "shared",
    "global",
    "constant",
    "local",
    "arg",
    "p0",
    "f",
    "(arg)",
    "()",
    "(%r1)",
    "label",
    "table",
    "prototype",
    "%tid.x",
    "%clock64",
    "%laneid",
    "%lanemask_lt",
    "%envreg1",
    "%nosuch",
    "WARP_SZ",
    "-%r1",
    "%r1,%r2",
    "dynamic",
    "[dynamic+4]",
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

static const char *draw_operand(unsigned *state, char letter)
{
    static const struct {
        char letter;
        const char *names[3];
    } fitting[] = {
        {'h', {"%rs1", "%rs2", "7"}}, {'w', {"%r1", "%r2", "-3"}},  {'f', {"%f1", "%f2", "0fBF800000"}},
        {'d', {"%rd1", "%rd2", "9"}}, {'e', {"%fd1", "%fd2", "1"}}, {'p', {"%p1", "%p2", "!%p1"}},
    };
    for (size_t i = 0; i < COUNT(fitting); i++)
        if (fitting[i].letter == letter && draw(state, 12))
            return fitting[i].names[draw(state, 3)];
    return operands[draw(state, COUNT(operands))];
}

/* An instruction of the tables with operands that mostly fit. */
static void make_arithmetic(char *text, size_t size, unsigned *state)
{
    const struct form *form = form_at(draw(state, (uint32_t)form_count()));
    const char *letters = form->signature;
    size_t used = (size_t)snprintf(text, size, "%s %s", form->name, draw_operand(state, letters[0]));
    for (letters += 2; *letters && used < size; letters++)
        used += (size_t)snprintf(text + used, size - used, ", %s", draw_operand(state, *letters));
}

static void make_any(char *text, size_t size, unsigned *state)
{
    const char *known = instructions[draw(state, COUNT(instructions))];
    uint32_t count = draw(state, 6);
    size_t used = (size_t)snprintf(text, size, "%.*s", (int)strcspn(known, " "), known);
    for (uint32_t k = 0; k < count && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", k ? ", " : " ", draw_operand(state, '?'));
}

static void make_instruction(char *text, size_t size, unsigned *state)
{
    char body[250];
    uint32_t kind = draw(state, 4);
    if (kind == 0)
        make_any(body, sizeof body, state);
    else if (kind == 1)
        make_arithmetic(body, sizeof body, state);
    else
        snprintf(body, sizeof body, "%s", instructions[draw(state, COUNT(instructions))]);
    snprintf(text, size, "%s%s;\n", draw(state, 8) ? "" : "@%p1 ", body);
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
    return c == '%' || c == '.' || c == '_' || c == '$' || (c >= '0' && c <= '9') ||
           ((c | 32) >= 'a' && (c | 32) <= 'z');
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
    const char *word = operands[draw(state, COUNT(operands))];
    return replace(data, size, max_size, begin, end - begin, word);
}

/* Some number becomes one at an end of its range. */
static size_t replace_number(uint8_t *data, size_t size, size_t max_size, unsigned *state)
{
    static const char *const extremes[] = {"0",          "1",          "3",          "65535",
                                           "65536",      "2147483647", "2147483648", "4294967295",
                                           "4294967296", "-1",         "1048577",    "18446744073709551615"};
    size_t begin = draw(state, (uint32_t)size), end;
    while (begin < size && (data[begin] < '0' || data[begin] > '9'))
        begin++;
    for (end = begin; end < size && data[end] >= '0' && data[end] <= '9';)
        end++;
    return replace(data, size, max_size, begin, end - begin, extremes[draw(state, COUNT(extremes))]);
}

static size_t line_end(const uint8_t *data, size_t size, size_t at)
{
    while (at < size && data[at] != '\n')
        at++;
    return at < size ? at + 1 : size;
}

/* Some lines follow once more: loops, branches and declarations pile up. */
static size_t repeat_lines(uint8_t *data, size_t size, size_t max_size, unsigned *state)
{
    enum { MOST = 4000 };
    char text[MOST + 1];
    const size_t begin = line_end(data, size, draw(state, (uint32_t)size));
    size_t end = begin;
    for (uint32_t lines = draw(state, 30) + 1; lines && end - begin < MOST; lines--)
        end = line_end(data, size, end);
    if (end - begin > MOST)
        return size;
    memcpy(text, data + begin, end - begin);
    text[end - begin] = '\0';
    return memchr(text, '\0', end - begin) ? size : replace(data, size, max_size, end, 0, text);
}

/* Some lines are taken from one place to another: labels, declarations and jumps come in any order. */
static size_t move_line(uint8_t *data, size_t size, size_t max_size, unsigned *state)
{
    char text[300];
    const size_t begin = line_end(data, size, draw(state, (uint32_t)size)), end = line_end(data, size, begin);
    if (end - begin >= sizeof text || memchr(data + begin, '\0', end - begin))
        return size;
    snprintf(text, sizeof text, "%.*s", (int)(end - begin), (const char *)data + begin);
    size = replace(data, size, max_size, begin, end - begin, "");
    return replace(data, size, max_size, line_end(data, size, draw(state, (uint32_t)size + 1)), 0, text);
}

typedef size_t mutation(uint8_t *data, size_t size, size_t max_size, unsigned *state);
static mutation *const mutations[] = {insert_instruction, insert_instruction, insert_instruction,
                                      replace_word,       replace_word,       replace_number,
                                      repeat_lines,       move_line};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    unsigned state = seed;
    if (!size || draw(&state, 9) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    return mutations[draw(&state, COUNT(mutations))](data, size, max_size, &state);
}
