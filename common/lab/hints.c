/* hints.c - the words for each symptom, chosen by what the finding says: the stage's own for such a finding, the kit's for such a
 * finding (arrows.def), the stage's own for the symptom, the kit's for the symptom (symptoms.def). A lab writes only what nobody else
 * can know. Every hint names something that its finding names: the array, the line or the call. Nothing is printed here. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

bool lab_is_within_warp(const char *title)
{
    return strstr(title, "race within a warp") != NULL;
}

bool lab_says_why(const char *finding)
{
    static const char *const words[] = {"as many bytes as there are elements",
                                        "which is the size of a pointer",
                                        "memset after a kernel has read what it sets"};
    for (int i = 0; i < LAB_COUNT(words); i++)
        if (strstr(finding, words[i]))
            return true;
    return false;
}

/* The first of the row's own words for such a finding; with about NULL of a hint, for any. */
static const char *find_own(const struct lab_stage *stage, enum lab_symptom symptom, const char *finding,
                            bool is_about)
{
    for (int i = 0; i < LAB_HINTS && stage->hints[i].text; i++) {
        const struct lab_hint *hint = &stage->hints[i];
        if (hint->symptom == symptom && (hint->about != NULL) == is_about &&
            (!is_about || strstr(finding, hint->about)))
            return hint->text;
    }
    return NULL;
}

const char *lab_own_hint(const struct lab_stage *stage, enum lab_symptom symptom)
{
    return find_own(stage, symptom, "", false);
}

/* ------------------------------------------------------------------------------------------- what a finding names */

/* "" and 0: it names none. */
struct named {
    char array[64], call[64];
    long line;
};

static bool is_letter(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

/* "lab3.cu:41: ", as checkers and compilers begin. */
static long find_line(const char *finding)
{
    for (const char *colon = strchr(finding, ':'); colon; colon = strchr(colon + 1, ':')) {
        char *end;
        const long line = isdigit((unsigned char)colon[1]) ? strtol(colon + 1, &end, 10) : 0;
        if (line > 0 && *end == ':' && colon > finding && is_letter(colon[-1]))
            return line;
    }
    return 0;
}

static void keep_name(const char *begin, size_t length, char *out, size_t size)
{
    if (length < size) {
        memcpy(out, begin, length);
        out[length] = '\0';
    }
}

/* `tile`; what stands behind the word "kernel" is none. Of a wrong value it is what stands before the index: out[3] is 0.5. */
static void find_array(const char *finding, char *out, size_t size)
{
    static const char kernel[] = "kernel ";
    const size_t before = sizeof kernel - 1;
    for (const char *tick = strchr(finding, '`'); tick; tick = strchr(tick + 1, '`')) {
        const char *begin = tick + 1, *end = begin;
        while (is_letter(*end))
            end++;
        const bool is_kernel = (size_t)(tick - finding) >= before && !strncmp(tick - before, kernel, before);
        if (*end == '`' && end > begin && !is_kernel) {
            keep_name(begin, (size_t)(end - begin), out, size);
            return;
        }
        if (!(tick = strchr(begin, '`')))
            break;
    }
    const char *bracket = strchr(finding, '['), *begin = bracket;
    while (begin && begin > finding && is_letter(begin[-1]))
        begin--;
    const bool is_first = begin && begin < bracket && (begin == finding || !strncmp(begin - 2, ": ", 2));
    if (is_first)
        keep_name(begin, (size_t)(bracket - begin), out, size);
}

/* cudaFree(). */
static void find_call(const char *finding, char *out, size_t size)
{
    const char *end = strstr(finding, "()"), *begin = end;
    while (begin && begin > finding && is_letter(begin[-1]))
        begin--;
    if (end)
        keep_name(begin, (size_t)(end - begin), out, size);
}

static struct named named_by(const char *finding)
{
    struct named named = {.line = find_line(finding)};
    find_array(finding, named.array, sizeof named.array);
    find_call(finding, named.call, sizeof named.call);
    return named;
}

static bool has_word(const char *text, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = strstr(text, word); at && length; at = strstr(at + 1, word))
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[length]))
            return true;
    return false;
}

static bool names_line(const char *text, long line)
{
    char word[32];
    snprintf(word, sizeof word, "ine %ld", line); /* at the begin of a sentence, too */
    return line && strstr(text, word);
}

/* Where the words name nothing of the finding, what they are about is put before them. */
static void put_name_first(const struct named *named, char *text, size_t size)
{
    char head[128] = "", *rest = strdup(text);
    if (named->array[0] && named->line)
        snprintf(head, sizeof head, "`%s`, line %ld: ", named->array, named->line);
    else if (named->array[0])
        snprintf(head, sizeof head, "`%s`: ", named->array);
    else if (named->line)
        snprintf(head, sizeof head, "Line %ld: ", named->line);
    if (rest && *rest && !has_word(text, named->array) && !has_word(text, named->call) &&
        !names_line(text, named->line))
        snprintf(text, size, "%s%s", head, rest);
    free(rest);
}

/* ------------------------------------------------------------------------------------------- by what a finding says */

static const struct {
    enum lab_symptom symptom;
    const char *about, *words;
    bool is_last;
} arrows[] = {
#define ARROW(symptom, about, words)      {LAB_##symptom, about, words, false},
#define LAST_ARROW(symptom, about, words) {LAB_##symptom, about, words, true},
#include "lab/arrows.def"
#undef ARROW
#undef LAST_ARROW
};

/* Fills in what stands in braces; false: the finding has none. */
static bool fill_in(const char *words, const struct named *named, char *out, size_t size)
{
    char line[24] = "";
    if (named->line)
        snprintf(line, sizeof line, "%ld", named->line);
    const struct {
        const char *mark, *value;
    } marks[] = {{"{array}", named->array}, {"{line}", line}, {"{call}", named->call}};
    FILE *file = fmemopen(out, size, "w");
    bool is_whole = file != NULL;
    while (is_whole && *words) {
        int i = 0;
        while (i < LAB_COUNT(marks) && strncmp(words, marks[i].mark, strlen(marks[i].mark)) != 0)
            i++;
        const bool is_mark = i < LAB_COUNT(marks);
        is_whole =
            is_mark ? marks[i].value[0] && fputs(marks[i].value, file) >= 0 : putc(*words, file) != EOF;
        words += is_mark ? strlen(marks[i].mark) : 1;
    }
    return file && fclose(file) == 0 && is_whole;
}

/* The line that the words stand in: a program's own message may stand before it, with another place. */
static const char *line_of(const char *finding, const char *words)
{
    while (words > finding && words[-1] != '\n')
        words--;
    return words;
}

static bool write_arrow(enum lab_symptom symptom, const char *finding, bool is_last, char *out, size_t size)
{
    for (int i = 0; i < LAB_COUNT(arrows); i++) {
        const char *said = arrows[i].symptom == symptom && arrows[i].is_last == is_last
                               ? strstr(finding, arrows[i].about)
                               : NULL;
        if (!said)
            continue;
        const struct named here = named_by(line_of(finding, said)), named = named_by(finding);
        if (fill_in(arrows[i].words, here.line ? &here : &named, out, size))
            return true;
    }
    return false;
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

/* An output without any element, while another one is there: it has none at all, or only one in all. */
static bool is_wholly_missing(enum lab_symptom symptom, const char *finding)
{
    return symptom == LAB_PARTLY && strstr(finding, "was never written") &&
           (strstr(finding, "none of the ") || !strstr(finding, " elements"));
}

void lab_write_hint(const struct lab *lab, const struct lab_stage *stage, enum lab_symptom symptom,
                    const char *finding, char *out, size_t size)
{
    const char *said = finding ? finding : "";
    const char *for_such = find_own(stage, symptom, said, true), *own = lab_own_hint(stage, symptom);
    const struct facts facts = facts_of(lab, stage);
    const struct named named = named_by(said);
    if (for_such)
        snprintf(out, size, "%s", for_such);
    else if (write_arrow(symptom, said, false, out, size))
        return;
    else if (own)
        snprintf(out, size, "%s", own);
    else if (is_wholly_missing(symptom, said))
        write_untouched(&facts, out, size);
    else if (write_arrow(symptom, said, true, out, size))
        return;
    else if (symptom < LAB_SYMPTOMS && writers[symptom])
        writers[symptom](&facts, out, size);
    else
        snprintf(out, size, "%s", symptom < LAB_SYMPTOMS ? symptoms[symptom].hint : "");
    put_name_first(&named, out, size);
}

void lab_name_first(const char *finding, char *text, size_t size)
{
    const struct named named = named_by(finding);
    put_name_first(&named, text, size);
}
