// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/cp/micro_op.h"
#include "models/cp/pm4/names.h"
#include "models/cp/pm4/packet_stop.h"
#include "models/cp/pm4/syntax.h"
#include "models/cp/pm4/text.h"

namespace archipelago::cp {

namespace {

constexpr size_t kColumns = 100;
constexpr size_t kCommentColumn = 60;
constexpr size_t kWordsPerLine = 8;

// The name of a register where it leads back to the same register, else nothing.
std::string register_name(const regs::RegisterDatabase& db, uint32_t byte_offset) {
    const regs::RegisterInfo* info = db.find(byte_offset);
    if (info == nullptr || !is_pm4_name(info->name))
        return {};
    const regs::RegisterInfo* back = db.find_by_name(info->name);
    return back != nullptr && back->offset == byte_offset ? std::string(info->name) : std::string();
}

std::string hex_word(uint32_t value) {
    return fmt::format("0x{:08x}", value);
}

// Whether the fields of a register tell more than its number, and lead back.
bool has_fields(const regs::RegisterInfo& info) {
    if (info.fields.empty() || (info.fields.size() == 1 && info.fields[0].width() == 32))
        return false;
    for (const regs::FieldInfo& field : info.fields)
        if (!is_pm4_name(field.name) || info.field(field.name) != &field ||
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
        if (field.values != nullptr && !name.empty() && is_pm4_name(name) &&
            enumerator(*field.values, name, back) && back == part)
            text += name;
        else
            text += field.width() >= 16 ? fmt::format("0x{:x}", part) : std::to_string(part);
    }
    if (rest != 0)
        text += fmt::format("{}{}: 0x{:x}", text.empty() ? "{" : ", ", kOtherBits, rest);
    return text.empty() ? "0" : text + "}";
}

// Which buffer a packet calls; why it calls none.
std::string buffer_note(const PacketInfo& info, const uint32_t* body) {
    try {
        const IndirectBuffer buffer = info.buffer(info, body, {});
        return fmt::format("{} dwords at 0x{:x}", buffer.dwords, buffer.base);
    } catch (const PacketStop& stop) {
        return stop.what();
    }
}

class Writer {
  public:
    Writer(const Pm4Language& language, const Pm4Listing& listing)
        : table_(language.packets), db_(language.registers), listing_(listing) {}

    std::string run(const uint32_t* words, size_t count) {
        for (size_t at = 0; at < count;)
            at += statement(words, at, count);
        return std::move(out_);
    }

  private:
    size_t statement(const uint32_t* words, size_t at, size_t count) {
        const uint32_t header = words[at];
        const unsigned type = header_type(header);
        head_ = fmt::format("{:06x}: {:08x}", at * 4, header);
        note_.clear();
        items_.clear();
        flags_.clear();
        if (type == 2) {
            if ((header & 0x3FFFFFFF) != 0)
                flags_.push_back(fmt::format("reserved=0x{:x}", header & 0x3FFFFFFF));
            write("TYPE2", false);
            return 1;
        }
        if (type == 1) {
            note_ = "no packet has type 1";
            write(".word " + hex_word(header), false);
            return 1;
        }
        const uint32_t body = header_body_dwords(header);
        const PacketInfo* info = type == 0 ? &table_.type0() : table_.find(header_opcode(header));
        if (body > count - at - 1) {
            note_ =
                fmt::format("{}, cut off: {} of {} body dwords",
                            info != nullptr ? info->name : "unknown packet", count - at - 1, body);
            write(".word " + hex_word(header), false);
            for (size_t i = at + 1; i < count; i += kWordsPerLine) {
                out_ += ".word ";
                for (size_t k = i; k < std::min(count, i + kWordsPerLine); ++k)
                    out_ += (k == i ? "" : ", ") + hex_word(words[k]);
                out_ += "\n";
            }
            return count - at;
        }
        if (type == 0)
            type0(header, words + at + 1, body);
        else
            type3(info, header, words + at + 1, body);
        return size_t{1} + body;
    }

    void type0(uint32_t header, const uint32_t* body, uint32_t dwords) {
        registers((header & 0xFFFF) * 4, body, dwords);
        write("TYPE0", dwords > 1);
    }

    void registers(uint32_t offset, const uint32_t* values, uint32_t count) {
        for (uint32_t i = 0; i < count; ++i, offset += 4) {
            const std::string name = register_name(db_, offset);
            items_.push_back(fmt::format("{} = {}",
                                         name.empty() ? fmt::format("0x{:05x}", offset) : name,
                                         register_value(db_.find(offset), values[i])));
        }
    }

    void type3(const PacketInfo* info, uint32_t header, const uint32_t* body, uint32_t dwords) {
        const uint8_t opcode = header_opcode(header);
        if ((header & 2) != 0)
            flags_.emplace_back("compute");
        if ((header & 1) != 0)
            flags_.emplace_back("predicate");
        if ((header & 0xFC) != 0)
            flags_.push_back(fmt::format("reserved=0x{:x}", header >> 2 & 0x3F));
        if (info == nullptr || info->opcodes[0] != opcode)
            flags_.push_back(fmt::format("opcode=0x{:02x}", opcode));
        if (info == nullptr) {
            note_ = "unknown opcode";
            list("DATA", body, dwords);
            write("PACKET3", false);
            return;
        }
        covered_.assign(dwords, 0);
        uint32_t size = default_body(*info);
        const bool assigns = info->is(kSetsRegisters) && dwords >= 2;
        if (assigns) {
            const uint32_t offset = body[0] & 0xFFFF;
            registers(info->window->start + 4 * offset, body + 1, dwords - 1);
            covered_[0] = 0xFFFF;
            std::fill(covered_.begin() + 1, covered_.end(), 0xFFFFFFFFu);
            size = dwords;
        } else {
            fields(*info, body, dwords, size);
        }
        for (uint32_t i = 0; i < dwords; ++i) {
            if (const uint32_t rest = body[i] & ~covered_[i]) {
                items_.push_back(fmt::format("DW{} = 0x{:x}", i + 1, rest));
                size = std::max(size, i + 1);
            }
        }
        if (size != dwords || dwords < info->min_dwords || dwords > info->max_dwords)
            flags_.push_back(fmt::format("count={}", dwords));
        if (dwords < info->min_dwords || dwords > info->max_dwords)
            note_ = fmt::format("must have {}{} body dwords",
                                info->min_dwords == info->max_dwords ? ""
                                : dwords < info->min_dwords          ? "at least "
                                                                     : "at most ",
                                dwords < info->min_dwords ? info->min_dwords : info->max_dwords);
        else if (info->buffer != nullptr)
            note_ = buffer_note(*info, body);
        else if (!info->implemented())
            note_ = "stops by name";
        write(info->name, assigns && dwords > 2);
    }

    void fields(const PacketInfo& info, const uint32_t* body, uint32_t dwords, uint32_t& size) {
        uint32_t group = 0;  // size of a repeated one
        std::vector<const PacketField*> repeated;
        for (unsigned i = 0; i < info.fields.size(); ++i) {
            const PacketField& field = info.fields[i];
            if (field.repeat != 0) {
                repeated.push_back(&field);
                group = field.repeat;
                continue;
            }
            if (!field.applies(body, dwords))
                continue;
            const PacketField* high = pair_of(info, field);
            if (high != nullptr && !high->applies(body, dwords))
                high = nullptr;
            if (high == nullptr && is_high_of_pair(info, field, body, dwords))
                continue;  // shown with its low half
            covered_[field.dword - 1] |= field.mask();
            const uint32_t value = field.in(body);
            if (high != nullptr) {
                covered_[high->dword - 1] |= high->mask();
                size = std::max<uint32_t>(size, std::max(field.dword, high->dword));
                items_.push_back(
                    fmt::format("{} = 0x{:x}", pair_name(field),
                                uint64_t{high->in(body)} << 32 | uint64_t{value} << field.lsb));
                continue;
            }
            const FieldMeaning meaning = meaning_of(info, field);
            if (value == 0 && omitted(field, meaning))
                continue;
            size = std::max<uint32_t>(size, field.dword);
            items_.push_back(fmt::format("{} = {}", field.name, shown(field, meaning, value)));
        }
        if (repeated.size() == 1 && group == 1 && repeated[0]->mask() == 0xFFFFFFFF) {
            const uint32_t first = repeated[0]->dword - 1u;
            if (first < dwords) {
                list(repeated[0]->name, body + first, dwords - first);
                std::fill(covered_.begin() + first, covered_.end(), 0xFFFFFFFFu);
                size = std::max(size, dwords);
            }
            return;
        }
        for (uint32_t shift = 0; group != 0 && repeated[0]->dword + shift <= dwords;
             shift += group) {
            for (const PacketField* field : repeated) {
                const uint32_t dword = field->dword + shift;
                if (dword > dwords)
                    continue;
                covered_[dword - 1] |= field->mask();
                size = std::max(size, dword);
                items_.push_back(fmt::format(
                    "{} = {}", field->name,
                    shown(*field, meaning_of(info, *field), field->of(body[dword - 1]))));
            }
        }
    }

    bool is_high_of_pair(const PacketInfo& info, const PacketField& field, const uint32_t* body,
                         uint32_t dwords) const {
        for (unsigned i = 0; i < info.fields.size(); ++i)
            if (info.fields[i].applies(body, dwords) && pair_of(info, info.fields[i]) == &field)
                return true;
        return false;
    }

    static bool omitted(const PacketField& field, const FieldMeaning& meaning) {
        const size_t length = std::strlen(field.name);
        const bool high = length > 3 && std::strcmp(field.name + length - 3, "_HI") == 0;
        return meaning.kind == FieldKind::Number && meaning.names.empty() &&
               field.condition == nullptr && (high || field.msb - field.lsb < 8);
    }

    std::string shown(const PacketField& field, const FieldMeaning& meaning, uint32_t value) const {
        if (const char* name = value_name(meaning, value))
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

    void list(const char* name, const uint32_t* words, uint32_t count) {
        std::string text = fmt::format("{} = ", name);
        if (count == 1) {
            items_.push_back(text + hex_word(words[0]));
            return;
        }
        for (uint32_t i = 0; i < count; ++i) {
            text += i == 0 ? "[" : i % kWordsPerLine == 0 ? ",\n    " : ", ";
            if (i == 0 && count > kWordsPerLine)
                text += "\n    ";
            text += hex_word(words[i]);
        }
        items_.push_back(text + "]");
    }

    // The statement, its comment on the first line; `lines`: an item a line.
    void write(const std::string& name, bool lines) {
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
        if (listing_.offsets || !note_.empty()) {
            std::string comment = " // ";
            if (listing_.offsets)
                comment += head_;
            if (!note_.empty())
                comment += (listing_.offsets ? "  " : "") + note_;
            const size_t end = std::min(text.find('\n'), text.size());
            if (end < kCommentColumn)
                comment.insert(0, kCommentColumn - end, ' ');
            text.insert(end, comment);
        }
        out_ += text + "\n";
    }

    const PacketTable& table_;
    const regs::RegisterDatabase& db_;
    const Pm4Listing& listing_;
    std::string out_;
    std::string head_, note_;
    std::vector<std::string> flags_, items_;
    std::vector<uint32_t> covered_;  // bits of the body that items name
};

}  // namespace

std::string disassemble_pm4(const Pm4Language& language, const uint32_t* words, size_t count,
                            const Pm4Listing& listing) {
    return Writer(language, listing).run(words, count);
}

}  // namespace archipelago::cp
