/* elf.c - reads ELF files that lie in memory: see elf.h.
 * Headers are copied out of the file, never pointed at, so that alignment does not matter. */
#include "base/elf.h"

#include <elf.h>
#include <string.h>

static bool is_inside(const struct elf *elf, uint64_t offset, uint64_t size)
{
    return offset <= elf->size && size <= elf->size - offset;
}

/* A text of a string table; "" if it does not begin or end there. */
static const char *text_at(const struct elf_section *table, uint64_t at)
{
    if (!table->content || at >= table->size || !memchr(table->content + at, 0, table->size - at))
        return "";
    return (const char *)table->content + at;
}

bool elf_read_section(const struct elf *elf, uint32_t index, struct elf_section *section)
{
    Elf64_Shdr header;
    if (index >= elf->nsections)
        return false;
    memcpy(&header, elf->bytes + elf->headers + (uint64_t)index * sizeof header, sizeof header);
    const bool has_bytes = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
    if (has_bytes && !is_inside(elf, header.sh_offset, header.sh_size))
        return false;
    *section = (struct elf_section){.name = text_at(&elf->names, header.sh_name),
                                    .type = header.sh_type,
                                    .link = header.sh_link,
                                    .info = header.sh_info,
                                    .flags = header.sh_flags,
                                    .size = header.sh_size,
                                    .content = has_bytes ? elf->bytes + header.sh_offset : NULL};
    return true;
}

static void find_symbols(struct elf *elf)
{
    for (uint32_t i = 0; i < elf->nsections && !elf->has_symbols; i++) {
        elf->has_symbols = elf_read_section(elf, i, &elf->symbols) && elf->symbols.type == SHT_SYMTAB;
        if (!elf->has_symbols)
            continue;
        const uint64_t count = elf->symbols.size / sizeof(Elf64_Sym);
        elf->nsymbols = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
        if (!elf_read_section(elf, elf->symbols.link, &elf->symbol_names))
            elf->symbol_names = (struct elf_section){0};
    }
}

bool elf_open(struct elf *elf, const void *bytes, size_t size)
{
    Elf64_Ehdr header;
    *elf = (struct elf){.bytes = bytes, .size = size};
    if (!bytes || size < sizeof header)
        return false;
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_shentsize != sizeof(Elf64_Shdr) ||
        header.e_shstrndx >= header.e_shnum ||
        !is_inside(elf, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr)))
        return false;
    elf->type = header.e_type;
    elf->headers = header.e_shoff;
    elf->nsections = header.e_shnum;
    if (!elf_read_section(elf, header.e_shstrndx, &elf->names))
        return false;
    find_symbols(elf);
    return true;
}

bool elf_find_section(const struct elf *elf, const char *prefix, const char *name,
                      struct elf_section *section)
{
    const size_t length = strlen(prefix);
    for (uint32_t i = 0; i < elf->nsections; i++)
        if (elf_read_section(elf, i, section) && !strncmp(section->name, prefix, length) &&
            !strcmp(section->name + length, name))
            return true;
    return false;
}

bool elf_read_symbol(const struct elf *elf, uint32_t index, struct elf_symbol *symbol)
{
    Elf64_Sym entry;
    if (index >= elf->nsymbols)
        return false;
    memcpy(&entry, elf->symbols.content + (uint64_t)index * sizeof entry, sizeof entry);
    *symbol = (struct elf_symbol){.name = text_at(&elf->symbol_names, entry.st_name),
                                  .type = ELF64_ST_TYPE(entry.st_info),
                                  .binding = ELF64_ST_BIND(entry.st_info),
                                  .section = entry.st_shndx,
                                  .value = entry.st_value,
                                  .size = entry.st_size};
    return true;
}

bool elf_find_relocations(const struct elf *elf, uint32_t index, struct elf_section *section)
{
    for (uint32_t i = 0; i < elf->nsections; i++)
        if (elf_read_section(elf, i, section) && section->type == SHT_RELA && section->info == index)
            return true;
    return false;
}

bool elf_read_relocation(const struct elf_section *section, uint64_t i, struct elf_relocation *relocation)
{
    Elf64_Rela entry;
    if (i >= section->size / sizeof entry)
        return false;
    memcpy(&entry, section->content + i * sizeof entry, sizeof entry);
    *relocation = (struct elf_relocation){
        .offset = entry.r_offset, .symbol = (uint32_t)ELF64_R_SYM(entry.r_info), .addend = entry.r_addend};
    return true;
}
