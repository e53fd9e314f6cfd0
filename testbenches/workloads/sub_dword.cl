// SPDX-License-Identifier: Apache-2.0
// Bytes and half-words: sign and zero extension, saturation, narrow stores next to each other.
kernel void sub_dword(global char* c_out, global uchar* u_out, global short* s_out,
                      global ushort* w_out, global uchar4* v_out, global const char* c,
                      global const uchar* u, global const short* s, global const ushort* w) {
    const size_t i = get_global_id(0);
    c_out[i] = (char)(c[i] * 3 - u[i]);
    u_out[i] = convert_uchar_sat(s[i] >> 6);
    s_out[i] = convert_short_sat(s[i] * 2 + c[i]);
    w_out[i] = (ushort)(w[i] + (ushort)u[i] * 257);
    const uchar4 quad = (uchar4)(u[i], (uchar)c[i], (uchar)(w[i] >> 8), (uchar)s[i]);
    v_out[i] = hadd(quad, (uchar4)(1, 2, 3, 255));
}
