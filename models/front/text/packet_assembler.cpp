// SPDX-License-Identifier: Apache-2.0
#include "models/front/text/packet_assembler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/front/text/syntax.h"

namespace archipelago::front {

namespace {

const PacketField* half_of_pair(const PacketShape& packet, const PacketField& low) {
    return pair_of(packet, low, low.repeat != 0);
}

bool hangs_on_value(const PacketField& field) {
    return field.condition != nullptr && field.condition->dword != 0;
}
// Whether values of another field decide which field of this name is there.
bool has_others(const PacketShape& packet, const PacketField& field) {
    return hangs_on_value(field) &&
           std::any_of(packet.fields.begin(), packet.fields.end(), [&](const PacketField& f) {
               return &f != &field && hangs_on_value(f) && std::strcmp(f.name, field.name) == 0;
           });
}

}  // namespace

// ---- statements --------------------------------------------------------------------------------

PacketAssembly PacketAssembler::run(std::string_view text) {
    open(text, result_.errors);
    while (more() && result_.errors.size() < kMaxTextErrors) {
        if (peek().kind == TokenKind::EndOfLine) {
            take();
            continue;
        }
        const size_t size = result_.bytes.size();
        try {
            statement();
            if (peek().kind != TokenKind::EndOfLine)
                refuse(peek(),
                       fmt::format("expected the end of the line, found {}", quoted(peek())));
            if (result_.bytes.size() > kMaxTextBytes)
                refuse(last(), fmt::format("the text makes more than {} bytes", kMaxTextBytes));
        } catch (Refused& refused) {
            result_.bytes.resize(size);
            result_.errors.push_back(std::move(refused.error));
            if (size + 4 * size_t{terms_.most} > kMaxTextBytes)
                break;
            skip();
        }
    }
    std::stable_sort(result_.errors.begin(), result_.errors.end(),
                     [](const TextError& a, const TextError& b) {
                         return a.line != b.line ? a.line < b.line : a.column < b.column;
                     });
    return std::move(result_);
}

void PacketAssembler::statement() {
    const Token& name = take();
    if (name.kind != TokenKind::Name)
        refuse(name, fmt::format("expected a packet, found {}", quoted(name)));
    if (name.text == ".word" || name.text == ".byte")
        raw_data(name.text == ".byte");
    else
        packet(name);
}

void PacketAssembler::raw_data(bool bytes) {
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
}

void PacketAssembler::emit(uint32_t value) {
    for (unsigned i = 0; i < 4; ++i)
        result_.bytes.push_back(static_cast<uint8_t>(value >> 8 * i));
}

void PacketAssembler::emit_packet(uint32_t header) {
    emit(header);
    for (const uint32_t dword : dwords_)
        emit(dword);
}

// ---- headers -----------------------------------------------------------------------------------

void PacketAssembler::header_flags(const std::vector<HeaderFlag*>& known) {
    if (!take_mark('['))
        return;
    do {
        const Token& name = take();
        const auto flag = std::find_if(known.begin(), known.end(), [&](const HeaderFlag* f) {
            return name.kind == TokenKind::Name && name.text == f->name;
        });
        if (flag == known.end()) {
            std::vector<std::string> names;
            names.reserve(known.size());
            for (const HeaderFlag* f : known)
                names.emplace_back(f->name);
            refuse(name, fmt::format("unknown flag {}", quoted(name)), std::string(name.text),
                   std::move(names));
        }
        (*flag)->given = &name;
        (*flag)->value = (*flag)->most != 0 ? flag_value((*flag)->most) : 1;
    } while (take_mark(','));
    expect(']');
}

uint32_t PacketAssembler::counted_dwords(const PacketShape* row, uint32_t least,
                                         const HeaderFlag& count, const Token& name) const {
    if (count.given != nullptr && count.value < highest_)
        refuse(*count.given, fmt::format("the fields take {} {}, count says {}", highest_,
                                         terms_.dwords, count.value));
    if (count.given != nullptr)
        return count.value;
    const uint32_t size = std::max(least, highest_);
    if (row != nullptr && (size < row->min_dwords || size > row->max_dwords))
        refuse(name, fmt::format("{} has {}{} {}, the fields take {}; [count={}] if meant",
                                 row->name, row->min_dwords == row->max_dwords ? "" : "up to ",
                                 row->max_dwords, terms_.dwords, size, size));
    return size;
}

const Token& PacketAssembler::register_token() {
    const Token& name = take();
    if (name.kind != TokenKind::Name && name.kind != TokenKind::Number)
        refuse(name, fmt::format("expected a register, found {}", quoted(name)));
    return name;
}

std::string PacketAssembler::register_text(const Token& name, uint32_t offset) const {
    if (!rules_.register_indices)
        return fmt::format("{} (0x{:05x})", name.text, offset);
    return name.kind == TokenKind::Number ? std::string(name.text)
                                          : fmt::format("{} (0x{:x})", name.text, offset / 4);
}

void PacketAssembler::not_next(const Token& name, uint32_t offset, uint32_t expected) const {
    const regs::RegisterInfo* info = db_.find(expected);
    const std::string number = rules_.register_indices ? fmt::format("0x{:x}", expected / 4)
                                                       : fmt::format("0x{:05x}", expected);
    refuse(name,
           fmt::format("{} is not the next register, which is {}", register_text(name, offset),
                       info != nullptr ? std::string(info->name) : number));
}

// ---- items -------------------------------------------------------------------------------------

uint32_t PacketAssembler::flag_value(uint32_t most) {
    expect('=');
    const Token& token = peek();
    const uint32_t value = word("a number");
    if (value > most)
        refuse(token, fmt::format("{} is more than 0x{:x}", token.text, most));
    return value;
}

void PacketAssembler::begin() {
    dwords_.clear();
    highest_ = 0;
    wanted_ = 0;
}

void PacketAssembler::touch(uint32_t dword, const Token& at) {
    if (dword > terms_.most)
        refuse(at, fmt::format("a packet has at most {} {}", terms_.most, terms_.dwords));
    highest_ = std::max(highest_, dword);
    if (dwords_.size() < dword)
        dwords_.resize(dword);
}

bool PacketAssembler::raw_dword(const Token& name) {
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
    dwords_[dword - 1] |= value;
    return true;
}

void PacketAssembler::items(const PacketShape& packet, uint32_t size) {
    deferred_.clear();
    given_.assign(packet.fields.size(), 0);
    bool first = true;
    while (at_item() || !first) {
        const Token& name = take();
        if (name.kind != TokenKind::Name && name.kind != TokenKind::Number)
            refuse(name, fmt::format("expected a field, found {}", quoted(name)));
        if (!raw_dword(name) && !field_item(packet, name, size) && !other_item(packet, name))
            no_field(packet, name);
        first = false;
        if (!take_mark(','))
            return;
    }
}

void PacketAssembler::no_field(const PacketShape& packet, const Token& name) {
    std::vector<std::string> known;
    for (const PacketField& field : packet.fields) {
        known.emplace_back(field.name);
        if (half_of_pair(packet, field) != nullptr)
            known.push_back(pair_name(field));
    }
    refuse(name, fmt::format("{} has no field {}", packet.name, quoted(name)),
           std::string(name.text), std::move(known));
}

bool PacketAssembler::field_item(const PacketShape& packet, const Token& name, uint32_t size) {
    if (name.kind != TokenKind::Name)
        return false;
    const PacketField* found = nullptr;
    const PacketField* low = nullptr;
    for (unsigned i = 0; i < packet.fields.size() && found == nullptr; ++i) {
        const PacketField& field = packet.fields[i];
        if (name.text == field.name) {
            if (size == 0 || field.condition == nullptr || field.condition->dword != 0 ||
                field.condition->values == size)
                found = &field;
        } else if (low == nullptr && half_of_pair(packet, field) != nullptr &&
                   name.text == pair_name(field)) {
            low = &field;
        }
    }
    if (found == nullptr && low == nullptr)
        return false;
    expect('=');
    if (found == nullptr) {
        pair_item(packet, *low, name);
        return true;
    }
    if (!take_mark('[')) {
        store(packet, *found, value_of(packet, *found), name);
        return true;
    }
    if (found->repeat == 0)
        refuse(name, fmt::format("{} takes one value", name.text));
    do
        store(packet, *found, value_of(packet, *found), name, true);
    while (take_mark(','));
    expect(']');
    return true;
}

void PacketAssembler::pair_item(const PacketShape& packet, const PacketField& low,
                                const Token& name) {
    const Token& at = peek();
    const uint64_t value = number("a number of up to 64 bits");
    const PacketField& high = *half_of_pair(packet, low);
    const uint64_t most = high.of(0xFFFFFFFF);
    if (value >> 32 > most)
        refuse(at, fmt::format("{} does not fit {}, at most 0x{:x}", at.text, name.text,
                               most << 32 | 0xFFFFFFFF));
    if ((value & ((1u << low.lsb) - 1)) != 0)
        refuse(at, fmt::format("{} must be a multiple of {}", name.text, 1u << low.lsb));
    store(packet, low, static_cast<uint32_t>(value) >> low.lsb, name);
    store(packet, high, static_cast<uint32_t>(value >> 32), name);
}

// ---- values ------------------------------------------------------------------------------------

// One value of a field, shifted down.
uint32_t PacketAssembler::value_of(const PacketShape& packet, const PacketField& field) {
    const FieldMeaning meaning = meaning_of(packet, field);
    const Token& at = peek();
    const uint32_t most = field.of(0xFFFFFFFF);
    if (meaning.kind == FieldKind::RegisterValue && at_mark('{')) {
        const regs::RegisterInfo* reg = db_.find_by_name(meaning.value_of);
        return fitting(at, register_value(reg, meaning.value_of), most, field.name);
    }
    if (at.kind == TokenKind::Name)
        return named_value(field, meaning, take());
    const uint32_t value = word("a value");
    if (meaning.kind != FieldKind::Address)
        return fitting(at, value, most, field.name);
    if ((value & ((1u << field.lsb) - 1)) != 0)
        refuse(at, fmt::format("{} must be a multiple of {}", field.name, 1u << field.lsb));
    return value >> field.lsb;
}

uint32_t PacketAssembler::named_value(const PacketField& field, const FieldMeaning& meaning,
                                      const Token& name) {
    uint32_t value = 0;
    if (value_of_name(meaning, name.text, value))
        return value;
    if (meaning.kind == FieldKind::Register) {
        const uint32_t most = field.of(0xFFFFFFFF);
        const regs::RegisterInfo& reg = named_register(name);
        if (reg.offset < meaning.window || (reg.offset - meaning.window) / 4 > most)
            refuse(name,
                   fmt::format("{} cannot name {} (0x{:05x}); it reaches 0x{:05x} to 0x{:05x}",
                               field.name, reg.name, reg.offset, meaning.window,
                               meaning.window + 4 * most));
        return (reg.offset - meaning.window) / 4;
    }
    std::vector<std::string> known;
    for (const ValueName& entry : meaning.names)
        known.emplace_back(entry.name);
    refuse(name, fmt::format("unknown value {} of {}", quoted(name), field.name),
           std::string(name.text), std::move(known));
}

// Which of its repetitions a field belongs to, of those that have had it.
uint32_t PacketAssembler::group_of(const PacketShape& packet, const PacketField& field,
                                   const Token& at, bool of_list) {
    uint32_t& given = given_[static_cast<size_t>(&field - packet.fields.begin())];
    if (given != 0 && field.repeat == 0)
        refuse(at, fmt::format("{} is given twice", field.name));
    const PacketField& first =
        *std::find_if(packet.fields.begin(), packet.fields.end(),
                      [&](const PacketField& f) { return f.repeat == field.repeat; });
    if (field.repeat == 0 || !rules_.groups || of_list || &field == &first)
        return given++;
    const uint32_t groups = given_[static_cast<size_t>(&first - packet.fields.begin())];
    if (groups == 0)
        refuse(at, fmt::format("{} before {}, with which a group begins", field.name, first.name));
    if (given == groups)
        refuse(at, fmt::format("{} is given twice in a group", field.name));
    given = groups;
    return groups - 1;
}

void PacketAssembler::store(const PacketShape& packet, const PacketField& field, uint32_t value,
                            const Token& at, bool of_list) {
    const uint32_t dword = field.dword + group_of(packet, field, at, of_list) * field.repeat;
    if (rules_.alternatives && has_others(packet, field)) {
        deferred_.push_back({&field, value, &at, false});
        return;
    }
    touch(dword, at);
    if (field.condition != nullptr) {
        if (field.condition->dword == 0)
            wanted_ = std::max(wanted_, field.condition->values);
        deferred_.push_back({&field, value, &at, true});
        return;
    }
    dwords_[dword - 1] |= value << field.lsb;
}

void PacketAssembler::choose_fields(const PacketShape& packet) {
    std::vector<uint32_t> known = dwords_;
    known.resize(std::max<size_t>(known.size(), packet.min_dwords));
    for (Deferred& d : deferred_) {
        if (d.chosen)
            continue;
        d.chosen = true;
        for (const PacketField& field : packet.fields) {
            if (hangs_on_value(field) && std::strcmp(field.name, d.field->name) == 0 &&
                field.condition->holds(known.data(), static_cast<uint32_t>(known.size()))) {
                d.field = &field;
                break;
            }
        }
        if (d.value > d.field->of(0xFFFFFFFF))
            fitting(*d.token, d.value, d.field->of(0xFFFFFFFF), d.field->name);
        touch(d.field->dword, *d.token);
    }
}

void PacketAssembler::conditional_fields(const PacketShape& packet, uint32_t size) {
    const std::vector<uint32_t> known = dwords_;
    for (const Deferred& d : deferred_) {
        const FieldCondition& condition = *d.field->condition;
        if (!condition.holds(known.data(), size))
            refuse(*d.token, fmt::format("{} has no {} when {}", packet.name, d.field->name,
                                         state_of(packet, condition, known, size)));
        dwords_[d.field->dword - 1] |= d.value << d.field->lsb;
    }
    deferred_.clear();
}

std::string PacketAssembler::state_of(const PacketShape& packet, const FieldCondition& condition,
                                      const std::vector<uint32_t>& dwords, uint32_t size) const {
    for (const PacketField& field : packet.fields) {
        if (condition.dword == 0 || field.dword != condition.dword || field.lsb != condition.lsb ||
            field.msb != condition.msb || field.dword > size)
            continue;
        const uint32_t value = field.in(dwords.data());
        const char* name = value_name(meaning_of(packet, field), value);
        return fmt::format("{} is {}", field.name, name != nullptr ? name : std::to_string(value));
    }
    return fmt::format("{} has {} dwords", terms_.whole, size);
}

}  // namespace archipelago::front
