// SPDX-License-Identifier: Apache-2.0
// out[x][y] = in[y][x] through a tile in local memory; a row of out begins `pitch` dwords after the one before.
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void transpose(global uint* out, global const uint* in, uint pitch) {
    local uint tile[TILE][TILE + 1];
    const uint tx = get_local_id(0), ty = get_local_id(1);
    tile[ty][tx] = in[get_global_id(1) * get_global_size(0) + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(get_group_id(0) * TILE + ty) * pitch + get_group_id(1) * TILE + tx] = tile[tx][ty];
}
