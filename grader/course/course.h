/* course.h - a class as its results stand: who has which points, with late rules and overrides applied, in the roster's order.
 * Made from the store; nothing is written. What platforms, pages and tables show is taken from here, so that all show the same. */
#ifndef COURSE_H
#define COURSE_H

#include "grader/course/store.h"

struct course_member {
    const struct store_student *who; /* NULL: no roster knows them */
    const char *id;                  /* what the submission's name or the roster says; never NULL */
    const char *name;                /* the roster's, or the id */
    const struct record *record;     /* the submission that counts; NULL: there is none */
    const struct record_environment *environment; /* NULL: as above */
    int submissions;                              /* how many there are of this student */
    const struct store_override *override;        /* NULL: none */

    /* what counts: without a grade has_grade is false, and points mean nothing */
    bool has_grade;
    double points, bonus;      /* whole or half ones */
    long earned, earned_bonus; /* before the late rule and the override */
    bool is_late;
    long late_s;      /* 0: not known, or in time */
    bool has_time;    /* it is known when the submission came */
    bool is_waiting;  /* there is a submission that has not been graded yet */
    bool is_left_out; /* by course_choose() */
};

/* A row of the lab's table. */
struct course_stage {
    long row, most, is_bonus;
    char *id, *title;
};

struct course {
    struct store_content content;
    char *lab, *title, *take, *late, *deadline; /* "" where nothing was told */
    char *gradebook;                            /* Canvas', if the roster is one: export_gradebook_keep() */
    long most;                                  /* points of the lab without bonus */
    struct course_stage *stages;                /* those that can earn points, by row */
    size_t nstages;
    struct course_member *members; /* roster first, then others by name */
    size_t nmembers;
};

/* False: store->error says why. course_free() always. */
bool course_load(struct course *course, struct store *store);
void course_free(struct course *course);
/* The lab's stages from lines "2 30 0 tiled a tile": row, points, whether they are a bonus, id, title. False: out of memory. */
bool course_read_stages(struct course *course, const char *lines);
/* A member's part in a stage; NULL: it was not graded. */
const struct record_stage *course_find_stage(const struct course_member *member, long row);
/* Whether a stage stands on boards of speedups: right, without findings, and timed. One rule for the kit's own and for platforms'. */
bool course_is_ranked(const struct record_stage *stage);
/* Makes the members from content, lab, take, late and deadline. False: out of memory. */
bool course_arrange(struct course *course);
/* results.csv: a row per member. */
void course_put_csv(const struct course *course, FILE *file);
/* By id alone, exactly; NULL: nobody has it. */
const struct course_member *course_find_id(const struct course *course, const char *id);
/* By id, name or email, all without regard to case, or by the id's beginning if only one has it; NULL: nobody, or several. */
const struct course_member *course_find(const struct course *course, const char *who);
/* "anna,Lovelace, Ada": all others are left out, as --only asks. NULL: nobody is. False: `why` says which name is nobody's, or whose
 * several it is. */
bool course_choose(struct course *course, const char *names, char *why, size_t size);

/* The status of its record; or one of these, where there is a submission or none. */
#define COURSE_WAITING "not graded yet"
#define COURSE_MISSING "missing"
const char *course_status(const struct course_member *member);
/* "5 students, 2 graded, 1 refused, 1 not graded yet, 1 missing"; behind them those whom the roster does not know: "; in no roster: 1
 * graded". */
void course_put_counts(const struct course *course, const struct course_member *const *members, size_t count,
                       FILE *file);
/* Of two submissions of one student: by time where both have one, else by name, as resubmissions are numbered. */
bool course_is_later(const struct record *a, const struct record *b);
/* Late beyond what the class's rule allows: nothing of it is left. */
bool course_is_closed(const struct course *course, const struct course_member *member);
/* Sentences about submissions of a member that do not count, and why: earlier ones, one that came too late. "": all count; NULL: out of
 * memory. To be freed. */
char *course_uncounted(const struct course *course, const struct course_member *member);
/* Lines of names: who is not graded yet, missing, or in no roster, whose submissions do not count; and whose time of arrival is not
 * known or cannot be read. */
void course_put_absent(const struct course *course, FILE *file);
/* What the platform or the roster says about when a submission came, where that is no time; NULL: it is one, or nothing is said. */
const char *course_unread_time(const struct course_member *member);
/* Of those with a submission: nobody knows when it came, so it cannot be late. */
size_t course_count_timeless(const struct course *course);

/* "2026-11-17T09:12:33Z", "2026-11-17 09:12", "2026-11-17", and as Moodle writes it, "Monday, 16 November 2026, 10:00 PM": UTC unless
 * an offset stands behind. False: it is none. */
bool course_read_time(const char *text, long long *seconds);
/* The same, `offset_s` east of Greenwich unless the text says otherwise. */
bool course_read_time_at(const char *text, long offset_s, long long *seconds);
/* The offset that stands behind a time; 0 where none does. */
long course_offset(const char *text);
/* A deadline as people write it, made whole: with an offset, that of this machine unless one stands there, and a date alone is the
 * end of its day. False: it is no time. */
bool course_make_deadline(const char *text, char *out, size_t size);

/* A rule for late points: "10%/day, most 50%", "5/hour", "0 after 2 days", "none". */
struct course_late {
    double share;      /* lost for every unit that has begun, of the points earned */
    double points;     /* or so many points */
    long unit_s;       /* 0: nothing is lost */
    double most_share; /* at most so much is lost; 1: all of it */
    long closed_s;     /* later than this: nothing is left; 0: never */
};
/* False: these are no such words. "" and "none" are: nothing is lost. */
bool course_read_late(const char *text, struct course_late *rule);
/* What is left of points that came so late; never more than there were, never less than none. Rounded down to half a point. */
double course_late_points(const struct course_late *rule, double points, long late_s);

#endif
