/* verdict.c - a verdict as text: one record per line, fields parted by tabs, nothing of the reader's taken on trust.
 * What is written can be read back exactly; what was cut off, damaged or forged never reads as complete.
 * Knows nothing of points, labs' contents or processes. */
#include "grader/verdict.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "verdict 1"
#define LAST_LINE  "end"

enum { MOST_RECORDS = 4096, MOST_FIELDS = 12, LONGEST_LINE = 1 << 22 };

/* ------------------------------------------------------------------------------------------- making one */

struct verdict *verdict_new(void)
{
    return calloc(1, sizeof(struct verdict));
}

void verdict_free(struct verdict *verdict)
{
    if (!verdict)
        return;
    for (uint32_t i = 0; i < verdict->nmessages; i++)
        free(verdict->messages[i].text);
    free(verdict->messages);
    free(verdict->cases);
    free(verdict->counters);
    free(verdict);
}

__attribute__((format(printf, 2, 3))) static void fail(struct verdict *verdict, const char *format, ...)
{
    va_list list;
    if (verdict->failure[0])
        return;
    va_start(list, format);
    vsnprintf(verdict->failure, sizeof verdict->failure, format, list);
    va_end(list);
}

/* Room for one more row at the end of *rows; NULL: none, and the verdict says so. */
static void *append(struct verdict *verdict, void *rows, uint32_t *count, size_t row_bytes)
{
    char **table = rows;
    char *larger = *count < MOST_RECORDS ? realloc(*table, (*count + (size_t)1) * row_bytes) : NULL;
    if (!larger) {
        fail(verdict, "The verdict has too many records.");
        return NULL;
    }
    *table = larger;
    return larger + (size_t)(*count)++ * row_bytes;
}

void verdict_add_case(struct verdict *verdict, const struct lab_outcome *one)
{
    struct lab_outcome *row = append(verdict, &verdict->cases, &verdict->ncases, sizeof *row);
    if (row)
        *row = *one;
}

void verdict_add_message(struct verdict *verdict, const struct verdict_message *message)
{
    char *text = strdup(message->text ? message->text : "");
    struct verdict_message *row =
        text ? append(verdict, &verdict->messages, &verdict->nmessages, sizeof *row) : NULL;
    if (!row) {
        free(text);
        return;
    }
    *row = *message;
    row->text = text;
}

static struct verdict_message *find_message(const struct verdict *verdict,
                                            const struct verdict_message *message)
{
    for (uint32_t i = 0; i < verdict->nmessages; i++)
        if (!strcmp(verdict->messages[i].title, message->title) &&
            !strcmp(verdict->messages[i].place, message->place))
            return &verdict->messages[i];
    return NULL;
}

void verdict_note(struct verdict *verdict, const struct verdict_message *message, uint32_t most)
{
    struct verdict_message *known = find_message(verdict, message);
    char *text = known && message->which < known->which ? strdup(message->text ? message->text : "") : NULL;
    if (text) {
        free(known->text);
        *known = *message;
        known->text = text;
    } else if (!known && verdict->nmessages < most)
        verdict_add_message(verdict, message);
}

const double *verdict_counter(const struct verdict *verdict, const char *name)
{
    for (uint32_t i = 0; i < verdict->ncounters; i++)
        if (strcmp(verdict->counters[i].name, name) == 0)
            return &verdict->counters[i].value;
    return NULL;
}

bool verdict_is_right(const struct verdict *verdict)
{
    for (uint32_t i = 0; i < verdict->ncases; i++)
        if (!verdict->cases[i].is_right)
            return false;
    return verdict->ncases > 0;
}

void verdict_drop_messages(struct verdict *verdict, uint32_t from)
{
    while (verdict->nmessages > from)
        free(verdict->messages[--verdict->nmessages].text);
}

bool verdict_is_finding(const struct verdict_message *message)
{
    return strcmp(message->severity, "error") == 0 || strcmp(message->severity, "race") == 0;
}

void verdict_add_counter(struct verdict *verdict, const char *name, double value)
{
    struct verdict_counter *row = append(verdict, &verdict->counters, &verdict->ncounters, sizeof *row);
    if (!row)
        return;
    snprintf(row->name, sizeof row->name, "%s", name);
    row->value = value;
}

/* ------------------------------------------------------------------------------------------- writing */

/* Tabs and line ends part fields and records: inside a field they are written as two characters. */
static const struct escape {
    char plain, letter;
} escapes[] = {{'\t', 't'}, {'\n', 'n'}, {'\r', 'r'}, {'\\', '\\'}};
enum { ESCAPES = sizeof escapes / sizeof escapes[0] };

static void put_text(FILE *file, const char *text)
{
    putc('\t', file);
    for (; *text; text++) {
        int i = 0;
        while (i < ESCAPES && escapes[i].plain != *text)
            i++;
        if (i < ESCAPES)
            putc('\\', file);
        putc(i < ESCAPES ? escapes[i].letter : *text, file);
    }
}

static void put_case(FILE *file, const struct lab_outcome *one)
{
    fprintf(file, "case\t%u\t%d\t%d\t%d", one->which, one->is_right, (int)one->symptom, one->is_cause);
    put_text(file, one->text);
    put_text(file, one->known);
    putc('\n', file);
}

static void put_message(FILE *file, const struct verdict_message *message)
{
    fprintf(file, "message\t%u\t%d", message->which, (int)message->symptom);
    put_text(file, message->severity);
    put_text(file, message->title);
    put_text(file, message->place);
    put_text(file, message->text);
    putc('\n', file);
}

static void put_counter(FILE *file, const struct verdict_counter *counter)
{
    fputs("counter", file);
    put_text(file, counter->name);
    fprintf(file, "\t%.17g\n", counter->value);
}

static void put_time(FILE *file, const struct verdict_time *time)
{
    fputs("time", file);
    put_text(file, time->backend);
    put_text(file, time->gpu);
    fprintf(file, "\t%.17g\t%.17g\t%.17g\t%.17g\t%.17g\t%u\t%.17g\t%.17g", time->baseline_us,
            time->student_us, time->speedup, time->low, time->high, time->samples, time->ceiling, time->peak);
    put_text(file, time->limiter);
    putc('\n', file);
}

void verdict_write(const struct verdict *verdict, FILE *file)
{
    fputs(FIRST_LINE "\n", file);
    for (uint32_t i = 0; i < verdict->ncases; i++)
        put_case(file, &verdict->cases[i]);
    for (uint32_t i = 0; i < verdict->nmessages; i++)
        put_message(file, &verdict->messages[i]);
    for (uint32_t i = 0; i < verdict->ncounters; i++)
        put_counter(file, &verdict->counters[i]);
    if (verdict->time.is_known)
        put_time(file, &verdict->time);
    if (verdict->is_large)
        fputs("large\t1\n", file);
    if (verdict->seed)
        fprintf(file, "seed\t%llu\n", (unsigned long long)verdict->seed);
    if (verdict->failure[0]) {
        fputs("failure", file);
        put_text(file, verdict->failure);
        putc('\n', file);
    }
    fputs(LAST_LINE "\n", file);
    fflush(file);
}

/* ------------------------------------------------------------------------------------------- reading fields */

/* A line cut at its tabs. The first field that cannot be read leaves is_bad set. */
struct fields {
    char *text[MOST_FIELDS];
    int count, next;
    bool is_bad;
};

static void cut(struct fields *fields, char *line)
{
    *fields = (struct fields){0};
    for (char *field = line; field;) {
        char *tab = strchr(field, '\t');
        if (tab)
            *tab++ = 0;
        if (fields->count == MOST_FIELDS) {
            fields->is_bad = true;
            return;
        }
        fields->text[fields->count++] = field;
        field = tab;
    }
}

static char *take(struct fields *fields)
{
    if (fields->next < fields->count)
        return fields->text[fields->next++];
    fields->is_bad = true;
    return NULL;
}

static bool unescape(char *text)
{
    char *to = text;
    for (; *text; text++) {
        if (*text != '\\') {
            *to++ = *text;
            continue;
        }
        int i = 0;
        text++;
        while (i < ESCAPES && escapes[i].letter != *text)
            i++;
        if (i == ESCAPES)
            return false;
        *to++ = escapes[i].plain;
    }
    *to = 0;
    return true;
}

static char *take_long_text(struct fields *fields)
{
    char *text = take(fields);
    if (text && unescape(text))
        return text;
    fields->is_bad = true;
    return NULL;
}

static void take_text(struct fields *fields, char *out, size_t size)
{
    const char *text = take_long_text(fields);
    if (!text || strlen(text) >= size)
        fields->is_bad = true;
    else
        memcpy(out, text, strlen(text) + 1);
}

static uint64_t take_whole(struct fields *fields, uint64_t most)
{
    const char *text = take(fields);
    char *end;
    if (!text || *text < '0' || *text > '9') {
        fields->is_bad = true;
        return 0;
    }
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (errno || *end || value > most)
        fields->is_bad = true;
    return value;
}

static uint32_t take_count(struct fields *fields, uint32_t most)
{
    return (uint32_t)take_whole(fields, most);
}

static double take_number(struct fields *fields)
{
    const char *text = take(fields);
    char *end;
    if (!text || !*text) {
        fields->is_bad = true;
        return 0;
    }
    double value = strtod(text, &end);
    if (*end || !isfinite(value) || value < 0)
        fields->is_bad = true;
    return value;
}

/* ------------------------------------------------------------------------------------------- reading records */

static bool is_whole(const struct fields *fields)
{
    return !fields->is_bad && fields->next == fields->count;
}

static bool read_case(struct verdict *verdict, struct fields *fields)
{
    struct lab_outcome one = {.which = take_count(fields, UINT32_MAX)};
    one.is_right = take_count(fields, 1);
    one.symptom = (enum lab_symptom)take_count(fields, LAB_SYMPTOMS - 1);
    one.is_cause = take_count(fields, 1);
    take_text(fields, one.text, sizeof one.text);
    take_text(fields, one.known, sizeof one.known);
    if (!is_whole(fields) || one.is_right != (one.symptom == LAB_NO_SYMPTOM))
        return false;
    verdict_add_case(verdict, &one);
    return true;
}

static bool read_message(struct verdict *verdict, struct fields *fields)
{
    struct verdict_message message = {.which = take_count(fields, UINT32_MAX)};
    message.symptom = (enum lab_symptom)take_count(fields, LAB_SYMPTOMS - 1);
    take_text(fields, message.severity, sizeof message.severity);
    take_text(fields, message.title, sizeof message.title);
    take_text(fields, message.place, sizeof message.place);
    message.text = take_long_text(fields);
    if (!is_whole(fields))
        return false;
    verdict_add_message(verdict, &message);
    return true;
}

static bool read_counter(struct verdict *verdict, struct fields *fields)
{
    struct verdict_counter counter;
    take_text(fields, counter.name, sizeof counter.name);
    counter.value = take_number(fields);
    if (!is_whole(fields))
        return false;
    verdict_add_counter(verdict, counter.name, counter.value);
    return true;
}

static bool read_time(struct verdict *verdict, struct fields *fields)
{
    struct verdict_time time = {.is_known = true};
    take_text(fields, time.backend, sizeof time.backend);
    take_text(fields, time.gpu, sizeof time.gpu);
    double *const numbers[] = {&time.baseline_us, &time.student_us, &time.speedup, &time.low, &time.high};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        *numbers[i] = take_number(fields);
    time.samples = take_count(fields, UINT32_MAX);
    time.ceiling = take_number(fields);
    time.peak = take_number(fields);
    take_text(fields, time.limiter, sizeof time.limiter);
    if (!is_whole(fields) || verdict->time.is_known)
        return false;
    verdict->time = time;
    return true;
}

static bool read_seed(struct verdict *verdict, struct fields *fields)
{
    verdict->seed = take_whole(fields, UINT64_MAX);
    return is_whole(fields);
}

static bool read_large(struct verdict *verdict, struct fields *fields)
{
    verdict->is_large = take_whole(fields, 1) == 1;
    return is_whole(fields);
}

static bool read_failure(struct verdict *verdict, struct fields *fields)
{
    take_text(fields, verdict->failure, sizeof verdict->failure);
    return is_whole(fields);
}

static const struct record {
    const char *name;
    bool (*read)(struct verdict *verdict, struct fields *fields);
} records[] = {{"case", read_case}, {"message", read_message}, {"counter", read_counter}, {"time", read_time},
               {"seed", read_seed}, {"large", read_large},     {"failure", read_failure}};

static bool read_record(struct verdict *verdict, char *line)
{
    struct fields fields;
    cut(&fields, line);
    const char *name = take(&fields);
    for (size_t i = 0; name && i < sizeof records / sizeof records[0]; i++)
        if (!strcmp(name, records[i].name))
            return records[i].read(verdict, &fields);
    return false;
}

/* The next line without its end. False: none is left, or it is cut off, too long or holds a zero byte. */
static bool next_line(FILE *file, char **line, size_t *size)
{
    ssize_t length = getline(line, size, file);
    if (length <= 0 || length > LONGEST_LINE || (*line)[length - 1] != '\n')
        return false;
    (*line)[length - 1] = 0;
    return strlen(*line) == (size_t)length - 1;
}

struct verdict *verdict_read(FILE *file)
{
    struct verdict *verdict = verdict_new();
    char *line = NULL;
    size_t size = 0;
    unsigned number = 1;
    if (!verdict)
        return NULL;
    bool is_open = next_line(file, &line, &size) && !strcmp(line, FIRST_LINE);
    while (is_open && next_line(file, &line, &size)) {
        number++;
        if (!strcmp(line, LAST_LINE)) {
            verdict->is_complete = getc(file) == EOF;
            break;
        }
        is_open = read_record(verdict, line);
    }
    free(line);
    if (!verdict->is_complete)
        fail(verdict, "The judge's verdict ends early or is damaged at line %u.", number);
    return verdict;
}

/* ------------------------------------------------------------------------------------------- two judges */

static struct lab_outcome *find_case(const struct verdict *verdict, uint32_t which)
{
    for (uint32_t i = 0; i < verdict->ncases; i++)
        if (verdict->cases[i].which == which)
            return &verdict->cases[i];
    return NULL;
}

static void join_case(struct verdict *into, const struct lab_outcome *one)
{
    struct lab_outcome *known = find_case(into, one->which);
    if (!known)
        verdict_add_case(into, one);
    else if (known->is_right)
        *known = *one;
}

void verdict_join(struct verdict *into, const struct verdict *from)
{
    for (uint32_t i = 0; i < from->ncases; i++)
        join_case(into, &from->cases[i]);
    for (uint32_t i = 0; i < from->nmessages; i++)
        verdict_add_message(into, &from->messages[i]);
    for (uint32_t i = 0; i < from->ncounters; i++)
        verdict_add_counter(into, from->counters[i].name, from->counters[i].value);
    const struct lab_outcome *timed = find_case(into, LAB_TIMED);
    if (from->time.is_known)
        into->time = from->time;
    if (timed && !timed->is_right)
        into->time = (struct verdict_time){0};
    if (from->failure[0])
        fail(into, "%s", from->failure);
    into->is_complete = into->is_complete && from->is_complete;
}
