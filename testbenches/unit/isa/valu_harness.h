// SPDX-License-Identifier: Apache-2.0
// Runs single vector instructions on a small wave, for what the reference in reference/ does not
// cover: sequences of instructions, the host's levels and its floating-point environment.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "models/cu/isa/isa.h"
#include "models/cu/isa/lane_exec.h"
#include "models/cu/isa/opcodes.h"
#include "testbenches/unit/isa/float_bits.h"

namespace archipelago::isa::valu_test {

using test::as_float;
using test::bits;

constexpr unsigned kRegisters = 32;

using Lanes = std::array<uint32_t, kLanes>;
using Lanes64 = std::array<uint64_t, kLanes>;

// Register numbers the helpers use. 64-bit values take two registers.
constexpr unsigned kSrc0 = 2, kSrc1 = 4, kSrc2 = 6, kDst = 10;

struct Wave {
    struct Storage {
        alignas(64) VReg v[kRegisters];
    };
    std::unique_ptr<Storage> storage = std::make_unique<Storage>();
    WaveState w;

    Wave() {
        std::memset(storage->v, 0, sizeof storage->v);
        w.v = storage->v;
        w.num_vgprs = kRegisters;
        w.num_sgprs = 104;
        w.set_exec(~0ull);
    }
    void set(unsigned reg, const Lanes& x) { std::memcpy(w.v[reg], x.data(), sizeof x); }
    void set(unsigned reg, const Lanes64& x) {
        for (unsigned l = 0; l < kLanes; ++l) {
            w.v[reg][l] = static_cast<uint32_t>(x[l]);
            w.v[reg + 1][l] = static_cast<uint32_t>(x[l] >> 32);
        }
    }
    Lanes get(unsigned reg) const {
        Lanes x;
        std::memcpy(x.data(), w.v[reg], sizeof x);
        return x;
    }
    Lanes64 get64(unsigned reg) const {
        Lanes64 x;
        for (unsigned l = 0; l < kLanes; ++l) {
            x[l] = static_cast<uint64_t>(w.v[reg + 1][l]) << 32 | w.v[reg][l];
        }
        return x;
    }
};

// The instruction with vector sources in kSrc0.. and its result in kDst, in the VOP3 encoding for
// opcodes that have it.
inline Inst make(Op op) {
    const OpInfo& info = op_info(op);
    Inst i;
    i.op = op;
    i.format = info.format;
    i.num_src = info.num_src;
    i.src[0] = kVgprFirst + kSrc0;
    i.src[1] = kVgprFirst + kSrc1;
    i.src[2] = kVgprFirst + kSrc2;
    i.vdst = kDst;
    i.sdst = kVccLo;
    return i;
}

inline void execute(const Inst& i, WaveState& w) {
    const ExecFn fn = find_valu(i.op);
    ASSERT_NE(fn, nullptr) << op_info(i.op).name;
    fn(i, w);
}

inline double as_double(uint64_t x) {
    double d;
    std::memcpy(&d, &x, 8);
    return d;
}
inline uint64_t bits(double d) {
    uint64_t x;
    std::memcpy(&x, &d, 8);
    return x;
}

inline std::string hex(uint64_t x) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(x));
    return text;
}

inline bool nan32(uint32_t x) {
    return (x & 0x7fffffff) > 0x7f800000;
}
inline bool nan64(uint64_t x) {
    return (x & ~(1ull << 63)) > 0x7ff0000000000000;
}

// Values at which things go wrong.
inline std::vector<uint32_t> edge_floats() {
    return {0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000,
            0xc0200000, 0x40200000, 0x00800000, 0x80800000, 0x007fffff, 0x807fffff, 0x00000001,
            0x80000001, 0x00400000, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
            0xffc12345, 0x7f800001, 0xffa00001, 0x3effffff, 0xbeffffff, 0x3f7fffff, 0x3f800001,
            0x4b000001, 0x4affffff, 0xcb000001, 0x4f000000, 0xcf000000, 0x4effffff, 0x4f800000,
            0x4f7fffff, 0x40490fdb, 0x1e3ce508, 0x60ad78ec, 0x20000000, 0x5f000000, 0x0c000000,
            0xbf7fffff, 0x437f0000, 0x437f8000, 0x43800000, 0x43000000, 0xc2fc0000, 0x42fe0000,
            0x34000000};
}
inline std::vector<uint64_t> edge_doubles() {
    return {0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
            0x3fe0000000000000, 0xbfe0000000000000, 0x4004000000000000, 0xc004000000000000,
            0x0010000000000000, 0x8010000000000000, 0x000fffffffffffff, 0x800fffffffffffff,
            0x0000000000000001, 0x8000000000000001, 0x7fefffffffffffff, 0xffefffffffffffff,
            0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000012345,
            0x7ff0000000000001, 0xfff4000000000001, 0x41e0000000000000, 0xc1e0000000000000,
            0xc1e0000000200000, 0x41dfffffffc00000, 0x41f0000000000000, 0x41efffffffe00000,
            0x4330000000000001, 0xc32fffffffffffff, 0x3fefffffffffffff, 0x3ff0000000000001,
            0x36a0000000000000, 0x3690000000000000, 0x3810000000000000, 0x380fffffffffffff,
            0x47efffffe0000000, 0x47effffff0000000, 0x47f0000000000000, 0x400921fb54442d18};
}

inline Mode mode_of(unsigned round32, unsigned denorm32, bool ieee = true) {
    Mode m;
    m.fp_round_32 = static_cast<uint8_t>(round32);
    m.fp_denorm_32 = static_cast<uint8_t>(denorm32);
    m.ieee = ieee;
    return m;
}

}  // namespace archipelago::isa::valu_test
