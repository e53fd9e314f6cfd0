// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "models/afuc/isa/image.h"
#include "models/afuc/isa/instruction.h"
#include "models/afuc/isa/names.h"
#include "models/afuc/isa/text.h"
#include "models/afuc/isa/text_names.h"
#include "models/common/text.h"

namespace archipelago::afuc {

using Kind = Operand::Kind;

std::string form_text(const Row& row) {
    std::string text = row.name;
    const char* separator = " ";
    for (const Operand& o : row.operands) {
        if (o.kind == Kind::None)
            continue;
        if (o.kind == Kind::Shift) {
            text += " << shift";
            continue;
        }
        text += separator;
        separator = ", ";
        switch (o.kind) {
            case Kind::Destination:
                text += "$destination";
                break;
            case Kind::Source:
                text += "$source";
                break;
            case Kind::Immediate:
                text += "number of " + std::to_string(o.bits) + " bits";
                break;
            case Kind::Bit:
                text += "b0..b31";
                break;
            case Kind::ControlPlace:
                text += "[$register + number or @NAME]";
                break;
            case Kind::SqePlace:
                text += "[$register + number or %NAME]";
                break;
            case Kind::MemoryPlace:
                text += "[$register + number]";
                break;
            case Kind::Secure:
                text += "$02, #label";
                break;
            default:
                text += "#label";
        }
    }
    return text;
}

namespace {

std::string register_text(const RegisterWords& words, uint32_t number) {
    return words[number] != nullptr ? std::string("$") + words[number]
                                    : fmt::format("${:02x}", number);
}

std::string literal(uint32_t word) {
    return fmt::format("[{:08x}]", word);
}

// Where an instruction leads to, in words of its section; -1: nowhere.
int64_t target_of(const Row& row, uint32_t word, uint32_t index) {
    for (const Operand& o : row.operands) {
        if (o.kind == Kind::Relative)
            return int64_t{index} + static_cast<int16_t>(o.in(word));
        if (o.kind == Kind::Absolute)
            return o.in(word);
        if (o.kind == Kind::Secure)
            return int64_t{index} + 3;
    }
    return -1;
}

class Disassembler {
  public:
    Disassembler(const Generation& generation, const std::vector<uint32_t>& words)
        : generation_(generation), words_(words) {}
    std::string run();
    std::string one(uint32_t word, uint32_t index, const LabelOf& label_of) const;

  private:
    using Labels = std::map<uint32_t, std::vector<std::string>>;  // by place in the section

    void section(const Section& section, unsigned number);
    void table(const Section& section);
    Labels labels_of(const Section& section) const;
    bool table_has_names(const Section& section) const;
    void bare(uint32_t begin, uint32_t end);
    std::string instruction(const Row& row, uint32_t word, uint32_t index,
                            const Labels& labels) const;
    std::string word_text(uint32_t word, uint32_t index, const Labels& labels) const;
    std::string place(const Operand& operand, uint32_t word) const;
    std::string comment(const Row& row, uint32_t word) const;
    void put(const std::string& text) { out_ += text + "\n"; }
    void put_word(const std::string& text, const std::string& note) {
        put(note.empty() ? "    " + text : fmt::format("    {:<40}; {}", text, note));
    }

    const Generation& generation_;
    const std::vector<uint32_t>& words_;
    uint32_t origin_ = 0;  // 1: after the zero dword of a file
    std::string out_;
};

// The base of a place: by name where it has one; what is added to a register and kept has none.
std::string Disassembler::place(const Operand& operand, uint32_t word) const {
    const uint32_t base = operand.in(word);
    const bool pre = (word & kPreIncrementBit) != 0;
    std::string text = "[" + register_text(kSourceNames, kPlaceRegister.in(word)) + " + ";
    Named name;
    if (!pre && operand.kind != Kind::MemoryPlace)
        name = name_of(generation_.names,
                       operand.kind == Kind::ControlPlace ? Space::Control : Space::Sqe, base);
    if (name)
        text += (operand.kind == Kind::ControlPlace ? "@" : "%") + name.text();
    else if (pre)
        text += hex(base);
    else
        text += fmt::format("0x{:03x}", base);
    return text + (pre ? "]!" : "]");
}

std::string Disassembler::instruction(const Row& row, uint32_t word, uint32_t index,
                                      const Labels& labels) const {
    std::string text;
    if ((row.modifiers & kRep) != 0 && (word & kRepBit) != 0)
        text += "(rep)";
    if ((row.modifiers & kXmov) != 0 && kXmovField.in(word) != 0)
        text += fmt::format("(xmov{})", kXmovField.in(word));
    if ((row.modifiers & kPeek) != 0 && (word & kPeekBit) != 0)
        text += "(peek)";
    if ((row.modifiers & kSds) != 0 && kSdsField.in(word) != 0)
        text += fmt::format("(sds{})", kSdsField.in(word));
    text += row.name;
    const char* separator = " ";
    for (const Operand& o : row.operands) {
        if (o.kind == Kind::None)
            continue;
        if (o.kind == Kind::Shift) {
            if (o.in(word) != 0)
                text += " << " + std::to_string(o.in(word));
            continue;
        }
        text += separator;
        separator = ", ";
        switch (o.kind) {
            case Kind::Destination:
                text += register_text(kDestinationNames, o.in(word));
                break;
            case Kind::Source:
                text += register_text(kSourceNames, o.in(word));
                break;
            case Kind::Immediate:
                text += hex(o.in(word));
                break;
            case Kind::Bit:
                text += "b" + std::to_string(o.in(word));
                break;
            case Kind::ControlPlace:
            case Kind::SqePlace:
            case Kind::MemoryPlace:
                text += place(o, word);
                break;
            case Kind::Secure:
                text += "$02, ";
                [[fallthrough]];
            default:
                text += "#" + labels.at(static_cast<uint32_t>(target_of(row, word, index))).front();
        }
    }
    return text;
}

// What a number names: a pipe register or a GPU register.
std::string Disassembler::comment(const Row& row, uint32_t word) const {
    if (row.operands[0].kind != Kind::Destination)
        return "";
    uint64_t value = 0;
    bool found = false;
    for (const Operand& o : row.operands) {
        if (o.kind == Kind::Immediate) {
            value = o.in(word);
            found = true;
        } else if (o.kind == Kind::Shift) {
            value <<= o.in(word);
        }
    }
    if (!found)
        return "";
    const uint32_t destination = row.operands[0].in(word);
    if (row.op == Op::Mov && (destination == kAddr || destination == kUsrAddr) &&
        value >> 24 != 0) {
        const Named pipe = name_of(generation_.names, Space::Pipe, value >> 24 & 0xFF);
        return pipe ? "|" + pipe.text() : "";
    }
    const Named gpu = name_of(generation_.names, Space::Gpu, static_cast<uint32_t>(value));
    return gpu ? gpu.text() : "";
}

// A word that the text of its instruction would not give back is a literal, followed by that text.
std::string Disassembler::word_text(uint32_t word, uint32_t index, const Labels& labels) const {
    const Row* row = decode(generation_.encoding, word);
    if (row == nullptr)
        return literal(word);
    const int64_t target = target_of(*row, word, index);
    const bool named = target < 0 || labels.count(static_cast<uint32_t>(target)) != 0;
    const bool leads =
        std::any_of(row->operands.begin(), row->operands.end(), [](const Operand& o) {
            return o.kind == Kind::Relative || o.kind == Kind::Absolute || o.kind == Kind::Secure;
        });
    if ((leads && target < 0) || !named)
        return fmt::format("{:<40}; {} to {}", literal(word), row->name, target);
    const std::string text = instruction(*row, word, index, labels);
    if ((word & ~row->known()) != 0)
        return fmt::format("{:<40}; as {}", literal(word), text);
    const std::string note = comment(*row, word);
    return note.empty() ? text : fmt::format("{:<40}; {}", text, note);
}

// Whether `.jumptbl` gives the table back: each entry is 0 or a place in the section's code.
bool Disassembler::table_has_names(const Section& s) const {
    for (uint32_t i = 0; i < kTableWords; ++i)
        if (const uint32_t place = s.begin + words_[origin_ + s.table + i];
            place >= s.end || s.in_table(place))
            return false;
    return true;
}

Disassembler::Labels Disassembler::labels_of(const Section& s) const {
    const uint32_t* words = words_.data() + origin_ + s.begin;
    Labels labels;
    if (s.table != 0) {
        labels[s.table - s.begin].emplace_back("jumptbl");
        for (uint32_t i = 0; table_has_names(s) && i < kTableWords; ++i)
            if (const uint32_t place = words[s.table - s.begin + i]; place != 0)
                labels[place].push_back(packet_name(generation_.names, i));
    }
    std::set<uint32_t> calls;
    const uint32_t count = s.end - s.begin;
    for (uint32_t i = 0; i < count; ++i) {
        const Row* row = s.in_table(s.begin + i) ? nullptr : decode(generation_.encoding, words[i]);
        if (row == nullptr)
            continue;
        const int64_t target = target_of(*row, words[i], i);
        if (target < 0 || target >= count || s.in_table(s.begin + static_cast<uint32_t>(target)))
            continue;
        const auto place = static_cast<uint32_t>(target);
        labels[place];
        if (row->op == Op::Call || row->op == Op::BranchLink)
            calls.insert(place);
    }
    for (auto& [place, names] : labels)
        if (names.empty())
            names.push_back((calls.count(place) != 0 ? "fxn" : "l") + std::to_string(place));
    return labels;
}

void Disassembler::section(const Section& s, unsigned number) {
    if (number != 0)
        put(fmt::format(".section S{}", number));
    const Labels labels = labels_of(s);
    for (uint32_t at = s.begin; at < s.end; ++at) {
        if (at == s.table && s.table != 0) {
            table(s);
            at += kTableWords - 1;
            continue;
        }
        const uint32_t word = words_[origin_ + at], index = at - s.begin;
        if (const auto here = labels.find(index); here != labels.end())
            for (const std::string& name : here->second)
                put(name + ":");
        if (s.table != 0 && index == 0)
            put_word(literal(word),
                     "ID " + hex(word >> 12 & 0xFFF) + ", version " + hex(word & 0xFFF));
        else if (s.table != 0 && index == 1 && (word & kPayloadMask) == s.table - s.begin)
            put("    [#jumptbl]");
        else
            put("    " + word_text(word, index, labels));
    }
}

void Disassembler::table(const Section& s) {
    put("jumptbl:");
    if (table_has_names(s))
        put("    .jumptbl");
    else
        bare(s.table, s.table + kTableWords);
}

void Disassembler::bare(uint32_t begin, uint32_t end) {
    for (uint32_t at = begin; at < end; ++at)
        put("    " + literal(words_[origin_ + at]));
}

std::string Disassembler::run() {
    origin_ = is_file(generation_, words_) ? 1 : 0;
    const auto count = static_cast<uint32_t>(words_.size()) - origin_;
    if (count != 0 && origin_ == 0 && is_id(generation_, words_[0]))
        put(".image");
    if (const Generation* known = count != 0 ? generation_of_id(words_[origin_]) : nullptr;
        known != nullptr && known != &generation_)
        put(std::string("; the ID is that of an image of ") + known->name + ", taken as one of " +
            generation_.name);
    std::vector<Section> list = sections(generation_, words_.data() + origin_, count);
    if (list.empty())
        list.push_back({0, count, 0});
    uint32_t at = 0;
    for (unsigned i = 0; i < list.size(); ++i) {
        // `.section` pads with NOPs; other words between sections are literals.
        const uint32_t padding = nop(generation_.encoding);
        if (std::any_of(words_.begin() + origin_ + at, words_.begin() + origin_ + list[i].begin,
                        [padding](uint32_t w) { return w != padding; }))
            bare(at, list[i].begin);
        section(list[i], i);
        at = list[i].end;
    }
    bare(at, count);
    return out_;
}

std::string Disassembler::one(uint32_t word, uint32_t index, const LabelOf& label_of) const {
    Labels labels;
    if (const Row* row = decode(generation_.encoding, word))
        if (const int64_t target = target_of(*row, word, index); target >= 0) {
            const auto place = static_cast<uint32_t>(target);
            const std::string name = label_of ? label_of(place) : std::string();
            labels[place].push_back(name.empty() ? "l" + std::to_string(target) : name);
        }
    return word_text(word, index, labels);
}

}  // namespace

std::string instruction_text(const Generation& generation, uint32_t word, uint32_t index,
                             const LabelOf& label_of) {
    static const std::vector<uint32_t> kNone;
    return Disassembler(generation, kNone).one(word, index, label_of);
}

std::string disassemble(const Generation& generation, const std::vector<uint32_t>& words) {
    return Disassembler(generation, words).run();
}

std::string destination_text(uint32_t number) {
    return register_text(kDestinationNames, number);
}

}  // namespace archipelago::afuc
