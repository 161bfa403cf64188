/* progress.c - see progress.h. A thread of its own looks twice a second; programs without a terminal have none.
 * It reads what core/ tells of a launch, and changes nothing: results do not depend on it. */
#include "runtime/progress.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/number.h"
#include "base/real_time.h"
#include "report/names.h"

enum { LOOK_MS = 500, SILENCE_MS = 2000, MOST_COLUMNS = 200 };

static struct {
    pthread_mutex_t lock;
    const struct launch *launch; /* that is shown; NULL: none runs */
    uint64_t begun_ns;
    bool is_shown;
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_terminal;

static void write_all(const char *text, size_t size)
{
    while (size) {
        const ssize_t written = write(STDERR_FILENO, text, size);
        if (written <= 0)
            return;
        text += written;
        size -= (size_t)written;
    }
}

static void erase(void)
{
    if (line.is_shown)
        write_all("\r\033[K", 4);
    line.is_shown = false;
}

/* A narrow terminal must not break the line: what stands in the row above could not be taken away. */
static void draw(void)
{
    const struct launch *launch = line.launch;
    const uint64_t done = __atomic_load_n(&launch->blocks_done, __ATOMIC_RELAXED);
    const uint64_t spent = __atomic_load_n(&launch->spent, __ATOMIC_RELAXED);
    struct winsize size = {.ws_col = 80};
    char name[80], text[MOST_COLUMNS + 8];
    ioctl(STDERR_FILENO, TIOCGWINSZ, &size);
    const size_t columns = smaller_of((size_t)(size.ws_col ? size.ws_col : 80), (size_t)MOST_COLUMNS);
    name_of_function(launch->kernel_name, name, sizeof name);
    snprintf(text, sizeof text, "\r\033[Kvgpu: kernel %s: %llu of %llu blocks, %.0f %% of a block's budget",
             name, (unsigned long long)done, (unsigned long long)launch->nblocks,
             100 * (double)spent / (double)launch->budget);
    write_all(text, smaller_of(strlen(text), columns + 3));
    line.is_shown = true;
}

static void *look(void *context)
{
    (void)context;
    for (;;) {
        usleep(LOOK_MS * 1000);
        pthread_mutex_lock(&line.lock);
        if (line.launch && real_ns() - line.begun_ns > SILENCE_MS * 1000000ull)
            draw();
        pthread_mutex_unlock(&line.lock);
    }
    return NULL;
}

/* Signals are for the program's own threads. */
static void start(void)
{
    const char *term = getenv("TERM");
    pthread_t thread;
    sigset_t all, before;
    if (!isatty(STDERR_FILENO) || (term && strcmp(term, "dumb") == 0))
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    is_terminal = pthread_create(&thread, NULL, look, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_terminal)
        pthread_detach(thread);
}

void progress_begin(const struct launch *launch)
{
    pthread_once(&once, start);
    if (!is_terminal)
        return;
    pthread_mutex_lock(&line.lock);
    line.launch = launch;
    line.begun_ns = real_ns();
    pthread_mutex_unlock(&line.lock);
}

void progress_end(const struct launch *launch)
{
    if (!is_terminal)
        return;
    pthread_mutex_lock(&line.lock);
    if (line.launch == launch) {
        line.launch = NULL;
        erase();
    }
    pthread_mutex_unlock(&line.lock);
}
