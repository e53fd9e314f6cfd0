// SPDX-License-Identifier: Apache-2.0
// Peak rates as clpeak measures them: chains of multiply-adds in single and double precision and in integers, 2048 a
// work-item, and streams of sixteen vectors a work-item, of which a load takes four numbers.

#define RATE_KERNEL(name, type, mad)                                                                        \
    kernel __attribute__((reqd_work_group_size(256, 1, 1))) void name(global type* out, type start) {       \
        type x = start, y = (type)get_local_id(0);                                                          \
        _Pragma("unroll 1") for (int i = 0; i < 128; ++i) {                                                 \
            _Pragma("unroll") for (int j = 0; j < 8; ++j) {                                                 \
                x = mad(y, x, y);                                                                           \
                y = mad(x, y, x);                                                                           \
            }                                                                                               \
        }                                                                                                   \
        out[get_global_id(0)] = y;                                                                          \
    }
#define INTEGER_MAD(a, b, c) ((a) * (b) + (c))
RATE_KERNEL(peak_float, float, mad)
RATE_KERNEL(peak_double, double, fma)
RATE_KERNEL(peak_int, int, INTEGER_MAD)

// The next vector of a work-item is `step` behind the last: the size of its group (local) or of all (global).
#define STREAM_KERNEL(name, type, first, step)                                                                    \
    kernel __attribute__((reqd_work_group_size(256, 1, 1))) void name(global const type* in, global float* out) { \
        in += first;                                                                                              \
        type sum = 0;                                                                                             \
        _Pragma("unroll") for (uint i = 0; i < 16; ++i) {                                                         \
            sum += *in;                                                                                           \
            in += step;                                                                                           \
        }                                                                                                         \
        out[get_global_id(0)] = TOTAL_##type(sum);                                                                \
    }
#define TOTAL_float2(v) ((v).s0 + (v).s1)
#define TOTAL_float4(v) (TOTAL_float2((v).lo) + TOTAL_float2((v).hi))
#define TOTAL_float8(v) (TOTAL_float4((v).lo) + TOTAL_float4((v).hi))
#define TOTAL_float16(v) (TOTAL_float8((v).lo) + TOTAL_float8((v).hi))
#define STREAM_KERNELS(type)                                                                      \
    STREAM_KERNEL(stream_##type##_local, type, 16 * 256 * get_group_id(0) + get_local_id(0), 256) \
    STREAM_KERNEL(stream_##type##_global, type, get_global_id(0), get_global_size(0))
STREAM_KERNELS(float8)
STREAM_KERNELS(float16)

// The same with all loads of the first four numbers before those of the next four.
#define PIECES_KERNEL(name, pieces, first, step)                                                                    \
    kernel __attribute__((reqd_work_group_size(256, 1, 1))) void name(global const float4* in, global float* out) { \
        in += (first) * pieces;                                                                                     \
        float4 sum = 0;                                                                                             \
        _Pragma("unroll 1") for (uint piece = 0; piece < pieces; ++piece) {                                         \
            _Pragma("unroll") for (uint i = 0; i < 16; ++i)                                                         \
                sum += in[i * (step) * pieces];                                                                     \
            in += 1;                                                                                                \
        }                                                                                                           \
        out[get_global_id(0)] = TOTAL_float4(sum);                                                                  \
    }
PIECES_KERNEL(stream_float8_pieces, 2, get_global_id(0), get_global_size(0))
PIECES_KERNEL(stream_float16_pieces, 4, get_global_id(0), get_global_size(0))
