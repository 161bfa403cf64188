/* ahead.c - see ahead.h. What a copy hands over: whether it came to its end, the sample as it lies in memory, what that points to,
 * and a verdict with the messages. A copy of a process has its constants where the process has them; what it has allocated has
 * not, and is sent. */
#define _GNU_SOURCE
#include "grader/judge/ahead.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct {
    pid_t pid; /* 0: there is none */
    FILE *from;
} copies[AHEAD_SAMPLES];

/* ------------------------------------------------------------------------------------------- in the copy */

static bool send_bytes(FILE *to, const void *bytes, size_t size)
{
    return fwrite(&size, sizeof size, 1, to) == 1 && fwrite(bytes, 1, size, to) == size;
}

static bool send_coverage(FILE *to, const struct coverage *covered)
{
    bool is_sent = true;
    for (size_t i = 0; is_sent && i < covered->nkernels; i++) {
        const struct covered *one = &covered->kernels[i];
        is_sent =
            send_bytes(to, one->kernel, strlen(one->kernel) + 1) && send_bytes(to, one->executed, one->count);
    }
    return is_sent;
}

static bool send_sample(FILE *to, struct judge *judge, const struct pass *sample, bool is_done)
{
    const struct findings_launches *launches = &sample->findings.launches;
    const bool is_sent = send_bytes(to, &is_done, sizeof is_done) && send_bytes(to, sample, sizeof *sample) &&
                         send_bytes(to, launches->values,
                                    launches->values ? launches->ncounters * sizeof *launches->values : 0) &&
                         send_coverage(to, &sample->findings.covered);
    if (is_sent)
        verdict_write(judge->verdict, to);
    return is_sent && fflush(to) == 0;
}

/* CPU time is the last resort, as everywhere: the process that waits has a watchdog, and does what this one did not do. When that
 * one ends, nobody wants to know. */
static void work_ahead(struct judge *judge, ahead_work *work, int out)
{
    const struct rlimit limit = {(rlim_t)judge->limit_s, (rlim_t)judge->limit_s};
    struct pass sample = {.is_whole = false};
    FILE *to = fdopen(out, "w");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CPU, &limit);
    const bool is_done = to && work(judge, &sample);
    _exit(to && send_sample(to, judge, &sample, is_done) ? 0 : 1);
}

/* ------------------------------------------------------------------------------------------- in the judge itself */

static void begin(struct judge *judge, enum ahead_sample which, ahead_work *work)
{
    int ends[2];
    if (!work || pipe(ends) != 0)
        return;
    const pid_t pid = fork();
    if (pid == 0)
        work_ahead(judge, work, ends[1]);
    close(ends[1]);
    copies[which].from = pid > 0 ? fdopen(ends[0], "r") : NULL;
    copies[which].pid = pid > 0 ? pid : 0;
}

void ahead_begin(struct judge *judge, ahead_work *const work[AHEAD_SAMPLES])
{
    for (int i = 0; i < AHEAD_SAMPLES; i++)
        begin(judge, (enum ahead_sample)i, work[i]);
}

/* To be freed; NULL: it did not come, or there was nothing. */
static void *take_bytes(FILE *from, size_t *size)
{
    if (fread(size, sizeof *size, 1, from) != 1)
        return NULL;
    void *bytes = malloc(*size + 1);
    if (bytes && fread(bytes, 1, *size, from) == *size)
        return bytes;
    free(bytes);
    return NULL;
}

static bool take_into(FILE *from, void *out, size_t wanted)
{
    size_t size;
    void *bytes = take_bytes(from, &size);
    const bool is_taken = bytes && size == wanted;
    if (is_taken)
        memcpy(out, bytes, size);
    free(bytes);
    return is_taken;
}

static bool take_coverage(FILE *from, struct coverage *out, size_t nkernels)
{
    size_t size;
    out->nkernels = 0;
    out->kernels = calloc(nkernels + 1, sizeof *out->kernels);
    for (size_t i = 0; out->kernels && i < nkernels; i++) {
        struct covered *one = &out->kernels[out->nkernels++];
        one->kernel = take_bytes(from, &size);
        one->executed = take_bytes(from, &one->count);
        if (!one->kernel || !one->executed)
            return false;
    }
    return out->kernels != NULL;
}

/* Pointers are the copy's: those to constants are true here as well, all others are replaced or forgotten. */
static bool take_parts(FILE *from, struct judge *judge, struct pass *out)
{
    struct findings *findings = &out->findings;
    const size_t nkernels = findings->covered.nkernels;
    const bool has_values = findings->launches.values != NULL;
    size_t size;
    findings->judge = judge;
    findings->kernels = (struct vgpu_kernels){.count = 0};
    findings->covered.kernels = NULL;
    findings->covered.nkernels = 0;
    memset(out->touched, 0, sizeof out->touched); /* has told what it had to */
    lab_begin_run(&out->run, judge->lab, judge->stage, lab_timed_case(judge->lab, judge->stage),
                  out->run.seed);
    findings->launches.values = take_bytes(from, &size);
    const bool is_whole = findings->launches.values &&
                          size == (has_values ? findings->launches.ncounters * sizeof(double) : 0) &&
                          take_coverage(from, &findings->covered, nkernels);
    if (!has_values) {
        free(findings->launches.values);
        findings->launches.values = NULL;
    }
    return is_whole;
}

/* What the copy has said is said here, after what was said here. */
static bool take_words(FILE *from, struct judge *judge)
{
    struct verdict *said = verdict_read(from);
    const bool is_whole = said && said->is_complete;
    if (is_whole && said->failure[0])
        judge_fail(judge, "%s", said->failure);
    for (uint32_t i = 0; is_whole && i < said->nmessages; i++)
        findings_tell_again(judge, &said->messages[i]);
    verdict_free(said);
    return is_whole;
}

static bool take(FILE *from, struct judge *judge, struct pass *out, bool *is_done)
{
    struct pass found;
    if (!take_into(from, is_done, sizeof *is_done) || !take_into(from, &found, sizeof found))
        return false;
    const bool is_whole = take_parts(from, judge, &found) && take_words(from, judge);
    if (is_whole)
        *out = found;
    else
        pass_free(&found);
    return is_whole;
}

static void end(enum ahead_sample which)
{
    if (copies[which].from)
        fclose(copies[which].from);
    if (copies[which].pid > 0) {
        kill(copies[which].pid,
             SIGKILL); /* also one that is done: it is not waited for yet, so the number is its own */
        waitpid(copies[which].pid, NULL, 0);
    }
    copies[which].from = NULL;
    copies[which].pid = 0;
}

bool ahead_take(struct judge *judge, enum ahead_sample which, ahead_work *work, struct pass *out)
{
    bool is_done = false;
    const bool is_taken = copies[which].from && take(copies[which].from, judge, out, &is_done);
    end(which);
    return is_taken ? is_done : work(judge, out);
}

void ahead_end(void)
{
    for (int i = 0; i < AHEAD_SAMPLES; i++)
        end((enum ahead_sample)i);
}
