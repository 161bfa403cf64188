/* export_words.h - what exports of all forms have in common: numbers, and explanations for students in plain text.
 * Texts are to be freed, valid UTF-8 without controls, and never longer than export->most_text and some words; NULL: out of memory. */
#ifndef EXPORT_WORDS_H
#define EXPORT_WORDS_H

#include "grader/course/export.h"

/* Points and bonus together. */
double export_total(const struct course_member *member);
/* The same, for platforms that refuse more than the maximum. */
double export_capped(const struct export *export, const struct course_member *member);
/* The stage in the submission that counts; NULL: it was not graded by it. */
const struct record_stage *export_find_stage(const struct course_member *member, const char *id);
bool export_has_all(const struct record_stage *stage);

/* "graded", ..., or "missing" without a submission */
const char *export_status(const struct course_member *member);
/* The points, and why they are not those of the stages: late, by hand, cut off by a maximum; then what the grader had to say. */
char *export_words(const struct export *export, const struct course_member *member, bool is_capped);
/* Why there are other points than were earned; "": there are not. */
char *export_adjustment(const struct export *export, const struct course_member *member);
/* What is to be mended first, in a line. "": nothing. */
char *export_hint(const struct export *export, const struct record_stage *stage);
/* All of a stage: goals, speed, hint, wrong cases, findings. */
char *export_stage_words(const struct export *export, const struct record *record,
                         const struct record_stage *stage);
/* A text of unknown origin. */
char *export_plain(const struct export *export, const char *text);

/* "2026-11-17T09:12:33Z" of any time that course.h reads; now, if it is none. */
enum { EXPORT_TIME = 40 };
void export_time(const struct export *export, const char *text, char out[EXPORT_TIME]);

#endif
