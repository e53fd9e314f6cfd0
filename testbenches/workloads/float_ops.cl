// SPDX-License-Identifier: Apache-2.0
// Single-precision operations with exact results. Function f of item i at out[f * n + i].
kernel void float_ops(global float* out, global const float* x_in, global const float* y_in) {
    const size_t i = get_global_id(0);
    const size_t n = get_global_size(0);
    const float x = (x_in[i] - 0.5f) * 200.0f;
    const float y = y_in[i] * 16.0f - 8.0f;
    int exponent;
    float whole;
    out[0 * n + i] = floor(x);
    out[1 * n + i] = ceil(x);
    out[2 * n + i] = trunc(x);
    out[3 * n + i] = rint(x);
    out[4 * n + i] = round(x);
    out[5 * n + i] = fmin(x, y);
    out[6 * n + i] = fmax(x, y);
    out[7 * n + i] = fma(x, y, -x);
    out[8 * n + i] = frexp(x, &exponent);
    out[9 * n + i] = (float)exponent;
    out[10 * n + i] = ldexp(y, (int)(i & 31) - 16);
    out[11 * n + i] = modf(x, &whole);
    out[12 * n + i] = copysign(x, -y);
    out[13 * n + i] = clamp(x, -8.0f, y + 8.0f);
    out[14 * n + i] = fabs(y) + (isgreater(x, y) ? 1.0f : 0.0f);
    out[15 * n + i] = select(x, y, (i & 3) == 1 ? -1 : 0);
}
