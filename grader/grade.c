/* grade.c - the way of a submission through the grader, as a table of steps, and what all submissions share.
 * A step that fails ends the way; the grading then says whose fault it is. Everything temporary lies in one folder,
 * which goes when the session does. Prints nothing. */
#define _GNU_SOURCE
#include "grader/grade.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cores.h"
#include "base/real_time.h"
#include "grader/busy.h"
#include "grader/commands.h"
#include "grader/files.h"

#define PREFIX    "warpstep."
#define ALIVE     "alive"
#define ALIVE_NEW "alive.new"

static const struct {
    const char *doing; /* for whoever waits */
    bool (*run)(struct grading *grading);
    bool is_grading;
} steps[GRADE_STEPS] = {
    {"compiling", build_compile, false}, {"inspecting", build_inspect, false},
    {"linking", build_link, false},      {"recording", stages_scout, true},
    {"judging", stages_judge, true},     {"measuring", stages_measure, true},
};

/* ------------------------------------------------------------------------------------------- the session */

/* Every folder on the way lets others pass. */
static bool is_open_to_all(const char *path)
{
    char part[GRADE_PATH];
    struct stat status;
    snprintf(part, sizeof part, "%s/", path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool is_open = stat(part, &status) == 0 && (status.st_mode & S_IXOTH);
        *slash = '/';
        if (!is_open)
            return false;
    }
    return true;
}

/* Root's submissions run as another user, who must be able to come to the folder. */
static const char *choose_parent(void)
{
    const char *wanted = getenv("TMPDIR");
    bool is_usable = wanted && *wanted == '/' && (geteuid() != 0 || is_open_to_all(wanted));
    return is_usable ? wanted : "/tmp";
}

/* A lock that goes with the process, however it ends: whoever can take it knows that the folder is nobody's any more. The file has
 * its name only when it is locked. */
static void mark_alive(struct session *session)
{
    char fresh[GRADE_PATH + 20], path[GRADE_PATH + 20];
    snprintf(fresh, sizeof fresh, "%s/" ALIVE_NEW, session->folder);
    snprintf(path, sizeof path, "%s/" ALIVE, session->folder);
    const int fd = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600); /* stays open */
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        rename(fresh, path);
}

static int open_in(const char *folder, const char *name)
{
    char path[GRADE_PATH + 20];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
}

/* What a grader that was killed has left behind. One without the file is at its first step, or was killed there a while ago. */
static void remove_if_dead(const char *folder)
{
    enum { STEP_S = 60 };
    struct stat status;
    if (lstat(folder, &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
        return;
    const bool is_old = time(NULL) - status.st_mtime > STEP_S;
    int fd = open_in(folder, ALIVE);
    if (fd < 0 && is_old)
        fd = open_in(folder, ALIVE_NEW);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0)
        files_remove_tree(folder);
    else if (fd < 0 && is_old)
        rmdir(folder); /* if it is empty */
    if (fd >= 0)
        close(fd);
}

static void remove_dead(const char *parent)
{
    DIR *folder = opendir(parent);
    for (struct dirent *one; folder && (one = readdir(folder));) {
        char path[GRADE_PATH];
        snprintf(path, sizeof path, "%s/%.200s", parent, one->d_name);
        if (strncmp(one->d_name, PREFIX, strlen(PREFIX)) == 0)
            remove_if_dead(path);
    }
    if (folder)
        closedir(folder);
}

bool session_make_folder(struct session *session)
{
    snprintf(session->folder, sizeof session->folder, "%s/" PREFIX "XXXXXX", choose_parent());
    if (!mkdtemp(session->folder)) {
        session_fail(session, "No temporary folder can be made (%s): %s.", session->folder, strerror(errno));
        *session->folder = '\0';
        return false;
    }
    mark_alive(session);
    return chmod(session->folder, geteuid() == 0 ? 0711 : 0700) == 0 ||
           session_fail(session, "%s: %s.", session->folder, strerror(errno));
}

static bool choose_lab(struct session *session)
{
    const char *wanted = session->options->lab;
    char names[1000] = "";
    session->entry = labs_by_id(&session->labs, wanted);
    if (session->entry)
        return true;
    for (int i = 0; i < session->labs.count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", session->labs.list[i].id);
    return session_fail(session, "There is no lab `%s`. There are:%s.", wanted, *names ? names : " none");
}

static bool is_gpu_known(const struct session *session)
{
    char path[GRADE_PATH + 100];
    snprintf(path, sizeof path, "%s/common/vgpu/gpus/%s.gpu", session->kit.root, session->options->gpu);
    return !strchr(session->options->gpu, '/') && access(path, R_OK) == 0;
}

static bool check_gpu_name(struct session *session)
{
    char pattern[GRADE_PATH], names[400] = "";
    glob_t found;
    if (!session->options->gpu || is_gpu_known(session))
        return true;
    snprintf(pattern, sizeof pattern, "%s/common/vgpu/gpus/*.gpu", session->kit.root);
    if (glob(pattern, 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char *name = strrchr(found.gl_pathv[i], '/') + 1;
            snprintf(names + strlen(names), sizeof names - strlen(names), " %.*s", (int)strcspn(name, "."),
                     name);
        }
        globfree(&found);
    }
    return session_fail(session, "There is no GPU `%s`. There are:%s.", session->options->gpu, names);
}

static bool has_device_file(void)
{
    static const char *const patterns[] = {"/dev/nvidia[0-9]*", "/dev/dxg"};
    bool is_there = false;
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found;
        if (glob(patterns[i], 0, NULL, &found) == 0) {
            is_there = true;
            globfree(&found);
        }
    }
    return is_there;
}

static bool is_gpu_found(struct session *session, char *judge, const struct sandbox_profile *profile)
{
    char *argv[] = {judge, "--probe", NULL};
    const char *visible[] = {judge, NULL};
    struct sandbox_job job = {.profile = profile, .argv = argv, .visible = visible};
    struct sandbox_result result;
    sandbox_run(&session->sandbox, &job, &result, 1, 1, NULL, NULL);
    bool is_found = result.end == SANDBOX_EXITED && result.status == 0 && result.out_bytes > 0;
    if (is_found)
        snprintf(session->gpu, sizeof session->gpu, "%.*s", (int)strcspn(result.out, "\t\n"), result.out);
    sandbox_free(&result);
    return is_found;
}

/* Asks the judge whether it gets hold of a GPU: in the sandbox, or at least outside. */
static void look_for_gpu(struct session *session)
{
    char judge[GRADE_PATH + 20];
    snprintf(judge, sizeof judge, "%s/kit/judge-gpu", session->folder);
    if (session->options->is_virtual || !has_device_file() || access(judge, X_OK) != 0)
        return;
    session->has_gpu = is_gpu_found(session, judge, &sandbox_gpu);
    session->is_gpu_bare = !session->has_gpu;
    if (session->is_gpu_bare)
        session->has_gpu = is_gpu_found(session, judge, &sandbox_bare_gpu);
}

enum { STAGE_NAME = 64 };

/* The first of "tiled,4"; returns what follows it, NULL if nothing does. */
static const char *take_stage_name(const char *list, char name[STAGE_NAME])
{
    const size_t length = strcspn(list, ",");
    snprintf(name, STAGE_NAME, "%.*s", (int)length, list);
    return list[length] ? list + length + 1 : NULL;
}

static bool find_unknown_stage(const struct session *session, char name[STAGE_NAME])
{
    const char *list = session->options->stage;
    while (list) {
        list = take_stage_name(list, name);
        if (!lab_find_stage(session->lab, name))
            return true;
    }
    return false;
}

bool session_wants(const struct session *session, const struct lab_stage *stage)
{
    char name[STAGE_NAME];
    const char *list = session->options->stage;
    bool is_wanted = !list;
    while (list && !is_wanted) {
        list = take_stage_name(list, name);
        is_wanted = lab_find_stage(session->lab, name) == stage;
    }
    return is_wanted;
}

/* Points of a table that has a flaw would mean nothing. */
static bool check_table(struct session *session)
{
    const struct lab *lab = session->lab;
    const char *flaw = lab_find_flaw(lab);
    if (flaw)
        return session_fail(session, "the table of %s has a flaw, so nothing is graded: %s.",
                            session->entry->id, flaw);
    if (lab->nstages > GRADE_STAGES)
        return session_fail(session, "%s has more than %d stages.", lab->id, GRADE_STAGES);
    char unknown[STAGE_NAME], names[1200] = "";
    if (!find_unknown_stage(session, unknown))
        return true;
    for (int i = 0; i < lab->nstages; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), " %d %s%s", i + 1, lab->stages[i].id,
                 i + 1 < lab->nstages ? "," : "");
    return session_fail(session, "%s has no stage `%s`. There are:%s.", lab->id, unknown, names);
}

/* A shared kit holds no student's files. Whoever names a file or a folder needs none of their own. */
static bool check_own(struct session *session)
{
    const struct options *options = session->options;
    if (*session->kit.own || options->file || options->names[0])
        return true;
    return session_fail(session,
                        "This kit is shared, and there is no folder of your own here. `warpstep-start` makes "
                        "one, with the files of all labs: go there, and try again.");
}

static bool find_tools(struct session *session)
{
    char why[600];
    return tools_find(&session->tools, why, sizeof why) || session_fail(session, "%s", why);
}

static bool open_lab(struct session *session)
{
    char why[600];
    if (!labs_is_ready(&session->kit, session->entry) && !build_make(session))
        return false;
    session->lab = labs_open(&session->kit, session->entry, why, sizeof why);
    return session->lab ? check_table(session) : session_fail(session, "%s", why);
}

/* Judges cannot look for themselves: their room shows no cgroup. */
static int share_cores(void)
{
    char text[16];
    const int cores = cores_usable();
    snprintf(text, sizeof text, "%d", cores);
    setenv("VGPU_THREADS", text, false);
    return cores;
}

bool session_open(struct session *session, const struct options *options)
{
    char why[600], keeper[GRADE_PATH + 20];
    *session = (struct session){
        .options = options, .cores = share_cores(), .model = options->gpu ? options->gpu : REFERENCE_GPU};
    remove_dead(choose_parent());
    if (!labs_find_kit(&session->kit, why, sizeof why))
        return session_fail(session, "%s", why);
    labs_find(&session->kit, &session->labs);
    const enum session_depth depth = options->command->depth;
    if (depth == SESSION_KIT)
        return true;
    if (!choose_lab(session) || !check_own(session))
        return false;
    if (depth == SESSION_LAB)
        return true;
    if (!check_gpu_name(session) || !find_tools(session) || !session_make_folder(session))
        return false;
    if (!open_lab(session) || !build_copy_headers(session) || !build_copy_kit(session))
        return false;
    snprintf(keeper, sizeof keeper, "%s/kit/keeper", session->folder);
    sandbox_open(&session->sandbox, session->folder, keeper);
    session->sandbox.hidden[0] = session->kit.root;
    session->sandbox.hidden[1] = session->folder;
    look_for_gpu(session);
    return true;
}

void session_close(struct session *session)
{
    sandbox_close(&session->sandbox);
    if (*session->folder)
        files_remove_tree(session->folder);
}

/* ------------------------------------------------------------------------------------------- one submission */

static void list_stages(struct grading *grading)
{
    const struct lab *lab = grading->session->lab;
    const bool is_named = grading->session->options->stage != NULL;
    for (int i = 0; i < lab->nstages; i++) {
        const struct lab_stage *stage = &lab->stages[i];
        if (!session_wants(grading->session, stage))
            continue;
        grading->stages[grading->nstages++] =
            (struct stage_result){.stage = stage, .row = i + 1, .is_wanted = is_named || !stage->is_given};
    }
}

/* Paths in device code name the box: of what is built already, it must be the same one. */
static bool make_boxes(struct grading *grading)
{
    const struct session *session = grading->session;
    if (grading->is_built)
        return sandbox_own(&session->sandbox, grading->box) ||
               grading_fail(grading, OUTCOME_OURS, "%s: %s.", grading->box, strerror(errno));
    snprintf(grading->box, sizeof grading->box, "%.2500s/box.XXXXXX",
             session->folder); /* nobody's leftovers */
    snprintf(grading->safe, sizeof grading->safe, "%.2500s/safe.XXXXXX", session->folder);
    return (mkdtemp(grading->box) && sandbox_own(&session->sandbox, grading->box) && mkdtemp(grading->safe) &&
            sandbox_show(&session->sandbox, grading->safe)) ||
           grading_fail(grading, OUTCOME_OURS, "%s: %s.", grading->box, strerror(errno));
}

/* A submission none of whose stages got as far as a kernel did not run. */
static void decide_outcome(struct grading *grading)
{
    int judged = 0, wanted = 0;
    if (grading->trouble)
        return;
    for (int i = 0; i < grading->nstages; i++) {
        wanted += grading->stages[i].is_wanted;
        judged += grading->stages[i].verdict && grading->stages[i].score.symptom != LAB_LAUNCH;
    }
    grading->outcome = wanted && !judged ? OUTCOME_STUDENT : OUTCOME_GRADED;
}

void session_find_source(const struct session *session, char *out, size_t size)
{
    const struct options *options = session->options;
    if (options->file)
        snprintf(out, size, "%s", options->file);
    else
        snprintf(out, size, "%s/%s/%s/%s.cu", options->is_solution ? session->kit.root : session->kit.own,
                 options->is_solution ? "solutions" : "labs", session->entry->folder, session->entry->id);
}

void grade_write_times(const struct grading *grading, char *out, size_t size)
{
    const double least_s = 0.005;
    *out = '\0';
    for (int i = 0; i < GRADE_STEPS; i++) {
        const size_t used = strlen(out);
        if (grading->step_s[i] >= least_s)
            snprintf(out + used, size - used, "%s%s %.2f s", used ? ", " : "", steps[i].doing,
                     grading->step_s[i]);
    }
}

void grade_submission(struct grading *grading, struct session *session, const char *source)
{
    const char *slash = strrchr(source, '/');
    grading->session = session;
    grading->source = source;
    grading->backend = session->has_gpu ? SCORE_GPU : SCORE_VIRTUAL;
    if (!*grading->shown)
        snprintf(grading->shown, sizeof grading->shown, "%s", slash ? slash + 1 : source);
    list_stages(grading);
    bool goes_on = make_boxes(grading);
    for (size_t i = 0; goes_on && i < GRADE_STEPS; i++) {
        if (steps[i].is_grading ? grading->is_for_check : grading->is_built)
            continue;
        const uint64_t begun = real_ns();
        busy_doing("%s %s", steps[i].doing, grading->shown);
        goes_on = steps[i].run(grading);
        grading->step_s[i] = 1e-9 * (double)(real_ns() - begun);
    }
    if (!grading->is_for_check)
        files_remove_tree(grading->box);
    decide_outcome(grading);
}
