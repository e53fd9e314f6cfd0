// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/cu_program.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "rtl-bridge/compare/cu_program_parts.h"

namespace archipelago::rtl {

using namespace cu_program;

CuProgram::CuProgram(Random& random, const Shape& shape) : random_(random), shape_(shape) {
    choose_profile();
    choose_resources();
    prologue();
    const bool accidental = shape_.accident != Accident::None;
    const unsigned items =
        accidental ? 1 + random_.below(10) : 4 + random_.below(random_.one_in(4) ? 40 : 16);
    const unsigned at = accidental ? random_.below(items) : items;
    for (unsigned n = 0; n < items; ++n) {
        if (n == at)
            accident();
        item({});
    }
    if (!random_.one_in(3))
        epilogue();
    emit(sopp(Op::S_ENDPGM));
    sure_ = false;
    subroutine();
    handler_code();
    constants();
}

// What there is much of, and whether loads are waited for.
void CuProgram::choose_profile() {
    static constexpr unsigned kOutside = kCuBuilt.exports || kCuBuilt.messages ? 4 : 0;
    static constexpr unsigned kImages = kCuBuilt.images ? 12 : 0;
    static constexpr std::array<unsigned, kParts> kShares = {
        30, 18, 7, 12, 8, 5, 4, 5, 2, 5, 2, 2, 1, 1, 1, 1, 2, 1, 1, 2, kOutside, kImages, 10, 5};
    shares_ = kShares;
    waits_ = random_.one_in(2);
    if (random_.one_in(2))
        shares_[random_.below(kParts)] *= 8;
    if (random_.one_in(3))
        shares_[0] = 4;
    for (unsigned& share : shares_)
        share = random_.one_in(10) ? 0 : share;
    shares_[1] += 1;
    all_shares_ = 0;
    for (const unsigned share : shares_)
        all_shares_ += share;
}

void CuProgram::choose_resources() {
    static constexpr uint32_t kStrides[] = {0, 0, 0, 4, 8, 12, 16, 64, 200};
    static constexpr uint32_t kSafeStrides[] = {0, 0, 8, 16, 64};
    static constexpr uint32_t kRecords[] = {0, 5, 16, 64, 100, 1000, 4096, 1u << 20, ~0u};
    static constexpr uint32_t kSelectors[] = {0, 1, 4, 5, 6, 7};
    for (uint32_t& value : initial_)
        value = literal();
    for (unsigned at = kResources; at < kData; at += 4) {
        const bool safe = at == kSafeResource;
        const uint64_t base =
            shape_.data + (safe ? 64 * random_.below(32) : 4 * random_.below(1024));
        uint32_t select = 4 | 5 << 3 | 6 << 6 | 7 << 9;
        if (random_.one_in(4))
            select = random_.pick(kSelectors) | random_.pick(kSelectors) << 3 |
                     random_.pick(kSelectors) << 6 | random_.pick(kSelectors) << 9;
        const bool swizzle = !safe && random_.one_in(5);
        initial_[at] = low(base);
        initial_[at + 1] = high(base) |
                           (safe ? random_.pick(kSafeStrides) : random_.pick(kStrides)) << 16 |
                           (swizzle ? 1u << 31 : 0);
        initial_[at + 2] = random_.pick(kRecords);
        initial_[at + 3] = select | random_.below(8) << 12 | random_.below(15) << 15 |
                           (1 + random_.below(3)) << 19 | random_.below(4) << 21 |
                           (random_.one_in(5) ? 1u << 23 : 0);
    }
    initial_[kData] = low(shape_.data);
    initial_[kData + 1] = high(shape_.data);
}

// Registers that the launch does not set.
void CuProgram::prologue() {
    const unsigned set = random_.one_in(3) ? random_.below(kUser) : kUser;
    user_.assign(initial_.begin(), initial_.begin() + set);
    for (unsigned i = std::max(set, kResources); i < kSpare; ++i)
        move_literal(i, initial_[i]);
}

void CuProgram::block(const Block& b, unsigned items) {
    for (unsigned n = 0; n < items; ++n)
        item(b);
}

void CuProgram::item(const Block& b) {
    unsigned at = random_.below(all_shares_), part = 0;
    while (at >= shares_[part])
        at -= shares_[part++];
    const bool nested = b.depth > 0;
    switch (part) {
        case 0:
            return vector_alu(b);
        case 1:
            return scalar_alu(b);
        case 2:
            return scalar_memory(b);
        case 3:
            return vector_memory();
        case 4:
            return local_data(b);
        case 5:
            return wait();
        case 6:
            return internal();
        case 7:
            return restore_exec();
        case 8:
            return b.depth < 2 ? loop(b) : restore_exec();
        case 9:
            return b.depth < 3 ? conditional(b) : wait();
        case 10:
            return b.called ? internal() : jump();
        case 11:
            return b.called || b.forked ? internal() : call();
        case 12:
            return b.forked || b.called ? wait() : fork(b);
        case 13:
            return skip_section(b);
        case 14:
            return trap();
        case 15:
            return barrier();
        case 16:
            return relative_move();
        case 17:
            return b.called || nested ? wait() : reload_resource();
        case 18:
            return special();
        case 19:
            return hazard(b);
        case 20:
            return outside();
        case 21:
            return image_memory(b);
        case 22:
            return shared_operands(b);
        default:
            return race();
    }
}

void CuProgram::accident() {
    if (has_images() && !random_.one_in(3) && image_accident()) {
        sure_ = false;
        return;
    }
    switch (shape_.accident) {
        case Accident::None:
            return;
        case Accident::NoInstruction:
            no_instruction();
            break;
        case Accident::Unimplemented:
            no_buffer();
            break;
        case Accident::BeyondRegisters:
            beyond_registers();
            break;
        case Accident::OddJump:
            odd_jump();
            break;
        case Accident::NoMessage:
            no_message();
            break;
        case Accident::Misaligned:
            misaligned_access();
            break;
        case Accident::ScalarFault:
            scalar_fault();
            break;
        case Accident::VectorFault:
            vector_fault();
            break;
        case Accident::FetchFault:
            unmapped_ = address(here());
            break;
        case Accident::Halt:
            emit(sopp(kCuBuilt.messages && random_.one_in(2) ? Op::S_SENDMSGHALT : Op::S_SETHALT,
                      1));
            break;
    }
    sure_ = false;
}

// Any words that are none, or of an opcode of SOPP that there is not.
void CuProgram::no_instruction() {
    uint32_t words[2] = {0xbfff0000, random_.word()};
    for (unsigned n = random_.below(20); n != 0; --n) {
        const uint32_t any[2] = {random_.word(), random_.word()};
        if (isa::decode(any, 2).format == Format::Illegal)
            std::copy(std::begin(any), std::end(any), words);
    }
    emit(words[0], words[1]);
}

// A buffer access through a resource that is none.
void CuProgram::no_buffer() {
    move_literal(kSpare + 1, 0xc0000000 | random_.word());
    const uint64_t bits = enc::mubuf::kId.put(enc::mubuf::kIdValue) |
                          enc::mubuf::kOp.put(number(Op::BUFFER_LOAD_DWORD)) |
                          enc::mubuf::kSrsrcQuad.put(kData / 4) | enc::mubuf::kSoffset.put(kZero);
    emit(low(bits), high(bits));
}

void CuProgram::beyond_registers() {
    if (shape_.vgprs < 256 && random_.one_in(2))
        emit(vop1(Op::V_MOV_B32, shape_.vgprs, kZero));
    else if (shape_.sgprs <= isa::kSgprLast)
        emit(sop1(Op::S_MOV_B32, shape_.sgprs, kZero));
}

void CuProgram::odd_jump() {
    move_literal(kAddress, low(address(here() + 8)) + 1 + random_.below(3));
    move_literal(kAddress + 1, high(shape_.pc));
    emit(sop1(Op::S_SETPC_B64, 0, kAddress));
}

void CuProgram::no_message() {
    static constexpr uint32_t kNone[] = {2, 4, 7, 14, 15, 15 | 5 << 4, 15 | 7 << 4};
    emit(sopp(random_.one_in(4) ? Op::S_SENDMSGHALT : Op::S_SENDMSG, random_.pick(kNone)));
}

// Of 64 bits, at a dword in the middle of one.
void CuProgram::misaligned_access() {
    emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
    const uint64_t bits = enc::mubuf::kId.put(enc::mubuf::kIdValue) |
                          enc::mubuf::kOp.put(number(Op::BUFFER_ATOMIC_ADD_X2)) |
                          enc::mubuf::kAddr64.put(1) | enc::mubuf::kOffset.put(4) |
                          enc::mubuf::kSrsrcQuad.put(kSafeResource / 4) |
                          enc::mubuf::kSoffset.put(kZero) | enc::mubuf::kVaddr.put(2);
    emit(vop1(Op::V_MOV_B32, 2, kZero));
    emit(vop1(Op::V_MOV_B32, 3, kZero));
    emit(low(bits), high(bits));
}

void CuProgram::scalar_fault() {
    move_literal(kSpare, random_.word() & ~3u);
    move_literal(kSpare + 1, high(kCuUnmapped));
    emit(static_cast<uint32_t>(enc::smrd::kId.put(enc::smrd::kIdValue) |
                               enc::smrd::kSdst.put(kFirstOther) |
                               enc::smrd::kSbasePair.put(kSpare / 2) | enc::smrd::kImm.put(1)));
}

void CuProgram::vector_fault() {
    static constexpr Op kOps[] = {Op::BUFFER_LOAD_DWORD, Op::BUFFER_STORE_DWORD,
                                  Op::BUFFER_ATOMIC_ADD};
    emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
    emit(vop1(Op::V_MOV_B32, 2, kZero));
    emit(vop1(Op::V_MOV_B32, 3, isa::kLiteral), high(kCuUnmapped));
    const uint64_t bits = enc::mubuf::kId.put(enc::mubuf::kIdValue) |
                          enc::mubuf::kOp.put(number(random_.pick(kOps))) |
                          enc::mubuf::kAddr64.put(1) |
                          enc::mubuf::kSrsrcQuad.put(kSafeResource / 4) |
                          enc::mubuf::kSoffset.put(kZero) | enc::mubuf::kVaddr.put(2);
    emit(low(bits), high(bits));
}

// Stores registers, which nothing else need show, at a dword for each lane.
void CuProgram::epilogue() {
    wait_for(0, 0, 0);
    emit(sopk(Op::S_GETREG_B32, kShown, hardware(1 + random_.below(3), 0, 32)));
    emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
    lane_addresses();
    for (unsigned n = random_.below(4); n != 0; --n)
        store_of_lanes(vgpr());
    for (unsigned n = random_.below(5); n != 0; --n) {
        const unsigned from = random_.one_in(4)   ? kTtmp + random_.below(12)
                              : random_.one_in(4) ? unsigned{kShown}
                                                  : sgpr(1);
        emit(vop1(Op::V_MOV_B32, 0, from));
        store_of_lanes(0);
        wait_for(15, 0, 15);
    }
}

void CuProgram::subroutine() {
    for (const size_t place : calls_)  // counted from after s_getpc_b64
        words_[place] = low(4 * (here() - (place - 1)));
    Block b;
    b.depth = 2;
    b.called = true;
    block(b, 1 + random_.below(5));
    emit(sop1(Op::S_SETPC_B64, 0, kAddress));
}

// Lets memory see a scalar register, if a lane is active.
void CuProgram::show(unsigned sgpr) {
    const uint64_t bits =
        enc::mubuf::kId.put(enc::mubuf::kIdValue) |
        enc::mubuf::kOp.put(number(Op::BUFFER_STORE_DWORD)) | enc::mubuf::kVdata.put(0) |
        enc::mubuf::kSrsrcQuad.put(kSafeResource / 4) | enc::mubuf::kSoffset.put(kZero);
    emit(vop1(Op::V_MOV_B32, 0, sgpr));
    emit(low(bits), high(bits));
}

// Goes on after s_trap. The trap's number is in the upper half of TTMP1.
void CuProgram::handler_code() {
    handler_ = here();
    if (random_.one_in(2))
        emit(sopp(Op::S_NOP, random_.below(8)));
    if (random_.one_in(3)) {  // neither is executed in privileged mode
        emit(sopp(Op::S_SETHALT, 1));
        emit(sopp(Op::S_SETKILL, 1));
        emit(sopk(Op::S_GETREG_B32, kTtmp + 4, hardware(kHwStatus, 0, 32)));
        emit(sopp(Op::S_SETHALT, 0));
        emit(sopp(Op::S_SETKILL, 0));
    }
    if (random_.one_in(2))
        emit(sopk(Op::S_SETREG_IMM32_B32, 0, hardware(kHwStatus, 3 * random_.below(2), 2)),
             random_.below(4));
    emit(sop1(Op::S_MOV_B32, kShown, kTtmp + 1));
    emit(sop2(Op::S_ADD_U32, kTtmp, kTtmp, kZero + 4));
    emit(sop2(Op::S_ADDC_U32, kTtmp + 1, kTtmp + 1, kZero));
    emit(sop2(Op::S_AND_B32, kTtmp + 1, kTtmp + 1, isa::kLiteral), 0xffff);
    emit(sop1(Op::S_RFE_B64, 0, kTtmp));
}

void CuProgram::constants() {
    for (const size_t place : reloads_)
        words_[place] = low(address(here())) + words_[place];
    for (unsigned i = kResources; i < kData; ++i)
        words_.push_back(initial_[i]);
    words_.insert(words_.end(), image_words_.begin(), image_words_.end());
    for (unsigned n = random_.below(8); n != 0; --n)
        words_.push_back(random_.word());
}

}  // namespace archipelago::rtl
