/* by_hand.h - by-hand.log beside the store: every change of points by hand, a line each, never changed and never removed.
 * It is plain text with tabs between cells, so that it outlives the store and any line of it outlives any other: when, who gave points,
 * to which student, what counted before, what counts now, and why. */
#ifndef BY_HAND_H
#define BY_HAND_H

#include "grader/course/course.h"

/* Texts of a line; `before` is what counted: "30+5", or "-" without a grade; `after` is "85+10", or "none": what was graded counts. */
struct by_hand {
    char *when, *who, *student, *before, *after, *reason;
};
struct by_hand_log {
    struct by_hand *lines;
    size_t count;
    size_t damaged; /* lines that are none */
};

enum { BY_HAND_POINTS = 48 };
/* "85+10"; the bonus only where there is one. */
void by_hand_write(double points, double bonus, char out[BY_HAND_POINTS]);
/* False: these are no such points. */
bool by_hand_read(const char *text, double *points, double *bonus);

/* On disk when it comes back. False: errno says why not. `who` is the user of this machine, or what it is told. */
bool by_hand_append(const char *folder, const struct by_hand *line);
/* Who it is that sits here. */
void by_hand_user(char *out, size_t size);
/* None if there is no such file. False: it is there and cannot be read. by_hand_free() always. */
bool by_hand_load(struct by_hand_log *log, const char *folder);
void by_hand_free(struct by_hand_log *log);
/* The last line about this student; NULL: there is none. */
const struct by_hand *by_hand_last(const struct by_hand_log *log, const char *student);

/* What was put back into a store. */
struct by_hand_return {
    int count, unknown; /* changes put back; changes of somebody who is not in the class */
};
/* Puts into the store what the log says of students in the class and the store has not, and tells each on standard output. `course` is
 * the class as the store has it, and stays. False: the store's error says why. */
bool by_hand_put_back(const struct by_hand_log *log, const struct course *course, struct store *store,
                      struct by_hand_return *done);
/* The class has what this line says; or a later one says otherwise, or the points went along to another id. */
bool by_hand_is_kept(const struct by_hand_log *log, const struct by_hand *line, const struct course *course);
/* course_load(), and a look at the log beside the store: a store that has not what the log has is an older copy, or a change was cut
 * off. False: the store's error says so, and what to do. */
bool by_hand_load_course(struct course *course, struct store *store);

#endif
