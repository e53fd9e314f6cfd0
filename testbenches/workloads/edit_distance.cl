// SPDX-License-Identifier: Apache-2.0
// Edit distance of pairs of words by dynamic programming; a row of the table is private.
#define LENGTH 24
kernel void edit_distance(global uint* out, global const uchar* a, global const uchar* b) {
    const size_t pair = get_global_id(0);
    uint row[LENGTH + 1];
    for (uint j = 0; j <= LENGTH; ++j)
        row[j] = j;
    for (uint i = 0; i < LENGTH; ++i) {
        uint diagonal = row[0];
        row[0] = i + 1;
        const uchar letter = a[pair * LENGTH + i] & 3;
        for (uint j = 0; j < LENGTH; ++j) {
            const uint change = diagonal + (letter == (b[pair * LENGTH + j] & 3) ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = min(change, min(row[j], diagonal) + 1);
        }
    }
    out[pair] = row[LENGTH];
}
