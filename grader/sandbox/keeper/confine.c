/* confine.c - what a program may no longer do: open files (Landlock), make dangerous system calls (seccomp), be counted with
 * others (a user namespace). Raw system calls, as no library is needed for them. Each says whether the kernel has it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "grader/sandbox/keeper/keeper.h"

/* ------------------------------------------------------------------------------------------- files */

/* Landlock as the kernel defines it; system headers may be older than the kernel. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, GET_VERSION = 1, PATH_BENEATH = 1 };
enum {
    MAY_EXECUTE = 1 << 0,
    MAY_WRITE_FILE = 1 << 1,
    MAY_READ_FILE = 1 << 2,
    MAY_READ_FOLDER = 1 << 3,
    OF_VERSION_1 = (1 << 13) - 1,
    MAY_REFER = 1 << 13,    /* version 2 */
    MAY_TRUNCATE = 1 << 14, /* version 3 */
    ON_FILES = MAY_EXECUTE | MAY_WRITE_FILE | MAY_READ_FILE | MAY_TRUNCATE,
    TCP = 3,  /* version 4 */
    SCOPE = 3 /* version 6: no signals to processes outside, no sockets of theirs */
};
struct ruleset {
    uint64_t files, network, scope;
};
struct beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

static uint64_t rights_of(long version)
{
    return OF_VERSION_1 | (version >= 2 ? MAY_REFER : 0) | (version >= 3 ? MAY_TRUNCATE : 0);
}

/* A path that does not exist needs no rule. */
static bool allow(int rules, const char *path, uint64_t rights)
{
    struct stat status;
    struct beneath rule = {.allowed = rights, .parent = open(path, O_PATH | O_CLOEXEC)};
    if (rule.parent < 0)
        return true;
    if (fstat(rule.parent, &status) == 0 && !S_ISDIR(status.st_mode))
        rule.allowed &= ON_FILES;
    bool is_done = syscall(ADD_RULE, rules, PATH_BENEATH, &rule, 0) == 0;
    close(rule.parent);
    return is_done;
}

bool confine_files(char *const *readable, char *const *writable)
{
    const long version = syscall(CREATE_RULESET, NULL, 0, GET_VERSION);
    if (version < 1)
        return false;
    struct ruleset set = {
        .files = rights_of(version), .network = version >= 4 ? TCP : 0, .scope = version >= 6 ? SCOPE : 0};
    const size_t size = version >= 6 ? sizeof set : version >= 4 ? 16 : 8;
    const int rules = (int)syscall(CREATE_RULESET, &set, size, 0);
    bool is_done = rules >= 0;
    for (; is_done && *readable; readable++)
        is_done = allow(rules, *readable, MAY_EXECUTE | MAY_READ_FILE | MAY_READ_FOLDER);
    for (; is_done && *writable; writable++)
        is_done = allow(rules, *writable, set.files);
    is_done = is_done && syscall(RESTRICT_SELF, rules, 0) == 0;
    if (rules >= 0)
        close(rules);
    return is_done;
}

/* ------------------------------------------------------------------------------------------- system calls */

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE
/* Other processes' memory, the kernel's own doors, file systems, clocks, and shared memory that no limit counts. */
static const int refused[] = {
    __NR_ptrace,
    __NR_process_vm_readv,
    __NR_process_vm_writev,
    __NR_kcmp,
    __NR_bpf,
    __NR_perf_event_open,
    __NR_userfaultfd,
    __NR_keyctl,
    __NR_add_key,
    __NR_request_key,
    __NR_mount,
    __NR_umount2,
    __NR_pivot_root,
    __NR_chroot,
    __NR_unshare,
    __NR_setns,
    __NR_kexec_load,
    __NR_init_module,
    __NR_finit_module,
    __NR_delete_module,
    __NR_reboot,
    __NR_swapon,
    __NR_swapoff,
    __NR_settimeofday,
    __NR_clock_settime,
    __NR_adjtimex,
    __NR_clock_adjtime,
    __NR_sethostname,
    __NR_setdomainname,
    __NR_acct,
    __NR_quotactl,
    __NR_name_to_handle_at,
    __NR_open_by_handle_at,
    __NR_shmget,
    __NR_shmat,
    __NR_msgget,
    __NR_semget,
    __NR_mq_open,
    425 /* io_uring_setup */,
    426,
    427,
    428 /* open_tree */,
    429 /* move_mount */,
    430 /* fsopen */,
    431,
    432,
    433,
    438 /* pidfd_getfd */,
    442 /* mount_setattr */,
};
enum { REFUSED = sizeof refused / sizeof *refused, CLONE3 = 435, LONGEST = 3 * REFUSED + 32 };
#define NAMESPACES (CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

struct program {
    struct sock_filter steps[LONGEST];
    unsigned short count;
};

static void add(struct program *program, struct sock_filter step)
{
    program->steps[program->count++] = step;
}

static void load(struct program *program, size_t offset)
{
    add(program, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset));
}

static void end_with(struct program *program, uint32_t action)
{
    add(program, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

static void refuse(struct program *program, int call, int error)
{
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)call, 0, 1));
    end_with(program, SECCOMP_RET_ERRNO | (uint32_t)error);
}

/* clone() makes threads and processes, but no namespaces. */
static void refuse_namespaces(struct program *program)
{
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 4));
    load(program, offsetof(struct seccomp_data, args[0]));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, NAMESPACES, 0, 1));
    end_with(program, SECCOMP_RET_ERRNO | EPERM);
    end_with(program, SECCOMP_RET_ALLOW);
}

/* Calls of another architecture have other numbers. */
static void begin(struct program *program)
{
    load(program, offsetof(struct seccomp_data, arch));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    end_with(program, SECCOMP_RET_KILL_PROCESS);
    load(program, offsetof(struct seccomp_data, nr));
    add(program, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
    end_with(program, SECCOMP_RET_ERRNO | ENOSYS);
}

bool confine_calls(bool is_netless)
{
    struct program program = {.count = 0};
    begin(&program);
    for (int i = 0; i < REFUSED; i++)
        refuse(&program, refused[i], EPERM);
    refuse(&program, CLONE3, ENOSYS); /* its flags cannot be seen; programs then take clone() */
    if (is_netless)
        refuse(&program, __NR_socket, EACCES);
    refuse_namespaces(&program);
    end_with(&program, SECCOMP_RET_ALLOW);
    const struct sock_fprog filter = {.len = program.count, .filter = program.steps};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) == 0;
}
#else
bool confine_calls(bool is_netless)
{
    (void)is_netless;
    errno = ENOSYS;
    return false;
}
#endif

/* ------------------------------------------------------------------------------------------- who is counted */

static bool write_text(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool is_done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return is_done;
}

bool confine_users(void)
{
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    snprintf(groups, sizeof groups, "%u %u 1", (unsigned)getegid(), (unsigned)getegid());
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* the maps belong to who can be looked at */
    return unshare(CLONE_NEWUSER) == 0 && write_text("/proc/self/setgroups", "deny") &&
           write_text("/proc/self/uid_map", users) && write_text("/proc/self/gid_map", groups);
}
