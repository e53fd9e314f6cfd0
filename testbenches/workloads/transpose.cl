// SPDX-License-Identifier: Apache-2.0
// out[x][y] = in[y][x] through a padded tile in local memory, so that both sides are contiguous.
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void transpose(global int* out, global const int* in) {
    local int tile[TILE][TILE + 1];
    const uint tx = get_local_id(0);
    const uint ty = get_local_id(1);
    const uint width = get_global_size(0);
    const uint height = get_global_size(1);
    tile[ty][tx] = in[get_global_id(1) * width + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint x = get_group_id(1) * TILE + tx;
    const uint y = get_group_id(0) * TILE + ty;
    out[y * height + x] = tile[tx][ty];
}
