// SPDX-License-Identifier: Apache-2.0
// Instructions of a random program but those that access memory or LDS.
#include <algorithm>
#include <vector>

#include "rtl-bridge/compare/cu_program_parts.h"

namespace archipelago::rtl {

using namespace cu_program;

namespace {

// Numbers of the field of VOP3, which has the opcodes of VOPC, VOP2 and VOP1 as well.
unsigned any_vop3(Random& random) {
    static const std::vector<unsigned> kNumbers = [] {
        std::vector<unsigned> numbers;
        for (unsigned n = 0; n <= enc::vop3::kOp.mask(); ++n)
            if (isa::op_from_number(Format::Vop3, n) != Op::Illegal)
                numbers.push_back(n);
        return numbers;
    }();
    return kNumbers[random.below(static_cast<uint32_t>(kNumbers.size()))];
}

// One whose destination is not what its fields say alone, where the encoding has any.
Op with_unusual_destination(Random& random, Format format, Op op) {
    if (format == Format::Vop2)
        return Op::V_WRITELANE_B32;
    if (format == Format::Vop1)
        return random.one_in(2) ? Op::V_MOVRELD_B32 : Op::V_MOVRELSD_B32;
    return op;
}

}  // namespace

void CuProgram::vector_alu(const Block& b) {
    static constexpr Format kFormats[] = {Format::Vop1, Format::Vop2, Format::Vopc, Format::Vop3,
                                          Format::Vop3};
    const Format format = random_.pick(kFormats);
    try_emit(b, [&]() -> Pair {
        if (format == Format::Vop3) {
            const unsigned n = any_vop3(random_);
            const OpInfo& info = isa::op_info(isa::op_from_number(Format::Vop3, n));
            const bool compares = info.format == Format::Vopc;
            uint64_t bits =
                (random_.bits() & 0xf800000000000000u) | enc::vop3::kId.put(enc::vop3::kIdValue) |
                enc::vop3::kOp.put(n) |
                enc::vop3::kVdst.put(compares                    ? scalar_destination(2)
                                     : info.has(isa::kOpSgprDst) ? scalar_destination(1)
                                                                 : vgpr(info.dst_dwords)) |
                enc::vop3::kSrc0.put(vector_source(info.src_dwords[0])) |
                enc::vop3::kSrc1.put(vector_source(info.src_dwords[1])) |
                enc::vop3::kSrc2.put(info.has(isa::kOpMaskIn) ? sgpr(2)
                                                              : vector_source(info.src_dwords[2]));
            if (info.has(isa::kOpMaskOut) && !compares)
                bits |= enc::vop3::kSdst.put(scalar_destination(2));
            else
                bits |=
                    enc::vop3::kAbs.put(random_.below(8)) | enc::vop3::kClamp.put(random_.below(2));
            if (random_.one_in(3))  // no modifiers
                bits &= ~(enc::vop3::kOmod.put(3) | enc::vop3::kNeg.put(7));
            return {{low(bits), high(bits)}};
        }
        Op op = any_of(random_, format);
        if (random_.one_in(5))
            op = with_unusual_destination(random_, format, op);
        const OpInfo& info = isa::op_info(op);
        const unsigned src0 = vector_source(info.src_dwords[0]);
        const unsigned vdst =
            info.has(isa::kOpSgprDst) ? scalar_destination(1) : vgpr(info.dst_dwords);
        const unsigned src1 =
            info.has(isa::kOpLaneSel) ? scalar_source(1) : vgpr(info.src_dwords[1]);
        if (format == Format::Vop1)
            return {{vop1(op, vdst, src0), literal()}};
        if (format == Format::Vop2)
            return {{vop2(op, vdst, src0, src1), literal()}};
        return {{vopc(op, src0, src1), literal()}};
    });
}

void CuProgram::scalar_alu(const Block& b) {
    static constexpr Format kFormats[] = {Format::Sop2, Format::Sop2, Format::Sop1, Format::Sopc,
                                          Format::Sopk};
    const Format format = random_.pick(kFormats);
    try_emit(b, [&]() -> Pair {
        const Op op = any_of(random_, format);
        const OpInfo& info = isa::op_info(op);
        const unsigned sdst = scalar_destination(std::max<unsigned>(info.dst_dwords, 1));
        const unsigned src0 = scalar_source(std::max<unsigned>(info.src_dwords[0], 1));
        const unsigned src1 = scalar_source(std::max<unsigned>(info.src_dwords[1], 1));
        switch (format) {
            case Format::Sop2:
                return {{sop2(op, sdst, src0, src1), literal()}};
            case Format::Sop1:
                return {{sop1(op, sdst, src0), literal()}};
            case Format::Sopc:
                return {{sopc(op, src0, src1), literal()}};
            default: {
                // Hardware registers by their number.
                const uint32_t field =
                    random_.below(14) | random_.below(32) << 6 | random_.below(32) << 11;
                const bool hardware = info.number >= number(Op::S_GETREG_B32);
                return {{sopk(op, sdst, hardware ? field : random_.word()), literal()}};
            }
        }
    });
}

void CuProgram::wait() {
    if (random_.one_in(3))
        wait_for(0, 0, 0);
    else
        wait_for(random_.below(16), random_.below(8), random_.below(16));
}

void CuProgram::internal() {
    static constexpr Op kMarks[] = {Op::S_INCPERFLEVEL, Op::S_DECPERFLEVEL, Op::S_TTRACEDATA};
    switch (random_.below(8)) {
        case 0:
            emit(sopp(Op::S_SLEEP, random_.one_in(4) ? random_.below(8) : random_.below(2)));
            break;
        case 1:
        case 2:
            emit(sopp(Op::S_SETPRIO, random_.below(4)));
            break;
        case 3:
            emit(sopp(random_.pick(kMarks), random_.below(16)));
            break;
        default:
            emit(sopp(Op::S_NOP, random_.below(random_.one_in(4) ? 8 : 2)));
            break;
    }
}

void CuProgram::restore_exec() {
    if (random_.one_in(5))
        emit(sop1(Op::S_MOV_B64, kExec, sgpr(2)));
    else if (random_.one_in(5))
        emit(sop2(Op::S_LSHL_B64, kExec, kOne, kZero + random_.below(64)));
    else
        emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
}

// A scalar instruction after vector ones that have written scalar registers, one of which it
// reads.
void CuProgram::hazard(const Block& b) {
    const unsigned first = kFirstOther + random_.below(shape_.sgprs - kFirstOther);
    const unsigned second = kFirstOther + random_.below(shape_.sgprs - kFirstOther);
    emit(vop1(Op::V_READFIRSTLANE_B32, first, isa::kVgprFirst + vgpr()));
    if (!random_.one_in(3))
        emit(vop1(Op::V_READFIRSTLANE_B32, second, isa::kVgprFirst + vgpr()));
    const unsigned to = b.forked ? kFirstOther : random_.below(kStack);
    emit(sop2(Op::S_ADD_U32, to, random_.one_in(2) ? first : second, kOne));
}

// s_movreld to a register that nothing relies on; no load may write M0 before.
void CuProgram::relative_move() {
    const bool pair = random_.one_in(2);
    const unsigned room = shape_.sgprs - kFirstOther - 1;
    const unsigned destination = kFirstOther + random_.below(std::min(room, 60u));
    const unsigned m0 = random_.below(shape_.sgprs - destination + 2);
    wait_for(15, 7, 0);
    emit(sop1(Op::S_MOV_B32, kM0, kZero + std::min(m0, 64u)));
    if (pair)
        emit(sop1(Op::S_MOVRELD_B64, destination & ~1u, sgpr(2)));
    else
        emit(sop1(Op::S_MOVRELD_B32, destination, sgpr(1)));
}

void CuProgram::special() {
    if (random_.one_in(12)) {
        emit(sopp(Op::S_SETKILL, 1));
        sure_ = false;
        return;
    }
    if (random_.one_in(3)) {
        emit(sopp(Op::S_ICACHE_INV));
        return;
    }
    if (random_.one_in(3)) {  // SCC and priority, which only privileged waves may write
        emit(sopk(Op::S_SETREG_IMM32_B32, 0, hardware(kHwStatus, 0, 5)), random_.below(32));
        return;
    }
    const uint64_t bits =
        enc::mubuf::kId.put(enc::mubuf::kIdValue) |
        enc::mubuf::kOp.put(number(random_.one_in(2) ? Op::BUFFER_WBINVL1 : Op::BUFFER_WBINVL1_SC));
    emit(low(bits), high(bits));
}

// What leaves the unit by other ways than memory.
void CuProgram::outside() {
    static constexpr uint32_t kMessages[] = {0, 1,          1,           2 | 1 << 4, 2 | 3 << 4,
                                             3, 3 | 2 << 4, 15 | 1 << 4, 15 | 4 << 4};
    switch (random_.below(2)) {
        case 0:
            try_emit({}, [&]() -> Pair {
                const uint64_t bits = (random_.bits() & 0x1fff) |
                                      enc::exp::kId.put(enc::exp::kIdValue) |
                                      enc::exp::kVsrc0.put(vgpr()) | enc::exp::kVsrc1.put(vgpr()) |
                                      enc::exp::kVsrc2.put(vgpr()) | enc::exp::kVsrc3.put(vgpr());
                return {{low(bits), high(bits)}};
            });
            break;
        default:
            try_emit({}, [&]() -> Pair {
                const uint32_t stream = random_.below(4) << 8;
                return {{sopp(Op::S_SENDMSG, random_.pick(kMessages) | stream), 0}};
            });
            break;
    }
}

}  // namespace archipelago::rtl
