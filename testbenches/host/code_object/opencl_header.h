// SPDX-License-Identifier: Apache-2.0
// OpenCL C that comes before every kernel's source: what libclc 15 lacks of OpenCL C 1.2, or has
// otherwise than the HSA ABI.
#pragma once

namespace archipelago::host {

// libclc keeps the work dimension and 32-bit offsets where the HSA ABI has 64-bit global offsets,
// so that get_work_dim() would be wrong always and get_global_id() with an offset. These three go
// by the ABI: dimensions from the dispatch packet, offsets from the hidden arguments.
//
// Functions that clang declares and libclc does not define get a body that is inlined and leaves
// nothing in the object (gnu_inline): mad_hi, smoothstep with double edges, and what takes pointers
// to vectors of three, and AMD's media operations.
inline constexpr char kOpenclHeader[] = R"(
static inline __attribute__((always_inline)) uint archipelago_work_dim(void) {
    return ((constant ushort*)__builtin_amdgcn_dispatch_ptr())[1] & 3;
}
static inline __attribute__((always_inline)) size_t archipelago_global_offset(uint d) {
    return d < 3 ? ((constant ulong*)__builtin_amdgcn_implicitarg_ptr())[d] : 0;
}
static inline __attribute__((always_inline)) size_t archipelago_global_id(uint d) {
    return get_group_id(d) * get_local_size(d) + get_local_id(d) + archipelago_global_offset(d);
}
#define get_work_dim() archipelago_work_dim()
#define get_global_offset(d) archipelago_global_offset(d)
#define get_global_id(d) archipelago_global_id(d)

#define ARCHIPELAGO_BODY extern inline __attribute__((overloadable, gnu_inline, always_inline))

#define ARCHIPELAGO_MAD_HI(T) \
    ARCHIPELAGO_BODY T mad_hi(T a, T b, T c) { return mul_hi(a, b) + c; }
#define ARCHIPELAGO_MAD_HI_OF(T) \
    ARCHIPELAGO_MAD_HI(T) ARCHIPELAGO_MAD_HI(T##2) ARCHIPELAGO_MAD_HI(T##3) \
    ARCHIPELAGO_MAD_HI(T##4) ARCHIPELAGO_MAD_HI(T##8) ARCHIPELAGO_MAD_HI(T##16)
ARCHIPELAGO_MAD_HI_OF(char)
ARCHIPELAGO_MAD_HI_OF(uchar)
ARCHIPELAGO_MAD_HI_OF(short)
ARCHIPELAGO_MAD_HI_OF(ushort)
ARCHIPELAGO_MAD_HI_OF(int)
ARCHIPELAGO_MAD_HI_OF(uint)
ARCHIPELAGO_MAD_HI_OF(long)
ARCHIPELAGO_MAD_HI_OF(ulong)

#define ARCHIPELAGO_SMOOTHSTEP(T) \
    ARCHIPELAGO_BODY T smoothstep(double a, double b, T x) { return smoothstep((T)a, (T)b, x); }
ARCHIPELAGO_SMOOTHSTEP(double2)
ARCHIPELAGO_SMOOTHSTEP(double3)
ARCHIPELAGO_SMOOTHSTEP(double4)
ARCHIPELAGO_SMOOTHSTEP(double8)
ARCHIPELAGO_SMOOTHSTEP(double16)

static inline __attribute__((always_inline)) size_t archipelago_item(void) {
    return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) +
           get_local_id(0);
}
static inline __attribute__((always_inline)) size_t archipelago_items(void) {
    return get_local_size(0) * get_local_size(1) * get_local_size(2);
}
#define ARCHIPELAGO_ASYNC(T, TO, FROM) \
    ARCHIPELAGO_BODY event_t async_work_group_copy(TO T* to, const FROM T* from, size_t count, \
                                                   event_t event) { \
        for (size_t i = archipelago_item(); i < count; i += archipelago_items()) \
            to[i] = from[i]; \
        return event; \
    }
#define ARCHIPELAGO_OF_3(T) \
    ARCHIPELAGO_BODY void prefetch(const global T* from, size_t count) {} \
    ARCHIPELAGO_ASYNC(T, local, global) \
    ARCHIPELAGO_ASYNC(T, global, local) \
    ARCHIPELAGO_BODY event_t async_work_group_strided_copy( \
        local T* to, const global T* from, size_t count, size_t stride, event_t event) { \
        for (size_t i = archipelago_item(); i < count; i += archipelago_items()) \
            to[i] = from[i * stride]; \
        return event; \
    } \
    ARCHIPELAGO_BODY event_t async_work_group_strided_copy( \
        global T* to, const local T* from, size_t count, size_t stride, event_t event) { \
        for (size_t i = archipelago_item(); i < count; i += archipelago_items()) \
            to[i * stride] = from[i]; \
        return event; \
    }
ARCHIPELAGO_OF_3(char3)
ARCHIPELAGO_OF_3(uchar3)
ARCHIPELAGO_OF_3(short3)
ARCHIPELAGO_OF_3(ushort3)
ARCHIPELAGO_OF_3(int3)
ARCHIPELAGO_OF_3(uint3)
ARCHIPELAGO_OF_3(long3)
ARCHIPELAGO_OF_3(ulong3)
ARCHIPELAGO_OF_3(float3)
ARCHIPELAGO_OF_3(double3)

// cl_amd_media_ops and cl_amd_media_ops2: on bytes of 32-bit words.
#define ARCHIPELAGO_MEDIA(T, LONG, FLOAT) \
    ARCHIPELAGO_BODY T amd_bitalign(T a, T b, T c) { \
        return convert_##T((convert_##LONG(a) << 32 | convert_##LONG(b)) >> convert_##LONG(c & 31)); \
    } \
    ARCHIPELAGO_BODY T amd_bytealign(T a, T b, T c) { return amd_bitalign(a, b, (c & 3) * 8); } \
    ARCHIPELAGO_BODY T amd_lerp(T a, T b, T c) { \
        return (a & b) + ((a ^ b) >> 1 & 0x7f7f7f7f) + ((a ^ b) & c & 0x01010101); \
    } \
    ARCHIPELAGO_BODY T amd_sad(T a, T b, T c) { \
        return c + abs_diff(a & 255, b & 255) + abs_diff(a >> 8 & 255, b >> 8 & 255) + \
               abs_diff(a >> 16 & 255, b >> 16 & 255) + abs_diff(a >> 24, b >> 24); \
    } \
    ARCHIPELAGO_BODY T amd_sadhi(T a, T b, T c) { return c + (amd_sad(a, b, (T)0) << 16); } \
    ARCHIPELAGO_BODY FLOAT amd_unpack0(T a) { return convert_##FLOAT(a & 255); } \
    ARCHIPELAGO_BODY FLOAT amd_unpack1(T a) { return convert_##FLOAT(a >> 8 & 255); } \
    ARCHIPELAGO_BODY FLOAT amd_unpack2(T a) { return convert_##FLOAT(a >> 16 & 255); } \
    ARCHIPELAGO_BODY FLOAT amd_unpack3(T a) { return convert_##FLOAT(a >> 24); } \
    ARCHIPELAGO_BODY T amd_bfm(T width, T first) { return (((T)1 << (width & 31)) - 1) << (first & 31); } \
    ARCHIPELAGO_BODY T amd_bfe(T a, T first, T width) { \
        return a >> (first & 31) & (((T)1 << (width & 31)) - 1); \
    }
ARCHIPELAGO_MEDIA(uint, ulong, float)
ARCHIPELAGO_MEDIA(uint2, ulong2, float2)
ARCHIPELAGO_MEDIA(uint3, ulong3, float3)
ARCHIPELAGO_MEDIA(uint4, ulong4, float4)
ARCHIPELAGO_MEDIA(uint8, ulong8, float8)
ARCHIPELAGO_MEDIA(uint16, ulong16, float16)
ARCHIPELAGO_BODY uint amd_sad4(uint4 a, uint4 b, uint c) {
    return amd_sad(a.x, b.x, amd_sad(a.y, b.y, amd_sad(a.z, b.z, amd_sad(a.w, b.w, c))));
}
ARCHIPELAGO_BODY uint amd_pack(float4 a) { return as_uint(convert_uchar4_sat_rte(a)); }
#define ARCHIPELAGO_OF_THREE(T) \
    ARCHIPELAGO_BODY T amd_min3(T a, T b, T c) { return min(min(a, b), c); } \
    ARCHIPELAGO_BODY T amd_max3(T a, T b, T c) { return max(max(a, b), c); } \
    ARCHIPELAGO_BODY T amd_median3(T a, T b, T c) { return max(min(a, b), min(max(a, b), c)); }
ARCHIPELAGO_OF_THREE(int)
ARCHIPELAGO_OF_THREE(uint)
ARCHIPELAGO_OF_THREE(float)
)";

}  // namespace archipelago::host
