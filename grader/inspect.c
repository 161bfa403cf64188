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

/* In the C library itself, whatever other libraries this program was linked with: they are not those of a submission. Where it
 * goes by another name, all are asked. */
static bool is_of_libc(const char *name)
{
    static const char *const files[] = {"libc.so.6", "libm.so.6"};
    bool is_there = false, is_known = false;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        void *library = dlopen(files[i], RTLD_LAZY | RTLD_NOLOAD);
        is_known = is_known || library;
        is_there = is_there || (library && dlsym(library, name));
        if (library)
            dlclose(library);
    }
    return is_known ? is_there : dlsym(RTLD_DEFAULT, name) != NULL;
}

static const char *owner_of(const char *name)
{
    if (strcmp(name, "main") == 0 || strcmp(name, "lab") == 0)
        return "the lab's harness";
    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        if (begins(name, owners[i].prefix))
            return owners[i].owner;
    }
    return is_of_libc(name) ? "the C library" : NULL;
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

static bool refuse_symbol(const char *name, bool is_function, const char *owner, struct inspection *out)
{
    snprintf(out->problem, sizeof out->problem,
             "Your file defines the %s `%.80s`, a name that belongs to %s. Give it another name and make it "
             "static.",
             is_function ? "function" : "variable", name, owner);
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
    const char *owner = entry >= 0 || is_harmless(name) ? NULL : owner_of(name);
    return !owner || refuse_symbol(name, symbol->type == STT_FUNC, owner, out);
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

/* ------------------------------------------------------------------------------------------- sections */

/* Sections that a CUDA file does not need. Constructors of global objects are in .init_array: they run in the sandbox, before
 * anything is recorded, and can do no more than an entry point. */
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

static bool check_section(const struct elf_section *section, struct inspection *out)
{
    if (section->size == 0 || begins(section->name, ".rela") || begins(section->name, ".init_array"))
        return true;
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
        if (!check_section(&section, out))
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
