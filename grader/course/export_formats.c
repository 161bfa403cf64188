/* export_formats.c - the table of export forms. Order is that of --help. */
#include "grader/course/export_each.h"

#include <string.h>

const struct export_format export_formats[] = {
    {"csv", ".csv", false, export_csv, "student,name,email,section,points,max,bonus,",
     "a row for everybody, with all that is known"},
    {"canvas", ".csv", false, export_canvas, NULL, "a gradebook to import"},
    {"moodle", ".csv", false, export_moodle, NULL, "a grading worksheet to upload"},
    {"junit", ".xml", false, export_junit,
     "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"Warpstep ",
     "a test suite for everybody, a test case for each stage"},
    {"gradescope", ".json", true, export_gradescope, "{\"score\":", "results.json of an autograder"},
    {"autolab", ".txt", true, export_autolab, "Warpstep ", "what an autograder prints"},
    {"classroom50", ".json", true, export_classroom50, "{\"schema\":\"classroom50/result/v1\"",
     "result.json of an autograder"},
    {"prairielearn", ".json", true, export_prairielearn,
     "{\"gradable\":", "results.json of an external grader"},
    {"lti", ".json", true, export_lti, "{\"userId\":", "a score as LTI's grade services want it"},
    {.name = NULL},
};

const struct export_format *export_find_format(const char *name)
{
    for (const struct export_format *one = export_formats; one->name; one++) {
        if (strcmp(one->name, name) == 0)
            return one;
    }
    return NULL;
}
