// SPDX-License-Identifier: Apache-2.0
// Words of a random program: which ones fit, their operands, their encodings.
#include <algorithm>
#include <vector>

#include "rtl-bridge/compare/cu_program_parts.h"

namespace archipelago::rtl {
namespace cu_program {
namespace {

// The instructions of a format that are in the table.
std::vector<Op> instructions_of(Format format) {
    std::vector<Op> ops;
    for (unsigned i = 0; i < isa::kOpCount; ++i)
        if (isa::op_info(Op{static_cast<uint16_t>(i)}).format == format)
            ops.push_back(Op{static_cast<uint16_t>(i)});
    return ops;
}
const std::vector<Op>& instructions(Format format) {
    static const std::vector<std::vector<Op>> kAll = [] {
        std::vector<std::vector<Op>> all;
        for (unsigned f = 0; f < static_cast<unsigned>(Format::Illegal); ++f)
            all.push_back(instructions_of(Format{static_cast<uint8_t>(f)}));
        return all;
    }();
    return kAll[static_cast<unsigned>(format)];
}

}  // namespace

Op any_of(Random& random, Format format) {
    const std::vector<Op>& ops = instructions(format);
    return ops[random.below(static_cast<uint32_t>(ops.size()))];
}

Probe& probe() {
    thread_local Probe one;
    return one;
}

}  // namespace cu_program

using namespace cu_program;

namespace {

bool overlap(unsigned a, unsigned as, unsigned b, unsigned bs) {
    return a < b + bs && b < a + as;
}

// An instruction that takes the program counter elsewhere, ends or holds the wave, or changes what
// the rest relies on: only parts made for it have it.
bool is_kept_for_parts(const isa::Inst& inst) {
    if (inst.cls == isa::Class::Branch)
        return true;
    switch (inst.op) {
        case Op::S_ENDPGM:
        case Op::S_BARRIER:
        case Op::S_SETHALT:
        case Op::S_SETKILL:
        case Op::S_TRAP:
        case Op::S_SENDMSGHALT:
        case Op::S_ICACHE_INV:
        case Op::S_SETVSKIP:
        case Op::S_RFE_B64:
        case Op::S_MOVRELD_B32:
        case Op::S_MOVRELD_B64:
            return true;
        case Op::S_SETREG_B32:
        case Op::S_SETREG_IMM32_B32: {
            const auto k = static_cast<uint32_t>(inst.simm16);
            return (k & 63) == kHwMode && (k >> 6 & 31) + (k >> 11 & 31) >= 28;
        }
        default:
            return false;
    }
}

bool is_built(const isa::Inst& inst) {
    switch (inst.format) {
        case Format::Mimg:
            return kCuBuilt.images;
        case Format::Exp:
            return kCuBuilt.exports;
        case Format::Vintrp:
            return kCuBuilt.interpolation;
        case Format::Ds:
            return kCuBuilt.gds || inst.cls != isa::Class::Gds;
        case Format::Mubuf:
            return kCuBuilt.loads_to_lds || !inst.lds;
        case Format::Vop1:
        case Format::Vop2:
        case Format::Vopc:
            return kCuBuilt.lds_direct || inst.src[0] != isa::kLdsDirect;
        case Format::Sopp:
            return kCuBuilt.messages || inst.cls != isa::Class::Message;
        default:
            return true;
    }
}

}  // namespace

// ---- words

void CuProgram::emit(uint32_t word) {
    mark(word, 0);
    words_.push_back(word);
}
void CuProgram::emit(uint32_t first, uint32_t second) {
    mark(first, second);
    words_.push_back(first);
    words_.push_back(second);
}

// What is emitted here will have been executed.
void CuProgram::mark(uint32_t first, uint32_t second) {
    if (!sure_)
        return;
    const uint32_t words[2] = {first, second};
    const cu::Decoded d = cu::make_decoded(words, 2, skipping_);
    executes_ |= 1u << static_cast<unsigned>(d.action);
    crosses_ |= d.dwords == 2 && address(here()) % 32 == 28;
    if (d.action == cu::Action::VectorMem) {
        loads_to_lds_ |= d.inst.lds;
        ++vectors_;
        stores_ += d.vmem_cost >= cu::VmemCost::Store ? 1 : 0;
    } else if (d.action == cu::Action::Wait) {
        vectors_ = stores_ = 0;
    }
    most_vectors_ = std::max(most_vectors_, vectors_);
    most_stores_ = std::max(most_stores_, stores_);
}

bool CuProgram::executable(const isa::Inst& inst) const {
    return isa::is_implemented(inst) && is_built(inst) && !is_kept_for_parts(inst) &&
           inst.vgprs_used <= shape_.vgprs && inst.sgprs_used <= shape_.sgprs;
}

// The registers that other instructions rely on.
bool CuProgram::keeps_registers(const isa::Inst& inst, const Block& b) const {
    const isa::Destinations d = isa::destinations(inst, probe().wave);
    const unsigned first = b.forked ? 0 : kResources;
    return !overlap(d.sgpr, d.sgprs, first, kFirstOther - first) &&
           !overlap(d.sgpr, d.sgprs, kTba, 2);
}

bool CuProgram::fits(const isa::Inst& inst, const Block& b) const {
    return inst.format != Format::Illegal && executable(inst) && keeps_registers(inst, b);
}

// ---- operands

uint32_t CuProgram::literal() {
    static constexpr uint32_t kEdges[] = {0,          1,          0x7fffffff, 0x80000000,
                                          0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000,
                                          0x7fc00000, 0x00400000, 0x4f000000, 0x3ff00000};
    switch (random_.below(4)) {
        case 0:
            return random_.pick(kEdges);
        case 1:
            return random_.below(64);
        case 2:
            return (random_.word() & 0x807fffff) | (100 + random_.below(60)) << 23;
        default:
            return random_.word();
    }
}

// One that can be read.
unsigned CuProgram::sgpr(unsigned dwords) {
    const unsigned align = dwords == 1 ? 1 : dwords == 2 ? 2 : 4;
    return random_.below((shape_.sgprs - dwords) / align + 1) * align;
}

unsigned CuProgram::scalar_source(unsigned dwords) {
    static constexpr unsigned kOthers[] = {kVcc,  kVcc,  kTba,       kTma,        kTtmp,
                                           kExec, kExec, isa::kVccz, isa::kExecz, isa::kScc};
    switch (random_.below(8)) {
        case 0:
            return kZero + random_.below(81);
        case 1:
            return isa::kFloatFirst + random_.below(8);
        case 2:
            return random_.one_in(2) ? unsigned{isa::kLiteral} : random_.pick(kOthers);
        case 3:
            return dwords == 1 && random_.one_in(2) ? kM0 : kZero + random_.below(65);
        default:
            return sgpr(dwords);
    }
}

unsigned CuProgram::scalar_destination(unsigned dwords) {
    static constexpr unsigned kOthers[] = {kVcc, kVcc, kVcc, kTma, kTtmp + 4, kExec};
    if (random_.one_in(3) && dwords <= 2)
        return random_.one_in(8) && dwords == 1 ? kM0 : random_.pick(kOthers);
    const unsigned align = dwords == 1 ? 1 : dwords == 2 ? 2 : 4;
    const unsigned first = (kFirstOther + align - 1) & ~(align - 1);
    if (random_.one_in(3) || first + dwords > shape_.sgprs)
        return random_.below(kStack / align) * align;
    return first + random_.below((shape_.sgprs - first - dwords) / align + 1) * align;
}

unsigned CuProgram::vgpr(unsigned dwords) {
    const unsigned count = std::max(dwords, 1u);
    if (shape_.vgprs <= count)
        return 0;
    const unsigned last = shape_.vgprs - count;
    return random_.one_in(4) ? random_.below(last + 1) : random_.below(std::min(last + 1, 8u));
}

unsigned CuProgram::vector_source(unsigned dwords) {
    const unsigned count = std::max(dwords, 1u);
    if (!random_.one_in(3))
        return isa::kVgprFirst + vgpr(count);
    if (kCuBuilt.lds_direct && random_.one_in(8))
        return isa::kLdsDirect;
    return scalar_source(count);
}

// ---- encodings

uint32_t CuProgram::sop1(Op op, unsigned sdst, unsigned ssrc0) {
    return low(enc::sop1::kId.put(enc::sop1::kIdValue) | enc::sop1::kOp.put(number(op)) |
               enc::sop1::kSdst.put(sdst) | enc::sop1::kSsrc0.put(ssrc0));
}
uint32_t CuProgram::sop2(Op op, unsigned sdst, unsigned ssrc0, unsigned ssrc1) {
    return low(enc::sop2::kId.put(enc::sop2::kIdValue) | enc::sop2::kOp.put(number(op)) |
               enc::sop2::kSdst.put(sdst) | enc::sop2::kSsrc0.put(ssrc0) |
               enc::sop2::kSsrc1.put(ssrc1));
}
uint32_t CuProgram::sopc(Op op, unsigned ssrc0, unsigned ssrc1) {
    return low(enc::sopc::kId.put(enc::sopc::kIdValue) | enc::sopc::kOp.put(number(op)) |
               enc::sopc::kSsrc0.put(ssrc0) | enc::sopc::kSsrc1.put(ssrc1));
}
uint32_t CuProgram::sopk(Op op, unsigned sdst, uint32_t simm16) {
    return low(enc::sopk::kId.put(enc::sopk::kIdValue) | enc::sopk::kOp.put(number(op)) |
               enc::sopk::kSdst.put(sdst) | enc::sopk::kSimm16.put(simm16));
}
uint32_t CuProgram::sopp(Op op, uint32_t simm16) {
    return low(enc::sopp::kId.put(enc::sopp::kIdValue) | enc::sopp::kOp.put(number(op)) |
               enc::sopp::kSimm16.put(simm16));
}
uint32_t CuProgram::vop1(Op op, unsigned vdst, unsigned src0) {
    return low(enc::vop1::kId.put(enc::vop1::kIdValue) | enc::vop1::kOp.put(number(op)) |
               enc::vop1::kVdst.put(vdst) | enc::vop1::kSrc0.put(src0));
}
uint32_t CuProgram::vop2(Op op, unsigned vdst, unsigned src0, unsigned vsrc1) {
    return low(enc::vop2::kId.put(enc::vop2::kIdValue) | enc::vop2::kOp.put(number(op)) |
               enc::vop2::kVdst.put(vdst) | enc::vop2::kSrc0.put(src0) |
               enc::vop2::kVsrc1.put(vsrc1));
}
uint32_t CuProgram::vopc(Op op, unsigned src0, unsigned vsrc1) {
    return low(enc::vopc::kId.put(enc::vopc::kIdValue) | enc::vopc::kOp.put(number(op)) |
               enc::vopc::kVsrc1.put(vsrc1) | enc::vopc::kSrc0.put(src0));
}
uint32_t CuProgram::vintrp(uint32_t op, unsigned vdst, unsigned vsrc, uint32_t attribute,
                           uint32_t channel) {
    return low(enc::vintrp::kId.put(enc::vintrp::kIdValue) | enc::vintrp::kOp.put(op) |
               enc::vintrp::kVdst.put(vdst) | enc::vintrp::kVsrc.put(vsrc) |
               enc::vintrp::kAttr.put(attribute) | enc::vintrp::kAttrChan.put(channel));
}

void CuProgram::move_literal(unsigned sdst, uint32_t value) {
    emit(sop1(Op::S_MOV_B32, sdst, isa::kLiteral), value);
}

void CuProgram::count_lanes(unsigned vgpr) {
    const auto count = [&](Op op, unsigned from) {
        const uint64_t bits = enc::vop3::kId.put(enc::vop3::kIdValue) |
                              enc::vop3::kOp.put(number(op) + kVop2InVop3) |
                              enc::vop3::kVdst.put(vgpr) | enc::vop3::kSrc0.put(kMinusOne) |
                              enc::vop3::kSrc1.put(from) | enc::vop3::kSrc2.put(kZero);
        emit(low(bits), high(bits));
    };
    count(Op::V_MBCNT_LO_U32_B32, kZero);
    count(Op::V_MBCNT_HI_U32_B32, isa::kVgprFirst + vgpr);
}
// The last pair of VGPRs gets the number of each active lane times four, 64 bits.
void CuProgram::lane_addresses() {
    count_lanes(lane_address());
    emit(vop2(Op::V_LSHLREV_B32, lane_address(), kZero + 2, lane_address()));
    emit(vop1(Op::V_MOV_B32, lane_address() + 1, kZero));
}
// After it: a dword for each lane.
void CuProgram::store_of_lanes(unsigned vgpr) {
    const uint64_t bits =
        enc::mubuf::kId.put(enc::mubuf::kIdValue) |
        enc::mubuf::kOp.put(number(Op::BUFFER_STORE_DWORD)) | enc::mubuf::kAddr64.put(1) |
        enc::mubuf::kVaddr.put(lane_address()) | enc::mubuf::kVdata.put(vgpr) |
        enc::mubuf::kSrsrcQuad.put(kSafeResource / 4) | enc::mubuf::kSoffset.put(kZero);
    emit(low(bits), high(bits));
}

// The largest number of a counter waits for nothing.
void CuProgram::wait_for(unsigned vm, unsigned exp, unsigned lgkm) {
    emit(sopp(Op::S_WAITCNT, vm | exp << 4 | lgkm << 8));
}

size_t CuProgram::branch(Op op) {
    emit(sopp(op));
    return here() - 1;
}
void CuProgram::lands(size_t branch) {
    words_[branch] = (words_[branch] & 0xffff0000) | ((here() - branch - 1) & 0xffff);
}

}  // namespace archipelago::rtl
