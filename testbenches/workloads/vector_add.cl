// SPDX-License-Identifier: Apache-2.0
// c = a + b on integers; wraps.
kernel void vector_add(global int* c, global const int* a, global const int* b) {
    const size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
