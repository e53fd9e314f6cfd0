// SPDX-License-Identifier: Apache-2.0
// Counts a pattern in slices of a text and notes the first place: byte loads, atomics, early exits.
kernel void string_search(global uint* count, global uint* first, global const uchar* text, uint length,
                          global const uchar* pattern, uint pattern_length) {
    const uint slice = 16;
    const uint begin = (uint)get_global_id(0) * slice;
    for (uint at = begin; at < begin + slice && at + pattern_length <= length; ++at) {
        uint k = 0;
        while (k < pattern_length && (text[at + k] & 1) == (pattern[k] & 1))
            ++k;
        if (k == pattern_length) {
            atomic_inc(count);
            atomic_min(first, at);
        }
    }
}
