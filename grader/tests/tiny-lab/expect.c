/* expect.c - reads a verdict from stdin and compares it with a row of tiny.def: expect STAGE [timed]
 * Prints "pass" or "FAIL" with what was different. With `timed`, a right stage must have a time and counters too. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grader/verdict.h"

static const struct row {
    const char *name;
    enum lab_symptom symptom;
    const char *words;
} rows[] = {
#define STAGE(name, symptom, words) {#name, symptom, words},
#include "tiny.def"
#undef STAGE
};

/* Every case must be right, or at least one must have the symptom, and no wrong one another. */
static bool has_symptom(const struct verdict *verdict, enum lab_symptom symptom)
{
    bool is_found = symptom == LAB_NO_SYMPTOM && verdict->ncases > 0;
    for (uint32_t i = 0; i < verdict->ncases; i++) {
        if (!verdict->cases[i].is_right && verdict->cases[i].symptom != symptom)
            return false;
        is_found |= verdict->cases[i].symptom == symptom;
    }
    return is_found;
}

static bool has_words(const struct verdict *verdict, const char *words)
{
    bool is_found = !*words;
    for (uint32_t i = 0; i < verdict->ncases; i++)
        is_found |= strstr(verdict->cases[i].text, words) || strstr(verdict->cases[i].known, words);
    for (uint32_t i = 0; i < verdict->nmessages; i++)
        is_found |= strstr(verdict->messages[i].title, words) || strstr(verdict->messages[i].text, words);
    return is_found;
}

static double counter(const struct verdict *verdict, const char *name)
{
    for (uint32_t i = 0; i < verdict->ncounters; i++)
        if (!strcmp(verdict->counters[i].name, name))
            return verdict->counters[i].value;
    return NAN;
}

static const char *find_fault_with_time(const struct verdict *verdict)
{
    if (!verdict->time.is_known || !(verdict->time.student_us > 0))
        return "no time";
    if (fabs(verdict->time.speedup * verdict->time.student_us / verdict->time.baseline_us - 1) > 1e-9)
        return "a speedup that is not the times' ratio";
    if (!(counter(verdict, "launches") >= 1) || !(counter(verdict, "global_store_sectors") >= 1 << 17))
        return "counters that do not fit a million stores";
    return NULL;
}

static const char *find_fault(const struct verdict *verdict, const struct row *row, bool is_timed)
{
    if (!verdict->is_complete || verdict->failure[0])
        return verdict->failure;
    if (!has_symptom(verdict, row->symptom))
        return "another symptom";
    if (!has_words(verdict, row->words))
        return "other words";
    return is_timed && row->symptom == LAB_NO_SYMPTOM ? find_fault_with_time(verdict) : NULL;
}

int main(int argc, char **argv)
{
    const struct row *row = rows;
    while (argc > 1 && row < rows + sizeof rows / sizeof rows[0] && strcmp(row->name, argv[1]) != 0)
        row++;
    struct verdict *verdict = verdict_read(stdin);
    if (argc < 2 || row == rows + sizeof rows / sizeof rows[0] || !verdict)
        return 2;
    const char *fault = find_fault(verdict, row, argc > 2);
    printf("%s %s%s%s\n", fault ? "FAIL" : "pass", row->name, fault ? ": " : "", fault ? fault : "");
    if (fault)
        verdict_write(verdict, stdout);
    verdict_free(verdict);
    return fault != NULL;
}
