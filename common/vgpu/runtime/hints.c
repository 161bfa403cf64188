/* hints.c - one line at the end of a program that full checking may tell more about.
 * Programs are checked for bounds by default, and what only full checking finds would stay unsaid. So the first blocks of each
 * kernel's first launches are looked at (check/glance.c). Who chooses the level by vgpu_set_check() knows what it does not
 * tell: graders get no hint. */
#include "runtime/hints.h"

#include <stdio.h>

#include "check/check.h"
#include "core/findings.h"
#include "report/names.h"
#include "report/report.h"

enum { GLANCES = 4 }; /* launches of one kernel: its first may have nothing to do */

/* Of the first kernel. */
static struct {
    char kernel[300], place[300];
    bool is_race;
    unsigned kernels; /* that a hint could be given for */
} hint;

bool hints_are_wanted(struct kernel *kernel, enum check_level check)
{
    const struct config *config = runtime_config();
    if (check != CHECK_BOUNDS || config->is_check_set || config->execution != VGPU_EXECUTE_ALL)
        return false;
    return kernel->glances < GLANCES && ++kernel->glances;
}

/* Bounds alone never gives these. */
static bool is_beyond_bounds(const struct finding *finding)
{
    return report_severity(finding->kind) == VGPU_RACE || finding->kind == VGPU_UNINITIALISED;
}

static void remember(const struct launch *launch, const struct finding *finding)
{
    if (hint.kernels++)
        return;
    hint.is_race = finding->kind != VGPU_UNINITIALISED;
    name_demangle(launch->kernel_name, hint.kernel, sizeof hint.kernel);
    name_of_loc(launch->kernel->module->ptx, finding->loc, hint.place, sizeof hint.place);
}

void hints_take(struct kernel *kernel, const struct launch *launch)
{
    struct finding first;
    if (launch->checker != &check_glance || !launch->findings ||
        !findings_take(launch->findings, is_beyond_bounds, &first))
        return;
    remember(launch, &first);
    kernel->glances = GLANCES; /* one hint is enough */
}

__attribute__((destructor)) static void tell(void)
{
    if (!hint.kernels)
        return;
    fflush(stdout);
    fprintf(stderr, "vgpu: note: kernel `%s`, %s: %s. ", hint.kernel, hint.place,
            hint.is_race ? "threads may get in each other's way here, and what they compute depends on luck"
                         : "something is read here that nobody may have written");
    if (hint.kernels > 1)
        fprintf(stderr, "So it is with %u more. ", hint.kernels - 1);
    fputs("VGPU_CHECK=full may tell more.\n", stderr);
}
