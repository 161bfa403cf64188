/* sweep.c - see sweep.h. A curve's points are rates of the stage's own work, so that sizes can be compared: 2000 GB/s at one size, 1000 at
 * the next. */
#define _GNU_SOURCE
#include "lab/sweep.h"

#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab/buffers.h"

/* ------------------------------------------------------------------------------------------- the option */

static bool read_value(const char **text, long *out)
{
    char *end;
    *out = strtol(*text, &end, 10);
    const bool is_read = end != *text && *out >= 1 && *out <= INT32_MAX;
    *text = end;
    return is_read;
}

static bool add(struct sweep *out, long value)
{
    if (out->count == SWEEP_POINTS)
        return false;
    out->values[out->count++] = value;
    return true;
}

/* A value, or a range whose values double. */
static bool read_part(const char **text, struct sweep *out)
{
    long first, last;
    if (!read_value(text, &first))
        return false;
    if (strncmp(*text, "..", 2) != 0)
        return add(out, first);
    *text += 2;
    if (!read_value(text, &last) || last < first)
        return false;
    for (; first < last; first *= 2)
        if (!add(out, first))
            return false;
    return add(out, last);
}

const char *sweep_read(const char *text, struct sweep *out)
{
    static char problem[160];
    char letters[2 * LAB_SIZES + 1] = "";
    *out = (struct sweep){.size = -1};
    for (int i = 0; i < LAB_SIZES && lab.size_options[i]; i++) {
        if (text[0] == lab.size_options[i] && text[1] == '=')
            out->size = i;
        snprintf(letters + strlen(letters), 3, "%s%c", *letters ? " " : "", lab.size_options[i]);
    }
    if (out->size < 0) {
        snprintf(problem, sizeof problem, "names none of the sizes %s: --sweep %c=1,2,4 or --sweep %c=1..64",
                 letters, lab.size_options[0], lab.size_options[0]);
        return problem;
    }
    bool is_read = true;
    for (text += 2; is_read;) {
        is_read = read_part(&text, out);
        if (*text != ',')
            break;
        text++;
    }
    snprintf(problem, sizeof problem,
             "is no row of sizes: --sweep %c=1,2,4 or --sweep %c=1..64, at most %d of them",
             lab.size_options[out->size], lab.size_options[out->size], SWEEP_POINTS);
    return is_read && !*text ? NULL : problem;
}

/* ------------------------------------------------------------------------------------------- points */

struct curve {
    const struct lab_stage *stage;
    double rates[SWEEP_POINTS]; /* 0: the stage did not run there */
};

/* 1e9 units of work per second; without work, calls per second. */
static double rate_of(const struct lab_stage *stage, const struct lab_case *which, double us)
{
    struct lab_run run;
    lab_begin_run(&run, &lab, stage, which, 1);
    const double work = lab_work(&run);
    return us > 0 ? (work > 0 ? 1e6 * work : 1e6) / us : 0;
}

static enum hand_status run_point(const struct sweep_stage *one, const struct lab_case *which,
                                  const struct sweep_how *how, double *rate)
{
    const bool is_sampled = buffers_are_virtual() && !how->is_all && lab_is_large(&lab, one->stage, which);
    struct hand_time time;
    hand_watch();
    enum hand_status status = is_sampled ? HAND_RIGHT : hand_check(one->stage, which, how->seed);
    if (status == HAND_RIGHT)
        status = hand_time(one->stage, which, how->seed, is_sampled, how->reps, &time);
    *rate = status == HAND_RIGHT ? rate_of(one->stage, which, time.us) : 0;
    return status;
}

/* ------------------------------------------------------------------------------------------- the terminal */

/* Bars of eighths of a column, where the terminal can show them. */
static void put_bar(double share, int columns)
{
    static const char *const eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const bool has_blocks = !strcmp(nl_langinfo(CODESET), "UTF-8");
    const int all = (int)(share * columns * 8 + 0.5);
    for (int i = 0; i < all / 8; i++)
        fputs(has_blocks ? "█" : "#", stdout);
    if (has_blocks)
        fputs(eighths[all % 8], stdout);
}

static void put_number(double value)
{
    printf(value >= 100 ? "%8.0f" : value >= 10 ? "%8.1f" : "%8.2f", value);
}

static void put_row(const struct sweep *sweep, int at, const struct curve *curve, double most, bool is_first)
{
    if (is_first)
        printf("%8ld  ", sweep->values[at]);
    else
        printf("%8s  ", "");
    printf("%-*s ", hand_id_width(), curve->stage->id);
    if (curve->rates[at] > 0)
        put_number(curve->rates[at]);
    else
        printf("%8s", "-");
    printf("  ");
    put_bar(most > 0 ? curve->rates[at] / most : 0, 40);
    printf("\n");
}

static double most_of(const struct curve *curves, int ncurves, int count)
{
    double most = 0;
    for (int c = 0; c < ncurves; c++)
        for (int i = 0; i < count; i++)
            most = fmax(most, curves[c].rates[i]);
    return most;
}

static const char *unit_of(const struct lab_stage *stage)
{
    const char *unit = lab_unit(&lab, stage);
    return unit && *unit ? unit : "calls/s";
}

/* ------------------------------------------------------------------------------------------- the drawing */

enum { WIDTH = 720, HEIGHT = 420, LEFT = 76, RIGHT = 150, TOP = 46, BOTTOM = 56 };

static double x_of(const struct sweep *sweep, int at)
{
    const double first = log2((double)sweep->values[0]), last = log2((double)sweep->values[sweep->count - 1]);
    const double share = last > first ? (log2((double)sweep->values[at]) - first) / (last - first) : 0;
    return LEFT + share * (WIDTH - LEFT - RIGHT);
}

static double y_of(double value, double most)
{
    return HEIGHT - BOTTOM - value / most * (HEIGHT - TOP - BOTTOM);
}

/* 1, 2 or 5 times a power of ten, of which four to ten are up to the most. */
static double step_of(double most)
{
    const double least = pow(10, floor(log10(most / 10)));
    for (int i = 0; i < 6; i++) {
        const double step = least * (const double[]){1, 2, 5, 10, 20, 50}[i];
        if (most / step <= 8)
            return step;
    }
    return most;
}

/* Stages may give a size another meaning. */
static const char *name_of(const struct sweep *sweep, const struct lab_stage *stage)
{
    return stage->swept ? stage->swept : lab.size_names[sweep->size];
}

static void draw_axes(FILE *out, const struct sweep *sweep, double most, const struct lab_stage *stage)
{
    const double step = step_of(most);
    for (double value = 0; value <= most * 1.0001; value += step)
        fprintf(out,
                "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                LEFT, WIDTH - RIGHT, y_of(value, most), y_of(value, most), LEFT - 8, y_of(value, most) + 4,
                value);
    double last = -1e9;
    for (int i = 0; i < sweep->count; i++) {
        const double x = x_of(sweep, i);
        fprintf(out, "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>\n", x, x, TOP,
                HEIGHT - BOTTOM);
        if (x - last > 34) {
            fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%ld</text>\n", x,
                    HEIGHT - BOTTOM + 18, sweep->values[i]);
            last = x;
        }
    }
    fprintf(out,
            "<text x=\"%d\" y=\"%d\">%s</text>\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
            LEFT, TOP - 14, unit_of(stage), (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, name_of(sweep, stage));
}

static void draw_curve(FILE *out, const struct sweep *sweep, const struct curve *curve, double most,
                       int number)
{
    int last = -1;
    fprintf(out, "<path class=\"line c%d\" d=\"", number);
    for (int i = 0; i < sweep->count; i++)
        if (curve->rates[i] > 0) {
            fprintf(out, "%c%.1f %.1f", last < 0 ? 'M' : 'L', x_of(sweep, i), y_of(curve->rates[i], most));
            last = i;
        }
    fprintf(out, "\"/>\n");
    for (int i = 0; i < sweep->count; i++)
        if (curve->rates[i] > 0)
            fprintf(
                out,
                "<circle class=\"c%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"><title>%ld: %.4g</title></circle>\n",
                number, x_of(sweep, i), y_of(curve->rates[i], most), sweep->values[i], curve->rates[i]);
    if (last >= 0)
        fprintf(out, "<text class=\"n%d\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", number, x_of(sweep, last) + 10,
                y_of(curve->rates[last], most) + 4, curve->stage->id);
}

struct colours {
    const char *paper, *ink, *rule, *curves[SWEEP_STAGES];
};
static const struct colours light = {
    "#ffffff", "#1f2328", "#d8dee4", {"#0a58a8", "#b3410e", "#0f766e", "#8a3fc0", "#a31d5d", "#57606a"}};
static const struct colours dark = {
    "#14181d", "#dde3ea", "#313840", {"#79b8ff", "#f0a070", "#5cc9b8", "#c3a6ff", "#ff8fb8", "#9aa5b1"}};

static void put_style(FILE *out, const char *begin, const struct colours *colours, int ncurves)
{
    fprintf(out, "%ssvg { background: %s; }\ntext { fill: %s; }\n.grid { stroke: %s; }\n", begin,
            colours->paper, colours->ink, colours->rule);
    for (int c = 0; c < ncurves; c++)
        fprintf(out, ".c%d { stroke: %s; } circle.c%d { fill: %s; } .n%d { fill: %s; font-weight: 600; }\n",
                c, colours->curves[c], c, colours->curves[c], c, colours->curves[c]);
}

/* Beside the program: build/lab2-sweep.svg. */
static void draw(const struct sweep *sweep, const struct curve *curves, int ncurves, double most)
{
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 16);
    if (length <= 0)
        return;
    snprintf(path + length, sizeof path - (size_t)length, "-sweep.svg");
    FILE *out = fopen(path, "w");
    if (!out) {
        printf("No drawing: %s cannot be written.\n", path);
        return;
    }
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n"
            "<title>%s over %s</title>\n<desc>A curve for each stage, with a point for each size that was "
            "run.</desc>\n<style>\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT, unit_of(curves[0].stage), name_of(sweep, curves[0].stage));
    put_style(out, "", &light, ncurves);
    put_style(out, "@media (prefers-color-scheme: dark) {\n", &dark, ncurves);
    fprintf(out, "}\ntext { font: 13px system-ui, sans-serif; }\n.line { fill: none; stroke-width: 2.5; "
                 "}\n</style>\n");
    draw_axes(out, sweep, most, curves[0].stage);
    for (int c = 0; c < ncurves; c++)
        draw_curve(out, sweep, &curves[c], most, c);
    fprintf(out, "</svg>\n");
    if (fclose(out) == 0)
        printf("\nThe curve is drawn in %s\n", path);
}

/* ------------------------------------------------------------------------------------------- all of it */

enum hand_status sweep_run(const struct sweep *sweep, const struct sweep_stage *stages, int nstages,
                           const struct sweep_how *how)
{
    struct curve curves[SWEEP_STAGES];
    enum hand_status worst = HAND_RIGHT;
    setlocale(LC_CTYPE, ""); /* for bars */
    for (int c = 0; c < nstages; c++) {
        const struct lab_stage *stage = stages[c].stage;
        curves[c] = (struct curve){.stage = stage};
        hand_watch();
        const enum hand_status status = stage->function ? hand_check_cases(stage, how->seed) : HAND_WRONG;
        if (!stage->function)
            hand_fail("the file does not define", stage->entry);
        if (status != HAND_RIGHT)
            return status;
    }
    for (int i = 0; i < sweep->count; i++)
        for (int c = 0; c < nstages; c++) {
            struct lab_case which = stages[c].which;
            which.size[sweep->size] = sweep->values[i];
            if (isatty(STDERR_FILENO))
                fprintf(stderr, "\r%s %ld of %ld ...\033[K", stages[c].stage->id, sweep->values[i],
                        sweep->values[sweep->count - 1]);
            const enum hand_status status = run_point(&stages[c], &which, how, &curves[c].rates[i]);
            worst = status > worst ? status : worst;
            if (hand_is_lost())
                return worst;
        }
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    const double most = most_of(curves, nstages, sweep->count);
    printf("\n%8s  %-*s %8s\n", name_of(sweep, stages[0].stage), hand_id_width(), "stage",
           unit_of(stages[0].stage));
    for (int i = 0; i < sweep->count; i++)
        for (int c = 0; c < nstages; c++)
            put_row(sweep, i, &curves[c], most, c == 0);
    if (most > 0)
        draw(sweep, curves, nstages, most);
    return worst;
}
