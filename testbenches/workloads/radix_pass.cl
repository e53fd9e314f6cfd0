// SPDX-License-Identifier: Apache-2.0
// One pass of a radix sort within each group: counts and a stable scatter by four bits of the key.
kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void radix_pass(global uint* out, global const uint* in, uint shift) {
    local uint digit_of[128];
    local uint start[16];
    const uint l = get_local_id(0);
    const size_t base = get_group_id(0) * 128;
    const uint key = in[base + l];
    const uint digit = key >> shift & 15;
    digit_of[l] = digit;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) {
        uint smaller = 0;
        for (uint k = 0; k < 128; ++k)
            smaller += digit_of[k] < l ? 1 : 0;
        start[l] = smaller;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint place = start[digit];
    for (uint k = 0; k < l; ++k)
        place += digit_of[k] == digit ? 1 : 0;
    out[base + place] = key;
}
