// SPDX-License-Identifier: Apache-2.0
// Every 32-bit atomic on local memory, with results that do not depend on the order.
#define GROUP 256

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void local_atomics(global int* results, global const int* values) {
    local int cell[12];
    const uint item = get_local_id(0);
    if (item < 12)
        cell[item] = item == 5 ? -1 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int v = values[get_global_id(0)];
    atomic_add(&cell[0], v);
    atomic_sub(&cell[1], v);
    atomic_max(&cell[2], v);
    atomic_min(&cell[3], v);
    atomic_max((volatile local uint*)&cell[4], (uint)v);
    atomic_and(&cell[5], v | 0xff);
    atomic_or(&cell[6], v & 0xff00);
    atomic_xor(&cell[7], v);
    // Tickets: every item gets another one, so their sum is known.
    const int ticket = atomic_inc(&cell[8]);
    atomic_add(&cell[9], ticket);
    // All write the same value, so all but the first read it back.
    atomic_add(&cell[10], atomic_xchg(&cell[11], 7));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 12)
        results[get_group_id(0) * 12 + item] = cell[item];
}
