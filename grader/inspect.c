/* inspect.c - the rules for what the object of a submission may define.
 * The file is read through base/elf.h, which trusts no offset: the compiler is ours, what it was fed is not.
 * The rules serve clear messages; safety does not rest on them but on the sandbox and on the judge's independence. */
#define _GNU_SOURCE
#include "grader/inspect.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "base/elf.h"

static bool refuse_file(struct inspection *out)
{
    snprintf(out->problem, sizeof out->problem, "The compiler's output is not an object file.");
    return false;
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

static bool check_symbol(const struct elf_symbol *symbol, const char *const *entries, int nentries,
                         struct inspection *out)
{
    const char *name = symbol->name;
    if (symbol->type == STT_GNU_IFUNC) {
        snprintf(out->problem, sizeof out->problem,
                 "`%.80s` is chosen by a function that runs before the program (ifunc). Write an ordinary "
                 "function.",
                 name);
        return false;
    }
    if (symbol->binding == STB_LOCAL || symbol->section == SHN_UNDEF)
        return true;
    int entry = find_entry(name, entries, nentries);
    if (entry >= 0)
        out->defined |= (uint64_t)1 << entry;
    return entry >= 0 || is_harmless(name) || refuse_symbol(name, symbol->type == STT_FUNC, out);
}

static bool check_symbols(const struct elf *object, const char *const *entries, int nentries,
                          struct inspection *out)
{
    struct elf_symbol symbol;
    for (uint32_t i = 1; elf_read_symbol(object, i, &symbol); i++) {
        if (!check_symbol(&symbol, entries, nentries, out))
            return false;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------- code that runs early */

/* The function that a slot of .init_array points to: named there, or found by its place in its section. */
static bool find_function(const struct elf *object, const struct elf_relocation *slot,
                          struct elf_symbol *function)
{
    struct elf_symbol target;
    if (!elf_read_symbol(object, slot->symbol, &target))
        return false;
    *function = target;
    if (target.type == STT_FUNC)
        return true;
    for (uint32_t i = 1; elf_read_symbol(object, i, function); i++) {
        if (function->type == STT_FUNC && function->section == target.section &&
            function->value == target.value + (uint64_t)slot->addend)
            return true;
    }
    return false;
}

static bool is_local_data(const struct elf *object, const struct elf_symbol *symbol)
{
    struct elf_section section;
    return symbol->type == STT_SECTION && elf_read_section(object, symbol->section, &section) &&
           !(section.flags & SHF_EXECINSTR);
}

/* Older C++ libraries start their streams from every file that includes <iostream>. */
static bool only_starts_streams(const struct elf *object, const struct elf_symbol *function)
{
    static const char start[] = "_ZNSt8ios_base4InitC1Ev";
    static const char *const harmless[] = {start, "_ZNSt8ios_base4InitD1Ev", "__cxa_atexit", "__dso_handle",
                                           "_ZStL8__ioinit"};
    struct elf_section all;
    struct elf_relocation one;
    bool does_start = false, has_any = elf_find_relocations(object, function->section, &all);
    for (uint64_t i = 0; has_any && elf_read_relocation(&all, i, &one); i++) {
        struct elf_symbol symbol;
        if (!elf_read_symbol(object, one.symbol, &symbol) || one.offset - function->value >= function->size)
            continue;
        if (!is_local_data(object, &symbol) &&
            find_entry(symbol.name, harmless, sizeof harmless / sizeof *harmless) < 0)
            return false;
        does_start = does_start || strcmp(symbol.name, start) == 0;
    }
    return does_start;
}

static bool check_constructor(const struct elf *object, const struct elf_relocation *slot,
                              struct inspection *out)
{
    struct elf_symbol function;
    const bool is_known = find_function(object, slot, &function);
    const char *name = is_known ? function.name : "?";
    if (strcmp(name, "_ZL24__sti____cudaRegisterAllv") == 0 ||
        (is_known && only_starts_streams(object, &function)))
        return true;
    snprintf(out->problem, sizeof out->problem,
             "`%.80s` would run before the program begins. Global objects that need a constructor and "
             "functions "
             "marked as constructors are not allowed: create such things inside the entry points.",
             name);
    return false;
}

static bool check_constructors(const struct elf *object, uint32_t index, const struct elf_section *section,
                               struct inspection *out)
{
    enum { POINTER_BYTES = 8 };
    struct elf_section all;
    struct elf_relocation one;
    const bool has_any = elf_find_relocations(object, index, &all);
    uint64_t count = 0;
    while (has_any && elf_read_relocation(&all, count, &one))
        count++;
    if (count * POINTER_BYTES != section->size) {
        snprintf(out->problem, sizeof out->problem,
                 "Your file adds entries to .init_array by hand. Remove them.");
        return false;
    }
    for (uint64_t i = 0; i < count && elf_read_relocation(&all, i, &one); i++) {
        if (!check_constructor(object, &one, out))
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

static bool check_section(const struct elf *object, uint32_t index, const struct elf_section *section,
                          struct inspection *out)
{
    if (section->size == 0 || begins(section->name, ".rela"))
        return true;
    if (section->type == SHT_INIT_ARRAY || begins(section->name, ".init_array"))
        return check_constructors(object, index, section, out);
    for (size_t i = 0; i < sizeof unwanted / sizeof *unwanted; i++) {
        if (!begins(section->name, unwanted[i].prefix))
            continue;
        snprintf(
            out->problem, sizeof out->problem,
            "Your file contains %s (section `%.40s`). Remove it: the entry points are all that is called.",
            unwanted[i].problem, section->name);
        return false;
    }
    if (strcmp(section->name, ".nv_fatbin") == 0) {
        out->fatbin = section->content;
        out->fatbin_bytes = section->content ? section->size : 0;
    }
    return true;
}

static bool check_sections(const struct elf *object, struct inspection *out)
{
    struct elf_section section;
    for (uint32_t i = 1; i < object->nsections; i++) {
        if (!elf_read_section(object, i, &section))
            return refuse_file(out);
        if (!check_section(object, i, &section, out))
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
    struct elf object;
    *out = (struct inspection){.problem = ""};
    if (!elf_open(&object, bytes, size) || object.type != ET_REL || !object.has_symbols)
        return refuse_file(out);
    if (!check_symbols(&object, entries, nentries, out) || !check_sections(&object, out))
        return false;
    if (!out->defined)
        say_no_entry(entries, nentries, out);
    else if (!out->fatbin)
        snprintf(out->problem, sizeof out->problem, "Your file contains no kernel at all.");
    return !*out->problem;
}
