// SPDX-License-Identifier: Apache-2.0
// C = A B in single precision, by columns: element (row, column) of A at column * lda + row, and so on. `depth` is the length
// of the sums.

// A block of 8 x 4 in registers, out of vectors of A and B straight from memory: groups of 8 x 8 work-items, no local memory.
kernel __attribute__((reqd_work_group_size(8, 8, 1))) void sgemm_8x4(
    global const float8* restrict a, global const float4* restrict b, global float8* restrict c, uint depth, uint lda,
    uint ldb, uint ldc) {
    const uint row = get_global_id(0), column = get_global_id(1) * 4;
    lda /= 8, ldb /= 4, ldc /= 8;
    a += row;
    b += column * ldb;
    float8 sum[4];
    for (uint j = 0; j < 4; ++j)
        sum[j] = 0;
    for (uint k = 0; k < depth; k += 4) {
        const float8 left[4] = {a[0], a[lda], a[2 * lda], a[3 * lda]};
        for (uint j = 0; j < 4; ++j) {
            const float4 right = b[j * ldb];
            sum[j] = mad(left[0], right.x, sum[j]);
            sum[j] = mad(left[1], right.y, sum[j]);
            sum[j] = mad(left[2], right.z, sum[j]);
            sum[j] = mad(left[3], right.w, sum[j]);
        }
        a += 4 * lda;
        b += 1;
    }
    for (uint j = 0; j < 4; ++j)
        c[(column + j) * ldc + row] = sum[j];
}

// A block of 4 x 8 in registers, two terms at a time: groups of 32 x 8, no local memory. Element
// (k, column) of B is at k * ldb + column.
kernel __attribute__((reqd_work_group_size(32, 8, 1))) void sgemm_4x8(
    global const float4* restrict a, global const float* restrict b, global float4* restrict c,
    uint depth, uint lda, uint ldb, uint ldc) {
    const uint row = get_global_id(0), column = get_global_id(1) * 8;
    lda /= 4, ldc /= 4;
    a += row;
    b += column;
    float4 sum[8];
    for (uint j = 0; j < 8; ++j)
        sum[j] = 0;
    for (uint k = 0; k < depth; k += 2) {
        const float4 left[2] = {a[0], a[lda]};
        for (uint i = 0; i < 2; ++i) {
            for (uint j = 0; j < 8; ++j)
                sum[j] = mad(left[i], b[j], sum[j]);
            b += ldb;
        }
        a += 2 * lda;
    }
    for (uint j = 0; j < 8; ++j)
        c[(column + j) * ldc + row] = sum[j];
}

// A block of 8 x 8 in registers out of local memory: groups of 16 x 16 work-items make 128 x 128 of C, walking along tiles of
// A and B that are sixteen deep. Element (row, k) of the tile of A is at k * 128 + row, (k, column) of B's at k * 128 + column.
#define DEPTH 16
#define TILE 128
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void sgemm_8x8(
    global const float4* restrict a, global const float4* restrict b, global float4* restrict c, uint depth, uint lda,
    uint ldb, uint ldc) {
    local float4 left_tile[DEPTH * TILE / 4];
    local float right_tile[DEPTH * TILE];
    const uint x = get_local_id(0), y = get_local_id(1), item = y * 16 + x;
    a += get_group_id(0) * TILE / 4 + item % 32 + item / 32 * (lda / 4);
    b += (get_group_id(1) * TILE + item / 4) * (ldb / 4) + item % 4;
    local float* right_in = right_tile + item % 4 * 4 * TILE + item / 4;
    float4 low[8], high[8];
    for (uint j = 0; j < 8; ++j)
        low[j] = high[j] = 0;
    for (uint first = 0; first < depth; first += DEPTH) {
        for (uint i = 0; i < 2; ++i) {
            left_tile[item + 256 * i] = a[8 * i * (lda / 4)];
            const float4 column = b[64 * i * (ldb / 4)];
            right_in[64 * i] = column.x;
            right_in[64 * i + TILE] = column.y;
            right_in[64 * i + 2 * TILE] = column.z;
            right_in[64 * i + 3 * TILE] = column.w;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint k = 0; k < DEPTH; ++k) {
            // Rows 4 x to 4 x + 3 and 64 more: lanes side by side read side by side.
            const float4 left0 = left_tile[k * 32 + x], left1 = left_tile[k * 32 + 16 + x];
            for (uint j = 0; j < 8; ++j) {
                const float right = right_tile[k * TILE + y * 8 + j];
                low[j] = mad(left0, right, low[j]);
                high[j] = mad(left1, right, high[j]);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        a += DEPTH * (lda / 4);
        b += DEPTH / 4;
    }
    c += (get_group_id(1) * TILE + y * 8) * (ldc / 4) + get_group_id(0) * TILE / 4 + x;
    for (uint j = 0; j < 8; ++j) {
        c[j * (ldc / 4)] = low[j];
        c[j * (ldc / 4) + 16] = high[j];
    }
}
