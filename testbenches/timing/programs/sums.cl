// SPDX-License-Identifier: Apache-2.0
// Sums that live in memory: each term is added where the sum is. Matrices have rows of `pitch`
// numbers.

// Row y of C times `beta`, plus `alpha` times the row's products with all rows of A: groups of 32
// x 8.
kernel __attribute__((reqd_work_group_size(32, 8, 1))) void syrk(global float* c,
                                                                 global const float* a, float alpha,
                                                                 float beta, uint depth,
                                                                 uint pitch) {
    const uint x = get_global_id(0), y = get_global_id(1);
    c[y * pitch + x] *= beta;
    for (uint k = 0; k < depth; ++k)
        c[y * pitch + x] += alpha * a[y * pitch + k] * a[x * pitch + k];
}

// A times a vector, and a vector times A: a sum of its own for each row, or column.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void row_sums(global const float* a,
                                                                      global const float* vector,
                                                                      global float* sums,
                                                                      uint depth, uint pitch) {
    const uint row = get_global_id(0);
    for (uint column = 0; column < depth; ++column)
        sums[row] += a[row * pitch + column] * vector[column];
}
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void column_sums(global const float* a,
                                                                         global const float* vector,
                                                                         global float* sums,
                                                                         uint depth, uint pitch) {
    const uint column = get_global_id(0);
    for (uint row = 0; row < depth; ++row)
        sums[column] += a[row * pitch + column] * vector[row];
}

// Products of a column of A with those behind it, from `skip` behind it on; the first `columns` of
// them, `depth` terms each.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void column_products(
    global float* out, global const float* a, uint skip, uint columns, uint depth, uint pitch) {
    const uint first = get_global_id(0),
               end = min(first + skip + columns, (uint)get_global_size(0));
    for (uint second = first + skip; second < end; ++second) {
        out[first * pitch + second] = 0;
        for (uint row = 0; row < depth; ++row)
            out[first * pitch + second] += a[row * pitch + first] * a[row * pitch + second];
        out[second * pitch + first] = out[first * pitch + second];
    }
}
