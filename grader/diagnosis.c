/* diagnosis.c - a compiler's words, cut down to what their reader can use (see diagnosis.h).
 * nvcc compiles a preprocessed text: the line that it shows may have macros in it, and is replaced by the student's own.
 * Nothing here knows of labs, processes or reports. */
#define _GNU_SOURCE
#include "grader/diagnosis.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ERRORS = 3, LONGEST = 400, NAME = 80 };

/* A message of the compiler's. */
struct message {
    const char *text, *end;  /* behind "error: ", to the end of its line */
    const char *shown, *arm; /* the line of text below it, and the one with the caret; NULL: none */
    unsigned line;           /* in the file; 0: at its end, or in another file */
    bool is_own, is_error, is_note;
};

static const char *end_of_line(const char *text)
{
    return text + strcspn(text, "\n");
}

static const char *next_line(const char *text)
{
    text = end_of_line(text);
    return text + (*text == '\n');
}

static bool has_words(const char *begin, const char *end, const char *words)
{
    return memmem(begin, (size_t)(end - begin), words, strlen(words)) != NULL;
}

/* ------------------------------------------------------------------------------------------- the compiler's lines */

/* "lab3.cu(12): ", "lab3.cu:12:7: ", "At end of source: ", "ptxas ": what stands behind it; NULL: the line does not begin a message. */
static const char *read_place(const char *line, const char *name, struct message *out)
{
    static const char at_end[] = "At end of source: ", ptxas[] = "ptxas ";
    const size_t length = strlen(name);
    char *behind;
    if (!strncmp(line, at_end, sizeof at_end - 1)) {
        out->is_own = true;
        return line + sizeof at_end - 1;
    }
    if (!strncmp(line, ptxas, sizeof ptxas - 1)) /* it knows kernels, no lines */
        return line + sizeof ptxas - 1;
    const char *place = line;
    while (*place && *place != '\n' && *place != '(' && *place != ':')
        place++;
    if (place == line || !isdigit((unsigned char)place[*place != '\0']))
        return NULL;
    out->is_own = (size_t)(place - line) == length && !strncmp(line, name, length);
    out->line = (unsigned)strtoul(place + 1, &behind, 10);
    if (*place == '(' && !strncmp(behind, "): ", 3))
        return behind + 3;
    if (*place == ':' && *behind == ':' && isdigit((unsigned char)behind[1])) {
        strtoul(behind + 1, &behind, 10);
        return !strncmp(behind, ": ", 2) ? behind + 2 : NULL;
    }
    return NULL;
}

/* True for what is only a caret, maybe behind gcc's margin. */
static bool is_arm(const char *line)
{
    const char *at = line + strspn(line, " |");
    return *at == '^' && at + strspn(at, "^~") == end_of_line(at);
}

/* The message that a line begins. The lines below it, as far as the caret, belong to it. */
static bool read_message(const char *line, const char *name, struct message *out)
{
    static const char *const errors[] = {"error: ", "error #",
                                         "error   : ", "fatal error: ", "catastrophic error: "};
    *out = (struct message){.text = NULL};
    const char *text = read_place(line, name, out);
    if (!text)
        return false;
    out->is_note = !strncmp(text, "note", 4);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        out->is_error |= !strncmp(text, errors[i], strlen(errors[i]));
    const char *colon = strstr(text, ": ");
    out->text = colon && colon < end_of_line(text) ? colon + 2 : text;
    out->end = end_of_line(text);
    const char *before = NULL;
    for (const char *below = next_line(line); *below == ' '; before = below, below = next_line(below))
        if (is_arm(below)) {
            out->shown = before;
            out->arm = before ? below : NULL;
            break;
        }
    return true;
}

/* ------------------------------------------------------------------------------------------- the student's lines */

static const char *find_line(const char *source, unsigned number)
{
    for (; number > 1 && *source; number--)
        source = next_line(source);
    return number == 1 && *source ? source : NULL;
}

/* Empty lines and those of mere comments are no code; a block comment's inner lines are taken for some. */
static bool has_code(const char *line)
{
    line += strspn(line, " \t\r");
    return *line != '\n' && *line && strncmp(line, "//", 2) != 0 && strncmp(line, "/*", 2) != 0;
}

static unsigned line_above(const char *source, unsigned number)
{
    while (number > 1 && !has_code(find_line(source, number - 1)))
        number--;
    return number > 1 ? number - 1 : 0;
}

static bool is_letter(char letter)
{
    return isalnum((unsigned char)letter) || letter == '_';
}

/* Where the caret stands in the student's line, counted from its first letter; -1: unknown. Where the compiler shows another text,
 * the word that it points at must be there once. */
static long find_column(const struct message *message, const char *own, size_t length)
{
    if (!message->arm)
        return -1;
    const long column = (long)(strcspn(message->arm, "^"));
    if (column >= (long)(end_of_line(message->shown) - message->shown))
        return -1;
    const char *begin = message->shown + strspn(message->shown, " \t"), *at = message->shown + column;
    if (at >= begin && (size_t)(end_of_line(begin) - begin) >= length && !strncmp(begin, own, length))
        return (long)(at - begin);
    size_t word = 0;
    while (is_letter(at[word]))
        word++;
    const char *hit = word ? memmem(own, length, at, word) : NULL;
    const char *second = hit ? memmem(hit + 1, length - (size_t)(hit + 1 - own), at, word) : NULL;
    return hit && !second ? (long)(hit - own) : -1;
}

static void put_source(FILE *out, const struct message *message, const char *source)
{
    const char *own = message->line ? find_line(source, message->line) : NULL;
    if (!own)
        return;
    own += strspn(own, " \t");
    size_t length = (size_t)(end_of_line(own) - own);
    while (length && isspace((unsigned char)own[length - 1]))
        length--;
    const long column = find_column(message, own, length);
    const unsigned above = line_above(source, message->line);
    if (column == 0 && above && has_words(message->text, message->end, "expected a \";\"")) {
        const char *before = find_line(source, above);
        before += strspn(before, " \t");
        fprintf(out, "    %.*s\n", (int)(end_of_line(before) - before), before);
    }
    fprintf(out, "    %.*s\n", (int)length, own);
    if (column < 0)
        return;
    fputs("    ", out);
    for (long i = 0; i < column; i++)
        putc(own[i] == '\t' ? '\t' : ' ', out);
    fputs("^\n", out);
}

/* ------------------------------------------------------------------------------------------- names */

static void keep(const char *begin, size_t length, char *out)
{
    snprintf(out, NAME, "%.*s", (int)(length < NAME ? length : 0), begin);
}

/* The first between quotes. */
static void find_quoted(const struct message *message, char *out)
{
    const char *open = memchr(message->text, '"', (size_t)(message->end - message->text));
    const char *close = open ? memchr(open + 1, '"', (size_t)(message->end - open - 1)) : NULL;
    if (close)
        keep(open + 1, (size_t)(close - open - 1), out);
}

/* The last name before the caret's bracket, or the first that a bracket or << follows. */
static void find_callee(const struct message *message, const char *line, char *out)
{
    (void)message;
    static const char *const others[] = {"if", "for", "while", "switch", "return", "CHECK"};
    const char *end = end_of_line(line);
    for (const char *at = line; at < end; at++) {
        const char *begin = at;
        while (at < end && is_letter(*at))
            at++;
        const size_t length = (size_t)(at - begin);
        bool is_other = length == 0;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            is_other |= strlen(others[i]) == length && !strncmp(others[i], begin, length);
        if (!is_other && (*at == '(' || !strncmp(at, "<<", 2))) {
            keep(begin, length, out);
            return;
        }
    }
}

static size_t smallest(size_t a, size_t b, size_t c)
{
    return a < b ? (a < c ? a : c) : (b < c ? b : c);
}

/* Letters to change, add, remove or swap with their neighbour; small and large ones are alike. */
static size_t distance(const char *a, const char *b, size_t nb)
{
    const size_t na = strlen(a);
    size_t rows[3][NAME + 1];
    if (na >= NAME || nb >= NAME)
        return NAME;
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            const int x = tolower((unsigned char)a[i - 1]), y = tolower((unsigned char)b[j - 1]);
            now[j] = smallest(before[j] + 1, now[j - 1] + 1, before[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == tolower((unsigned char)b[j - 2]) &&
                y == tolower((unsigned char)a[i - 2]) && earlier[j - 2] + 1 < now[j])
                now[j] = earlier[j - 2] + 1;
        }
    }
    return rows[na % 3][nb];
}

/* What the compiler does not know either is no name to suggest. */
static bool is_undefined(const char *name, size_t length, const char *said)
{
    char words[NAME + 20];
    snprintf(words, sizeof words, "\"%.*s\" is undefined", (int)length, name);
    return strstr(said, words) != NULL;
}

/* The nearest name of a text, if it is nearer than the best so far. What is called is more likely the name of a function. */
static void look_near(const char *name, bool is_called, const char *text, const char *said, size_t *best,
                      char *out)
{
    for (const char *at = text; *at;) {
        const char *begin = at;
        while (is_letter(*at))
            at++;
        const size_t length = (size_t)(at - begin);
        const bool is_same = length == strlen(name) && !strncmp(begin, name, length);
        if (length > 1 && !is_same && !isdigit((unsigned char)*begin)) {
            const size_t far = distance(name, begin, length) + (is_called && *at != '(');
            if (far < *best && !is_undefined(begin, length, said)) {
                *best = far;
                keep(begin, length, out);
            }
        }
        at += *at && !is_letter(*at);
    }
}

static bool is_called(const char *name, const char *line)
{
    char call[NAME + 2];
    snprintf(call, sizeof call, "%s(", name);
    return has_words(line, end_of_line(line), call);
}

static void find_near(const char *name, const char *line, const char *source, const char *said, char *out)
{
    static const char cuda[] =
        "threadIdx blockIdx blockDim gridDim warpSize __syncthreads( __syncwarp( __shfl_sync( "
        "__shfl_down_sync( "
        "__shfl_up_sync( __shfl_xor_sync( __ballot_sync( __threadfence( __ldg( __popc( __shared__ __global__ "
        "__device__ "
        "__constant__ __restrict__ __launch_bounds__ atomicAdd( atomicMax( atomicMin( atomicCAS( atomicExch( "
        "atomicInc( "
        "cudaMalloc( cudaFree( cudaMemcpy( cudaMemset( cudaMemcpyAsync( cudaMemsetAsync( cudaMemcpyToSymbol( "
        "cudaMemcpyHostToDevice cudaMemcpyDeviceToHost cudaMemcpyDeviceToDevice cudaDeviceSynchronize( "
        "cudaGetLastError( cudaStreamCreate( cudaStreamSynchronize( cudaStreamDestroy( cudaStream_t "
        "cudaError_t "
        "cudaEventRecord( cudaStreamWaitEvent( cudaHostRegister( cudaHostUnregister( dim3 float2 float4 int4 "
        "uint4 "
        "unsigned size_t sqrtf( expf( fmaf( min( max( printf(";
    const size_t length = strlen(name);
    size_t best = length < 3 ? 1 : length < 6 ? 2 : 3; /* letters that may differ, and one */
    const bool wants_function = is_called(name, line);
    look_near(name, wants_function, cuda, said, &best, out);
    look_near(name, wants_function, source, said, &best, out);
}

/* What the caret points at between the <<< and the >>> of a launch: a word or a sign. */
static void find_sign(const struct message *message, const char *line, char *out)
{
    const size_t length = (size_t)(end_of_line(line) - line);
    const char *own = line + strspn(line, " \t");
    const char *open = memmem(line, length, "<<<", 3), *close = memmem(line, length, ">>>", 3);
    const long column = find_column(message, own, (size_t)(end_of_line(own) - own));
    const char *at = own + column;
    if (column < 0 || !open || !close || at < open + 3 || at >= close)
        return;
    size_t word = 0;
    while (is_letter(at[word]))
        word++;
    keep(at, word ? word : 1, out);
}

/* Of what std is asked for. */
static void find_header(const struct message *message, char *out)
{
    static const struct {
        const char *member, *header;
    } rows[] = {{"vector", "vector"}, {"string", "string"},        {"cout", "iostream"}, {"cerr", "iostream"},
                {"endl", "iostream"}, {"sort", "algorithm"},       {"min", "algorithm"}, {"max", "algorithm"},
                {"swap", "utility"},  {"unique_ptr", "memory"},    {"array", "array"},   {"chrono", "chrono"},
                {"sqrt", "cmath"},    {"numeric_limits", "limits"}};
    const char *member = strstr(message->text, "member \"");
    for (size_t i = 0; member && i < sizeof rows / sizeof *rows; i++) {
        const size_t length = strlen(rows[i].member);
        if (!strncmp(member + 8, rows[i].member, length) && member[8 + length] == '"')
            keep(rows[i].header, strlen(rows[i].header), out);
    }
}

/* The text with blanks for comments and literals: all places stay where they are. */
char *diagnosis_blank(const char *source)
{
    char *text = strdup(source);
    for (char *at = text; at && *at;) {
        const char *end = NULL;
        if (!strncmp(at, "//", 2)) {
            end = end_of_line(at);
        } else if (!strncmp(at, "/*", 2)) {
            const char *close = strstr(at + 2, "*/");
            end = close ? close + 2 : at + strlen(at);
        } else if (*at == '"' || *at == '\'') {
            end = at + 1;
            while (*end && *end != *at && *end != '\n')
                end += *end == '\\' && end[1] ? 2 : 1;
            end += *end == *at;
        }
        for (; end && at < end; at++)
            *at = *at == '\n' ? '\n' : ' ';
        at += end == NULL;
    }
    return text;
}

/* ------------------------------------------------------------------------------------------- braces */

enum { DEEPEST = 64 };

/* A { and how far its line is indented. */
struct brace {
    unsigned line, column;
};

/* The line of the first { from that line on that has no }, as indentation shows it; 0: unknown. */
static unsigned find_open_brace(const char *source, unsigned from)
{
    struct brace open[DEEPEST];
    size_t depth = 0;
    unsigned number = 1, found = 0;
    char *text = diagnosis_blank(source);
    for (const char *line = text; line && *line && !found && depth < DEEPEST;
         line = next_line(line), number++) {
        const unsigned column = (unsigned)strspn(line, " \t");
        for (const char *at = line; number >= from && at < end_of_line(line) && !found && depth < DEEPEST;
             at++) {
            if (*at == '{')
                open[depth++] = (struct brace){number, column};
            if (*at == '}' && at == line + column && depth > 1 && open[depth - 1].column > column)
                found = open[depth - 1].line;
            else if (*at == '}' && depth)
                depth--;
        }
    }
    free(text);
    return found || depth == DEEPEST || !depth ? found : open[0].line;
}

/* What the compiler says where a } is missing above: the next function seems to begin within another. */
static bool is_within_function(const struct message *message, const char *own)
{
    static const char *const words[] = {"block-scope function", "template declaration is not allowed here",
                                        "linkage specification is not allowed"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_words(message->text, message->end, words[i]))
            return true;
    return has_words(message->text, message->end, "expected a \";\"") && message->arm &&
           message->shown[strcspn(message->arm, "^")] == '{' &&
           memchr(own, '{', (size_t)(end_of_line(own) - own));
}

/* The line of a { that is open to the end of the file; 0: all are closed. */
static unsigned find_unclosed(const char *said, const char *name, const char *source)
{
    bool is_open = false;
    for (const char *line = said; *line; line = next_line(line)) {
        struct message message;
        if (!read_message(line, name, &message))
            continue;
        is_open |=
            message.is_error && !message.line && has_words(message.text, message.end, "expected a \"}\"");
        if (is_open && message.is_note && message.is_own &&
            has_words(message.text, message.end, "to match this"))
            return find_open_brace(source, message.line);
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------- advice */

static const struct {
    const char *says, *has, *words;
} rows[] = {
#define ROW(says, has, words) {says, has, words},
#define CPP20                                                                                                \
    "This is C++20, and files are compiled as C++17: begin the file with the line // nvcc: -std=c++20"
#include "grader/diagnosis.def"
#undef ROW
#undef CPP20
};

struct names {
    char name[NAME], near[NAME], callee[NAME], above[NAME], header[NAME], open[NAME], sign[NAME];
};

static bool fill_in(const char *words, const struct names *names, char *out, size_t size)
{
    const struct {
        const char *mark, *value;
    } marks[] = {{"{name}", names->name},   {"{near}", names->near},     {"{callee}", names->callee},
                 {"{above}", names->above}, {"{header}", names->header}, {"{open}", names->open},
                 {"{sign}", names->sign}};
    const size_t nmarks = sizeof marks / sizeof *marks;
    size_t used = 0;
    while (*words && used + 1 < size) {
        size_t i = 0;
        while (i < nmarks && strncmp(words, marks[i].mark, strlen(marks[i].mark)) != 0)
            i++;
        if (i < nmarks && !marks[i].value[0])
            return false;
        used += (size_t)snprintf(out + used, size - used, i < nmarks ? "%s" : "%.1s",
                                 i < nmarks ? marks[i].value : words);
        words += i < nmarks ? strlen(marks[i].mark) : 1;
    }
    return true;
}

static void put_advice(FILE *out, const struct message *message, const char *source, const char *said,
                       unsigned open)
{
    const char *line = message->line ? find_line(source, message->line) : NULL;
    const char *own = line ? line : "";
    const unsigned above = message->line ? line_above(source, message->line) : 0;
    struct names names = {.name = ""};
    char text[LONGEST];
    find_quoted(message, names.name);
    find_callee(message, own, names.callee);
    find_header(message, names.header);
    find_sign(message, own, names.sign);
    if (open)
        snprintf(names.open, sizeof names.open, "%u", open);
    if (has_words(message->text, message->end, "is undefined"))
        find_near(names.name, own, source, said, names.near);
    if (above)
        snprintf(names.above, sizeof names.above, "%u", above);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (has_words(message->text, message->end, rows[i].says) &&
            has_words(own, end_of_line(own), rows[i].has) &&
            fill_in(rows[i].words, &names, text, sizeof text)) {
            fprintf(out, "-> %s\n", text);
            return;
        }
}

/* ------------------------------------------------------------------------------------------- all of it */

static void put_message(FILE *out, const struct message *message, const char *line, const char *source)
{
    fprintf(out, "%.*s\n", (int)(message->end - line), line);
    put_source(out, message, source);
}

char *diagnosis_write(const char *said, const char *name, const char *source)
{
    char *text = NULL;
    size_t size, nerrors = 0, nleft = 0;
    unsigned last = 0;
    bool is_told = false; /* the error before: its notes in the file belong to it */
    const unsigned open = find_unclosed(said, name, source);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (const char *line = said; *line; line = next_line(line)) {
        struct message message;
        if (!read_message(line, name, &message) || (!message.is_error && !message.is_note))
            continue;
        if (message.is_note && is_told && message.is_own &&
            has_words(message.text, message.end, "to match this")) {
            if (open && open != message.line) {
                message.line = open;
                message.shown = message.arm = NULL;
                fprintf(out, "%s(%u): note: to match this \"{\"\n", name, open);
                put_source(out, &message, source);
            } else {
                put_message(out, &message, line, source);
            }
        }
        if (message.is_note)
            continue;
        const char *own = message.is_own && message.line ? find_line(source, message.line) : NULL;
        const bool is_of_brace = open && own && message.line > open && is_within_function(&message, own);
        if (is_of_brace) {
            is_told = false;
            nleft++;
            continue;
        }
        const bool is_consequence = nerrors && message.is_own && message.line && message.line == last;
        is_told = !is_consequence && nerrors < MOST_ERRORS;
        nleft += !is_consequence && !is_told;
        if (!is_told)
            continue;
        nerrors++;
        last = message.is_own ? message.line : 0;
        put_message(out, &message, line, message.is_own ? source : "");
        put_advice(out, &message, message.is_own ? source : "", said, message.line ? 0 : open);
    }
    if (nleft)
        fprintf(out, "(and %zu error%s more: often they follow from the first)\n", nleft,
                nleft == 1 ? "" : "s");
    return fclose(out) == 0 ? text : NULL;
}

/* ------------------------------------------------------------------------------------------- warnings */

/* Both of nvcc's passes warn of the same. */
static bool is_told_before(const char *said, const char *line)
{
    const size_t length = (size_t)(end_of_line(line) - line);
    for (const char *before = said; before < line; before = next_line(before))
        if (!strncmp(before, line, length) && before[length] == '\n')
            return true;
    return false;
}

/* The = of a condition that is nothing but an assignment; NULL: it is none. open: its bracket. */
static const char *find_assignment(const char *open)
{
    const char *equals = open + 1, *before;
    size_t nwords = 0;
    while (is_letter(*equals) || (*equals && strchr(" .[]>*-", *equals))) {
        nwords += is_letter(*equals) && !is_letter(equals[-1]) && (equals[-1] == ' ' || equals[-1] == '(');
        equals++;
    }
    before = equals - 1;
    if (*equals != '=' || equals[1] == '=' || strchr("(=!<>+-*/%&|^", *before) || nwords != 1)
        return NULL; /* two words are a declaration */
    int depth = 1;
    for (const char *at = equals; *at && depth; at++) {
        depth += (*at == '(') - (*at == ')');
        if (*at == ';')
            return NULL;
    }
    return equals;
}

/* if (i = count): it compiles without a word, and is mostly a mistake. */
static void put_assignments(FILE *out, const char *name, const char *source)
{
    static const char *const words[] = {"if", "while"};
    char *text = diagnosis_blank(source);
    unsigned number = 1;
    for (const char *at = text; at && *at; number += *at == '\n', at++)
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
            const size_t length = strlen(words[i]);
            if (strncmp(at, words[i], length) != 0 || (at > text && is_letter(at[-1])))
                continue;
            const char *open = at + length + strspn(at + length, " \t");
            const char *equals = *open == '(' ? find_assignment(open) : NULL;
            if (!equals)
                continue;
            const struct message message = {.line = number, .is_own = true};
            fprintf(out,
                    "%s(%u): warning: this condition is an assignment, and true where the value is not 0\n",
                    name, number);
            put_source(out, &message, source);
            fprintf(out, "-> One = stores a value. To compare: ==, or < where an index is tested.\n");
        }
    free(text);
}

char *diagnosis_warn(const char *said, const char *name, const char *source)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (const char *line = said; *line; line = next_line(line)) {
        struct message message;
        const bool is_ptxas = !strncmp(line, "ptxas ", 6); /* it knows no lines */
        if (!read_message(line, name, &message) || message.is_error || message.is_note ||
            !(message.is_own || is_ptxas) || is_told_before(said, line))
            continue;
        put_message(out, &message, line, is_ptxas ? "" : source);
        put_advice(out, &message, is_ptxas ? "" : source, said, 0);
    }
    put_assignments(out, name, source);
    return fclose(out) == 0 ? text : NULL;
}
