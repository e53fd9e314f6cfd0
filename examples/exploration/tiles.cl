// SPDX-License-Identifier: Apache-2.0
// Each wave keeps a table of 8 KiB in local memory and sums what its lanes find in it.
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void tiles(global uint* out, global const uint* tables, uint steps) {
    local uint table[2048];
    const uint lane = get_local_id(0);
    for (uint i = lane; i < 2048; i += 64)
        table[i] = tables[get_group_id(0) % 16 * 2048 + i];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0; i < steps; ++i)
        sum += table[(sum + lane) & 2047];
    out[get_global_id(0)] = sum;
}
