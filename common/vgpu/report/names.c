/* names.c - a short demangler for the Itanium C++ ABI, as far as kernels and device variables need it.
 * It never fails: what it cannot read is returned as it was written.
 * Of expressions in template arguments it reads those that kernels have: other arguments, sums, comparisons, sizes, members of
 * types, addresses of functions. Vendor extensions and exception specifications are left alone. */
#include "report/names.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { PART_BYTES = 256, MAX_PARTS_KEPT = 24, MAX_DEPTH = 24, MAX_LEVELS = 32 };

/* One name being read. parts are the substitution candidates S_, S0_, ...; arguments are T_, T0_, ... */
struct reader {
    const char *at;
    int depth;  /* of types: template arguments of a type are not what T_ means */
    int levels; /* of anything that nests, so that no name can exhaust the stack */
    bool is_bad;
    bool ends_in_template;
    char parts[MAX_PARTS_KEPT][PART_BYTES];
    int nparts;
    char arguments[MAX_PARTS_KEPT][PART_BYTES];
    int narguments;
    char last[PART_BYTES]; /* the last simple name read */
};

static void read_type(struct reader *in, char *out);
static void read_encoding(struct reader *in, char *out);
static void read_unqualified(struct reader *in, char *out);
static void read_arguments(struct reader *in, char *out);

static void append(char *out, const char *text)
{
    size_t used = strlen(out);
    snprintf(out + used, PART_BYTES - used, "%s", text);
}

static void keep(struct reader *in, const char *text)
{
    if (in->nparts < MAX_PARTS_KEPT)
        snprintf(in->parts[in->nparts++], PART_BYTES, "%s", text);
}

static bool take(struct reader *in, const char *text)
{
    size_t size = strlen(text);
    if (strncmp(in->at, text, size) != 0)
        return false;
    in->at += size;
    return true;
}

struct word {
    const char *code, *text;
};

static const struct word builtin_types[] = {
    {"v", "void"},        {"w", "wchar_t"},
    {"b", "bool"},        {"c", "char"},
    {"a", "signed char"}, {"h", "unsigned char"},
    {"s", "short"},       {"t", "unsigned short"},
    {"i", "int"},         {"j", "unsigned int"},
    {"l", "long"},        {"m", "unsigned long"},
    {"x", "long long"},   {"y", "unsigned long long"},
    {"n", "__int128"},    {"o", "unsigned __int128"},
    {"f", "float"},       {"d", "double"},
    {"e", "long double"}, {"g", "__float128"},
    {"z", "..."},         {"Dn", "decltype(nullptr)"},
    {"Di", "char32_t"},   {"Ds", "char16_t"},
    {"Du", "char8_t"},
};

static const struct word std_names[] = {
    {"St", "std"},
    {"Sa", "std::allocator"},
    {"Sb", "std::basic_string"},
    {"Ss", "std::string"},
};

static const struct word operators[] = {
    {"cl", "operator()"}, {"ix", "operator[]"}, {"pl", "operator+"},  {"mi", "operator-"},
    {"ml", "operator*"},  {"dv", "operator/"},  {"aS", "operator="},  {"eq", "operator=="},
    {"lt", "operator<"},  {"gt", "operator>"},  {"pt", "operator->"}, {"pp", "operator++"},
};

static const char *take_word(struct reader *in, const struct word *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (take(in, words[i].code))
            return words[i].text;
    return NULL;
}
#define TAKE_WORD(in, words) take_word(in, words, sizeof words / sizeof *words)

/* <number> <identifier> */
static void read_source_name(struct reader *in, char *out)
{
    size_t size = 0;
    while (isdigit((unsigned char)*in->at) && size < 100000)
        size = size * 10 + (size_t)(*in->at++ - '0');
    if (size == 0 || strnlen(in->at, size) < size) {
        in->is_bad = true;
        return;
    }
    if (size >= 11 && strncmp(in->at, "_GLOBAL__N_", 11) == 0)
        snprintf(in->last, sizeof in->last, "(anonymous namespace)");
    else
        snprintf(in->last, sizeof in->last, "%.*s", (int)size, in->at);
    in->at += size;
    append(out, in->last);
}

/* The number of S_, S0_, SA_ or T_, T0_: 0 for none, else one more than the base-36 digits; -1 if there is no '_'. */
static int read_sequence(struct reader *in)
{
    int number = -1;
    for (; isdigit((unsigned char)*in->at) || isupper((unsigned char)*in->at); in->at++)
        number = (number < 0 ? 0 : number) * 36 +
                 (isdigit((unsigned char)*in->at) ? *in->at - '0' : *in->at - 'A' + 10);
    return *in->at++ == '_' && number < 1000 ? number + 1 : -1;
}

static void read_substitution(struct reader *in, char *out)
{
    const char *text = TAKE_WORD(in, std_names);
    if (text) {
        append(out, text);
        return;
    }
    in->at++;
    int number = read_sequence(in);
    if (number < 0 || number >= in->nparts)
        in->is_bad = true;
    else
        append(out, in->parts[number]);
}

static void read_template_parameter(struct reader *in, char *out)
{
    in->at++;
    int number = read_sequence(in);
    if (number < 0 || number >= in->narguments)
        in->is_bad = true;
    else
        append(out, in->arguments[number]);
}

/* L _Z <encoding> E: a function or a variable, by its name alone. */
static bool read_named_literal(struct reader *in, char *out)
{
    char text[PART_BYTES] = "";
    if (!take(in, "L_Z"))
        return false;
    read_encoding(in, text);
    in->is_bad |= !take(in, "E");
    text[strcspn(text + (text[0] == '('), "(") + (text[0] == '(')] =
        '\0'; /* an unnamed namespace has brackets too */
    append(out, text);
    return true;
}

/* L <type> <digits> E: booleans as words, other types as numbers. */
static void read_literal(struct reader *in, char *out)
{
    if (read_named_literal(in, out))
        return;
    in->at++;
    bool is_boolean = *in->at == 'b';
    char type[PART_BYTES] = "", digits[PART_BYTES] = "";
    read_type(in, type);
    size_t size = strcspn(in->at, "E");
    snprintf(digits, sizeof digits, "%.*s", (int)size, in->at);
    in->at += size;
    if (!take(in, "E"))
        in->is_bad = true;
    if (digits[0] == 'n')
        digits[0] = '-';
    if (is_boolean)
        append(out, digits[0] == '1' ? "true" : "false");
    else
        append(out, digits);
}

/* ------------------------------------------------------------------------------------------- expressions */

static const struct word unary_signs[] = {{"ad", "&"}, {"nt", "!"}, {"ng", "-"}, {"co", "~"}};

static const struct word binary_signs[] = {
    {"pl", " + "},  {"mi", " - "},  {"ml", " * "},  {"dv", " / "},  {"rm", " % "},  {"an", " & "},
    {"or", " | "},  {"eo", " ^ "},  {"ls", " << "}, {"rs", " >> "}, {"aa", " && "}, {"oo", " || "},
    {"eq", " == "}, {"ne", " != "}, {"lt", " < "},  {"gt", " > "},  {"le", " <= "}, {"ge", " >= "},
};

static void read_expression(struct reader *in, char *out);

static void read_in_brackets(struct reader *in, void (*read)(struct reader *, char *), const char *before,
                             char *out)
{
    append(out, before);
    read(in, out);
    append(out, ")");
}

static void read_binary(struct reader *in, const char *sign, char *out)
{
    append(out, "(");
    read_expression(in, out);
    append(out, sign);
    read_in_brackets(in, read_expression, "", out);
}

static void read_choice(struct reader *in, char *out)
{
    append(out, "(");
    read_expression(in, out);
    append(out, " ? ");
    read_expression(in, out);
    append(out, " : ");
    read_in_brackets(in, read_expression, "", out);
}

/* sr <type> <name>: a member of a type, or of a namespace. */
static void read_member(struct reader *in, char *out)
{
    read_type(in, out);
    append(out, "::");
    read_unqualified(in, out);
    if (*in->at == 'I')
        read_arguments(in, out);
}

static void read_compound(struct reader *in, char *out)
{
    const char *sign;
    if (take(in, "st")) {
        read_in_brackets(in, read_type, "sizeof(", out);
    } else if (take(in, "sZ")) {
        read_in_brackets(in, read_template_parameter, "sizeof...(", out);
    } else if (take(in, "sr")) {
        read_member(in, out);
    } else if (take(in, "cv")) {
        read_in_brackets(in, read_type, "(", out);
        read_expression(in, out);
    } else if (take(in, "qu")) {
        read_choice(in, out);
    } else if ((sign = TAKE_WORD(in, unary_signs))) {
        append(out, sign);
        read_expression(in, out);
    } else if ((sign = TAKE_WORD(in, binary_signs))) {
        read_binary(in, sign, out);
    } else {
        in->is_bad = true;
    }
}

static void read_expression(struct reader *in, char *out)
{
    if (in->is_bad || ++in->levels > MAX_LEVELS) {
        in->is_bad = true;
        return;
    }
    if (*in->at == 'L')
        read_literal(in, out);
    else if (*in->at == 'T')
        read_template_parameter(in, out);
    else
        read_compound(in, out);
    in->levels--;
}

/* ------------------------------------------------------------------------------------------- arguments, names */

static void read_argument(struct reader *in, char *out)
{
    if (in->is_bad || ++in->levels > MAX_LEVELS) {
        in->is_bad = true;
        return;
    }
    if (*in->at == 'L') {
        read_literal(in, out);
    } else if (take(in, "J")) {
        for (bool is_first = true; !in->is_bad && !take(in, "E"); is_first = false) {
            append(out, is_first ? "" : ", ");
            read_argument(in, out);
        }
    } else if (take(in, "X")) {
        read_expression(in, out);
        in->is_bad |= !take(in, "E");
    } else {
        read_type(in, out);
    }
    in->levels--;
}

/* I <args> E. The outermost list read last is what T_ means. */
static void read_arguments(struct reader *in, char *out)
{
    char list[MAX_PARTS_KEPT][PART_BYTES];
    int count = 0;
    in->at++;
    append(out, "<");
    while (!in->is_bad && !take(in, "E")) {
        char argument[PART_BYTES] = "";
        read_argument(in, argument);
        append(out, count ? ", " : "");
        append(out, argument);
        if (count < MAX_PARTS_KEPT)
            snprintf(list[count++], PART_BYTES, "%s", argument);
        if (*in->at == '\0')
            in->is_bad = true;
    }
    append(out, ">");
    if (in->depth <= 1) {
        memcpy(in->arguments, list, sizeof list[0] * (size_t)count);
        in->narguments = count;
    }
}

static void read_unqualified(struct reader *in, char *out)
{
    const char *operator_text;
    take(in, "L");
    if (isdigit((unsigned char)*in->at))
        read_source_name(in, out);
    else if (*in->at == 'C' || *in->at == 'D') {
        append(out, *in->at == 'D' ? "~" : "");
        append(out, in->last);
        in->at += 2;
    } else if (take(in, "Ul")) { /* a lambda: its parameter types, E, a number, _ */
        char types[PART_BYTES] = "";
        while (!in->is_bad && *in->at && !take(in, "E"))
            read_type(in, types);
        while (isdigit((unsigned char)*in->at))
            in->at++;
        in->is_bad |= !take(in, "_");
        append(out, "lambda");
    } else if ((operator_text = TAKE_WORD(in, operators))) {
        append(out, operator_text);
    } else {
        in->is_bad = true;
    }
}

static void read_nested(struct reader *in, char *out)
{
    bool is_first = true;
    in->at++;
    while (*in->at == 'r' || *in->at == 'V' || *in->at == 'K')
        in->at++;
    in->ends_in_template = false;
    while (!in->is_bad && !take(in, "E")) {
        if (*in->at == 'I') {
            read_arguments(in, out);
            in->ends_in_template = true;
            if (*in->at != 'E')
                keep(in, out);
            continue;
        }
        append(out, is_first ? "" : "::");
        bool is_substitution = *in->at == 'S';
        if (is_substitution)
            read_substitution(in, out);
        else if (*in->at == 'T')
            read_template_parameter(in, out);
        else
            read_unqualified(in, out);
        if (!is_substitution && *in->at != 'E')
            keep(in, out);
        is_first = false;
        in->ends_in_template = false;
        if (*in->at == '\0')
            in->is_bad = true;
    }
}

/* Z <encoding> E <name>: something declared inside a function. Only its own name is of interest. */
static void read_local(struct reader *in, char *out)
{
    char scope[PART_BYTES] = "";
    if (++in->levels > MAX_LEVELS) {
        in->is_bad = true;
        return;
    }
    in->at++;
    read_encoding(in, scope);
    if (!take(in, "E")) {
        in->is_bad = true;
        return;
    }
    in->levels--;
    if (take(in, "s"))
        append(out, "string literal");
    else
        read_unqualified(in, out);
}

static void read_name(struct reader *in, char *out)
{
    in->ends_in_template = false;
    if (*in->at == 'N') {
        read_nested(in, out);
    } else if (*in->at == 'Z') {
        read_local(in, out);
    } else {
        bool is_substitution = *in->at == 'S' && in->at[1] != 't';
        if (take(in, "St"))
            append(out, "std::");
        if (is_substitution)
            read_substitution(in, out);
        else
            read_unqualified(in, out);
        if (*in->at == 'I') {
            if (!is_substitution)
                keep(in, out);
            read_arguments(in, out);
            in->ends_in_template = true;
        }
    }
}

/* F <return> <parameters> E, printed without the star that made it a pointer. */
static void read_function_type(struct reader *in, char *out)
{
    char result[PART_BYTES] = "", list[PART_BYTES] = "";
    in->at++;
    read_type(in, result);
    for (bool is_first = true; !in->is_bad && *in->at && !take(in, "E"); is_first = false) {
        append(list, is_first ? "" : ", ");
        read_type(in, list);
    }
    append(out, result);
    append(out, " (");
    append(out, strcmp(list, "void") == 0 ? "" : list);
    append(out, ")");
    keep(in, out);
}

static void read_array_type(struct reader *in, char *out)
{
    in->at++;
    size_t size = strspn(in->at, "0123456789");
    char bound[PART_BYTES];
    snprintf(bound, sizeof bound, " [%.*s]", (int)size, in->at);
    in->at += size;
    in->is_bad |= !take(in, "_");
    read_type(in, out);
    append(out, bound);
    keep(in, out);
}

/* P, R, O, K, V, r: the suffix a qualifier adds to the type it qualifies. */
static bool read_qualified(struct reader *in, char *out)
{
    static const struct word suffixes[] = {{"P", "*"},      {"R", "&"},         {"O", "&&"},
                                           {"K", " const"}, {"V", " volatile"}, {"r", " restrict"}};
    const char *suffix = TAKE_WORD(in, suffixes);
    if (!suffix)
        return false;
    char inner[PART_BYTES] = "";
    read_type(in, inner);
    append(inner, suffix);
    append(out, inner);
    keep(in, inner);
    return true;
}

static void read_class_type(struct reader *in, char *out)
{
    char name[PART_BYTES] = "";
    bool is_plain_substitution = *in->at == 'S' && in->at[1] != 't';
    read_name(in, name);
    append(out, name);
    if (!is_plain_substitution || in->ends_in_template)
        keep(in, name);
}

static void read_type(struct reader *in, char *out)
{
    if (in->is_bad || ++in->depth > MAX_DEPTH) {
        in->is_bad = true;
        return;
    }
    const char *text;
    if (read_qualified(in, out)) {
        /* done */
    } else if (*in->at == 'F') {
        read_function_type(in, out);
    } else if (*in->at == 'A') {
        read_array_type(in, out);
    } else if (*in->at == 'T') {
        char name[PART_BYTES] = "";
        read_template_parameter(in, name);
        append(out, name);
        keep(in, name);
    } else if (take(in, "Dp")) {
        read_type(in, out);
    } else if ((text = TAKE_WORD(in, builtin_types))) {
        append(out, text);
    } else if (isdigit((unsigned char)*in->at) || *in->at == 'N' || *in->at == 'S' || *in->at == 'Z') {
        read_class_type(in, out);
    } else {
        in->is_bad = true;
    }
    in->depth--;
}

static void read_encoding(struct reader *in, char *out)
{
    read_name(in, out);
    if (in->is_bad || *in->at == '\0' || *in->at == 'E' || *in->at == '.' || *in->at == '$')
        return;
    if (in->ends_in_template) {
        char result[PART_BYTES] = "";
        in->depth += 2;
        read_type(in, result);
        in->depth -= 2;
    }
    char list[PART_BYTES] = "";
    for (bool is_first = true; !in->is_bad && *in->at && !strchr("E.$", *in->at); is_first = false) {
        append(list, is_first ? "" : ", ");
        in->depth += 2;
        read_type(in, list);
        in->depth -= 2;
    }
    append(out, "(");
    append(out, strcmp(list, "void") == 0 ? "" : list);
    append(out, ")");
}

static bool demangle(const char *mangled, struct reader *in, char *out)
{
    memset(in, 0, sizeof *in);
    if (strncmp(mangled, "_Z", 2) != 0)
        return false;
    in->at = mangled + 2;
    out[0] = '\0';
    read_encoding(in, out);
    return !in->is_bad && (*in->at == '\0' || *in->at == '.' || *in->at == '$');
}

void name_demangle(const char *mangled, char *out, size_t size)
{
    struct reader in;
    char text[PART_BYTES];
    if (size == 0)
        return;
    snprintf(out, size, "%s", mangled && demangle(mangled, &in, text) ? text : mangled ? mangled : "?");
}

/* The last <number><identifier> of a mangled name that the demangler cannot read. */
static bool last_source_name(const char *mangled, char *out, size_t size)
{
    bool is_found = false;
    for (const char *at = mangled; *at;) {
        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        size_t length = 0;
        while (isdigit((unsigned char)*at) && length < 100000)
            length = length * 10 + (size_t)(*at++ - '0');
        if (length == 0 || strnlen(at, length) < length || !(isalpha((unsigned char)*at) || *at == '_'))
            continue;
        snprintf(out, size, "%.*s", (int)length, at);
        at += length;
        is_found = true;
    }
    return is_found;
}

void name_short(const char *mangled, char *out, size_t size)
{
    struct reader in;
    char text[PART_BYTES];
    if (!mangled || strncmp(mangled, "_Z", 2) != 0)
        snprintf(out, size, "%s", mangled ? mangled : "?");
    else if (demangle(mangled, &in, text) && in.last[0] && !strchr(text, '('))
        snprintf(out, size, "%s", in.last);
    else if (!last_source_name(mangled, out, size))
        snprintf(out, size, "%s", mangled);
}

/* The name before the parameter and template lists, without its namespaces. */
void name_of_function(const char *mangled, char *out, size_t size)
{
    char text[PART_BYTES];
    name_demangle(mangled, text, sizeof text);
    int depth = 0;
    size_t start = 0, end = strlen(text);
    for (size_t i = 0; text[i]; i++) {
        if (text[i] == '(' && depth == 0 && strncmp(text + i, "(anonymous", 10) != 0) {
            end = i;
            break;
        }
        depth += (text[i] == '<') - (text[i] == '>');
        if (depth == 0 && text[i] == ':' && text[i + 1] == ':')
            start = i + 2;
    }
    for (size_t i = start; i < end; i++)
        if (text[i] == '<') {
            end = i;
            break;
        }
    snprintf(out, size, "%.*s", (int)(end - start), text + start);
}

const char *name_of_space(enum ptx_space space)
{
    static const char *const names[PTX_SPACES] = {
        [PTX_GENERIC] = "global memory", [PTX_GLOBAL] = "global memory", [PTX_CONST] = "constant memory",
        [PTX_SHARED] = "shared memory",  [PTX_LOCAL] = "local memory",   [PTX_PARAM] = "parameter memory"};
    return names[space < PTX_SPACES ? space : PTX_GENERIC];
}
