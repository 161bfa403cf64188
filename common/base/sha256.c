/* sha256.c - see sha256.h. */
#include "base/sha256.h"

#include <string.h>

/* The first 32 bits behind the points of the cube roots of the first 64 primes. */
static const uint32_t keys[SHA256_BLOCK] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t word, int bits)
{
    return word >> bits | word << (32 - bits);
}

static uint32_t big_endian(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void spread(const uint8_t *block, uint32_t words[SHA256_BLOCK])
{
    for (int i = 0; i < 16; i++)
        words[i] = big_endian(block + 4 * i);
    for (int i = 16; i < SHA256_BLOCK; i++) {
        const uint32_t a = words[i - 15], b = words[i - 2];
        words[i] = words[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + words[i - 7] +
                   (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
}

/* s holds a to h of the standard. */
static void mix(uint32_t s[8], uint32_t word)
{
    const uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]),
                   majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
    const uint32_t first = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice + word;
    const uint32_t second = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + majority;
    memmove(s + 1, s, 7 * sizeof *s);
    s[4] += first;
    s[0] = first + second;
}

static void take_block(struct sha256 *sha, const uint8_t *block)
{
    uint32_t words[SHA256_BLOCK], s[8];
    spread(block, words);
    memcpy(s, sha->state, sizeof s);
    for (int i = 0; i < SHA256_BLOCK; i++)
        mix(s, keys[i] + words[i]);
    for (int i = 0; i < 8; i++)
        sha->state[i] += s[i];
}

void sha256_begin(struct sha256 *sha)
{
    /* Likewise, of the square roots of the first eight primes. */
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(sha->state, start, sizeof start);
    sha->bytes = 0;
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t size)
{
    for (const uint8_t *next = bytes; size > 0;) {
        const size_t at = sha->bytes % SHA256_BLOCK, room = SHA256_BLOCK - at,
                     part = size < room ? size : room;
        memcpy(sha->block + at, next, part);
        sha->bytes += part;
        next += part;
        size -= part;
        if (at + part == SHA256_BLOCK)
            take_block(sha, sha->block);
    }
}

/* The rest is a one, zeros, and the number of bits in the block's last eight bytes. */
void sha256_end(struct sha256 *sha, uint8_t digest[SHA256_BYTES])
{
    static const uint8_t padding[SHA256_BLOCK] = {0x80};
    const uint64_t bits = 8 * sha->bytes;
    uint8_t length[8];
    for (int i = 0; i < 8; i++)
        length[i] = (uint8_t)(bits >> (56 - 8 * i));
    const size_t used = (sha->bytes + sizeof length) % SHA256_BLOCK;
    sha256_add(sha, padding, SHA256_BLOCK - used);
    sha256_add(sha, length, sizeof length);
    for (int i = 0; i < SHA256_BYTES; i++)
        digest[i] = (uint8_t)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_of(const void *bytes, size_t size, uint8_t digest[SHA256_BYTES])
{
    struct sha256 sha;
    sha256_begin(&sha);
    sha256_add(&sha, bytes, size);
    sha256_end(&sha, digest);
}

uint64_t sha256_seed(uint64_t number, const void *bytes, size_t size)
{
    struct sha256 sha;
    uint8_t digest[SHA256_BYTES], first[8];
    uint64_t seed = 0;
    for (int i = 0; i < 8; i++)
        first[i] = (uint8_t)(number >> 8 * i);
    sha256_begin(&sha);
    sha256_add(&sha, first, sizeof first);
    sha256_add(&sha, bytes, size);
    sha256_end(&sha, digest);
    for (int i = 0; i < 8; i++)
        seed = seed << 8 | digest[i];
    return seed;
}
