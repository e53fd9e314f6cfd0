// SPDX-License-Identifier: Apache-2.0
// Real calls: functions that are not inlined, one calling the other, with an array on the stack.
static __attribute__((noinline)) uint mix(uint a, uint b) {
    a ^= b * 0x9e3779b9u;
    return (a << 13) | (a >> 19);
}

static __attribute__((noinline)) uint digest(global const uint* words, uint count, uint seed) {
    uint window[32];
    for (uint k = 0; k < 32; ++k)
        window[k] = seed + k;
    for (uint k = 0; k < count; ++k) {
        const uint at = words[k] & 31;
        window[at] = mix(window[at], words[k]);
    }
    uint result = 0;
    for (uint k = 0; k < 32; ++k)
        result = mix(result, window[k]);
    return result;
}

kernel void function_calls(global uint* out, global const uint* in) {
    const uint i = get_global_id(0);
    const uint a = digest(in + (i & 63), 16, i);
    const uint b = digest(in + 64, 1 + (i & 15), a);
    out[i] = mix(a, b);
}
