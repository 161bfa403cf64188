/* generate.c - writes the kernels of the conformance suite: every row of alu/forms.h as inline PTX.
 * Walks the tables, so no row can be left out. Usage: generate FOLDER; it writes cases_FAMILY.cu there.
 * Loads, stores and atomics are generate_memory.c's; other case lists are written by hand: see families.def. */
#include <stdio.h>
#include <string.h>

#include "generate_memory.h"
#include "suite_forms.h"

static const struct {
    const char *name;
    const struct form *rows;
    const size_t *count;
} families[] = {
    {"int", forms_int, &forms_int_count},       {"logic", forms_logic, &forms_logic_count},
    {"float", forms_float, &forms_float_count}, {"half", forms_half, &forms_half_count},
    {"cvt", forms_cvt, &forms_cvt_count},       {"compare", forms_compare, &forms_compare_count},
    {"math", forms_math, &forms_math_count},    {"video", forms_video, &forms_video_count},
};

static const char *c_type(char letter)
{
    return letter == 'h'   ? "unsigned short"
           : letter == 'f' ? "float"
           : letter == 'e' ? "double"
           : letter == 'd' ? "unsigned long long"
                           : "unsigned";
}

static char constraint(char letter)
{
    return letter == 'h' ? 'h' : letter == 'f' ? 'f' : letter == 'e' ? 'd' : letter == 'd' ? 'l' : 'r';
}

/* The instruction with its operands; %0 is the result, %1 the carry where there is one, then the sources. */
static void write_instruction(FILE *file, const struct suite_case *c)
{
    const char *sources = strchr(c->signature, '=') + 1;
    const size_t name_size = strlen(c->name);
    const bool is_high =
        name_size > 3 && strcmp(c->name + name_size - 3, ".hi") == 0 && strstr(c->name, "x2.");
    const bool is_pair = strncmp(c->name, "setp.", 5) == 0 && strstr(c->name, "x2");
    fprintf(file, "%.*s ", (int)(is_high ? name_size - 3 : name_size), c->name);
    fprintf(file, "%s",
            is_high                  ? "other|truth"
            : is_pair                ? "truth|other"
            : c->signature[0] == 'p' ? "truth"
                                     : "%0");
    for (size_t k = 0; sources[k]; k++) {
        if (c->immediate >= 0 && !sources[k + 1])
            fprintf(file, ", %d", c->immediate);
        else if (sources[k] == 'p')
            fprintf(file, ", p%zu", k);
        else
            fprintf(file, ", %%%zu", k + 1 + (c->uses_carry ? 1 : 0));
    }
    fprintf(file, "; ");
}

static bool is_subtraction(const struct suite_case *c)
{
    return strncmp(c->name, "sub", 3) == 0;
}

static void write_asm(FILE *file, const struct suite_case *c)
{
    const char *sources = strchr(c->signature, '=') + 1;
    const size_t count = strlen(sources), first = c->uses_carry ? 2 : 1;
    fprintf(file, "    asm volatile(\"{ .reg .pred truth, other, p0, p1, p2; .reg .b32 t; ");
    for (size_t k = 0; k < count; k++)
        if (sources[k] == 'p')
            fprintf(file, "setp.ne.b32 p%zu, %%%zu, 0; ", k, k + first);
    if (c->uses_carry)
        fprintf(file, is_subtraction(c) ? "sub.cc.u32 t, 0, %%%zu; " : "add.cc.u32 t, %%%zu, -1; ",
                first + count);
    write_instruction(file, c);
    if (c->uses_carry)
        fprintf(file, is_subtraction(c) ? "subc.u32 %%1, 0, 0; " : "addc.u32 %%1, 0, 0; ");
    if (c->signature[0] == 'p')
        fprintf(file, "selp.b32 %%0, 1, 0, truth; ");
    fprintf(file, "}\"\n        : \"=%c\"(d)%s :", constraint(c->signature[0]),
            c->uses_carry ? ", \"=r\"(carry)" : "");
    for (size_t k = 0; k < count; k++)
        fprintf(file, "%s \"%c\"(s%zu)", k ? "," : "", constraint(sources[k]), k);
    if (c->uses_carry)
        fprintf(file, ", \"r\"(carry_in)");
    fprintf(file, ");\n");
}

static void write_case(FILE *file, const struct suite_case *c, size_t position)
{
    const char *sources = strchr(c->signature, '=') + 1;
    fprintf(file, "  {\n    %s d;\n", c_type(c->signature[0]));
    if (c->uses_carry)
        fprintf(file, "    unsigned carry;\n");
    for (size_t k = 0; sources[k]; k++)
        fprintf(file, "    const %s s%zu = *(const %s *)&in[%zu * SUITE_TUPLES + i];\n", c_type(sources[k]),
                k, c_type(sources[k]), position * SUITE_SOURCES + k);
    write_asm(file, c);
    fprintf(file, "    out[%zu * SUITE_TUPLES + i] = 0;\n", position * 2);
    fprintf(file, "    *(%s *)&out[%zu * SUITE_TUPLES + i] = d;\n", c_type(c->signature[0]), position * 2);
    if (c->uses_carry)
        fprintf(file, "    out[%zu * SUITE_TUPLES + i] = carry & 1;\n", position * 2 + 1);
    fprintf(file, "  }\n");
}

static void write_kernel(FILE *file, const struct suite_case *cases, size_t first, size_t count)
{
    fprintf(file, "static __global__ void group_%zu(const uint64_t *in, uint64_t *out)\n{\n",
            first / SUITE_GROUP);
    fprintf(file, "  const unsigned i = threadIdx.x, carry_in = (i ^ i >> 4) & 1;\n  (void)carry_in;\n");
    for (size_t i = 0; i < count; i++)
        write_case(file, &cases[first + i], i);
    fprintf(file, "}\n");
}

static void write_family(FILE *file, const char *name, const struct suite_case *cases, size_t count)
{
    fprintf(file, "/* Written by generate.c. */\n#include \"suite.h\"\n\n");
    fprintf(file, "static const struct suite_case cases[] = {\n");
    for (size_t i = 0; i < count; i++)
        fprintf(file, "    {\"%s\", \"%s\", %d, %d},\n", cases[i].name, cases[i].signature,
                cases[i].uses_carry, cases[i].immediate);
    fprintf(file, "};\n");
    for (size_t first = 0; first < count; first += SUITE_GROUP)
        write_kernel(file, cases, first, count - first < SUITE_GROUP ? count - first : SUITE_GROUP);
    fprintf(file, "static void run(size_t first, const uint64_t *in, uint64_t *out)\n{\n");
    fprintf(file, "  static void (*const kernels[])(const uint64_t *, uint64_t *) = {\n");
    for (size_t first = 0; first < count; first += SUITE_GROUP)
        fprintf(file, "    group_%zu,\n", first / SUITE_GROUP);
    fprintf(file, "  };\n  kernels[first / SUITE_GROUP]<<<1, SUITE_TUPLES>>>(in, out);\n}\n");
    fprintf(file, "extern \"C\" const struct suite_family suite_%s;\n", name);
    fprintf(file,
            "const struct suite_family suite_%s = {\"%s\", cases, sizeof cases / sizeof cases[0], run};\n",
            name, name);
}

int main(int argc, char **argv)
{
    static struct suite_case cases[4096];
    if (argc != 2)
        return fprintf(stderr, "usage: generate FOLDER\n"), 2;
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        char path[4096];
        size_t count = 0;
        for (size_t i = 0; i < *families[f].count; i++)
            for (size_t k = 0; suite_case_of(&families[f].rows[i], k, &cases[count]); k++)
                count++;
        snprintf(path, sizeof path, "%s/cases_%s.cu", argv[1], families[f].name);
        FILE *file = fopen(path, "w");
        if (!file)
            return perror(path), 2;
        write_family(file, families[f].name, cases, count);
        if (fclose(file) != 0)
            return perror(path), 2;
        printf("%-8s %4zu rows, %4zu cases\n", families[f].name, *families[f].count, count);
    }
    return generate_memory(argv[1]) ? 0 : 2;
}
