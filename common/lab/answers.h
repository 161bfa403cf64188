/* answers.h - how an answer that stands in a submission reaches the judge: as a result, like any other.
 * The sheet holds LAB_CHOICES random numbers for each question, drawn anew for each grading; an answer picks one. So a report can
 * say that an answer is wrong without telling the right one. The driver's side is in answer.h. */
#ifndef LAB_ANSWERS_H
#define LAB_ANSWERS_H

enum { LAB_QUESTIONS = 8, LAB_CHOICES = 16 }; /* at most */

#ifdef __CUDACC__
/* A power of two as a choice: 1 for 1, 2 for 2, 3 for 4, ...; 0 for other numbers. */
static inline int choice_of_power(int power)
{
    int choice = 1;
    for (; power > 1 && power % 2 == 0; choice++)
        power /= 2;
    return power == 1 ? choice : 0;
}

struct answers {
    int choice[LAB_QUESTIONS];
};

static __global__ void pick_answers(float *answers, const float *sheet, struct answers given, int count)
{
    int question = threadIdx.x;
    if (question < count)
        answers[question] = sheet[question * LAB_CHOICES + given.choice[question] % LAB_CHOICES];
}

/* For entry points that take an output and an input first: of a stage that only asks these are `answers` and `sheet`. */
static inline void give_answers(float *answers, const float *sheet, struct answers given, int count)
{
    pick_answers<<<1, count>>>(answers, sheet, given, count);
}

/* What the entry point was given has the fields `answers` and `sheet`. */
template <class Task> static inline void give_answers(Task task, struct answers given, int count)
{
    give_answers(task.answers, task.sheet, given, count);
}
#endif

#endif
