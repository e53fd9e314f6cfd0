// SPDX-License-Identifier: Apache-2.0
// MD4 (RFC 1320) and MD5 (RFC 1321) of passwords of eight characters, of which the first four vary.
// The host has undone the last fifteen steps, which the first word of the message has no part in.
// So the fourth step before those makes a word of which the host knows what it has to be, and a
// candidate that makes it goes into `found`.

#define SELECT(x, y, z) bitselect(z, y, x)
#define SELECT_BY_LAST(x, y, z) bitselect(y, x, z)
#define MAJORITY(x, y, z) bitselect(x, z, (x) ^ (y))
#define PARITY(x, y, z) ((x) ^ (y) ^ (z))

// The words of the message. `word1` follows the candidate's; then come the bit behind the message
// and its length.
#define MESSAGE(i) ((i) == 0 ? word0 : (i) == 1 ? word1 : (i) == 2 ? 0x80u : (i) == 14 ? 64u : 0u)

#define FIRST_STATE a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476

#define MASK_KERNEL(name, steps, last)                                         \
    kernel __attribute__((reqd_work_group_size(256, 1, 1))) void name(         \
        global uint* found, uint first, uint count, uint word1, uint wanted) { \
        uint word0 = first + get_global_id(0) * count;                         \
        _Pragma("unroll 1") for (uint n = 0; n < count; ++n, ++word0) {        \
            uint FIRST_STATE;                                                  \
            steps;                                                             \
            if (last == wanted)                                                \
                found[word0 & 255] = word0;                                    \
        }                                                                      \
    }

#define STEP4(f, k, a, b, c, d, i, s) a = rotate(a + f(b, c, d) + (MESSAGE(i) + (k)), (uint)(s))
#define FOUR_STEPS4(f, k, i0, i1, i2, i3, s0, s1, s2, s3) \
    STEP4(f, k, a, b, c, d, i0, s0);                      \
    STEP4(f, k, d, a, b, c, i1, s1);                      \
    STEP4(f, k, c, d, a, b, i2, s2);                      \
    STEP4(f, k, b, c, d, a, i3, s3)
#define FIRST4(i) FOUR_STEPS4(SELECT, 0u, i, (i) + 1, (i) + 2, (i) + 3, 3, 7, 11, 19)
#define SECOND4(i) FOUR_STEPS4(MAJORITY, 0x5a827999u, i, (i) + 4, (i) + 8, (i) + 12, 3, 5, 9, 13)
#define MD4_STEPS                                   \
    FIRST4(0);                                      \
    FIRST4(4);                                      \
    FIRST4(8);                                      \
    FIRST4(12);                                     \
    SECOND4(0);                                     \
    SECOND4(1);                                     \
    SECOND4(2);                                     \
    STEP4(MAJORITY, 0x5a827999u, a, b, c, d, 3, 3); \
    STEP4(MAJORITY, 0x5a827999u, d, a, b, c, 7, 5)
MASK_KERNEL(md4_mask, MD4_STEPS, d)

// An empty asm between the additions of a step and of the next: else clang makes a running sum of all rotated words beside
// the steps, 39 additions more.
#define STEP5(f, a, b, c, d, i, k, s)                                         \
    do {                                                                      \
        a = b + rotate(a + f(b, c, d) + (MESSAGE(i) + (k)), (uint)(s));       \
        __asm__("" : "+v"(a));                                                \
    } while (0)
#define FOUR_STEPS5(f, i, step, s0, s1, s2, s3, k0, k1, k2, k3) \
    STEP5(f, a, b, c, d, (i)&15, k0, s0);                       \
    STEP5(f, d, a, b, c, (i) + (step)&15, k1, s1);              \
    STEP5(f, c, d, a, b, (i) + 2 * (step)&15, k2, s2);          \
    STEP5(f, b, c, d, a, (i) + 3 * (step)&15, k3, s3)
#define FIRST5(i, k0, k1, k2, k3) FOUR_STEPS5(SELECT, i, 1, 7, 12, 17, 22, k0, k1, k2, k3)
#define SECOND5(i, k0, k1, k2, k3) FOUR_STEPS5(SELECT_BY_LAST, i, 5, 5, 9, 14, 20, k0, k1, k2, k3)
#define THIRD5(i, k0, k1, k2, k3) FOUR_STEPS5(PARITY, i, 3, 4, 11, 16, 23, k0, k1, k2, k3)
#define MD5_STEPS                                                \
    FIRST5(0, 0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee);   \
    FIRST5(4, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501);   \
    FIRST5(8, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be);   \
    FIRST5(12, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821);  \
    SECOND5(1, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa);  \
    SECOND5(5, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8);  \
    SECOND5(9, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed);  \
    SECOND5(13, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a); \
    THIRD5(5, 0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c);   \
    THIRD5(1, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70);   \
    THIRD5(13, 0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05);  \
    STEP5(PARITY, a, b, c, d, 9, 0xd9d4d039, 4);                 \
    STEP5(PARITY, d, a, b, c, 12, 0xe6db99e5, 11)
MASK_KERNEL(md5_mask, MD5_STEPS, d)
