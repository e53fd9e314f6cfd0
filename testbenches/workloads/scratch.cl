// SPDX-License-Identifier: Apache-2.0
// A private array indexed by data: too large for registers, so it lives in scratch memory.
#define SIZE 96

kernel void scratch(global uint* out, global const uint* in, uint rounds) {
    const uint i = get_global_id(0);
    uint place[SIZE];
    for (uint k = 0; k < SIZE; ++k)
        place[k] = in[(i + k) & 255] ^ k;
    uint at = i % SIZE;
    for (uint k = 0; k < rounds; ++k) {
        const uint value = place[at];
        place[at] = value * 1664525u + 1013904223u;
        at = (value >> 8) % SIZE;
    }
    uint sum = 0;
    for (uint k = 0; k < SIZE; ++k)
        sum = sum * 31 + place[k];
    out[i] = sum;
}
