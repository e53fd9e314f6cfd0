// SPDX-License-Identifier: Apache-2.0
// Words of Southern Islands instructions for who compares decoders: every opcode number of every
// encoding, with operands at the edges of what is legal.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/cu/isa/encoding.h"
#include "models/cu/isa/isa.h"
#include "models/cu/isa/opcodes.h"
#include "pins/cu_decode_pins.h"
#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {

// An encoding: its upper bits and its opcode field, and where its registers and operand codes are.
struct CuEncoding {
    isa::Format format;
    const char* name;
    unsigned id_low;  // its upper bits begin here
    uint32_t id;
    isa::enc::Field op;
    unsigned numbers;  // the opcode field holds
    std::vector<isa::enc::Field> operands;

    // The instruction's bits but the operands.
    uint64_t base(unsigned number) const { return (uint64_t{id} << id_low) | op.put(number); }
    bool has(unsigned number) const {
        return isa::op_from_number(format, number) != isa::Op::Illegal;
    }
};

inline const std::vector<CuEncoding>& cu_encodings() {
    namespace enc = isa::enc;
    using isa::Format;
    const auto entry = [](Format format, const char* name, enc::Field id, uint32_t value,
                          enc::Field op, std::vector<enc::Field> operands) {
        const unsigned numbers = format == Format::Exp ? 1 : op.mask() + 1;
        return CuEncoding{format, name, id.low, value, op, numbers, std::move(operands)};
    };
    // EXP has no opcode: the last of its upper bits, which is 0, stands in for the field.
    static const std::vector<CuEncoding> kEncodings = {
        entry(Format::Sop2, "SOP2", enc::sop2::kId, enc::sop2::kIdValue, enc::sop2::kOp,
              {enc::sop2::kSdst, enc::sop2::kSsrc0, enc::sop2::kSsrc1}),
        entry(Format::Sopk, "SOPK", enc::sopk::kId, enc::sopk::kIdValue, enc::sopk::kOp,
              {enc::sopk::kSdst}),
        entry(Format::Sop1, "SOP1", enc::sop1::kId, enc::sop1::kIdValue, enc::sop1::kOp,
              {enc::sop1::kSdst, enc::sop1::kSsrc0}),
        entry(Format::Sopc, "SOPC", enc::sopc::kId, enc::sopc::kIdValue, enc::sopc::kOp,
              {enc::sopc::kSsrc0, enc::sopc::kSsrc1}),
        entry(Format::Sopp, "SOPP", enc::sopp::kId, enc::sopp::kIdValue, enc::sopp::kOp, {}),
        entry(Format::Smrd, "SMRD", enc::smrd::kId, enc::smrd::kIdValue, enc::smrd::kOp,
              {enc::smrd::kSdst, enc::smrd::kOffset}),
        entry(Format::Vop2, "VOP2", enc::vop2::kId, enc::vop2::kIdValue, enc::vop2::kOp,
              {enc::vop2::kVdst, enc::vop2::kSrc0, enc::vop2::kVsrc1}),
        entry(Format::Vop1, "VOP1", enc::vop1::kId, enc::vop1::kIdValue, enc::vop1::kOp,
              {enc::vop1::kVdst, enc::vop1::kSrc0}),
        entry(Format::Vopc, "VOPC", enc::vopc::kId, enc::vopc::kIdValue, enc::vopc::kOp,
              {enc::vopc::kSrc0, enc::vopc::kVsrc1}),
        entry(Format::Vop3, "VOP3", enc::vop3::kId, enc::vop3::kIdValue, enc::vop3::kOp,
              {enc::vop3::kVdst, enc::vop3::kSdst, enc::vop3::kSrc0, enc::vop3::kSrc1,
               enc::vop3::kSrc2}),
        entry(Format::Vintrp, "VINTRP", enc::vintrp::kId, enc::vintrp::kIdValue, enc::vintrp::kOp,
              {enc::vintrp::kVdst}),
        entry(Format::Ds, "DS", enc::ds::kId, enc::ds::kIdValue, enc::ds::kOp,
              {enc::ds::kAddr, enc::ds::kData0, enc::ds::kData1, enc::ds::kVdst}),
        entry(Format::Mubuf, "MUBUF", enc::mubuf::kId, enc::mubuf::kIdValue, enc::mubuf::kOp,
              {enc::mubuf::kVaddr, enc::mubuf::kVdata, enc::mubuf::kSoffset}),
        entry(Format::Mtbuf, "MTBUF", enc::mtbuf::kId, enc::mtbuf::kIdValue, enc::mtbuf::kOp,
              {enc::mtbuf::kVaddr, enc::mtbuf::kVdata, enc::mtbuf::kSoffset}),
        entry(Format::Mimg, "MIMG", enc::mimg::kId, enc::mimg::kIdValue, enc::mimg::kOp,
              {enc::mimg::kVaddr, enc::mimg::kVdata}),
        entry(Format::Exp, "EXP", enc::exp::kId, enc::exp::kIdValue, {26, 26},
              {enc::exp::kVsrc0, enc::exp::kVsrc1, enc::exp::kVsrc2, enc::exp::kVsrc3}),
    };
    return kEncodings;
}

// Operands for an instruction of an encoding: any bits, and often codes that are a register's, the
// last ones of a file, or next to one.
class CuWords {
  public:
    explicit CuWords(Random& random) : random_(random) {}

    CuDecodePins::Words of(const CuEncoding& e, unsigned number) {
        uint64_t operands = random_.bits();
        for (const isa::enc::Field field : e.operands)
            if (!random_.one_in(8))
                set(operands, field, code(field.mask()));
        // Of v_interp_mov's parameters three are legal.
        if (e.format == isa::Format::Vintrp && random_.one_in(2))
            set(operands, isa::enc::vintrp::kVsrc, random_.below(4));
        if (e.format == isa::Format::Sopk && random_.one_in(2))
            set(operands, isa::enc::sopk::kSimm16, hardware_field());
        const uint64_t keep = (uint64_t{0xffffffff} << 32) | ((uint64_t{1} << e.id_low) - 1);
        const uint64_t op = e.op.put(e.op.mask());
        const uint64_t words = ((operands & keep) & ~op) | e.base(number);
        return {static_cast<uint32_t>(words), static_cast<uint32_t>(words >> 32),
                static_cast<uint8_t>(random_.one_in(4))};
    }

  private:
    static void set(uint64_t& bits, isa::enc::Field field, uint32_t value) {
        bits = (bits & ~field.put(field.mask())) | field.put(value);
    }
    // SIMM16 of s_getreg and s_setreg: often a field that ends at VSKIP, bit 28 of MODE, or beside.
    uint32_t hardware_field() {
        const uint32_t first = random_.below(32);
        const uint32_t last = random_.one_in(2) ? 27 + random_.below(3) : random_.below(32);
        return random_.below(8) | first << 6 | ((last - first) & 31) << 11;
    }
    // For a field that holds `mask`: a VGPR where there is room for one, an edge, a register that
    // may begin a range, which few codes from 128 on are.
    uint32_t code(uint32_t mask) {
        static constexpr uint32_t kEdges[] = {
            0,   1,   2,   3,   4,   88,  92,  96,  100, 101, 102, 103, 104, 105, 106, 107,
            108, 110, 111, 112, 113, 114, 116, 119, 120, 121, 122, 123, 124, 125, 126, 127,
            128, 129, 192, 193, 208, 209, 239, 240, 247, 248, 250, 251, 252, 253, 254, 255};
        const uint32_t how = random_.below(8);
        if (mask > 255 && how < 4)  // a vector register
            return 256 + (random_.one_in(4) ? 252 + random_.below(4) : random_.below(256));
        if (how < 6)
            return random_.pick(kEdges) & mask;
        static constexpr uint32_t kAligned[] = {~0u, ~1u, ~3u, ~3u};
        return random_.word() & random_.pick(kAligned) & mask & 127u;
    }

    Random& random_;
};

}  // namespace archipelago::rtl
