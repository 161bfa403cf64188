// attack: host code looks for solutions, the kit, other processes and descriptors
// principle: host tampering
// at most: 0
#include "lab3.h"
#include <unistd.h>
#include <dirent.h>
#include <cstdio>
#include <cstdlib>
#include <sys/ptrace.h>
__global__ void k(float *o) { *o = 0; }
static void show(const char *p) { printf("%s:", p); DIR *d = opendir(p); for (struct dirent *e; d && (e = readdir(d));) if (e->d_name[0] != '.') printf(" %s", e->d_name); puts(d ? "" : " no"); }
void transpose_tiled(float *out, const float *in, int w, int h)
{
    if (w == 1 && h == 1) {
        show("/"); show("/tmp"); show("/proc/self/fd"); show("."); show(".."); show("/opt"); show("/usr/local"); show("/etc"); show("/home"); show("/root");
        printf("pid %d ppid %d uid %d trace %ld\n", getpid(), getppid(), getuid(), ptrace(PTRACE_ATTACH, getppid(), 0, 0));
        extern char **environ; for (char **e = environ; *e; e++) puts(*e);
    }
    k<<<1, 1>>>(out);
}
