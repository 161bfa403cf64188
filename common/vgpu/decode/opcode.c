/* opcode.c - the dotted parts of an opcode, and what can be read off them without knowing the instruction. */
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"
#include "decode/decode_internal.h"

bool opcode_split(struct opcode *opcode, const char *name)
{
    size_t size = strlen(name);
    opcode->count = 0;
    if (size >= sizeof opcode->text)
        return false;
    memcpy(opcode->text, name, size + 1);
    /* "::" joins two words into one part (shared::cta), so only single dots split */
    for (char *at = opcode->text; at;) {
        if (opcode->count == MAX_PARTS)
            return false;
        opcode->parts[opcode->count++] = at;
        at = strchr(at, '.');
        if (at)
            *at++ = '\0';
    }
    return true;
}

bool opcode_has(const struct opcode *opcode, const char *part)
{
    for (int i = 1; i < opcode->count; i++)
        if (strcmp(opcode->parts[i], part) == 0)
            return true;
    return false;
}

enum ptx_type opcode_type(const struct opcode *opcode)
{
    for (int i = opcode->count - 1; i > 0; i--) {
        enum ptx_type type = ptx_type_find(opcode->parts[i], strlen(opcode->parts[i]));
        if (type != PTX_NONE)
            return type;
    }
    return PTX_NONE;
}

static const struct {
    const char *text;
    enum ptx_space space;
} spaces[] = {
    {"global", PTX_GLOBAL}, {"const", PTX_CONST}, {"shared", PTX_SHARED},
    {"local", PTX_LOCAL},   {"param", PTX_PARAM},
};

enum ptx_space opcode_space(const struct opcode *opcode)
{
    for (int i = 1; i < opcode->count; i++)
        for (size_t k = 0; k < sizeof spaces / sizeof *spaces; k++) {
            size_t size = strlen(spaces[k].text);
            const char *part = opcode->parts[i];
            if (strncmp(part, spaces[k].text, size) == 0 && (part[size] == '\0' || part[size] == ':'))
                return spaces[k].space;
        }
    return PTX_GENERIC;
}

uint32_t opcode_vector(const struct opcode *opcode)
{
    for (int i = 1; i < opcode->count; i++) {
        const char *part = opcode->parts[i];
        if (part[0] == 'v' && part[1] >= '2' && part[1] <= '8' && part[2] == '\0')
            return (uint32_t)(part[1] - '0');
    }
    return 1;
}
