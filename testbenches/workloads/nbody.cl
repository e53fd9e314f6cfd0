// SPDX-License-Identifier: Apache-2.0
// One step of gravitation: positions in tiles through local memory.
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void nbody(global float4* accelerations, global const float4* bodies) {
    local float4 tile[64];
    const size_t i = get_global_id(0);
    const size_t l = get_local_id(0);
    const float4 me = bodies[i];
    float3 sum = (float3)(0.0f, 0.0f, 0.0f);
    for (size_t first = 0; first < get_global_size(0); first += 64) {
        tile[l] = bodies[first + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 64; ++k) {
            const float4 other = tile[k];
            const float dx = other.x - me.x;
            const float dy = other.y - me.y;
            const float dz = other.z - me.z;
            const float r = native_rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
            const float pull = other.w * r * r * r;
            sum.x += pull * dx;
            sum.y += pull * dy;
            sum.z += pull * dz;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accelerations[i] = (float4)(sum.x, sum.y, sum.z, 0.0f);
}
