/* reader.h - the parser's files from the ground up; nobody outside this folder includes it.
 *
 *   lexer.c        text becomes tokens, one at a time
 *   names.c        a table of names with scopes
 *   reader.c       the current token, what may come next, the first error, memory
 *   constant.c     constant expressions
 *   position.c     .file, .loc and the names they mention
 *   operand.c      operands of an instruction
 *   initialiser.c  what a variable begins with
 *   declaration.c  registers, variables, parameters
 *   body.c         instructions, labels and scopes of a function
 *   parse.c        the module: directives, functions; ptx_parse()
 *
 * A file uses those above it in this list only. There is one token of lookahead, reader->token; after the first error it
 * is TOKEN_END for ever, so loops end by themselves. Lists live on the heap while they grow, and move into the arena
 * when their function or module is complete. */
#ifndef VGPU_PTX_READER_H
#define VGPU_PTX_READER_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/list.h"
#include "ptx/lexer.h"
#include "ptx/names.h"

/* Limits against hostile input; real programs stay far below. */
enum {
    MAX_REGISTERS = 1000000,        /* of one function */
    MAX_MODULE_REGISTERS = 4000000, /* of a module: every one costs memory */
    MAX_REGISTER_NAMES = 64 << 20,  /* bytes of their names, of a module */
    MAX_NUMBERED_VARIABLES = 4096,  /* .local .b32 x<n> */
    MAX_SCOPES = 256,               /* nested { } */
    MAX_DIMENSIONS = 16,            /* x[2][3]... */
    MAX_INITIALISERS = 64 << 20,    /* bytes, of a module */
    MAX_EXPRESSION_DEPTH = 64,
    MAX_OPERAND_DEPTH = 4, /* lists within lists */
    MAX_FILE_NUMBER = 65535,
};

struct scope {
    uint32_t first_name, first_fixup;
};

/* A name that may turn out to be a label once its scope is complete. */
struct fixup {
    const char *text;
    uint32_t size, hash, line, column;
    struct ptx_operand *operand; /* stays a symbol if no label has the name */
    uint32_t *target;            /* of .branchtargets: must be a label */
};

/* The function name that a .loc gives by a label in .debug_str. */
struct loc_extra {
    const char *function;
    uint32_t function_size, function_hash;
    uint64_t function_offset;
    uint32_t next; /* 1 + index of an older position in the same bucket */
};

struct alias {
    const char *name, *target;
    uint32_t line, column;
};

enum { LOC_BUCKET_BITS = 12 };

struct reader {
    struct lexer lexer;
    struct token token;
    struct arena *arena;
    struct ptx_module *module;
    struct ptx_names texts;   /* opcodes and symbols: every spelling is kept once */
    struct ptx_names strings; /* labels in .debug_str, index is the offset */

    /* the module */
    struct list files, locs, loc_extras, variables, functions, aliases, debug_strings;
    uint32_t loc_buckets[1 << LOC_BUCKET_BITS]; /* 1 + index into locs */
    uint64_t initialiser_bytes, register_name_bytes;
    size_t registers;
    int depth; /* of expressions and operands */
    bool has_version, has_target;

    /* the function being read */
    struct ptx_func *function;
    struct ptx_names names;
    struct list function_registers, function_variables, instructions, labels, operands, fixups;
    struct scope scopes[MAX_SCOPES];
    uint32_t nscopes;
    uint32_t loc;
    bool is_rolled; /* .pragma "nounroll" stands before the next instruction */
};

/* ------------------------------------------------------------------------------------------- reader.c */

void reader_next(struct reader *reader);
struct token peek_token(const struct reader *reader); /* the one after reader->token */
bool reader_failed(const struct reader *reader);
bool is_punct(const struct reader *reader, int punct);
bool is_directive(const struct reader *reader, const char *directive);
bool accept_punct(struct reader *reader, int punct);
bool accept_directive(struct reader *reader, const char *directive);
bool expect_punct(struct reader *reader, char punct, const char *where);
/* Goes on behind the bracket that closes the outermost one; depth: those that are open already. */
void skip_brackets(struct reader *reader, int depth, char open, char close, const char *expected);

void fail_at(struct reader *reader, const struct token *token, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fail_expected(struct reader *reader, const char *expected); /* "found X, expected Y" */
void fail_memory(struct reader *reader);
/* A token for a message: quoted, cut, without odd bytes. */
const char *token_words(const struct token *token, char *buffer, size_t size);

/* All of these fail by themselves when there is no memory. */
void *reader_alloc(struct reader *reader, size_t size);
void *reader_push(struct reader *reader, struct list *list, size_t item_size); /* a new item, zeroed */
/* The items from first on, as an array in the arena; NULL if there are none. */
void *reader_keep(struct reader *reader, const struct list *list, size_t first, size_t item_size);
/* A string in the arena, the same one for the same text. */
const char *reader_text(struct reader *reader, const char *text, size_t size, uint32_t hash);

/* ------------------------------------------------------------------------------------------- constant.c */

struct constant {
    enum token_kind kind; /* TOKEN_INT, TOKEN_F32 or TOKEN_F64 */
    bool is_unsigned;
    uint64_t bits;
};
bool is_constant_start(const struct token *token);
bool read_constant(struct reader *reader, struct constant *value);
bool read_unsigned(struct reader *reader, const char *what, uint64_t limit, uint64_t *value);
bool read_offset(struct reader *reader, int64_t *offset); /* any number of + term and - term */
double constant_number(const struct constant *value);

/* ------------------------------------------------------------------------------------------- position.c */

void read_file(struct reader *reader);
void read_loc(struct reader *reader);
void read_section(struct reader *reader);
void finish_positions(struct reader *reader);

/* ------------------------------------------------------------------------------------------- operand.c */

/* is_call: parentheses hold arguments, not an expression. */
bool read_operand(struct reader *reader, struct ptx_operand *operand, bool is_call);
/* The register or variable that a token names, and the register's number; NULL: nothing in the function has it. */
struct name *find_register(struct reader *reader, const struct token *token, uint32_t *reg);

/* ------------------------------------------------------------------------------------------- initialiser.c */

/* After '='. outer_count: elements of the first dimension that the braces fill, for a variable of open size. */
void read_initialiser(struct reader *reader, struct ptx_var *var, uint32_t element_size, const uint64_t *dims,
                      size_t ndims, uint64_t *outer_count);

/* ------------------------------------------------------------------------------------------- declaration.c */

void read_registers(struct reader *reader);
void read_variables(struct reader *reader, enum ptx_space space, bool is_extern);
/* A list in parentheses; the current token is '('. */
void read_parameters(struct reader *reader, struct ptx_var ***params, size_t *count, bool declares);
/* False, with an error: the scope has this name already. */
bool name_is_free(struct reader *reader, const struct token *token, bool is_range);
uint32_t current_scope(const struct reader *reader);

/* ------------------------------------------------------------------------------------------- body.c */

void read_body(struct reader *reader, struct ptx_func *function); /* '{' is current */
void finish_function(struct reader *reader);

#endif
