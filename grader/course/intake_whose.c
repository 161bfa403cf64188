/* intake_whose.c - whose each submission is: by the platform's metadata, by the roster, or by what its name says.
 * Two different students never get one name; one student's submissions all get the same. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "grader/course/intake_parts.h"

struct whose {
    struct list *drafts; /* struct intake_draft */
    const struct intake_order *order;
    const struct intake_metadata *metadata;
    struct intake_class class;
};

static struct intake_draft *draft_at(const struct whose *whose, size_t i)
{
    return (struct intake_draft *)whose->drafts->items + i;
}

/* ------------------------------------------------------------------------------------------- metadata */

/* Puts a copy in the place of a text. */
static bool put(char **field, char *copy)
{
    if (copy) {
        free(*field);
        *field = copy;
    }
    return copy;
}

/* In the form that names of files and ids have. */
static bool set(char **field, const char *text)
{
    return put(field, utf8_name(text));
}

static bool add_note(struct intake_draft *draft, const char *words)
{
    char *note =
        draft->out.note && *draft->out.note ? intake_join(draft->out.note, "; ", words) : strdup(words);
    if (note) {
        free(draft->out.note);
        draft->out.note = note;
    }
    return note;
}

/* The first of these that says anything. */
static const char *who_of(const struct intake_submitter *one)
{
    return *one->sid ? one->sid : *one->email ? one->email : one->name;
}

/* A draft becomes one submitter's: the roster is asked for the name, the address and the number. */
static bool name_submitter(struct intake_draft *draft, const struct intake_submitter *one)
{
    draft->has_submitter = *who_of(one);
    return !draft->has_submitter ||
           (put(&draft->out.name, utf8_person(one->name)) && set(&draft->out.email, one->email) &&
            set(&draft->said.label, *one->name ? one->name : who_of(one)) &&
            set(&draft->said.number, one->sid) && set(&draft->said.email, one->email) &&
            set(&draft->said.identity, who_of(one)));
}

static bool copy_draft(struct intake_draft *to, const struct intake_draft *from,
                       const struct intake_submitter *one)
{
    const struct intake_submission *out = &from->out;
    if (!intake_name_copy(&to->said, &from->said))
        return false;
    to->out = (struct intake_submission){.path = out->path ? strdup(out->path) : NULL,
                                         .flaw = out->flaw ? strdup(out->flaw) : NULL,
                                         .note = out->note ? strdup(out->note) : NULL,
                                         .submitted = strdup(out->submitted),
                                         .is_late = out->is_late,
                                         .is_ours = out->is_ours};
    if (asprintf(&to->out.source, "%s (%s)", out->source, who_of(one)) < 0)
        to->out.source = NULL;
    return to->out.source && (to->out.path || to->out.flaw) && to->out.submitted && name_submitter(to, one) &&
           add_note(to, "handed in together with others");
}

/* Of a group everybody gets a row. */
static bool name_members(struct whose *whose, size_t at, const struct intake_metadata_entry *entry)
{
    const struct intake_submitter *members = entry->members.items;
    bool is_done = set(&draft_at(whose, at)->out.submitted, entry->submitted);
    for (size_t i = 1; i < entry->members.count && is_done; i++) {
        struct intake_draft *other = list_push(whose->drafts, sizeof *other);
        is_done = other && copy_draft(other, draft_at(whose, at), &members[i]);
    }
    struct intake_draft *draft = draft_at(whose, at);
    return is_done && (!entry->members.count || name_submitter(draft, &members[0])) &&
           (entry->members.count < 2 || add_note(draft, "handed in together with others"));
}

static bool use_metadata(struct whose *whose)
{
    bool is_done = true;
    for (size_t i = 0, count = whose->drafts->count; i < count && is_done; i++) {
        const struct intake_name *said = &draft_at(whose, i)->said;
        const struct intake_metadata_entry *entry =
            said->platform == INTAKE_GRADESCOPE ? intake_metadata_find(whose->metadata, said->label) : NULL;
        if (entry)
            is_done = name_members(whose, i, entry);
    }
    return is_done;
}

/* ------------------------------------------------------------------------------------------- names */

/* What no two students share: a platform's number, or the submission's own name. */
static const char *key_of(const struct intake_draft *draft)
{
    return draft->has_submitter || *draft->said.number ? draft->said.identity : draft->out.source;
}

static bool are_one(const struct intake_draft *a, const struct intake_draft *b)
{
    return a->said.platform == b->said.platform && strcmp(key_of(a), key_of(b)) == 0;
}

/* Without a roster a student is called in short, if no other would be called so; else with what tells them apart, else by the
 * name of their first submission. */
static const char *name_of(const struct whose *whose, size_t at)
{
    const struct intake_draft *draft = draft_at(whose, draft_at(whose, at)->first);
    return draft->level >= 2                           ? draft->out.source
           : draft->level == 1 || draft->has_submitter ? draft->said.identity
                                                       : draft->said.label;
}

static void find_firsts(struct whose *whose)
{
    for (size_t i = 0; i < whose->drafts->count; i++) {
        size_t first = 0;
        while (!are_one(draft_at(whose, first), draft_at(whose, i)))
            first++;
        draft_at(whose, i)->first = first;
    }
}

static bool raise(struct whose *whose, size_t at)
{
    struct intake_draft *draft = draft_at(whose, draft_at(whose, at)->first);
    const bool can_rise = draft->level < 2;
    draft->level += can_rise;
    return can_rise;
}

/* Until no two different students have one name. Levels only rise, so that it ends. */
static void tell_apart(struct whose *whose)
{
    find_firsts(whose);
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (size_t i = 0; i < whose->drafts->count; i++) {
            for (size_t k = 0; k < i; k++) {
                const struct intake_draft *a = draft_at(whose, i), *b = draft_at(whose, k);
                if (a->out.student || b->out.student || a->first == b->first ||
                    strcmp(name_of(whose, i), name_of(whose, k)) != 0)
                    continue;
                const bool one = raise(whose, i), other = raise(whose, k);
                has_changed = has_changed || one || other;
            }
        }
    }
}

/* ------------------------------------------------------------------------------------------- the roster */

static bool ask_roster(struct whose *whose)
{
    bool is_done = true;
    for (size_t i = 0; i < whose->drafts->count && is_done; i++) {
        struct intake_draft *draft = draft_at(whose, i);
        char *note = NULL;
        const struct store_student *found = intake_match(&whose->class, &draft->said, &note);
        is_done = (!found || (draft->out.student = strdup(found->id))) && (!note || add_note(draft, note));
        free(note);
    }
    return is_done;
}

/* Two names that mean one student to the roster may still be two. */
static bool note_shared(struct whose *whose)
{
    bool is_done = true;
    for (size_t i = 0; i < whose->drafts->count; i++) {
        for (size_t k = 0; k < whose->drafts->count && is_done; k++) {
            struct intake_draft *a = draft_at(whose, i), *b = draft_at(whose, k);
            if (i == k || !a->out.student || !b->out.student || are_one(a, b) ||
                strcmp(a->out.student, b->out.student) != 0)
                continue;
            char *words = intake_join(b->out.source, " is this student's, too", "");
            is_done = words && add_note(a, words);
            free(words);
            break;
        }
    }
    return is_done;
}

static bool is_roster_id(const struct intake_order *order, const char *name)
{
    for (size_t i = 0; i < order->nroster; i++) {
        if (strcmp(order->roster[i].id, name) == 0)
            return true;
    }
    return false;
}

/* Whom the roster does not know must not be called as somebody whom it knows. */
static bool name_others(struct whose *whose)
{
    tell_apart(whose);
    bool is_done = true;
    for (size_t i = 0; i < whose->drafts->count && is_done; i++) {
        struct intake_draft *draft = draft_at(whose, i);
        if (draft->out.student)
            continue;
        const char *brief = name_of(whose, i);
        char *name = intake_join(brief, is_roster_id(whose->order, brief) ? " (not sure)" : "", "");
        draft->out.student = name;
        is_done = name;
    }
    return is_done;
}

/* Names of two submissions may have become one text: utf8_name() writes a byte as somebody may have written it. */
static bool is_source_taken(const struct whose *whose, size_t before, const char *source)
{
    for (size_t i = 0; i < before; i++) {
        if (strcmp(draft_at(whose, i)->out.source, source) == 0)
            return true;
    }
    return false;
}

static bool make_sources_unique(struct whose *whose)
{
    for (size_t i = 0; i < whose->drafts->count; i++) {
        struct intake_draft *draft = draft_at(whose, i);
        while (is_source_taken(whose, i, draft->out.source)) {
            char *source = intake_join(draft->out.source, " (again)", "");
            if (!source)
                return false;
            free(draft->out.source);
            draft->out.source = source;
        }
    }
    return true;
}

bool intake_name_all(struct list *drafts, const struct intake_order *order,
                     const struct intake_metadata *metadata)
{
    struct whose whose = {.drafts = drafts, .order = order, .metadata = metadata};
    const bool is_done = intake_class_make(&whose.class, order) && make_sources_unique(&whose) &&
                         use_metadata(&whose) && make_sources_unique(&whose) && ask_roster(&whose) &&
                         note_shared(&whose) && name_others(&whose);
    intake_class_free(&whose.class);
    return is_done;
}
