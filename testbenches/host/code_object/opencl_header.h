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
// to vectors of three.
//
// clang 15 drops every call of printf without a word: its pass for AMD's GPUs finds no format
// string through an opaque pointer.
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

int printf(constant const char* format, ...)
    __attribute__((unavailable("kernels cannot print here, write to a buffer")));
)";

}  // namespace archipelago::host
