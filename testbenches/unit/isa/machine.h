// SPDX-License-Identifier: Apache-2.0
// Hand encoding of instructions and a wave to run them on.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "models/cu/isa/encoding.h"
#include "models/cu/isa/opcodes.h"

namespace archipelago::isa::test {

inline Inst decode_bits(uint64_t bits, unsigned dwords, uint32_t literal = 0) {
    const uint32_t words[2] = {static_cast<uint32_t>(bits),
                               dwords == 2 ? static_cast<uint32_t>(bits >> 32) : literal};
    return decode(words, 2);
}

inline Inst sop2(Op op, unsigned sdst, unsigned src0, unsigned src1, uint32_t literal = 0) {
    return decode_bits(enc::sop2::kId.put(enc::sop2::kIdValue) |
                           enc::sop2::kOp.put(op_info(op).number) | enc::sop2::kSdst.put(sdst) |
                           enc::sop2::kSsrc0.put(src0) | enc::sop2::kSsrc1.put(src1),
                       1, literal);
}
inline Inst sop1(Op op, unsigned sdst, unsigned src0, uint32_t literal = 0) {
    return decode_bits(enc::sop1::kId.put(enc::sop1::kIdValue) |
                           enc::sop1::kOp.put(op_info(op).number) | enc::sop1::kSdst.put(sdst) |
                           enc::sop1::kSsrc0.put(src0),
                       1, literal);
}
inline Inst sopc(Op op, unsigned src0, unsigned src1) {
    return decode_bits(enc::sopc::kId.put(enc::sopc::kIdValue) |
                           enc::sopc::kOp.put(op_info(op).number) | enc::sopc::kSsrc0.put(src0) |
                           enc::sopc::kSsrc1.put(src1),
                       1);
}
inline Inst sopk(Op op, unsigned sdst, uint32_t k, uint32_t literal = 0) {
    return decode_bits(enc::sopk::kId.put(enc::sopk::kIdValue) |
                           enc::sopk::kOp.put(op_info(op).number) | enc::sopk::kSdst.put(sdst) |
                           enc::sopk::kSimm16.put(k),
                       1, literal);
}
inline Inst sopp(Op op, uint32_t k) {
    return decode_bits(enc::sopp::kId.put(enc::sopp::kIdValue) |
                           enc::sopp::kOp.put(op_info(op).number) | enc::sopp::kSimm16.put(k),
                       1);
}
inline Inst smrd(Op op, unsigned sdst, unsigned sbase, bool imm, unsigned offset) {
    return decode_bits(enc::smrd::kId.put(enc::smrd::kIdValue) |
                           enc::smrd::kOp.put(op_info(op).number) | enc::smrd::kSdst.put(sdst) |
                           enc::smrd::kSbasePair.put(sbase / 2) | enc::smrd::kImm.put(imm ? 1 : 0) |
                           enc::smrd::kOffset.put(offset),
                       1);
}

struct Mubuf {
    unsigned vdata = 0, vaddr = 0, srsrc = 0, soffset = kConstZero, offset = 0;
    bool offen = false, idxen = false, addr64 = false, glc = false, lds = false, tfe = false;
};
inline Inst mubuf(Op op, const Mubuf& m) {
    return decode_bits(
        enc::mubuf::kId.put(enc::mubuf::kIdValue) | enc::mubuf::kOp.put(op_info(op).number) |
            enc::mubuf::kVdata.put(m.vdata) | enc::mubuf::kVaddr.put(m.vaddr) |
            enc::mubuf::kSrsrcQuad.put(m.srsrc / 4) | enc::mubuf::kSoffset.put(m.soffset) |
            enc::mubuf::kOffset.put(m.offset) | enc::mubuf::kOffen.put(m.offen) |
            enc::mubuf::kIdxen.put(m.idxen) | enc::mubuf::kAddr64.put(m.addr64) |
            enc::mubuf::kGlc.put(m.glc) | enc::mubuf::kLds.put(m.lds) | enc::mubuf::kTfe.put(m.tfe),
        2);
}
inline Inst mtbuf(Op op, unsigned dfmt, unsigned nfmt, const Mubuf& m) {
    return decode_bits(enc::mtbuf::kId.put(enc::mtbuf::kIdValue) |
                           enc::mtbuf::kOp.put(op_info(op).number) |
                           enc::mtbuf::kVdata.put(m.vdata) | enc::mtbuf::kVaddr.put(m.vaddr) |
                           enc::mtbuf::kSrsrcQuad.put(m.srsrc / 4) |
                           enc::mtbuf::kSoffset.put(m.soffset) | enc::mtbuf::kOffset.put(m.offset) |
                           enc::mtbuf::kOffen.put(m.offen) | enc::mtbuf::kIdxen.put(m.idxen) |
                           enc::mtbuf::kDfmt.put(dfmt) | enc::mtbuf::kNfmt.put(nfmt),
                       2);
}

struct Ds {
    unsigned vdst = 0, addr = 0, data0 = 0, data1 = 0, offset = 0;
    bool gds = false;
};
inline Inst ds(Op op, const Ds& d) {
    return decode_bits(enc::ds::kId.put(enc::ds::kIdValue) | enc::ds::kOp.put(op_info(op).number) |
                           enc::ds::kVdst.put(d.vdst) | enc::ds::kAddr.put(d.addr) |
                           enc::ds::kData0.put(d.data0) | enc::ds::kData1.put(d.data1) |
                           enc::ds::kOffset0.put(d.offset & 0xff) |
                           enc::ds::kOffset1.put(d.offset >> 8) | enc::ds::kGds.put(d.gds),
                       2);
}

// A wave with all lanes active, 32 VGPRs and 104 SGPRs.
struct Machine {
    WaveState w;

    Machine() : storage_(new Registers) {
        w.v = storage_->v;
        w.num_vgprs = kVgprs;
        w.num_sgprs = 104;
        w.set_exec(~uint64_t{0});
        w.s[kM0] = 0xffffffffu;
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    void run(const Inst& inst) {
        w.pc += inst.dwords * 4u;
        inst.exec(inst, w);
    }
    template <typename F>
    void fill(unsigned vgpr, F f) {
        for (unsigned l = 0; l < kLanes; ++l) {
            w.v[vgpr][l] = static_cast<uint32_t>(f(l));
        }
    }
    // Buffer resource in s[first..first+3].
    void resource(unsigned first, uint64_t base, uint32_t stride, uint32_t num_records,
                  uint32_t word3) {
        w.s[first] = static_cast<uint32_t>(base);
        w.s[first + 1] = static_cast<uint32_t>(base >> 32) | stride << 16;
        w.s[first + 2] = num_records;
        w.s[first + 3] = word3;
    }

  private:
    static constexpr unsigned kVgprs = 32;
    struct Registers {
        alignas(64) VReg v[kVgprs] = {};
    };
    std::unique_ptr<Registers> storage_;
};

}  // namespace archipelago::isa::test
