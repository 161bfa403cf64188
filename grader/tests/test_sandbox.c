/* test_sandbox.c - how jobs end: by themselves, out of CPU time, asleep, or with too much output.
 * A job is this program again, with a role's name. None of these tests depends on how fast or how busy the machine is: work is
 * measured in CPU time, and whoever works is not asleep. */
#define _GNU_SOURCE
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grader/sandbox.h"

enum { MIB = 1 << 20, SLEEP_S = 1, STATUS = 7 };

/* ------------------------------------------------------------------------------------------- roles of a job */

/* Computes for longer than a job may sleep. */
static void compute(void)
{
    while (clock() < SLEEP_S * CLOCKS_PER_SEC * 3 / 2)
        continue;
}

static void *compute_in_thread(void *argument)
{
    compute();
    return argument;
}

static void play_child(void)
{
    const pid_t child = fork();
    if (child == 0) {
        compute();
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void play_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, compute_in_thread, NULL) == 0)
        pthread_join(thread, NULL);
}

static void play_sleeper(void)
{
    for (;;)
        pause();
}

/* Wakes up all the time, and does nothing. */
static void play_dozer(void)
{
    for (;;)
        usleep(1000);
}

static void play_stopped(void)
{
    raise(SIGSTOP);
}

/* Of two values of a variable, some programs take the first and others the last. */
static void play_heir(void)
{
    int count = 0;
    for (char **variable = environ; *variable; variable++)
        count += strncmp(*variable, "TMPDIR=", strlen("TMPDIR=")) == 0;
    if (count != 1 || strcmp(getenv("TMPDIR"), "/its/own") != 0)
        abort();
}

static void play_endless(void)
{
    for (;;)
        continue;
}

static void play_printer(void)
{
    for (;;)
        puts("much ado about nothing");
}

/* What must be said about each. */
static const struct role {
    const char *name;
    void (*play)(void);
    enum sandbox_end end;
} roles[] = {
    {"computes", compute, SANDBOX_EXITED},
    {"waits-for-its-child", play_child, SANDBOX_EXITED},
    {"waits-for-its-thread", play_thread, SANDBOX_EXITED},
    {"sleeps", play_sleeper, SANDBOX_ASLEEP},
    {"dozes", play_dozer, SANDBOX_ASLEEP},
    {"is-stopped", play_stopped, SANDBOX_ASLEEP},
    {"never-ends", play_endless, SANDBOX_CPU},
    {"prints", play_printer, SANDBOX_FLOOD},
    {"has-a-variable-of-its-own", play_heir, SANDBOX_EXITED},
};
enum { ROLES = sizeof roles / sizeof *roles };

static int play(const char *name)
{
    for (int i = 0; i < ROLES; i++) {
        if (strcmp(roles[i].name, name) == 0)
            roles[i].play();
    }
    return STATUS;
}

/* ------------------------------------------------------------------------------------------- tests */

START_TEST(a_job_ends_as_its_role_says)
{
    const struct sandbox sandbox = {.bwrap = ""};
    const struct sandbox_profile profile = {"the job", false, SLEEP_S, 2 * SLEEP_S, MIB, MIB, 0};
    char *argv[] = {"/proc/self/exe", (char *)roles[_i].name, NULL};
    char *environment[] = {"TMPDIR=/its/own", NULL};
    const struct sandbox_job job = {.profile = &profile, .argv = argv, .environment = environment};
    struct sandbox_result result;
    setenv("TMPDIR", "/of/others", 1);
    sandbox_run(&sandbox, &job, &result, 1, 1, NULL, NULL);
    ck_assert_msg(result.end == roles[_i].end, "who %s ends with %d, not %d", roles[_i].name, result.end,
                  roles[_i].end);
    if (result.end == SANDBOX_EXITED)
        ck_assert_int_eq(result.status, STATUS);
    sandbox_free(&result);
}
END_TEST

int main(int argc, char **argv)
{
    if (argc > 1)
        return play(argv[1]);
    Suite *suite = suite_create("sandbox");
    TCase *tests = tcase_create("ends");
    tcase_add_loop_test(tests, a_job_ends_as_its_role_says, 0, ROLES);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
