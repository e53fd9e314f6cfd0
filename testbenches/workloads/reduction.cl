// SPDX-License-Identifier: Apache-2.0
// Per work-group: the sum of integers and the maximum of floats, halving in local memory.
#define GROUP 256

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void reduction(global int* sums, global float* maxima, global const int* numbers,
               global const float* values) {
    local int sum[GROUP];
    local float largest[GROUP];
    const uint item = get_local_id(0);
    const uint i = get_global_id(0);
    sum[item] = numbers[i];
    largest[item] = values[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = GROUP / 2; half_size > 0; half_size >>= 1) {
        if (item < half_size) {
            sum[item] += sum[item + half_size];
            largest[item] = fmax(largest[item], largest[item + half_size]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0) {
        sums[get_group_id(0)] = sum[0];
        maxima[get_group_id(0)] = largest[0];
    }
}
