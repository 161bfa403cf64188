/* export_folder.h - files of an export on disk: one file, or a folder with a file for each student and index.csv, which says whose
 * each one is. The folder is new, empty, or an earlier export's. Only files of an earlier export are replaced or removed; every file is there as a whole, or not at all. */
#ifndef EXPORT_FOLDER_H
#define EXPORT_FOLDER_H

#include "grader/course/export.h"

struct export_output {
    const struct export_format *format;
    const struct export *export;
    const char *path; /* NULL: standard output, which takes one file */
    bool has_mark;    /* tables begin with a byte-order mark: Excel takes them for UTF-8 then */
    size_t files;     /* how many were written */
    char error[700];
};

/* The file of a member, or of all (NULL). False: output->error says why. */
bool export_write_file(struct export_output *output, const struct course_member *member);
/* One for everybody with a grade. */
bool export_write_folder(struct export_output *output);

#endif
