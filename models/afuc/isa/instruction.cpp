// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/isa/instruction.h"

#include <algorithm>

namespace archipelago::afuc {
namespace {

using Kind = Operand::Kind;

// Absent from an encoding.
constexpr int kNone = -1;
// Numbers in the encodings of a5xx, a6xx and a7xx.
struct Codes {
    int a5, a6, a7;
    int of(Encoding e) const { return e == Encoding::A5 ? a5 : e == Encoding::A6 ? a6 : a7; }
};

constexpr Operand kDestination{Kind::Destination, 16, 5}, kSource{Kind::Source, 21, 5};
constexpr Operand kImmediate16{Kind::Immediate, 0, 16};

class Table {
  public:
    explicit Table(Encoding encoding) : encoding_(encoding) {}
    void add(Row row) { rows_.push_back(row); }
    std::vector<Row> take() { return std::move(rows_); }
    Encoding encoding() const { return encoding_; }

    // Bits 31:27, and what the form adds.
    void top(const char* name, Op op, Codes codes, uint32_t word, uint32_t mask, uint8_t modifiers,
             std::array<Operand, 4> operands) {
        if (const int code = codes.of(encoding_); code != kNone)
            add({name, op, static_cast<uint32_t>(code) << 27 | word, 0xF8000000 | mask, modifiers,
                 operands});
    }
    // ALU, two registers: function in bits 4:0, second source in 20:16, destination in 15:11.
    void registers(const char* name, Op op, Codes functions) {
        alu(name, op, functions,
            {Operand{Kind::Destination, 11, 5}, kSource, Operand{Kind::Source, 16, 5}});
    }
    void one_register(const char* name, Op op, Codes functions) {
        alu(name, op, functions, {Operand{Kind::Destination, 11, 5}, Operand{Kind::Source, 16, 5}});
    }
    // `mov` is `or` with the first source $00.
    void move() {
        one_register("mov", Op::Mov, {0x06, 0x06, 0x06});
        rows_.back().mask |= kSource.mask();
    }
    // ALU, a register and 16 bits.
    void immediate(const char* name, Op op, Codes codes) {
        top(name, op, codes, 0, 0, kRep, {kDestination, kSource, kImmediate16});
    }
    // The class of bits 31:27 = 10010; a7xx distinguishes instructions by bits 15:12.
    void special(const char* name, Op op, uint32_t selector, std::array<Operand, 4> operands,
                 uint32_t word = 0, uint32_t mask = 0) {
        top(name, op, {kNone, kNone, 0x12}, selector << 12 | word, 0xF000 | mask, kRep, operands);
    }
    void place(const char* name, Op op, Codes codes, uint32_t selector, Kind kind, bool write) {
        const bool sds = op == Op::CWrite;
        const Operand data{write ? Kind::Source : Kind::Destination, 16, 5};
        top(name, op, codes, selector << 15, 0x8000 | (sds ? 0 : kSdsField.mask()),
            sds ? kRep | kSds : kRep, {data, Operand{kind, 0, 12}});
    }
    void branch(const char* name, Op op, uint32_t code, Kind kind) {
        add({name,
             op,
             code << 26,
             0xFC000000,
             0,
             {kSource, Operand{kind, 16, 5}, Operand{Kind::Relative, 0, 16}}});
    }
    void plain(const char* name, Op op, uint32_t word, uint32_t mask) {
        add({name, op, word, mask, 0, {}});
    }
    void absolute(const char* name, Op op, uint32_t code) {
        add({name, op, code << 26, 0xFC000000, 0, {Operand{Kind::Absolute, 0, 26}}});
    }

  private:
    void alu(const char* name, Op op, Codes functions, std::array<Operand, 4> operands) {
        const int function = functions.of(encoding_);
        if (function == kNone)
            return;
        top(name, op, {0x13, 0x13, 0x13}, static_cast<uint32_t>(function), 0x1F,
            kRep | kXmov | kPeek, operands);
    }

    const Encoding encoding_;
    std::vector<Row> rows_;
};

void add_alu(Table& t) {
    struct Two {
        const char* name;
        Op op;
        Codes function, immediate;
    };
    constexpr Two kTwo[] = {
        {"add", Op::Add, {0x01, 0x01, 0x01}, {0x01, 0x01, 0x01}},
        {"addhi", Op::AddHi, {0x02, 0x02, 0x02}, {0x02, 0x02, 0x02}},
        {"sub", Op::Sub, {0x03, 0x03, 0x03}, {0x03, 0x03, 0x03}},
        {"subhi", Op::SubHi, {0x04, 0x04, 0x04}, {0x04, 0x04, 0x04}},
        {"and", Op::And, {0x05, 0x05, 0x05}, {0x05, 0x05, 0x05}},
        {"or", Op::Or, {0x06, 0x06, 0x06}, {0x06, 0x06, 0x06}},
        {"xor", Op::Xor, {0x07, 0x07, 0x07}, {0x07, 0x07, 0x07}},
        {"shl", Op::Shl, {0x09, 0x09, 0x12}, {0x09, 0x09, kNone}},
        {"ushr", Op::Ushr, {0x0A, 0x0A, 0x13}, {0x0A, 0x0A, kNone}},
        {"ishr", Op::Ishr, {0x0B, 0x0B, 0x14}, {0x0B, 0x0B, kNone}},
        {"rot", Op::Rot, {0x0C, 0x0C, 0x15}, {0x0C, 0x0C, kNone}},
        {"mul8", Op::Mul8, {0x0D, 0x0D, 0x0C}, {0x0D, 0x0D, 0x0C}},
        {"min", Op::Min, {0x0E, 0x0E, 0x0A}, {0x0E, 0x0E, 0x0A}},
        {"max", Op::Max, {0x0F, 0x0F, 0x0B}, {0x0F, 0x0F, 0x0B}},
        {"cmp", Op::Cmp, {0x10, 0x10, 0x0D}, {0x10, 0x10, 0x0D}},
        {"bic", Op::Bic, {kNone, kNone, 0x09}, {kNone, kNone, 0x09}},
        {"setbit", Op::SetBit, {kNone, kNone, 0x16}, {kNone, kNone, kNone}},
    };
    t.move();
    for (const Two& i : kTwo) {
        t.registers(i.name, i.op, i.function);
        t.immediate(i.name, i.op, i.immediate);
    }
    t.one_register("not", Op::Not, {0x08, 0x08, 0x08});
    t.one_register("msb", Op::Msb, {0x14, 0x14, 0x19});
    t.top("not", Op::Not, {0x08, 0x08, 0x08}, 0, 0, kRep, {kDestination, kImmediate16});
    t.top("mov", Op::Mov, {0x11, 0x11, 0x0E}, 0, 0, kRep,
          {kDestination, kImmediate16, Operand{Kind::Shift, 21, 5}});
}

void add_bits(Table& t) {
    constexpr Operand kBit{Kind::Bit, 1, 5}, kImmediate12{Kind::Immediate, 0, 12};
    constexpr Operand kLow{Kind::Bit, 0, 5}, kHigh{Kind::Bit, 5, 5};
    t.top("clrbit", Op::ClrBit, {0x12, 0x12, kNone}, 0, 1, kRep, {kDestination, kSource, kBit});
    t.top("setbit", Op::SetBit, {0x12, 0x12, kNone}, 1, 1, kRep, {kDestination, kSource, kBit});
    t.special("clrbit", Op::ClrBit, 6, {kDestination, kSource, kBit}, 0, 1);
    t.special("setbit", Op::SetBit, 6, {kDestination, kSource, kBit}, 1, 1);
    t.special("shl", Op::Shl, 2, {kDestination, kSource, kImmediate12});
    t.special("ushr", Op::Ushr, 3, {kDestination, kSource, kImmediate12});
    t.special("ishr", Op::Ishr, 4, {kDestination, kSource, kImmediate12});
    t.special("rot", Op::Rot, 5, {kDestination, kSource, kImmediate12});
    t.special("ubfx", Op::Ubfx, 7, {kDestination, kSource, kLow, kHigh});
    t.special("bfi", Op::Bfi, 8, {kDestination, kSource, kLow, kHigh});
}

void add_places(Table& t) {
    t.place("load", Op::Load, {kNone, 0x16, 0x16}, 0, Kind::MemoryPlace, false);
    t.place("store", Op::Store, {0x15, 0x14, 0x14}, 0, Kind::MemoryPlace, true);
    t.place("cread", Op::CRead, {kNone, 0x17, 0x17}, 0, Kind::ControlPlace, false);
    t.place("cread", Op::CRead, {0x16, kNone, kNone}, 1, Kind::ControlPlace, false);
    t.place("cwrite", Op::CWrite, {kNone, 0x15, 0x15}, 0, Kind::ControlPlace, true);
    t.place("cwrite", Op::CWrite, {0x15, kNone, kNone}, 1, Kind::ControlPlace, true);
    t.place("sread", Op::SRead, {kNone, 0x17, 0x17}, 1, Kind::SqePlace, false);
    t.place("swrite", Op::SWrite, {kNone, 0x15, 0x15}, 1, Kind::SqePlace, true);
}

void add_flow(Table& t) {
    // Never taken if the bit of $00 has to be set; so this one always is.
    t.add({"jump", Op::Jump, 0xC8000000, 0xFFFF0000, 0, {Operand{Kind::Relative, 0, 16}}});
    t.branch("brne", Op::BrNe, 0x30, Kind::Immediate);
    t.branch("breq", Op::BrEq, 0x31, Kind::Immediate);
    t.branch("brne", Op::BrNe, 0x32, Kind::Bit);
    t.branch("breq", Op::BrEq, 0x33, Kind::Bit);
    t.plain("ret", Op::Ret, 0xD0000000, 0xFE000000);
    t.plain("iret", Op::IRet, 0xD2000000, 0xFE000000);
    t.absolute("call", Op::Call, 0x35);
    t.plain("waitin", Op::WaitIn, 0xD8000000, 0xFC000000);
    t.absolute("bl", Op::BranchLink, 0x38);
    t.add({"setsecure", Op::SetSecure, 0xEC000000, 0xFC000000, 0, {Operand{Kind::Secure, 0, 0}}});
    if (t.encoding() != Encoding::A7)
        return;
    t.absolute("jumpa", Op::Jump, 0x39);
    t.add({"jump", Op::Jump, 0xDF700000, 0xFFFFFFE0, 0, {Operand{Kind::Source, 0, 5}}});
    t.plain("sret", Op::SRet, 0xDF600000, 0xFFFFFFFF);
}

std::vector<Row> make_table(Encoding encoding) {
    Table t(encoding);
    t.add({"nop", Op::Nop, encoding == Encoding::A5 ? 0 : 0x01000000u, ~kRepBit, kRep, {}});
    add_alu(t);
    add_bits(t);
    add_places(t);
    add_flow(t);
    return t.take();
}

}  // namespace

uint32_t Row::known() const {
    uint32_t bits = mask;
    if ((modifiers & kRep) != 0)
        bits |= kRepBit;
    if ((modifiers & kXmov) != 0)
        bits |= kXmovField.mask();
    if ((modifiers & kPeek) != 0)
        bits |= kPeekBit;
    if ((modifiers & kSds) != 0)
        bits |= kSdsField.mask();
    for (const Operand& operand : operands) {
        bits |= operand.mask();
        if (operand.kind >= Kind::ControlPlace && operand.kind <= Kind::MemoryPlace)
            bits |= kPlaceRegister.mask() | kPreIncrementBit;
    }
    return bits;
}

const std::vector<Row>& instructions(Encoding encoding) {
    static const std::array<std::vector<Row>, 3> kTables{
        make_table(Encoding::A5), make_table(Encoding::A6), make_table(Encoding::A7)};
    return kTables[static_cast<size_t>(encoding)];
}

const Row* decode(Encoding encoding, uint32_t word) {
    const std::vector<Row>& rows = instructions(encoding);
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.is(word); });
    return found != rows.end() ? &*found : nullptr;
}

}  // namespace archipelago::afuc
