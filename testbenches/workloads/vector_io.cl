// SPDX-License-Identifier: Apache-2.0
// Vectors of three (twelve bytes apart), byte order, swizzles.
kernel void vector_io(global int* triples_out, global uint* swapped, global float* sums,
                      global const int* triples, global const float* floats) {
    const size_t i = get_global_id(0);
    const int3 t = vload3(i, triples);
    vstore3(t.zxy + (int3)(1, 2, 3), i, triples_out);
    const uchar4 bytes = as_uchar4(t.y);
    swapped[i] = as_uint(bytes.wzyx);
    const float4 f = vload4(i, floats);
    const float2 pair = f.xy + f.zw;
    sums[i] = pair.x + pair.y;
}
