/* self.c - see self.h. */
#define _GNU_SOURCE
#include "grader/self.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/utf8.h"
#include "grader/files.h"

enum { MOST_LOG = 1 << 22 };

int self_run(const struct kit *kit, const char *const *argv, const char *log)
{
    char program[GRADE_PATH + 20];
    const char *words[SELF_WORDS + 2] = {program};
    posix_spawn_file_actions_t files;
    pid_t pid;
    int status = -1;
    snprintf(program, sizeof program, "%s/grade", kit->root);
    for (int i = 0; i < SELF_WORDS && argv[i]; i++)
        words[i + 1] = argv[i];
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    if (posix_spawn(&pid, program, &files, NULL, (char *const *)(uintptr_t)words, environ) == 0) {
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    posix_spawn_file_actions_destroy(&files);
    return status;
}

void self_last_line(const char *log, char *out, size_t size)
{
    size_t bytes;
    char *text = (char *)files_read(log, MOST_LOG, false, &bytes), *plain = text ? utf8_plain(text) : NULL;
    *out = '\0';
    for (char *rest = plain, *line; (line = rest ? strsep(&rest, "\n") : NULL);) {
        if (line[strspn(line, " \t")])
            snprintf(out, size, "%s", line + strspn(line, " \t"));
    }
    free(plain);
    free(text);
}
