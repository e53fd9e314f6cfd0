// SPDX-License-Identifier: Apache-2.0
// OpenCL's printf as a macro: each call appends a record to a buffer that the host reads.
#pragma once

namespace archipelago::host {

// clang 15 drops the calls of a function printf: its pass for AMD's GPUs finds no format string
// through an opaque pointer. kernel_printf.h has the layout of the buffer. Its address is where the
// ABI has hidden_printf_buffer, though clang calls that argument hidden_none. The marker before
// each format string tells the host that the object prints.
inline constexpr char kPrintfMarker[] = "archipelago printf:";
inline constexpr char kOpenclPrintf[] = R"(
static inline __attribute__((always_inline)) global uint* archipelago_record(
    constant const char* format, uint dwords) {
    global uint* const buffer =
        *(global uint* constant*)((constant char*)__builtin_amdgcn_implicitarg_ptr() + 24);
    const uint at = atomic_add(buffer, dwords);
    if (at > buffer[1] || dwords > buffer[1] - at)
        return 0;
    buffer[at] = dwords;
    buffer[at + 1] = (uint)(ulong)format;
    buffer[at + 2] = (uint)((ulong)format >> 32);
    return buffer + at + 3;
}
#define ARCHIPELAGO_PUT_OF(T, KIND, LANES, STORED, STORE) \
    __attribute__((overloadable)) STORED archipelago_stored(T value); \
    static inline __attribute__((overloadable, always_inline)) void archipelago_put( \
        global uint* at, T value) { \
        at[0] = KIND << 8 | LANES; \
        STORE; \
    }
#define ARCHIPELAGO_PUTS(T, KIND) \
    ARCHIPELAGO_PUT_OF(T, KIND, 1, T, *(global T*)(at + 1) = value) \
    ARCHIPELAGO_PUT_OF(T##2, KIND, 2, T##2, vstore2(value, 0, (global T*)(at + 1))) \
    ARCHIPELAGO_PUT_OF(T##3, KIND, 3, T##3, vstore3(value, 0, (global T*)(at + 1))) \
    ARCHIPELAGO_PUT_OF(T##4, KIND, 4, T##4, vstore4(value, 0, (global T*)(at + 1))) \
    ARCHIPELAGO_PUT_OF(T##8, KIND, 8, T##8, vstore8(value, 0, (global T*)(at + 1))) \
    ARCHIPELAGO_PUT_OF(T##16, KIND, 16, T##16, vstore16(value, 0, (global T*)(at + 1)))
ARCHIPELAGO_PUTS(char, 1)
ARCHIPELAGO_PUTS(uchar, 2)
ARCHIPELAGO_PUTS(short, 3)
ARCHIPELAGO_PUTS(ushort, 4)
ARCHIPELAGO_PUTS(int, 5)
ARCHIPELAGO_PUTS(uint, 6)
ARCHIPELAGO_PUTS(long, 7)
ARCHIPELAGO_PUTS(ulong, 8)
ARCHIPELAGO_PUTS(float, 9)
ARCHIPELAGO_PUTS(double, 10)
#define ARCHIPELAGO_PUT_POINTER(T) \
    ARCHIPELAGO_PUT_OF(T, 8, 1, ulong, vstore2(as_uint2((ulong)value), 0, at + 1))
ARCHIPELAGO_PUT_POINTER(constant const void*)
ARCHIPELAGO_PUT_POINTER(global const void*)
ARCHIPELAGO_PUT_POINTER(local const void*)
ARCHIPELAGO_PUT_POINTER(private const void*)
ARCHIPELAGO_PUT_POINTER(constant const char*)
#define ARCHIPELAGO_SLOT(a) + 1 + (sizeof(archipelago_stored(a)) + 7) / 8 * 2
#define ARCHIPELAGO_PUT(a) \
    archipelago_put(archipelago_at, a); \
    archipelago_at += 0 ARCHIPELAGO_SLOT(a);
#define ARCHIPELAGO_EACH_0(M)
#define ARCHIPELAGO_EACH_1(M, a) M(a)
#define ARCHIPELAGO_EACH_2(M, a, ...) M(a) ARCHIPELAGO_EACH_1(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_3(M, a, ...) M(a) ARCHIPELAGO_EACH_2(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_4(M, a, ...) M(a) ARCHIPELAGO_EACH_3(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_5(M, a, ...) M(a) ARCHIPELAGO_EACH_4(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_6(M, a, ...) M(a) ARCHIPELAGO_EACH_5(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_7(M, a, ...) M(a) ARCHIPELAGO_EACH_6(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_8(M, a, ...) M(a) ARCHIPELAGO_EACH_7(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_9(M, a, ...) M(a) ARCHIPELAGO_EACH_8(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_10(M, a, ...) M(a) ARCHIPELAGO_EACH_9(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_11(M, a, ...) M(a) ARCHIPELAGO_EACH_10(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_12(M, a, ...) M(a) ARCHIPELAGO_EACH_11(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_13(M, a, ...) M(a) ARCHIPELAGO_EACH_12(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_14(M, a, ...) M(a) ARCHIPELAGO_EACH_13(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_15(M, a, ...) M(a) ARCHIPELAGO_EACH_14(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_16(M, a, ...) M(a) ARCHIPELAGO_EACH_15(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_17(M, a, ...) M(a) ARCHIPELAGO_EACH_16(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_18(M, a, ...) M(a) ARCHIPELAGO_EACH_17(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_19(M, a, ...) M(a) ARCHIPELAGO_EACH_18(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_20(M, a, ...) M(a) ARCHIPELAGO_EACH_19(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_21(M, a, ...) M(a) ARCHIPELAGO_EACH_20(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_22(M, a, ...) M(a) ARCHIPELAGO_EACH_21(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_23(M, a, ...) M(a) ARCHIPELAGO_EACH_22(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_24(M, a, ...) M(a) ARCHIPELAGO_EACH_23(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_25(M, a, ...) M(a) ARCHIPELAGO_EACH_24(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_26(M, a, ...) M(a) ARCHIPELAGO_EACH_25(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_27(M, a, ...) M(a) ARCHIPELAGO_EACH_26(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_28(M, a, ...) M(a) ARCHIPELAGO_EACH_27(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_29(M, a, ...) M(a) ARCHIPELAGO_EACH_28(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_30(M, a, ...) M(a) ARCHIPELAGO_EACH_29(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_31(M, a, ...) M(a) ARCHIPELAGO_EACH_30(M, __VA_ARGS__)
#define ARCHIPELAGO_EACH_32(M, a, ...) M(a) ARCHIPELAGO_EACH_31(M, __VA_ARGS__)
#define ARCHIPELAGO_COUNT_OF(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, _18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, _29, _30, _31, _32, _33, n, ...) n
#define ARCHIPELAGO_COUNT(...) ARCHIPELAGO_COUNT_OF(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define ARCHIPELAGO_PASTE(a, b) a##b
#define ARCHIPELAGO_EACH(n) ARCHIPELAGO_PASTE(ARCHIPELAGO_EACH_, n)
#define printf(format, ...) __extension__({ \
    global uint* archipelago_at = archipelago_record( \
        "archipelago printf:" format, \
        3 ARCHIPELAGO_EACH(ARCHIPELAGO_COUNT(format, ##__VA_ARGS__))(ARCHIPELAGO_SLOT, ##__VA_ARGS__)); \
    const int archipelago_result = archipelago_at ? 0 : -1; \
    if (archipelago_at) { \
        ARCHIPELAGO_EACH(ARCHIPELAGO_COUNT(format, ##__VA_ARGS__))(ARCHIPELAGO_PUT, ##__VA_ARGS__) \
    } \
    archipelago_result; \
})
)";

}  // namespace archipelago::host
