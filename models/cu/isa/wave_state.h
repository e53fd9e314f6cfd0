// SPDX-License-Identifier: Apache-2.0
// Architectural state of one wave (wavefront) of 64 lanes. Knows no time.
#pragma once

#include <cstdint>
#include <cstring>

namespace archipelago::isa {

constexpr unsigned kLanes = 64;

// Scalar operand codes (SI ISA, 9-bit source operand field). Codes below 128 index WaveState::s.
enum OperandCode : uint16_t {
    kSgprFirst = 0,
    kSgprLast = 103,
    kVccLo = 106,
    kVccHi = 107,
    kTbaLo = 108,
    kTmaLo = 110,
    kTtmpFirst = 112,
    kTtmpLast = 123,
    kM0 = 124,
    kExecLo = 126,
    kExecHi = 127,
    kConstZero = 128,
    kIntPosFirst = 129,  // 1..64
    kIntPosLast = 192,
    kIntNegFirst = 193,  // -1..-16
    kIntNegLast = 208,
    kFloatFirst = 240,  // 0.5 -0.5 1.0 -1.0 2.0 -2.0 4.0 -4.0
    kFloatLast = 247,
    kVccz = 251,
    kExecz = 252,
    kScc = 253,
    kLdsDirect = 254,
    kLiteral = 255,
    kVgprFirst = 256,
    kVgprLast = 511,
};

// Bits of the MODE hardware register.
struct Mode {
    uint8_t fp_round_32 = 0;   // 0 nearest even, 1 +inf, 2 -inf, 3 zero
    uint8_t fp_round_64 = 0;   // also f16
    uint8_t fp_denorm_32 = 3;  // bit 0 allow input denormals, bit 1 allow output denormals
    uint8_t fp_denorm_64 = 3;
    bool dx10_clamp = true;  // clamp turns NaN into 0
    bool ieee = true;        // sNaN is quieted; min/max/clamp follow IEEE
    uint8_t excp_en = 0;
    uint8_t others = 0;  // LOD_CLAMPED, DEBUG_EN: kept, without effect

    // From PGM_RSRC1.FLOAT_MODE: [1:0] round32 [3:2] round64 [5:4] denorm32 [7:6] denorm64.
    static Mode from_float_mode(uint8_t m, bool dx10_clamp, bool ieee) {
        Mode r;
        r.fp_round_32 = m & 3;
        r.fp_round_64 = (m >> 2) & 3;
        r.fp_denorm_32 = (m >> 4) & 3;
        r.fp_denorm_64 = (m >> 6) & 3;
        r.dx10_clamp = dx10_clamp;
        r.ieee = ieee;
        return r;
    }
    uint32_t float_mode() const {
        return fp_round_32 | fp_round_64 << 2 | fp_denorm_32 << 4 | fp_denorm_64 << 6;
    }
};

// All 64 lanes of one 32-bit vector register.
using VReg = uint32_t[kLanes];

// Everything an instruction can read or write except memory and LDS contents. Plain data; the
// vector registers live in the CU's register file and are only pointed to (allocated by SPI).
struct WaveState {
    uint64_t pc = 0;  // byte address of the next instruction
    alignas(
        8) uint32_t s[128] = {};  // indexed by operand code: SGPRs, VCC, TBA, TMA, TTMP, M0, EXEC
    VReg* v = nullptr;            // v[0..num_vgprs-1], 64-byte aligned
    uint16_t num_vgprs = 0;       // allocated; an access beyond is an error
    uint16_t num_sgprs = 0;       // allocated, VCC included
    bool scc = false;
    Mode mode;
    uint32_t lds_base = 0;  // bytes, start of the group's allocation in the CU's LDS
    uint32_t lds_size = 0;  // bytes allocated; accesses beyond are dropped, reads return 0
    uint8_t vmid = 0;
    uint8_t priority = 0;  // s_setprio
    bool privileged = false;
    uint32_t hw_id = 0;  // HW_ID hardware register
    uint32_t trapsts = 0;
    uint32_t ib_sts = 0;    // IB_STS hardware register, written by the unit that counts (s_waitcnt)
    uint8_t csp = 0;        // entries on the SGPR branch stack (s_cbranch_*_fork, s_cbranch_join)
    bool vskip = false;     // vector instructions are passed over (s_setvskip)
    bool halt = false;      // stopped while it is not privileged (s_sethalt)
    bool killed = false;    // ends while it is not privileged (s_setkill)
    bool trap_en = false;   // there is a trap handler
    bool in_group = false;  // of more than one wave
    uint8_t spi_priority = 0;               // priority at launch
    uint16_t vgpr_base = 0, sgpr_base = 0;  // in the SIMD's register files

    uint64_t s64(unsigned code) const {
        uint64_t r;
        std::memcpy(&r, &s[code], 8);
        return r;
    }
    void set_s64(unsigned code, uint64_t value) { std::memcpy(&s[code], &value, 8); }
    uint64_t exec() const { return s64(kExecLo); }
    void set_exec(uint64_t m) { set_s64(kExecLo, m); }
    uint64_t vcc() const { return s64(kVccLo); }
    void set_vcc(uint64_t m) { set_s64(kVccLo, m); }
};

}  // namespace archipelago::isa
