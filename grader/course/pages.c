/* pages.c - names of students and of their pages, and the file around the JSON: see pages.h. */
#define _GNU_SOURCE
#include "grader/course/pages.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "page/page.h"

extern const char class_js[], class_css[]; /* made by embed.sh of the files in pages/ */

/* ------------------------------------------------------------------------------------------- names */

static const char *const birds[64] = {
    "Avocet", "Bittern",   "Brambling", "Bunting",    "Bustard",   "Buzzard", "Chough",     "Condor",
    "Coot",   "Cormorant", "Crane",     "Crossbill",  "Curlew",    "Dipper",  "Dotterel",   "Dove",
    "Dunlin", "Egret",     "Eider",     "Falcon",     "Fieldfare", "Finch",   "Flycatcher", "Gannet",
    "Godwit", "Goshawk",   "Grebe",     "Grouse",     "Harrier",   "Heron",   "Hobby",      "Hoopoe",
    "Ibis",   "Jackdaw",   "Kestrel",   "Kingfisher", "Kite",      "Lapwing", "Linnet",     "Magpie",
    "Martin", "Merlin",    "Nightjar",  "Nuthatch",   "Oriole",    "Osprey",  "Ouzel",      "Partridge",
    "Pipit",  "Plover",    "Puffin",    "Quail",      "Raven",     "Robin",   "Sandpiper",  "Skylark",
    "Snipe",  "Starling",  "Swift",     "Tern",       "Thrush",    "Wagtail", "Warbler",    "Wren"};

void pages_pseudonym(const char *salt, const char *id, char out[PAGES_NAME])
{
    struct sha256 sha;
    uint8_t digest[SHA256_BYTES];
    sha256_begin(&sha);
    sha256_add(&sha, salt, strlen(salt) + 1);
    sha256_add(&sha, id, strlen(id));
    sha256_end(&sha, digest);
    snprintf(out, PAGES_NAME, "%s-%02x%02x%x", birds[digest[0] % 64], digest[1], digest[2], digest[3] >> 4);
}

/* Small letters alone: some file systems take no notice of case. */
static bool is_plain(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* Names that some systems keep for devices, whatever follows behind a dot. */
static bool is_device(const char *id)
{
    static const char *const devices[] = {"con", "prn", "aux", "nul"};
    bool is_one =
        (strncmp(id, "com", 3) == 0 || strncmp(id, "lpt", 3) == 0) && isdigit((unsigned char)id[3]) && !id[4];
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        is_one = is_one || strcmp(id, devices[i]) == 0;
    return is_one;
}

/* An id that is a file's name already stays as it is. All others get a part of their digest behind a dot, which no plain id has. */
void pages_file_name(const char *id, char out[PAGES_NAME])
{
    enum { SHOWN = 50 };
    uint8_t digest[SHA256_BYTES];
    size_t length = 0;
    bool is_same = *id && *id != '-';
    for (; id[length] && length < SHOWN; length++) {
        const char c = (char)tolower((unsigned char)id[length]);
        out[length] = is_plain(c) ? c : '-';
        is_same = is_same && out[length] == id[length];
    }
    out[length] = '\0';
    is_same = is_same && !id[length] && !is_device(id);
    if (*out == '-' || is_device(out)) /* which programs would take for an option */
        *out = '_';
    sha256_of(id, strlen(id), digest);
    if (is_same)
        snprintf(out + length, PAGES_NAME - length, ".html");
    else
        snprintf(out + length, PAGES_NAME - length, ".%02x%02x%02x%02x%02x%02x.html", digest[0], digest[1],
                 digest[2], digest[3], digest[4], digest[5]);
}

/* ------------------------------------------------------------------------------------------- the file */

bool pages_save(const char *path, const char *title, const char *json, const char *plain)
{
    const struct page page = {
        .title = title, .json = json, .plain = plain, .scripts = class_js, .styles = class_css};
    errno = json ? 0 : ENOMEM;
    return page_save(path, &page);
}

static void put_line(const struct pages *pages, const struct course_member *member, FILE *file)
{
    char name[PAGES_NAME];
    pages_pseudonym(pages->salt, member->id, name);
    fprintf(file, "%s  ", pages->is_anonymous ? name : member->name);
    if (member->has_grade)
        fprintf(file, "%g/%ld, bonus %g", member->points, pages->course->most, member->bonus);
    fprintf(file, "  %s%s\n", course_status(member), member->is_late ? ", late" : "");
}

char *pages_plain(const struct pages *pages)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    for (size_t i = 0; i < pages->course->nmembers; i++)
        put_line(pages, &pages->course->members[i], file);
    fclose(file);
    return text;
}
