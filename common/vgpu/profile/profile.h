/* profile.h - where the time of a launch goes, by lines and by accesses: from what was counted, recorded and simulated to what
 * a watcher gets (struct vgpu_profile), to words (vgpu_explain: text.c) and to JSON (vgpu_profile_json: json.c).
 * The face of this room. Nothing here changes what a launch does or takes. */
#ifndef VGPU_PROFILE_H
#define VGPU_PROFILE_H

#include "core/machine.h"
#include "model/model.h"
#include "vgpu.h"

struct profile {
    struct vgpu_profile told;
    double (*spent)[VGPU_SPENTS];
    struct vgpu_access *accesses;
    /* what it was made of, as long as a watcher is told: for JSON */
    const struct launch *launch;
    const struct estimate *estimate;
    const struct timeline *timeline; /* NULL: there is none */
    struct vgpu_rule *rules;         /* made by rules.c when somebody asks */
    size_t nrules;
    bool has_rules;
};

/* The part of the time in which a unit is busy; 0: it has none of that name. */
double profile_busy(const struct vgpu_profile *profile, const char *name);
/* The access that loses most by sectors or passes which would not be needed; NULL: there is none. */
const struct vgpu_access *worst_access(const struct vgpu_profile *profile);

/* lines: of the launch, as a watcher gets them. Before its records are freed. profile_free() always. */
void profile_make(struct profile *out, const struct launch *launch, const struct estimate *estimate,
                  const struct vgpu_line *lines, size_t nlines);
void profile_free(struct profile *profile);

#endif
