/* late.c - times as people and platforms write them, and what late submissions lose: see course.h. */
#define _GNU_SOURCE
#include "grader/course/course.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

/* ------------------------------------------------------------------------------------------- times */

/* "Z", "+01:00", "-0530", " UTC", or nothing: seconds to take away. False: it is something else. */
static bool read_offset(const char *text, long *seconds)
{
    int hours = 0, minutes = 0, used = 0;
    *seconds = 0;
    while (isspace((unsigned char)*text))
        text++;
    if (!*text || strcasecmp(text, "Z") == 0 || strcasecmp(text, "UTC") == 0 || strcasecmp(text, "GMT") == 0)
        return true;
    const int sign = *text == '+' ? 1 : *text == '-' ? -1 : 0;
    if (!sign || sscanf(text + 1, "%2d%n", &hours, &used) != 1)
        return false;
    text += 1 + used;
    text += *text == ':';
    if (*text && (sscanf(text, "%2d%n", &minutes, &used) != 1 || text[used]))
        return false;
    *seconds = sign * (hours * 3600L + minutes * 60L);
    return hours <= 14 && minutes < 60;
}

/* "2026-11-17T09:12:33": what follows it comes back; NULL: it is something else. */
static const char *read_plain(const char *text, struct tm *tm, bool *has_clock)
{
    int used = 0;
    char sign;
    if (sscanf(text, "%4d-%2d-%2d%n", &tm->tm_year, &tm->tm_mon, &tm->tm_mday, &used) != 3 || !used)
        return NULL;
    text += used;
    *has_clock =
        sscanf(text, "%c%2d:%2d%n", &sign, &tm->tm_hour, &tm->tm_min, &used) == 3 && strchr("T ", sign);
    if (!*has_clock)
        return text;
    text += used;
    if (sscanf(text, ":%2d%n", &tm->tm_sec, &used) == 1)
        text += used;
    return *text == '.' || *text == ',' ? text + 1 + strspn(text + 1, "0123456789") : text;
}

static int find_month(const char *word)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    for (int i = 0; i < 12; i++) {
        if (strncasecmp(word, months[i], 3) == 0)
            return i + 1;
    }
    return 0;
}

/* "Monday, 16 November 2026, 10:00 PM", with or without the day of the week. */
static const char *read_moodle(const char *text, struct tm *tm)
{
    char month[20], half[3] = "";
    int used = 0;
    const char *comma = strchr(text, ',');
    if (comma && !isdigit((unsigned char)*text))
        text = comma + 1 + strspn(comma + 1, " ");
    if (sscanf(text, "%2d %19[A-Za-z] %4d, %2d:%2d%n", &tm->tm_mday, month, &tm->tm_year, &tm->tm_hour,
               &tm->tm_min, &used) != 5 ||
        !used)
        return NULL;
    text += used;
    if (sscanf(text, " %2[APMapm]%n", half, &used) == 1)
        text += used;
    if (*half)
        tm->tm_hour = tm->tm_hour % 12 + (toupper((unsigned char)*half) == 'P' ? 12 : 0);
    tm->tm_mon = find_month(month);
    return text;
}

/* What stands behind the time; NULL: it is none. */
static const char *read_moment(const char *text, struct tm *tm, bool *has_clock)
{
    *tm = (struct tm){.tm_isdst = 0};
    *has_clock = true;
    const char *behind = read_plain(text, tm, has_clock);
    if (!behind)
        behind = read_moodle(text, tm);
    const bool is_sane = tm->tm_mon >= 1 && tm->tm_mon <= 12 && tm->tm_mday >= 1 && tm->tm_mday <= 31 &&
                         tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec <= 60 && tm->tm_year > 1900;
    tm->tm_year -= 1900;
    tm->tm_mon -= 1;
    /* A day that its month has not would be one of the next. */
    struct tm day = {.tm_year = tm->tm_year, .tm_mon = tm->tm_mon, .tm_mday = tm->tm_mday};
    return is_sane && timegm(&day) != -1 && day.tm_mday == tm->tm_mday ? behind : NULL;
}

bool course_read_time_at(const char *text, long offset_s, long long *seconds)
{
    struct tm tm;
    bool has_clock;
    long given_s;
    const char *behind = read_moment(text, &tm, &has_clock);
    if (!behind || !read_offset(behind, &given_s))
        return false;
    behind += strspn(behind, " ");
    *seconds = (long long)timegm(&tm) - (*behind ? given_s : offset_s);
    return true;
}

bool course_read_time(const char *text, long long *seconds)
{
    return course_read_time_at(text, 0, seconds);
}

long course_offset(const char *text)
{
    struct tm tm;
    bool has_clock;
    long offset_s = 0;
    const char *behind = read_moment(text, &tm, &has_clock);
    return behind && read_offset(behind, &offset_s) ? offset_s : 0;
}

bool course_make_deadline(const char *text, char *out, size_t size)
{
    struct tm tm, local;
    bool has_clock;
    long offset_s;
    const char *behind = read_moment(text, &tm, &has_clock);
    if (!behind || !read_offset(behind, &offset_s))
        return false;
    if (!has_clock) {
        tm.tm_hour = 23;
        tm.tm_min = tm.tm_sec = 59;
    }
    if (!behind[strspn(behind, " ")]) {
        local = tm;
        local.tm_isdst = -1;
        mktime(&local);
        offset_s = local.tm_gmtoff;
    }
    const long minutes = labs(offset_s) / 60;
    snprintf(out, size, "%04d-%02d-%02dT%02d:%02d:%02d%c%02ld:%02ld", tm.tm_year + 1900, tm.tm_mon + 1,
             tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, offset_s < 0 ? '-' : '+', minutes / 60,
             minutes % 60);
    return true;
}

/* ------------------------------------------------------------------------------------------- rules */

static bool read_unit(const char *word, long *seconds)
{
    static const struct {
        const char *word;
        long seconds;
    } units[] = {{"minute", 60}, {"hour", 3600}, {"day", 86400}, {"week", 7 * 86400}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t length = strlen(units[i].word);
        if (strncasecmp(word, units[i].word, length) == 0 &&
            (!word[length] || strcasecmp(word + length, "s") == 0)) {
            *seconds = units[i].seconds;
            return true;
        }
    }
    return false;
}

/* "10%/day", "5/hour". */
static bool read_loss(const char *text, struct course_late *rule)
{
    char *behind;
    const double value = strtod(text, &behind);
    const bool is_share = *behind == '%';
    behind += is_share;
    if (behind == text || !(value >= 0) || !isfinite(value) || *behind != '/')
        return false;
    *(is_share ? &rule->share : &rule->points) = is_share ? value / 100 : value;
    return read_unit(behind + 1, &rule->unit_s);
}

/* "most 50%". */
static bool read_most(const char *text, struct course_late *rule)
{
    char *behind;
    const size_t word = strncasecmp(text, "most ", 5) == 0 ? 5 : strncasecmp(text, "max ", 4) == 0 ? 4 : 0;
    if (!word)
        return false;
    const double value = strtod(text + word, &behind);
    rule->most_share = value / 100;
    return behind != text + word && strcmp(behind, "%") == 0 && value >= 0 && value <= 100;
}

/* "0 after 2 days". */
static bool read_end(const char *text, struct course_late *rule)
{
    char *behind;
    long unit;
    if (strncasecmp(text, "0 after ", 8) != 0)
        return false;
    const double value = strtod(text + 8, &behind);
    if (behind == text + 8 || !(value > 0) || !(value < 1e6) || *behind != ' ' ||
        !read_unit(behind + 1, &unit))
        return false;
    rule->closed_s = (long)(value * (double)unit);
    return rule->closed_s > 0;
}

bool course_read_late(const char *text, struct course_late *rule)
{
    char part[100];
    *rule = (struct course_late){.most_share = 1};
    if (!*text || strcasecmp(text, "none") == 0)
        return true;
    while (*text) {
        const size_t length = strcspn(text, ",");
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        if (length >= sizeof part ||
            (!read_loss(part, rule) && !read_most(part, rule) && !read_end(part, rule)))
            return false;
        text += length + strspn(text + length, ", ");
    }
    return rule->unit_s || rule->closed_s;
}

double course_late_points(const struct course_late *rule, double points, long late_s)
{
    if (late_s <= 0 || points <= 0)
        return points;
    if (rule->closed_s && late_s > rule->closed_s)
        return 0;
    const double units = rule->unit_s ? (double)((late_s - 1) / rule->unit_s + 1) : 0;
    double lost = units * (rule->share * points + rule->points);
    lost = fmin(fmin(lost, rule->most_share * points), points);
    return floor(2 * (points - lost) + 1e-9) / 2;
}
