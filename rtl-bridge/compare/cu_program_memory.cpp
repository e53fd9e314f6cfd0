// SPDX-License-Identifier: Apache-2.0
// Instructions of a random program that access memory or LDS, with what they address.
#include <algorithm>

#include "rtl-bridge/compare/cu_program_parts.h"

namespace archipelago::rtl {

using namespace cu_program;

void CuProgram::scalar_memory(const Block& b) {
    try_emit(b, [&]() -> Pair {
        const Op op = any_of(random_, Format::Smrd);
        const OpInfo& info = isa::op_info(op);
        const bool buffer = info.mem == isa::MemKind::ScalarBufferLoad;
        unsigned base = buffer ? kResources + 4 * random_.below(3) : kData;
        if (random_.one_in(12))
            base = sgpr(buffer ? 4 : 2);
        const bool imm = !random_.one_in(4);
        const unsigned offset = imm ? random_.below(256) : random_.one_in(2) ? kCounters : sgpr(1);
        const unsigned dwords = std::max<unsigned>(info.dst_dwords, 1);
        const unsigned destination =
            dwords == 1 && random_.one_in(8) ? unsigned{kM0} : scalar_destination(dwords);
        return {{low(enc::smrd::kId.put(enc::smrd::kIdValue) | enc::smrd::kOp.put(number(op)) |
                     enc::smrd::kSdst.put(destination) | enc::smrd::kSbasePair.put(base / 2) |
                     enc::smrd::kImm.put(imm ? 1 : 0) | enc::smrd::kOffset.put(offset)),
                 0}};
    });
    if (random_.one_in(4))
        wait_for(15, 7, random_.below(3));
    if (random_.one_in(8)) {
        wait_for(15, 7, 0);
        show(scalar_destination(1));
    }
}

// Starting after the program.
void CuProgram::reload_resource() {
    const unsigned n = random_.below(3);
    move_literal(kAddress, 16 * n);
    reloads_.push_back(here() - 1);
    move_literal(kAddress + 1, high(shape_.pc));
    emit(low(enc::smrd::kId.put(enc::smrd::kIdValue) |
             enc::smrd::kOp.put(number(Op::S_LOAD_DWORDX4)) |
             enc::smrd::kSdst.put(kResources + 4 * n) | enc::smrd::kSbasePair.put(kAddress / 2) |
             enc::smrd::kImm.put(1)));
    wait_for(15, 7, 0);
}

void CuProgram::vector_memory() {
    Op op = any_of(random_, random_.one_in(3) ? Format::Mtbuf : Format::Mubuf);
    for (unsigned n = 0; n < 2 && isa::op_info(op).mem == isa::MemKind::Atomic; ++n)
        op = any_of(random_, Format::Mubuf);  // of which most are atomics
    if (random_.one_in(64))
        op = Op::BUFFER_ATOMIC_CMPSWAP_X2;  // a comparand of eight bytes
    buffer_access(op, random_.one_in(8));
}

// A buffer instruction with its address registers, which are made first.
void CuProgram::buffer_access(Op op, bool to_lds) {
    static constexpr uint32_t kOffsets[] = {0x3c, 0xfc, 0xff, 0x3fc, 0xffc, 0x3ffc};
    const OpInfo& info = isa::op_info(op);
    const bool wide_atomic = info.mem == isa::MemKind::Atomic && info.mem_bytes == 8;
    const unsigned resource =
        wide_atomic ? unsigned{kSafeResource} : kResources + 4 * random_.below(3);
    Pair words{};
    bool found = false;
    for (unsigned n = 0; n < 8 && !found; ++n) {
        words = buffer(op, resource, to_lds);
        const isa::Inst inst = isa::decode(words.words, 2);
        found = fits(inst, {});
        if (found) {
            Probe& p = probe();
            std::copy(initial_.begin(), initial_.end(), p.wave.s);
            isa::vector_mem(inst, p.wave, p.op);
            found = p.op.unsupported == nullptr;
        }
    }
    if (!found)
        return;
    const uint64_t bits = words.words[0] | uint64_t{words.words[1]} << 32;
    const unsigned vaddr = enc::mubuf::kVaddr.get(bits);
    const bool far = enc::mubuf::kAddr64.get(bits) != 0;
    const bool tfe = enc::mubuf::kTfe.get(bits) != 0;
    const bool index = enc::mubuf::kIdxen.get(bits) != 0;
    const uint32_t mask = wide_atomic ? 0x3f8 : random_.pick(kOffsets);
    const bool plain = !far && !wide_atomic;
    if (plain && random_.one_in(4)) {
        emit(vop2(Op::V_LSHLREV_B32, vaddr, kZero + 2 + random_.below(3), 0));
    } else if (!plain || !random_.one_in(6)) {
        emit(vop2(Op::V_AND_B32, vaddr, isa::kLiteral, vgpr()), index ? mask >> 2 & ~7u : mask);
        if (far && tfe && random_.one_in(4))
            emit(vop1(Op::V_MOV_B32, vaddr + 1, isa::kLiteral), high(kCuUnmapped));
        else if (far)
            emit(vop1(Op::V_MOV_B32, vaddr + 1, kZero));
        else if (index && enc::mubuf::kOffen.get(bits) != 0)
            emit(vop2(Op::V_AND_B32, vaddr + 1, isa::kLiteral, vgpr()), mask);
    }
    emit(words.words[0], words.words[1]);
    if (waits_ && !random_.one_in(3))
        wait_for(random_.below(4), 7, 15);
}

CuProgram::Pair CuProgram::buffer(Op op, unsigned resource, bool to_lds) {
    const OpInfo& info = isa::op_info(op);
    const bool wide_atomic = info.mem == isa::MemKind::Atomic && info.mem_bytes == 8;
    const bool far = random_.one_in(8);
    const unsigned data = std::max(info.dst_dwords, info.src_dwords[1]);
    const bool load = info.mem == isa::MemKind::Load || info.mem == isa::MemKind::LoadFormat;
    uint64_t bits = enc::mubuf::kAddr64.put(far ? 1 : 0) | enc::mubuf::kGlc.put(random_.below(2)) |
                    enc::mubuf::kSlc.put(random_.below(2)) |
                    enc::mubuf::kTfe.put(load && !to_lds && random_.one_in(far ? 2 : 8) ? 1 : 0) |
                    enc::mubuf::kVaddr.put(vgpr(2)) | enc::mubuf::kVdata.put(vgpr(data + 1)) |
                    enc::mubuf::kSrsrcQuad.put(resource / 4);
    if (!far)
        bits |= enc::mubuf::kOffen.put(random_.below(2)) | enc::mubuf::kIdxen.put(random_.below(2));
    if (wide_atomic)
        bits |= enc::mubuf::kOffset.put(8 * random_.below(32)) | enc::mubuf::kSoffset.put(kZero);
    else
        bits |= enc::mubuf::kOffset.put(random_.one_in(2) ? 4 * random_.below(16)
                                                          : random_.below(4096)) |
                enc::mubuf::kSoffset.put(random_.one_in(6)   ? scalar_source(1)
                                         : random_.one_in(3) ? kZero + random_.below(65)
                                                             : kZero);
    if (info.format == Format::Mtbuf)
        bits |= enc::mtbuf::kId.put(enc::mtbuf::kIdValue) | enc::mtbuf::kOp.put(number(op)) |
                enc::mtbuf::kDfmt.put(random_.below(15)) | enc::mtbuf::kNfmt.put(random_.below(8));
    else
        bits |= enc::mubuf::kId.put(enc::mubuf::kIdValue) | enc::mubuf::kOp.put(number(op)) |
                enc::mubuf::kLds.put(to_lds ? 1 : 0);
    return {{low(bits), high(bits)}};
}

// A DS instruction with M0 and its addresses, which are made first, and what it returns waited for.
void CuProgram::local_data(const Block& b) {
    static constexpr uint32_t kLimits[] = {~0u, ~0u, 0x10000, 0x100, 0x40, 0};
    static constexpr uint32_t kAddresses[] = {0x3c, 0xfc, 0xff, 0xf8, 0x3fc, 0xffc, 0xffff};
    // Of the GDS: with fields of OFFSET1, or of all lanes together. One in all would be too few.
    static constexpr Op kCounting[] = {Op::DS_ORDERED_COUNT, Op::DS_APPEND, Op::DS_CONSUME};
    const bool global = kCuBuilt.gds && random_.one_in(4);
    const bool counts = global && random_.one_in(4);
    const unsigned vaddr = vgpr();
    if (counts && random_.one_in(2))
        any_exec();
    if (random_.one_in(3)) {
        const uint32_t limit = random_.pick(kLimits);
        emit(sop1(Op::S_MOV_B32, kM0, isa::kLiteral), limit);
    }
    if (random_.one_in(3))
        emit(vop2(Op::V_LSHLREV_B32, vaddr, kZero + random_.below(6), 0));
    else if (!random_.one_in(6))
        emit(vop2(Op::V_AND_B32, vaddr, isa::kLiteral, vgpr()), random_.pick(kAddresses));
    const bool there = try_emit(b, [&]() -> Pair {
        const Op op = counts ? random_.pick(kCounting) : any_of(random_, Format::Ds);
        const bool ordered = op == Op::DS_ORDERED_COUNT;
        const OpInfo& info = isa::op_info(op);
        const uint64_t bits =
            enc::ds::kId.put(enc::ds::kIdValue) | enc::ds::kOp.put(number(op)) |
            enc::ds::kGds.put(global ? 1 : 0) |
            enc::ds::kOffset0.put(random_.one_in(2) ? random_.below(8) : random_.below(256)) |
            enc::ds::kOffset1.put(random_.one_in(2) ? 0 : random_.below(ordered ? 64 : 8)) |
            enc::ds::kAddr.put(vaddr) |
            enc::ds::kData0.put(vgpr(std::max<unsigned>(info.src_dwords[1], 1))) |
            enc::ds::kData1.put(vgpr(std::max<unsigned>(info.src_dwords[2], 1))) |
            enc::ds::kVdst.put(vgpr(std::max<unsigned>(info.dst_dwords, 1)));
        return {{low(bits), high(bits)}};
    });
    if (!there)
        return;
    for (unsigned n = random_.below(3); n != 0; --n)
        scalar_alu(b);
    wait_for(15, 7, 0);
}

}  // namespace archipelago::rtl
