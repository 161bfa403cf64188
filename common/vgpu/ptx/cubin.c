/* cubin.c - what ptxas decided for a kernel: registers, stack, largest block.
 * A cubin is an ELF file (base/elf.h); the sections that NVIDIA adds to it are described nowhere, and were read off.
 * Machine code is handed to the reader in sass.c. */
#include "ptx/cubin.h"

#include "base/elf.h"
#include "base/number.h"

#include <string.h>

enum {
    SYMBOL_MASK =
        0xffffff,     /* .text.KERNEL: sh_info holds the symbol's index and, before sm_90, the registers */
    FORMAT_SIZED = 4, /* .nv.info: records with a payload; others have 16 bits of value instead */
    INFO_MAX_THREADS = 0x05, /* x, y, z of __launch_bounds__ */
    INFO_REQUIRED_THREADS = 0x10,
    INFO_FRAME_SIZE = 0x11,     /* symbol, bytes */
    INFO_MIN_STACK_SIZE = 0x12, /* symbol, bytes, with what the kernel calls */
    INFO_REGISTERS = 0x2f,      /* symbol, registers */
};

struct info {
    uint8_t attribute;
    uint32_t words[3];
    size_t nwords;
};

/* The record at *pos of a section of .nv.info; false at its end or where it is damaged. */
static bool next_info(const struct elf_section *section, uint64_t *pos, struct info *info)
{
    if (!section->content || section->size - *pos < 4)
        return false;
    const uint8_t *record = section->content + *pos;
    uint64_t payload = record[0] == FORMAT_SIZED ? number_at(record + 2, 2) : 0;
    *pos += 4;
    if (payload > section->size - *pos)
        return false;
    info->attribute = record[0] == FORMAT_SIZED ? record[1] : 0;
    info->nwords = smaller_of(payload / 4, 3u);
    for (size_t i = 0; i < info->nwords; i++)
        info->words[i] = (uint32_t)number_at(record + 4 + 4 * i, 4);
    *pos += payload;
    return true;
}

/* .nv.info speaks of every function: the kernel's records carry its symbol. */
static void read_module_info(const struct elf *elf, uint32_t symbol, struct cubin_kernel *out)
{
    struct elf_section section;
    struct info info;
    if (!elf_find_section(elf, ".nv.info", "", &section))
        return;
    for (uint64_t pos = 0; next_info(&section, &pos, &info);) {
        if (info.nwords < 2 || info.words[0] != symbol)
            continue;
        if (info.attribute == INFO_REGISTERS)
            out->registers = info.words[1];
        bool is_stack = info.attribute == INFO_FRAME_SIZE || info.attribute == INFO_MIN_STACK_SIZE;
        if (is_stack && info.words[1] > out->local_bytes && info.words[1] != UINT32_MAX)
            out->local_bytes = info.words[1];
    }
}

static void read_kernel_info(const struct elf *elf, const char *kernel, struct cubin_kernel *out)
{
    struct elf_section section;
    struct info info;
    if (!elf_find_section(elf, ".nv.info.", kernel, &section))
        return;
    for (uint64_t pos = 0; next_info(&section, &pos, &info);) {
        bool is_limit = info.attribute == INFO_MAX_THREADS || info.attribute == INFO_REQUIRED_THREADS;
        if (!is_limit || info.nwords < 3)
            continue;
        uint64_t threads = (uint64_t)info.words[0] * info.words[1];
        threads = threads > UINT32_MAX ? UINT32_MAX : threads * info.words[2];
        out->max_threads = threads > UINT32_MAX ? UINT32_MAX : (uint32_t)threads;
    }
}

bool cubin_find(const void *cubin, size_t size, const char *kernel, struct cubin_kernel *out)
{
    struct elf elf;
    struct elf_section text;
    *out = (struct cubin_kernel){0};
    if (!elf_open(&elf, cubin, size) || !elf_find_section(&elf, ".text.", kernel, &text))
        return false;
    out->registers = text.info >> 24;
    read_module_info(&elf, text.info & SYMBOL_MASK, out);
    read_kernel_info(&elf, kernel, out);
    return true;
}

bool cubin_code(const void *cubin, size_t size, const char *kernel, uint32_t array_bytes,
                struct sass_level levels[SASS_LEVELS])
{
    struct elf elf;
    struct elf_section text;
    bool is_found = elf_open(&elf, cubin, size) && elf_find_section(&elf, ".text.", kernel, &text);
    if (is_found && text.content)
        return sass_count(text.content, text.size, array_bytes, levels);
    memset(levels, 0, SASS_LEVELS * sizeof *levels);
    return false;
}
