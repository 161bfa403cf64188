/* instructions.c - the one table from opcodes to the code that decodes and executes them. */
#include "exec/instructions.h"

static const struct family families[] = {
#define FAMILY(opcode, decode) {opcode, decode},
#include "exec/instructions.def"
#undef FAMILY
};

const struct instruction_set instruction_set = {families, sizeof families / sizeof *families};
