/* hand_check.c - is a stage right at one size? All of it is executed and compared, as a judge does it: outputs poisoned, what
 * nobody wrote full of garbage, a second call on other inputs. Times are not looked at. */
#include "lab/hand.h"

#include <ctype.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/device.h"
#include "lab/findings.h"

/* Defined where the virtual GPU is linked. */
#pragma weak vgpu_forget_writes
#pragma weak vgpu_gpu
#pragma weak vgpu_name_memory
#pragma weak vgpu_watch
#pragma weak vgpu_set_check
#pragma weak vgpu_set_execution
#pragma weak vgpu_set_garbage
#pragma weak vgpu_set_order
#pragma weak vgpu_set_timed
#pragma weak vgpu_set_use

/* Elements; above, and where much is computed for each of few, a GPU is asked for what is right, if there is one. */
enum { CPU_LIMIT = 1 << 22 };

bool hand_is_virtual(void)
{
    return vgpu_gpu != NULL;
}

/* ------------------------------------------------------------------------------------------- the entry point */

struct hand_work hand_work;

/* The call that is under way. */
static struct {
    const struct lab_run *run;
    const char *if_ended;
} calling;

void hand_call(const struct lab_run *run, const char *if_ended)
{
    hand_work = (struct hand_work){.launches = 0};
    calling.run = run;
    calling.if_ended = if_ended;
    lab.call(run);
    calling.run = NULL;
}

/* The program ends in the middle of a call: what the file itself printed stands above. */
static void tell_end(void)
{
    if (!calling.run)
        return;
    if (hand_release(true))
        hand_put_unsure(calling.run, "Right at a small size. With a sample of its blocks the file ended the "
                                     "program: --all executes all of them.");
    else
        hand_put_wrong(calling.run, hand_found.symptom != LAB_NO_SYMPTOM ? hand_found.symptom : LAB_LAUNCH,
                       calling.if_ended, NULL, false);
}

/* ------------------------------------------------------------------------------------------- memory */

/* The run that has memory now. Where a file ends the program, as CHECK() does, that is given back as well: what leaks then is the
 * file's own. */
static struct lab_run *opened;

static void close_opened(void)
{
    tell_end();
    if (opened)
        hand_close(opened);
}

static void note_opened(struct lab_run *run)
{
    static bool is_noted;
    opened = run;
    if (!is_noted)
        is_noted = atexit(close_opened) == 0;
}

static void release(struct lab_buffer *buffer)
{
    buffer->is_host ? free(buffer->device) : (void)cudaFree(buffer->device);
    free(buffer->host);
    buffer->device = buffer->host = NULL;
}

void hand_close(struct lab_run *run)
{
    opened = opened == run ? NULL : opened;
    for (int i = 0; i < run->nbuffers; i++)
        release(&run->buffers[i]);
}

/* The same bytes either way; a GPU makes them faster than this machine does. */
static const char *fill(const struct lab_run *run, int index)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const size_t bytes = lab_buffer_bytes(buffer);
    const char *problem = NULL;
    cudaError_t error;
    if (buffer->is_host || hand_is_virtual()) {
        lab_fill(run, index, buffer->host);
        error = cudaMemcpy(buffer->device, buffer->host, bytes, cudaMemcpyDefault);
    } else {
        problem = lab_device_fill(run, index, buffer->device);
        error = cudaMemcpy(buffer->host, buffer->device, bytes, cudaMemcpyDeviceToHost);
    }
    return problem || error == cudaSuccess ? problem : cudaGetErrorString(error);
}

/* On the virtual GPU nobody has written the poison, nor what an earlier call left in scratch memory: its checker tells who goes by
 * it. */
static void forget(const struct lab_buffer *buffer)
{
    if (hand_is_virtual() && !buffer->is_host)
        vgpu_forget_writes(buffer->device);
}

static const char *set_buffers(const struct lab_run *run)
{
    const char *problem = NULL;
    for (int i = 0; i < run->nbuffers && !problem; i++)
        if (run->buffers[i].role != LAB_SCRATCH || !hand_is_virtual())
            problem = fill(run, i);
    for (int i = 0; i < run->nbuffers; i++)
        if (run->buffers[i].role != LAB_IN)
            forget(&run->buffers[i]);
    return problem;
}

static const char *allocate(struct lab_buffer *buffer, bool is_filled)
{
    buffer->host = is_filled ? malloc(lab_buffer_bytes(buffer) + 1) : NULL;
    if (is_filled && !buffer->host)
        return "out of memory";
    if (buffer->is_host) {
        buffer->device = malloc(lab_buffer_bytes(buffer) + 1);
        return buffer->device ? NULL : "out of memory";
    }
    cudaError_t error = cudaMalloc(&buffer->device, lab_buffer_bytes(buffer));
    if (error == cudaSuccess && hand_is_virtual())
        vgpu_name_memory(buffer->device, buffer->name);
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

const char *hand_open(struct lab_run *run, bool is_filled)
{
    const char *problem = NULL;
    note_opened(run);
    for (int i = 0; i < run->nbuffers && !problem; i++)
        problem = allocate(&run->buffers[i], is_filled);
    return problem || !is_filled ? problem : set_buffers(run);
}

/* ------------------------------------------------------------------------------------------- what is found */

struct hand_found hand_found;

/* Places that have been told: one mistake is told once. */
static struct {
    char list[32][80];
    int count;
} told;

static bool is_told(const char *place)
{
    for (int i = 0; i < told.count; i++)
        if (*place && !strncmp(told.list[i], place, sizeof told.list[i] - 1))
            return true;
    return false;
}

/* Messages that wait, and how many places had been told before them. */
static struct {
    bool is_on;
    int told;
    char text[8000];
} held;

void hand_hold(void)
{
    held.is_on = true;
    held.told = told.count;
    held.text[0] = '\0';
}

bool hand_release(bool is_true)
{
    const bool was_on = held.is_on;
    held.is_on = false;
    if (was_on && is_true) {
        fflush(stdout);
        fputs(held.text, stderr);
    } else if (was_on) {
        told.count = held.told;
        hand_found.symptom = LAB_NO_SYMPTOM;
    }
    return was_on;
}

static void keep_finding(const struct vgpu_message *message)
{
    const enum lab_symptom symptom = lab_symptom_of(message->kind);
    const bool is_within_warp = lab_is_within_warp(message->title);
    const bool is_wider = hand_found.symptom == symptom && hand_found.is_within_warp && !is_within_warp;
    if (lab_graver(hand_found.symptom, symptom) == hand_found.symptom && !is_wider)
        return;
    hand_found.symptom = symptom;
    hand_found.is_within_warp = is_within_warp;
    snprintf(hand_found.text, sizeof hand_found.text, "%s", message->text);
}

/* What the hint is about: what was found, if it is that, or what is said of the results. */
static const char *words_of_finding(enum lab_symptom symptom, const char *text)
{
    return hand_found.symptom == symptom && hand_found.text[0] ? hand_found.text : text;
}

static void on_message(void *context, const struct vgpu_message *message)
{
    (void)context;
    if (message->severity != VGPU_WARNING)
        keep_finding(message);
    if (is_told(message->place))
        return;
    if (told.count < LAB_COUNT(told.list))
        snprintf(told.list[told.count++], sizeof told.list[0], "%s", message->place);
    if (held.is_on) {
        snprintf(held.text + strlen(held.text), sizeof held.text - strlen(held.text), "%s", message->text);
        return;
    }
    fflush(stdout);
    fputs(message->text, stderr);
}

static void on_launch(void *context, const struct vgpu_launch *launch)
{
    (void)context;
    hand_work.launches++;
    hand_work.instructions += lab_counter_of(launch, "warp_instructions");
    if (launch->time_us < hand_found.longest_us)
        return;
    hand_found.longest_us = launch->time_us;
    hand_found.is_launch_bound = !strcmp(launch->limiter, "launch");
}

static bool is_in_output(const void *place)
{
    for (int i = 0; opened && i < opened->nbuffers; i++) {
        const struct lab_buffer *buffer = &opened->buffers[i];
        const uint8_t *begin = buffer->device, *at = place;
        if (buffer->role == LAB_OUT && !buffer->is_host && begin && at >= begin &&
            at < begin + lab_buffer_bytes(buffer))
            return true;
    }
    return false;
}

static void on_operation(void *context, const struct vgpu_operation *operation)
{
    static const bool is_write[] = {[VGPU_COPY] = true, [VGPU_SET] = true, [VGPU_ARRAY_COPY] = true};
    (void)context;
    if ((size_t)operation->kind < sizeof is_write && is_write[operation->kind])
        hand_work.writes += is_in_output(operation->to);
}

static void on_print(void *context, const char *text, size_t size)
{
    (void)context;
    if (!hand_found.is_quiet)
        fwrite(text, 1, size, stdout);
}

/* A GPU finds nothing out: it only has an error in the end. */
void hand_watch(void)
{
    static const struct vgpu_watcher watcher = {
        .message = on_message, .launched = on_launch, .printed = on_print, .operation = on_operation};
    hand_found = (struct hand_found){.symptom = LAB_NO_SYMPTOM};
    told.count = 0;
    if (hand_is_virtual())
        vgpu_watch(&watcher);
}

static enum lab_symptom symptom_of_error(cudaError_t error)
{
    if (hand_found.symptom != LAB_NO_SYMPTOM)
        return hand_found.symptom;
    return error == cudaErrorIllegalAddress      ? LAB_FAULT
           : error == cudaErrorMisalignedAddress ? LAB_MISALIGNED
                                                 : LAB_STOPPED;
}

/* ------------------------------------------------------------------------------------------- words */

void hand_put_wrong(const struct lab_run *run, enum lab_symptom symptom, const char *text, const char *known,
                    bool is_cause)
{
    char hint[LAB_TEXT], name[300], words[1000];
    snprintf(words, sizeof words, "%s%s%s", text, known ? ": " : "", known ? known : "");
    lab_write_hint(&lab, run->stage, symptom, words_of_finding(symptom, words), hint, sizeof hint);
    lab_describe_case(&lab, run->stage, run->which, name, sizeof name);
    bool is_missing;
    const bool is_answers = lab_is_about_answers(text, &is_missing);
    hand_put_row(run->stage, "WRONG");
    if (is_answers && !is_missing) /* how many are right is told where attempts are counted */
        hand_put(false, "Not right yet: ./grade %s.%s counts the answers.", lab.id, run->stage->id);
    else if (is_answers || symptom == LAB_MISSING) /* in every case */
        hand_put(false, "%c%s", toupper((unsigned char)text[0]), text + 1);
    else
        hand_put(false, "With %s: %s", name, text);
    if (known)
        hand_put(true, "It looks like this: %s.", known);
    if (!known || !is_cause) /* what names the cause leaves no hint to give */
        hand_put(true, "%s", hint);
}

void hand_put_unsure(const struct lab_run *run, const char *text)
{
    hand_put_row(run->stage, "unsure");
    hand_put(false, "%s", text);
}

void hand_put_dirt(const struct lab_stage *stage)
{
    char hint[LAB_TEXT];
    if (hand_found.symptom == LAB_NO_SYMPTOM)
        return;
    lab_write_hint(&lab, stage, hand_found.symptom, hand_found.text, hint, sizeof hint);
    hand_put(true, "not clean: %s", hint);
}

/* ------------------------------------------------------------------------------------------- what is right */

static void *answer_entry(const struct lab_stage *stage)
{
    const char *name = lab_answer(&lab, stage);
    return name ? dlsym(RTLD_DEFAULT, name) : NULL;
}

/* Outputs of its own for the kit's kernel; inputs are those of the run. Some elements stay unwritten. */
static const char *open_outputs(struct lab_run *own)
{
    const char *problem = NULL;
    for (int i = 0; i < own->nbuffers; i++)
        if (own->buffers[i].role == LAB_OUT)
            own->buffers[i].device = own->buffers[i].host = NULL;
    for (int i = 0; i < own->nbuffers && !problem; i++)
        if (own->buffers[i].role == LAB_OUT && !(problem = allocate(&own->buffers[i], false)))
            problem = lab_device_fill(own, i, own->buffers[i].device);
    return problem;
}

static void close_outputs(struct lab_run *own)
{
    for (int i = 0; i < own->nbuffers; i++)
        if (own->buffers[i].role == LAB_OUT)
            release(&own->buffers[i]);
}

/* The reference's outputs from the kit's own kernel: on a GPU, for sizes that would take a CPU too long. */
static const char *run_answer(struct lab_run *own, void *function)
{
    struct lab_stage stage = *own->stage;
    memcpy(&stage.function, &function, sizeof function);
    own->stage = &stage;
    lab.call(own);
    cudaError_t error = cudaDeviceSynchronize();
    return error == cudaSuccess ? NULL : cudaGetErrorString(error);
}

static size_t count_elements(const struct lab_run *run)
{
    size_t elements = 0;
    for (int i = 0; i < run->nbuffers; i++)
        elements += run->buffers[i].count;
    return elements;
}

/* Writes output `index` as it should be to host memory. */
static const char *find_expected(const struct lab_run *run, int index, void *expected)
{
    void *function = answer_entry(run->stage);
    const bool is_small = count_elements(run) <= CPU_LIMIT && !lab_is_large(&lab, run->stage, run->which);
    if (hand_is_virtual() || !function || is_small) {
        lab_reference(run, index, expected);
        return NULL;
    }
    struct lab_run own = *run;
    const char *problem = open_outputs(&own);
    if (!problem)
        problem = run_answer(&own, function);
    if (!problem && cudaMemcpy(expected, own.buffers[index].device, lab_buffer_bytes(&run->buffers[index]),
                               cudaMemcpyDefault))
        problem = "cannot copy the reference's results";
    close_outputs(&own);
    return problem;
}

/* ------------------------------------------------------------------------------------------- comparing */

/* One case on its way. */
struct checking {
    struct lab_run run;
    bool is_further; /* the call: it has other inputs, */
    enum vgpu_order order;
    bool is_mere_finding; /* right, but not by right, and the device is lost */
};

/* What is said where the file ends the program. */
#define ENDED       "The file ended the program here."
#define ENDED_LATER "Right in the first call; in a second one the file ended the program."

static bool is_all_missing(const struct lab_difference *difference)
{
    return difference->wanted && difference->unwritten == difference->wanted;
}

static enum lab_symptom symptom_of(const struct lab_difference *difference)
{
    if (hand_found.symptom != LAB_NO_SYMPTOM)
        return hand_found.symptom;
    if (is_all_missing(difference))
        return LAB_UNTOUCHED;
    return difference->unwritten ? LAB_PARTLY : LAB_WRONG;
}

static void set_order(enum vgpu_order order)
{
    if (hand_is_virtual())
        vgpu_set_order(order);
}

static bool call(const struct lab_run *run, enum vgpu_order order, const char *if_ended, cudaError_t *error,
                 bool *is_refused)
{
    set_order(order);
    hand_call(run, if_ended);
    *error = cudaGetLastError();
    *is_refused = *error != cudaSuccess;
    if (!*is_refused)
        *error = cudaDeviceSynchronize();
    set_order(VGPU_FORWARD);
    return *error == cudaSuccess;
}

static bool fetch(const struct lab_buffer *buffer, void *to)
{
    const size_t bytes = lab_buffer_bytes(buffer);
    if (!buffer->is_host)
        return cudaMemcpy(to, buffer->device, bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
    memcpy(to, buffer->device, bytes);
    return true;
}

/* Where something was read that nobody wrote, only that it was swapped says more. */
static bool is_written(const struct lab_run *run, int index)
{
    const struct lab_buffer *buffer = &run->buffers[index];
    const size_t bytes = lab_buffer_bytes(buffer);
    const bool tells_more =
        buffer->role == LAB_IN || (buffer->role == LAB_SCRATCH && hand_found.symptom != LAB_UNINITIALISED);
    uint8_t *found = tells_more ? malloc(bytes + 1) : NULL;
    const bool is_other = found && fetch(buffer, found) && memcmp(found, buffer->host, bytes) != 0;
    free(found);
    return is_other;
}

/* No output was written. Once more with scratch memory that is poisoned, to see what was written instead. */
static const char *look_for_writes(const struct checking *checking)
{
    struct lab_run again;
    bool is_changed[LAB_BUFFERS] = {false}, is_open = true, is_refused;
    cudaError_t error;
    lab_begin_run(&again, &lab, checking->run.stage, checking->run.which, checking->run.seed);
    for (int i = 0; i < again.nbuffers && is_open; i++)
        is_open = !allocate(&again.buffers[i], true) && !fill(&again, i);
    is_open = is_open && call(&again, checking->order, ENDED, &error, &is_refused);
    for (int i = 0; i < again.nbuffers && is_open; i++)
        is_changed[i] = is_written(&again, i);
    const char *known = lab_recognise_untouched(&again, is_changed);
    hand_close(&again);
    return known;
}

/* What was found, behind which call it was. */
static void name_call(const struct checking *checking, const char *found, char *out, size_t size)
{
    if (checking->is_further)
        snprintf(out, size, "%s: %s", lab_words_of_call(checking->order), found);
    else
        snprintf(out, size, "%s", found);
}

static void explain(const struct checking *checking, int index, const void *expected,
                    const struct lab_difference *difference)
{
    const struct lab_run *run = &checking->run;
    char text[sizeof difference->text + 100];
    bool is_cause = false;
    const enum lab_symptom symptom = symptom_of(difference);
    const bool is_chance = hand_found.symptom != LAB_NO_SYMPTOM && hand_found.symptom != LAB_UNINITIALISED;
    const char *known = is_chance                    ? NULL
                        : is_all_missing(difference) ? look_for_writes(checking)
                                                     : lab_recognise(run, index, expected, &is_cause);
    is_cause |= known && is_all_missing(difference);
    /* Values that began with what happened to be there look like anything, and that the first call was right says more. */
    const bool is_by_chance = symptom == LAB_UNINITIALISED && !is_cause;
    if (is_by_chance || (checking->is_further && checking->order == VGPU_FORWARD))
        known = NULL;
    name_call(checking, difference->text, text, sizeof text);
    hand_put_wrong(run, symptom, text, known, is_cause);
}

static enum hand_status compare_output(const struct checking *checking, int index)
{
    const struct lab_buffer *buffer = &checking->run.buffers[index];
    struct lab_difference difference = {0};
    void *expected = malloc(lab_buffer_bytes(buffer) + 1);
    const char *problem = expected ? find_expected(&checking->run, index, expected) : "out of memory";
    if (!problem && !fetch(buffer, buffer->host))
        problem = "cannot copy the results";
    if (problem) {
        free(expected);
        return hand_fail(checking->run.stage->id, problem);
    }
    lab_compare(&checking->run, index, expected, &difference);
    if (difference.wrong)
        explain(checking, index, expected, &difference);
    free(expected);
    return difference.wrong ? HAND_WRONG : HAND_RIGHT;
}

static enum hand_status compare_input(const struct checking *checking, int index)
{
    const struct lab_buffer *buffer = &checking->run.buffers[index];
    const size_t bytes = lab_buffer_bytes(buffer);
    char text[200];
    void *found = malloc(bytes + 1);
    const bool is_found = found && fetch(buffer, found);
    const bool is_same = is_found && !memcmp(buffer->host, found, bytes);
    free(found);
    if (!is_found)
        return hand_fail(checking->run.stage->id, "cannot copy the inputs back");
    snprintf(text, sizeof text, "The kernels changed the input `%s`.", buffer->name);
    if (!is_same)
        hand_put_wrong(&checking->run, LAB_WRONG, text, NULL, false);
    return is_same ? HAND_RIGHT : HAND_WRONG;
}

/* An error that stays with the device fails every call that comes after it. */
bool hand_is_lost(void)
{
    cudaGetLastError();
    return cudaDeviceSynchronize() != cudaSuccess;
}

/* What is wrong first explains the case: outputs before inputs. What a lost device held cannot be looked at. */
static enum hand_status compare(const struct checking *checking)
{
    static const struct {
        enum lab_role role;
        enum hand_status (*compare)(const struct checking *checking, int index);
    } rows[] = {{LAB_OUT, compare_output}, {LAB_IN, compare_input}};
    enum hand_status status = HAND_RIGHT;
    const bool is_lost = hand_is_lost();
    for (int row = 0; row < LAB_COUNT(rows); row++)
        for (int i = 0; i < checking->run.nbuffers && status == HAND_RIGHT; i++) {
            const struct lab_buffer *buffer = &checking->run.buffers[i];
            if (buffer->role == rows[row].role && (buffer->is_host || !is_lost))
                status = rows[row].compare(checking, i);
        }
    return status;
}

/* ------------------------------------------------------------------------------------------- a case */

static enum hand_status check_call(struct checking *checking)
{
    cudaError_t error;
    bool is_refused;
    const bool is_done = call(&checking->run, checking->order, checking->is_further ? ENDED_LATER : ENDED,
                              &error, &is_refused);
    hand_found.is_quiet = true;
    /* Such a case asks for an error: what is wrong is what the file says of it. */
    const bool may_fail = lab_is_only_said(&checking->run);
    if (may_fail)
        hand_found.symptom = LAB_NO_SYMPTOM;
    checking->is_mere_finding = !is_done && lab_is_mere_finding(checking->order, hand_found.symptom);
    if (checking->is_mere_finding)
        return HAND_RIGHT;
    if (!is_done && !may_fail) {
        char text[200];
        name_call(checking, cudaGetErrorString(error), text, sizeof text);
        hand_put_wrong(&checking->run, is_refused ? LAB_LAUNCH : symptom_of_error(error), text, NULL, false);
        return HAND_WRONG;
    }
    return compare(checking);
}

static enum hand_status check_further_call(struct checking *checking, enum vgpu_order order)
{
    checking->is_further = true;
    checking->order = order;
    checking->run.seed = lab_seed(checking->run.seed, LAB_SECOND_CALL);
    const char *problem = set_buffers(&checking->run);
    return problem ? hand_fail("cannot fill the buffers again", problem) : check_call(checking);
}

/* A GPU chooses the order itself. */
static enum hand_status check_further_calls(struct checking *checking)
{
    enum vgpu_order orders[LAB_FURTHER_CALLS];
    const int ncalls = hand_is_virtual() ? lab_further_calls(checking->run.stage, orders) : 1;
    enum hand_status status = HAND_RIGHT;
    for (int i = 0; i < ncalls && status == HAND_RIGHT; i++)
        status = check_further_call(checking, hand_is_virtual() ? orders[i] : VGPU_FORWARD);
    return status;
}

/* What the environment says about checking is what counts. */
static void steer(uint64_t seed)
{
    if (!hand_is_virtual())
        return;
    vgpu_set_execution(VGPU_EXECUTE_ALL);
    vgpu_set_timed(false);
    vgpu_set_use(false);
    vgpu_set_garbage(lab_garbage(seed));
    if (!getenv("VGPU_CHECK"))
        vgpu_set_check(VGPU_CHECK_FULL);
}

char hand_meaning[160];

enum hand_status hand_check(const struct lab_stage *stage, const struct lab_case *which, uint64_t seed)
{
    struct checking checking = {.order = VGPU_FORWARD};
    steer(seed);
    lab_begin_run(&checking.run, &lab, stage, which, seed);
    const char *problem = hand_open(&checking.run, true);
    enum hand_status status =
        problem ? hand_fail("cannot set up the buffers", problem) : check_call(&checking);
    hand_meaning[0] = '\0';
    if (status == HAND_RIGHT && lab.tell)
        lab.tell(&checking.run, hand_meaning, sizeof hand_meaning);
    if (status == HAND_RIGHT && !hand_is_lost()) /* a case may ask for a fault */
        status = check_further_calls(&checking);
    hand_close(&checking.run);
    if (checking.is_mere_finding) { /* what comes now finds a device without an error */
        cudaDeviceReset();
        cudaGetLastError();
    }
    return status;
}
