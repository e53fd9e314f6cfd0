// SPDX-License-Identifier: Apache-2.0
// 32-bit integer functions. Function f of item i at out[f * n + i].
kernel void bit_ops(global uint* out, global const uint* x_in, global const uint* y_in) {
    const size_t i = get_global_id(0);
    const size_t n = get_global_size(0);
    const uint x = x_in[i];
    const uint y = y_in[i];
    const int sx = (int)x;
    const int sy = (int)y;
    out[0 * n + i] = popcount(x);
    out[1 * n + i] = clz(x >> (y & 31));
    out[2 * n + i] = rotate(x, y);
    out[3 * n + i] = mul24(x & 0xffffff, y & 0xffffff);
    out[4 * n + i] = mad24(sx >> 8, sy >> 8, sx);
    out[5 * n + i] = mul_hi(x, y);
    out[6 * n + i] = mul_hi(sx, sy);
    out[7 * n + i] = hadd(x, y);
    out[8 * n + i] = rhadd(sx, sy);
    out[9 * n + i] = abs_diff(sx, sy);
    out[10 * n + i] = add_sat(sx, sy);
    out[11 * n + i] = sub_sat(x, y);
    out[12 * n + i] = bitselect(x, y, 0x0ff000ffu);
    out[13 * n + i] = (x >> 7) & 0x1ff;
    out[14 * n + i] = (uint)((sx << 9) >> 17);
    out[15 * n + i] = (uint)((((ulong)y << 32) | x) >> 13);
    out[16 * n + i] = x / (y | 1);
    out[17 * n + i] = sx % (sy | 1);
    out[18 * n + i] = abs(sx);
    out[19 * n + i] = max(sx, sy) - min(x, y);
}
