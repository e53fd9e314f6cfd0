// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <map>

#include "models/common/text_scanner.h"
#include "models/ctm/isa/text.h"
#include "models/ctm/isa/text_names.h"
#include "models/ctm/isa/thread.h"

namespace archipelago::ctm::isa {
namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}
bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// A line, read from left to right. What is wrong with it is thrown and caught in this file only.
class Cursor : private TextScanner {
  public:
    explicit Cursor(std::string_view line) : TextScanner(line) {}

    using TextScanner::back_to, TextScanner::column, TextScanner::mark;
    void skip_space() { take_while(is_space); }
    bool at_end() {
        skip_space();
        return TextScanner::at_end();
    }
    bool peek(char c) {
        skip_space();
        return !TextScanner::at_end() && TextScanner::peek() == c;
    }
    bool take(char c) { return peek(c) && accept({&c, 1}); }
    // Directly after what was read last.
    bool take_here(std::string_view text) { return accept(text); }
    void expect(char c) {
        if (!take(c)) {
            fail(std::string("expected '") + c + "'");
        }
    }
    // Letters, digits and '_'; may be empty.
    std::string word() {
        skip_space();
        return word_here();
    }
    std::string word_here() {
        begin_ = column();
        return std::string(take_while(is_word));
    }
    uint32_t number(uint32_t most);
    uint32_t number_here(const std::string& digits, uint32_t most) const;
    float real();
    // The word that was read last is none of these.
    [[noreturn]] void unknown(const std::string& what, const std::string& got,
                              std::vector<std::string> known) const;
    [[noreturn]] void fail(const std::string& message) const {
        throw TextError{0, column(), message, {}, {}};
    }
    [[noreturn]] void fail_word(const std::string& message) const {
        throw TextError{0, begin_, message, {}, {}};
    }

  private:
    unsigned begin_ = 1;  // column of the word that was read last
};

uint32_t Cursor::number_here(const std::string& digits, uint32_t most) const {
    char* end = nullptr;
    const unsigned long long value = std::strtoull(digits.c_str(), &end, 0);
    if (digits.empty() || std::isdigit(static_cast<unsigned char>(digits[0])) == 0 || *end != 0) {
        fail_word("expected a number" + (digits.empty() ? "" : ", not \"" + digits + "\""));
    }
    if (value > most) {
        fail_word("\"" + digits + "\" is above " + std::to_string(most));
    }
    return static_cast<uint32_t>(value);
}

uint32_t Cursor::number(uint32_t most) {
    const std::string digits = word();
    return number_here(digits, most);
}

float Cursor::real() {
    skip_space();
    begin_ = column();
    char before = 0;
    const std::string digits(take_while([&before](char c) {
        const bool is_part = std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.' ||
                             c == 'e' || (c == '-' && before == 'e');
        before = c;
        return is_part;
    }));
    char* end = nullptr;
    const float value = std::strtof(digits.c_str(), &end);
    if (digits.empty() || *end != 0) {
        fail_word("expected a register, a constant or a number");
    }
    return value;
}

void Cursor::unknown(const std::string& what, const std::string& got,
                     std::vector<std::string> known) const {
    std::string message = "unknown " + what + " \"" + got + "\"";
    throw TextError{0, begin_, message, got, std::move(known)};
}

std::vector<std::string> listed(const Names& names) {
    std::vector<std::string> list;
    for (const char* name : names) {
        if (name != nullptr && *name != 0) {
            list.emplace_back(name);
        }
    }
    return list;
}

// A jump to a label, filled in when all are known.
struct Reference {
    size_t instruction;
    unsigned line, column;
    std::string label;
};

class Line {
  public:
    Line(std::string_view text, unsigned line, size_t instruction,
         std::vector<Reference>& references)
        : in_(text), line_(line), instruction_(instruction), references_(references) {}
    // Leading `name:`, else empty.
    std::string label();
    bool is_empty() { return in_.at_end(); }
    // `.byte` or another word after a point, which is taken.
    bool is_directive(const char* name);
    uint8_t byte();
    TextProgramInfo program_info();
    Words instruction();

  private:
    uint32_t bits(Field field) const { return get(words_, field); }
    void put(Field field, uint32_t value) { set(words_, field, value); }
    uint32_t name(const Names& names, const std::string& what);
    unsigned index(const std::string& word, char kind, uint32_t most);
    void mask(Field field, const char* letters);
    void swizzle(Field first, unsigned channels, unsigned letters);
    void source(Field address);
    void sources(const HalfFields& half);
    void operand(const HalfFields& half, Field select);
    void half(const HalfFields& half);
    void math();
    void texture_register(Field address);
    void texture();
    void flow();
    void words();
    void flags();
    void flag(const std::string& word);
    bool special(const std::string& word);
    void predicate(const HalfFields& half);
    std::vector<std::string> flag_names() const;

    Cursor in_;
    unsigned line_;
    size_t instruction_;
    std::vector<Reference>& references_;
    Words words_{};
    Type type_ = Type::Alu;
};

std::string Line::label() {
    const size_t start = in_.mark();
    std::string word = in_.word();
    if (!word.empty() && in_.take(':')) {
        return word;
    }
    in_.back_to(start);
    return {};
}

bool Line::is_directive(const char* name) {
    const size_t start = in_.mark();
    if (in_.take('.') && in_.word_here() == name) {
        return true;
    }
    in_.back_to(start);
    return false;
}

uint8_t Line::byte() {
    const uint32_t value = in_.number(0xff);
    if (!in_.at_end()) {
        in_.fail("expected the end of the line");
    }
    return static_cast<uint8_t>(value);
}

TextProgramInfo Line::program_info() {
    TextProgramInfo info;
    while (!in_.at_end()) {
        const std::string word = in_.word();
        if (word == "full" || word == "partial") {
            info.full_flow_control = word == "full";
        } else if (word == "cached" || word == "uncached") {
            info.uncached_outputs = word == "uncached";
        } else if (word == "temporaries") {
            in_.expect('=');
            info.temporaries = static_cast<uint8_t>(in_.number(kTemporaries));
        } else {
            in_.unknown("word of .proginfo", word,
                        {"full", "partial", "cached", "uncached", "temporaries"});
        }
    }
    return info;
}

uint32_t Line::name(const Names& names, const std::string& what) {
    const std::string word = in_.word();
    for (uint32_t i = 0; i < names.size(); ++i) {
        if (names[i] != nullptr && word == names[i]) {
            return i;
        }
    }
    in_.unknown(what, word, listed(names));
}

// r12, c3, i5, o1: the number after the letter.
unsigned Line::index(const std::string& word, char kind, uint32_t most) {
    if (word.size() < 2 || word[0] != kind) {
        in_.fail_word(std::string("expected ") + kind + "NUMBER");
    }
    return in_.number_here(word.substr(1), most);
}

// After a point: letters in their order, or `_`.
void Line::mask(Field field, const char* letters) {
    const std::string word = in_.word_here();
    uint32_t value = 0;
    for (const char c : word) {
        const char* at = std::strchr(letters, c);
        if (word == "_") {
            continue;
        }
        if (at == nullptr) {
            in_.fail_word("expected a mask of \"" + std::string(letters) + "\" or \"_\"");
        }
        value |= 1u << (at - letters);
    }
    if (word.empty()) {
        in_.fail("expected a mask");
    }
    put(field, value);
}

void Line::swizzle(Field first, unsigned channels, unsigned letters) {
    const std::string word = in_.word_here();
    const std::string_view all = std::string_view(kSwizzleLetters).substr(0, letters);
    if (word.size() != channels) {
        in_.fail_word("expected " + std::to_string(channels) + " of \"" + std::string(all) + "\"");
    }
    for (unsigned c = 0; c < channels; ++c) {
        const size_t at = all.find(word[c]);
        if (at == std::string_view::npos) {
            in_.fail_word("expected letters of \"" + std::string(all) + "\"");
        }
        put(plus(first, c), static_cast<uint32_t>(at));
    }
}

void Line::source(Field address) {
    const size_t start = in_.mark();
    const std::string word = in_.word();
    const char kind = word.empty() ? '\0' : word[0];
    if (kind != 'r' && kind != 'c') {
        in_.back_to(start);
        const float value = in_.real();
        for (uint32_t i = 0; i < 128; ++i) {
            if (inline_constant(static_cast<uint8_t>(i)) == value) {
                put(address, 0x80 | i);
                return;
            }
        }
        in_.fail_word("the number has no inline constant");
    }
    put(address, index(word, kind, kind == 'r' ? 127 : 255));
    put(plus(address, 1), kind == 'c');
    put(plus(address, 2), in_.take_here("+aL"));
}

// Up to three addresses, then the presubtract.
void Line::sources(const HalfFields& half) {
    in_.expect('(');
    for (unsigned s = 0; !in_.take(')'); ++s) {
        if (s > 0) {
            in_.expect(',');
        }
        const size_t start = in_.mark();
        const std::string word = in_.word();
        in_.back_to(start);
        const bool is_name =
            !word.empty() && std::string("bsai").find(word[0]) != std::string::npos;
        if (s == 3 || is_name) {
            put(half.presubtract, name(kPresubtractNames, "presubtract"));
            in_.expect(')');
            return;
        }
        source(plus(half.address, 3 * s));
    }
}

void Line::operand(const HalfFields& half, Field select) {
    constexpr Names kSelects{"s0", "s1", "s2", "sp"};
    uint32_t modifier = in_.take('-') ? 1 : 0;
    const size_t start = in_.mark();
    const bool absolute = in_.word() == "abs" && in_.take('(');
    if (absolute) {
        modifier |= 2;
    } else {
        in_.back_to(start);
    }
    put(select, name(kSelects, "operand"));
    if (in_.take_here(".")) {
        swizzle(plus(select, 1), half.channels, 7);
    } else {
        for (unsigned c = 0; c < half.channels; ++c) {
            put(plus(select, 1 + c), half.channels == 1 ? 3 : c);
        }
    }
    if (absolute) {
        in_.expect(')');
    }
    put(plus(select, 1 + half.channels), modifier);
}

void Line::half(const HalfFields& half) {
    sources(half);
    put(half.op, name(*half.ops, "operation"));
    for (uint32_t i = 1; i < 8; ++i) {
        if (in_.take_here(kModifierNames[i])) {
            put(half.modifier, i);
        }
    }
    std::string word = in_.word();
    if (word == "sat") {
        put(half.clamp, 1);
        word = in_.word();
    }
    put(half.destination, index(word, 'r', 127));
    put(plus(half.destination, 1), in_.take_here("+aL"));
    if (!in_.take_here(".")) {
        in_.fail("expected '.' and a mask");
    }
    mask(half.write_mask, half.letters);
    for (unsigned i = 0; i < 3 && in_.take(','); ++i) {
        operand(half, half.select[i]);
    }
}

void Line::math() {
    for (const HalfFields& h : kHalves) {
        const size_t start = in_.mark();
        const std::string word = in_.word();
        if (word == h.name && in_.peek('(')) {
            half(h);
            in_.take('|');
        } else {
            in_.back_to(start);
        }
    }
}

void Line::texture_register(Field address) {
    put(address, index(in_.word(), 'r', 127));
    put(plus(address, 1), in_.take_here("+aL"));
}

void Line::texture() {
    put(Field::TexInst, name(kTextureOpNames, "operation"));
    texture_register(Field::TexDstAddr);
    if (!in_.take_here(".")) {
        in_.fail("expected '.' and a mask");
    }
    Words written{};
    std::swap(written, words_);
    mask(Field::StatWe, "rgba");
    std::swap(written, words_);
    put(Field::RgbWmask, get(written, Field::StatWe));
    put(Field::AlphaWmask, get(written, Field::StatWe) >> 3);
    in_.expect(',');
    put(Field::TexId, index(in_.word(), 'i', 15));
    for (unsigned c = 0; c < 4; ++c) {
        put(plus(Field::TexDstRSwiz, c), c);
        put(plus(Field::TexSrcSSwiz, c), c);
    }
    if (in_.take_here(".")) {
        swizzle(Field::TexDstRSwiz, 4, 4);
    }
    in_.expect(',');
    texture_register(Field::TexSrcAddr);
    if (in_.take_here(".")) {
        swizzle(Field::TexSrcSSwiz, 4, 4);
    }
}

void Line::flow() {
    put(Field::FcOp, name(kFlowOpNames, "operation"));
    in_.skip_space();
    const unsigned column = in_.column();
    const std::string target = in_.word();
    if (target.empty()) {
        in_.fail("expected a label or a number to jump to");
    }
    if (std::isdigit(static_cast<unsigned char>(target[0])) != 0) {
        put(Field::FcJumpAddr, in_.number_here(target, kMaxInstructions - 1));
    } else {
        references_.push_back({instruction_, line_, column, target});
    }
}

void Line::words() {
    for (uint32_t& word : words_) {
        word = in_.number(0xffffffff);
    }
}

void Line::predicate(const HalfFields& half) {
    put(half.inverted, in_.take('!'));
    put(half.predicate, name(kPredicateNames, "predicate"));
}

// Words that set several fields. False: it is none.
bool Line::special(const std::string& word) {
    const bool is_math = type_ == Type::Alu || type_ == Type::Out;
    for (const HalfFields& h : kHalves) {
        const bool has_predicate =
            (info(h.predicate).types >> static_cast<unsigned>(type_) & 1) != 0;
        if (has_predicate && word == std::string(h.name) + "_pred") {
            in_.expect('=');
            predicate(h);
            return true;
        }
        if (type_ == Type::Out && word == std::string(h.name) + "_out") {
            in_.expect('=');
            put(h.target, index(in_.word(), 'o', 3));
            if (!in_.take_here(".")) {
                in_.fail("expected '.' and a mask");
            }
            mask(h.output_mask, h.letters);
            return true;
        }
    }
    if (type_ == Type::Alu && word == "predicate") {
        in_.expect('=');
        mask(Field::StatWe, "rgba");
        return true;
    }
    if (is_math && word == "alu_result") {
        in_.expect('=');
        put(Field::AluWmask, 1);
        put(Field::AluResultOp, name(kCompareNames, "comparison"));
        if (in_.take_here(".a")) {
            put(Field::AluResultSel, 1);
        } else if (!in_.take_here(".r")) {
            in_.fail("expected \".r\" or \".a\"");
        }
        return true;
    }
    return false;
}

std::vector<std::string> Line::flag_names() const {
    std::vector<std::string> names;
    for (const Flag& f : kFlags) {
        if (has_flag(type_, f)) {
            names.emplace_back(f.name);
        }
    }
    for (const char* more :
         {"rgb_pred", "alpha_pred", "rgb_out", "alpha_out", "predicate", "alu_result"}) {
        names.emplace_back(more);
    }
    return names;
}

void Line::flag(const std::string& word) {
    for (const Flag& f : kFlags) {
        if (word != f.name || !has_flag(type_, f)) {
            continue;
        }
        if (f.kind == Flag::Kind::Bit) {
            put(f.field, 1);
            return;
        }
        in_.expect('=');
        put(f.field, f.kind == Flag::Kind::Named ? name(*f.names, f.name)
                                                 : in_.number(field_mask(info(f.field))));
        return;
    }
    for (const FieldInfo& f : kFieldTable) {
        if (word == f.name && (f.types >> static_cast<unsigned>(type_) & 1) != 0 &&
            f.field != Field::Type) {
            in_.expect('=');
            put(f.field, in_.number(field_mask(f)));
            return;
        }
    }
    in_.unknown("word", word, flag_names());
}

void Line::flags() {
    while (!in_.at_end()) {
        const std::string word = in_.word();
        if (word.empty()) {
            in_.fail("expected a word");
        }
        if (!special(word)) {
            flag(word);
        }
    }
}

Words Line::instruction() {
    if (in_.take('.')) {
        if (in_.word_here() != "words") {
            in_.fail_word("directives are .words, .byte and .proginfo");
        }
        words();
    } else {
        type_ = static_cast<Type>(name(kTypeNames, "instruction"));
        put(Field::Type, static_cast<uint32_t>(type_));
        if (type_ == Type::Texture) {
            texture();
        } else if (type_ == Type::FlowControl) {
            flow();
        } else {
            math();
        }
        flags();
    }
    if (!in_.at_end()) {
        in_.fail("expected the end of the line");
    }
    return words_;
}

class Assembler {
  public:
    Assembly run(std::string_view text);

  private:
    void line(std::string_view text);
    void resolve();

    Assembly result_;
    unsigned line_ = 0;
    std::map<std::string, uint32_t> labels_;
    std::vector<Reference> references_;
};

void Assembler::line(std::string_view text) {
    Line line(text.substr(0, text.find("//")), line_, result_.program.size(), references_);
    const size_t references = references_.size();
    try {
        for (std::string label = line.label(); !label.empty(); label = line.label()) {
            if (!labels_.emplace(label, result_.program.size()).second) {
                throw TextError{0, 1, "label \"" + label + "\" is there already", {}, {}};
            }
            result_.labels.push_back({label, static_cast<uint32_t>(result_.program.size())});
        }
        if (line.is_directive("byte")) {
            result_.tail.push_back(line.byte());
        } else if (line.is_directive("proginfo")) {
            if (result_.info) {
                throw TextError{0, 1, "a second .proginfo", {}, {}};
            }
            result_.info = line.program_info();
        } else if (!line.is_empty()) {
            if (!result_.tail.empty()) {
                throw TextError{0, 1, "an instruction behind .byte", {}, {}};
            }
            result_.program.push_back(line.instruction());
        }
    } catch (TextError& error) {
        references_.resize(references);
        error.line = line_;
        result_.errors.push_back(error);
    }
}

void Assembler::resolve() {
    for (const Reference& r : references_) {
        const auto at = labels_.find(r.label);
        if (at == labels_.end() || at->second >= kMaxInstructions) {
            std::vector<std::string> known;
            for (const auto& [label, place] : labels_) {
                known.push_back(label);
            }
            result_.errors.push_back({r.line, r.column,
                                      at == labels_.end()
                                          ? "unknown label \"" + r.label + "\""
                                          : "label \"" + r.label + "\" is behind instruction 511",
                                      r.label, known});
        } else {
            set(result_.program[r.instruction], Field::FcJumpAddr, at->second);
        }
    }
}

Assembly Assembler::run(std::string_view text) {
    while (!text.empty()) {
        ++line_;
        const size_t end = text.find('\n');
        line(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    resolve();
    return std::move(result_);
}

}  // namespace

bool is_label(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), is_word);
}

Assembly assemble(std::string_view text) {
    return Assembler().run(text);
}

}  // namespace archipelago::ctm::isa
