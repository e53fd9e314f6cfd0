// SPDX-License-Identifier: Apache-2.0
// Library functions at OpenCL's accuracy: long straight code with branches for special ranges.
// Function f of item i at out[f * n + i].
kernel void precise_math(global float* out, global const float* x_in) {
    const size_t i = get_global_id(0);
    const size_t n = get_global_size(0);
    const float x = x_in[i];
    const float wide = (x - 0.5f) * 64.0f;
    const float positive = x * 8.0f + 0.0625f;
    out[0 * n + i] = exp(wide * 0.25f);
    out[1 * n + i] = log(positive);
    out[2 * n + i] = sin(wide);
    out[3 * n + i] = cos(wide);
    out[4 * n + i] = tan(x);
    out[5 * n + i] = pow(positive, wide * 0.125f);
    out[6 * n + i] = atan2(wide, positive);
    out[7 * n + i] = asin(x);
    out[8 * n + i] = tanh(wide * 0.0625f);
    out[9 * n + i] = cbrt(wide);
    out[10 * n + i] = hypot(wide, positive);
    out[11 * n + i] = positive / wide;
}
