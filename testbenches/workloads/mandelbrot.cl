// SPDX-License-Identifier: Apache-2.0
// Iterations of z = z * z + c in 4.12 fixed point, so that the result is exact: divergent loops on a
// 2-D range.
kernel void mandelbrot(global uint* iterations, int limit) {
    const int x = get_global_id(0);
    const int y = get_global_id(1);
    const int width = get_global_size(0);
    const int height = get_global_size(1);
    const int cr = (x * 3 * 4096) / width - 2 * 4096;
    const int ci = (y * 2 * 4096) / height - 4096;
    int zr = 0, zi = 0, n = 0;
    while (n < limit) {
        const int rr = (zr * zr) >> 12;
        const int ii = (zi * zi) >> 12;
        if (rr + ii > 4 * 4096)
            break;
        zi = ((zr * zi) >> 11) + ci;
        zr = rr - ii + cr;
        ++n;
    }
    iterations[y * width + x] = n;
}
