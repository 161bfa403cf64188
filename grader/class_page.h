/* class_page.h - ./grade page at work, shared by class_page.c (the command), reference.c (what to compare with) and
 * class_explain.c (pages that explain stages). */
#ifndef CLASS_PAGE_H
#define CLASS_PAGE_H

#include "grader/course/pages.h"
#include "grader/grade.h"

enum { CLASS_REFERENCES = 64 };

struct class_page {
    struct session *session;
    struct store store;
    struct course course;
    char salt[PAGES_SALT + 1];
    char out[GRADE_PATH + 20];    /* the page */
    char folder[GRADE_PATH + 40]; /* of students' pages, beside it */
    struct pages_reference references[CLASS_REFERENCES];
    char measured[300];
    struct pages pages;
    int failed; /* pages that explain a stage and could not be made */
};

/* What the kit's solution reaches on the GPU that most of the class was graded on: from a table that was measured there, or by
 * grading it now on the same virtual GPU. Where neither is to be had, there are none. */
void class_find_references(struct class_page *page);

/* "pages/anna.tiled.html", of a member's stage. */
void class_explained_name(const struct class_page *page, const struct course_member *member,
                          const struct record_stage *stage, char *out, size_t size);
/* It is there, and the stage was not graded again since. */
bool class_is_explained(const struct class_page *page, const struct course_member *member,
                        const struct record_stage *stage);
/* Makes those of these members that are missing. False: the session's error says why. */
bool class_explain(struct class_page *page, const struct course_member *const *members, size_t count);

#endif
