// SPDX-License-Identifier: Apache-2.0
// Sparse matrix times vector, rows in compressed form: uneven loops and gathers.
kernel void sparse_mv(global int* y, global const uint* lengths, global const uint* columns,
                      global const int* values, global const int* x, uint width) {
    const size_t row = get_global_id(0);
    const uint length = lengths[row] % (width + 1);
    int sum = 0;
    for (uint k = 0; k < length; ++k) {
        const size_t at = row * width + k;
        sum += values[at] * x[columns[at] & 511];
    }
    y[row] = sum;
}
