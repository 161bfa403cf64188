/* drawing.c - see drawing.h. */
#include "profile/drawing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANE_COUNT = 32,
    LINE_BYTES = 128,
    WORD_BYTES = 4,
    LINE_WORDS = LINE_BYTES / WORD_BYTES,
    SECTOR_WORDS = 8
};

static bool is_active(const struct vgpu_picture *picture, int lane)
{
    return picture->mask >> lane & 1;
}

static unsigned words_each(const struct vgpu_picture *picture)
{
    return picture->bytes > WORD_BYTES ? picture->bytes / WORD_BYTES : 1;
}

/* ------------------------------------------------------------------------------------------- sectors */

enum { MOST_LINES = 5 };

/* The line of 128 bytes that comes next behind `after`; false: there is none. */
static bool next_line(const struct vgpu_picture *picture, uint64_t after, bool is_first, uint64_t *line)
{
    bool is_found = false;
    for (int lane = 0; lane < LANE_COUNT; lane++)
        for (unsigned w = 0; is_active(picture, lane) && w < words_each(picture); w++) {
            const uint64_t one = (picture->address[lane] + w * WORD_BYTES) / LINE_BYTES;
            if ((is_first || one > after) && (!is_found || one < *line)) {
                *line = one;
                is_found = true;
            }
        }
    return is_found;
}

/* Which words of a line are used, and the first and the last lane that use some. */
static uint32_t words_in(const struct vgpu_picture *picture, uint64_t line, int *first, int *last)
{
    uint32_t words = 0;
    *first = *last = -1;
    for (int lane = 0; lane < LANE_COUNT; lane++)
        for (unsigned w = 0; is_active(picture, lane) && w < words_each(picture); w++) {
            const uint64_t address = picture->address[lane] + w * WORD_BYTES;
            if (address / LINE_BYTES != line)
                continue;
            words |= 1u << address % LINE_BYTES / WORD_BYTES;
            *first = *first < 0 ? lane : *first;
            *last = lane;
        }
    return words;
}

static void draw_line(FILE *out, int indent, uint32_t words, uint64_t offset, int first, int last)
{
    fprintf(out, "%*s%+9lld  ", indent, "", (long long)offset);
    for (int i = 0; i < LINE_WORDS; i++) {
        const bool is_fetched = words >> i / SECTOR_WORDS * SECTOR_WORDS & 0xff;
        fprintf(out, "%s%c", i % SECTOR_WORDS ? "" : "|", words >> i & 1 ? '#' : is_fetched ? '.' : ' ');
    }
    if (first == last)
        fprintf(out, "|  lane %d\n", first);
    else
        fprintf(out, "|  lanes %d to %d\n", first, last);
}

void draw_sectors(FILE *out, int indent, const struct vgpu_picture *picture)
{
    uint64_t line = 0, base = 0;
    int first, last, count = 0;
    for (; next_line(picture, line, count == 0, &line); count++) {
        base = count ? base : line;
        const uint32_t words = words_in(picture, line, &first, &last);
        if (count < MOST_LINES)
            draw_line(out, indent, words, (line - base) * LINE_BYTES, first, last);
    }
    if (count > MOST_LINES)
        fprintf(out, "%*sand %d line%s of 128 bytes more\n", indent + 11, "", count - MOST_LINES,
                count == MOST_LINES + 1 ? "" : "s");
}

/* ------------------------------------------------------------------------------------------- banks */

/* Lanes that go to the banks at a time: all, or halves and quarters where each wants more than a word. */
static int lanes_at_once(const struct vgpu_picture *picture)
{
    return LANE_COUNT / (int)words_each(picture);
}

/* How many distinct words these lanes want of each bank; the most of them. */
static unsigned count_words(const struct vgpu_picture *picture, int from, unsigned counts[LANE_COUNT])
{
    uint64_t seen[LANE_COUNT * WORD_BYTES];
    size_t nseen = 0;
    unsigned most = 0;
    memset(counts, 0, LANE_COUNT * sizeof *counts);
    for (int lane = from; lane < from + lanes_at_once(picture); lane++)
        for (unsigned w = 0; is_active(picture, lane) && w < words_each(picture); w++) {
            const uint64_t word = picture->address[lane] / WORD_BYTES + w;
            size_t i = 0;
            while (i < nseen && seen[i] != word)
                i++;
            if (i < nseen || nseen == sizeof seen / sizeof *seen)
                continue;
            seen[nseen++] = word;
            counts[word % LANE_COUNT]++;
            most = counts[word % LANE_COUNT] > most ? counts[word % LANE_COUNT] : most;
        }
    return most;
}

static char digit_of(unsigned count)
{
    static const char digits[] = ".123456789abcdefghijklmnopqrstuvwxyz";
    return count < sizeof digits - 1 ? digits[count] : '+';
}

static void name_lanes(FILE *out, int indent, const struct vgpu_picture *picture, int from, unsigned bank,
                       unsigned words)
{
    enum { MOST_NAMED = 8 };
    int count = 0;
    fprintf(out, "%*sbank %u has %u words to give, one after another: lanes", indent, "", bank, words);
    for (int lane = from; lane < from + lanes_at_once(picture); lane++) {
        const unsigned first = (unsigned)(picture->address[lane] / WORD_BYTES % LANE_COUNT);
        if (!is_active(picture, lane) || (bank + LANE_COUNT - first) % LANE_COUNT >= words_each(picture))
            continue;
        if (++count <= MOST_NAMED)
            fprintf(out, " %d", lane);
    }
    fprintf(out, "%s\n", count > MOST_NAMED ? " ..." : "");
}

void draw_banks(FILE *out, int indent, const struct vgpu_picture *picture)
{
    unsigned counts[LANE_COUNT], most = 0, bank = 0;
    int worst = 0;
    for (int from = 0; from < LANE_COUNT; from += lanes_at_once(picture)) {
        const unsigned one = count_words(picture, from, counts);
        if (one > most) {
            most = one;
            worst = from;
        }
    }
    count_words(picture, worst, counts);
    while (bank < LANE_COUNT - 1 && counts[bank] != most)
        bank++;
    fprintf(out, "%*sbanks  |0      |8      |16     |24     |\n%*swords  |", indent, "", indent, "");
    for (int i = 0; i < LANE_COUNT; i++)
        fputc(digit_of(counts[i]), out);
    fputc('|', out);
    if (most > 9)
        fprintf(out, "  %c: %u", digit_of(most), most);
    fputc('\n', out);
    if (most > 1)
        name_lanes(out, indent, picture, worst, bank, most);
}

/* ------------------------------------------------------------------------------------------- roofline */

enum { CHART_ROWS = 5, CHART_COLUMNS = 49 };

/* Columns are quarters of an octave of flop per byte, from 1/16 to 256; rows are factors of four below the peak. */
static int column_of(double intensity)
{
    const double column = (log2(intensity) + 4) * 4;
    return column < 0 ? 0 : column > CHART_COLUMNS - 1 ? CHART_COLUMNS - 1 : (int)lround(column);
}

static int row_of(double gflops, double peak)
{
    const double row = log2(peak / gflops) / 2;
    return row < 0 ? 0 : row > CHART_ROWS - 1 ? CHART_ROWS - 1 : (int)lround(row);
}

void draw_roofline(FILE *out, int indent, const struct vgpu_profile *profile, double time_us)
{
    char chart[CHART_ROWS][CHART_COLUMNS + 1];
    const double intensity = profile->flop / (profile->bytes > 0 ? profile->bytes : 1);
    const double gflops = profile->flop / time_us * 1e-3;
    for (int row = 0; row < CHART_ROWS; row++)
        snprintf(chart[row], sizeof chart[row], "%*s", CHART_COLUMNS, "");
    for (int column = 0; column < CHART_COLUMNS; column++) {
        const double roof = exp2(column / 4.0 - 4) * profile->dram_gbs;
        const bool is_flat = roof >= profile->peak_gflops;
        chart[row_of(is_flat ? profile->peak_gflops : roof, profile->peak_gflops)][column] =
            is_flat ? '-' : '/';
    }
    chart[row_of(gflops, profile->peak_gflops)][column_of(intensity)] = 'X';
    for (int row = 0; row < CHART_ROWS; row++) {
        const double level = profile->peak_gflops / exp2(2 * row);
        fprintf(out, "%*s%8.0f |%s\n", indent, "", level, chart[row]);
    }
    fprintf(out, "%*s GFLOP/s +1/16------1/4-----1-------4-------16------64---- flop/byte\n", indent, "");
}
