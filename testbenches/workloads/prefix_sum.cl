// SPDX-License-Identifier: Apache-2.0
// Inclusive prefix sums within work-groups of 256 (Hillis and Steele), two buffers in local memory.
#define GROUP 256

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void prefix_sum(global uint* sums, global const uint* values) {
    local uint buffer[2][GROUP];
    const uint item = get_local_id(0);
    const uint i = get_global_id(0);
    uint from = 0;
    buffer[0][item] = values[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint distance = 1; distance < GROUP; distance <<= 1) {
        uint value = buffer[from][item];
        if (item >= distance)
            value += buffer[from][item - distance];
        buffer[1 - from][item] = value;
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums[i] = buffer[from][item];
}
