/* pages.h - memory all of which is going to be used. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where the system has large pages, a fault brings 512 pages of the usual size at once. No effect but on time; of memory of which
 * little is used, each page that is takes 2 MB. */
static inline void pages_expect_all(void *begin, size_t bytes)
{
    const size_t least = (size_t)4 << 20, page = (size_t)sysconf(_SC_PAGESIZE);
    const size_t skipped = -(uintptr_t)begin % page;
    if (bytes >= least)
        madvise((uint8_t *)begin + skipped, (bytes - skipped) / page * page, MADV_HUGEPAGE);
}
