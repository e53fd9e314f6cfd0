// SPDX-License-Identifier: Apache-2.0
// CRC-32 of 64 bytes per work-item with tables in constant memory, reached through a table of
// addresses that the loader must relocate.
#define STEP(c) (((c) & 1) ? 0xedb88320u ^ ((c) >> 1) : (c) >> 1)
#define NIBBLE(c) STEP(STEP(STEP(STEP(c))))
#define NIBBLES(s)                                                                              \
    NIBBLE(0u << s), NIBBLE(1u << s), NIBBLE(2u << s), NIBBLE(3u << s), NIBBLE(4u << s),        \
        NIBBLE(5u << s), NIBBLE(6u << s), NIBBLE(7u << s), NIBBLE(8u << s), NIBBLE(9u << s),    \
        NIBBLE(10u << s), NIBBLE(11u << s), NIBBLE(12u << s), NIBBLE(13u << s),                 \
        NIBBLE(14u << s), NIBBLE(15u << s)

constant uint nibble_table[16] = {NIBBLES(0)};
constant uint identity_table[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
constant uint* constant tables[2] = {nibble_table, identity_table};

kernel void crc32(global uint* out, global const uchar* bytes, uint which) {
    const uint i = get_global_id(0);
    constant uint* table = tables[which & 1];
    uint crc = 0xffffffffu;
    for (uint k = 0; k < 64; ++k) {
        crc ^= bytes[64 * i + k];
        crc = table[crc & 15] ^ (crc >> 4);
        crc = table[crc & 15] ^ (crc >> 4);
    }
    out[i] = ~crc;
}
