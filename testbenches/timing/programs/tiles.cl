// SPDX-License-Identifier: Apache-2.0
// A matrix with rows and columns exchanged: tiles of 64 x 64 through local memory, those of a diagonal side by side in time. Rows
// of both matrices have `pitch` vectors.
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void transpose_tiles(global const float4* restrict in,
                                                                             global float4* restrict out, uint pitch) {
    local float4 tile[64 * 16];
    const uint x = get_local_id(0), y = get_local_id(1), down = get_group_id(1);
    const uint across = (get_group_id(0) + down) % get_num_groups(0);
    for (uint i = 0; i < 4; ++i)
        tile[(4 * y + i) * 16 + x] = in[(64 * down + 4 * y + i) * pitch + 16 * across + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    float4 v[4];
    for (uint i = 0; i < 4; ++i)
        v[i] = tile[(4 * x + i) * 16 + y];
    out += (64 * across + 4 * y) * pitch + 16 * down + x;
    out[0] = (float4)(v[0].x, v[1].x, v[2].x, v[3].x);
    out[pitch] = (float4)(v[0].y, v[1].y, v[2].y, v[3].y);
    out[2 * pitch] = (float4)(v[0].z, v[1].z, v[2].z, v[3].z);
    out[3 * pitch] = (float4)(v[0].w, v[1].w, v[2].w, v[3].w);
}
