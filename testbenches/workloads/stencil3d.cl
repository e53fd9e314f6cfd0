// SPDX-License-Identifier: Apache-2.0
// Seven-point stencil on a 3-D range; cells on the surface are copied.
kernel void stencil3d(global float* out, global const float* in, float centre, float side) {
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int nx = get_global_size(0), ny = get_global_size(1), nz = get_global_size(2);
    const int row = nx, plane = nx * ny;
    const int i = z * plane + y * row + x;
    if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
        out[i] = in[i];
        return;
    }
    out[i] = centre * in[i] + side * (in[i - 1] + in[i + 1] + in[i - row] + in[i + row] +
                                      in[i - plane] + in[i + plane]);
}
