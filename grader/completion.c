/* completion.c - see completion.h. First where the cursor is: behind which command, which option, at which of its words; then
 * what may stand there. Whatever is unknown gets no candidates, and no message: somebody is typing. */
#define _GNU_SOURCE
#include "grader/completion.h"

#include <ctype.h>
#include <glob.h>
#include <string.h>

#include "grader/commands.h"
#include "grader/labs.h"
#include "grader/platform.h"

/* ------------------------------------------------------------------------------------------- the scripts */

static const char bash_script[] =
    "# Words behind ./grade, for bash: source <(./grade --completion bash)\n"
    "_warpstep_grade() {\n"
    "    local line word=${COMP_WORDS[COMP_CWORD]} program=${1/#\\~/$HOME}\n"
    "    [ \"$word\" != = ] || word=\n"
    "    COMPREPLY=()\n"
    "    while IFS= read -r line; do\n"
    "        case $line in\n"
    "        :files | :folders)\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            [ \"$line\" = :files ] && line=-f || line=-d\n"
    "            while IFS= read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen \"$line\" -- "
    "\"$word\")\n"
    "            ;;\n"
    "        *) COMPREPLY+=(\"${line%%$'\\t'*}\") ;;\n"
    "        esac\n"
    "    done < <(\"$program\" --complete \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _warpstep_grade grade\n";

static const char zsh_script[] =
    "#compdef grade\n"
    "# Words behind ./grade, for zsh: source <(./grade --completion zsh), behind compinit\n"
    "_warpstep_grade() {\n"
    "    local line program=${words[1]/#\\~/$HOME}\n"
    "    local -a offers\n"
    "    for line in \"${(@f)$(\"$program\" --complete \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\"; do\n"
    "        case $line in\n"
    "        :files) _files ;;\n"
    "        :folders) _files -/ ;;\n"
    "        ?*) offers+=(\"${line%%$'\\t'*}:${line#*$'\\t'}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( ! $#offers )) || _describe grade offers\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _grade ]; then _warpstep_grade \"$@\"; else compdef _warpstep_grade grade; "
    "fi\n";

bool completion_put_script(const char *shell, FILE *file)
{
    static const struct {
        const char *shell, *script;
    } scripts[] = {{"bash", bash_script}, {"zsh", zsh_script}};
    for (int i = 0; i < LAB_COUNT(scripts); i++) {
        if (strcmp(shell, scripts[i].shell) == 0)
            return fputs(scripts[i].script, file) >= 0;
    }
    return false;
}

/* ------------------------------------------------------------------------------------------- candidates */

struct offer {
    FILE *file;
    const char *word; /* what stands at the cursor */
    char before[200]; /* its part that stays: "--gpu=", "tiled," */
    struct kit kit;
    struct labs labs;
};

static void put(struct offer *offer, const char *word, const char *meaning)
{
    const size_t before = strlen(offer->before);
    if (strncmp(offer->word, offer->before, before) == 0 &&
        strncmp(word, offer->word + before, strlen(offer->word + before)) == 0)
        fprintf(offer->file, "%s%s\t%s\n", offer->before, word, meaning);
}

static void put_labs(struct offer *offer)
{
    for (int i = 0; i < offer->labs.count; i++) {
        const struct labs_entry *one = &offer->labs.list[i];
        const char *dash = strchr(one->folder, '-');
        put(offer, one->id, dash ? dash + 1 : "");
    }
}

/* By ids; by rows where a digit has been typed. A lab that is not built has a table in no file: nothing. */
static void put_stages(struct offer *offer, const char *id)
{
    char error[300], row[16];
    const struct labs_entry *entry = labs_by_id(&offer->labs, id);
    const struct lab *lab = entry ? labs_open(&offer->kit, entry, error, sizeof error) : NULL;
    const bool is_row = isdigit((unsigned char)offer->word[strlen(offer->before)]);
    for (int i = 0; lab && i < lab->nstages; i++) {
        snprintf(row, sizeof row, "%d", i + 1);
        put(offer, is_row ? row : lab->stages[i].id, lab->stages[i].title);
    }
}

/* "lab3", and behind a dot its stages. */
static void put_lab_word(struct offer *offer, bool has_stages)
{
    char id[32];
    const size_t length = strcspn(offer->word, ".");
    if (!offer->word[length]) {
        put_labs(offer);
    } else if (has_stages && length < sizeof id) {
        snprintf(id, sizeof id, "%.*s", (int)length, offer->word);
        snprintf(offer->before, sizeof offer->before, "%s.", id);
        put_stages(offer, id);
    }
}

/* "tiled,pa": the last of a list. */
static void put_stage_list(struct offer *offer, const char *id)
{
    const char *comma = strrchr(offer->word, ',');
    const size_t length = comma ? (size_t)(comma + 1 - offer->word) : strlen(offer->before);
    snprintf(offer->before, sizeof offer->before, "%.*s", (int)length, offer->word);
    put_stages(offer, id);
}

static void put_gpus(struct offer *offer)
{
    char pattern[2100], name[100];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/common/vgpu/gpus/*.gpu", offer->kit.root);
    if (glob(pattern, 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *base = strrchr(found.gl_pathv[i], '/') + 1;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
        put(offer, name, "GPU");
    }
    globfree(&found);
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    return length >= strlen(end) && strncmp(text + length - strlen(end), end, strlen(end)) == 0;
}

/* What a word of the tables stands for: "[DIR]", "FILE", "A"; "on|off" are the words themselves. Others are free. */
static void put_kind(struct offer *offer, const char *word)
{
    static const struct {
        const char *end, *answer;
    } kinds[] = {
        {"DIR", ":folders"}, {"FILE", ":files"}, {"PATH", ":files"}, {"A", ":files"}, {"B", ":files"}};
    char text[60];
    word += *word == '[';
    const size_t length = strcspn(word, " ]");
    if (memchr(word, '|', length)) {
        snprintf(text, sizeof text, "%.*s", (int)length, word);
        for (char *rest = text, *one; (one = strsep(&rest, "|"));)
            put(offer, one, "");
        return;
    }
    for (int i = 0; i < LAB_COUNT(kinds); i++) {
        if (ends_with(word, length, kinds[i].end)) {
            fprintf(offer->file, "%s\n", kinds[i].answer);
            return;
        }
    }
}

/* ------------------------------------------------------------------------------------------- where the cursor is */

struct place {
    const struct command *command;
    const char *lab; /* NULL: none yet */
    int names;       /* words behind the command's name; without one, all */
    int pending;     /* an option that wants its value now; -1: none */
    bool is_named;   /* the command has a name, and it was there */
    bool has_ended;  /* "--" was there */
};

/* -1: there is no such option. */
static int find_option(const char *word, size_t length)
{
    if (length == 2 && strncmp(word, "-j", 2) == 0)
        return OPTION_JOBS;
    for (int i = 0; i < OPTION_COUNT && strncmp(word, "--", 2) == 0; i++) {
        if (strlen(options_row(i)->name) == length - 2 &&
            strncmp(options_row(i)->name, word + 2, length - 2) == 0)
            return i;
    }
    return -1;
}

static void pass_option(struct place *place, const char *word)
{
    const int which = find_option(word, strlen(word));
    place->has_ended = strcmp(word, "--") == 0;
    place->pending = which >= 0 && options_row(which)->value ? which : -1;
}

static void pass_name(struct place *place, const char *word)
{
    for (const struct command *one = &commands[COMMAND_NAMED]; !place->is_named && !place->names && one->run;
         one++) {
        if (strcmp(one->name, word) == 0) {
            place->command = one;
            place->is_named = true;
            return;
        }
    }
    if (!place->is_named)
        place->command = &commands[COMMAND_GRADE];
    if (!place->lab)
        place->lab = word;
    place->names++;
}

static void pass(struct place *place, const char *word)
{
    if (place->pending >= 0) {
        if (strcmp(word, "=") != 0) /* bash takes --gpu=h200 for three words */
            place->pending = -1;
    } else if (*word == '-' && word[1] && !place->has_ended) {
        pass_option(place, word);
    } else {
        pass_name(place, word);
    }
}

/* ------------------------------------------------------------------------------------------- the answer */

static void put_value(struct offer *offer, const struct place *place, int which)
{
    char lab[32] = "";
    if (place->lab)
        snprintf(lab, sizeof lab, "%.*s", (int)strcspn(place->lab, "."), place->lab);
    if (which == OPTION_GPU)
        put_gpus(offer);
    else if (which == OPTION_STAGE)
        put_stage_list(offer, lab);
    else
        put_kind(offer, which == OPTION_FORM ? PLATFORM_FORMS : options_row(which)->value);
}

/* Before a command is named, those of ./grade lab3: whoever begins with an option means that. */
static void put_options(struct offer *offer, const struct place *place)
{
    char name[60];
    for (int i = 0; i < OPTION_COUNT; i++) {
        const char *meaning = i == OPTION_VERBOSE ? place->command->verbose : options_row(i)->meaning;
        snprintf(name, sizeof name, "--%s", options_row(i)->name);
        if (options_takes(place->command, i))
            put(offer, name, meaning);
    }
    put(offer, "--help", "what it does, and its options");
}

static void put_first(struct offer *offer)
{
    for (const struct command *one = &commands[COMMAND_NAMED]; one->run; one++)
        put(offer, one->name, one->summary);
    put_lab_word(offer, true);
}

/* The next of "lab3 A B". */
static void put_name(struct offer *offer, const struct place *place)
{
    const char *at = place->command->words;
    for (int i = 0; i < place->names && *at; i++) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    if (strncmp(at, "lab3", 4) == 0)
        put_lab_word(offer, options_takes(place->command, OPTION_STAGE));
    else if (*at)
        put_kind(offer, at);
}

void completion_put(int count, char **words, FILE *file)
{
    char error[2400];
    struct place place = {.command = &commands[COMMAND_GRADE], .pending = -1};
    struct offer offer = {.file = file, .word = count ? words[count - 1] : ""};
    if (!labs_find_kit(&offer.kit, error, sizeof error))
        return;
    labs_find(&offer.kit, &offer.labs);
    for (int i = 0; i < count - 1; i++)
        pass(&place, words[i]);
    if (place.pending >= 0 && strcmp(offer.word, "=") == 0)
        offer.word = "";
    const size_t equals = strcspn(offer.word, "=");
    const int which = place.has_ended || !offer.word[equals] ? -1 : find_option(offer.word, equals);
    if (which >= 0)
        snprintf(offer.before, sizeof offer.before, "%.*s=", (int)equals, offer.word);
    if (place.pending >= 0 || which >= 0)
        put_value(&offer, &place, which >= 0 ? which : place.pending);
    else if (*offer.word == '-' && !place.has_ended)
        put_options(&offer, &place);
    else if (!place.is_named && !place.names)
        put_first(&offer);
    else
        put_name(&offer, &place);
}
