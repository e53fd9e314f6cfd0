// SPDX-License-Identifier: Apache-2.0
// Work-item scheduling and the OpenCL built-in functions the workloads call, under the names clang
// gives them on x86-64. Plain C++ and libm, so that nothing is shared with the GPU side.
#include "testbenches/support/opencl_on_host.h"

#include <ucontext.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <vector>

namespace opencl_on_host {
namespace {

constexpr size_t kStackBytes = 256 * 1024;

struct Item {
    ucontext_t context{};
    std::unique_ptr<char[]> stack;
    uint32_t local[3]{};
    bool done = false;
};

struct Machine {
    ucontext_t scheduler{};
    uint32_t global_size[3]{};
    uint32_t local_size[3]{};
    uint32_t group[3]{};
    std::vector<Item> items;
    Item* running = nullptr;
    const std::function<void()>* body = nullptr;
    unsigned at_barrier = 0;
} machine;

void item_main() {
    (*machine.body)();
    machine.running->done = true;
    swapcontext(&machine.running->context, &machine.scheduler);
}

void start(Item& item) {
    if (!item.stack)
        item.stack = std::make_unique<char[]>(kStackBytes);
    item.done = false;
    getcontext(&item.context);
    item.context.uc_stack.ss_sp = item.stack.get();
    item.context.uc_stack.ss_size = kStackBytes;
    item.context.uc_link = nullptr;
    makecontext(&item.context, item_main, 0);
}

void run_group(unsigned count) {
    for (unsigned i = 0; i < count; ++i)
        start(machine.items[i]);
    for (unsigned left = count; left > 0;) {
        machine.at_barrier = 0;
        unsigned ended = 0;
        for (unsigned i = 0; i < count; ++i) {
            if (machine.items[i].done)
                continue;
            machine.running = &machine.items[i];
            swapcontext(&machine.scheduler, &machine.items[i].context);
            ended += machine.items[i].done ? 1 : 0;
        }
        if (machine.at_barrier != 0 && machine.at_barrier != count) {
            std::fprintf(stderr, "a barrier that only %u of %u work-items reach\n",
                         machine.at_barrier, count);
            std::exit(2);
        }
        left -= ended;
    }
}

}  // namespace

void run(const uint32_t (&global_size)[3], const uint32_t (&local_size)[3],
         const std::function<void()>& item) {
    std::copy(std::begin(global_size), std::end(global_size), machine.global_size);
    std::copy(std::begin(local_size), std::end(local_size), machine.local_size);
    machine.body = &item;
    machine.items.resize(size_t{local_size[0]} * local_size[1] * local_size[2]);
    uint32_t first[3];
    for (first[2] = 0; first[2] < global_size[2]; first[2] += local_size[2])
        for (first[1] = 0; first[1] < global_size[1]; first[1] += local_size[1])
            for (first[0] = 0; first[0] < global_size[0]; first[0] += local_size[0]) {
                uint32_t size[3];
                for (int d = 0; d < 3; ++d) {
                    machine.group[d] = first[d] / local_size[d];
                    size[d] = std::min(local_size[d], global_size[d] - first[d]);
                }
                unsigned count = 0;
                for (uint32_t z = 0; z < size[2]; ++z)
                    for (uint32_t y = 0; y < size[1]; ++y)
                        for (uint32_t x = 0; x < size[0]; ++x) {
                            Item& next = machine.items[count++];
                            next.local[0] = x;
                            next.local[1] = y;
                            next.local[2] = z;
                        }
                run_group(count);
            }
}

}  // namespace opencl_on_host

namespace {

using opencl_on_host::machine;
using i32 = int32_t;
using u32 = uint32_t;
using i64 = int64_t;
using u64 = uint64_t;
using Int4 = i32 __attribute__((vector_size(16)));
using Float4 = float __attribute__((vector_size(16)));
__extension__ typedef __int128 i128;
__extension__ typedef unsigned __int128 u128;

template <typename T>
T exchange(T* at, T value) {
    const T before = *at;
    *at = value;
    return before;
}

template <typename To, typename From>
To saturate(From value) {
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, no character
    const From low = static_cast<From>(std::numeric_limits<To>::min());
    const From high = static_cast<From>(std::numeric_limits<To>::max());
    return static_cast<To>(std::clamp(value, low, high));
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): the names clang gives to OpenCL's functions
extern "C" {

size_t _Z12get_local_idj(u32 d) {
    return machine.running->local[d];
}
size_t _Z12get_group_idj(u32 d) {
    return machine.group[d];
}
size_t _Z14get_local_sizej(u32 d) {
    return machine.local_size[d];
}
size_t _Z15get_global_sizej(u32 d) {
    return machine.global_size[d];
}
size_t _Z17get_global_offsetj(u32) {
    return 0;
}
size_t _Z13get_global_idj(u32 d) {
    return size_t{machine.group[d]} * machine.local_size[d] + machine.running->local[d];
}
u32 _Z12get_work_dimv() {
    return machine.global_size[2] != 1 ? 3 : machine.global_size[1] != 1 ? 2 : 1;
}
void _Z7barrierj(u32) {
    ++machine.at_barrier;
    swapcontext(&machine.running->context, &machine.scheduler);
}

// NOLINTBEGIN(bugprone-macro-parentheses): one is a type
#define ATOMIC(name, type, result)         \
    type name(type* at, type value) {      \
        const type before = *at;           \
        return exchange(at, type(result)); \
    }
// NOLINTEND(bugprone-macro-parentheses)
ATOMIC(_Z10atomic_addPU7CLlocalVii, i32, u32(before) + u32(value))
ATOMIC(_Z10atomic_addPU8CLglobalVii, i32, u32(before) + u32(value))
ATOMIC(_Z10atomic_addPU8CLglobalVjj, u32, before + value)
ATOMIC(_Z10atomic_addPU7CLlocalVjj, u32, before + value)
ATOMIC(_Z9atomic_orPU7CLlocalVjj, u32, before | value)
ATOMIC(_Z10atomic_subPU7CLlocalVii, i32, u32(before) - u32(value))
ATOMIC(_Z10atomic_subPU8CLglobalVii, i32, u32(before) - u32(value))
ATOMIC(_Z10atomic_andPU7CLlocalVii, i32, before& value)
ATOMIC(_Z10atomic_andPU8CLglobalVii, i32, before& value)
ATOMIC(_Z9atomic_orPU7CLlocalVii, i32, before | value)
ATOMIC(_Z9atomic_orPU8CLglobalVii, i32, before | value)
ATOMIC(_Z10atomic_xorPU7CLlocalVii, i32, before ^ value)
ATOMIC(_Z10atomic_xorPU8CLglobalVii, i32, before ^ value)
ATOMIC(_Z10atomic_maxPU7CLlocalVii, i32, std::max(before, value))
ATOMIC(_Z10atomic_maxPU7CLlocalVjj, u32, std::max(before, value))
ATOMIC(_Z10atomic_maxPU8CLglobalVii, i32, std::max(before, value))
ATOMIC(_Z10atomic_maxPU8CLglobalVjj, u32, std::max(before, value))
ATOMIC(_Z10atomic_minPU7CLlocalVii, i32, std::min(before, value))
ATOMIC(_Z10atomic_minPU8CLglobalVii, i32, std::min(before, value))
ATOMIC(_Z10atomic_minPU8CLglobalVjj, u32, std::min(before, value))
ATOMIC(_Z8atom_addPU7CLlocalVmm, u64, before + value)
ATOMIC(_Z8atom_addPU8CLglobalVmm, u64, before + value)
ATOMIC(_Z8atom_subPU8CLglobalVmm, u64, before - value)
ATOMIC(_Z8atom_andPU8CLglobalVmm, u64, before& value)
ATOMIC(_Z7atom_orPU8CLglobalVmm, u64, before | value)
ATOMIC(_Z8atom_xorPU7CLlocalVmm, u64, before ^ value)
ATOMIC(_Z8atom_xorPU8CLglobalVmm, u64, before ^ value)
ATOMIC(_Z8atom_maxPU7CLlocalVmm, u64, std::max(before, value))
ATOMIC(_Z8atom_maxPU8CLglobalVmm, u64, std::max(before, value))
ATOMIC(_Z8atom_minPU8CLglobalVmm, u64, std::min(before, value))
i32 _Z10atomic_incPU7CLlocalVi(i32* at) {
    return exchange(at, *at + 1);
}
u32 _Z10atomic_incPU7CLlocalVj(u32* at) {
    return exchange(at, *at + 1);
}
i32 _Z10atomic_incPU8CLglobalVi(i32* at) {
    return exchange(at, *at + 1);
}
u32 _Z10atomic_incPU8CLglobalVj(u32* at) {
    return exchange(at, *at + 1);
}
i32 _Z10atomic_decPU8CLglobalVi(i32* at) {
    return exchange(at, *at - 1);
}
u64 _Z8atom_incPU8CLglobalVm(u64* at) {
    return exchange(at, *at + 1);
}
i32 _Z11atomic_xchgPU7CLlocalVii(i32* at, i32 value) {
    return exchange(at, value);
}
i32 _Z11atomic_xchgPU8CLglobalVii(i32* at, i32 value) {
    return exchange(at, value);
}
i32 _Z14atomic_cmpxchgPU8CLglobalViii(i32* at, i32 seen, i32 value) {
    return exchange(at, *at == seen ? value : *at);
}

u32 _Z3absi(i32 x) {
    return x < 0 ? 0u - u32(x) : u32(x);
}
u64 _Z3absl(i64 x) {
    return x < 0 ? 0ul - u64(x) : u64(x);
}
u32 _Z3clzj(u32 x) {
    return x == 0 ? 32 : u32(__builtin_clz(x));
}
u64 _Z3clzm(u64 x) {
    return x == 0 ? 64 : u64(__builtin_clzl(x));
}
u32 _Z8popcountj(u32 x) {
    return u32(__builtin_popcount(x));
}
u64 _Z8popcountm(u64 x) {
    return u64(__builtin_popcountl(x));
}
i32 _Z3maxii(i32 a, i32 b) {
    return std::max(a, b);
}
u64 _Z3maxmm(u64 a, u64 b) {
    return std::max(a, b);
}
i32 _Z3minii(i32 a, i32 b) {
    return std::min(a, b);
}
u32 _Z3minjj(u32 a, u32 b) {
    return std::min(a, b);
}
i64 _Z3minll(i64 a, i64 b) {
    return std::min(a, b);
}
u32 _Z4haddjj(u32 a, u32 b) {
    return u32((u64{a} + b) >> 1);
}
i32 _Z5rhaddii(i32 a, i32 b) {
    return i32((i64{a} + b + 1) >> 1);
}
u32 _Z4haddDv4_hS_(u32 a, u32 b) {
    u32 out = 0;
    for (int shift = 0; shift < 32; shift += 8)
        out |= ((((a >> shift) & 255) + ((b >> shift) & 255)) >> 1) << shift;
    return out;
}
i32 _Z5mad24iii(i32 a, i32 b, i32 c) {
    return i32(u32(a) * u32(b) + u32(c));
}
u32 _Z5mul24jj(u32 a, u32 b) {
    return a * b;
}
i32 _Z6mul_hiii(i32 a, i32 b) {
    return i32((i64{a} * b) >> 32);
}
u32 _Z6mul_hijj(u32 a, u32 b) {
    return u32((u64{a} * b) >> 32);
}
i64 _Z6mul_hill(i64 a, i64 b) {
    return i64((i128{a} * b) >> 64);
}
u64 _Z6mul_himm(u64 a, u64 b) {
    return u64((u128{a} * b) >> 64);
}
u32 _Z6rotatejj(u32 x, u32 n) {
    return n % 32 == 0 ? x : x << n % 32 | x >> (32 - n % 32);
}
u64 _Z6rotatemm(u64 x, u64 n) {
    return n % 64 == 0 ? x : x << n % 64 | x >> (64 - n % 64);
}
i32 _Z7add_satii(i32 a, i32 b) {
    return saturate<i32>(i64{a} + b);
}
u32 _Z7sub_satjj(u32 a, u32 b) {
    return a < b ? 0 : a - b;
}
u32 _Z8abs_diffii(i32 a, i32 b) {
    return a < b ? u32(b) - u32(a) : u32(a) - u32(b);
}
u32 _Z9bitselectjjj(u32 a, u32 b, u32 mask) {
    return (a & ~mask) | (b & mask);
}
float _Z6selectffi(float a, float b, i32 c) {
    return c != 0 ? b : a;
}

i32 _Z15convert_int_rtef(float x) {
    return i32(std::nearbyint(x));
}
i32 _Z15convert_int_rtnf(float x) {
    return i32(std::floor(x));
}
i32 _Z15convert_int_rtpf(float x) {
    return i32(std::ceil(x));
}
int8_t _Z16convert_char_sati(i32 x) {
    return saturate<int8_t>(x);
}
int16_t _Z17convert_short_sati(i32 x) {
    return saturate<int16_t>(x);
}
uint8_t _Z17convert_uchar_satf(float x) {
    return saturate<uint8_t>(x);
}
uint8_t _Z17convert_uchar_sati(i32 x) {
    return saturate<uint8_t>(x);
}
__extension__ typedef _Float16 Half;
float _Z10vload_halfmPU8CLglobalKDh(size_t i, const Half* p) {
    return float(p[i]);
}
void _Z11vstore_halffmPU8CLglobalDh(float x, size_t i, Half* p) {
    p[i] = Half(x);
}

Int4 _Z6vload3mPU8CLglobalKi(size_t i, const i32* p) {
    return Int4{p[3 * i], p[3 * i + 1], p[3 * i + 2], 0};
}
Float4 _Z6vload4mPU8CLglobalKf(size_t i, const float* p) {
    return Float4{p[4 * i], p[4 * i + 1], p[4 * i + 2], p[4 * i + 3]};
}
void _Z7vstore3Dv3_imPU8CLglobali(Int4 v, size_t i, i32* p) {
    for (int k = 0; k < 3; ++k)
        p[3 * i + size_t(k)] = v[k];
}

float _Z10native_cosf(float x) {
    return std::cos(x);
}
float _Z10native_sinf(float x) {
    return std::sin(x);
}
float _Z10native_expf(float x) {
    return std::exp(x);
}
float _Z11native_exp2f(float x) {
    return std::exp2(x);
}
float _Z10native_logf(float x) {
    return std::log(x);
}
float _Z11native_log2f(float x) {
    return std::log2(x);
}
float _Z11native_sqrtf(float x) {
    return std::sqrt(x);
}
float _Z12native_recipf(float x) {
    return 1.0f / x;
}
float _Z12native_rsqrtf(float x) {
    return 1.0f / std::sqrt(x);
}
float _Z13native_divideff(float x, float y) {
    return x / y;
}
float _Z3cosf(float x) {
    return std::cos(x);
}
float _Z3sinf(float x) {
    return std::sin(x);
}
float _Z3tanf(float x) {
    return std::tan(x);
}
float _Z3expf(float x) {
    return std::exp(x);
}
float _Z3logf(float x) {
    return std::log(x);
}
float _Z3powff(float x, float y) {
    return std::pow(x, y);
}
float _Z4asinf(float x) {
    return std::asin(x);
}
float _Z4cbrtf(float x) {
    return std::cbrt(x);
}
float _Z4tanhf(float x) {
    return std::tanh(x);
}
float _Z5atan2ff(float y, float x) {
    return std::atan2(y, x);
}
float _Z5hypotff(float x, float y) {
    return std::hypot(x, y);
}
float _Z3fmafff(float x, float y, float z) {
    return std::fma(x, y, z);
}
double _Z3fmaddd(double x, double y, double z) {
    return std::fma(x, y, z);
}
float _Z4ceilf(float x) {
    return std::ceil(x);
}
double _Z4ceild(double x) {
    return std::ceil(x);
}
float _Z5floorf(float x) {
    return std::floor(x);
}
double _Z5floord(double x) {
    return std::floor(x);
}
float _Z5truncf(float x) {
    return std::trunc(x);
}
double _Z5truncd(double x) {
    return std::trunc(x);
}
float _Z4rintf(float x) {
    return std::rint(x);
}
double _Z4rintd(double x) {
    return std::rint(x);
}
float _Z5roundf(float x) {
    return std::round(x);
}
float _Z4fabsf(float x) {
    return std::fabs(x);
}
double _Z4fabsd(double x) {
    return std::fabs(x);
}
float _Z4fmaxff(float x, float y) {
    return std::fmax(x, y);
}
double _Z4fmaxdd(double x, double y) {
    return std::fmax(x, y);
}
float _Z4fminff(float x, float y) {
    return std::fmin(x, y);
}
double _Z4fmindd(double x, double y) {
    return std::fmin(x, y);
}
float _Z5clampfff(float x, float low, float high) {
    return std::fmin(std::fmax(x, low), high);
}
double _Z4sqrtd(double x) {
    return std::sqrt(x);
}
float _Z5ldexpfi(float x, i32 n) {
    return std::ldexp(x, n);
}
double _Z5ldexpdi(double x, i32 n) {
    return std::ldexp(x, n);
}
float _Z5frexpfPU9CLprivatei(float x, i32* n) {
    return std::frexp(x, n);
}
float _Z4modffPU9CLprivatef(float x, float* whole) {
    return std::modf(x, whole);
}
float _Z8copysignff(float x, float y) {
    return std::copysign(x, y);
}
i32 _Z9isgreaterff(float x, float y) {
    return x > y ? 1 : 0;
}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier)
