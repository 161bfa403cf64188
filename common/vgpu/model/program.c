/* program.c - see program.h. */
#include "model/program.h"

#include <stdlib.h>
#include <string.h>

/* JOINs leave no trace in a record. */
static void measure_segment(struct program_function *entry, const struct function *function, uint32_t index)
{
    const struct segment *segment = &entry->lowered->segments[index];
    uint32_t first = UINT32_MAX, last = 0, count = 0;
    for (uint32_t i = segment->first_insn; i < segment->first_insn + segment->ninsns; i++) {
        if (function->code[i].kind == INSN_JOIN)
            continue;
        first = first < i ? first : i;
        last = i;
        count++;
    }
    entry->recorded[index] = count;
    entry->spans[index] = count ? last - first : 0;
}

/* ------------------------------------------------------------------------------------------- operands */

enum { MAX_SOURCES = 3 };

static void add_source(uint32_t out[MAX_SOURCES], uint32_t *count, uint32_t reg)
{
    for (uint32_t k = 0; k < *count; k++)
        if (out[k] == reg)
            return;
    if (*count < MAX_SOURCES)
        out[(*count)++] = reg;
}

static bool is_predicate(const struct function *function, uint32_t reg)
{
    return reg < function->ptx->nregs && function->ptx->regs[reg].type == PTX_PRED;
}

/* The distinct registers that an operation reads; literals are part of the instruction. Floats may read parameters,
 * which have been loaded into registers; integers come from uniform registers then. */
static uint32_t sources_of(const struct function *function, const struct op *op, uint32_t out[MAX_SOURCES])
{
    const struct ptx_insn *source = function->code[op->insn].source;
    uint32_t count = 0;
    if (op->count != 1 || !source)
        return 0;
    if (op->class == OP_FP32)
        for (uint32_t i = 1; i < source->noperands; i++)
            if (source->operands[i].kind == PTX_OP_REG)
                add_source(out, &count, source->operands[i].reg);
    if (op->class == OP_ALU || op->class == OP_IMAD)
        for (uint32_t i = 0; i < OP_USES && op->use[i] != NO_REGISTER; i++)
            if (!is_predicate(function, op->use[i]))
                add_source(out, &count, op->use[i]);
    return count;
}

static uint32_t count_common(const uint32_t *a, uint32_t na, const uint32_t *b, uint32_t nb)
{
    uint32_t common = 0;
    for (uint32_t i = 0; i < na; i++)
        for (uint32_t k = 0; k < nb; k++)
            common += a[i] == b[k];
    return common;
}

static void find_ports(struct op_ports *ports, const struct function *function, const struct op *ops,
                       uint32_t nops)
{
    uint32_t before[MAX_SOURCES], nbefore = 0;
    for (uint32_t i = 0; i < nops; i++) {
        uint32_t sources[MAX_SOURCES];
        const uint32_t count = sources_of(function, &ops[i], sources);
        ports[i].sources = (uint8_t)count;
        ports[i].fresh = (uint8_t)(count - count_common(sources, count, before, nbefore));
        memcpy(before, sources, sizeof before);
        nbefore = count;
    }
}

static uint32_t all_ops(const struct lowered *lowered)
{
    uint32_t all = lowered->nops;
    for (uint32_t s = 0; s < lowered->nsegments; s++) {
        const uint32_t end = lowered->segments[s].first_unrolled + lowered->segments[s].nunrolled;
        all = end > all ? end : all;
    }
    return all;
}

static bool add_function(struct program *program, uint32_t index)
{
    struct program_function *entry = &program->functions[index];
    const struct function *function = &program->module->functions[index];
    if (entry->spans)
        return true;
    entry->lowered = function->code ? lower_function(function) : NULL;
    if (!entry->lowered)
        return false;
    entry->recorded = calloc(entry->lowered->nsegments + 1, sizeof *entry->recorded);
    entry->spans = calloc(entry->lowered->nsegments + 1, sizeof *entry->spans);
    for (uint32_t s = 0; entry->recorded && entry->spans && s < entry->lowered->nsegments; s++)
        measure_segment(entry, function, s);
    const uint32_t nops = all_ops(entry->lowered);
    entry->ports = calloc(nops + 1, sizeof *entry->ports);
    if (entry->ports)
        find_ports(entry->ports, function, entry->lowered->ops, nops);
    entry->first_register = program->nregisters;
    entry->first_segment = program->nsegments;
    program->nregisters += entry->lowered->nregisters;
    program->nsegments += entry->lowered->nsegments;
    return entry->recorded && entry->spans && entry->ports;
}

static struct program *program_new(const struct module *module)
{
    struct program *program = calloc(1, sizeof *program);
    if (!program)
        return NULL;
    program->module = module;
    program->functions = calloc(module->nfunctions, sizeof *program->functions);
    if (program->functions)
        return program;
    free(program);
    return NULL;
}

void program_free(struct program *program)
{
    for (uint32_t f = 0; program && f < program->module->nfunctions; f++) {
        lower_free(program->functions[f].lowered);
        free(program->functions[f].recorded);
        free(program->functions[f].spans);
        free(program->functions[f].ports);
    }
    if (program)
        free(program->functions);
    free(program);
}

static bool add_mentioned(struct program *program, const struct warp_record *record)
{
    for (uint32_t i = 0, last = UINT32_MAX; i < record->nplaces; i++) {
        const uint32_t function = place_function(record->places[i]);
        if (function != last && !add_function(program, function))
            return false;
        last = function;
    }
    return true;
}

struct program *program_for(const struct launch *launch)
{
    struct module *module = launch->kernel->module;
    if (!module->program)
        module->program = program_new(module);
    for (uint32_t b = 0; module->program && b <= RECORD_BLOCKS; b++) {
        const struct block_record *record = b < RECORD_BLOCKS ? launch->records[b] : launch->longest.record;
        for (uint32_t w = 0; record && w < record->nwarps; w++)
            if (!add_mentioned(module->program, &record->warps[w]))
                return NULL;
    }
    return module->program;
}
