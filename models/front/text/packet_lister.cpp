// SPDX-License-Identifier: Apache-2.0
#include "models/front/text/packet_lister.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/front/text/syntax.h"

namespace archipelago::front {

namespace {

constexpr size_t kColumns = 100;
constexpr size_t kCommentColumn = 60;
constexpr size_t kWordsPerLine = 8;

std::string hex_word(uint32_t value) {
    return fmt::format("0x{:08x}", value);
}

// ---- registers ---------------------------------------------------------------------------------

// The name of a register where it leads back to the same register, else nothing.
std::string register_name(const regs::RegisterDatabase& db, uint32_t byte_offset) {
    const regs::RegisterInfo* info = db.find(byte_offset);
    if (info == nullptr || !is_register_name(info->name))
        return {};
    const regs::RegisterInfo* back = db.find_by_name(info->name);
    return back != nullptr && back->offset == byte_offset ? std::string(info->name) : std::string();
}

// Whether the fields of a register tell more than its number, and lead back.
bool has_fields(const regs::RegisterInfo& info) {
    if (info.fields.empty() || (info.fields.size() == 1 && info.fields[0].width() == 32))
        return false;
    for (const regs::FieldInfo& field : info.fields)
        if (!is_text_name(field.name) || info.field(field.name) != &field ||
            field.name == kOtherBits)
            return false;
    return true;
}

std::string register_value(const regs::RegisterInfo* info, uint32_t value) {
    if (info == nullptr || !has_fields(*info))
        return value < 10 ? std::to_string(value) : hex_word(value);
    std::string text;
    uint32_t rest = value;
    for (const regs::FieldInfo& field : info->fields) {
        rest &= ~field.mask();
        const uint32_t part = field.get(value);
        if (part == 0)
            continue;
        text += text.empty() ? "{" : ", ";
        text += fmt::format("{}: ", field.name);
        const std::string_view name =
            field.values != nullptr ? field.values->name_of(part) : std::string_view();
        uint32_t back = 0;
        if (field.values != nullptr && !name.empty() && is_text_name(name) &&
            enumerator(*field.values, name, back) && back == part)
            text += name;
        else
            text += field.width() >= 16 ? fmt::format("0x{:x}", part) : std::to_string(part);
    }
    if (rest != 0)
        text += fmt::format("{}{}: 0x{:x}", text.empty() ? "{" : ", ", kOtherBits, rest);
    return text.empty() ? "0" : text + "}";
}

// ---- fields ------------------------------------------------------------------------------------

bool is_high_of_pair(const PacketShape& packet, const PacketField& field, const uint32_t* dwords,
                     uint32_t count) {
    return std::any_of(packet.fields.begin(), packet.fields.end(), [&](const PacketField& low) {
        return low.applies(dwords, count) && pair_of(packet, low) == &field;
    });
}

bool omitted(const PacketField& field, const FieldMeaning& meaning) {
    const size_t length = std::strlen(field.name);
    const bool high = length > 3 && std::strcmp(field.name + length - 3, "_HI") == 0;
    return meaning.kind == FieldKind::Number && meaning.names.empty() &&
           field.condition == nullptr && (high || field.msb - field.lsb < 8);
}

}  // namespace

std::string PacketLister::run(const uint32_t* words, size_t count) {
    for (size_t at = 0; at < count;) {
        head_ = fmt::format("{:06x}: {:08x}", at * 4, words[at]);
        note_.clear();
        items_.clear();
        flags_.clear();
        at += packet(words + at, count - at);
    }
    return std::move(out_);
}

void PacketLister::add(const std::string& name, const std::string& value) {
    items_.push_back(fmt::format("{} = {}", name, value));
}

void PacketLister::registers(uint32_t byte_offset, const uint32_t* values, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i, byte_offset += 4) {
        const std::string name = register_name(db_, byte_offset);
        add(!name.empty()             ? name
            : rules_.register_indices ? fmt::format("0x{:x}", byte_offset / 4)
                                      : fmt::format("0x{:05x}", byte_offset),
            register_value(db_.find(byte_offset), values[i]));
    }
}

uint32_t PacketLister::fields(const PacketShape& packet, const uint32_t* dwords, uint32_t count,
                              const PacketField* implied) {
    const uint32_t single = single_fields(packet, dwords, count, implied);
    return std::max(single, repeated_fields(packet, dwords, count));
}

uint32_t PacketLister::single_fields(const PacketShape& packet, const uint32_t* dwords,
                                     uint32_t count, const PacketField* implied) {
    uint32_t size = 0;
    for (const PacketField& field : packet.fields) {
        if (field.repeat != 0 || !field.applies(dwords, count))
            continue;
        const PacketField* high = pair_of(packet, field);
        if (high != nullptr && !high->applies(dwords, count))
            high = nullptr;
        if (high == nullptr && is_high_of_pair(packet, field, dwords, count))
            continue;  // shown with its low half
        covered_[field.dword - 1] |= field.mask();
        const uint32_t value = field.in(dwords);
        if (high != nullptr) {
            covered_[high->dword - 1] |= high->mask();
            size = std::max<uint32_t>(size, std::max(field.dword, high->dword));
            add(pair_name(field), fmt::format("0x{:x}", uint64_t{high->in(dwords)} << 32 |
                                                            uint64_t{value} << field.lsb));
            continue;
        }
        const FieldMeaning meaning = meaning_of(packet, field);
        if (&field == implied || (value == 0 && omitted(field, meaning)))
            continue;
        size = std::max<uint32_t>(size, field.dword);
        add(field.name, shown(field, meaning, value));
    }
    return size;
}

uint32_t PacketLister::repeated_fields(const PacketShape& packet, const uint32_t* dwords,
                                       uint32_t count) {
    std::vector<const PacketField*> fields;
    for (const PacketField& field : packet.fields)
        if (field.repeat != 0)
            fields.push_back(&field);
    if (fields.empty())
        return 0;
    if (fields.size() == 1 && fields[0]->repeat == 1 && fields[0]->mask() == 0xFFFFFFFF) {
        const uint32_t first = fields[0]->dword - 1u;
        if (first >= count)
            return 0;
        list(fields[0]->name, dwords + first, count - first);
        std::fill(covered_.begin() + first, covered_.end(), 0xFFFFFFFFu);
        return count;
    }
    uint32_t size = 0;
    const uint32_t step = fields.back()->repeat;
    for (uint32_t shift = 0; fields[0]->dword + shift <= count; shift += step)
        size = std::max(size, group(packet, fields, dwords, count, shift));
    return size;
}

// The fields of one group, `shift` dwords after the first.
uint32_t PacketLister::group(const PacketShape& packet,
                             const std::vector<const PacketField*>& fields, const uint32_t* dwords,
                             uint32_t count, uint32_t shift) {
    uint32_t size = 0;
    const PacketField* paired = nullptr;
    for (const PacketField* field : fields) {
        const uint32_t dword = field->dword + shift;
        if (dword > count)
            continue;
        covered_[dword - 1] |= field->mask();
        const uint32_t value = field->of(dwords[dword - 1]);
        const FieldMeaning meaning = meaning_of(packet, *field);
        if (field == paired ||
            (rules_.groups && field != fields[0] && value == 0 && omitted(*field, meaning)))
            continue;
        size = std::max(size, dword);
        const PacketField* high = rules_.groups ? pair_of(packet, *field, true) : nullptr;
        if (high == nullptr || high->dword + shift > count) {
            add(field->name, shown(*field, meaning, value));
            continue;
        }
        paired = high;
        size = std::max(size, high->dword + shift);
        add(pair_name(*field),
            fmt::format("0x{:x}", uint64_t{high->of(dwords[high->dword + shift - 1])} << 32 |
                                      uint64_t{value} << field->lsb));
    }
    return size;
}

uint32_t PacketLister::other_bits(const uint32_t* dwords, uint32_t count) {
    uint32_t size = 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (const uint32_t rest = dwords[i] & ~covered_[i]) {
            add(fmt::format("DW{}", i + 1), fmt::format("0x{:x}", rest));
            size = i + 1;
        }
    }
    return size;
}

std::string PacketLister::shown(const PacketField& field, const FieldMeaning& meaning,
                                uint32_t value) const {
    if (const char* name = value_name(meaning, value); name != nullptr && is_text_name(name))
        return name;
    switch (meaning.kind) {
        case FieldKind::Address:
            return fmt::format("0x{:x}", value << field.lsb);
        case FieldKind::Register: {
            const std::string name = register_name(db_, meaning.window + 4 * value);
            return name.empty() ? fmt::format("0x{:x}", value) : name;
        }
        case FieldKind::RegisterValue:
            return register_value(db_.find_by_name(meaning.value_of), value);
        default:
            return field.msb - field.lsb >= 15 && value > 9 ? fmt::format("0x{:x}", value)
                                                            : std::to_string(value);
    }
}

bool PacketLister::count_flag(const PacketShape& packet, uint32_t size, uint32_t dwords,
                              const char* noun) {
    const bool fits = dwords >= packet.min_dwords && dwords <= packet.max_dwords;
    if (size != dwords || !fits)
        flags_.push_back(fmt::format("count={}", dwords));
    if (!fits)
        note_ =
            fmt::format("must have {}{} {}",
                        packet.min_dwords == packet.max_dwords ? ""
                        : dwords < packet.min_dwords           ? "at least "
                                                               : "at most ",
                        dwords < packet.min_dwords ? packet.min_dwords : packet.max_dwords, noun);
    return fits;
}

// ---- lines -------------------------------------------------------------------------------------

void PacketLister::list(const char* name, const uint32_t* words, uint32_t count) {
    if (count == 1) {
        add(name, hex_word(words[0]));
        return;
    }
    std::string text;
    for (uint32_t i = 0; i < count; ++i) {
        text += i == 0 ? "[" : i % kWordsPerLine == 0 ? ",\n    " : ", ";
        if (i == 0 && count > kWordsPerLine)
            text += "\n    ";
        text += hex_word(words[i]);
    }
    add(name, text + "]");
}

void PacketLister::write(const std::string& name, bool lines) {
    std::string text = name;
    if (!flags_.empty())
        text += fmt::format(" [{}]", fmt::join(flags_, ", "));
    size_t line_start = 0;
    for (size_t i = 0; i < items_.size(); ++i) {
        if (i != 0)
            text += ",";
        const size_t first_line = std::min(items_[i].find('\n'), items_[i].size());
        if (i != 0 && (lines || text.size() - line_start + first_line + 2 > kColumns)) {
            text += "\n    ";
            line_start = text.size() - 4;
        } else {
            text += " ";
        }
        text += items_[i];
        const size_t newline = text.rfind('\n');
        if (newline != std::string::npos)
            line_start = newline + 1;
    }
    std::string behind = comment();
    if (!behind.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        if (end < kCommentColumn)
            behind.insert(0, kCommentColumn - end, ' ');
        text.insert(end, behind);
    }
    out_ += text + "\n";
}

std::string PacketLister::comment() const {
    if (!listing_.offsets && note_.empty())
        return {};
    std::string text = " // ";
    if (listing_.offsets)
        text += head_;
    if (!note_.empty())
        text += (listing_.offsets ? "  " : "") + note_;
    return text;
}

void PacketLister::write_word(uint32_t word, std::string note) {
    note_ = std::move(note);
    write(".word " + hex_word(word));
}

size_t PacketLister::write_cut_off(const uint32_t* words, size_t count, std::string note) {
    write_word(words[0], std::move(note));
    for (size_t i = 1; i < count; i += kWordsPerLine) {
        out_ += ".word ";
        for (size_t k = i; k < std::min(count, i + kWordsPerLine); ++k)
            out_ += (k == i ? "" : ", ") + hex_word(words[k]);
        out_ += "\n";
    }
    return count;
}

}  // namespace archipelago::front
