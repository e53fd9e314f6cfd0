// SPDX-License-Identifier: Apache-2.0
// Each work-group sorts 256 integers in local memory with a bitonic network.
#define GROUP 256

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void bitonic_sort(global int* data) {
    local int values[GROUP];
    const uint item = get_local_id(0);
    values[item] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint run = 2; run <= GROUP; run <<= 1) {
        for (uint distance = run >> 1; distance > 0; distance >>= 1) {
            const uint other = item ^ distance;
            if (other > item) {
                const bool up = (item & run) == 0;
                const int a = values[item];
                const int b = values[other];
                if ((a > b) == up) {
                    values[item] = b;
                    values[other] = a;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    data[get_global_id(0)] = values[item];
}
