// SPDX-License-Identifier: Apache-2.0
// Local memory in every access width, 1 to 16 bytes; each item reads what another one wrote.
#define GROUP 64

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1)))
void local_types(global ulong* out, global const ulong* in) {
    local char c[GROUP];
    local ushort s[GROUP];
    local uint w[GROUP];
    local ulong d[GROUP];
    local uint4 q[GROUP];
    const uint item = get_local_id(0);
    const uint i = get_global_id(0);
    const ulong v = in[i];
    c[item] = (char)v;
    s[item] = (ushort)(v >> 8);
    w[item] = (uint)(v >> 16);
    d[item] = v * 3;
    q[item] = (uint4)((uint)v, (uint)(v >> 32), item, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint other = (item * 7 + 3) & (GROUP - 1);
    const uint4 quad = q[other];
    ulong sum = (ulong)(long)c[other];
    sum = sum * 31 + s[other];
    sum = sum * 31 + w[other];
    sum = sum * 31 + d[other];
    sum = sum * 31 + quad.x;
    sum = sum * 31 + quad.y;
    sum = sum * 31 + quad.z;
    sum = sum * 31 + quad.w;
    out[i] = sum;
}
