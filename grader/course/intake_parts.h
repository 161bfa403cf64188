/* intake_parts.h - what the files of the intake share: names, the search for the lab's file, archives, metadata, matching.
 * For intake*.c alone. Names from outside are bytes; what is shown of them has passed utf8_name(). */
#ifndef INTAKE_PARTS_H
#define INTAKE_PARTS_H

#include <sys/types.h>

#include "base/list.h"
#include "grader/course/intake.h"

/* ------------------------------------------------------------------------------------------- names: intake_names.c */

enum intake_platform {
    INTAKE_PLAIN,
    INTAKE_CANVAS,     /* doejane_LATE_12345_678910_lab3-1.cu */
    INTAKE_MOODLE,     /* Jane Doe_12345_assignsubmission_file_, perhaps with a file's name behind it */
    INTAKE_GRADESCOPE, /* submission_123456789 */
    INTAKE_GITHUB      /* lab3-login, lab3-login-main.zip */
};

/* What a name in the folder says. Texts are never NULL. */
struct intake_name {
    enum intake_platform platform;
    char *label;    /* whose it is, in short: "doejane" */
    char *identity; /* with what tells namesakes apart: "doejane_12345" */
    char *alias;    /* another way to read the label, for a roster; "" */
    char *number;   /* the platform's for the student; "" */
    char *email;    /* "" */
    char *file;     /* a file's own name, before the platform changed it; "" for folders */
    bool is_late;
};
/* False: out of memory. intake_name_free() always. */
bool intake_name_read(struct intake_name *said, const char *name, bool is_folder, const char *lab_file);
bool intake_name_copy(struct intake_name *to, const struct intake_name *from);
void intake_name_free(struct intake_name *said);
/* How long a name is before "-main" or "-master" at its end; 0: it does not end so. */
size_t intake_branch_length(const char *name, size_t length);
/* A plain name becomes GitHub's: the label is what stands behind so many bytes, without the branch. False: out of memory. */
bool intake_name_cut(struct intake_name *said, size_t prefix);
/* What systems and platforms put beside submissions. */
bool intake_is_litter(const char *name);

/* How well a file's name fits the lab's, best first. */
enum intake_fit {
    INTAKE_EXACT,
    INTAKE_VARIANT,  /* Lab3.cu, lab3 (1).cu, lab3_final.cu, lab3.cu.txt */
    INTAKE_MENTIONS, /* jane_lab3.cu */
    INTAKE_CUDA,     /* any other .cu */
    INTAKE_ARCHIVE,
    INTAKE_OTHER
};
enum intake_fit intake_fit(const char *name, const char *lab_file);
/* Where the end of its kind begins: ".tar.gz", ".zip"; NULL: it is no archive's name. */
const char *intake_archive_end(const char *name);

/* For comparison: lower case, without accents, and all but letters and digits is one blank; none at its ends. NULL: out of memory. */
char *intake_fold(const char *text);

/* ------------------------------------------------------------------------------------------- search: intake_search.c */

enum { INTAKE_DEEPEST = 8, INTAKE_MOST_ENTRIES = 10000 };
#define INTAKE_MOST_FILE     ((size_t)4 << 20)
#define INTAKE_MOST_UNPACKED ((size_t)256 << 20)

struct intake_candidate {
    char *shown;  /* its path within the submission */
    char *path;   /* where it lies; NULL: in an archive */
    size_t index; /* within the archive, from 0 */
    enum intake_fit fit;
    int depth;
};

struct intake_search {
    const char *lab_file;
    struct list candidates; /* struct intake_candidate; archives among them */
    struct list names;      /* char *: what it holds, as it is shown */
    size_t files;           /* that could be opened, candidates or not */
    char *obstacle;         /* "lab3.cu is a link, and links are not followed" */
    char *trouble;          /* it could not be looked at: our fault */
    bool has_no_memory;
};
void intake_search_free(struct intake_search *search);
/* A file: shown is its path within the submission, path and index as above. */
void intake_search_file(struct intake_search *search, const char *shown, int depth, const char *path,
                        size_t index);
/* Something that stands in a file's place: what is "a link, and links are not followed". */
void intake_search_other(struct intake_search *search, const char *shown, const char *what);
/* An entry whose name cannot be read: it may be the file. */
void intake_search_nameless(struct intake_search *search, const char *shown);
void intake_search_name(struct intake_search *search, const char *shown);
/* A name on the way to a file that says that it is nobody's work: .git, __MACOSX, build. */
bool intake_is_skipped(const char *name, size_t length);
/* The best one; NULL: there is none, or several are equally good, and flaw says so. where: "folder", "archive". */
const struct intake_candidate *intake_choose(const struct intake_search *search, const char *where,
                                             char **flaw);
/* Several files are equally good, by their names. */
bool intake_has_rivals(const struct intake_search *search);
/* How it was taken: "" if as it should be. */
char *intake_describe(const struct intake_search *search, const struct intake_candidate *chosen);

/* ------------------------------------------------------------------------------------------- archives: intake_archive.c */

struct intake_taken {
    char *shown; /* "src/lab3.cu" */
    char *note;
    char *flaw; /* why there is nothing; else NULL */
    bool is_ours;
    bool has_nothing; /* as far as anybody can see: another archive may have it */
    char *bytes;
    size_t size;
};
/* Reads it in a process of its own that can do nothing else. Always fills in flaw or bytes, but for want of memory: neither. */
void intake_archive_take(struct intake_taken *taken, const char *path, const char *lab_file);
void intake_taken_free(struct intake_taken *taken);

/* ------------------------------------------------------------------------------------------- metadata: intake_metadata.c */

struct intake_submitter {
    char *name, *email, *sid; /* "" where nothing is said */
};
struct intake_metadata_entry {
    char *key;           /* "submission_123456789" */
    char *submitted;     /* as in intake.h */
    struct list members; /* struct intake_submitter */
};
struct intake_metadata {
    struct list entries; /* struct intake_metadata_entry */
};
/* Gradescope's submission_metadata.yml. Whatever it does not understand it passes over. False: out of memory. */
bool intake_metadata_read(struct intake_metadata *metadata, const char *text);
void intake_metadata_free(struct intake_metadata *metadata);
const struct intake_metadata_entry *intake_metadata_find(const struct intake_metadata *metadata,
                                                         const char *key);
/* "2026-04-26 17:34:00.861687000 Z" as "2026-04-26T17:34:00Z"; "" if it is no time. */
void intake_read_moment(const char *text, char out[32]);

/* ------------------------------------------------------------------------------------------- roster: intake_match.c */

/* A roster, made ready for comparison. */
struct intake_class {
    const struct store_student *students;
    char **names; /* folded */
    size_t count;
};
/* False: out of memory. intake_class_free() always. */
bool intake_class_make(struct intake_class *class, const struct intake_order *order);
void intake_class_free(struct intake_class *class);
/* The roster's student; NULL: nobody fits, or several do. Then, and where there is doubt, *note says so (to be freed, or NULL). */
const struct store_student *intake_match(const struct intake_class *class, const struct intake_name *said,
                                         char **note);

/* ------------------------------------------------------------------------------------------- one file: intake_take.c */

/* The names in a folder but . and .., by their bytes, as scandir() gives them. */
struct dirent;
int intake_scan(const char *folder, struct dirent ***names);
void intake_scan_free(struct dirent **names, int count);
/* Looks through a student's folder. */
void intake_search_folder(struct intake_search *search, const char *path);
/* "a link, and links are not followed". */
const char *intake_kind(mode_t mode);
/* What a search has found becomes the submission's file, or its flaw; *written counts what was unpacked into the work folder. */
void intake_settle(const struct intake_order *order, const struct intake_search *search, const char *where,
                   size_t *written, struct intake_submission *out);
char *intake_join(const char *one, const char *between, const char *other);

/* ------------------------------------------------------------------------------------------- whose: intake_whose.c */

/* A submission before its student has a name. */
struct intake_draft {
    struct intake_submission out;
    struct intake_name said;
    bool has_submitter; /* metadata say who it is */
    size_t first;       /* draft of the same student, whose level counts */
    int level;          /* of its name: see name_of() */
};
/* Fills in students, and sources that no two share. False: out of memory. */
bool intake_name_all(struct list *drafts, const struct intake_order *order,
                     const struct intake_metadata *metadata);

#endif
