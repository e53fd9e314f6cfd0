// SPDX-License-Identifier: Apache-2.0
// Between number formats, with rounding modes and saturation. Function f of item i at
// out[f * n + i].
kernel void conversions(global uint* out, global half* halves, global const float* x_in,
                        global const int* k_in) {
    const size_t i = get_global_id(0);
    const size_t n = get_global_size(0);
    const float x = (x_in[i] - 0.5f) * 4000.0f;
    const int k = k_in[i];
    out[0 * n + i] = (uint)(int)x;
    out[1 * n + i] = (uint)fabs(x);
    out[2 * n + i] = (uint)convert_int_rte(x);
    out[3 * n + i] = (uint)convert_int_rtp(x);
    out[4 * n + i] = (uint)convert_int_rtn(x);
    out[5 * n + i] = convert_uchar_sat(x);
    out[6 * n + i] = as_uint((float)k);
    out[7 * n + i] = as_uint((float)(uint)k);
    out[8 * n + i] = (uint)(convert_char_sat(k >> 20) & 0xff);
    out[9 * n + i] = as_uint((float)(uchar)(k >> 8));
    out[10 * n + i] = as_uint((float)((long)k * 100003));
    vstore_half(x, i, halves);
    out[11 * n + i] = as_uint(vload_half(i, halves) * 2.0f);
}
