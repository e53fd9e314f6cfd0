// SPDX-License-Identifier: Apache-2.0
// A load that each lane has somewhere else, and one of consecutive lanes.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void gather(global uint* out, global const uint* from, global const uint* index, uint mask) {
    const uint i = get_global_id(0);
    out[i] = from[index[i] & mask];
}

kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void stream(global uint* out, global const uint* from) {
    const uint i = get_global_id(0);
    out[i] = from[i];
}
