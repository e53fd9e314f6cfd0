// SPDX-License-Identifier: Apache-2.0
// What generated kernels are written with: operations that are defined for every operand, the same
// on the device, by OpenCL's functions, and on the host (KERNEL_ON_HOST), in plain C.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// LLVM 15 divides in 24 bits when it knows the operands to be small, and takes an unsigned one with
// many leading ones for that. It shall know nothing.
#ifdef KERNEL_ON_HOST
#define HIDE(value)
#else
#define HIDE(value) __asm__("" : "+v"(value));
#endif
#define AS_KNOWN(value)

// ---- integers

#define DIVIDE_UNSIGNED(type, hide)                                                                \
    static type DIV_##type(type a, type b) { hide(a) return b == 0 ? a : a / b; }                  \
    static type REM_##type(type a, type b) { hide(a) return b == 0 ? a : a % b; }
#define DIVIDE_SIGNED(type)                                                                        \
    static type DIV_##type(type a, type b) { return b == 0 || b == (type)-1 ? a : a / b; }         \
    static type REM_##type(type a, type b) { return b == 0 || b == (type)-1 ? a : a % b; }
DIVIDE_UNSIGNED(uint, HIDE)
DIVIDE_UNSIGNED(ulong, HIDE)
DIVIDE_UNSIGNED(uchar, AS_KNOWN)
DIVIDE_UNSIGNED(ushort, AS_KNOWN)
DIVIDE_SIGNED(int)
DIVIDE_SIGNED(long)
DIVIDE_SIGNED(char)
DIVIDE_SIGNED(short)

#ifdef KERNEL_ON_HOST
#define LEAST(a, b) (a < b ? a : b)
#define MOST(a, b) (a > b ? a : b)
#else
#define LEAST(a, b) min(a, b)
#define MOST(a, b) max(a, b)
#endif
#define ORDER(type)                                                                                \
    static type MIN_##type(type a, type b) { return LEAST(a, b); }                                 \
    static type MAX_##type(type a, type b) { return MOST(a, b); }
ORDER(uint)
ORDER(int)
ORDER(ulong)
ORDER(long)
ORDER(uchar)
ORDER(char)
ORDER(ushort)
ORDER(short)
ORDER(uint2)
ORDER(uint4)
ORDER(uint8)
ORDER(int2)
ORDER(ulong2)
ORDER(ushort4)
ORDER(uchar4)

// LLVM 15 loses the upper half of ~(ulong) of a uint when the rest is shifted into place.
static ulong NOT_ulong(ulong a) {
    HIDE(a)
    return ~a;
}
static ulong2 NOT_ulong2(ulong2 a) { return (ulong2)(NOT_ulong(a.s0), NOT_ulong(a.s1)); }

// A place in an array. LLVM 15 forgets what is added to it where it indexes registers.
static uint AT(uint place) {
    HIDE(place)
    return place & 15u;
}

static uint BFE(uint value, uint from, uint width) {
    from &= 31;
    width &= 31;
    return width ? value >> from & ((1u << width) - 1u) : 0;
}

#ifdef KERNEL_ON_HOST
static uint ROT_uint(uint a, uint n) {
    n &= 31;
    return n ? a << n | a >> (32 - n) : a;
}
static ulong ROT_ulong(ulong a, ulong n) {
    n &= 63;
    return n ? a << n | a >> (64 - n) : a;
}
static uint MULHI_uint(uint a, uint b) { return (uint)((ulong)a * b >> 32); }
static int MULHI_int(int a, int b) { return (int)((long)a * b >> 32); }
static ulong MULHI_ulong(ulong a, ulong b) {
    const ulong a0 = (uint)a, a1 = a >> 32, b0 = (uint)b, b1 = b >> 32;
    const ulong middle = a1 * b0 + (a0 * b0 >> 32);
    return a1 * b1 + (middle >> 32) + ((a0 * b1 + (uint)middle) >> 32);
}
static long MULHI_long(long a, long b) {
    return (long)(MULHI_ulong((ulong)a, (ulong)b) - (a < 0 ? (ulong)b : 0) - (b < 0 ? (ulong)a : 0));
}
static uint CLZ_uint(uint a) { return a ? __builtin_clz(a) : 32; }
static ulong CLZ_ulong(ulong a) { return a ? __builtin_clzl(a) : 64; }
static uint POPC_uint(uint a) { return __builtin_popcount(a); }
static ulong POPC_ulong(ulong a) { return __builtin_popcountl(a); }
#define convert_uint2(v) __builtin_convertvector((v), uint2)
#define convert_uint4(v) __builtin_convertvector((v), uint4)
#define convert_uint8(v) __builtin_convertvector((v), uint8)
#define convert_int2(v) __builtin_convertvector((v), int2)
#define convert_ulong2(v) __builtin_convertvector((v), ulong2)
#define convert_ushort4(v) __builtin_convertvector((v), ushort4)
#define convert_uchar4(v) __builtin_convertvector((v), uchar4)
#else
#define ROT_uint(a, n) rotate((uint)(a), (uint)(n))
#define ROT_ulong(a, n) rotate((ulong)(a), (ulong)(n))
#define MULHI_uint(a, b) mul_hi((uint)(a), (uint)(b))
#define MULHI_int(a, b) mul_hi((int)(a), (int)(b))
#define MULHI_ulong(a, b) mul_hi((ulong)(a), (ulong)(b))
#define MULHI_long(a, b) mul_hi((long)(a), (long)(b))
#define CLZ_uint(a) clz((uint)(a))
#define CLZ_ulong(a) clz((ulong)(a))
#define POPC_uint(a) popcount((uint)(a))
#define POPC_ulong(a) popcount((ulong)(a))
#endif

#ifdef KERNEL_ON_HOST
#define HADD(a, b) ((a >> 1) + (b >> 1) + (a & b & 1))
#define RHADD(a, b) ((a >> 1) + (b >> 1) + ((a | b) & 1))
#define ADD_SAT(type, a, b, high, low)                                                             \
    type r;                                                                                        \
    return __builtin_add_overflow(a, b, &r) ? high : r;
#define SUB_SAT(type, a, b, high, low)                                                             \
    type r;                                                                                        \
    return __builtin_sub_overflow(a, b, &r) ? low : r;
#else
#define HADD(a, b) hadd(a, b)
#define RHADD(a, b) rhadd(a, b)
#define ADD_SAT(type, a, b, high, low) return add_sat(a, b);
// libclc's takes 0 for negative when the least number is subtracted.
#define SUB_SAT(type, a, b, high, low) return a == 0 && b < 0 && b == high ? low : sub_sat(a, b);
#endif
// What a sum becomes that is too large, and a difference.
#define AVERAGE_AND_SATURATE(type, high, low)                                                      \
    static type HADD_##type(type a, type b) { return HADD(a, b); }                                 \
    static type RHADD_##type(type a, type b) { return RHADD(a, b); }                               \
    static type ADDSAT_##type(type a, type b) { ADD_SAT(type, a, b, high, low) }                   \
    static type SUBSAT_##type(type a, type b) { SUB_SAT(type, a, b, high, low) }
#define OF_UNSIGNED(type) AVERAGE_AND_SATURATE(type, (type)-1, 0)
#define OF_SIGNED(type, least)                                                                     \
    AVERAGE_AND_SATURATE(type, (b < 0 ? (type)least : (type)~least), (b < 0 ? (type)~least : (type)least))
OF_UNSIGNED(uchar)
OF_UNSIGNED(ushort)
OF_UNSIGNED(uint)
OF_UNSIGNED(ulong)
OF_SIGNED(char, -0x80)
OF_SIGNED(short, -0x8000)
OF_SIGNED(int, (-0x7fffffff - 1))
OF_SIGNED(long, (-0x7fffffffffffffffl - 1))

static uint MED_uint(uint a, uint b, uint c) { return MAX_uint(MIN_uint(a, b), MIN_uint(MAX_uint(a, b), c)); }
static int MED_int(int a, int b, int c) { return MAX_int(MIN_int(a, b), MIN_int(MAX_int(a, b), c)); }
static uint BFM(uint width, uint from) { return ((1u << (width & 31)) - 1u) << (from & 31); }
static int ABS_int(int a) { return a < 0 ? (int)(0u - (uint)a) : a; }
static uint CTZ_uint(uint a) { return a ? __builtin_ctz(a) : 32; }
static ulong CTZ_ulong(ulong a) { return a ? __builtin_ctzl(a) : 64; }
#ifdef KERNEL_ON_HOST
#define abs_diff(a, b) (a < b ? (uint)b - (uint)a : (uint)a - (uint)b)
#define bitselect(a, b, c) ((a & ~c) | (b & c))
#define mad24(a, b, c) ((a) * (b) + c)
#endif
static uint SAD_uint(uint a, uint b, uint c) { return abs_diff(a, b) + c; }
static int SAD_int(int a, int b, int c) { return (int)(abs_diff(a, b) + (uint)c); }
static uint SELECT_uint(uint a, uint b, uint c) { return bitselect(a, b, c); }
static ulong SELECT_ulong(ulong a, ulong b, ulong c) { return bitselect(a, b, c); }
// Factors that have 24 bits, whose product may have more.
static uint MAD24_uint(uint a, uint b, uint c) { return mad24(a & 0xffffffu, b & 0xffffffu, c); }

// ---- floating point

// The other bits of a NaN are not compared.
static uint BITS_float(float f) { return f != f ? 0x7fc00000u : as_uint(f); }
static uint BITS_double(double f) {
    const ulong bits = f != f ? 0x7ff8000000000000ul : as_ulong(f);
    return (uint)bits ^ (uint)(bits >> 32) * 0x9e3779b9u;
}

#define TO_INTEGER(type, from, least, most)                                                        \
    static type TO_##type##_##from(from x) { return x >= least && x <= most ? (type)x : (type)0; }
TO_INTEGER(uchar, float, 0.0f, 255.0f)
TO_INTEGER(char, float, -128.0f, 127.0f)
TO_INTEGER(ushort, float, 0.0f, 65535.0f)
TO_INTEGER(short, float, -32768.0f, 32767.0f)
TO_INTEGER(uint, float, 0.0f, 4294967040.0f)
TO_INTEGER(int, float, -2147483648.0f, 2147483520.0f)
TO_INTEGER(ulong, float, 0.0f, 1.8446742e19f)
TO_INTEGER(long, float, -9.223372e18f, 9.2233715e18f)
TO_INTEGER(uchar, double, 0.0, 255.0)
TO_INTEGER(char, double, -128.0, 127.0)
TO_INTEGER(ushort, double, 0.0, 65535.0)
TO_INTEGER(short, double, -32768.0, 32767.0)
TO_INTEGER(uint, double, 0.0, 4294967295.0)
TO_INTEGER(int, double, -2147483648.0, 2147483647.0)
TO_INTEGER(ulong, double, 0.0, 1.8446744073709550e19)
TO_INTEGER(long, double, -9.223372036854775e18, 9.223372036854774e18)

// floor, ceil and rint of a double are missing: this chip has no instructions for them, and what LLVM
// puts in their place loses the sign of a zero.
#ifdef KERNEL_ON_HOST
#define FMA_float(a, b, c) __builtin_fmaf(a, b, c)
#define FMA_double(a, b, c) __builtin_fma(a, b, c)
#define FABS_float(x) __builtin_fabsf(x)
#define FABS_double(x) __builtin_fabs(x)
#define FLOOR_float(x) __builtin_floorf(x)
#define CEIL_float(x) __builtin_ceilf(x)
#define TRUNC_float(x) __builtin_truncf(x)
#define TRUNC_double(x) __builtin_trunc(x)
#define SQRT_double(x) __builtin_sqrt(x)
#define LDEXP_float(x, n) __builtin_ldexpf(x, n)
#define LDEXP_double(x, n) __builtin_ldexp(x, n)
#define RINT_float(x) __builtin_rintf(x)
// Of two zeros the instructions take the negative as the less.
#define FMINMAX(type, bits, name, before, of_zeros)                                                \
    static type name##_##type(type a, type b) {                                                    \
        return a != a ? b                                                                          \
             : b != b ? a                                                                          \
             : a before b ? a                                                                      \
             : b before a ? b                                                                      \
                          : as_##type(as_##bits(a) of_zeros as_##bits(b));                         \
    }
FMINMAX(float, uint, FMIN, <, |)
FMINMAX(float, uint, FMAX, >, &)
FMINMAX(double, ulong, FMIN, <, |)
FMINMAX(double, ulong, FMAX, >, &)
#else
// LLVM 15 takes c for fma(0, b, c), whatever b is, and a * b for fma(a, b, 0), whatever its sign.
static float FMA_float(float a, float b, float c) { HIDE(a) HIDE(b) HIDE(c) return fma(a, b, c); }
static double FMA_double(double a, double b, double c) { HIDE(a) HIDE(b) HIDE(c) return fma(a, b, c); }
#define FABS_float(x) fabs(x)
#define FABS_double(x) fabs(x)
#define FLOOR_float(x) floor(x)
#define CEIL_float(x) ceil(x)
#define TRUNC_float(x) trunc(x)
#define TRUNC_double(x) trunc(x)
#define SQRT_double(x) sqrt(x)
#define LDEXP_float(x, n) ldexp(x, n)
#define LDEXP_double(x, n) ldexp(x, n)
#define RINT_float(x) rint(x)
#define FMIN_float(a, b) fmin(a, b)
#define FMAX_float(a, b) fmax(a, b)
#define FMIN_double(a, b) fmin(a, b)
#define FMAX_double(a, b) fmax(a, b)
#endif

// The bits of the nearest half; what a NaN becomes is the conversion's choice.
static ushort HALF_float(float x) {
    ushort bits = 0;
    __builtin_store_halff(x, (half*)&bits);
    return x != x ? (ushort)0x7e00 : bits;
}
static float FROM_HALF(ushort x) {
    return __builtin_load_halff((const half*)&x);
}

// ---- memory

// Atomics return the old value. Work-items of the host run one after the other.
#ifdef KERNEL_ON_HOST
#define OLD(kind, place, value, result)                                                            \
    ({                                                                                             \
        __typeof__(place) const p = (place);                                                       \
        const kind v = (value);                                                                    \
        const kind old = *p;                                                                       \
        *p = (kind)(result);                                                                       \
        old;                                                                                       \
    })
#define OLD_add(kind, place, value) OLD(kind, place, value, (ulong)old + (ulong)v)
#define OLD_sub(kind, place, value) OLD(kind, place, value, (ulong)old - (ulong)v)
#define OLD_xchg(kind, place, value) OLD(kind, place, value, v)
#define OLD_and(kind, place, value) OLD(kind, place, value, old & v)
#define OLD_or(kind, place, value) OLD(kind, place, value, old | v)
#define OLD_xor(kind, place, value) OLD(kind, place, value, old ^ v)
#define OLD_min(kind, place, value) OLD(kind, place, value, old < v ? old : v)
#define OLD_max(kind, place, value) OLD(kind, place, value, old > v ? old : v)
#define OLD_cmpxchg(kind, place, expected, value)                                                  \
    OLD(kind, place, value, old == (kind)(expected) ? v : old)
#else
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#define OLD_int(name, ...) atomic_##name(__VA_ARGS__)
#define OLD_uint(name, ...) atomic_##name(__VA_ARGS__)
#define OLD_long(name, ...) atom_##name(__VA_ARGS__)
#define OLD_ulong(name, ...) atom_##name(__VA_ARGS__)
#define OLD_add(kind, ...) OLD_##kind(add, __VA_ARGS__)
#define OLD_sub(kind, ...) OLD_##kind(sub, __VA_ARGS__)
#define OLD_xchg(kind, ...) OLD_##kind(xchg, __VA_ARGS__)
#define OLD_and(kind, ...) OLD_##kind(and, __VA_ARGS__)
#define OLD_or(kind, ...) OLD_##kind(or, __VA_ARGS__)
#define OLD_xor(kind, ...) OLD_##kind(xor, __VA_ARGS__)
#define OLD_min(kind, ...) OLD_##kind(min, __VA_ARGS__)
#define OLD_max(kind, ...) OLD_##kind(max, __VA_ARGS__)
#define OLD_cmpxchg(kind, ...) OLD_##kind(cmpxchg, __VA_ARGS__)
#endif

constant uint table[16] = {1, 0xffffffff, 0x80000000, 77, 0x12345678, 3, 5, 1000003,
                           0, 9, 0x7fffffff, 0xdeadbeef, 31, 64, 0xff00ff00, 2};
