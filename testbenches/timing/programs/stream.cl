// SPDX-License-Identifier: Apache-2.0
// STREAM in double precision, a number a work-item. Loads come before the store that depends on
// them and nothing else.
#define STREAM_KERNEL(name, value)                                        \
    kernel __attribute__((reqd_work_group_size(256, 1, 1))) void name(    \
        global const double* restrict a, global const double* restrict b, \
        global double* restrict out, double scalar) {                     \
        const size_t i = get_global_id(0);                                \
        out[i] = value;                                                   \
    }
STREAM_KERNEL(stream_copy, a[i])
STREAM_KERNEL(stream_mul, scalar* a[i])
STREAM_KERNEL(stream_add, a[i] + b[i])
STREAM_KERNEL(stream_triad, a[i] + scalar * b[i])

// y += a x, two numbers a work-item in groups of 64.
kernel __attribute__((reqd_work_group_size(64, 1, 1))) void saxpy_two(
    global const float2* restrict x, global float2* restrict y, float a) {
    const size_t i = get_global_id(0);
    y[i] += a * x[i];
}
