// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "models/afuc/isa/image.h"
#include "models/afuc/isa/instruction.h"
#include "models/afuc/isa/names.h"
#include "models/afuc/isa/text.h"
#include "models/afuc/isa/text_line.h"
#include "models/afuc/isa/text_names.h"
#include "models/common/text.h"

namespace archipelago::afuc {
namespace {

using Kind = Operand::Kind;

constexpr size_t kMaxIncludes = 16;     // files that include each other
constexpr size_t kMaxFiles = 4096;      // of one image, each time counted
constexpr uint64_t kPlaceBase = 0xFFF;  // the last control register

// Messages show pieces of the text, which may have any bytes.
std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(),
        [](char c) { return std::isprint(static_cast<unsigned char>(c)) == 0; }, '?');
    return text;
}

std::string folder_of(const std::string& path) {
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

class Assembler {
  public:
    Assembler(const Generation& generation, const ReadText& read)
        : generation_(generation), read_file_(read) {}
    Assembly run(std::string_view text, const std::string& path);

  private:
    struct Use {  // of a label
        size_t word;
        Operand operand;
        std::string label;
        SourcePlace place;
        unsigned column;
    };

    void read_text(std::string_view text);
    void read(Line& line);
    void directive(Line& line);
    void include(Line& line);
    void align(Line& line);
    void scratch(Line& line);
    void put(uint32_t word) {
        out_.words.push_back(word);
        out_.places.push_back(place_);
    }
    void literal(Line& line);
    void check_id(unsigned column);
    void instruction(Line& line);
    uint8_t modifiers(Line& line, uint32_t& word);
    bool takes_no_operand(const std::string& name) const;
    const Row& choose(const std::string& name, unsigned column,
                      const std::vector<Argument>& arguments) const;
    void encode(const Row& row, const std::vector<Argument>& arguments, uint32_t& word);
    void place(const Row& row, const Argument& a, uint32_t& word) const;
    uint32_t field(const Operand& operand, uint64_t value, unsigned column) const;
    void old_flags(const Row& row, const Argument& flags, uint32_t& word) const;
    void check_bits(const Argument& low, const Argument& high);
    void pad(uint32_t words, uint32_t filler) {
        while (index() % words != 0)
            put(filler);
    }
    // "line 12", "packets/stream.afuc:12"
    std::string text_of(const SourcePlace& place) const {
        return place.file == place_.file
                   ? "line " + std::to_string(place.line)
                   : out_.files[place.file] + ":" + std::to_string(place.line);
    }
    uint32_t index() const { return static_cast<uint32_t>(out_.words.size() - section_); }
    void end_section();
    void fill_table();
    void warn_of_packets_without_entry();
    void put_zero_dword();
    TextError error_at(const SourcePlace& place, unsigned column, const std::string& message) {
        return {place.line, column, printable(message),
                "",         {},     place.file == 0 ? "" : out_.files[place.file]};
    }
    void refuse(const Refused& r, const SourcePlace& place) {
        errors_.emplace_back(
            place, TextError{place.line, r.column, printable(r.message), r.unknown, r.known,
                             place.file == 0 ? "" : out_.files[place.file]});
    }

    const Generation& generation_;
    const ReadText& read_file_;
    Assembly out_;
    std::vector<std::pair<SourcePlace, TextError>> errors_;
    SourcePlace place_;           // of the line at hand
    std::vector<uint32_t> open_;  // files that include each other, the one at hand last
    OwnNames own_;
    size_t section_ = 0;  // the word it begins with
    std::optional<size_t> table_;
    struct Definition {
        SourcePlace place;
        unsigned column = 0;
    };
    std::map<std::string, uint32_t> labels_;
    std::map<std::string, Definition> defined_;  // where each of them stands
    std::vector<Use> uses_;
    bool image_ = false, file_ = false;
};

bool fits(const Operand& operand, const Argument& a) {
    switch (operand.kind) {
        case Kind::Destination:
        case Kind::Source:
            return a.kind == Argument::Kind::Register;
        case Kind::Immediate:
            return a.kind == Argument::Kind::Number || a.kind == Argument::Kind::Label;
        case Kind::Bit:
            return a.kind == Argument::Kind::Bit;
        case Kind::ControlPlace:
            return a.kind == Argument::Kind::Place &&
                   a.space.value_or(Space::Control) == Space::Control;
        case Kind::SqePlace:
            return a.kind == Argument::Kind::Place && a.space.value_or(Space::Sqe) == Space::Sqe;
        case Kind::MemoryPlace:
            return a.kind == Argument::Kind::Place && !a.space;
        case Kind::Relative:
        case Kind::Absolute:
            return a.kind == Argument::Kind::Label;
        default:
            return false;
    }
}

// Whether arguments are those of the row. The older form of places has a number after them.
bool fits(const Row& row, const std::vector<Argument>& arguments) {
    size_t next = 0;
    bool place = false;
    for (const Operand& operand : row.operands) {
        if (operand.kind == Kind::None)
            continue;
        if (operand.kind == Kind::Shift)
            continue;  // of the argument before it
        if (operand.kind == Kind::Secure) {
            if (arguments.size() != 2 || arguments[0].kind != Argument::Kind::Register ||
                arguments[1].kind != Argument::Kind::Label)
                return false;
            next = 2;
            continue;
        }
        if (next == arguments.size() || !fits(operand, arguments[next]))
            return false;
        place = arguments[next].kind == Argument::Kind::Place;
        ++next;
    }
    if (place && next + 1 == arguments.size())
        return arguments[next].kind == Argument::Kind::Number;
    return next == arguments.size();
}

Assembly Assembler::run(std::string_view text, const std::string& path) {
    out_.files.push_back(path);
    open_.push_back(0);
    read_text(text);
    end_section();
    if (file_ && !image_)
        put_zero_dword();
    std::stable_sort(errors_.begin(), errors_.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first.file, a.first.line) < std::pair(b.first.file, b.first.line);
    });
    for (auto& [place, error] : errors_)
        out_.errors.push_back(std::move(error));
    return std::move(out_);
}

void Assembler::put_zero_dword() {
    out_.words.insert(out_.words.begin(), 0);
    out_.places.insert(out_.places.begin(), SourcePlace{});
    std::map<uint32_t, std::string> names;
    for (auto& [word, name] : out_.names)
        names.emplace(word + 1, std::move(name));
    out_.names = std::move(names);
}

// A file's lines, one after another.
void Assembler::read_text(std::string_view text) {
    while (!text.empty()) {
        ++place_.line;
        const size_t end = std::min(text.find('\n'), text.size());
        Line line(text.substr(0, end), generation_, own_);
        try {
            read(line);
        } catch (const Refused& r) {
            refuse(r, place_);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void Assembler::read(Line& line) {
    for (;;) {
        line.skip();
        const unsigned at = line.column();
        const std::string label(line.label());
        if (label.empty())
            break;
        const auto [first, made] = defined_.emplace(label, Definition{place_, at});
        if (!made)
            throw Refused{
                at,
                "label " + label + " occurs twice, first in " + text_of(first->second.place),
                "",
                {}};
        labels_.emplace(label, index());
        out_.names.emplace(static_cast<uint32_t>(out_.words.size()), label);
    }
    if (line.done())
        return;
    if (line.take("["))
        literal(line);
    else if (line.take("."))
        directive(line);
    else
        instruction(line);
    if (!line.done())
        line.refuse("expected the end of the line" + line.found());
}

// [hexadecimal] or [#label].
void Assembler::literal(Line& line) {
    const bool first = out_.words.empty();
    if (line.take("#")) {
        const unsigned column = line.column() - 1;
        uses_.push_back({out_.words.size(), Operand{Kind::Absolute, 0, kPayloadBits},
                         std::string(line.name()), place_, column});
        put(nop(generation_.encoding));
    } else {
        const unsigned at = line.column();
        std::string_view word = line.name();
        if (word.substr(0, 2) == "0x")
            word.remove_prefix(2);
        const uint64_t value = line.digits(word, 16, at);
        if (value > UINT32_MAX)
            throw Refused{at, "a word has eight hexadecimal digits", "", {}};
        put(static_cast<uint32_t>(value));
        file_ = file_ || (first && is_id(generation_, out_.words.back()));
        if (first)
            check_id(at);
    }
    line.need("]");
}

void Assembler::check_id(unsigned column) {
    const Generation* const known = generation_of_id(out_.words.back());
    if (known != nullptr && known != &generation_)
        out_.warnings.push_back(error_at(place_, column,
                                         std::string("this is the ID of an image of ") +
                                             known->name + ", assembled as one of " +
                                             generation_.name));
}

void Assembler::directive(Line& line) {
    const unsigned at = line.column() - 1;
    const std::string name(line.name());
    if (name == "align") {
        align(line);
    } else if (name == "include") {
        include(line);
    } else if (name == "scratch") {
        scratch(line);
    } else if (name == "jumptbl") {
        if (table_)
            throw Refused{at, "a section has one .jumptbl", "", {}};
        table_ = out_.words.size();
        for (uint32_t entry = 0; entry < kTableWords; ++entry)
            put(0);
    } else if (name == "section") {
        if (line.name().empty())
            line.refuse("expected a name" + line.found());
        end_section();
        pad(kSectionWords, nop(generation_.encoding));
        section_ = out_.words.size();
    } else if (name == "image") {
        if (!out_.words.empty())
            throw Refused{at, ".image stands before all words", "", {}};
        image_ = true;
    } else {
        throw Refused{at,
                      "no directive ." + name,
                      name,
                      {"align", "image", "include", "jumptbl", "scratch", "section"}};
    }
}

void Assembler::align(Line& line) {
    line.skip();
    const unsigned column = line.column();
    const uint64_t bytes = line.number();
    if (bytes == 0 || bytes % 4 != 0 || bytes > 4096)
        throw Refused{column, "expected a multiple of 4 up to 4096", "", {}};
    pad(static_cast<uint32_t>(bytes / 4), nop(generation_.encoding));
}

// .include "path": the file's lines in place of this one; relative to the file at hand.
void Assembler::include(Line& line) {
    line.skip();
    const unsigned column = line.column();
    const std::string given = line.quoted();
    if (!line.done())
        line.refuse("expected the end of the line" + line.found());
    const std::string path =
        given.substr(0, 1) == "/" ? given : folder_of(out_.files[place_.file]) + given;
    for (const uint32_t open : open_)
        if (out_.files[open] == path)
            throw Refused{column, path + " includes itself", "", {}};
    if (open_.size() > kMaxIncludes)
        throw Refused{column, "files include each other more than 16 deep", "", {}};
    if (out_.files.size() > kMaxFiles)
        throw Refused{column, "more than 4096 files are included", "", {}};
    const std::optional<std::string> text = read_file_(path);
    if (!text)
        throw Refused{column, "cannot read " + path, "", {}};
    const SourcePlace before = place_;
    place_ = {static_cast<uint32_t>(out_.files.size()), 0};
    open_.push_back(place_.file);
    out_.files.push_back(path);
    read_text(*text);
    open_.pop_back();
    place_ = before;
}

// .scratch NAME INDEX: @NAME is a control register that the program uses as it likes.
void Assembler::scratch(Line& line) {
    line.skip();
    const unsigned at = line.column();
    const std::string name(line.name());
    if (name.empty())
        line.refuse("expected a name" + line.found());
    const RegisterName* taken = find_register(generation_.names, Space::Control, name);
    line.skip();
    const unsigned column = line.column();
    const uint64_t index = line.number();
    if (index > kPlaceBase)
        throw Refused{column, hex(index) + " is no control register", "", {}};
    const auto first = static_cast<uint32_t>(index);
    if (taken != nullptr && taken->first != first)
        throw Refused{at, name + " is the hardware's register " + hex(taken->first), "", {}};
    const auto [place, made] = own_.emplace(name, first);
    if (!made && place->second != first)
        throw Refused{at, name + " is " + hex(place->second) + " already", "", {}};
}

uint8_t Assembler::modifiers(Line& line, uint32_t& word) {
    uint8_t taken = 0;
    while (line.take("(")) {
        const unsigned at = line.column() - 1;
        const std::string name(line.name());
        line.need(")");
        const char digit = name.empty() ? ' ' : name.back();
        const std::string stem = name.substr(0, name.size() - std::min<size_t>(1, name.size()));
        uint8_t modifier = 0;
        if (name == "rep") {
            modifier = kRep;
            word |= kRepBit;
        } else if (name == "peek") {
            modifier = kPeek;
            word |= kPeekBit;
        } else if (digit >= '1' && digit <= '3' && (stem == "xmov" || stem == "sds")) {
            modifier = stem == "xmov" ? kXmov : kSds;
            word |= uint32_t(digit - '0') << (stem == "xmov" ? kXmovField : kSdsField).lsb;
        } else {
            throw Refused{at,
                          "no modifier (" + name + ")",
                          name,
                          {"rep", "peek", "xmov1", "xmov2", "xmov3", "sds1", "sds2", "sds3"}};
        }
        if ((taken & modifier) != 0)
            throw Refused{at, "modifier (" + name + ") occurs twice", "", {}};
        taken |= modifier;
    }
    return taken;
}

const Row& Assembler::choose(const std::string& name, unsigned column,
                             const std::vector<Argument>& arguments) const {
    std::string forms;
    std::vector<std::string> known;
    for (const Row& row : instructions(generation_.encoding)) {
        if (known.empty() || known.back() != row.name)
            known.emplace_back(row.name);
        if (name != row.name)
            continue;
        const bool shifted = std::any_of(arguments.begin(), arguments.end(),
                                         [](const Argument& a) { return a.shift.has_value(); });
        const bool shifts = std::any_of(row.operands.begin(), row.operands.end(),
                                        [](const Operand& o) { return o.kind == Kind::Shift; });
        if (fits(row, arguments) && (!shifted || shifts))
            return row;
        forms += (forms.empty() ? "" : " or ") + form_text(row);
    }
    if (forms.empty())
        throw Refused{column, "no instruction " + name + " of " + generation_.name, name, known};
    throw Refused{column, "expected " + forms, "", {}};
}

bool Assembler::takes_no_operand(const std::string& name) const {
    bool found = false;
    for (const Row& row : instructions(generation_.encoding)) {
        if (name != row.name)
            continue;
        found = true;
        if (row.operands[0].kind != Kind::None)
            return false;
    }
    return found;
}

void Assembler::instruction(Line& line) {
    const unsigned at = line.column();
    uint32_t word = 0;
    const uint8_t taken = modifiers(line, word);
    line.skip();
    const unsigned column = line.column();
    const std::string name(line.name());
    if (name.empty())
        line.refuse("expected an instruction" + line.found());
    if (line.ends_with_colon())
        throw Refused{column, "a label is one word of letters, digits, _ and .", "", {}};
    if (takes_no_operand(name) && !line.done())
        line.refuse(name + " has no operand" + line.found());
    std::vector<Argument> arguments;
    if (!line.done())
        do
            arguments.push_back(line.argument());
        while (line.take(","));
    const Row& row = choose(name, column, arguments);
    if ((taken & ~row.modifiers) != 0)
        throw Refused{at, std::string("a modifier that ") + row.name + " does not take", "", {}};
    encode(row, arguments, word);
    put(word);
}

// A value in the bits of an operand.
uint32_t Assembler::field(const Operand& operand, uint64_t value, unsigned column) const {
    if (value >= uint64_t{1} << operand.bits)
        throw Refused{column,
                      hex(value) + " does not fit into " + std::to_string(operand.bits) + " bits",
                      "",
                      {}};
    return static_cast<uint32_t>(value) << operand.lsb;
}

void Assembler::encode(const Row& row, const std::vector<Argument>& arguments, uint32_t& word) {
    word |= row.word;
    size_t next = 0;
    for (const Operand& operand : row.operands) {
        if (operand.kind == Kind::None)
            continue;
        if (operand.kind == Kind::Secure) {
            if (arguments[0].value != 2)
                throw Refused{arguments[0].column, "expected $02", "", {}};
            uses_.push_back(
                {out_.words.size(), operand, arguments[1].label, place_, arguments[1].column});
            next = 2;
            continue;
        }
        if (operand.kind == Kind::Shift) {
            const Argument& shifted = arguments[next - 1];
            word |= field(operand, shifted.shift.value_or(0), shifted.column);
            continue;
        }
        const Argument& a = arguments[next++];
        if (a.kind == Argument::Kind::Label)
            uses_.push_back({out_.words.size(), operand, a.label, place_, a.column});
        else if (a.kind == Argument::Kind::Place)
            place(row, a, word);
        else
            word |= field(operand, a.value, a.column);
    }
    if (next < arguments.size())
        old_flags(row, arguments[next], word);
    if (row.op == Op::Ubfx || row.op == Op::Bfi)
        check_bits(arguments[2], arguments[3]);
}

// Taken, as any word of the encoding is, but no field.
void Assembler::check_bits(const Argument& low, const Argument& high) {
    if (low.value > high.value)
        out_.warnings.push_back(error_at(place_, low.column,
                                         "b" + std::to_string(low.value) + " is above b" +
                                             std::to_string(high.value) +
                                             ": the field's lowest bit stands before its highest"));
}

void Assembler::place(const Row& row, const Argument& a, uint32_t& word) const {
    const Operand& operand = row.operands[1];
    word |= field(operand, a.value, a.column) | field(kPlaceRegister, a.offset, a.column) |
            (a.pre_increment ? kPreIncrementBit : 0);
}

// The number after a place is bits 15:12: selector, pre-increment and (sds).
void Assembler::old_flags(const Row& row, const Argument& flags, uint32_t& word) const {
    constexpr Operand kFlags{Kind::Immediate, 12, 4};
    const uint32_t with = word | field(kFlags, flags.value, flags.column);
    if (!row.is(with))
        throw Refused{
            flags.column, "flags " + hex(flags.value) + " are not those of " + row.name, "", {}};
    word = with;
}

// Puts what labels stand for into the words that name them.
void Assembler::end_section() {
    for (const Use& use : uses_) {
        const auto label = labels_.find(use.label);
        if (label == labels_.end()) {
            std::vector<std::string> known;
            for (const auto& [name, place] : labels_)
                known.push_back(name);
            refuse({use.column, "no label " + use.label, use.label, known}, use.place);
            continue;
        }
        const auto own = static_cast<int64_t>(use.word - section_);
        int64_t value = label->second;
        if (use.operand.kind == Kind::Relative) {
            value -= own;
            const int64_t limit = int64_t{1} << (use.operand.bits - 1);
            if (value < -limit || value >= limit)
                refuse({use.column, "label " + use.label + " is too far", "", {}}, use.place);
            value &= use.operand.mask();
        }
        if (use.operand.kind == Kind::Secure)
            continue;
        try {
            out_.words[use.word] |= field(use.operand, static_cast<uint64_t>(value), use.column);
        } catch (const Refused& r) {
            refuse(r, use.place);
        }
    }
    if (table_) {
        fill_table();
        warn_of_packets_without_entry();
    }
    table_.reset();
    uses_.clear();
    if (section_ == 0)
        out_.labels = labels_;
    labels_.clear();
    defined_.clear();
}

void Assembler::fill_table() {
    for (const auto& [name, place] : labels_) {
        const int opcode = packet_opcode(generation_.names, name);
        if (opcode < 0)
            continue;
        uint32_t& entry = out_.words[*table_ + static_cast<size_t>(opcode)];
        if (entry != 0 && entry != place)
            refuse({1,
                    "label " + name + " is of opcode " + std::to_string(opcode) +
                        " as another label is, which has another place",
                    "",
                    {}},
                   place_);
        entry = place;
    }
}

// Names like those of packets, which no opcode has: their handlers are in no entry.
void Assembler::warn_of_packets_without_entry() {
    for (const auto& [name, at] : defined_) {
        const bool packet = name.substr(0, 3) == "CP_" || name.substr(0, 4) == "UNKN";
        if (!packet || packet_opcode(generation_.names, name) >= 0)
            continue;
        TextError warning = error_at(at.place, at.column,
                                     "label " + name + " is like a packet's, but none of " +
                                         generation_.name + " has the name: it is not in .jumptbl");
        warning.unknown = name;
        for (const PacketName& packet_name : packet_list(generation_.names))
            warning.known.emplace_back(packet_name.name);
        out_.warnings.push_back(std::move(warning));
    }
}

}  // namespace

std::optional<std::string> read_text_file(const std::string& path) {
    std::error_code none;
    if (!std::filesystem::is_regular_file(path, none))
        return std::nullopt;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        return std::nullopt;
    return std::string{std::istreambuf_iterator<char>(file), {}};
}

Assembly assemble(const Generation& generation, std::string_view text, const std::string& path,
                  const ReadText& read) {
    return Assembler(generation, read).run(text, path);
}

}  // namespace archipelago::afuc
