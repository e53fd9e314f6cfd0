// SPDX-License-Identifier: Apache-2.0
// Every 32-bit atomic on global memory, with results that do not depend on the order.
kernel void global_atomics(global int* cell, global int* marks, global const int* values) {
    const uint i = get_global_id(0);
    const int v = values[i];
    atomic_add(&cell[0], v);
    atomic_sub(&cell[1], v);
    atomic_max(&cell[2], v);
    atomic_min(&cell[3], v);
    atomic_max((volatile global uint*)&cell[4], (uint)v);
    atomic_min((volatile global uint*)&cell[5], (uint)v);
    atomic_and(&cell[6], v | 0xff);
    atomic_or(&cell[7], v & 0xff00);
    atomic_xor(&cell[8], v);
    // Tickets: every item gets another one and marks its own place.
    const int ticket = atomic_inc(&cell[9]);
    marks[ticket] += 1;
    atomic_dec(&cell[10]);
    // A compare-and-swap loop: sums modulo a prime.
    const int step = (int)((uint)v % 1000003u);
    int seen = cell[11];
    for (;;) {
        const int next = (seen + step) % 1000003;
        const int before = atomic_cmpxchg(&cell[11], seen, next);
        if (before == seen)
            break;
        seen = before;
    }
    // All write the same value, so all but the first read it back.
    atomic_add(&cell[12], atomic_xchg(&cell[13], 7));
}
