/* probe.c - is a tape what the machine did? probe FOLDER
 * After every step the registers, predicates and shared memory that follow from the tape alone must be the machine's own. The
 * machine's states are written with the profile to FOLDER/KERNEL.html, for the player's script: check.js. */
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
static struct {
    uint8_t *regs;
    uint32_t *preds;
} known[MOST_WARPS];
static uint32_t shared[TAPE_SHARED / 4];
static const struct tape *last;
static unsigned passed, failed;
static char *samples; /* JSON, of all steps */
static size_t samples_size;
static FILE *samples_file;
static struct json samples_json;
static void check(bool is_right, const char *what, const struct tape *tape)
{
    passed += is_right;
    failed += !is_right;
    if (!is_right && failed < 20)
        printf("FAIL %s: after step %u of block %llu, %s\n", what, tape->nsteps,
               (unsigned long long)tape->block, tape->steps[tape->nsteps - 1].insn->source->name);
}

static void begin(const struct tape *tape, const struct warp *warp)
{
    last = tape;
    memset(shared, 0, sizeof shared);
    memcpy(shared, warp->block->shared, tape->shared_bytes);
    for (int i = 0; i < MOST_WARPS; i++) {
        free(known[i].regs);
        free(known[i].preds);
        known[i].regs = NULL;
        known[i].preds = NULL;
    }
    free(samples);
    samples_file = open_memstream(&samples, &samples_size);
    samples_json = (struct json){.file = samples_file};
    json_list(&samples_json, NULL);
}

static void *copy(const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    if (!to)
        abort();
    return memcpy(to, from, bytes);
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

static void apply(const struct tape *tape, const struct tape_step *step, const struct frame *frame)
{
    const uint32_t *pairs = tape_preds(tape, step);
    if (frame)
        apply_defs(tape, step, known[step->warp].regs);
    for (uint32_t i = 0; frame && i < step->npreds; i++)
        known[step->warp].preds[pairs[2 * i]] = pairs[2 * i + 1];
    pairs = tape_shared(tape, step);
    for (uint32_t i = 0; i < step->nshared; i++)
        shared[pairs[2 * i]] = pairs[2 * i + 1];
}

/* The machine's registers as words of 32 bits, and the words of shared memory. */
static void sample(const struct tape *tape, const struct frame *frame, const struct warp *warp)
{
    const uint32_t nwords = frame->function->register_bytes / 4;
    uint32_t word;
    json_line(&samples_json);
    json_object(&samples_json, NULL);
    json_count(&samples_json, "step", tape->nsteps);
    json_count(&samples_json, "warp", warp->index);
    json_list(&samples_json, "registers");
    for (uint32_t i = 0; i < nwords; i++) {
        memcpy(&word, frame->regs + 4 * i, 4);
        json_count(&samples_json, NULL, word);
    }
    json_end_list(&samples_json);
    json_list(&samples_json, "preds");
    for (uint32_t i = 0; i < frame->function->npreds; i++)
        json_count(&samples_json, NULL, frame->preds[i]);
    json_end_list(&samples_json);
    json_list(&samples_json, "shared");
    for (uint32_t i = 0; i < tape->shared_bytes / 4; i++) {
        memcpy(&word, warp->block->shared + 4 * i, 4);
        json_count(&samples_json, NULL, word);
    }
    json_end_list(&samples_json);
    json_end_object(&samples_json);
}

static void probe(const struct tape *tape, const struct warp *warp, const struct frame *frame)
{
    const struct tape_step *step = &tape->steps[tape->nsteps - 1];
    const struct frame *own = frame && !frame->caller ? frame : NULL;
    if (tape != last)
        begin(tape, warp);
    if (own &&
        !known[warp->index].regs) { /* its first step: what it had not written yet is as the machine began */
        known[warp->index].regs = copy(own->regs, own->function->register_bytes);
        known[warp->index].preds = copy(own->preds, own->function->npreds * sizeof *own->preds);
    }
    apply(tape, step, own);
    if (own) {
        check(!memcmp(known[warp->index].regs, own->regs, own->function->register_bytes), "registers", tape);
        check(!memcmp(known[warp->index].preds, own->preds, own->function->npreds * sizeof *own->preds),
              "predicates", tape);
    }
    check(!memcmp(shared, warp->block->shared, tape->shared_bytes), "shared memory", tape);
    if (own)
        sample(tape, own, warp);
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
    json_end_list(&samples_json);
    fclose(samples_file);
    snprintf(path, sizeof path, "%s/%s.html", folder, launch->kernel);
    if (asprintf(
            &json,
            "{\"title\":\"%s\",\"gpu\":\"h200\",\"kernels\":[{\"launches\":1,\"total_us\":%g,\"words\":\"\","
            "\"profile\":%s}],\"sources\":{},\"expected\":%s}",
            launch->kernel, launch->time_us, text, samples) < 0)
        abort();
    file = fopen(path, "w");
    if (!file)
        abort();
    page_write(file, &(struct page){.title = launch->kernel, .json = json, .plain = ""});
    fclose(file);
    free(json);
    free(text);
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    tape_probe = probe;
    vgpu_watch(&(struct vgpu_watcher){.wants_profile = true, .launched = launched});
    launch_all();
    printf("%u passed, %u failed\n", passed, failed);
    return failed != 0 || !passed;
}
