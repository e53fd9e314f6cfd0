// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4) as programs that do nothing else write it: unrolled, sixteen words of the schedule in registers.

#define ROTR(x, n) rotate(x, 32u - (n))
#define BIG0(x) (ROTR(x, 2) ^ ROTR(x, 13) ^ ROTR(x, 22))
#define BIG1(x) (ROTR(x, 6) ^ ROTR(x, 11) ^ ROTR(x, 25))
#define SMALL0(x) (ROTR(x, 7) ^ ROTR(x, 18) ^ ((x) >> 3))
#define SMALL1(x) (ROTR(x, 17) ^ ROTR(x, 19) ^ ((x) >> 10))
#define CHOOSE(e, f, g) bitselect(g, f, e)
#define MAJORITY(a, b, c) bitselect(a, b, (a) ^ (c))

#define ROUND(a, b, c, d, e, f, g, h, k, w)         \
    do {                                            \
        h += BIG1(e) + CHOOSE(e, f, g) + (w) + (k); \
        d += h;                                     \
        h += BIG0(a) + MAJORITY(a, b, c);           \
    } while (0)

// Word i of the schedule: of the message, or in place of the one sixteen before it.
#define NEXT(w, i) (w[(i) & 15] += SMALL0(w[((i) + 1) & 15]) + w[((i) + 9) & 15] + SMALL1(w[((i) + 14) & 15]))
#define WORD(w, i) ((i) < 16 ? w[i] : NEXT(w, i))

// Rounds on the variables a to h with the words w, of which `word` is WORD or stands for it.
#define THREE_ROUNDS(word, i, k0, k1, k2)                \
    ROUND(a, b, c, d, e, f, g, h, k0, word(w, i));       \
    ROUND(h, a, b, c, d, e, f, g, k1, word(w, (i) + 1)); \
    ROUND(g, h, a, b, c, d, e, f, k2, word(w, (i) + 2))
#define TWO_ROUNDS(word, i, k3, k4)                      \
    ROUND(f, g, h, a, b, c, d, e, k3, word(w, (i) + 3)); \
    ROUND(e, f, g, h, a, b, c, d, k4, word(w, (i) + 4))
#define LAST_ROUNDS(word, i, k5, k6, k7)                 \
    ROUND(d, e, f, g, h, a, b, c, k5, word(w, (i) + 5)); \
    ROUND(c, d, e, f, g, h, a, b, k6, word(w, (i) + 6)); \
    ROUND(b, c, d, e, f, g, h, a, k7, word(w, (i) + 7))
#define EIGHT_ROUNDS(word, i, k0, k1, k2, k3, k4, k5, k6, k7) \
    THREE_ROUNDS(word, i, k0, k1, k2);                        \
    TWO_ROUNDS(word, i, k3, k4);                              \
    LAST_ROUNDS(word, i, k5, k6, k7)

#define ROUNDS_0_TO_2(word) THREE_ROUNDS(word, 0, 0x428a2f98, 0x71374491, 0xb5c0fbcf)
#define ROUNDS_3_TO_55(word)                                                                                          \
    TWO_ROUNDS(word, 0, 0xe9b5dba5, 0x3956c25b);                                                                      \
    LAST_ROUNDS(word, 0, 0x59f111f1, 0x923f82a4, 0xab1c5ed5);                                                         \
    EIGHT_ROUNDS(word, 8, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174);  \
    EIGHT_ROUNDS(word, 16, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da); \
    EIGHT_ROUNDS(word, 24, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967); \
    EIGHT_ROUNDS(word, 32, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85); \
    EIGHT_ROUNDS(word, 40, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070); \
    EIGHT_ROUNDS(word, 48, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3)
#define ROUNDS_56_TO_60(word)                                \
    THREE_ROUNDS(word, 56, 0x748f82ee, 0x78a5636f, 0x84c87814); \
    TWO_ROUNDS(word, 56, 0x8cc70208, 0x90befffa)
#define ROUNDS_61_TO_63(word) LAST_ROUNDS(word, 56, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2)

// The state before the first block, and the block of a message that is a digest.
#define FIRST_STATE                                                  \
    a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, \
    e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19
#define BLOCK_OF(s) {s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], 0x80000000, 0, 0, 0, 0, 0, 0, 256}

// Stretching of a password: SHA-256 of the digest before, `iterations` times. A work-item is a candidate; its last digest
// replaces its first in `state`, word k of item i at k * items + i.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void sha256_iterated(global uint* state, uint iterations) {
    const size_t items = get_global_size(0);
    state += get_global_id(0);
    uint s[8];
    for (uint k = 0; k < 8; ++k)
        s[k] = state[k * items];

    for (uint n = 0; n < iterations; ++n) {
        uint w[16] = BLOCK_OF(s);
        uint FIRST_STATE;
        ROUNDS_0_TO_2(WORD);
        ROUNDS_3_TO_55(WORD);
        ROUNDS_56_TO_60(WORD);
        ROUNDS_61_TO_63(WORD);
        s[0] = a + 0x6a09e667;
        s[1] = b + 0xbb67ae85;
        s[2] = c + 0x3c6ef372;
        s[3] = d + 0xa54ff53a;
        s[4] = e + 0x510e527f;
        s[5] = f + 0x9b05688c;
        s[6] = g + 0x1f83d9ab;
        s[7] = h + 0x5be0cd19;
    }
    for (uint k = 0; k < 8; ++k)
        state[k * items] = s[k];
}

// Words of the schedule of a header's last block, whose words 0 to 2 are the same for all nonces: the host has made words
// 16 and 17, and the parts of four others that follow from those.
#define HEADER_WORD(w, i)                                          \
    ((i) < 18    ? w[(i) & 15]                                     \
     : (i) == 18 ? (w[2] = part18 + SMALL0(w[3]))                  \
     : (i) == 19 ? (w[3] += part19)                                \
     : (i) == 31 ? (w[15] = part31 + w[8] + SMALL1(w[13]))         \
     : (i) == 32 ? (w[0] = part32 + w[9] + SMALL1(w[14]))          \
                 : NEXT(w, i))

// Mining: SHA-256 of the SHA-256 of a block's header of 80 bytes, a nonce a work-item. The host has hashed the first 64
// bytes (`s0` to `s7`) and done the three rounds behind them that no nonce changes (`a` to `h`). The second hash ends with
// the round that settles the last word of its digest; where that is zero, the nonce goes into `found`.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void sha256_mining(
    global uint* found, uint first, uint s0, uint s1, uint s2, uint s3, uint s4, uint s5, uint s6, uint s7, uint a, uint b,
    uint c, uint d, uint e, uint f, uint g, uint h, uint word16, uint word17, uint part18, uint part19, uint part31,
    uint part32) {
    const uint nonce = first + get_global_id(0);
    uint s[8];
    {
        uint w[16] = {word16, word17, 0, nonce, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 640};
        ROUNDS_3_TO_55(HEADER_WORD);
        ROUNDS_56_TO_60(HEADER_WORD);
        ROUNDS_61_TO_63(HEADER_WORD);
    }
    s[0] = s0 + a, s[1] = s1 + b, s[2] = s2 + c, s[3] = s3 + d, s[4] = s4 + e, s[5] = s5 + f, s[6] = s6 + g, s[7] = s7 + h;
    uint w[16] = BLOCK_OF(s);
    FIRST_STATE;
    ROUNDS_0_TO_2(WORD);
    ROUNDS_3_TO_55(WORD);
    ROUNDS_56_TO_60(WORD);
    if (h + 0x5be0cd19 == 0)
        found[nonce & 255] = nonce;
}
