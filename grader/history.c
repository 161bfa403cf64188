/* history.c - see history.h. Prints nothing. */
#define _GNU_SOURCE
#include "grader/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "grader/files.h"

#define FORM  "1"
#define MOST  ((size_t)64 << 20)
#define TIMES "%Y-%m-%dT%H:%M:%SZ"
enum { MOST_LINE = 4096, MOST_POINTS = 100000, MOST_LINES = 1000000 };

/* ------------------------------------------------------------------------------------------- a line */

/* A word of a line has no blanks, and none of the signs that part words. */
static void copy_word(char *out, size_t size, const char *text)
{
    size_t n = 0;
    for (; *text && n + 1 < size; text++)
        out[n++] = (unsigned char)*text <= ' ' || strchr("=@#", *text) ? '_' : *text;
    if (n == 0)
        out[n++] = '-';
    out[n] = '\0';
}

static size_t write_stage(const struct history_stage *stage, char *out, size_t size)
{
    char id[HISTORY_ID], speedup[40] = "", roofline[120] = "", wrong[60] = "";
    copy_word(id, sizeof id, stage->id);
    if (stage->speedup > 0)
        snprintf(speedup, sizeof speedup, "@%.4f", stage->speedup);
    if (stage->time_us > 0)
        snprintf(roofline, sizeof roofline, "~%.6g/%.6g/%.6g", stage->time_us, stage->flop, stage->bytes);
    if (*stage->symptom)
        snprintf(wrong, sizeof wrong, "!%s:%d", stage->symptom, stage->line);
    return (size_t)snprintf(out, size, " %s=%s%d/%d%s%s%s", id, stage->is_bonus ? "+" : "", stage->points,
                            stage->most, speedup, roofline, wrong);
}

bool history_write_line(const struct history_attempt *attempt, char *out, size_t size)
{
    char when[40], gpu[64], version[16], hash[17];
    struct tm parts;
    if (!gmtime_r(&attempt->when, &parts) || !strftime(when, sizeof when, TIMES, &parts))
        return false;
    copy_word(gpu, sizeof gpu, attempt->gpu);
    copy_word(version, sizeof version, attempt->version);
    copy_word(hash, sizeof hash, attempt->hash);
    size_t used =
        (size_t)snprintf(out, size, FORM " %s %s %s %s %s %s", when, attempt->is_gpu ? "gpu" : "virtual", gpu,
                         version, hash, attempt->has_failed ? "failed" : "graded");
    if (attempt->has_failed && attempt->line && used < size)
        used += (size_t)snprintf(out + used, size - used, ":%d", attempt->line);
    for (int i = 0; i < attempt->nstages && used < size; i++)
        used += write_stage(&attempt->stages[i], out + used, size - used);
    if (used + 11 > size)
        return false;
    snprintf(out + used, size - used, " #%08x", hash_text(out, used));
    return true;
}

/* "~135.2/0/536870912"; where it has another form, nothing is known. */
static void read_roofline(char **at, struct history_stage *out)
{
    double numbers[3];
    char *end = *at;
    for (int i = 0; i < 3; i++) {
        if (*end != (i ? '/' : '~'))
            return;
        numbers[i] = strtod(end + 1, &end);
    }
    out->time_us = numbers[0];
    out->flop = numbers[1];
    out->bytes = numbers[2];
    *at = end;
}

/* "!race:34"; where it has another form, nothing is known. */
static void read_wrong(char **at, struct history_stage *out)
{
    const size_t length = **at == '!' ? strspn(*at + 1, "abcdefghijklmnopqrstuvwxyz-") : 0;
    char *end = *at + 1 + length;
    if (length == 0 || length >= sizeof out->symptom || *end != ':' || end[1] < '0' || end[1] > '9')
        return;
    const long line = strtol(end + 1, &end, 10);
    if (line < 0 || line > MOST_LINES)
        return;
    memcpy(out->symptom, *at + 1, length);
    out->line = (int)line;
    *at = end;
}

static bool read_stage(const char *word, struct history_stage *out)
{
    const size_t length = strcspn(word, "=");
    char *end;
    if (length == 0 || length >= sizeof out->id || word[length] != '=')
        return false;
    *out = (struct history_stage){.is_bonus = word[length + 1] == '+'};
    memcpy(out->id, word, length);
    const long points = strtol(word + length + 1, &end, 10);
    if (*end != '/')
        return false;
    const long most = strtol(end + 1, &end, 10);
    if (*end == '@')
        out->speedup = strtod(end + 1, &end);
    read_roofline(&end, out);
    read_wrong(&end, out);
    out->points = (int)points;
    out->most = (int)most;
    return *end == '\0' && points >= 0 && most >= 0 && points <= MOST_POINTS && most <= MOST_POINTS &&
           out->speedup >= 0;
}

static bool read_head(char **rest, struct history_attempt *out)
{
    enum { FIELDS = 7 };
    char *words[FIELDS];
    struct tm parts = {.tm_sec = 0};
    for (int i = 0; i < FIELDS; i++) {
        if (!(words[i] = strsep(rest, " ")))
            return false;
    }
    const char *end = strptime(words[1], TIMES, &parts);
    if (strcmp(words[0], FORM) != 0 || !end || *end)
        return false;
    out->when = timegm(&parts);
    out->is_gpu = strcmp(words[2], "gpu") == 0;
    snprintf(out->gpu, sizeof out->gpu, "%s", words[3]);
    snprintf(out->version, sizeof out->version, "%s", words[4]);
    snprintf(out->hash, sizeof out->hash, "%s", words[5]);
    out->has_failed = strcmp(strsep(&words[6], ":"), "failed") == 0;
    const long line = words[6] ? strtol(words[6], NULL, 10) : 0;
    out->line = line > 0 && line <= MOST_LINES ? (int)line : 0;
    return true;
}

bool history_read_line(const char *line, size_t length, struct history_attempt *out)
{
    char copy[MOST_LINE], want[16], *rest = copy, *word;
    enum { CHECKSUM = 10 };
    *out = (struct history_attempt){.when = 0};
    if (length <= CHECKSUM || length >= sizeof copy || memchr(line, '\0', length))
        return false;
    snprintf(want, sizeof want, " #%08x", hash_text(line, length - CHECKSUM));
    if (strncmp(want, line + length - CHECKSUM, CHECKSUM) != 0)
        return false;
    snprintf(copy, sizeof copy, "%.*s", (int)(length - CHECKSUM), line);
    if (!read_head(&rest, out))
        return false;
    while ((word = strsep(&rest, " "))) {
        if (out->nstages == HISTORY_STAGES || !read_stage(word, &out->stages[out->nstages++]))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- a file */

static bool add(struct history *history, const struct history_attempt *attempt)
{
    /* Room doubles when a power of two is full. */
    if ((history->count & (history->count - 1)) == 0) {
        const size_t room = history->count ? 2 * (size_t)history->count : 1;
        struct history_attempt *list = realloc(history->list, room * sizeof *list);
        if (!list)
            return false;
        history->list = list;
    }
    history->list[history->count++] = *attempt;
    return true;
}

static bool read_lines(struct history *history, const char *text, size_t size)
{
    struct history_attempt attempt;
    int number = 0;
    for (size_t at = 0; at < size;) {
        const char *end = memchr(text + at, '\n', size - at);
        const size_t length = end ? (size_t)(end - text) - at : size - at;
        number++;
        if (length && history_read_line(text + at, length, &attempt)) {
            if (!add(history, &attempt))
                return false;
        } else if (length && history->damaged++ == 0) {
            history->first_damaged = number;
        }
        at += length + 1;
    }
    return true;
}

bool history_load(struct history *history, const char *path)
{
    size_t size;
    *history = (struct history){.list = NULL};
    char *text = (char *)files_read(path, MOST, true, &size);
    if (!text)
        return errno == ENOENT;
    const bool is_read = read_lines(history, text, size);
    free(text);
    return is_read;
}

void history_free(struct history *history)
{
    free(history->list);
    *history = (struct history){.list = NULL};
}

/* A line that was torn off, by whatever wrote it, must not take this one with it. */
static bool append_to(int fd, const char *line)
{
    char text[MOST_LINE + 2], last = '\n';
    struct stat before;
    if (fstat(fd, &before) != 0)
        return false;
    if (before.st_size > 0 && pread(fd, &last, 1, before.st_size - 1) != 1)
        return false;
    const int length = snprintf(text, sizeof text, "%s%s\n", last == '\n' ? "" : "\n", line);
    const ssize_t written = write(fd, text, (size_t)length);
    if (written == length)
        return true;
    const int reason = written < 0 ? errno : ENOSPC;
    if (written > 0 && ftruncate(fd, before.st_size) != 0)
        return false;
    errno = reason;
    return false;
}

bool history_append(const char *path, const struct history_attempt *attempt)
{
    char line[MOST_LINE];
    if (!history_write_line(attempt, line, sizeof line)) {
        errno = EOVERFLOW;
        return false;
    }
    const int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
        continue;
    const bool is_done = append_to(fd, line);
    const int reason = errno;
    close(fd);
    errno = reason;
    return is_done;
}

/* ------------------------------------------------------------------------------------------- what it tells */

const struct history_stage *history_find(const struct history_attempt *attempt, const char *id)
{
    for (int i = 0; i < attempt->nstages; i++) {
        if (strcmp(attempt->stages[i].id, id) == 0)
            return &attempt->stages[i];
    }
    return NULL;
}

const struct history_stage *history_best(const struct history *history, const char *id)
{
    const struct history_stage *best = NULL;
    for (int i = 0; i < history->count; i++) {
        const struct history_stage *one = history_find(&history->list[i], id);
        if (one && (!best || one->points > best->points))
            best = one;
    }
    return best;
}
