// SPDX-License-Identifier: Apache-2.0
// Edge filter on bytes, borders clamped: 2-D, byte loads and stores.
kernel void sobel(global uchar* out, global const uchar* in, int width, int height) {
    const int x = (int)get_global_id(0);
    const int y = (int)get_global_id(1);
    if (x >= width || y >= height)
        return;
    int gx = 0;
    int gy = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            const int sx = min(max(x + dx, 0), width - 1);
            const int sy = min(max(y + dy, 0), height - 1);
            const int pixel = in[sy * width + sx];
            gx += pixel * dx * (dy == 0 ? 2 : 1);
            gy += pixel * dy * (dx == 0 ? 2 : 1);
        }
    const int sum = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy);
    out[y * width + x] = (uchar)(sum > 255 ? 255 : sum);
}
