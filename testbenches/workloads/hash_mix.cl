// SPDX-License-Identifier: Apache-2.0
// A keyed 64-bit hash of eight words per item: rotations, multiplications, 64-bit carries.
ulong mix(ulong h, ulong word) {
    h ^= word * 0x9e3779b185ebca87ul;
    h = rotate(h, 31ul) * 0xc2b2ae3d27d4eb4ful;
    return h ^ (h >> 29);
}
kernel void hash_mix(global ulong* out, global const ulong* in, ulong key) {
    const size_t i = get_global_id(0);
    ulong h = key + i;
    for (uint k = 0; k < 8; ++k)
        h = mix(h, in[i * 8 + k]);
    out[i] = h;
}
