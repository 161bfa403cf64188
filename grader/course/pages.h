/* pages.h - a class as pages for browsers: all of it, one student, the fastest of each stage. C writes what the store holds as
 * JSON; the scripts in pages/ count, draw and sort, and set everything as text. Nothing here reads files or starts programs. */
#ifndef PAGES_H
#define PAGES_H

#include "grader/course/course.h"

enum { PAGES_NAME = 100, PAGES_SALT = 32 };

/* What the kit's own solution reaches where the class was measured, and a vendor's library. */
struct pages_reference {
    char stage[64];
    double speedup, library; /* 0: not known */
};

struct pages_link {
    const char *text, *href; /* href "": there is no page, and text says why */
    long stage;              /* its row */
};

struct pages {
    const struct course *course;
    const char *salt;    /* of pseudonyms and of names of files; a secret of the class */
    bool is_anonymous;   /* pseudonyms for all, and nothing that names anybody */
    const char *backend; /* where the references hold: "virtual", "h200" */
    const char *gpu;
    const struct pages_reference *references;
    size_t nreferences;
    const char *measured; /* where they come from, a sentence; "": there are none */
    bool (*has_page)(const struct pages *pages,
                     const char *file); /* of a student, in folder pages/; NULL: none has */
    const char *folder;
};

/* "Heron-3fa91": the same in all pages of a class; without the salt nobody can find out whose it is by trying ids. */
void pages_pseudonym(const char *salt, const char *id, char out[PAGES_NAME]);
/* "3fa91....html": another for every id, the same in every run; without the salt nobody can find it by trying ids. */
void pages_file_name(const char *salt, const char *id, char out[PAGES_NAME]);

/* JSON, to be freed; NULL: out of memory. */
char *pages_class(const struct pages *pages);
/* links: pages that explain stages. */
char *pages_student(const struct pages *pages, const struct course_member *member,
                    const struct pages_link *links, size_t nlinks);
/* named: ids of those who want to be named; each is marked that belongs to somebody. */
struct pages_named {
    char *id;
    bool is_known;
};
char *pages_board(const struct pages *pages, struct pages_named *named, size_t count);

/* The page around JSON of any of these, and of pages about similar pairs. plain: for where scripts do not run. False: errno says
 * why. */
bool pages_save(const char *path, const char *title, const char *json, const char *plain);
/* A line for every student, for the same. To be freed; NULL: out of memory. */
char *pages_plain(const struct pages *pages);

#endif
