// SPDX-License-Identifier: Apache-2.0
// y = a * x + y, one element per work-item: the smallest useful kernel.
kernel void saxpy(global float* y, global const float* x, float a) {
    const size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
