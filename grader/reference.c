/* reference.c - what the kit's own solution reaches where a class was graded: see class_page.h.
 * On a virtual GPU it is graded there, as a batch of one, and the store keeps what came of it. On a GPU only a table of figures
 * that were measured on the same kind can tell. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grader/class_page.h"
#include "grader/course/csv.h"
#include "grader/files.h"
#include "grader/self.h"

enum { MOST_TABLE = 1 << 20 };

/* ------------------------------------------------------------------------------------------- where */

static bool is_same_gpu(const struct record_environment *a, const struct record_environment *b)
{
    return strcmp(a->backend, b->backend) == 0 && strcmp(a->gpu, b->gpu) == 0;
}

/* Where most of the submissions were graded; NULL: there are none. */
static const struct record_environment *usual_place(const struct store_content *content)
{
    const struct record_environment *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < content->nrecords; i++) {
        size_t count = 0;
        for (size_t k = 0; k < content->nrecords; k++)
            count += is_same_gpu(&content->environments[i], &content->environments[k]);
        if (count > most) {
            most = count;
            best = &content->environments[i];
        }
    }
    return best;
}

static struct pages_reference *add(struct class_page *page, const char *stage)
{
    if (page->pages.nreferences == CLASS_REFERENCES)
        return NULL;
    struct pages_reference *one = &page->references[page->pages.nreferences++];
    *one = (struct pages_reference){.speedup = 0};
    snprintf(one->stage, sizeof one->stage, "%s", stage);
    return one;
}

/* ------------------------------------------------------------------------------------------- a table */

static void take_row(struct class_page *page, const struct csv *table, size_t row)
{
    const double base = atof(csv_cell(table, row, (size_t)csv_column(table, "base_us"))),
                 time = atof(csv_cell(table, row, (size_t)csv_column(table, "time_us"))),
                 library = atof(csv_cell(table, row, (size_t)csv_column(table, "library_us")));
    struct pages_reference *one =
        base > 0 && time > 0 ? add(page, csv_cell(table, row, (size_t)csv_column(table, "stage"))) : NULL;
    if (!one)
        return;
    one->speedup = base / time;
    one->library = library > 0 ? base / library : 0;
}

static bool has_columns(const struct csv *table)
{
    return csv_column(table, "lab") >= 0 && csv_column(table, "stage") >= 0 &&
           csv_column(table, "base_us") >= 0 && csv_column(table, "time_us") >= 0 &&
           csv_column(table, "library_us") >= 0;
}

/* "# NVIDIA H200, 580.159.04, CUDA 13.0": the first line of the table says whose figures these are. */
static void take_table(struct class_page *page, const char *text, const char *gpu)
{
    struct csv table;
    const size_t first = strcspn(text, "\n");
    const char *rows = text;
    if (strncmp(text, "# ", 2) != 0 || strncmp(text + 2, gpu, strlen(gpu)) != 0 ||
        text[2 + strlen(gpu)] != ',')
        return;
    while (*rows == '#')
        rows += strcspn(rows, "\n") + (rows[strcspn(rows, "\n")] == '\n');
    if (!csv_read(&table, rows))
        return;
    for (size_t i = 1; has_columns(&table) && i < table.nrows; i++) {
        if (strcmp(csv_cell(&table, i, (size_t)csv_column(&table, "lab")), page->course.lab) == 0)
            take_row(page, &table, i);
    }
    csv_free(&table);
    snprintf(page->measured, sizeof page->measured,
             "Figures of the kit's solution and of the vendor's library: handouts/h200.csv, measured by make "
             "bench on %.*s.",
             (int)(first > 2 ? first - 2 : 0), text + 2);
}

static void read_table(struct class_page *page, const char *gpu)
{
    char path[GRADE_PATH + 40];
    size_t size;
    snprintf(path, sizeof path, "%s/handouts/h200.csv", page->session->kit.root);
    char *text = (char *)files_read(path, MOST_TABLE, true, &size);
    if (text)
        take_table(page, text, gpu);
    free(text);
}

/* ------------------------------------------------------------------------------------------- graded now */

/* "tiled 2.17\npadded 3.72\n". */
static void take_kept(struct class_page *page, char *kept)
{
    for (char *rest = kept, *line; (line = strsep(&rest, "\n"));) {
        char *blank = strchr(line, ' ');
        if (!blank)
            continue;
        *blank = '\0';
        struct pages_reference *one = add(page, line);
        if (one)
            one->speedup = atof(blank + 1);
    }
}

static char *write_kept(const struct record *record)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    for (size_t i = 0; i < record->nstages; i++)
        fprintf(file, "%s %.4f\n", record->stages[i].id, record->stages[i].speedup);
    fclose(file);
    return text;
}

/* A batch of one, in the session's folder. To be freed; NULL: it was not graded. */
static char *grade_solution(struct class_page *page, const struct record_environment *place)
{
    const struct session *session = page->session;
    const struct labs_entry *lab = labs_by_id(&session->labs, page->course.lab);
    char from[GRADE_PATH + 400], folder[GRADE_PATH + 40], to[GRADE_PATH + 400], out[GRADE_PATH + 40],
        log[GRADE_PATH + 40];
    size_t size;
    snprintf(from, sizeof from, "%s/solutions/%s/%s.cu", session->kit.root, lab ? lab->folder : "",
             lab ? lab->id : "");
    snprintf(folder, sizeof folder, "%s/solution", session->folder);
    snprintf(to, sizeof to, "%s/solution.cu", folder);
    snprintf(out, sizeof out, "%s/solution-results", session->folder);
    snprintf(log, sizeof log, "%s/solution.log", session->folder);
    const char *argv[] = {"batch", page->course.lab, folder,         "--out", out,
                          "--gpu", place->gpu,       "--no-sandbox", NULL};
    char *text = lab ? (char *)files_read(from, MOST_TABLE, true, &size) : NULL, *kept = NULL;
    struct store store;
    struct course course = {.members = NULL};
    if (text)
        printf("The kit's solution is graded on the virtual GPU as %s, to compare with.\n", place->gpu);
    fflush(stdout);
    store_name(&store, out);
    if (text && mkdir(folder, 0700) == 0 && files_write(to, text, size) &&
        self_run(&session->kit, argv, log) == 0 && course_load(&course, &store) &&
        course.content.nrecords == 1)
        kept = write_kept(&course.content.records[0]);
    course_free(&course);
    free(text);
    return kept;
}

static void ask_virtual(struct class_page *page, const struct record_environment *place)
{
    char key[200];
    snprintf(key, sizeof key, "solution on %.60s by %.60s", place->gpu, place->kit);
    char *kept = store_get(&page->store, key);
    if (kept && !*kept) {
        free(kept);
        kept = grade_solution(page, place);
        if (kept)
            store_set(&page->store, key, kept);
    }
    if (kept) {
        take_kept(page, kept);
        snprintf(
            page->measured, sizeof page->measured,
            "Figures of the kit's solution: graded like the class, on the virtual GPU as %.60s. Its times "
            "are a "
            "model's: figures that were measured on GPUs, and vendors' libraries, are not set beside them.",
            place->gpu);
    }
    free(kept);
}

void class_find_references(struct class_page *page)
{
    const struct record_environment *place = usual_place(&page->course.content);
    if (!place)
        return;
    page->pages.backend = place->backend;
    page->pages.gpu = place->gpu;
    if (strcmp(place->backend, "gpu") == 0)
        read_table(page, place->gpu);
    else
        ask_virtual(page, place);
}
