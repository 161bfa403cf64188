/* suite_forms.h - the cases that a row of alu/forms.h stands for.
 * Shared by the generator and the unit test, so that both walk the same list.
 * Case lists written by hand do not come through here. */
#ifndef VGPU_SUITE_FORMS_H
#define VGPU_SUITE_FORMS_H

#include <string.h>

#include "alu/forms.h"
#include "suite.h"

/* Tables of lop3 that together ask for every bit: and, or, xor, majority, choice, and irregular ones. */
static const int suite_tables[] = {0x80, 0xfe, 0x96, 0xe8, 0xca, 0x1b, 0x01, 0x7f, 0x3a, 0xc5};

/* Case number k of a row; false when there are no more. */
static inline bool suite_case_of(const struct form *form, size_t k, struct suite_case *out)
{
    const bool is_lop3 = strcmp(form->name, "lop3.b32") == 0;
    if (k >= (is_lop3 ? sizeof suite_tables / sizeof suite_tables[0] : 1))
        return false;
    out->name = form->name;
    out->signature = form->signature;
    out->uses_carry = form->uses_carry;
    out->immediate = is_lop3 ? suite_tables[k] : -1;
    return true;
}

#endif
