/* program.c - see program.h. */
#include "model/program.h"

#include <stdlib.h>

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
    entry->first_register = program->nregisters;
    program->nregisters += entry->lowered->nregisters;
    return entry->recorded && entry->spans;
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
    for (uint32_t b = 0; module->program && b < RECORD_BLOCKS; b++) {
        const struct block_record *record = launch->records[b];
        for (uint32_t w = 0; record && w < record->nwarps; w++)
            if (!add_mentioned(module->program, &record->warps[w]))
                return NULL;
    }
    return module->program;
}
