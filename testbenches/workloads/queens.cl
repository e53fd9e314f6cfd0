// SPDX-License-Identifier: Apache-2.0
// Solutions of the queens puzzle below given first two rows: backtracking with a private stack.
kernel void queens(global uint* out, uint n) {
    const uint i = (uint)get_global_id(0);
    const uint all = (1u << n) - 1;
    uint solutions = 0;
    const uint first = 1u << (i % n);
    const uint second = 1u << (i / n);
    uint columns[12];
    uint left[12];
    uint right[12];
    uint open[12];
    if (i < n * n && ((first | first << 1 | first >> 1) & second) == 0) {
        uint depth = 0;
        columns[0] = first | second;
        left[0] = (first << 1 | second) << 1;
        right[0] = (first >> 1 | second) >> 1;
        open[0] = all & ~(columns[0] | left[0] | right[0]);
        while (true) {
            if (open[depth] == 0) {
                if (depth == 0)
                    break;
                --depth;
                continue;
            }
            const uint bit = open[depth] & (0u - open[depth]);
            open[depth] ^= bit;
            const uint c = columns[depth] | bit;
            if (c == all) {
                ++solutions;
                continue;
            }
            columns[depth + 1] = c;
            left[depth + 1] = (left[depth] | bit) << 1;
            right[depth + 1] = (right[depth] | bit) >> 1;
            ++depth;
            open[depth] = all & ~(columns[depth] | left[depth] | right[depth]);
        }
    }
    out[i] = solutions;
}
