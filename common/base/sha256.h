/* sha256.h - SHA-256 (FIPS 180-4), for numbers that nobody can choose: whoever knows the bytes knows the digest, but no bytes
 * can be found for a digest. For tables and checksums hash.h is faster. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_BLOCK = 64 };

struct sha256 {
    uint32_t state[8];
    uint64_t bytes; /* so far */
    uint8_t block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t size);
void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_BYTES]);

void sha256_of(const void *bytes, size_t size, uint8_t digest[SHA256_BYTES]);
/* The first eight bytes of the digest of a number and some bytes. */
uint64_t sha256_seed(uint64_t number, const void *bytes, size_t size);

#endif
