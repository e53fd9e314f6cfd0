// SPDX-License-Identifier: Apache-2.0
// Ids and sizes when neither the range nor the group is a multiple of anything convenient.
kernel void partial_groups(global uint* out) {
    const uint i = get_global_id(0);
    global uint* o = out + 4 * i;
    o[0] = get_local_id(0);
    o[1] = get_group_id(0);
    o[2] = get_local_size(0) * 1000 + get_work_dim();
    o[3] = get_global_size(0) + get_global_offset(0);
}
