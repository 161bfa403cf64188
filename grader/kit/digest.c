/* digest.c - the digest of a right choice, as common/lab/answer.h compares it: digest 'LAB STAGE QUESTION CHOICE' */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

int main(int count, char **words)
{
    if (count != 2 || !*words[1])
        return fprintf(stderr, "make digest OF='lab6 roofline 0 1': lab, stage, question from 0, choice\n"),
               1;
    printf("0x%08x\n", hash_text(words[1], strlen(words[1])));
    return 0;
}
