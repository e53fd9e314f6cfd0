// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/cu_program.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <utility>

#include "models/cu/isa/effects.h"

namespace archipelago::rtl {
namespace {

namespace enc = isa::enc;
using isa::Format;
using isa::Op;
using isa::OpInfo;

// Operand codes.
constexpr unsigned kVcc = isa::kVccLo, kTba = isa::kTbaLo, kTma = isa::kTmaLo;
constexpr unsigned kTtmp = isa::kTtmpFirst, kM0 = isa::kM0, kExec = isa::kExecLo;
constexpr unsigned kZero = isa::kConstZero, kOne = isa::kIntPosFirst;
constexpr unsigned kMinusOne = isa::kIntNegFirst;

constexpr uint32_t kHwMode = 1, kHwStatus = 2;
// Number of VOP2's first opcode in VOP3.
constexpr uint32_t kVop2InVop3 = 256;
constexpr uint32_t hardware(uint32_t id, uint32_t first, uint32_t width) {
    return id | first << 6 | (width - 1) << 11;
}

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
Op any_of(Random& random, Format format) {
    const std::vector<Op>& ops = instructions(format);
    return ops[random.below(static_cast<uint32_t>(ops.size()))];
}
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

uint32_t number(Op op) {
    return isa::op_info(op).number;
}
uint32_t low(uint64_t bits) {
    return static_cast<uint32_t>(bits);
}
uint32_t high(uint64_t bits) {
    return static_cast<uint32_t>(bits >> 32);
}

// A wave in which only `resources`, s8 and following, are known.
struct Probe {
    alignas(64) std::array<isa::VReg, 260> rows{};
    isa::WaveState wave;
    isa::VectorMemOp op;
    Probe() {
        wave.v = rows.data();
        wave.num_vgprs = 256;
        wave.num_sgprs = isa::kSgprLast + 1;
    }
};
Probe& probe() {
    thread_local const auto one = std::make_unique<Probe>();
    return *one;
}

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

// ---- a program

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
    static constexpr unsigned kOutside =
        kCuBuilt.exports || kCuBuilt.interpolation || kCuBuilt.messages ? 4 : 0;
    static constexpr std::array<unsigned, kParts> kShares = {
        30, 18, 7, 12, 8, 5, 4, 5, 2, 5, 2, 2, 1, 1, 1, 1, 2, 1, 1, 2, kOutside};
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
        default:
            return outside();
    }
}

void CuProgram::accident() {
    switch (shape_.accident) {
        case Accident::None:
            return;
        case Accident::NoInstruction: {
            // Any words that are none, or of an opcode of SOPP that there is not.
            uint32_t words[2] = {0xbfff0000, random_.word()};
            for (unsigned n = random_.below(20); n != 0; --n) {
                const uint32_t any[2] = {random_.word(), random_.word()};
                if (isa::decode(any, 2).format == Format::Illegal)
                    std::copy(std::begin(any), std::end(any), words);
            }
            emit(words[0], words[1]);
            break;
        }
        case Accident::Unimplemented: {
            move_literal(kSpare + 1, 0xc0000000 | random_.word());
            const uint64_t bits = enc::mubuf::kId.put(enc::mubuf::kIdValue) |
                                  enc::mubuf::kOp.put(number(Op::BUFFER_LOAD_DWORD)) |
                                  enc::mubuf::kSrsrcQuad.put(kData / 4) |
                                  enc::mubuf::kSoffset.put(kZero);
            emit(low(bits), high(bits));
            break;
        }
        case Accident::BeyondRegisters:
            if (shape_.vgprs < 256 && random_.one_in(2))
                emit(vop1(Op::V_MOV_B32, shape_.vgprs, kZero));
            else if (shape_.sgprs <= isa::kSgprLast)
                emit(sop1(Op::S_MOV_B32, shape_.sgprs, kZero));
            break;
        case Accident::OddJump:
            move_literal(kAddress, low(address(here() + 8)) + 1 + random_.below(3));
            move_literal(kAddress + 1, high(shape_.pc));
            emit(sop1(Op::S_SETPC_B64, 0, kAddress));
            break;
        case Accident::Misaligned: {
            emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
            const uint64_t bits = enc::mubuf::kId.put(enc::mubuf::kIdValue) |
                                  enc::mubuf::kOp.put(number(Op::BUFFER_ATOMIC_ADD_X2)) |
                                  enc::mubuf::kAddr64.put(1) | enc::mubuf::kOffset.put(4) |
                                  enc::mubuf::kSrsrcQuad.put(kSafeResource / 4) |
                                  enc::mubuf::kSoffset.put(kZero) | enc::mubuf::kVaddr.put(2);
            emit(vop1(Op::V_MOV_B32, 2, kZero));
            emit(vop1(Op::V_MOV_B32, 3, kZero));
            emit(low(bits), high(bits));
            break;
        }
        case Accident::ScalarFault:
            move_literal(kSpare, random_.word() & ~3u);
            move_literal(kSpare + 1, high(kCuUnmapped));
            emit(static_cast<uint32_t>(
                enc::smrd::kId.put(enc::smrd::kIdValue) | enc::smrd::kSdst.put(kFirstOther) |
                enc::smrd::kSbasePair.put(kSpare / 2) | enc::smrd::kImm.put(1)));
            break;
        case Accident::VectorFault: {
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
            break;
        }
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

// Stores registers, which nothing else need show, at a dword for each lane.
void CuProgram::epilogue() {
    const unsigned address = shape_.vgprs - 2;
    const auto store = [&](unsigned vgpr) {
        const uint64_t bits =
            enc::mubuf::kId.put(enc::mubuf::kIdValue) |
            enc::mubuf::kOp.put(number(Op::BUFFER_STORE_DWORD)) | enc::mubuf::kAddr64.put(1) |
            enc::mubuf::kVaddr.put(address) | enc::mubuf::kVdata.put(vgpr) |
            enc::mubuf::kSrsrcQuad.put(kSafeResource / 4) | enc::mubuf::kSoffset.put(kZero);
        emit(low(bits), high(bits));
    };
    const auto count = [&](Op op, unsigned from) {
        const uint64_t bits = enc::vop3::kId.put(enc::vop3::kIdValue) |
                              enc::vop3::kOp.put(number(op) + kVop2InVop3) |
                              enc::vop3::kVdst.put(address) | enc::vop3::kSrc0.put(kMinusOne) |
                              enc::vop3::kSrc1.put(from) | enc::vop3::kSrc2.put(kZero);
        emit(low(bits), high(bits));
    };
    wait_for(0, 0, 0);
    emit(sopk(Op::S_GETREG_B32, kShown, hardware(1 + random_.below(3), 0, 32)));
    emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
    count(Op::V_MBCNT_LO_U32_B32, kZero);
    count(Op::V_MBCNT_HI_U32_B32, isa::kVgprFirst + address);
    emit(vop2(Op::V_LSHLREV_B32, address, kZero + 2, address));
    emit(vop1(Op::V_MOV_B32, address + 1, kZero));
    for (unsigned n = random_.below(4); n != 0; --n)
        store(vgpr());
    for (unsigned n = random_.below(5); n != 0; --n) {
        const unsigned from = random_.one_in(4)   ? kTtmp + random_.below(12)
                              : random_.one_in(4) ? unsigned{kShown}
                                                  : sgpr(1);
        emit(vop1(Op::V_MOV_B32, 0, from));
        store(0);
        wait_for(15, 0, 15);
    }
}

void CuProgram::subroutine() {
    for (const size_t place : calls_)  // counted from behind s_getpc_b64
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

// Goes on behind s_trap. The trap's number is in the upper half of TTMP1.
void CuProgram::handler_code() {
    handler_ = here();
    if (random_.one_in(2))
        emit(sopp(Op::S_NOP, random_.below(8)));
    if (random_.one_in(3)) {  // neither is carried out in privileged mode
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
    for (unsigned n = random_.below(8); n != 0; --n)
        words_.push_back(random_.word());
}

// ---- parts with control flow

void CuProgram::loop(const Block& b) {
    if (counters_ == kAddress - kCounters)
        return;
    const unsigned counter = kCounters + counters_++;
    loops_ |= sure_;
    emit(sopk(Op::S_MOVK_I32, counter, 1 + random_.below(3)));
    const size_t first = here();
    Block inner = b;
    ++inner.depth;
    block(inner, 1 + random_.below(5));
    Op back = Op::S_CBRANCH_SCC1;
    if (random_.one_in(2))
        emit(sopk(Op::S_ADDK_I32, counter, 0xffff));
    else
        emit(sop2(Op::S_SUB_U32, counter, counter, kOne));
    emit(sopc(Op::S_CMP_GT_I32, counter, kZero));
    switch (random_.below(4)) {
        case 0:
            emit(sop2(Op::S_CSELECT_B64, kVcc, kMinusOne, kZero));
            back = Op::S_CBRANCH_VCCNZ;
            break;
        case 1:
            emit(sop2(Op::S_CSELECT_B64, kExec, kMinusOne, kZero));
            back = Op::S_CBRANCH_EXECNZ;
            break;
        default:
            break;
    }
    emit(sopp(back, static_cast<uint32_t>(first - here() - 1)));
    if (back == Op::S_CBRANCH_EXECNZ)
        emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
    --counters_;
}

void CuProgram::conditional(const Block& b) {
    static constexpr Op kBranches[] = {Op::S_CBRANCH_SCC0,  Op::S_CBRANCH_SCC1,
                                       Op::S_CBRANCH_VCCZ,  Op::S_CBRANCH_VCCNZ,
                                       Op::S_CBRANCH_EXECZ, Op::S_CBRANCH_EXECNZ};
    if (random_.one_in(2))
        scalar_alu(b);
    const size_t over = branch(random_.pick(kBranches));
    const bool sure = std::exchange(sure_, false);
    Block inner = b;
    ++inner.depth;
    block(inner, random_.below(5));
    sure_ = sure;
    lands(over);
}

// Over dwords that are not executed, or there and back.
void CuProgram::jump() {
    const auto junk = [&] {
        for (unsigned n = random_.below(12); n != 0; --n)
            words_.push_back(random_.word());
    };
    switch (random_.below(3)) {
        case 0: {
            const size_t over = branch(Op::S_BRANCH);
            junk();
            lands(over);
            break;
        }
        case 1: {
            const size_t out = branch(Op::S_BRANCH);
            const size_t back = here();
            internal();
            const size_t on = branch(Op::S_BRANCH);
            junk();
            lands(out);
            emit(sopp(Op::S_BRANCH, static_cast<uint32_t>(back - here() - 1)));
            junk();
            lands(on);
            break;
        }
        default: {
            move_literal(kAddress, 0);
            const size_t place = here() - 1;
            move_literal(kAddress + 1, high(shape_.pc));
            emit(sop1(Op::S_SETPC_B64, 0, kAddress));
            junk();
            words_[place] = low(address(here()));
            break;
        }
    }
}

void CuProgram::call() {
    emit(sop1(Op::S_GETPC_B64, kAddress, 0));
    emit(sop2(Op::S_ADD_U32, kAddress, kAddress, isa::kLiteral), 0);
    calls_.push_back(here() - 1);
    emit(sop2(Op::S_ADDC_U32, kAddress + 1, kAddress + 1, kZero));
    emit(sop1(Op::S_SWAPPC_B64, kAddress, kAddress));
}

// Lanes part and meet again.
void CuProgram::fork(const Block& b) {
    const uint32_t entries = random_.below(2);
    wait_for(15, 7, 0);  // no load writes the stack
    emit(sopk(Op::S_SETREG_IMM32_B32, 0, hardware(kHwMode, 29, 3)), entries);
    const unsigned lanes = sgpr(2);
    const bool far = random_.one_in(2);
    size_t target = 0;
    if (far) {
        move_literal(kAddress, 0);
        target = here() - 1;
        move_literal(kAddress + 1, high(shape_.pc));
        emit(sop2(Op::S_CBRANCH_G_FORK, 0, lanes, kAddress));
    } else {
        emit(sopk(Op::S_CBRANCH_I_FORK, lanes, 0));
        target = here() - 1;
    }
    Block inner = b;
    inner.depth = 3;
    inner.forked = true;
    const bool sure = std::exchange(sure_, false);
    block(inner, random_.below(4));
    emit(sop1(Op::S_CBRANCH_JOIN, 0, kZero + entries));
    const size_t out = branch(Op::S_BRANCH);
    if (far)
        words_[target] = low(address(here()));
    else
        lands(target);
    block(inner, random_.below(4));
    emit(sop1(Op::S_CBRANCH_JOIN, 0, kZero + entries));
    sure_ = sure;
    lands(out);
    restore_exec();
}

void CuProgram::skip_section(const Block& b) {
    const bool by_mode = random_.one_in(3);
    if (by_mode)
        emit(sopk(Op::S_SETREG_IMM32_B32, 0, hardware(kHwMode, 28, 1)), 1);
    else
        emit(sopc(Op::S_SETVSKIP, kOne, kZero));
    const bool shows = random_.one_in(2);
    if (shows)
        emit(sopk(Op::S_GETREG_B32, kShown, hardware(kHwMode, 0, 32)));
    skipping_ = true;
    for (unsigned n = random_.below(5); n != 0; --n)
        switch (random_.below(4)) {
            case 0:
                vector_memory();
                break;
            case 1:
                local_data(b);
                break;
            case 2:
                scalar_alu(b);
                break;
            default:
                vector_alu(b);
                break;
        }
    skipping_ = false;
    if (by_mode)
        emit(sopk(Op::S_SETREG_IMM32_B32, 0, hardware(kHwMode, 28, 1)), 0);
    else
        emit(sopc(Op::S_SETVSKIP, kZero, kZero));
    if (shows)
        show(kShown);
}

void CuProgram::trap() {
    emit(sopp(Op::S_TRAP, random_.below(256)));
    if (random_.one_in(3))
        show(kShown);
}

void CuProgram::barrier() {
    emit(sopp(Op::S_BARRIER));
}

// ---- instructions

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
        const Op op = any_of(random_, format);
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
        return {{low(enc::vopc::kId.put(enc::vopc::kIdValue) | enc::vopc::kOp.put(number(op)) |
                     enc::vopc::kVsrc1.put(src1) | enc::vopc::kSrc0.put(src0)),
                 literal()}};
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
        return {
            {low(enc::smrd::kId.put(enc::smrd::kIdValue) | enc::smrd::kOp.put(number(op)) |
                 enc::smrd::kSdst.put(scalar_destination(std::max<unsigned>(info.dst_dwords, 1))) |
                 enc::smrd::kSbasePair.put(base / 2) | enc::smrd::kImm.put(imm ? 1 : 0) |
                 enc::smrd::kOffset.put(offset)),
             0}};
    });
    if (random_.one_in(4))
        wait_for(15, 7, random_.below(3));
    if (random_.one_in(8)) {
        wait_for(15, 7, 0);
        show(scalar_destination(1));
    }
}

// From behind the program.
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

// A buffer instruction with its address registers, which are made first.
void CuProgram::vector_memory() {
    static constexpr uint32_t kOffsets[] = {0x3c, 0xfc, 0xff, 0x3fc, 0xffc, 0x3ffc};
    Op op = any_of(random_, random_.one_in(3) ? Format::Mtbuf : Format::Mubuf);
    for (unsigned n = 0; n < 2 && isa::op_info(op).mem == isa::MemKind::Atomic; ++n)
        op = any_of(random_, Format::Mubuf);  // of which most are atomics
    const OpInfo& info = isa::op_info(op);
    const bool wide_atomic = info.mem == isa::MemKind::Atomic && info.mem_bytes == 8;
    const unsigned resource =
        wide_atomic ? unsigned{kSafeResource} : kResources + 4 * random_.below(3);
    Pair words{};
    bool found = false;
    for (unsigned n = 0; n < 8 && !found; ++n) {
        words = buffer(op, resource);
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

CuProgram::Pair CuProgram::buffer(Op op, unsigned resource) {
    const OpInfo& info = isa::op_info(op);
    const bool wide_atomic = info.mem == isa::MemKind::Atomic && info.mem_bytes == 8;
    const bool far = random_.one_in(8);
    const unsigned data = std::max(info.dst_dwords, info.src_dwords[1]);
    const bool load = info.mem == isa::MemKind::Load || info.mem == isa::MemKind::LoadFormat;
    uint64_t bits = enc::mubuf::kAddr64.put(far ? 1 : 0) | enc::mubuf::kGlc.put(random_.below(2)) |
                    enc::mubuf::kSlc.put(random_.below(2)) |
                    enc::mubuf::kTfe.put(load && random_.one_in(far ? 2 : 8) ? 1 : 0) |
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
                enc::mubuf::kLds.put(random_.one_in(8) ? 1 : 0);
    return {{low(bits), high(bits)}};
}

// A DS instruction with M0 and its addresses, which are made first, and what it returns waited for.
void CuProgram::local_data(const Block& b) {
    static constexpr uint32_t kLimits[] = {~0u, ~0u, 0x10000, 0x100, 0x40, 0};
    static constexpr uint32_t kAddresses[] = {0x3c, 0xfc, 0xff, 0xf8, 0x3fc, 0xffc, 0xffff};
    const unsigned vaddr = vgpr();
    if (random_.one_in(3)) {
        const uint32_t limit = random_.pick(kLimits);
        emit(sop1(Op::S_MOV_B32, kM0, isa::kLiteral), limit);
    }
    if (random_.one_in(3))
        emit(vop2(Op::V_LSHLREV_B32, vaddr, kZero + random_.below(6), 0));
    else if (!random_.one_in(6))
        emit(vop2(Op::V_AND_B32, vaddr, isa::kLiteral, vgpr()), random_.pick(kAddresses));
    const bool there = try_emit(b, [&]() -> Pair {
        const Op op = any_of(random_, Format::Ds);
        const OpInfo& info = isa::op_info(op);
        const uint64_t bits =
            enc::ds::kId.put(enc::ds::kIdValue) | enc::ds::kOp.put(number(op)) |
            enc::ds::kGds.put(kCuBuilt.gds && random_.one_in(4) ? 1 : 0) |
            enc::ds::kOffset0.put(random_.one_in(2) ? random_.below(8) : random_.below(256)) |
            enc::ds::kOffset1.put(random_.one_in(2) ? 0 : random_.below(8)) |
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

// A scalar instruction behind vector ones that have written scalar registers, one of which it
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
    const uint64_t bits =
        enc::mubuf::kId.put(enc::mubuf::kIdValue) |
        enc::mubuf::kOp.put(number(random_.one_in(2) ? Op::BUFFER_WBINVL1 : Op::BUFFER_WBINVL1_SC));
    emit(low(bits), high(bits));
}

// What leaves the unit by other ways than memory.
void CuProgram::outside() {
    static constexpr uint32_t kMessages[] = {1, 2 | 1 << 4,  2 | 3 << 4,
                                             3, 15 | 1 << 4, 15 | 4 << 4};
    switch (random_.below(3)) {
        case 0:
            try_emit({}, [&]() -> Pair {
                const uint64_t bits = (random_.bits() & 0x1fff) |
                                      enc::exp::kId.put(enc::exp::kIdValue) |
                                      enc::exp::kVsrc0.put(vgpr()) | enc::exp::kVsrc1.put(vgpr()) |
                                      enc::exp::kVsrc2.put(vgpr()) | enc::exp::kVsrc3.put(vgpr());
                return {{low(bits), high(bits)}};
            });
            break;
        case 1:
            try_emit({}, [&]() -> Pair {
                return {
                    {low(enc::vintrp::kId.put(enc::vintrp::kIdValue) |
                         enc::vintrp::kVdst.put(vgpr()) | enc::vintrp::kOp.put(random_.below(3)) |
                         enc::vintrp::kAttr.put(random_.below(8)) |
                         enc::vintrp::kAttrChan.put(random_.below(4)) |
                         enc::vintrp::kVsrc.put(vgpr())),
                     0}};
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

template <class Make>
bool CuProgram::try_emit(const Block& b, const Make& make) {
    for (unsigned n = 0; n < 12; ++n) {
        const Pair words = make();
        const isa::Inst inst = isa::decode(words.words, 2);
        if (!fits(inst, b))
            continue;
        if (inst.dwords == 2)
            emit(words.words[0], words.words[1]);
        else
            emit(words.words[0]);
        return true;
    }
    return false;
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

void CuProgram::move_literal(unsigned sdst, uint32_t value) {
    emit(sop1(Op::S_MOV_B32, sdst, isa::kLiteral), value);
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
