// SPDX-License-Identifier: Apache-2.0
// 64-bit atomics on local and global memory, with results that do not depend on the order.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define GROUP 64

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void atomics64(global ulong* cell, global const ulong* values) {
    local ulong mine[3];
    const uint item = get_local_id(0);
    const ulong v = values[get_global_id(0)];
    if (item < 3)
        mine[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&mine[0], v);
    atom_max(&mine[1], v);
    atom_xor(&mine[2], v);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0) {
        atom_add(&cell[0], mine[0]);
        atom_max(&cell[1], mine[1]);
        atom_xor(&cell[2], mine[2]);
    }
    atom_sub(&cell[3], v);
    atom_min(&cell[4], v);
    atom_and(&cell[5], v | 0xffffffff00ul);
    atom_or(&cell[6], v & 0xff00ff00ul);
    atom_inc(&cell[7]);
}
