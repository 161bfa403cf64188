/* probe.c - is a tape what the machine did? probe FOLDER
 * After every step the registers, predicates and shared memory that follow from the tape alone must be the machine's own. The
 * machine's states are written with the profile to FOLDER/KERNEL.html, for the player's script: check.js. Where rounds of loops have
 * been left out, the whole tape must still lead to the same state. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "core/tape.h"
#include "core/warp.h"
#include "page/page.h"
#include "vgpu.h"

void launch_all(void);

enum { MOST_WARPS = 32 };

/* What follows from the tape: of kernels' own frames. */
struct known {
    uint8_t *regs;
    uint32_t *preds;
};
static struct known known[MOST_WARPS];
static struct known first[MOST_WARPS]; /* as each warp began */
static uint32_t shared[TAPE_SHARED / 4], first_shared[TAPE_SHARED / 4];
static const struct tape *last;
static uint32_t nfolds, seen; /* folds and steps of it so far */
static unsigned passed, failed, folds, gaps;

/* The machine's own state after a step. */
struct sample {
    uint32_t serial, warp, nregs, npreds, nshared;
    uint32_t *words; /* registers, predicates, shared memory */
};
static struct sample *samples;
static size_t nsamples, samples_capacity;

static void check(bool is_right, const char *what, const struct tape *tape)
{
    passed += is_right;
    failed += !is_right;
    if (!is_right && failed < 20)
        printf("FAIL %s: after step %u of block %llu, %s\n", what, tape->nsteps,
               (unsigned long long)tape->block, tape->steps[tape->nsteps - 1].insn->source->name);
}

static void *copy(const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    if (!to)
        abort();
    return memcpy(to, from, bytes);
}

static void forget(struct known *one)
{
    free(one->regs);
    free(one->preds);
    *one = (struct known){NULL, NULL};
}

static void begin(const struct tape *tape, const struct warp *warp)
{
    last = tape;
    nfolds = seen = 0;
    memset(shared, 0, sizeof shared);
    memcpy(shared, warp->block->shared, tape->shared_bytes);
    memcpy(first_shared, shared, sizeof shared);
    for (int i = 0; i < MOST_WARPS; i++) {
        forget(&known[i]);
        forget(&first[i]);
    }
    for (size_t i = 0; i < nsamples; i++)
        free(samples[i].words);
    nsamples = 0;
}

/* Registers of two bytes lie side by side in the machine, as words on the tape. */
static void apply_defs(const struct tape *tape, const struct tape_step *step, uint8_t *regs)
{
    for (uint32_t i = 0; i < step->ndefs; i++) {
        const uint32_t *words = tape_def(tape, step, i);
        for (int lane = 0; lane < LANES; lane++)
            if (step->insn->dsize == 2)
                memcpy(regs + words[0] + 2 * lane, &words[1 + lane], 2);
            else
                memcpy(regs + words[0] + 4 * step->def_words * (uint32_t)lane,
                       &words[1 + step->def_words * (uint32_t)lane], 4 * step->def_words);
    }
}

static void apply(const struct tape *tape, const struct tape_step *step, struct known *to, uint32_t *memory)
{
    const uint32_t *pairs = tape_shared(tape, step);
    for (uint32_t i = 0; i < step->nshared; i++)
        memory[pairs[2 * i]] = pairs[2 * i + 1];
    if (step->kind == TAPE_QUIET || !to->regs)
        return;
    pairs = tape_preds(tape, step);
    apply_defs(tape, step, to->regs);
    for (uint32_t i = 0; i < step->npreds; i++)
        to->preds[pairs[2 * i]] = pairs[2 * i + 1];
}

static void apply_gap(const struct tape *tape, const struct tape_step *step, uint32_t kernel,
                      struct known *to)
{
    gaps++;
    for (uint32_t i = 0; i < step->ndefs; i++) {
        const struct tape_gap_def *def = &tape_gap_defs(tape, step)[i];
        for (uint32_t lane = 0; lane < LANES; lane++)
            if (def->function == kernel && def->mask >> lane & 1)
                memcpy(to->regs + def->offset + 4 * def->nwords * lane, &def->lanes[def->nwords * lane],
                       4 * def->nwords);
    }
    for (uint32_t i = 0; i < step->npreds; i++)
        if (tape_gap_preds(tape, step)[i].function == kernel)
            to->preds[tape_gap_preds(tape, step)[i].number] = tape_gap_preds(tape, step)[i].lanes;
}

/* From the begin, with what is left of the tape: the same state must come out. */
static void replay(const struct tape *tape, const struct function *kernel)
{
    static uint32_t memory[TAPE_SHARED / 4];
    struct known now[MOST_WARPS] = {{NULL, NULL}};
    memcpy(memory, first_shared, sizeof memory);
    for (uint32_t w = 0; w < tape->nwarps; w++)
        if (first[w].regs) {
            now[w].regs = copy(first[w].regs, kernel->register_bytes);
            now[w].preds = copy(first[w].preds, kernel->npreds * sizeof *first[w].preds);
        }
    for (uint32_t i = 0; i < tape->nsteps; i++) {
        const struct tape_step *step = &tape->steps[i];
        struct known none = {NULL, NULL}, *to = &now[step->warp];
        if (step->kind == TAPE_GAP)
            apply_gap(tape, step, kernel->index, to);
        else
            apply(tape, step, step->function == kernel ? to : &none, memory);
    }
    for (uint32_t w = 0; w < tape->nwarps; w++) {
        if (now[w].regs && !tape->is_cut[w]) {
            check(!memcmp(now[w].regs, known[w].regs, kernel->register_bytes), "registers after a fold",
                  tape);
            check(!memcmp(now[w].preds, known[w].preds, kernel->npreds * sizeof *now[w].preds),
                  "predicates after a fold", tape);
        }
        forget(&now[w]);
    }
    check(!memcmp(memory, shared, tape->shared_bytes), "shared memory after a fold", tape);
    folds++;
}

static void add_sample(const struct tape *tape, const struct frame *frame, const struct warp *warp)
{
    struct sample sample = {.serial = tape->serial,
                            .warp = warp->index,
                            .nregs = frame->function->register_bytes / 4,
                            .npreds = frame->function->npreds,
                            .nshared = tape->shared_bytes / 4};
    sample.words = calloc(sample.nregs + sample.npreds + sample.nshared + 1, sizeof *sample.words);
    if (nsamples == samples_capacity)
        samples = realloc(samples, (samples_capacity = 2 * samples_capacity + 100) * sizeof *samples);
    if (!sample.words || !samples)
        abort();
    memcpy(sample.words, frame->regs, 4 * (size_t)sample.nregs);
    memcpy(sample.words + sample.nregs, frame->preds, 4 * (size_t)sample.npreds);
    memcpy(sample.words + sample.nregs + sample.npreds, warp->block->shared, 4 * (size_t)sample.nshared);
    samples[nsamples++] = sample;
}

/* Where a step is among those that the page shows, from 1; 0: nowhere. */
static uint32_t shown_at(const struct tape *tape, uint32_t serial)
{
    uint32_t shown = 0;
    for (uint32_t i = 0; i < tape->nsteps; i++) {
        shown += tape->steps[i].kind != TAPE_QUIET && tape->steps[i].insn->id && tape->steps[i].insn->source;
        if (tape->steps[i].kind == TAPE_STEP && tape->steps[i].serial == serial)
            return shown;
    }
    return 0;
}

/* Of steps that are left out nobody asks. */
static void forget_samples(const struct tape *tape)
{
    size_t kept = 0;
    for (size_t i = 0; i < nsamples; i++)
        if (shown_at(tape, samples[i].serial))
            samples[kept++] = samples[i];
        else
            free(samples[i].words);
    nsamples = kept;
}

/* All steps of a short kernel; of a long one each 7th, and each of its begin. */
static bool is_sampled(const struct tape *tape)
{
    return tape->serial < 2000 || tape->serial % 7 == 0;
}

static void probe(const struct tape *tape, const struct warp *warp, const struct frame *frame)
{
    const struct tape_step *step = &tape->steps[tape->nsteps - 1];
    const struct frame *own = frame && !frame->caller ? frame : NULL;
    struct known none = {NULL, NULL}, *to = &known[warp->index];
    if (tape != last || tape->serial == 1)
        begin(tape, warp);
    if (own && !to->regs) { /* its first step: what it had not written yet is as the machine began */
        to->regs = copy(own->regs, own->function->register_bytes);
        to->preds = copy(own->preds, own->function->npreds * sizeof *own->preds);
        first[warp->index].regs = copy(own->regs, own->function->register_bytes);
        first[warp->index].preds = copy(own->preds, own->function->npreds * sizeof *own->preds);
    }
    for (uint32_t i = seen; i + 1 < tape->nsteps && tape->nfolds == nfolds;
         i++) /* of warps whose tape is cut */
        apply(tape, &tape->steps[i], &none, shared);
    apply(tape, step, own ? to : &none, shared);
    if (own) {
        check(!memcmp(to->regs, own->regs, own->function->register_bytes), "registers", tape);
        check(!memcmp(to->preds, own->preds, own->function->npreds * sizeof *own->preds), "predicates", tape);
    }
    if (tape->nfolds != nfolds) /* replay() says whether that is right */
        memcpy(shared, warp->block->shared, tape->shared_bytes);
    check(!memcmp(shared, warp->block->shared, tape->shared_bytes), "shared memory", tape);
    seen = tape->nsteps;
    if (own && is_sampled(tape))
        add_sample(tape, own, warp);
    if (tape->nfolds == nfolds)
        return;
    nfolds = tape->nfolds;
    replay(tape, warp->block->launch->kernel);
    forget_samples(tape);
}

static void put_words(struct json *json, const char *key, const uint32_t *words, uint32_t count)
{
    json_list(json, key);
    for (uint32_t i = 0; i < count; i++)
        json_count(json, NULL, words[i]);
    json_end_list(json);
}

/* At most so many of a page, from its begin, its end and in between. */
static char *samples_json(const struct tape *tape)
{
    enum { MOST = 600 };
    char *text = NULL;
    size_t size;
    struct json json = {.file = open_memstream(&text, &size)};
    forget_samples(tape);
    json_list(&json, NULL);
    for (size_t i = 0; i < nsamples; i++) {
        const struct sample *one = &samples[i];
        if (nsamples > MOST && i * MOST / nsamples == (i + 1) * MOST / nsamples)
            continue;
        json_line(&json);
        json_object(&json, NULL);
        json_count(&json, "step", shown_at(tape, one->serial));
        json_count(&json, "warp", one->warp);
        put_words(&json, "registers", one->words, one->nregs);
        put_words(&json, "preds", one->words + one->nregs, one->npreds);
        put_words(&json, "shared", one->words + one->nregs + one->npreds, one->nshared);
        json_end_object(&json);
    }
    json_end_list(&json);
    fclose(json.file);
    return text;
}

static const char *folder;

static void launched(void *context, const struct vgpu_launch *launch)
{
    char path[4096], *text = NULL, *json = NULL;
    size_t size;
    (void)context;
    FILE *file = open_memstream(&text, &size);
    vgpu_profile_json(file, launch, true);
    fclose(file);
    char *expected = samples_json(last);
    snprintf(path, sizeof path, "%s/%s.html", folder, launch->kernel);
    if (asprintf(
            &json,
            "{\"title\":\"%s\",\"gpu\":\"h200\",\"kernels\":[{\"launches\":1,\"total_us\":%g,\"words\":\"\","
            "\"profile\":%s}],\"sources\":{},\"expected\":%s}",
            launch->kernel, launch->time_us, text, expected) < 0)
        abort();
    file = fopen(path, "w");
    if (!file)
        abort();
    page_write(file, &(struct page){.title = launch->kernel, .json = json, .plain = ""});
    fclose(file);
    free(json);
    free(text);
    free(expected);
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    tape_probe = probe;
    vgpu_watch(&(struct vgpu_watcher){.wants_profile = true, .launched = launched});
    launch_all();
    printf("folds: %u, gaps: %u\n", folds, gaps);
    if (!folds || !gaps)
        printf("FAIL nothing was left out\n");
    failed += !folds || !gaps;
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0 || !passed;
}
