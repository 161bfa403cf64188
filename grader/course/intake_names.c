/* intake_names.c - what names say: of students and platforms, and of files that may be the lab's.
 * Knows no file system: a name is text. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "grader/course/intake_parts.h"

/* Whatever the locale says. */
static bool is_alnum(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return length > tail && strcasecmp(name + length - tail, end) == 0;
}

/* ------------------------------------------------------------------------------------------- files */

const char *intake_archive_end(const char *name)
{
    static const char *const ends[] = {".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tgz", ".tbz2",
                                       ".tbz",    ".txz",     ".tzst",   ".zip",     ".tar", ".gz",
                                       ".bz2",    ".xz",      ".zst",    ".7z",      ".rar"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        if (ends_in(name, ends[i]))
            return name + strlen(name) - strlen(ends[i]);
    }
    return NULL;
}

/* The lab's name as a word of its own within text: lab3 is in "my lab3-2", not in lab31. NULL: it is not. */
static const char *find_word(const char *text, const char *word, size_t length)
{
    for (const char *at = text; length && *at; at++) {
        if (strncasecmp(at, word, length) == 0 && (at == text || !is_alnum(at[-1])) && !is_alnum(at[length]))
            return at;
    }
    return NULL;
}

static size_t stem_length(const char *lab_file)
{
    const char *dot = strrchr(lab_file, '.');
    return dot ? (size_t)(dot - lab_file) : strlen(lab_file);
}

/* "lab4.cu" where lab3's is wanted: whoever named it so meant another lab. */
static bool is_other_lab(const char *name, const char *lab_file)
{
    size_t letters = 0;
    while (lab_file[letters] && !is_digit(lab_file[letters]))
        letters++;
    const char *digits = name + letters;
    return strncasecmp(name, lab_file, letters) == 0 && is_digit(*digits) &&
           strcasecmp(digits + strspn(digits, "0123456789"), ".cu") == 0 && strcasecmp(name, lab_file) != 0;
}

enum intake_fit intake_fit(const char *name, const char *lab_file)
{
    if (strcmp(name, lab_file) == 0)
        return INTAKE_EXACT;
    if (intake_archive_end(name))
        return INTAKE_ARCHIVE;
    if ((!ends_in(name, ".cu") && !ends_in(name, ".cu.txt")) || is_other_lab(name, lab_file))
        return INTAKE_OTHER;
    const char *word = find_word(name, lab_file, stem_length(lab_file));
    return !word ? INTAKE_CUDA : word == name ? INTAKE_VARIANT : INTAKE_MENTIONS;
}

bool intake_is_skipped(const char *name, size_t length)
{
    static const char *const skipped[] = {"__MACOSX", "build"};
    if (length && *name == '.' && !(length == 1 || (length == 2 && name[1] == '.')))
        return true;
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; i++) {
        if (length == strlen(skipped[i]) && strncasecmp(name, skipped[i], length) == 0)
            return true;
    }
    return false;
}

bool intake_is_litter(const char *name)
{
    static const char *const litter[] = {"submission_metadata.yml",
                                         "index.html",
                                         ".DS_Store",
                                         "Thumbs.db",
                                         "desktop.ini",
                                         "__MACOSX",
                                         ".git",
                                         ".gitignore",
                                         ".gitattributes",
                                         ".Spotlight-V100"};
    for (size_t i = 0; i < sizeof litter / sizeof *litter; i++) {
        if (strcasecmp(name, litter[i]) == 0)
            return true;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------- names of platforms */

/* Finds "_" and digits and "_"; *digits is where they begin. NULL: none. */
static const char *find_number(const char *text, size_t *digits)
{
    for (const char *at = strchr(text, '_'); at; at = strchr(at + 1, '_')) {
        *digits = strspn(at + 1, "0123456789");
        if (*digits && at[1 + *digits] == '_')
            return at + 1;
    }
    return NULL;
}

/* The name before a number, without the mark of those who were late. */
static char *cut_late(const char *name, size_t length, bool *is_late)
{
    static const char mark[] = "_LATE";
    const size_t tail = sizeof mark - 1;
    *is_late = length > tail && strncmp(name + length - tail, mark, tail) == 0;
    return strndup(name, length - (*is_late ? tail : 0));
}

/* lab3-1.cu: Canvas counts files of one name that were handed in again. */
static char *cut_counter(const char *file, const char *lab_file)
{
    const size_t stem = stem_length(lab_file);
    if (strncmp(file, lab_file, stem) != 0 || file[stem] != '-')
        return strdup(file);
    const size_t digits = strspn(file + stem + 1, "0123456789");
    return strdup(digits && strcmp(file + stem + 1 + digits, lab_file + stem) == 0 ? lab_file : file);
}

static bool is_canvas_text(const char *text)
{
    return strcmp(text, "text.html") == 0 || strcmp(text, "link.html") == 0;
}

/* [LATE_]anon_KEY_ATTACHMENT_FILE, where names are hidden. */
static bool read_anonymous(struct intake_name *said, const char *name, const char *lab_file)
{
    const char *at = name + (strncmp(name, "LATE_", 5) == 0 ? 5 : 0);
    if (strncmp(at, "anon_", 5) != 0)
        return false;
    const size_t key = strcspn(at + 5, "_");
    size_t digits = 0;
    const char *number = find_number(at + 5 + key, &digits);
    if (!key || number != at + 5 + key + 1 || !number[digits + 1])
        return false;
    said->platform = INTAKE_CANVAS;
    said->is_late = at != name;
    said->label = strdup("anon");
    said->number = strndup(at + 5, key);
    said->file = cut_counter(number + digits + 1, lab_file);
    return true;
}

/* NAME[_LATE]_USER_ATTACHMENT_FILE; an answer typed into a form has no attachment. */
static bool read_canvas(struct intake_name *said, const char *name, const char *lab_file)
{
    size_t user, attachment;
    const char *number = find_number(name, &user);
    if (!number || number - 1 == name)
        return false;
    const char *rest = number + user + 1;
    attachment = strspn(rest, "0123456789");
    if (attachment && rest[attachment] == '_' && rest[attachment + 1])
        rest += attachment + 1;
    else if (!is_canvas_text(rest))
        return false;
    said->platform = INTAKE_CANVAS;
    said->label = cut_late(name, (size_t)(number - 1 - name), &said->is_late);
    said->number = strndup(number, user);
    said->file = cut_counter(rest, lab_file);
    return true;
}

/* Behind "Jane Doe_12345_assignsubmission_": file or onlinetext, then nothing, "_", or "_" and a file's name. */
static bool read_moodle(struct intake_name *said, const char *name)
{
    static const char mark[] = "_assignsubmission_";
    const char *end = strstr(name, mark), *number = end;
    while (number && number > name && is_digit(number[-1]))
        number--;
    if (!end || number == end || number - name < 2 || number[-1] != '_')
        return false;
    const char *kind = end + sizeof mark - 1, *file = strchr(kind, '_');
    said->platform = INTAKE_MOODLE;
    said->label = strndup(name, (size_t)(number - 1 - name));
    said->number = strndup(number, (size_t)(end - number));
    said->file = strdup(file ? file + 1 : "");
    return true;
}

static bool read_gradescope(struct intake_name *said, const char *name)
{
    static const char mark[] = "submission_";
    const size_t length = sizeof mark - 1;
    if (strncmp(name, mark, length) != 0)
        return false;
    const size_t digits = strspn(name + length, "0123456789");
    const char *end = intake_archive_end(name);
    if (!digits || (name[length + digits] && name + length + digits != end))
        return false;
    said->platform = INTAKE_GRADESCOPE;
    said->label = strndup(name, length + digits);
    return true;
}

size_t intake_branch_length(const char *name, size_t length)
{
    static const char *const branches[] = {"-main", "-master"};
    for (size_t i = 0; i < sizeof branches / sizeof *branches; i++) {
        const size_t tail = strlen(branches[i]);
        if (length > tail && strncasecmp(name + length - tail, branches[i], tail) == 0)
            return length - tail;
    }
    return 0;
}

/* In place: what GitHub adds to the archive of a branch. */
static void cut_branch(char *name)
{
    const size_t length = intake_branch_length(name, strlen(name));
    if (length)
        name[length] = '\0';
}

bool intake_name_cut(struct intake_name *said, size_t prefix)
{
    char *label = strdup(said->label + prefix);
    if (!label)
        return false;
    cut_branch(label);
    free(said->label);
    said->label = label;
    said->platform = INTAKE_GITHUB;
    return true;
}

/* lab3-login, also behind other words; logins are letters, digits and -. */
static bool read_github(struct intake_name *said, const char *name, bool is_folder, const char *lab_file)
{
    const char *end = intake_archive_end(name), *word = find_word(name, lab_file, stem_length(lab_file));
    if ((!is_folder && !end) || !word || word[stem_length(lab_file)] != '-')
        return false;
    const char *login = word + stem_length(lab_file) + 1;
    size_t length = end && !is_folder ? (size_t)(end - login) : strlen(login);
    for (size_t i = 0; i < length; i++) {
        if (!is_alnum(login[i]) && login[i] != '-')
            return false;
    }
    said->platform = INTAKE_GITHUB;
    said->label = strndup(login, length);
    if (said->label && end)
        cut_branch(said->label);
    return true;
}

/* What was meant where the name says more: "anna_lab3", "course-anna-main". */
static char *make_alias(const char *label, const char *lab_file)
{
    const size_t stem = stem_length(lab_file);
    const char *word = find_word(label, lab_file, stem);
    char *alias;
    if (asprintf(&alias, "%.*s %s", word ? (int)(word - label) : (int)strlen(label), label,
                 word ? word + stem : "") < 0)
        return NULL;
    for (size_t length = strlen(alias);
         length && !is_alnum(alias[length - 1]) && !(alias[length - 1] & 0x80);)
        alias[--length] = '\0';
    cut_branch(alias);
    const size_t before = strspn(alias, " _-.");
    memmove(alias, alias + before, strlen(alias + before) + 1);
    return alias;
}

/* A file's name without its end is whose it is. */
static void read_plain(struct intake_name *said, const char *name, bool is_folder, const char *lab_file)
{
    static const char *const ends[] = {".cu", ".cu.txt"};
    const char *end = is_folder ? NULL : intake_archive_end(name);
    for (size_t i = 0; i < 2 && !is_folder && !end; i++)
        end = ends_in(name, ends[i]) ? name + strlen(name) - strlen(ends[i]) : NULL;
    said->platform = INTAKE_PLAIN;
    said->label = end ? strndup(name, (size_t)(end - name)) : strdup(name);
    said->file = strdup(is_folder ? "" : name);
    said->alias = said->label ? make_alias(said->label, lab_file) : NULL;
}

static bool fill_identity(struct intake_name *said, const char *name)
{
    if (*said->number)
        return asprintf(&said->identity, "%s_%s", said->label, said->number) >= 0;
    said->identity = strdup(name);
    return said->identity;
}

bool intake_name_read(struct intake_name *said, const char *name, bool is_folder, const char *lab_file)
{
    *said = (struct intake_name){.label = NULL};
    if (!read_moodle(said, name) &&
        (is_folder || (!read_anonymous(said, name, lab_file) && !read_canvas(said, name, lab_file))) &&
        !read_gradescope(said, name) && !read_github(said, name, is_folder, lab_file))
        read_plain(said, name, is_folder, lab_file);
    char **texts[] = {&said->alias, &said->number, &said->email, &said->file};
    bool is_done = said->label;
    for (size_t i = 0; i < sizeof texts / sizeof *texts && is_done; i++) {
        if (!*texts[i])
            *texts[i] = strdup("");
        is_done = *texts[i];
    }
    return is_done && fill_identity(said, name);
}

bool intake_name_copy(struct intake_name *to, const struct intake_name *from)
{
    *to = (struct intake_name){.platform = from->platform,
                               .label = strdup(from->label),
                               .identity = strdup(from->identity),
                               .alias = strdup(from->alias),
                               .number = strdup(from->number),
                               .email = strdup(from->email),
                               .file = strdup(from->file),
                               .is_late = from->is_late};
    return to->label && to->identity && to->alias && to->number && to->email && to->file;
}

void intake_name_free(struct intake_name *said)
{
    char *texts[] = {said->label, said->identity, said->alias, said->number, said->email, said->file};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    *said = (struct intake_name){.label = NULL};
}

/* ------------------------------------------------------------------------------------------- comparison */

/* U+00C0 to U+017F without their accents. */
static const char bases[] = "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty"
                            "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllll"
                            "nnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
_Static_assert(sizeof bases == 0x180 - 0xc0 + 1, "a letter for each");

static uint32_t code_at(const unsigned char *s, int length)
{
    uint32_t code = length == 1 ? *s : *s & (0xff >> (length + 1));
    for (int i = 1; i < length; i++)
        code = code << 6 | (s[i] & 0x3f);
    return code;
}

/* Letters that become two. */
static const char *second_letter(uint32_t code)
{
    static const struct {
        uint32_t code;
        const char *second;
    } rows[] = {{0xc6, "e"}, {0xde, "h"}, {0xdf, "s"}, {0xe6, "e"}, {0xfe, "h"}, {0x152, "e"}, {0x153, "e"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].code == code)
            return rows[i].second;
    }
    return "";
}

/* Letters of other alphabets stay as they are; accents that stand alone (U+0300 to U+036F) are dropped. */
static char *fold_one(char *to, const unsigned char *s, int length)
{
    const uint32_t code = code_at(s, length);
    const bool is_accent = code >= 0x300 && code < 0x370;
    char letter = code < 0x80                    ? (char)tolower((int)code)
                  : code >= 0xc0 && code < 0x180 ? bases[code - 0xc0]
                                                 : 0;
    if (code < 0x80 && !is_alnum(letter))
        letter = ' ';
    if (letter)
        return to + sprintf(to, "%c%s", letter, second_letter(code));
    memcpy(to, s, is_accent ? 0 : (size_t)length);
    return to + (is_accent ? 0 : length);
}

char *intake_fold(const char *text)
{
    char *out = malloc(2 * strlen(text) + 1), *to = out;
    for (const unsigned char *s = (const unsigned char *)text; out && *s;) {
        const int length = utf8_length(s) ? utf8_length(s) : 1;
        char *before = to;
        to = fold_one(to, s, length);
        if (to == before + 1 && *before == ' ' && (before == out || before[-1] == ' '))
            to = before;
        s += length;
    }
    if (out)
        to[-(to > out && to[-1] == ' ')] = '\0';
    return out;
}
