/* ptx.h - a PTX module as it was written: declarations, instructions, operands.
 * The parser (reader.h lists its files) resolves registers, labels and scopes and nothing else: it knows no opcode.
 * What an instruction means is decided by decode/decode.c. Everything hangs off one arena; ptx_free() drops it all. */
#ifndef VGPU_PTX_H
#define VGPU_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_type {
    PTX_NONE,
    PTX_PRED,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_F16X2,
    PTX_BF16,
    PTX_BF16X2,
    PTX_F32,
    PTX_F64,
    PTX_TEXREF,
    PTX_SAMPLERREF,
    PTX_SURFREF,
    PTX_TYPES
};

enum ptx_space { PTX_GENERIC, PTX_GLOBAL, PTX_CONST, PTX_SHARED, PTX_LOCAL, PTX_PARAM, PTX_SPACES };

/* A source position. inlined_at is an index into module->locs (0: not inlined); locs[0] is "unknown". */
struct ptx_loc {
    uint32_t file; /* index into module->files, 0: unknown */
    uint32_t line;
    uint32_t column;
    uint32_t inlined_at;
    const char *function; /* of an inlined position: the inlined function's mangled name; or NULL */
};

/* Bytes of an initialiser that hold an address: written when the module is loaded. */
struct ptx_reloc {
    uint64_t offset;
    const char *symbol;
    int64_t addend;
    uint8_t size;  /* bytes to write: 8, or 1 for one byte picked by mask(0xff<<k) */
    uint8_t shift; /* bits to shift the address right first */
};

struct ptx_var {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;
    uint32_t align;
    uint64_t size; /* bytes in all; 0 for an extern array of open size */
    bool is_extern;
    bool is_managed;  /* .attribute(.managed) */
    bool is_register; /* a parameter declared .reg: it lives in register reg of the function, not in memory */
    uint32_t reg;
    uint8_t *init; /* NULL: zero; else init_size bytes, the rest zero */
    uint64_t init_size;
    struct ptx_reloc *relocs;
    size_t nrelocs;
};

struct ptx_reg {
    const char *name; /* "%r12" */
    enum ptx_type type;
};

enum ptx_operand_kind {
    PTX_OP_REG,     /* reg */
    PTX_OP_SREG,    /* name: "%tid.x", "%laneid", "%envreg3", "WARP_SZ" */
    PTX_OP_INT,     /* bits: an integer literal, sign-extended to 64 bits */
    PTX_OP_F32,     /* bits: 0fXXXXXXXX */
    PTX_OP_F64,     /* bits: 0dXXXXXXXXXXXXXXXX or a decimal literal, as a double */
    PTX_OP_VAR,     /* var: a variable of the function (or of its parameter lists), + offset */
    PTX_OP_SYMBOL,  /* name: a module-level variable or function, + offset */
    PTX_OP_LABEL,   /* label */
    PTX_OP_ADDRESS, /* [base + offset]: base in list[0] (REG, VAR, SYMBOL or INT); more items follow for tex */
    PTX_OP_LIST,    /* {a, b, c} or (a, b): list, count */
    PTX_OP_PAIR,    /* a|b: list of two */
    PTX_OP_SINK     /* _ */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool is_negated; /* !p or -x */
    uint32_t reg;
    uint32_t label;
    uint64_t bits;
    int64_t offset;
    const char *name;
    struct ptx_var *var;
    struct ptx_operand *list;
    uint32_t count;
    const char *selector; /* ".h0", ".b3210" and the like after a register; or NULL */
};

struct ptx_insn {
    const char *name; /* the whole dotted opcode, as written: "ld.global.nc.v4.f32" */
    int32_t guard;    /* predicate register, -1: none */
    bool guard_negated;
    uint32_t noperands;
    struct ptx_operand *operands;
    uint32_t loc;      /* index into module->locs */
    uint32_t ptx_line; /* line in the PTX text, for messages */
    bool is_rolled;    /* .pragma "nounroll" stands before it: the loop that begins here stays as it is */
};

struct ptx_label {
    const char *name;
    uint32_t target; /* index of the instruction that follows it; may equal ninsns */
    /* .branchtargets: the labels it lists. .callprototype: parameters. */
    uint32_t *branch_targets;
    size_t nbranch_targets;
    struct ptx_var **proto_params, **proto_returns;
    size_t nproto_params, nproto_returns;
};

struct ptx_func {
    const char *name;
    bool is_entry;
    bool has_body;
    struct ptx_var **params, **returns; /* in order */
    size_t nparams, nreturns;
    struct ptx_var **vars; /* .shared, .local, .param declared inside, of every scope */
    size_t nvars;
    struct ptx_reg *regs;
    size_t nregs;
    struct ptx_insn *insns;
    size_t ninsns;
    struct ptx_label *labels;
    size_t nlabels;
    uint32_t maxntid[3], reqntid[3]; /* 0: not given */
};

struct ptx_module {
    int version_major, version_minor;
    int target;         /* 75 of sm_75 */
    const char **files; /* files[0] is "" */
    size_t nfiles;
    struct ptx_loc *locs;
    size_t nlocs;
    struct ptx_var **vars; /* module level: .global, .const, .shared */
    size_t nvars;
    struct ptx_func **funcs; /* declarations without a body too */
    size_t nfuncs;
    struct arena *arena;
    struct ptx_names *names; /* ptx_find_func() and ptx_find_var() look here */
};

struct ptx_error {
    uint32_t line, column;
    char text[240];
};

/* Parses text[0..size). NULL on error, with *error filled in. Never reads past size, never aborts. */
struct ptx_module *ptx_parse(const char *text, size_t size, struct ptx_error *error);
void ptx_free(struct ptx_module *module);
/* Makes one module of several: definitions replace declarations, the first of equal names stays. Takes modules over; NULL,
 * with a sentence in message: no memory. */
struct ptx_module *ptx_link(struct ptx_module **modules, size_t count, char *message, size_t size);

uint32_t ptx_type_size(enum ptx_type type);                 /* bytes; 0 for PTX_PRED and PTX_NONE */
enum ptx_type ptx_type_find(const char *name, size_t size); /* "f32" → PTX_F32; PTX_NONE if it is no type */

struct ptx_func *ptx_find_func(const struct ptx_module *module, const char *name);
struct ptx_var *ptx_find_var(const struct ptx_module *module, const char *name);

#endif
