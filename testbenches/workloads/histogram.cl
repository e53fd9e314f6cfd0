// SPDX-License-Identifier: Apache-2.0
// 256 bins of bytes: counted with atomics in local memory, then added to the global bins.
#define GROUP 256

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void histogram(global uint* bins, global const uchar* bytes, uint count) {
    local uint mine[256];
    const uint item = get_local_id(0);
    mine[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        atomic_inc(&mine[bytes[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (mine[item] != 0)
        atomic_add(&bins[item], mine[item]);
}
