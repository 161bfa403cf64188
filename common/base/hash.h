/* hash.h - hash functions: the same number for the same bytes, on every machine and in every run.
 * Not against an enemy: whoever chooses the bytes can make two of them meet. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Text: FNV-1a. Readers that go through a text anyway take a byte at a time. */
enum { HASH_START = 2166136261u };

static inline uint32_t hash_byte(uint32_t hash, uint8_t byte)
{
    return (hash ^ byte) * 16777619u;
}

static inline uint32_t hash_text(const char *text, size_t size)
{
    uint32_t hash = HASH_START;
    for (size_t i = 0; i < size; i++)
        hash = hash_byte(hash, (uint8_t)text[i]);
    return hash;
}

/* Files: FNV-1a of 64 bits, as a checksum that finds damage. */
static inline uint64_t hash_bytes(const void *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

/* Numbers: a product with 2^32 or 2^64 over the golden ratio spreads neighbours far apart. The high bits are the good
 * ones: hash_word(x) >> (64 - bits) is an index into a table of 2^bits places. */
static inline uint32_t hash_word32(uint32_t word)
{
    return word * 0x9e3779b1u;
}

static inline uint64_t hash_word(uint64_t word)
{
    return word * 0x9e3779b97f4a7c15u;
}

#endif
