/* cubin.c - what ptxas decided for a kernel: registers, static shared memory, stack, largest block.
 * A cubin is an ELF64 file; every offset in it is checked against the file's size before use.
 * Machine code is handed to the reader in sass.c. */
#include "ptx/fatbin.h"

#include <string.h>

enum {
    ELF_HEADER = 64,
    SECTION_HEADER = 64,
    SYMBOL_MASK =
        0xffffff, /* .text.KERNEL: sh_info holds the symbol's index and, before sm_90, the registers */
    RESERVED_SHARED = 1024, /* from sm_90 on .nv.shared.KERNEL begins with what the system keeps for itself */
    FORMAT_SIZED = 4,       /* .nv.info: records with a payload; others have 16 bits of value instead */
    INFO_MAX_THREADS = 0x05, /* x, y, z of __launch_bounds__ */
    INFO_REQUIRED_THREADS = 0x10,
    INFO_FRAME_SIZE = 0x11,     /* symbol, bytes */
    INFO_MIN_STACK_SIZE = 0x12, /* symbol, bytes, with what the kernel calls */
    INFO_REGISTERS = 0x2f,      /* symbol, registers */
};

struct elf {
    const uint8_t *data;
    size_t size;
    uint64_t sections; /* offset of the section headers */
    uint32_t count;
    uint64_t names, names_size; /* the section name table */
};

struct section {
    const char *name; /* bounded by the name table, which ends in NUL */
    uint32_t info;
    uint64_t offset, size;
    bool is_empty; /* no bytes in the file: only size counts */
};

static uint64_t read_bytes(const uint8_t *data, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, data, size);
    return value;
}

static bool holds(const struct elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset;
}

static bool open_elf(struct elf *elf, const void *data, size_t size)
{
    static const uint8_t magic[] = {0x7f, 'E', 'L', 'F', 2, 1};
    *elf = (struct elf){.data = data, .size = size};
    if (!data || size < ELF_HEADER || memcmp(data, magic, sizeof magic))
        return false;
    elf->sections = read_bytes(elf->data + 40, 8);
    uint64_t entry_size = read_bytes(elf->data + 58, 2);
    elf->count = (uint32_t)read_bytes(elf->data + 60, 2);
    uint32_t names = (uint32_t)read_bytes(elf->data + 62, 2);
    if (entry_size != SECTION_HEADER || names >= elf->count ||
        !holds(elf, elf->sections, (uint64_t)elf->count * SECTION_HEADER))
        return false;
    const uint8_t *header = elf->data + elf->sections + (uint64_t)names * SECTION_HEADER;
    elf->names = read_bytes(header + 24, 8);
    elf->names_size = read_bytes(header + 32, 8);
    return elf->names_size && holds(elf, elf->names, elf->names_size) &&
           !elf->data[elf->names + elf->names_size - 1];
}

static bool read_section(const struct elf *elf, uint32_t index, struct section *section)
{
    enum { TYPE_NOBITS = 8 };
    const uint8_t *header = elf->data + elf->sections + (uint64_t)index * SECTION_HEADER;
    uint64_t name = read_bytes(header, 4);
    section->is_empty = read_bytes(header + 4, 4) == TYPE_NOBITS;
    section->offset = read_bytes(header + 24, 8);
    section->size = read_bytes(header + 32, 8);
    section->info = (uint32_t)read_bytes(header + 44, 4);
    if (name >= elf->names_size)
        return false;
    section->name = (const char *)elf->data + elf->names + name;
    return section->is_empty || holds(elf, section->offset, section->size);
}

/* The section called prefix + kernel. */
static bool find_section(const struct elf *elf, const char *prefix, const char *kernel,
                         struct section *section)
{
    size_t length = strlen(prefix);
    for (uint32_t i = 0; i < elf->count; i++)
        if (read_section(elf, i, section) && !strncmp(section->name, prefix, length) &&
            !strcmp(section->name + length, kernel))
            return true;
    return false;
}

struct info {
    uint8_t attribute;
    uint32_t words[3];
    size_t nwords;
};

/* The record at *pos of a section of .nv.info; false at its end or where it is damaged. */
static bool next_info(const struct elf *elf, const struct section *section, uint64_t *pos, struct info *info)
{
    if (section->is_empty || section->size - *pos < 4)
        return false;
    const uint8_t *record = elf->data + section->offset + *pos;
    uint64_t payload = record[0] == FORMAT_SIZED ? read_bytes(record + 2, 2) : 0;
    *pos += 4;
    if (payload > section->size - *pos)
        return false;
    info->attribute = record[0] == FORMAT_SIZED ? record[1] : 0;
    info->nwords = payload / 4 < 3 ? payload / 4 : 3;
    for (size_t i = 0; i < info->nwords; i++)
        info->words[i] = (uint32_t)read_bytes(record + 4 + 4 * i, 4);
    *pos += payload;
    return true;
}

/* .nv.info speaks of every function: the kernel's records carry its symbol. */
static void read_module_info(const struct elf *elf, uint32_t symbol, struct cubin_kernel *out)
{
    struct section section;
    struct info info;
    if (!find_section(elf, ".nv.info", "", &section))
        return;
    for (uint64_t pos = 0; next_info(elf, &section, &pos, &info);) {
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
    struct section section;
    struct info info;
    if (!find_section(elf, ".nv.info.", kernel, &section))
        return;
    for (uint64_t pos = 0; next_info(elf, &section, &pos, &info);) {
        bool is_limit = info.attribute == INFO_MAX_THREADS || info.attribute == INFO_REQUIRED_THREADS;
        if (!is_limit || info.nwords < 3)
            continue;
        uint64_t threads = (uint64_t)info.words[0] * info.words[1];
        threads = threads > UINT32_MAX ? UINT32_MAX : threads * info.words[2];
        out->max_threads = threads > UINT32_MAX ? UINT32_MAX : (uint32_t)threads;
    }
}

static uint32_t shared_bytes(const struct elf *elf, const char *kernel)
{
    struct section section, reserved;
    if (!find_section(elf, ".nv.shared.", kernel, &section) || section.size > UINT32_MAX)
        return 0;
    uint32_t size = (uint32_t)section.size;
    if (find_section(elf, ".nv.shared.reserved.", "0", &reserved) && size >= RESERVED_SHARED)
        size -= RESERVED_SHARED;
    return size;
}

bool cubin_find(const void *cubin, size_t size, const char *kernel, struct cubin_kernel *out)
{
    struct elf elf;
    struct section text;
    *out = (struct cubin_kernel){0};
    if (!open_elf(&elf, cubin, size) || !find_section(&elf, ".text.", kernel, &text))
        return false;
    size_t length = strlen(kernel) < sizeof out->name ? strlen(kernel) : sizeof out->name - 1;
    memcpy(out->name, kernel, length);
    out->registers = text.info >> 24;
    read_module_info(&elf, text.info & SYMBOL_MASK, out);
    read_kernel_info(&elf, kernel, out);
    out->shared_bytes = shared_bytes(&elf, kernel);
    return true;
}

bool cubin_code(const void *cubin, size_t size, const char *kernel, uint32_t array_bytes,
                struct sass_level levels[SASS_LEVELS])
{
    struct elf elf;
    struct section text;
    bool is_found = open_elf(&elf, cubin, size) && find_section(&elf, ".text.", kernel, &text);
    if (is_found && !text.is_empty)
        return sass_count(elf.data + text.offset, text.size, array_bytes, levels);
    memset(levels, 0, SASS_LEVELS * sizeof *levels);
    return false;
}
