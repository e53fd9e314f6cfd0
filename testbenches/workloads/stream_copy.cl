// SPDX-License-Identifier: Apache-2.0
// 16 bytes per work-item in, 16 out, nothing computed: memory bandwidth.
kernel void stream_copy(global float4* to, global const float4* from) {
    const size_t i = get_global_id(0);
    to[i] = from[i];
}
