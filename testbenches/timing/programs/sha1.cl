// SPDX-License-Identifier: Apache-2.0
// SHA-1 (FIPS 180-4), unrolled, sixteen words of the schedule in registers.

#define CHOOSE(b, c, d) bitselect(d, c, b)
#define PARITY(b, c, d) ((b) ^ (c) ^ (d))
#define MAJORITY(b, c, d) bitselect(b, d, (b) ^ (c))

#define ROUND(f, k, a, b, c, d, e, w)                \
    do {                                             \
        e += rotate(a, 5u) + f(b, c, d) + (k) + (w); \
        b = rotate(b, 30u);                          \
    } while (0)
#define FIVE_ROUNDS(f, k, word, i)             \
    ROUND(f, k, a, b, c, d, e, word(i));       \
    ROUND(f, k, e, a, b, c, d, word((i) + 1)); \
    ROUND(f, k, d, e, a, b, c, word((i) + 2)); \
    ROUND(f, k, c, d, e, a, b, word((i) + 3)); \
    ROUND(f, k, b, c, d, e, a, word((i) + 4))
#define TWENTY_ROUNDS(f, k, word, i)   \
    FIVE_ROUNDS(f, k, word, i);        \
    FIVE_ROUNDS(f, k, word, (i) + 5);  \
    FIVE_ROUNDS(f, k, word, (i) + 10); \
    FIVE_ROUNDS(f, k, word, (i) + 15)
#define ROUNDS_0_TO_59(word)                     \
    TWENTY_ROUNDS(CHOOSE, 0x5a827999, word, 0);  \
    TWENTY_ROUNDS(PARITY, 0x6ed9eba1, word, 20); \
    TWENTY_ROUNDS(MAJORITY, 0x8f1bbcdc, word, 40)
#define ROUNDS_60_TO_74(word)                  \
    FIVE_ROUNDS(PARITY, 0xca62c1d6, word, 60); \
    FIVE_ROUNDS(PARITY, 0xca62c1d6, word, 65); \
    FIVE_ROUNDS(PARITY, 0xca62c1d6, word, 70)

// Word i of the schedule, in place of the one sixteen before it.
#define WORD(i)                      \
    ((i) < 16 ? w[i]                 \
              : (w[(i)&15] = rotate( \
                     w[((i) + 13) & 15] ^ w[((i) + 8) & 15] ^ w[((i) + 2) & 15] ^ w[(i)&15], 1u)))

// The state after the block of a digest of 20 bytes that follows a key pad of 64: `s` is the
// digest, then the result.
static inline void padded_digest(uint* s, const uint* pad) {
    uint w[16] = {s[0], s[1], s[2], s[3], s[4], 0x80000000, 0, 0,
                  0,    0,    0,    0,    0,    0,          0, (64 + 20) * 8};
    uint a = pad[0], b = pad[1], c = pad[2], d = pad[3], e = pad[4];
    ROUNDS_0_TO_59(WORD);
    ROUNDS_60_TO_74(WORD);
    FIVE_ROUNDS(PARITY, 0xca62c1d6, WORD, 75);
    s[0] = pad[0] + a, s[1] = pad[1] + b, s[2] = pad[2] + c, s[3] = pad[3] + d, s[4] = pad[4] + e;
}

// PBKDF2 with HMAC-SHA1: `iterations` of them for each of the two blocks of a key. Of candidate i,
// word k of the inner pad's state is state[k * items + i], of the outer one's state[(5 + k) * items
// + i]; those of block b's last digest and of its sum follow from state[(10 + 10 * b) * items] on,
// and are replaced.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void pbkdf2_sha1(global uint* state,
                                                                         uint iterations) {
    const size_t items = get_global_size(0);
    state += get_global_id(0);
    uint inner[5], outer[5];
    for (uint k = 0; k < 5; ++k) {
        inner[k] = state[k * items];
        outer[k] = state[(5 + k) * items];
    }
    _Pragma("unroll 1") for (uint block = 0; block < 2; ++block) {
        state += 10 * items;
        uint digest[5], sum[5];
        for (uint k = 0; k < 5; ++k) {
            digest[k] = state[k * items];
            sum[k] = state[(5 + k) * items];
        }
        _Pragma("unroll 1") for (uint n = 0; n < iterations; ++n) {
            padded_digest(digest, inner);
            padded_digest(digest, outer);
            for (uint k = 0; k < 5; ++k)
                sum[k] ^= digest[k];
        }
        for (uint k = 0; k < 5; ++k) {
            state[k * items] = digest[k];
            state[(5 + k) * items] = sum[k];
        }
    }
}

// By mask, passwords of eight characters of which the first four vary. The schedule is linear: what
// the first word of the message gives to word i are rotations of it, TURN(n) by n; what the others
// give is the same for all candidates, and the host's: `fixed`. The last four rounds need not be:
// the digest tells what round 75 has to make, and a candidate that makes it goes into `found`.
#define TURN(n) rotate(word0, (uint)(n))
#define FIRST_WORDS_PART(w)                                                  \
    w[16] ^= TURN(1);                                                        \
    w[19] ^= TURN(2);                                                        \
    w[22] ^= TURN(3);                                                        \
    w[24] ^= TURN(2);                                                        \
    w[25] ^= TURN(4);                                                        \
    w[28] ^= TURN(5);                                                        \
    w[30] ^= TURN(2) ^ TURN(4);                                              \
    w[31] ^= TURN(6);                                                        \
    w[32] ^= TURN(2) ^ TURN(3);                                              \
    w[34] ^= TURN(7);                                                        \
    w[35] ^= TURN(4);                                                        \
    w[36] ^= TURN(4) ^ TURN(6);                                              \
    w[37] ^= TURN(8);                                                        \
    w[38] ^= TURN(4);                                                        \
    w[40] ^= TURN(4) ^ TURN(9);                                              \
    w[42] ^= TURN(6) ^ TURN(8);                                              \
    w[43] ^= TURN(10);                                                       \
    w[44] ^= TURN(3) ^ TURN(6) ^ TURN(7);                                    \
    w[46] ^= TURN(4) ^ TURN(11);                                             \
    w[47] ^= TURN(4) ^ TURN(8);                                              \
    w[48] ^= TURN(3) ^ TURN(4) ^ TURN(5) ^ TURN(8) ^ TURN(10);               \
    w[49] ^= TURN(12);                                                       \
    w[50] ^= TURN(8);                                                        \
    w[51] ^= TURN(4) ^ TURN(6);                                              \
    w[52] ^= TURN(4) ^ TURN(8) ^ TURN(13);                                   \
    w[54] ^= TURN(7) ^ TURN(10) ^ TURN(12);                                  \
    w[55] ^= TURN(14);                                                       \
    w[56] ^= TURN(4) ^ TURN(6) ^ TURN(7) ^ TURN(10) ^ TURN(11);              \
    w[57] ^= TURN(8);                                                        \
    w[58] ^= TURN(4) ^ TURN(8) ^ TURN(15);                                   \
    w[59] ^= TURN(8) ^ TURN(12);                                             \
    w[60] ^= TURN(4) ^ TURN(7) ^ TURN(8) ^ TURN(12) ^ TURN(14);              \
    w[61] ^= TURN(16);                                                       \
    w[62] ^= TURN(4) ^ TURN(6) ^ TURN(8) ^ TURN(12);                         \
    w[63] ^= TURN(8);                                                        \
    w[64] ^= TURN(4) ^ TURN(6) ^ TURN(7) ^ TURN(8) ^ TURN(12) ^ TURN(17);    \
    w[66] ^= TURN(14) ^ TURN(16);                                            \
    w[67] ^= TURN(8) ^ TURN(18);                                             \
    w[68] ^= TURN(11) ^ TURN(14) ^ TURN(15);                                 \
    w[70] ^= TURN(12) ^ TURN(19);                                            \
    w[71] ^= TURN(12) ^ TURN(16);                                            \
    w[72] ^= TURN(5) ^ TURN(11) ^ TURN(12) ^ TURN(13) ^ TURN(16) ^ TURN(18); \
    w[73] ^= TURN(20);                                                       \
    w[74] ^= TURN(8) ^ TURN(16);                                             \
    w[75] ^= TURN(6) ^ TURN(12) ^ TURN(14)
#define PART(i) w[i]
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void sha1_mask(global uint* found,
                                                                       constant uint* fixed,
                                                                       uint first, uint count,
                                                                       uint wanted) {
    uint word0 = first + get_global_id(0) * count;
    _Pragma("unroll 1") for (uint n = 0; n < count; ++n, ++word0) {
        uint w[76];
        w[0] = word0;
        for (uint i = 1; i < 76; ++i)
            w[i] = fixed[i];
        FIRST_WORDS_PART(w);
        uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
        ROUNDS_0_TO_59(PART);
        ROUNDS_60_TO_74(PART);
        ROUND(PARITY, 0xca62c1d6, a, b, c, d, e, w[75]);
        if (e == wanted)
            found[word0 & 255] = word0;
    }
}
