/* pages.c - names of students and of their pages, and the file around the JSON: see pages.h. */
#define _GNU_SOURCE
#include "grader/course/pages.h"

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

/* `what` it is for: who knows a pseudonym knows nothing of the page's name. */
static void digest_of(const char *what, const char *salt, const char *id, uint8_t digest[SHA256_BYTES])
{
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, what, strlen(what));
    sha256_add(&sha, salt, strlen(salt) + 1);
    sha256_add(&sha, id, strlen(id));
    sha256_end(&sha, digest);
}

void pages_pseudonym(const char *salt, const char *id, char out[PAGES_NAME])
{
    uint8_t digest[SHA256_BYTES];
    digest_of("", salt, id, digest);
    snprintf(out, PAGES_NAME, "%s-%02x%02x%x", birds[digest[0] % 64], digest[1], digest[2], digest[3] >> 4);
}

void pages_file_name(const char *salt, const char *id, char out[PAGES_NAME])
{
    enum { SHOWN = 10 }; /* bytes: nobody tries 2^80 names */
    uint8_t digest[SHA256_BYTES];
    digest_of("page", salt, id, digest);
    for (int i = 0; i < SHOWN; i++)
        snprintf(out + 2 * i, 3, "%02x", digest[i]);
    snprintf(out + 2 * SHOWN, PAGES_NAME - 2 * SHOWN, ".html");
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
