// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "models/cp/pm4/lexer.h"
#include "models/cp/pm4/names.h"
#include "models/cp/pm4/syntax.h"
#include "models/cp/pm4/text.h"

namespace archipelago::cp {

namespace {

// An error that ends a statement.
struct Refused {
    Pm4Error error;
};

[[noreturn]] void refuse(const Token& at, std::string message, std::string unknown = {},
                         std::vector<std::string> known = {}) {
    throw Refused{{at.line, at.column, std::move(message), std::move(unknown), std::move(known)}};
}

std::string quoted(const Token& token) {
    if (token.kind == TokenKind::EndOfLine)
        return "the end of the line";
    return fmt::format("\"{}\"", token.text.substr(0, 40));
}

class Assembler {
  public:
    explicit Assembler(const Pm4Language& language)
        : table_(language.packets), db_(language.registers) {}

    Pm4Assembly run(std::string_view text) {
        tokens_ = lex_pm4(text, result_.errors);
        while (at_ + 1 < tokens_.size() && result_.errors.size() < kMaxPm4Errors) {
            if (peek().kind == TokenKind::EndOfLine) {
                ++at_;
                continue;
            }
            const size_t size = result_.bytes.size();
            try {
                statement();
                if (peek().kind != TokenKind::EndOfLine)
                    refuse(peek(),
                           fmt::format("expected the end of the line, found {}", quoted(peek())));
                if (result_.bytes.size() > kMaxPm4Bytes)
                    refuse(tokens_[at_ - 1],
                           fmt::format("the text makes more than {} bytes", kMaxPm4Bytes));
            } catch (Refused& refused) {
                result_.bytes.resize(size);
                result_.errors.push_back(std::move(refused.error));
                if (size + 4 * kMaxBodyDwords > kMaxPm4Bytes)
                    break;
                skip();
            }
        }
        std::stable_sort(result_.errors.begin(), result_.errors.end(),
                         [](const Pm4Error& a, const Pm4Error& b) {
                             return a.line != b.line ? a.line < b.line : a.column < b.column;
                         });
        return std::move(result_);
    }

  private:
    // ---- tokens ----
    const Token& peek() const { return tokens_[at_]; }
    const Token& take() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
    bool at_mark(char mark) const { return peek().kind == TokenKind::Mark && peek().mark == mark; }
    bool take_mark(char mark) {
        if (!at_mark(mark))
            return false;
        ++at_;
        return true;
    }
    void expect(char mark) {
        if (!take_mark(mark))
            refuse(peek(), fmt::format("expected '{}', found {}", mark, quoted(peek())));
    }
    void skip() {
        while (peek().kind != TokenKind::EndOfLine)
            ++at_;
    }
    uint64_t number(const char* what) {
        if (peek().kind != TokenKind::Number)
            refuse(peek(), fmt::format("expected {}, found {}", what, quoted(peek())));
        return take().value;
    }
    uint32_t word(const char* what) {
        const Token& token = peek();
        const uint64_t value = number(what);
        if (value > 0xFFFFFFFF)
            refuse(token, fmt::format("{} does not fit 32 bits", token.text));
        return static_cast<uint32_t>(value);
    }
    void emit(uint32_t value) {
        for (unsigned i = 0; i < 4; ++i)
            result_.bytes.push_back(static_cast<uint8_t>(value >> 8 * i));
    }

    // ---- statements ----
    void statement() {
        const Token& name = take();
        if (name.kind != TokenKind::Name)
            refuse(name, fmt::format("expected a packet, found {}", quoted(name)));
        if (name.text == ".word" || name.text == ".byte") {
            const bool bytes = name.text == ".byte";
            do {
                const Token& token = peek();
                const uint32_t value = word("a number");
                if (!bytes)
                    emit(value);
                else if (value > 0xFF)
                    refuse(token, fmt::format("{} does not fit 8 bits", token.text));
                else
                    result_.bytes.push_back(static_cast<uint8_t>(value));
            } while (take_mark(','));
            return;
        }
        packet(name);
    }

    struct Flags {
        bool compute = false, predicate = false;
        uint32_t reserved = 0;
        uint32_t count = 0;  // 0: not given
        const Token* count_token = nullptr;
        int opcode = -1;
    };

    Flags flags(bool type3, bool type2) {
        Flags flags;
        if (!take_mark('['))
            return flags;
        do {
            const Token& name = take();
            if (name.kind == TokenKind::Name && name.text == "compute" && type3) {
                flags.compute = true;
            } else if (name.kind == TokenKind::Name && name.text == "predicate" && type3) {
                flags.predicate = true;
            } else if (name.kind == TokenKind::Name && name.text == "reserved" &&
                       (type3 || type2)) {
                flags.reserved = flag_value(type2 ? 0x3FFFFFFF : 0x3F);
            } else if (name.kind == TokenKind::Name && name.text == "opcode" && type3) {
                flags.opcode = static_cast<int>(flag_value(0xFF));
            } else if (name.kind == TokenKind::Name && name.text == "count" && type3) {
                flags.count_token = &name;
                flags.count = flag_value(kMaxBodyDwords);
                if (flags.count == 0)
                    refuse(name, "a packet has at least 1 body dword");
            } else {
                std::vector<std::string> known;
                if (type3)
                    known = {"compute", "predicate", "count", "opcode", "reserved"};
                else if (type2)
                    known = {"reserved"};
                refuse(name, fmt::format("unknown flag {}", quoted(name)), std::string(name.text),
                       std::move(known));
            }
        } while (take_mark(','));
        expect(']');
        return flags;
    }
    uint32_t flag_value(uint32_t most) {
        expect('=');
        const Token& token = peek();
        const uint32_t value = word("a number");
        if (value > most)
            refuse(token, fmt::format("{} is more than 0x{:x}", token.text, most));
        return value;
    }

    void packet(const Token& name) {
        if (name.text == "TYPE2") {
            const Flags f = flags(false, true);
            emit(0x80000000u | f.reserved);
            return;
        }
        if (name.text == "TYPE0") {
            flags(false, false);
            type0(name);
            return;
        }
        const PacketInfo* info = nullptr;
        if (name.text != "PACKET3") {
            info = table_.find_by_name(std::string(name.text));
            if (info == nullptr) {
                std::vector<std::string> known = {"TYPE0", "TYPE2", "PACKET3", ".word", ".byte"};
                for (const PacketInfo& p : table_)
                    known.emplace_back(p.name);
                refuse(name, fmt::format("unknown packet {}", quoted(name)), std::string(name.text),
                       std::move(known));
            }
        }
        const Flags f = flags(true, false);
        if (info == nullptr && f.opcode < 0)
            refuse(name, "PACKET3 needs [opcode=...]");
        const auto opcode = static_cast<uint8_t>(f.opcode >= 0 ? f.opcode : info->opcodes[0]);
        body_.clear();
        highest_ = 0;
        wanted_ = 0;
        if (info == nullptr) {
            raw_items();
        } else {
            items(*info, f.count);
        }
        uint32_t size = f.count;
        if (size == 0)
            size = std::max({info != nullptr ? default_body(*info) : 1, highest_, wanted_});
        if (size < highest_)
            refuse(*f.count_token,
                   fmt::format("the fields take {} body dwords, count says {}", highest_, size));
        if (info != nullptr && f.count == 0 && (size < info->min_dwords || size > info->max_dwords))
            refuse(name,
                   fmt::format("{} has {}{} body dwords, the fields take {}; [count={}] if meant",
                               info->name, info->min_dwords == info->max_dwords ? "" : "up to ",
                               info->max_dwords, size, size));
        body_.resize(size);
        if (info != nullptr)
            conditional_fields(*info, size);
        emit(0xC0000000u | (size - 1) << 16 | uint32_t{opcode} << 8 | f.reserved << 2 |
             (f.compute ? 2u : 0u) | (f.predicate ? 1u : 0u));
        for (const uint32_t dword : body_)
            emit(dword);
    }

    // ---- items ----
    void touch(uint32_t dword, const Token& at) {
        if (dword > kMaxBodyDwords)
            refuse(at, fmt::format("a packet has at most {} body dwords", kMaxBodyDwords));
        highest_ = std::max(highest_, dword);
        if (body_.size() < dword)
            body_.resize(dword);
    }
    bool at_item() const {
        return peek().kind == TokenKind::Name || peek().kind == TokenKind::Number;
    }

    // DWn: bits of a dword of the body that no field names.
    bool raw_dword(const Token& name) {
        if (name.kind != TokenKind::Name || name.text.size() < 3 || name.text.size() > 7 ||
            name.text.substr(0, 2) != "DW")
            return false;
        uint32_t dword = 0;
        for (const char c : name.text.substr(2)) {
            if (c < '0' || c > '9')
                return false;
            dword = dword * 10 + static_cast<uint32_t>(c - '0');
        }
        if (dword == 0)
            return false;
        expect('=');
        const uint32_t value = word("a number");
        touch(dword, name);
        body_[dword - 1] |= value;
        return true;
    }

    void raw_items() {
        uint32_t next = 1;
        while (at_item()) {
            const Token& name = take();
            if (!raw_dword(name)) {
                if (name.text != "DATA")
                    refuse(name, fmt::format("unknown field {}", quoted(name)),
                           std::string(name.text), {"DATA", "DW1"});
                expect('=');
                const bool list = take_mark('[');
                do {
                    const uint32_t value = word("a number");
                    touch(next, name);
                    body_[next++ - 1] |= value;
                } while (list && take_mark(','));
                if (list)
                    expect(']');
            }
            if (!take_mark(','))
                return;
        }
    }

    void items(const PacketInfo& info, uint32_t count) {
        deferred_.clear();
        given_.assign(info.fields.size(), 0);
        next_register_ = 0;
        bool first = true;
        while (at_item() || !first) {
            const Token& name = take();
            if (name.kind != TokenKind::Name && name.kind != TokenKind::Number)
                refuse(name, fmt::format("expected a field, found {}", quoted(name)));
            if (!raw_dword(name) && !field_item(info, name, count))
                register_item(info, name);
            first = false;
            if (!take_mark(','))
                return;
        }
    }

    bool field_item(const PacketInfo& info, const Token& name, uint32_t count) {
        if (name.kind != TokenKind::Name)
            return false;
        const PacketField* found = nullptr;
        const PacketField* low = nullptr;
        for (unsigned i = 0; i < info.fields.size() && found == nullptr; ++i) {
            const PacketField& field = info.fields[i];
            if (name.text == field.name) {
                if (count == 0 || field.condition == nullptr || field.condition->dword != 0 ||
                    field.condition->values == count)
                    found = &field;
            } else if (low == nullptr && pair_of(info, field) != nullptr &&
                       name.text == pair_name(field)) {
                low = &field;
            }
        }
        if (found == nullptr && low == nullptr)
            return false;
        expect('=');
        if (found == nullptr) {
            const Token& at = peek();
            const uint64_t value = number("a number of up to 64 bits");
            const PacketField& high = *pair_of(info, *low);
            const uint64_t most = high.of(0xFFFFFFFF);
            if (value >> 32 > most)
                refuse(at, fmt::format("{} does not fit {}, at most 0x{:x}", at.text, name.text,
                                       most << 32 | 0xFFFFFFFF));
            if ((value & ((1u << low->lsb) - 1)) != 0)
                refuse(at, fmt::format("{} must be a multiple of {}", name.text, 1u << low->lsb));
            store(info, *low, static_cast<uint32_t>(value) >> low->lsb, name);
            store(info, high, static_cast<uint32_t>(value >> 32), name);
            return true;
        }
        if (take_mark('[')) {
            if (found->repeat == 0)
                refuse(name, fmt::format("{} takes one value", name.text));
            do
                store(info, *found, value_of(info, *found), name);
            while (take_mark(','));
            expect(']');
            return true;
        }
        store(info, *found, value_of(info, *found), name);
        return true;
    }

    // One value of a field, shifted down.
    uint32_t value_of(const PacketInfo& info, const PacketField& field) {
        const FieldMeaning meaning = meaning_of(info, field);
        const Token& at = peek();
        const uint32_t most = field.of(0xFFFFFFFF);
        if (meaning.kind == FieldKind::RegisterValue && at_mark('{')) {
            const regs::RegisterInfo* reg = db_.find_by_name(meaning.value_of);
            return fitting(at, register_value(reg, meaning.value_of), most, field.name);
        }
        if (at.kind == TokenKind::Name) {
            take();
            uint32_t value = 0;
            if (value_of_name(meaning, at.text, value))
                return value;
            if (meaning.kind == FieldKind::Register) {
                const regs::RegisterInfo& reg = named_register(at);
                if (reg.offset < meaning.window || (reg.offset - meaning.window) / 4 > most)
                    refuse(at, fmt::format("{} cannot name {} (0x{:05x}); it reaches 0x{:05x} to "
                                           "0x{:05x}",
                                           field.name, reg.name, reg.offset, meaning.window,
                                           meaning.window + 4 * most));
                return (reg.offset - meaning.window) / 4;
            }
            std::vector<std::string> known;
            for (const ValueName& entry : meaning.names)
                known.emplace_back(entry.name);
            refuse(at, fmt::format("unknown value {} of {}", quoted(at), field.name),
                   std::string(at.text), std::move(known));
        }
        const uint32_t value = word("a value");
        if (meaning.kind == FieldKind::Address) {
            if ((value & ((1u << field.lsb) - 1)) != 0)
                refuse(at, fmt::format("{} must be a multiple of {}", field.name, 1u << field.lsb));
            return value >> field.lsb;
        }
        return fitting(at, value, most, field.name);
    }
    static uint32_t fitting(const Token& at, uint32_t value, uint32_t most, std::string_view name) {
        if (value > most)
            refuse(at, fmt::format("0x{:x} does not fit {}, at most 0x{:x}", value, name, most));
        return value;
    }

    void store(const PacketInfo& info, const PacketField& field, uint32_t value, const Token& at) {
        uint32_t& given = given_[static_cast<size_t>(&field - info.fields.begin())];
        if (given != 0 && field.repeat == 0)
            refuse(at, fmt::format("{} is given twice", field.name));
        const uint32_t dword = field.dword + given * field.repeat;
        ++given;
        touch(dword, at);
        if (field.condition != nullptr) {
            if (field.condition->dword == 0)
                wanted_ = std::max(wanted_, field.condition->values);
            deferred_.push_back({&field, value, &at});
            return;
        }
        body_[dword - 1] |= value << field.lsb;
    }

    // Fields that hang on others, once those are known.
    void conditional_fields(const PacketInfo& info, uint32_t size) {
        const std::vector<uint32_t> known = body_;
        for (const Deferred& d : deferred_) {
            const FieldCondition& condition = *d.field->condition;
            if (!condition.holds(known.data(), size))
                refuse(*d.token, fmt::format("{} has no {} when {}", info.name, d.field->name,
                                             state_of(info, condition, known, size)));
            body_[d.field->dword - 1] |= d.value << d.field->lsb;
        }
        deferred_.clear();
    }
    static std::string state_of(const PacketInfo& info, const FieldCondition& condition,
                                const std::vector<uint32_t>& body, uint32_t size) {
        if (condition.dword == 0)
            return fmt::format("its body has {} dwords", size);
        for (unsigned i = 0; i < info.fields.size(); ++i) {
            const PacketField& field = info.fields[i];
            if (field.dword != condition.dword || field.lsb != condition.lsb ||
                field.msb != condition.msb || field.dword > size)
                continue;
            const uint32_t value = field.in(body.data());
            const char* name = value_name(meaning_of(info, field), value);
            return fmt::format("{} is {}", field.name,
                               name != nullptr ? name : std::to_string(value));
        }
        return fmt::format("the body has {} dwords", size);
    }

    // ---- registers ----
    const regs::RegisterInfo& named_register(const Token& at) {
        const regs::RegisterInfo* info = db_.find_by_name(at.text);
        if (info == nullptr) {
            std::vector<std::string> known;
            for (const regs::NameInfo& entry : db_.names)
                known.emplace_back(entry.name);
            refuse(at, fmt::format("unknown register {}", quoted(at)), std::string(at.text),
                   std::move(known));
        }
        return *info;
    }
    uint32_t register_offset(const Token& at) {
        if (at.kind == TokenKind::Number) {
            if (at.value % 4 != 0 || at.value > 0xFFFFFF)
                refuse(at, fmt::format("{} is not the byte offset of a register", at.text));
            return static_cast<uint32_t>(at.value);
        }
        return named_register(at).offset;
    }
    // REGISTER = value of a SET_*_REG; the first one sets REG_OFFSET.
    void register_item(const PacketInfo& info, const Token& name) {
        if (!info.is(kSetsRegisters)) {
            std::vector<std::string> known;
            for (const PacketField& field : info.fields) {
                known.emplace_back(field.name);
                if (pair_of(info, field) != nullptr)
                    known.push_back(pair_name(field));
            }
            refuse(name, fmt::format("{} has no field {}", info.name, quoted(name)),
                   std::string(name.text), std::move(known));
        }
        const uint32_t window = info.window->start;
        const uint32_t offset = register_offset(name);
        if (next_register_ == 0 && (offset < window || (offset - window) / 4 > 0xFFFF))
            refuse(name, fmt::format("{} writes registers from 0x{:05x} on, {} is 0x{:05x}",
                                     info.name, window, name.text, offset));
        if (next_register_ == 0) {
            touch(1, name);
            body_[0] |= (offset - window) / 4;
            first_register_ = offset;
        } else if (offset != next_register_) {
            not_next(name, offset, next_register_);
        }
        next_register_ = offset + 4;
        expect('=');
        const uint32_t value = register_value(db_.find(offset), name.text);
        const uint32_t dword = 2 + (offset - first_register_) / 4;
        touch(dword, name);
        body_[dword - 1] |= value;
    }
    [[noreturn]] void not_next(const Token& name, uint32_t offset, uint32_t expected) const {
        refuse(name,
               fmt::format("{} (0x{:05x}) is not the next register, which is {}", name.text, offset,
                           db_.find(expected) != nullptr ? std::string(db_.find(expected)->name)
                                                         : fmt::format("0x{:05x}", expected)));
    }
    void type0(const Token& type) {
        std::vector<uint32_t> values;
        uint32_t first = 0, next = 0;
        do {
            const Token& name = take();
            if (name.kind != TokenKind::Name && name.kind != TokenKind::Number)
                refuse(name, fmt::format("expected a register, found {}", quoted(name)));
            const uint32_t offset = register_offset(name);
            if (values.empty()) {
                if (offset / 4 > 0xFFFF)
                    refuse(name,
                           fmt::format("TYPE0 reaches 0x3fffc, {} is 0x{:05x}", name.text, offset));
                first = offset;
            } else if (offset != next) {
                not_next(name, offset, next);
            }
            next = offset + 4;
            expect('=');
            values.push_back(register_value(db_.find(offset), name.text));
            if (values.size() > kMaxBodyDwords)
                refuse(type, fmt::format("a packet has at most {} body dwords", kMaxBodyDwords));
        } while (take_mark(','));
        emit(make_type0_header(first, static_cast<uint32_t>(values.size())));
        for (const uint32_t value : values)
            emit(value);
    }

    // A number, or {FIELD: value, ...} of register `info` (null: one without a name).
    uint32_t register_value(const regs::RegisterInfo* info, std::string_view name) {
        if (!at_mark('{'))
            return word("a number or {FIELD: value, ...}");
        const Token& open = take();
        if (info == nullptr)
            refuse(open, fmt::format("{} has no named fields", name));
        uint32_t value = 0, given = 0;
        while (!at_mark('}')) {
            const Token& field_name = take();
            if (field_name.kind != TokenKind::Name)
                refuse(field_name,
                       fmt::format("expected a field of {}, found {}", name, quoted(field_name)));
            expect(':');
            if (field_name.text == kOtherBits) {
                value |= word("a number");
            } else {
                const regs::FieldInfo* field = info->field(field_name.text);
                if (field == nullptr) {
                    std::vector<std::string> known;
                    for (const regs::FieldInfo& entry : info->fields)
                        known.emplace_back(entry.name);
                    refuse(field_name, fmt::format("{} has no field {}", name, quoted(field_name)),
                           std::string(field_name.text), std::move(known));
                }
                if ((given & field->mask()) != 0)
                    refuse(field_name, fmt::format("{} is given twice", field_name.text));
                given |= field->mask();
                value |= field_value(*field) << field->lsb;
            }
            if (!take_mark(','))
                break;
        }
        expect('}');
        return value;
    }
    uint32_t field_value(const regs::FieldInfo& field) {
        const Token& at = peek();
        if (at.kind == TokenKind::Name) {
            take();
            uint32_t value = 0;
            if (field.values != nullptr && enumerator(*field.values, at.text, value))
                return fitting(at, value, field.get(0xFFFFFFFF), field.name);
            std::vector<std::string> known;
            if (field.values != nullptr)
                for (const regs::EnumValueInfo& entry : field.values->values)
                    known.emplace_back(entry.name);
            refuse(at, fmt::format("unknown value {} of {}", quoted(at), field.name),
                   std::string(at.text), std::move(known));
        }
        return fitting(at, word("a value"), field.get(0xFFFFFFFF), field.name);
    }

    struct Deferred {
        const PacketField* field;
        uint32_t value;
        const Token* token;
    };

    const PacketTable& table_;
    const regs::RegisterDatabase& db_;
    std::vector<Token> tokens_;
    size_t at_ = 0;
    Pm4Assembly result_;
    // The packet at hand.
    std::vector<uint32_t> body_;
    uint32_t highest_ = 0;  // body dwords that items set
    uint32_t wanted_ = 0;   // body dwords that a field is for
    std::vector<uint32_t> given_;
    std::vector<Deferred> deferred_;
    uint32_t next_register_ = 0, first_register_ = 0;
};

}  // namespace

Pm4Assembly assemble_pm4(const Pm4Language& language, std::string_view text) {
    return Assembler(language).run(text);
}

}  // namespace archipelago::cp
