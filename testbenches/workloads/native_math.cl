// SPDX-License-Identifier: Apache-2.0
// The hardware's own transcendental instructions. Function f of item i at out[f * n + i].
kernel void native_math(global float* out, global const float* x_in) {
    const size_t i = get_global_id(0);
    const size_t n = get_global_size(0);
    const float x = x_in[i];
    const float positive = x * 8.0f + 0.0625f;
    out[0 * n + i] = native_exp2(positive - 4.0f);
    out[1 * n + i] = native_exp(positive - 4.0f);
    out[2 * n + i] = native_log2(positive);
    out[3 * n + i] = native_log(positive);
    out[4 * n + i] = native_sin(x * 6.0f - 3.0f);
    out[5 * n + i] = native_cos(x * 6.0f - 3.0f);
    out[6 * n + i] = native_recip(positive);
    out[7 * n + i] = native_rsqrt(positive);
    out[8 * n + i] = native_sqrt(positive);
    out[9 * n + i] = native_divide(x, positive);
}
