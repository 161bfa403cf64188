/* intake.h - what a folder of submissions holds: whose each one is, which file of it is graded, when it came.
 * Folders, single files and archives; names as Canvas, Moodle, Gradescope and GitHub give them. Every name in the folder comes out as
 * a submission, or as part of one, but for what platforms and systems put beside them: metadata, tables with a roster's columns,
 * .DS_Store and the like. Names are data: any bytes that a file system allows. Links are not followed.
 * Only the lab's file is taken from an archive, in a process that can do nothing else, and written as a regular file of a fixed name
 * in the work folder; no name in an archive is ever a path.
 * A submission of a group, where metadata say so, comes out once for each of its members. */
#ifndef INTAKE_H
#define INTAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "grader/course/store.h"

struct intake_submission {
    char *
        source; /* its name in the folder, valid UTF-8, and no other submission's: "anna", "ben.cu", "carl.zip" */
    char *student;      /* the roster's id where one fits, else what the name says */
    char *name, *email; /* as the platform's metadata have them; "": they do not say */
    char *path;         /* of the file to grade; NULL: there is none */
    char *
        note; /* how it was taken, for the instructor: "lab3 (1).cu was taken for lab3.cu"; "": as it should be */
    char *submitted; /* "2026-11-17T09:12:33Z"; "": nobody knows */
    bool is_late;    /* the platform says so */
    char *flaw;      /* why there is no path, and what was found instead */
    bool is_ours;    /* it could not be looked at: the machine's fault */
};

struct intake {
    struct intake_submission *list; /* by student, then by time, then by source */
    size_t count;
};

struct intake_order {
    const char *folder;
    const char *file;    /* the lab's: "lab3.cu" */
    const char *results; /* a folder in it that is left out, unless the lab's file is in it */
    const char *work;    /* where files from archives are written: an empty folder of ours */
    const struct store_student *roster;
    size_t nroster;
};

/* False: errno says why. */
bool intake_read(struct intake *intake, const struct intake_order *order);
void intake_free(struct intake *intake);
/* One submission alone: a folder, an archive, or the file itself. Fills in path and note, or flaw and is_ours, and nothing else. False:
 * out of memory. intake_free_one() always. */
bool intake_read_one(struct intake_submission *out, const char *path, const char *file, const char *work);
void intake_free_one(struct intake_submission *one);
/* Unpacks all files of a class's archive into an empty folder of ours; links and odd names are left out. False: *flaw says why, to be
 * freed. */
bool intake_unpack(const char *path, const char *folder, char **flaw);
/* The name of an archive that can be unpacked, if libarchive is there. */
bool intake_is_archive(const char *path);
/* Where the submissions lie: the folder itself, or the one folder in it that is a download of a platform as a whole. is_unpacked: it
 * came out of an archive, which often has a folder around everything. To be freed; NULL: out of memory. */
char *intake_find_top(const char *folder, const char *lab_file, bool is_unpacked);
/* False: libarchive was not there when the kit was built. */
bool intake_knows_archives(void);

/* A roster: CSV with a first line that names the columns: id, name, email, section, in any order and in the words that Canvas,
 * Moodle and Gradescope use for them ("SIS Login ID", "Participant 17", ...). Canvas: id is ID, email is the login.
 * The text of a file comes from csv_text(). False: error says which line or column is wrong. */
bool intake_read_roster(const char *text, struct store_student **students, size_t *count, char *error,
                        size_t size);
void intake_free_roster(struct store_student *students, size_t count);

#endif
