/* sha256.cu - SHA-256 of many messages, one thread each, and a search for a hash that begins with zero bits.
 * Digests of "abc" and of the empty message are the published ones. */
#include "../kit.cuh"

struct digest {
    unsigned word[8];
};

/* The constants are the first 32 bits of the fractional parts of cube roots (and square roots) of primes. */
static unsigned fraction_bits(int prime, bool cube)
{
    long double root = cube ? cbrtl(prime) : sqrtl(prime);
    return (unsigned)((root - floorl(root)) * 4294967296.0L);
}

__constant__ unsigned round_constants[64];
__constant__ struct digest initial;

__device__ unsigned rotate(unsigned x, int n)
{
    return x >> n | x << (32 - n);
}

__device__ struct digest compress(struct digest state, const unsigned *block)
{
    unsigned w[64], s[8];
    for (int i = 0; i < 16; i++)
        w[i] = block[i];
    for (int i = 16; i < 64; i++) {
        unsigned a = rotate(w[i - 15], 7) ^ rotate(w[i - 15], 18) ^ w[i - 15] >> 3;
        unsigned b = rotate(w[i - 2], 17) ^ rotate(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + a + w[i - 7] + b;
    }
    for (int i = 0; i < 8; i++)
        s[i] = state.word[i];
    for (int i = 0; i < 64; i++) {
        unsigned e = s[4], a = s[0];
        unsigned t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & s[5]) ^ (~e & s[6])) +
                      round_constants[i] + w[i];
        unsigned t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        state.word[i] += s[i];
    return state;
}

/* A message of up to 55 bytes fits one block with its padding. */
__device__ struct digest hash(const char *text, int length)
{
    unsigned block[16] = {};
    for (int i = 0; i < length; i++)
        block[i / 4] |= (unsigned)(unsigned char)text[i] << (24 - i % 4 * 8);
    block[length / 4] |= 0x80u << (24 - length % 4 * 8);
    block[15] = length * 8;
    return compress(initial, block);
}

__global__ void hash_prefixes(struct digest *out, const char *text, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = hash(text, i);
}

__global__ void search(unsigned *found, int zero_bits)
{
    unsigned nonce = blockIdx.x * blockDim.x + threadIdx.x;
    char text[8];
    for (int i = 0; i < 8; i++)
        text[i] = "0123456789abcdef"[nonce >> (28 - 4 * i) & 15];
    if (__clz(hash(text, 8).word[0]) >= zero_bits)
        atomicMin(found, nonce);
}

int main(void)
{
    unsigned constants[64];
    struct digest start;
    for (int count = 0, prime = 2; count < 64; prime++) {
        bool is_prime = true;
        for (int d = 2; d * d <= prime; d++)
            is_prime = is_prime && prime % d != 0;
        if (!is_prime)
            continue;
        if (count < 8)
            start.word[count] = fraction_bits(prime, false);
        constants[count++] = fraction_bits(prime, true);
    }
    CHECK(cudaMemcpyToSymbol(round_constants, constants, sizeof constants));
    CHECK(cudaMemcpyToSymbol(initial, &start, sizeof start));
    std::vector<char> text = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};
    struct digest *out = device_new<struct digest>(4);
    hash_prefixes<<<1, 32>>>(out, to_device(text), 4);
    CHECK_LAUNCH();
    std::vector<struct digest> got = from_device(out, 4);
    const unsigned empty[] = {0xe3b0c442, 0x98fc1c14, 0x9afbf4c8, 0x996fb924, 0x27ae41e4, 0x649b934c, 0xa495991b, 0x7852b855};
    const unsigned abc[] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    for (int i = 0; i < 8; i++) {
        EXPECT_EQUAL(empty[i], got[0].word[i]);
        EXPECT_EQUAL(abc[i], got[3].word[i]);
    }
    unsigned *found = to_device(std::vector<unsigned>(1, ~0u));
    search<<<32, 128>>>(found, 9);
    CHECK_LAUNCH();
    printf("nonce %08x\n", from_device(found, 1)[0]);
    return finish();
}
