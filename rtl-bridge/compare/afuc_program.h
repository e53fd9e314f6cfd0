// SPDX-License-Identifier: Apache-2.0
// Random programs of Adreno's micro engine for lockstep: every instruction of an encoding, with
// operands that keep it running, and now and then one that stops it.
#pragma once

#include <cstdint>
#include <vector>

#include "models/afuc/engine/control_map.h"
#include "models/afuc/isa/instruction.h"
#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {

class AfucProgram {
  public:
    AfucProgram(Random& random, const afuc::Generation& generation, bool legal);

    const std::vector<uint32_t>& words() const { return words_; }
    // Where a packet's handler may begin.
    uint32_t handler() { return from_ + random_.below(kMain - 4); }
    uint32_t number();

  private:
    using Row = afuc::Row;
    using Op = afuc::Op;
    using Kind = afuc::Operand::Kind;
    using Control = afuc::ControlRegister;
    static constexpr uint32_t kMain = 160;    // words that handlers are in
    static constexpr unsigned kSubs = 9;      // of which each may call the next
    static constexpr unsigned kRoutine = 12;  // words of the routine for preemption after them
    // Registers by what they hold: an address of the program, a multiple of 4 below 32, one below
    // 256, regardless of what "!" makes of it.
    static constexpr unsigned kPlace = 0x16, kSmall = 0x17, kIndex = 0x18, kMoves = 0x19;

    void emit(uint32_t word) { words_.push_back(word); }
    uint32_t here() const { return static_cast<uint32_t>(words_.size()); }
    bool seven() const { return g_.encoding == afuc::Encoding::A7; }

    const Row& row(Op op, Kind kind = Kind::None);
    void move(unsigned destination, uint32_t value, unsigned shift = 0);
    unsigned destination();
    unsigned source();
    uint32_t fill(const Row& r, bool repeats);
    void place_in(Op op, unsigned data, unsigned at, uint32_t base, bool increment, unsigned sds);

    void simple();
    void simple_or_repeated();
    void access();
    void control_write(Control c);
    void aligned_write(Control c, uint32_t value, unsigned with);
    void read_back(Control c, unsigned most);
    void draw_state();
    void counted();
    void pipe();
    void other_place();
    void flow();
    void wait_in();
    void branch_word(uint32_t target);
    void wrong();
    void main();
    void subs();
    void preemption();
    uint32_t target();

    Random& random_;
    const afuc::Generation& g_;
    const afuc::ControlMap map_;
    const bool legal_;
    uint32_t from_ = 0;
    std::vector<uint32_t> words_;
};

inline AfucProgram::AfucProgram(Random& random, const afuc::Generation& generation, bool legal)
    : random_(random), g_(generation), map_(generation), legal_(legal) {
    // Now and then at the end of the memory of instructions.
    const bool far = random_.one_in(40);
    from_ = far ? 0xFE00 + random_.below(0x40) : 8 + random_.below(24);
    for (unsigned n = random_.below(3); n != 0; --n)
        simple();
    emit(row(Op::BranchLink).word | from_);
    words_.resize(from_, afuc::nop(g_.encoding));
    if (g_.encoding != afuc::Encoding::A5) {
        move(kPlace, from_ + kMain + 8 * kSubs);
        place_in(Op::SWrite, kPlace, 0, 4, false, 0);  // PREEMPT_INSTR
        if (!random_.one_in(3))
            aligned_write(Control::PreemptEnable, 1, 3);
        if (!legal_ && random_.one_in(3)) {
            move(3, 7 + random_.below(3));
            place_in(Op::SWrite, 3, 0, 5, false, 0);  // SP
            wait_in();
        }
    }
    move(kPlace, handler());
    main();
    subs();
    preemption();
    if (far)
        words_.resize(0x10000, afuc::nop(g_.encoding));
}

inline uint32_t AfucProgram::number() {
    static constexpr uint32_t kEdges[] = {
        0,          1,          2,          4,          0x1F,       0x20,       0x80,
        0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFC, 0x80040000, 0xA0040000,
        0xA2000000, 0x81000000, 0x87000000, 0x0003FFFF, 0x00040123, 0xC4000000, 0x84000001,
        0x00000883, 0xFF000000, 0x0000FFFF, 0xFFFF0000, 0x2B,       0x1E};
    switch (random_.below(4)) {
        case 0:
            return random_.pick(kEdges);
        case 1:
            return random_.below(64);
        case 2:
            return 1u << random_.below(32);
        default:
            return random_.word();
    }
}

// The first form of an instruction that has an operand of a kind.
inline const afuc::Row& AfucProgram::row(Op op, Kind kind) {
    for (const Row& r : afuc::instructions(g_.encoding)) {
        bool has = kind == Kind::None;
        for (const afuc::Operand& o : r.operands)
            has = has || o.kind == kind;
        if (r.op == op && has)
            return r;
    }
    return afuc::instructions(g_.encoding).front();
}

inline void AfucProgram::move(unsigned destination, uint32_t value, unsigned shift) {
    emit(row(Op::Mov, Kind::Immediate).word | shift << 21 | destination << 16 | value);
}

inline unsigned AfucProgram::destination() {
    static constexpr uint8_t kOften[] = {0x1F, 0x1F, 0x1F, 0x1D, 0x1E, 0x1A, 0x1B, 0x01, 0x00};
    return random_.below(5) < 2 ? random_.pick(kOften) : 2 + random_.below(0x14);
}
inline unsigned AfucProgram::source() {
    static constexpr uint8_t kOften[] = {0x1F, 0x1F, 0x1F, 0x1D, 0x1D, 0x1E, 0x1E, 0x1C, 0x00};
    return random_.below(5) < 2 ? random_.pick(kOften) : 1 + random_.below(0x14);
}

// An instruction with random operands.
inline uint32_t AfucProgram::fill(const Row& r, bool repeats) {
    uint32_t word = r.word;
    for (const afuc::Operand& o : r.operands) {
        uint32_t value = random_.word();
        if (o.kind == Kind::Destination)
            value = destination();
        if (o.kind == Kind::Source)
            value = source();
        if (o.kind == Kind::Immediate && random_.one_in(2))
            value = random_.below(40);
        if (o.bits != 0)
            word |= value << o.lsb & o.mask();
    }
    if (repeats && (r.modifiers & afuc::kRep) != 0)
        word |= afuc::kRepBit;
    if ((r.modifiers & afuc::kXmov) != 0 && random_.one_in(2))
        word |= random_.below(4) << 9;
    if ((r.modifiers & afuc::kPeek) != 0 && random_.one_in(6))
        word |= afuc::kPeekBit;
    return word;
}

inline void AfucProgram::place_in(Op op, unsigned data, unsigned at, uint32_t base, bool increment,
                                  unsigned sds) {
    emit(row(op).word | at << 21 | data << 16 | (increment ? afuc::kPreIncrementBit : 0) |
         sds << 12 | base);
}

// One word that reads and writes registers.
inline void AfucProgram::simple() {
    const std::vector<Row>& all = afuc::instructions(g_.encoding);
    for (;;) {
        const Row& r = all[random_.below(static_cast<uint32_t>(all.size()))];
        if (r.op > Op::Bfi)
            continue;
        // Bits that mean nothing are any.
        const uint32_t open = random_.one_in(4) && r.op != Op::Nop ? ~r.known() : 0;
        uint32_t word = fill(r, false) | (random_.word() & open);
        if (r.op == Op::Nop)
            word |= random_.word() & afuc::kPayloadMask;
        return emit(word);
    }
}

inline void AfucProgram::simple_or_repeated() {
    if (!random_.one_in(5))
        return simple();
    const std::vector<Row>& all = afuc::instructions(g_.encoding);
    move(afuc::kRem, random_.below(6));
    emit(fill(all[random_.below(static_cast<uint32_t>(all.size()) / 2)], true));
    if (random_.one_in(12)) {
        move(afuc::kRem, random_.below(4));
        emit(row(Op::Nop).word | afuc::kRepBit);
    }
}

// ---- places

inline void AfucProgram::aligned_write(Control c, uint32_t value, unsigned with) {
    if (map_.index_of(c) == afuc::ControlMap::kNowhere)
        return simple();
    move(with, value);
    place_in(Op::CWrite, with, 0, map_.index_of(c), false, 0);
}

// Registers whose values must be some of few.
inline void AfucProgram::control_write(Control c) {
    if (c == Control::Shared && g_.coprocessors)
        return place_in(random_.one_in(2) ? Op::CWrite : Op::CRead, random_.below(0x14), 0,
                        afuc::kSharedControl - 8 + random_.below(0x110), false, 0);
    const uint32_t at = map_.index_of(c);
    if (at == afuc::ControlMap::kNowhere)
        return simple();
    const unsigned sds = random_.one_in(3) ? random_.below(4) : 0;
    if (!legal_ && random_.one_in(4))
        return place_in(Op::CWrite, source(), 0, at, false, sds);
    switch (c) {
        case Control::PacketTableWrite:
            if (random_.one_in(2))
                aligned_write(Control::PacketTableWriteAddress, random_.below(120), kSmall);
            return place_in(Op::CWrite, kPlace, 0, at, false, sds);
        case Control::PacketTableWriteAddress:
            return aligned_write(c, random_.below(120), kSmall);
        case Control::DrawStateSelect:
            return aligned_write(c, random_.one_in(2) ? random_.below(4) : random_.below(32),
                                 kSmall);
        case Control::SdsBase:
            move(3, 4 * random_.below(0x4000), 1 + random_.below(16));
            return place_in(Op::CWrite, 3, 0, at, false, 0);
        case Control::Ib1Dwords:
        case Control::Ib2Dwords:
        case Control::Ib3Dwords:
        case Control::SdsDwords:
            move(3, 4 * random_.below(0x4000), random_.below(16));
            place_in(Op::CWrite, 3, 0, at - 2, false, 0);
            if (random_.one_in(2))
                place_in(Op::CWrite, source(), 0, at - 1, false, 0);
            return place_in(Op::CWrite, source(), 0, at, false, sds);
        case Control::DrawStateSetHeader:
            if (random_.one_in(2))
                move(4, random_.below(4) << 8, 16);
            return place_in(Op::CWrite, random_.one_in(2) ? 4 : source(), 0, at, false,
                            random_.below(4));
        case Control::PreemptEnable:
        case Control::PreemptTrigger:  // which stays, so few do
            return aligned_write(c, random_.one_in(c == Control::PreemptEnable ? 4 : 2) ? 0 : 1, 3);
        default:
            break;
    }
    place_in(Op::CWrite, source(), 0, at + (random_.one_in(4) ? 1 : 0), false, sds);
    if (random_.one_in(3))
        move(2, random_.below(6));  // MEM_READ_DWORDS and the like
}

inline void AfucProgram::access() {
    const auto c = static_cast<Control>(1 + random_.below(unsigned(Control::kCount) - 1));
    switch (random_.below(9)) {
        case 0:
        case 1:
        case 2:
            return control_write(c);
        case 3:  // what a side effect has left
            return random_.one_in(8) ? read_back(Control::RingReadPointer, 1) : read_back(c, 2);
        case 4: {  // from another base, with "!", again and again
            move(kMoves, random_.below(8));
            if (random_.one_in(3)) {
                move(afuc::kRem, random_.below(5));
                const uint32_t rep = afuc::kRepBit;
                emit(row(Op::CWrite).word | rep | kMoves << 21 | source() << 16 |
                     afuc::kPreIncrementBit | 1);
                return;
            }
            const bool writes = random_.one_in(2);
            return place_in(writes ? Op::CWrite : Op::CRead,
                            random_.one_in(4) ? kMoves
                            : writes          ? source()
                                              : destination(),
                            kMoves, 0x100 + random_.below(0x80), random_.one_in(2),
                            writes ? random_.below(4) : 0);
        }
        case 5:
            return draw_state();
        case 6:
            return counted();
        case 7:
            return pipe();
        default:
            return other_place();
    }
}

inline void AfucProgram::read_back(Control c, unsigned most) {
    const uint32_t at = map_.index_of(c);
    place_in(Op::CRead, random_.one_in(2) ? unsigned{afuc::kDataOut} : destination(), 0,
             (at == afuc::ControlMap::kNowhere ? 0x150 : at) + random_.below(most), false, 0);
}

// A group is set, one is selected, and what the registers show of it is read.
inline void AfucProgram::draw_state() {
    const uint32_t at = map_.index_of(Control::DrawStateSetHeader);
    if (at == afuc::ControlMap::kNowhere)
        return counted();
    const uint32_t group = random_.below(3);
    if (random_.one_in(3)) {
        move(kMoves, random_.below(8));
        const uint32_t before = words_.back() & 0xFFFF;
        place_in(Op::CWrite, kMoves, kMoves, at - before, true, random_.below(4));
    } else {
        move(4, group << 8 | random_.below(0x100), 16);
        place_in(Op::CWrite, 4, 0, at, false, 0);
        place_in(Op::CWrite, source(), 0, 0x150, false, 0);
        words_[words_.size() - 2] |= random_.below(4) << 12;
    }
    aligned_write(Control::DrawStateSelect, random_.one_in(3) ? 0 : group, kSmall);
    static constexpr Control kShown[] = {Control::DrawStateHeader, Control::DrawStateBase,
                                         Control::DrawStateBase,   Control::DrawStateActive,
                                         Control::SdsBase,         Control::SdsDwords};
    for (unsigned n = random_.below(4); n != 0; --n) {
        const Control shown = random_.pick(kShown);
        read_back(shown, shown == Control::DrawStateBase || shown == Control::SdsBase ? 2 : 1);
    }
}

// The register that is named, in either way.
inline void AfucProgram::pipe() {
    static constexpr uint8_t kPipes[] = {0x80, 0x81, 0x82, 0x84, 0x87, 0xC4, 0xA0, 0xA2, 0};
    const unsigned by = random_.one_in(2) ? unsigned{afuc::kAddr} : unsigned{afuc::kUsrAddr};
    move(by, random_.pick(kPipes) << 8 | (random_.one_in(3) ? 4 : 0), 16);
    for (unsigned n = random_.below(3); n != 0; --n)
        emit(row(Op::Mov).word | afuc::kDataOut << 11 | source() << 16);
}

// Addresses and counters, and what is left of them.
inline void AfucProgram::counted() {
    static constexpr Control kCounted[] = {
        Control::MemoryReadAddress,       Control::MemoryReadDwords, Control::RegisterReadAddress,
        Control::RegisterReadDwords,      Control::WfiPendIncrement, Control::QueryPendIncrement,
        Control::CachePendIncrement,      Control::RegisterWrite,    Control::RegisterWriteAddress,
        Control::MemoryReadHighPrivileged};
    static constexpr Control kLeft[] = {
        Control::MemoryReadAddress,   Control::MemoryReadAddress,  Control::MemoryReadDwords,
        Control::WfiPendCounter,      Control::QueryPendCounter,   Control::CachePendCounter,
        Control::RegisterReadAddress, Control::RegisterReadDwords, Control::RegisterWriteAddress};
    const Control c = random_.pick(kCounted);
    if (c == Control::RegisterWrite && random_.one_in(2))
        aligned_write(Control::RegisterWriteAddress, 0xFFFF, 3);
    control_write(c);
    if (random_.one_in(2))
        simple();
    const Control left = random_.pick(kLeft);
    read_back(left, left == Control::MemoryReadAddress ? 2 : 1);
}

inline void AfucProgram::other_place() {
    const bool five = g_.encoding == afuc::Encoding::A5;
    move(kIndex, 4 * random_.below(64));
    if (random_.one_in(3))
        control_write(Control::LoadStoreHigh);
    switch (five ? 0 : random_.below(4)) {
        case 0:
            return place_in(Op::Store, source(), kIndex, 4 * random_.below(0x400),
                            random_.one_in(4), 0);
        case 1:
            return place_in(Op::Load, destination(), kIndex, 4 * random_.below(0x400),
                            random_.one_in(4), 0);
        case 2:
            return place_in(Op::SRead, destination(), 0, random_.below(16), false, 0);
        default:  // not the number of entries
            return place_in(Op::SWrite, source(), 0, random_.below(legal_ ? 4 : 16), false, 0);
    }
}

// ---- flow

inline uint32_t AfucProgram::target() {
    const uint32_t end = from_ + kMain - 4;
    const uint32_t ahead = here() + 2 + random_.below(10);
    if (random_.one_in(6) || ahead >= end)
        return handler();
    return ahead;
}

inline void AfucProgram::branch_word(uint32_t to) {
    static constexpr uint8_t kForms[] = {0x30, 0x31, 0x32, 0x33, 0x32};
    const unsigned form = random_.pick(kForms);
    uint32_t word = form << 26 | source() << 21 | random_.below(32) << 16;
    if (random_.one_in(6))
        word = 0xC8000000;
    emit(word | ((to - here()) & 0xFFFF));
}

// With its delay slot.
inline void AfucProgram::flow() {
    if (random_.one_in(10)) {
        emit(row(Op::SetSecure).word | (random_.word() & 0x03FFFFFF));
        simple();
        simple();
        return random_.one_in(2) ? read_back(Control::SecureMode, 1) : simple();
    }
    switch (random_.below(seven() ? 9 : 6)) {
        case 0:
        case 1:
        case 2:
            branch_word(target());
            break;
        case 3:
            emit(row(Op::Call).word | (from_ + kMain + 8 * random_.below(kSubs)));
            break;
        case 4:
            return wait_in();
        case 5:
            emit(row(Op::BranchLink).word | target());
            break;
        case 6:
            emit(row(Op::Jump, Kind::Absolute).word | target());
            break;
        case 7:
            move(kPlace, target());
            emit(row(Op::Jump, Kind::Source).word | kPlace);
            break;
        default:
            move(afuc::kLr, target());
            emit(row(Op::SRet).word);
            break;
    }
    simple();
}

// What is in the delay slot sees the header.
inline void AfucProgram::wait_in() {
    const uint32_t word = row(Op::WaitIn).word | (random_.word() & 0x03FFFFFF);
    const std::vector<Row>& all = afuc::instructions(g_.encoding);
    switch (random_.below(8)) {
        case 0:
            move(afuc::kRem, random_.below(5));
            emit(word);
            return emit(fill(all[random_.below(static_cast<uint32_t>(all.size()) / 2)], true));
        case 1:
            move(kPlace, handler());
            aligned_write(Control::PacketTableWriteAddress, random_.below(2), kSmall);
            emit(word);
            if (map_.index_of(Control::PacketTableWrite) == afuc::ControlMap::kNowhere)
                return simple();
            return place_in(Op::CWrite, kPlace, 0, map_.index_of(Control::PacketTableWrite), false,
                            0);
        default:
            emit(word);
            return simple();
    }
}

// What a program must not do.
inline void AfucProgram::wrong() {
    switch (random_.below(11)) {
        case 0:
            return emit(random_.word());
        case 1: {
            static constexpr uint32_t kClasses[] = {0xA8000000, 0xB0000000, 0xB8000000, 0x90000000,
                                                    0x98000000, 0xE4000000, 0xDF700000, 0xDF600000};
            const uint32_t of = random_.pick(kClasses);
            return emit(of | (of < 0xE4000000 && of > 0xDF000000 ? 0 : random_.word() >> 6));
        }
        case 2:
            if (random_.one_in(2))
                return emit(row(Op::IRet).word);
            emit(row(random_.one_in(2) ? Op::Jump : Op::WaitIn).word | 2);
            return emit(row(Op::SetSecure).word);
        case 3:
            emit(row(Op::Jump).word | 2);
            return branch_word(target());
        case 4:
            return emit(row(Op::Ret).word);
        case 5:
            emit(row(Op::BranchLink).word | (here() + 0x4000 + random_.below(0x100)));
            return simple();
        case 6:
            return place_in(random_.one_in(2) ? Op::CRead : Op::Load, destination(),
                            0x1D + random_.below(3), random_.below(16), false, 0);
        case 7:
            move(kIndex, 1 + random_.below(3));
            return place_in(Op::Store, source(), kIndex, 4 * random_.below(4), false, 0);
        case 8:
            move(kIndex, 0x1000 - 2);
            return place_in(random_.one_in(2) ? Op::CWrite : Op::CRead, 5, kIndex, random_.below(4),
                            false, 0);
        case 9:
            if (g_.encoding == afuc::Encoding::A5)
                return simple();
            return place_in(random_.one_in(2) ? Op::SRead : Op::SWrite, 5, 0, 14 + random_.below(4),
                            false, 0);
        default:
            aligned_write(Control::PacketTableWriteAddress, 126 + random_.below(4), kSmall);
            return control_write(Control::PacketTableWrite);
    }
}

inline void AfucProgram::main() {
    while (here() < from_ + kMain - 10) {
        if (!legal_ && random_.one_in(12))
            wrong();
        const unsigned what = random_.below(10);
        if (what < 5)
            simple_or_repeated();
        else if (what < 8)
            access();
        else
            flow();
    }
    while (here() < from_ + kMain - 2)
        simple();
    emit(row(Op::WaitIn).word);
    simple();
}

// Eight words each.
inline void AfucProgram::subs() {
    for (unsigned n = 0; n < kSubs; ++n) {
        const uint32_t next = from_ + kMain + 8 * (n + 1);
        simple();
        if (n + 1 < kSubs && random_.below(4) != 0)
            emit(row(Op::Call).word | next);
        else
            simple();
        while (here() < next - 2)
            simple();
        emit(row(Op::Ret).word | (random_.word() & 0x01FFFFFF));
        simple();
    }
}

// What PREEMPT_INSTR leads to. Mostly it sees to that it is not asked for again at once.
inline void AfucProgram::preemption() {
    const uint32_t end = here() + kRoutine;
    if (random_.one_in(8))
        move(kPlace, handler());
    if (!random_.one_in(8))
        aligned_write(Control::PreemptTrigger, 0, 3);
    while (here() < end - 2)
        simple();
    emit(row(Op::IRet).word | (random_.word() & 0x01FFFFFF));
    if (random_.one_in(2))
        return simple();
    place_in(Op::SRead, afuc::kDataOut, 0, 5, false, 0);  // SP
}

}  // namespace archipelago::rtl
