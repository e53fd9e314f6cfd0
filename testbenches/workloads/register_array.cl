// SPDX-License-Identifier: Apache-2.0
// A private array small enough for registers, indexed by a number all lanes share:
// register-relative moves through M0.
#define SIZE 16

kernel void register_array(global uint* out, global const uint* in, uint rounds, uint stride) {
    const uint i = get_global_id(0);
    uint place[SIZE];
    for (uint k = 0; k < SIZE; ++k)
        place[k] = in[i + k];
    uint sum = i;
    for (uint k = 0; k < rounds; ++k) {
        const uint at = (k * stride) & (SIZE - 1);
        sum = sum * 31 + place[at];
        place[(at + 5) & (SIZE - 1)] = sum;
    }
    out[i] = sum;
}
