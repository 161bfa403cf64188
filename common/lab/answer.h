/* answer.h - the right choice of a question, which a kit for students holds as a digest: of the question's name, its number and the
 * choice. It is only compared with what was chosen: the answer cannot be read off, though who tries all choices finds it. `make digest OF='lab6 roofline 1 2'`
 * prints that of choice 2. */
#ifndef LAB_ANSWER_H
#define LAB_ANSWER_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "lab/answers.h"
#include "lab/lab.h"

/* -1: the digest is none of the choices'. */
static inline int lab_right_choice(const char *question, int number, uint32_t digest)
{
    char text[100];
    for (int choice = 0; choice < LAB_CHOICES; choice++) {
        snprintf(text, sizeof text, "%s %d %d", question, number, choice);
        if (hash_text(text, strlen(text)) == digest)
            return choice;
    }
    return -1;
}

/* The buffers `answers` and `sheet`, to be laid in this order; outputs come first. */
static inline void lab_add_answers(struct lab_run *run, int questions)
{
    struct lab_buffer *answers = lab_add(run, LAB_OUT, LAB_FLOAT, "answers", questions);
    answers->is_exact = true;
    answers->sheet = "sheet";
}

static inline void lab_add_sheet(struct lab_run *run, int questions)
{
    lab_add_2d(run, LAB_IN, LAB_FLOAT, "sheet", LAB_CHOICES, questions);
}

/* What the right answer to a question picks. False: its digest is none of the choices'. */
static inline bool lab_right_answer(const struct lab_run *run, const char *question, size_t number,
                                    const uint32_t *digests, double *value)
{
    const int right = lab_right_choice(question, (int)number, digests[number]);
    if (right >= 0)
        *value = (float)lab_at(run, lab_index(run, "sheet"), number * LAB_CHOICES + (size_t)right);
    return right >= 0;
}

#endif
