/* hints.c - the words for each symptom: the stage's own first, then what the kit knows of every stage, then general ones.
 * symptoms.def has the general words; a lab writes only what nobody else can know. Nothing is printed here. */
#include <stdio.h>

#include "lab/lab.h"

static const struct {
    const char *name, *hint; /* hint NULL: written for the stage, below */
    const char *nudge;
} symptoms[] = {
#define SYMPTOM(symptom, text, words, nudge) [LAB_##symptom] = {text, words, nudge},
#include "lab/symptoms.def"
#undef SYMPTOM
};

const char *lab_symptom_name(enum lab_symptom symptom)
{
    return symptom < LAB_SYMPTOMS ? symptoms[symptom].name : "unknown";
}

const char *lab_nudge(enum lab_symptom symptom)
{
    return symptom < LAB_SYMPTOMS ? symptoms[symptom].nudge : "";
}

enum lab_symptom lab_graver(enum lab_symptom a, enum lab_symptom b)
{
    if (a == LAB_NO_SYMPTOM || b == LAB_NO_SYMPTOM)
        return a == LAB_NO_SYMPTOM ? b : a;
    return a < b ? a : b;
}

const char *lab_own_hint(const struct lab_stage *stage, enum lab_symptom symptom)
{
    for (int i = 0; i < LAB_HINTS && stage->hints[i].text; i++)
        if (stage->hints[i].symptom == symptom)
            return stage->hints[i].text;
    return NULL;
}

/* ------------------------------------------------------------------------------------------- written for a stage */

/* What the four below are made of. */
struct facts {
    const char *lab, *entry;
    char todo[24];    /* "TODO 3", or "this stage" where it came with the file */
    char section[40]; /* " (handout section 4)", or nothing */
};

typedef void write_fn(const struct facts *facts, char *out, size_t size);

static void write_missing(const struct facts *facts, char *out, size_t size)
{
    snprintf(out, size, "Your file must define %s with the parameters that %s.h declares.", facts->entry,
             facts->lab);
}

static void write_no_launch(const struct facts *facts, char *out, size_t size)
{
    snprintf(out, size, "Write the kernel of %s and launch it in %s%s.", facts->todo, facts->entry,
             facts->section);
}

/* What was refused, and why, is told by CUDA or by the virtual GPU: nothing here may contradict it. */
static void write_launch(const struct facts *facts, char *out, size_t size)
{
    snprintf(out, size, "A launch or another call in %s was refused: the words above say which and why.",
             facts->entry);
}

static void write_untouched(const struct facts *facts, char *out, size_t size)
{
    snprintf(out, size,
             "Nothing was written. If %s is still open, begin there%s; if it is done, no thread gets to its "
             "store: look at the tests before it.",
             facts->todo, facts->section);
}

static write_fn *const writers[LAB_SYMPTOMS] = {[LAB_MISSING] = write_missing,
                                                [LAB_NO_LAUNCH] = write_no_launch,
                                                [LAB_LAUNCH] = write_launch,
                                                [LAB_UNTOUCHED] = write_untouched};

static struct facts facts_of(const struct lab *lab, const struct lab_stage *stage)
{
    struct facts facts = {.lab = lab->id, .entry = stage->entry, .todo = "this stage"};
    if (stage->todo.number)
        snprintf(facts.todo, sizeof facts.todo, "TODO %d", stage->todo.number);
    if (stage->todo.section)
        snprintf(facts.section, sizeof facts.section, " (handout section %d)", stage->todo.section);
    return facts;
}

void lab_write_hint(const struct lab *lab, const struct lab_stage *stage, enum lab_symptom symptom, char *out,
                    size_t size)
{
    const char *own = lab_own_hint(stage, symptom);
    const struct facts facts = facts_of(lab, stage);
    if (own)
        snprintf(out, size, "%s", own);
    else if (symptom < LAB_SYMPTOMS && writers[symptom])
        writers[symptom](&facts, out, size);
    else
        snprintf(out, size, "%s", symptom < LAB_SYMPTOMS ? symptoms[symptom].hint : "");
}
