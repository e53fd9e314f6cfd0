// SPDX-License-Identifier: Apache-2.0
// Values that vector instructions take from the local data share: attribute parameters and
// LDS_DIRECT. Layout and M0: CLRX GcnInstrsVintrp, GcnOperands.
//
// M0[30:16] has a bit for each quad of lanes but the first; a one starts a new primitive.
// p1 is v_mad_f32(P10, i, P0) and p2 v_mad_f32(P20, j, d): the product is rounded before the sum,
// as CLRX writes the formulas and as the name of the later fused opcodes implies.
#include <cstring>

#include "models/cu/isa/encoding.h"
#include "models/cu/isa/lane_exec.h"
#include "models/cu/isa/lane_mask.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/special.h"
#include "models/gcn/attribute_parameters.h"

namespace archipelago::isa {
namespace {

constexpr unsigned kQuads = kLanes / 4;
// A place in WaveState::s that no operand code names.
constexpr unsigned kScratchScalar = 125;

// `size` bytes of the wave's part of LDS; 0 beyond it.
uint32_t read_lds(const WaveState& w, const uint8_t* lds, unsigned lds_bytes, uint64_t at,
                  unsigned size) {
    uint32_t value = 0;
    if (at + size <= w.lds_size && w.lds_base + at + size <= lds_bytes) {
        std::memcpy(&value, lds + w.lds_base + at, size);
    }
    return value;
}

const Inst& multiply_add() {
    // v_mad_f32 v3, v0, v1, v2
    static const Inst inst = [] {
        const uint64_t bits = enc::vop3::kId.put(enc::vop3::kIdValue) |
                              enc::vop3::kOp.put(op_info(Op::V_MAD_F32).number) |
                              enc::vop3::kVdst.put(3) | enc::vop3::kSrc0.put(kVgprFirst) |
                              enc::vop3::kSrc1.put(kVgprFirst + 1) |
                              enc::vop3::kSrc2.put(kVgprFirst + 2);
        const uint32_t words[2] = {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
        return decode(words, 2);
    }();
    return inst;
}

}  // namespace

void execute_interpolation(const Inst& inst, WaveState& w, const uint8_t* lds, unsigned lds_bytes) {
    const uint32_t m0 = w.s[kM0];
    const uint32_t starts = m0 >> 16 & 0x7fff;
    const auto primitives = static_cast<unsigned>(__builtin_popcount(starts)) + 1;
    const auto parameter = [&](unsigned which, VReg& to) {
        unsigned primitive = 0;
        for (unsigned quad = 0; quad < kQuads; ++quad) {
            primitive += quad != 0 ? starts >> (quad - 1) & 1 : 0;
            const unsigned dword =
                attribute_parameters::place(inst.attr, primitive, primitives) + which;
            const uint32_t value =
                read_lds(w, lds, lds_bytes, (m0 & 0xffff) + uint64_t{4} * dword, 4);
            for (unsigned lane = 4 * quad; lane < 4 * quad + 4; ++lane) {
                to[lane] = value;
            }
        }
    };
    const unsigned p0 = attribute_parameters::p0(inst.attr_chan);
    const unsigned p10 = attribute_parameters::p10(inst.attr_chan);
    const unsigned p20 = attribute_parameters::p20(inst.attr_chan);
    alignas(64) VReg v[4] = {};
    if (inst.op == Op::V_INTERP_MOV_F32) {
        parameter(inst.src[0] == 0 ? p10 : inst.src[0] == 1 ? p20 : p0, v[3]);
    } else {
        const bool first = inst.op == Op::V_INTERP_P1_F32;
        parameter(first ? p10 : p20, v[0]);
        std::memcpy(v[1], w.v[inst.src[0] - kVgprFirst], sizeof(VReg));
        if (first) {
            parameter(p0, v[2]);
        } else {
            std::memcpy(v[2], w.v[inst.vdst], sizeof(VReg));
        }
        WaveState local = w;
        local.v = v;
        multiply_add().exec(multiply_add(), local);
    }
    blend(w.v[inst.vdst], v[3], w.exec());
}

void execute_lds_direct(const Inst& inst, WaveState& w, const uint8_t* lds, unsigned lds_bytes) {
    const uint32_t m0 = w.s[kM0];
    const unsigned type = m0 >> 16 & 7;
    const unsigned size = (type & 3) == 0 ? 1 : (type & 3) == 1 ? 2 : 4;
    uint32_t value = read_lds(w, lds, lds_bytes, (m0 & 0xffff) & ~(size - 1), size);
    if (type == 4) {
        value = static_cast<uint32_t>(int32_t{static_cast<int8_t>(value)});
    } else if (type == 5) {
        value = static_cast<uint32_t>(int32_t{static_cast<int16_t>(value)});
    }
    Inst direct = inst;
    direct.src[0] = kScratchScalar;
    w.s[kScratchScalar] = value;
    direct.exec(direct, w);
    w.s[kScratchScalar] = 0;
}

}  // namespace archipelago::isa
