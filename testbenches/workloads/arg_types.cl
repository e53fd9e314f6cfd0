// SPDX-License-Identifier: Apache-2.0
// One scalar of each size: how arguments are laid out.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void arg_types(global ulong* out, int a, float b, long c, uint d, double e, ulong f) {
    const size_t i = get_global_id(0);
    const ulong values[6] = {(ulong)(long)a, as_uint(b), (ulong)c, d, as_ulong(e), f};
    ulong value = values[0];
    for (uint k = 1; k < 6; ++k)
        if (i == k)
            value = values[k];
    out[i] = value;
}
