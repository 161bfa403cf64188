/* fatbin.c - the container that nvcc embeds: finds the PTX texts and cubins in it.
 * Every header and payload is checked against the container's size before it is read.
 * PTX is parsed by parse.c, cubins are read by cubin.c. */
#include "ptx/fatbin.h"

#include "base/list.h"
#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONTAINER_MAGIC = 0xBA55ED50u,
    CONTAINER_HEADER = 16,
    ENTRY_HEADER = 64, /* the fields we read; the header itself may be longer */
    FLAG_LZ4 = 0x2000,
    FLAG_ZSTD = 0x8000,
    FLAG_SPECIFIC = 0x100000, /* seen on the entries of -arch=sm_90a, which makes PTX of compute_90 as well */
};

/* Where the fields of an entry's header stand. */
enum {
    AT_KIND = 0,
    AT_HEADER_SIZE = 4,
    AT_PADDED_SIZE = 8,
    AT_COMPRESSED_SIZE = 16,
    AT_ARCH = 28,
    AT_FLAGS = 40
};

static bool fail(char *message, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool fail(char *message, size_t size, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (message && size)
        vsnprintf(message, size, format, args);
    va_end(args);
    return false;
}

/* The bytes of entries in the container: checked against size, if the caller knows it. */
static bool read_header(const uint8_t *data, size_t size, const uint8_t **entries, uint64_t *entries_size,
                        char *message, size_t message_size)
{
    if (!data)
        return fail(message, message_size, "there is no fatbin at address 0");
    if (size && size < CONTAINER_HEADER)
        return fail(message, message_size, "the fatbin is cut off: %zu bytes are less than its header", size);
    if (number_at(data, 4) != CONTAINER_MAGIC)
        return fail(message, message_size, "this is no fatbin: it begins with 0x%08x, not 0x%08x",
                    (unsigned)number_at(data, 4), (unsigned)CONTAINER_MAGIC);
    unsigned version = (unsigned)number_at(data + 4, 2);
    uint64_t header_size = number_at(data + 6, 2), body_size = number_at(data + 8, 8);
    if (version != 1 || header_size < CONTAINER_HEADER)
        return fail(message, message_size,
                    "this fatbin has version %u and a header of %u bytes: expected 1 and 16", version,
                    (unsigned)header_size);
    if (size && (header_size > size || body_size > size - header_size))
        return fail(message, message_size,
                    "the fatbin is cut off: its header promises %llu bytes, %zu are there",
                    (unsigned long long)body_size, size - CONTAINER_HEADER);
    *entries = data + header_size;
    *entries_size = body_size;
    return true;
}

static bool add_entry(struct fatbin *fatbin, const struct fatbin_entry *entry)
{
    struct fatbin_entry *entries =
        list_reserve(fatbin->entries, &fatbin->capacity, fatbin->count + 1, sizeof *entries);
    if (!entries)
        return false;
    fatbin->entries = entries;
    entries[fatbin->count++] = *entry;
    return true;
}

/* Reads the entry at the head of data[0..size); its whole size goes to *step. */
static bool read_entry(struct fatbin *fatbin, const uint8_t *data, uint64_t size, uint64_t *step,
                       char *message, size_t message_size)
{
    size_t number = fatbin->count + 1;
    if (size < ENTRY_HEADER)
        return fail(message, message_size, "the fatbin is cut off in the header of entry %zu", number);
    uint64_t header_size = number_at(data + AT_HEADER_SIZE, 4), padded = number_at(data + AT_PADDED_SIZE, 8);
    if (header_size < ENTRY_HEADER || header_size > size || padded > size - header_size)
        return fail(message, message_size,
                    "entry %zu of the fatbin is damaged: %llu + %llu bytes, %llu are there", number,
                    (unsigned long long)header_size, (unsigned long long)padded, (unsigned long long)size);
    uint64_t flags = number_at(data + AT_FLAGS, 8), compressed = number_at(data + AT_COMPRESSED_SIZE, 4);
    struct fatbin_entry entry = {
        .kind = (enum fatbin_kind)number_at(data + AT_KIND, 2),
        .arch = (uint32_t)number_at(data + AT_ARCH, 4),
        .is_specific = (flags & FLAG_SPECIFIC) != 0,
        .is_compressed = (flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0,
        .data = data + header_size,
        .size = padded,
    };
    if (entry.is_compressed && compressed > padded)
        return fail(message, message_size,
                    "entry %zu of the fatbin is damaged: %llu compressed bytes in %llu", number,
                    (unsigned long long)compressed, (unsigned long long)padded);
    if (entry.is_compressed)
        entry.size = compressed;
    *step = header_size + padded;
    bool is_known = entry.kind == FATBIN_PTX || entry.kind == FATBIN_CUBIN;
    if (is_known && !add_entry(fatbin, &entry))
        return fail(message, message_size, "not enough memory for a fatbin");
    return true;
}

bool fatbin_read(struct fatbin *out, const void *data, size_t size, char *message, size_t message_size)
{
    const uint8_t *entries = NULL;
    uint64_t left = 0, step = 0;
    *out = (struct fatbin){0};
    if (!read_header(data, size, &entries, &left, message, message_size))
        return false;
    for (; left; entries += step, left -= step)
        if (!read_entry(out, entries, left, &step, message, message_size))
            return false;
    return true;
}

void fatbin_free(struct fatbin *fatbin)
{
    free(fatbin->entries);
    *fatbin = (struct fatbin){0};
}

/* 0: it does not suit. */
static uint32_t rank_of(const struct fatbin_entry *entry, uint32_t cc)
{
    if (entry->is_specific)
        return entry->arch == cc ? UINT32_MAX : 0;
    return entry->arch <= cc ? entry->arch : 0;
}

static const struct fatbin_entry *best_of(const struct fatbin *fatbin, enum fatbin_kind kind, uint32_t cc)
{
    const struct fatbin_entry *best = NULL, *lowest = NULL;
    uint32_t rank = 0;
    for (size_t i = 0; i < fatbin->count; i++) {
        const struct fatbin_entry *entry = &fatbin->entries[i];
        if (entry->kind != kind)
            continue;
        if (rank_of(entry, cc) > rank) {
            best = entry;
            rank = rank_of(entry, cc);
        }
        if (!lowest || entry->arch < lowest->arch)
            lowest = entry;
    }
    return best ? best : lowest;
}

const struct fatbin_entry *fatbin_best_ptx(const struct fatbin *fatbin, uint32_t cc)
{
    return best_of(fatbin, FATBIN_PTX, cc);
}

const struct fatbin_entry *fatbin_best_cubin(const struct fatbin *fatbin, uint32_t cc)
{
    return best_of(fatbin, FATBIN_CUBIN, cc);
}
