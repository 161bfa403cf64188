/* pictures.c - see pictures.h. */
#include "core/pictures.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/list.h"
#include "core/record.h"

struct picture_kind {
    uint32_t id;
    uint64_t count;
    struct picture picture;
};

/* ------------------------------------------------------------------------------------------- taking them */

static uint32_t place_of(const struct pictures *pictures, uint32_t id, uint32_t cost)
{
    const uint64_t key = (uint64_t)id << 32 | cost;
    uint32_t place = (uint32_t)(hash_word(key) >> 32) & (pictures->nplaces - 1);
    for (; pictures->places[place]; place = (place + 1) & (pictures->nplaces - 1)) {
        const struct picture_kind *kind = &pictures->kinds[pictures->places[place] - 1];
        if (kind->id == id && kind->picture.cost == cost)
            break;
    }
    return place;
}

/* At least half of the places are empty. */
static bool make_room(struct pictures *pictures)
{
    enum { FEW = 64 };
    if (pictures->nplaces >= 2 * (pictures->count + 1))
        return true;
    const uint32_t nplaces = pictures->nplaces ? 2 * pictures->nplaces : FEW;
    uint32_t *places = calloc(nplaces, sizeof *places);
    if (!places)
        return false;
    free(pictures->places);
    pictures->places = places;
    pictures->nplaces = nplaces;
    for (size_t i = 0; i < pictures->count; i++)
        places[place_of(pictures, pictures->kinds[i].id, pictures->kinds[i].picture.cost)] = (uint32_t)i + 1;
    return true;
}

void pictures_note(struct pictures *pictures, uint32_t id, const struct picture *picture)
{
    if (!make_room(pictures))
        return;
    const uint32_t place = place_of(pictures, id, picture->cost);
    if (pictures->places[place]) {
        pictures->kinds[pictures->places[place] - 1].count++;
        return;
    }
    struct picture_kind *kinds =
        list_reserve(pictures->kinds, &pictures->capacity, pictures->count + 1, sizeof *kinds);
    if (!kinds)
        return;
    pictures->kinds = kinds;
    kinds[pictures->count++] = (struct picture_kind){id, 1, *picture};
    pictures->places[place] = (uint32_t)pictures->count;
}

void pictures_free(struct pictures *pictures)
{
    free(pictures->kinds);
    free(pictures->places);
    *pictures = (struct pictures){NULL, 0, 0, NULL, 0};
}

/* ------------------------------------------------------------------------------------------- choosing */

/* How often an instruction had this cost, in all recorded blocks. */
static uint64_t count_cost(const struct launch *launch, uint32_t id, uint32_t cost)
{
    uint64_t count = 0;
    for (uint32_t b = 0; b < RECORD_BLOCKS; b++) {
        const struct pictures *pictures = launch->records[b] ? &launch->records[b]->pictures : NULL;
        if (!pictures || !pictures->count)
            continue;
        const uint32_t found = pictures->places[place_of(pictures, id, cost)];
        count += found ? pictures->kinds[found - 1].count : 0;
    }
    return count;
}

static void choose_from(struct picture_choice *out, const struct launch *launch, uint32_t id,
                        const struct picture_kind *kind, uint64_t *most)
{
    const uint64_t count = count_cost(launch, id, kind->picture.cost);
    out->seen += kind->count;
    if (!out->first)
        out->first = &kind->picture;
    if (!out->worst || kind->picture.cost > out->worst->cost)
        out->worst = &kind->picture;
    if (count > *most) {
        out->typical = &kind->picture;
        *most = count;
    }
}

void pictures_choose(struct picture_choice *out, const struct launch *launch, uint32_t id)
{
    uint64_t most = 0;
    *out = (struct picture_choice){NULL, NULL, NULL, 0};
    for (uint32_t b = 0; launch->records && b < RECORD_BLOCKS; b++) {
        const struct pictures *pictures = launch->records[b] ? &launch->records[b]->pictures : NULL;
        for (size_t i = 0; pictures && i < pictures->count; i++)
            if (pictures->kinds[i].id == id)
                choose_from(out, launch, id, &pictures->kinds[i], &most);
    }
}
