// SPDX-License-Identifier: Apache-2.0
// C[m][n] = A[m][k] * B[k][n], row-major. A work-group owns a 16x16 tile of C and walks along k
// with tiles of A and B in local memory. Sizes are multiples of 16.
#define TILE 16

kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul(global float* c, global const float* a, global const float* b, int n, int k) {
    local float a_tile[TILE][TILE];
    local float b_tile[TILE][TILE];
    const int tx = get_local_id(0);
    const int ty = get_local_id(1);
    const int column = get_group_id(0) * TILE + tx;
    const int row = get_group_id(1) * TILE + ty;
    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        a_tile[ty][tx] = a[row * k + first + tx];
        b_tile[ty][tx] = b[(first + ty) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < TILE; ++i)
            sum += a_tile[ty][i] * b_tile[i][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}
