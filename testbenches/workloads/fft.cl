// SPDX-License-Identifier: Apache-2.0
// 64-point Fourier transform per group of 32 items in local memory, decimation in time.
kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void fft(global float2* data) {
    local float2 a[64];
    const uint l = get_local_id(0);
    const size_t base = get_group_id(0) * 64;
    for (uint h = 0; h < 2; ++h) {
        const uint at = l + 32 * h;
        uint reversed = 0;
        for (uint b = 0; b < 6; ++b)
            reversed |= (at >> b & 1) << (5 - b);
        a[reversed] = data[base + at];
    }
    for (uint half_size = 1; half_size < 64; half_size *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint k = l & (half_size - 1);
        const uint low = 2 * (l - k) + k;
        const float angle = -3.14159265f * (float)k / (float)half_size;
        const float c = native_cos(angle);
        const float s = native_sin(angle);
        const float2 u = a[low];
        const float2 v = a[low + half_size];
        const float2 t = (float2)(v.x * c - v.y * s, v.x * s + v.y * c);
        barrier(CLK_LOCAL_MEM_FENCE);
        a[low] = u + t;
        a[low + half_size] = u - t;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + l] = a[l];
    data[base + l + 32] = a[l + 32];
}
