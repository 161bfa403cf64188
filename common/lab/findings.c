/* findings.c - the classifier: a symptom for every kind of finding.
 * Kinds share a symptom if one hint serves them all. Where only the finding itself knows what happened, the symptom is
 * LAB_STOPPED or LAB_LAUNCH, whose words leave the floor to it. */
#include "lab/findings.h"

#include <stdio.h>
#include <string.h>

static const enum lab_symptom symptoms[VGPU_FINDINGS] = {
    /* accesses */
    [VGPU_OUT_OF_BOUNDS] = LAB_FAULT,
    [VGPU_SURFACE_BOUNDS] = LAB_FAULT,
    [VGPU_MISALIGNED] = LAB_MISALIGNED,
    [VGPU_SURFACE_ALIGNMENT] = LAB_MISALIGNED,
    [VGPU_UNINITIALISED] = LAB_UNINITIALISED,
    [VGPU_SET_TOO_LATE] = LAB_UNINITIALISED,
    [VGPU_USE_AFTER_FREE] = LAB_STOPPED,
    [VGPU_NULL_POINTER] = LAB_STOPPED,
    [VGPU_HOST_POINTER] = LAB_STOPPED,
    [VGPU_READ_ONLY] = LAB_STOPPED,
    [VGPU_NO_SUCH_TEXTURE] = LAB_STOPPED,

    /* races */
    [VGPU_RACE_READ_AFTER_WRITE] = LAB_RACE,
    [VGPU_RACE_WRITE_AFTER_READ] = LAB_RACE,
    [VGPU_WARP_READ_AFTER_WRITE] = LAB_RACE,
    [VGPU_WARP_WRITE_AFTER_READ] = LAB_RACE,
    [VGPU_THREADS_READ_WRITE] = LAB_RACE,
    [VGPU_RACE_STORE_ATOMIC] = LAB_RACE,
    [VGPU_READ_BEFORE_COPY] = LAB_RACE,
    [VGPU_THREADS_STORE_ATOMIC] = LAB_RACE,
    [VGPU_LOST_UPDATE] = LAB_LOST,
    [VGPU_RACE_WRITE_WRITE] = LAB_LOST,
    [VGPU_WARP_WRITE_WRITE] = LAB_LOST,
    [VGPU_THREADS_WRITE_WRITE] = LAB_LOST,
    [VGPU_BLOCKS_WRITE_WRITE] = LAB_LOST,
    [VGPU_BLOCKS_READ_WRITE] = LAB_BLOCKS,
    [VGPU_BLOCKS_STORE_ATOMIC] = LAB_BLOCKS,
    [VGPU_BLOCKS_NO_FENCE] = LAB_BLOCKS,
    [VGPU_STREAMS_READ_WRITE] = LAB_STREAMS,
    [VGPU_STREAMS_WRITE_WRITE] = LAB_STREAMS,
    [VGPU_STREAMS_MEMORY] = LAB_STREAMS,
    [VGPU_GRAPH_NODES] = LAB_STREAMS,
    [VGPU_HOST_TOO_EARLY] = LAB_STREAMS,

    /* waiting */
    [VGPU_BARRIER_DIVERGENT] = LAB_BARRIER,
    [VGPU_BARRIER_SKIPPED] = LAB_BARRIER,
    [VGPU_BARRIER_DEADLOCK] = LAB_BARRIER,
    [VGPU_BARRIER_NUMBER] = LAB_BARRIER,
    [VGPU_DEADLOCK_BLOCKS] = LAB_DEADLOCK,
    [VGPU_DEADLOCK_ORDER] = LAB_DEADLOCK,
    [VGPU_DEADLOCK] = LAB_DEADLOCK,
    [VGPU_ENDLESS_LOOP] = LAB_ENDLESS,
    [VGPU_ENDLESS_LAUNCH] = LAB_ENDLESS,
    [VGPU_ENDLESS_CALLS] = LAB_ENDLESS,

    /* lanes */
    [VGPU_MASK_MISSES_LANES] = LAB_LANES,
    [VGPU_MASK_WITHOUT_CALLER] = LAB_LANES,
    [VGPU_MASK_NAMES_ABSENT] = LAB_LANES,
    [VGPU_SYNCWARP_OUTSIDE_MASK] = LAB_LANES,
    [VGPU_SHUFFLE_INACTIVE] = LAB_LANES,

    /* what the program itself asks for */
    [VGPU_STACK_OVERFLOW] = LAB_STOPPED,
    [VGPU_BAD_FUNCTION_POINTER] = LAB_STOPPED,
    [VGPU_WRONG_FUNCTION_TYPE] = LAB_STOPPED,
    [VGPU_BRANCH_INDEX] = LAB_STOPPED,
    [VGPU_PURE_VIRTUAL] = LAB_STOPPED,
    [VGPU_TRAP] = LAB_STOPPED,
    [VGPU_ASSERTION] = LAB_STOPPED,
    [VGPU_ASSERTION_TEXT] = LAB_STOPPED,
    [VGPU_DEVICE_DOUBLE_FREE] = LAB_STOPPED,
    [VGPU_DEVICE_FREE_INSIDE] = LAB_STOPPED,
    [VGPU_DEVICE_FREE_FOREIGN] = LAB_STOPPED,
    [VGPU_DEVICE_POINTER_ON_HOST] = LAB_STOPPED,
    [VGPU_PRINTS_TOO_MUCH] = LAB_PRINTS,

    /* limits of our own */
    [VGPU_LIMIT_INSTRUCTIONS] = LAB_LIMIT,
    [VGPU_LIMIT_BLOCK] = LAB_LIMIT,
    [VGPU_LIMIT_WORK] = LAB_LIMIT,
    [VGPU_LIMIT_LOCAL] = LAB_LIMIT,
    [VGPU_LIMIT_CALLS] = LAB_LIMIT,
    [VGPU_LIMIT_MEMORY] = LAB_LIMIT,

    /* launches and calls that are refused */
    [VGPU_LAUNCH_EMPTY_GRID] = LAB_LAUNCH,
    [VGPU_LAUNCH_LARGE_GRID] = LAB_LAUNCH,
    [VGPU_LAUNCH_EMPTY_BLOCK] = LAB_LAUNCH,
    [VGPU_LAUNCH_LARGE_BLOCK] = LAB_LAUNCH,
    [VGPU_LAUNCH_MANY_THREADS] = LAB_LAUNCH,
    [VGPU_LAUNCH_SHARED] = LAB_LAUNCH,
    [VGPU_LAUNCH_DYNAMIC_SHARED] = LAB_LAUNCH,
    [VGPU_LAUNCH_BOUNDS] = LAB_LAUNCH,
    [VGPU_LAUNCH_REGISTERS] = LAB_LAUNCH,
    [VGPU_LAUNCH_COOPERATIVE] = LAB_LAUNCH,
    [VGPU_COPY_BOUNDS] = LAB_LAUNCH,
    [VGPU_COPY_SYMBOL_BOUNDS] = LAB_LAUNCH,
    [VGPU_COPY_PARTLY_REGISTERED] = LAB_LAUNCH,
    [VGPU_REGISTER_DEVICE] = LAB_LAUNCH,
    [VGPU_REGISTER_AGAIN] = LAB_LAUNCH,
    [VGPU_COPY_NOWHERE] = LAB_LAUNCH,
    [VGPU_COPY_FREED] = LAB_LAUNCH,
    [VGPU_COPY_PITCH] = LAB_LAUNCH,
    [VGPU_COPY_NULL] = LAB_LAUNCH,
    [VGPU_COPY_SYMBOL_AS_POINTER] = LAB_LAUNCH,
    [VGPU_COPY_WANTS_DEVICE] = LAB_LAUNCH,
    [VGPU_COPY_WANTS_HOST] = LAB_LAUNCH,
    [VGPU_DOUBLE_FREE] = LAB_LAUNCH,
    [VGPU_FREE_INSIDE] = LAB_LAUNCH,
    [VGPU_FREE_FOREIGN] = LAB_LAUNCH,
    [VGPU_FREE_WRONG_CALL] = LAB_LAUNCH,
    [VGPU_FREE_NO_ARRAY] = LAB_LAUNCH,
    [VGPU_FREE_NO_MIPMAP] = LAB_LAUNCH,
    [VGPU_SHARED_LIMIT] = LAB_LAUNCH,
    [VGPU_CAPTURE_FORBIDS] = LAB_LAUNCH,
    [VGPU_CAPTURE_DEFAULT_STREAM] = LAB_LAUNCH,
    [VGPU_TEXTURE_REFUSED] = LAB_LAUNCH,
    [VGPU_SURFACE_REFUSED] = LAB_LAUNCH,
    [VGPU_UNSUPPORTED_CALL] = LAB_UNCARRIED,

    [VGPU_LEAK] = LAB_NO_SYMPTOM,
    [VGPU_HANDLE_LEAK] = LAB_NO_SYMPTOM,
};

enum lab_symptom lab_symptom_of(enum vgpu_finding kind)
{
    return kind < VGPU_FINDINGS ? symptoms[kind] : LAB_NO_SYMPTOM;
}

double lab_counter_of(const struct vgpu_launch *launch, const char *name)
{
    for (size_t i = 0; i < launch->ncounters; i++)
        if (!strcmp(launch->names[i], name))
            return launch->values[i];
    return 0;
}

/* After these, values are what chance made them, and so are the indexes and conditions that are computed from them. */
static const bool is_origin[LAB_SYMPTOMS] = {
    [LAB_BARRIER] = true, [LAB_LANES] = true,   [LAB_RACE] = true,          [LAB_LOST] = true,
    [LAB_BLOCKS] = true,  [LAB_STREAMS] = true, [LAB_UNINITIALISED] = true,
};

static const bool is_stop[LAB_SYMPTOMS] = {
    [LAB_FAULT] = true,   [LAB_MISALIGNED] = true, [LAB_STOPPED] = true,
    [LAB_ENDLESS] = true, [LAB_DEADLOCK] = true,
};

enum lab_symptom lab_told_of(enum lab_symptom earlier, enum lab_symptom later)
{
    return is_origin[earlier] && is_stop[later] ? earlier : lab_graver(earlier, later);
}

bool lab_keep_found(struct lab_found *found, enum lab_symptom symptom, const char *place, const char *title)
{
    const bool is_within_warp = lab_is_within_warp(title);
    const bool is_wider = symptom == found->symptom && ((found->is_within_warp && !is_within_warp) ||
                                                        (lab_says_why(title) && !lab_says_why(found->text)));
    if (lab_told_of(found->symptom, symptom) == found->symptom && !is_wider)
        return false;
    found->symptom = symptom;
    found->is_within_warp = is_within_warp;
    snprintf(found->text, sizeof found->text, "%s%s%s", place, *place ? ": " : "", title);
    return true;
}

/* ------------------------------------------------------------------------------------------- further calls */

int lab_further_calls(const struct lab_stage *stage, enum vgpu_order orders[LAB_FURTHER_CALLS])
{
    orders[0] = stage->blocks_wait ? VGPU_MIXED : stage->is_whole ? VGPU_BACKWARDS : VGPU_FORWARD;
    orders[1] = VGPU_CROWDED;
    return stage->blocks_wait ? 2 : 1;
}

const char *lab_words_of_call(enum vgpu_order order)
{
    static const char *const words[] = {
        [VGPU_FORWARD] = "Right in the first call, wrong in a second one",
        [VGPU_BACKWARDS] =
            "Right in the first call, wrong in a second one, in which blocks run in another order",
        [VGPU_MIXED] = "Right in the first call, wrong in a second one, in which many blocks run at once",
        [VGPU_CROWDED] =
            "Right in the first call, wrong in one in which two blocks run at once, the last first",
    };
    return words[order];
}

bool lab_is_mere_finding(enum vgpu_order order, enum lab_symptom symptom)
{
    return order == VGPU_CROWDED && symptom == LAB_DEADLOCK;
}
