// SPDX-License-Identifier: Apache-2.0
// 64-bit integers: products, quotients, shifts, carries. Results of item i at out[16 * i].
kernel void int64(global ulong* out, global const long* a_in, global const long* b_in) {
    const size_t i = get_global_id(0);
    const long a = a_in[i];
    // Small divisors too: every other one is cut down.
    const long b = (i & 1 ? b_in[i] >> 40 : b_in[i]) | 1;
    const ulong ua = (ulong)a;
    const ulong ub = (ulong)b;
    const uint s = (uint)(i * 7) & 63;
    global ulong* o = out + 16 * i;
    o[0] = a + b;
    o[1] = a - b;
    o[2] = a * b;
    o[3] = mul_hi(a, b);
    o[4] = mul_hi(ua, ub);
    o[5] = a / b;
    o[6] = a % b;
    o[7] = ua / ub;
    o[8] = ua % ub;
    o[9] = a << s;
    o[10] = a >> s;
    o[11] = ua >> s;
    o[12] = rotate(ua, (ulong)s);
    o[13] = ((ulong)clz(ua >> s) << 32) | popcount(ua);
    o[14] = min(a, b) ^ max(ua, ub);
    o[15] = abs(a) + (a < b ? 1 : 0) + (ua < ub ? 2 : 0) + (a == b ? 4 : 0);
}
