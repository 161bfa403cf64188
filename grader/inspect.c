/* inspect.c - a small reader of relocatable ELF files, and the rules for what a submission may define.
 * Every offset is checked against the file before it is followed: the compiler is ours, what it was fed is not.
 * The rules serve clear messages; safety does not rest on them but on the sandbox and on the judge's independence. */
#define _GNU_SOURCE
#include "grader/inspect.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

struct object {
    const uint8_t *bytes;
    size_t size;
    const Elf64_Shdr *sections;
    size_t nsections;
    const Elf64_Shdr *names; /* section that holds the sections' names */
    const Elf64_Sym *symbols;
    size_t nsymbols;
    const Elf64_Shdr *symbol_names;
};

/* ------------------------------------------------------------------------------------------- reading */

static const void *slice(const struct object *object, uint64_t offset, uint64_t bytes)
{
    if (offset > object->size || bytes > object->size - offset || offset % 4)
        return NULL;
    return object->bytes + offset;
}

static const void *content(const struct object *object, const Elf64_Shdr *section)
{
    return section->sh_type == SHT_NOBITS ? NULL : slice(object, section->sh_offset, section->sh_size);
}

/* A string of a string table; "" if it leaves the table. */
static const char *string(const struct object *object, const Elf64_Shdr *table, uint64_t at)
{
    if (!table || table->sh_offset > object->size || table->sh_size > object->size - table->sh_offset ||
        at >= table->sh_size)
        return "";
    const char *text = (const char *)object->bytes + table->sh_offset + at;
    return memchr(text, '\0', table->sh_size - at) ? text : "";
}

static const char *section_name(const struct object *object, const Elf64_Shdr *section)
{
    return string(object, object->names, section->sh_name);
}

static const char *symbol_name(const struct object *object, const Elf64_Sym *symbol)
{
    return string(object, object->symbol_names, symbol->st_name);
}

static bool read_symbols(struct object *object)
{
    for (size_t i = 0; i < object->nsections; i++) {
        const Elf64_Shdr *section = &object->sections[i];
        if (section->sh_type != SHT_SYMTAB)
            continue;
        object->symbols = content(object, section);
        object->nsymbols = section->sh_size / sizeof *object->symbols;
        if (section->sh_link < object->nsections)
            object->symbol_names = &object->sections[section->sh_link];
        return object->symbols != NULL;
    }
    return false;
}

static bool open_object(struct object *object, const uint8_t *bytes, size_t size)
{
    *object = (struct object){.bytes = bytes, .size = size};
    const Elf64_Ehdr *head = slice(object, 0, sizeof *head);
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
        head->e_ident[EI_DATA] != ELFDATA2LSB || head->e_type != ET_REL ||
        head->e_shentsize != sizeof(Elf64_Shdr))
        return false;
    object->nsections = head->e_shnum;
    object->sections = slice(object, head->e_shoff, head->e_shnum * sizeof(Elf64_Shdr));
    if (!object->sections || head->e_shstrndx >= object->nsections)
        return false;
    object->names = &object->sections[head->e_shstrndx];
    return read_symbols(object);
}

/* ------------------------------------------------------------------------------------------- symbols */

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Names that belong to somebody else, and whose they are. What the C library itself defines is asked of it. */
static const struct {
    const char *prefix, *owner;
} owners[] = {
    {"__cuda", "the CUDA runtime"},         {"cuda", "the CUDA runtime"},
    {"__nv", "the CUDA runtime"},           {"vgpu_", "the virtual GPU"},
    {"lab_", "the lab's harness"},          {"trace_", "the grader's recorder"},
    {"recorder_", "the grader's recorder"}, {"_start", "the start of every program"},
};

static const char *owner_of(const char *name)
{
    if (strcmp(name, "main") == 0 || strcmp(name, "lab") == 0)
        return "the lab's harness";
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        if (begins(name, owners[i].prefix))
            return owners[i].owner;
    }
    return dlsym(RTLD_DEFAULT, name) ? "the C library" : NULL;
}

static int find_entry(const char *name, const char *const *entries, int nentries)
{
    for (int i = 0; i < nentries; i++) {
        if (strcmp(entries[i], name) == 0)
            return i;
    }
    return -1;
}

/* C++ names carry their parameters and cannot meet a name of the kit, which is C: kernels, their stubs, device
 * functions, templates and helpers alike. DW.ref. is the compiler's own, for exceptions. */
static bool is_harmless(const char *name)
{
    return begins(name, "_Z") || begins(name, "DW.ref.") || !*name;
}

static bool refuse_symbol(const char *name, bool is_function, struct inspection *out)
{
    const char *kind = is_function ? "function" : "variable", *owner = owner_of(name);
    if (owner)
        snprintf(out->problem, sizeof out->problem,
                 "Your file defines the %s `%.80s`, a name that belongs to %s. Give it another name and make "
                 "it static.",
                 kind, name, owner);
    else
        snprintf(out->problem, sizeof out->problem,
                 "Your file defines the global %s `%.80s`, which is not an entry point of this lab. Only the "
                 "entry "
                 "points may be seen from outside: make it static.",
                 kind, name);
    return false;
}

static bool check_symbol(const struct object *object, const Elf64_Sym *symbol, const char *const *entries,
                         int nentries, struct inspection *out)
{
    const char *name = symbol_name(object, symbol);
    int type = ELF64_ST_TYPE(symbol->st_info);
    if (type == STT_GNU_IFUNC) {
        snprintf(out->problem, sizeof out->problem,
                 "`%.80s` is chosen by a function that runs before the program (ifunc). Write an ordinary "
                 "function.",
                 name);
        return false;
    }
    if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL || symbol->st_shndx == SHN_UNDEF)
        return true;
    int entry = find_entry(name, entries, nentries);
    if (entry >= 0)
        out->defined |= (uint64_t)1 << entry;
    return entry >= 0 || is_harmless(name) || refuse_symbol(name, type == STT_FUNC, out);
}

static bool check_symbols(const struct object *object, const char *const *entries, int nentries,
                          struct inspection *out)
{
    for (size_t i = 1; i < object->nsymbols; i++) {
        if (!check_symbol(object, &object->symbols[i], entries, nentries, out))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- code that runs early */

struct relocations {
    const Elf64_Rela *list;
    size_t count;
};

static struct relocations relocations_of(const struct object *object, size_t section)
{
    for (size_t i = 0; i < object->nsections; i++) {
        const Elf64_Shdr *rela = &object->sections[i];
        if (rela->sh_type == SHT_RELA && rela->sh_info == section && content(object, rela))
            return (struct relocations){content(object, rela), rela->sh_size / sizeof(Elf64_Rela)};
    }
    return (struct relocations){NULL, 0};
}

static const Elf64_Sym *target(const struct object *object, const Elf64_Rela *relocation)
{
    size_t index = ELF64_R_SYM(relocation->r_info);
    return index < object->nsymbols ? &object->symbols[index] : NULL;
}

/* The function that a slot of .init_array points to: named there, or found by its place in its section. */
static const Elf64_Sym *function_at(const struct object *object, const Elf64_Rela *relocation)
{
    const Elf64_Sym *symbol = target(object, relocation);
    if (!symbol || ELF64_ST_TYPE(symbol->st_info) == STT_FUNC)
        return symbol;
    for (size_t i = 1; i < object->nsymbols; i++) {
        const Elf64_Sym *one = &object->symbols[i];
        if (ELF64_ST_TYPE(one->st_info) == STT_FUNC && one->st_shndx == symbol->st_shndx &&
            one->st_value == symbol->st_value + (uint64_t)relocation->r_addend)
            return one;
    }
    return NULL;
}

static bool is_local_data(const struct object *object, const Elf64_Sym *symbol)
{
    return ELF64_ST_TYPE(symbol->st_info) == STT_SECTION && symbol->st_shndx < object->nsections &&
           !(object->sections[symbol->st_shndx].sh_flags & SHF_EXECINSTR);
}

/* Older C++ libraries start their streams from every file that includes <iostream>. */
static bool only_starts_streams(const struct object *object, const Elf64_Sym *function)
{
    static const char start[] = "_ZNSt8ios_base4InitC1Ev";
    static const char *const harmless[] = {start, "_ZNSt8ios_base4InitD1Ev", "__cxa_atexit", "__dso_handle",
                                           "_ZStL8__ioinit"};
    struct relocations all = relocations_of(object, function->st_shndx);
    bool does_start = false;
    for (size_t i = 0; i < all.count; i++) {
        const Elf64_Sym *symbol = target(object, &all.list[i]);
        if (!symbol || all.list[i].r_offset - function->st_value >= function->st_size)
            continue;
        const char *name = symbol_name(object, symbol);
        if (!is_local_data(object, symbol) &&
            find_entry(name, harmless, sizeof harmless / sizeof *harmless) < 0)
            return false;
        does_start = does_start || strcmp(name, start) == 0;
    }
    return does_start;
}

static bool check_constructors(const struct object *object, size_t section, struct inspection *out)
{
    struct relocations all = relocations_of(object, section);
    if (all.count * 8 != object->sections[section].sh_size) {
        snprintf(out->problem, sizeof out->problem,
                 "Your file adds entries to .init_array by hand. Remove them.");
        return false;
    }
    for (size_t i = 0; i < all.count; i++) {
        const Elf64_Sym *function = function_at(object, &all.list[i]);
        const char *name = function ? symbol_name(object, function) : "?";
        if (strcmp(name, "_ZL24__sti____cudaRegisterAllv") == 0 ||
            (function && only_starts_streams(object, function)))
            continue;
        snprintf(out->problem, sizeof out->problem,
                 "`%.80s` would run before the program begins. Global objects that need a constructor and "
                 "functions "
                 "marked as constructors are not allowed: create such things inside the entry points.",
                 name);
        return false;
    }
    return true;
}

/* Sections that a CUDA file does not need. */
static const struct {
    const char *prefix, *problem;
} unwanted[] = {
    {".preinit_array", "code that runs before the program begins"},
    {".fini_array", "code that runs after the program's end"},
    {".ctors", "code that runs before the program begins"},
    {".dtors", "code that runs after the program's end"},
    {".init", "code that runs before the program begins"},
    {".fini", "code that runs after the program's end"},
    {".gnu.lto_", "code for link-time optimisation"},
    {".deplibs", "libraries to link"},
    {".linker-options", "options for the linker"},
};

static bool check_section(const struct object *object, size_t index, struct inspection *out)
{
    const Elf64_Shdr *section = &object->sections[index];
    const char *name = section_name(object, section);
    if (section->sh_size == 0 || begins(name, ".rela"))
        return true;
    if (section->sh_type == SHT_INIT_ARRAY || begins(name, ".init_array"))
        return check_constructors(object, index, out);
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
        if (!begins(name, unwanted[i].prefix))
            continue;
        snprintf(
            out->problem, sizeof out->problem,
            "Your file contains %s (section `%.40s`). Remove it: the entry points are all that is called.",
            unwanted[i].problem, name);
        return false;
    }
    if (strcmp(name, ".nv_fatbin") == 0) {
        out->fatbin = content(object, section);
        out->fatbin_bytes = out->fatbin ? section->sh_size : 0;
    }
    return true;
}

static bool check_sections(const struct object *object, struct inspection *out)
{
    for (size_t i = 1; i < object->nsections; i++) {
        if (!check_section(object, i, out))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- the whole */

static void say_no_entry(const char *const *entries, int nentries, struct inspection *out)
{
    size_t used =
        (size_t)snprintf(out->problem, sizeof out->problem, "Your file defines none of the entry points:");
    for (int i = 0; i < nentries && used < sizeof out->problem - 80; i++)
        used += (size_t)snprintf(out->problem + used, sizeof out->problem - used, "%s %.60s", i ? "," : "",
                                 entries[i]);
    snprintf(out->problem + used, sizeof out->problem - used,
             ". Does it include the lab's header, and do names and parameters agree with it?");
}

bool inspect_object(const uint8_t *bytes, size_t size, const char *const *entries, int nentries,
                    struct inspection *out)
{
    struct object object;
    *out = (struct inspection){.problem = ""};
    if (!open_object(&object, bytes, size)) {
        snprintf(out->problem, sizeof out->problem, "The compiler's output is not an object file.");
        return false;
    }
    if (!check_symbols(&object, entries, nentries, out) || !check_sections(&object, out))
        return false;
    if (!out->defined)
        say_no_entry(entries, nentries, out);
    else if (!out->fatbin)
        snprintf(out->problem, sizeof out->problem, "Your file contains no kernel at all.");
    return !*out->problem;
}
