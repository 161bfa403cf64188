/* elf.h - reads ELF files (64 bits, little-endian) that lie in memory: objects, programs, cubins.
 * The bytes may be anybody's: every offset and size is checked against the file before it is followed, and nothing needs to
 * be aligned. Constants (SHT_*, STT_*, ...) are those of <elf.h>. */
#ifndef BASE_ELF_H
#define BASE_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_section {
    const char *name; /* "" if it has none */
    uint32_t type, link, info;
    uint64_t flags, size;
    const uint8_t *content; /* size bytes; NULL: it has none in the file (SHT_NOBITS) */
};

struct elf {
    uint16_t type; /* ET_REL, ET_EXEC, ... */
    uint32_t nsections;
    bool has_symbols;
    uint32_t nsymbols; /* of the symbol table (SHT_SYMTAB) */

    /* private */
    const uint8_t *bytes;
    size_t size;
    uint64_t headers; /* offset of the section headers */
    struct elf_section names, symbols, symbol_names;
};

struct elf_symbol {
    const char *name;
    uint8_t type, binding; /* STT_*, STB_* */
    uint16_t section;      /* an index, or SHN_* */
    uint64_t value, size;
};

struct elf_relocation {
    uint64_t offset;
    uint32_t symbol;
    int64_t addend;
};

/* False: it is no such file, or its tables lie outside of it. */
bool elf_open(struct elf *elf, const void *bytes, size_t size);
/* False: there is no such section, or its bytes lie outside the file. */
bool elf_read_section(const struct elf *elf, uint32_t index, struct elf_section *section);
/* The first good section that is called prefix followed by name. */
bool elf_find_section(const struct elf *elf, const char *prefix, const char *name,
                      struct elf_section *section);
bool elf_read_symbol(const struct elf *elf, uint32_t index, struct elf_symbol *symbol);
/* The relocations (SHT_RELA) of the section with this index. False: it has none. */
bool elf_find_relocations(const struct elf *elf, uint32_t index, struct elf_section *section);
/* The i-th of such a section; false: there are not so many. */
bool elf_read_relocation(const struct elf_section *section, uint64_t i, struct elf_relocation *relocation);

#endif
