// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/isa/text_line.h"

#include <algorithm>
#include <cctype>

#include "models/afuc/isa/text_names.h"
#include "models/common/text.h"

namespace archipelago::afuc {
namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

}  // namespace

// ---- words and numbers -------------------------------------------------------------------------

void Line::skip() {
    take_while([](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
    if (peek() == ';')
        take_all();
}

void Line::need(std::string_view word) {
    if (!take(word))
        refuse("expected \"" + std::string(word) + "\"" + found());
}

std::string_view Line::name() {
    skip();
    return take_while(is_name);
}

std::string Line::quoted() {
    need("\"");
    const size_t end = rest().find('"');
    if (end == std::string_view::npos)
        refuse("expected a closing quote");
    std::string inside(TextScanner::take(end));
    TextScanner::take(1);
    return inside;
}

bool Line::ends_with_colon() const {
    std::string_view before = rest();
    before = before.substr(0, before.find(';'));
    const size_t last = before.find_last_not_of(" \t\r");
    return last != std::string_view::npos && before[last] == ':';
}

std::string_view Line::label() {
    skip();
    const size_t begin = mark();
    const std::string_view word = name();
    if (!word.empty() && accept(":"))
        return word;
    back_to(begin);
    return {};
}

uint64_t Line::number() {
    const unsigned at = (skip(), column());
    const std::string_view word = name();
    const bool hexadecimal = word.substr(0, 2) == "0x" || word.substr(0, 2) == "0X";
    return digits(hexadecimal ? word.substr(2) : word, hexadecimal ? 16 : 10, at);
}

uint64_t Line::digits(std::string_view word, unsigned base, unsigned at) const {
    uint64_t value = 0;
    bool fine = !word.empty() && word.size() <= 16;
    for (const char c : word) {
        const auto digit = static_cast<unsigned>(
            std::string_view("0123456789abcdef")
                .find(static_cast<char>(std::tolower(static_cast<unsigned char>(c)))));
        fine = fine && digit < base;
        value = value * base + digit;
    }
    if (!fine)
        throw Refused{at, "expected a number" + found_at(at), "", {}};
    return value;
}

void Line::refuse(const std::string& message) const {
    throw Refused{column(), message, "", {}};
}

std::string Line::found_at(unsigned column) const {
    std::string_view next = text().substr(std::min<size_t>(column - 1, text().size()), 24);
    next = next.substr(0, next.find_first_of(" ,;"));
    return next.empty() ? ", found the end of the line" : ", found \"" + std::string(next) + "\"";
}

// ---- operands ----------------------------------------------------------------------------------

uint32_t Line::register_number() {
    const unsigned at = (skip(), column());
    need("$");
    const std::string word(name());
    for (const auto* table : {&kSourceNames, &kDestinationNames})
        for (uint32_t i = 0; i < kRegisters; ++i)
            if ((*table)[i] != nullptr && word == (*table)[i])
                return i;
    if (word.size() != 2 || word.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos ||
        std::stoul(word, nullptr, 16) >= kRegisters)
        throw Refused{at, "no register $" + word + ", expected $00 to $1f or a name", word,
                      register_words()};
    return static_cast<uint32_t>(std::stoul(word, nullptr, 16));
}

// What a name alone stands for. A name of the program's own has as many places as it likes.
Line::Places Line::places_of(Space space) {
    const unsigned at = (skip(), column());
    const std::string word(name());
    const auto own = own_.find(word);
    if (space == Space::Control && own != own_.end())
        return {own->second, UINT32_MAX};
    if (const RegisterName* found = find_register(generation_.names, space, word))
        return {found->first, found->count, std::max(found->array, 1u)};
    std::vector<std::string> known = register_names(generation_.names, space);
    if (space == Space::Control)
        for (const auto& [name, place] : own_)
            known.push_back(name);
    throw Refused{at, "no register " + word + " of " + generation_.name, word, known};
}

// NAME, NAME+n, NAME[n] or NAME[n]+m.
uint64_t Line::register_of(Space space) {
    const unsigned at = (skip(), column());
    const auto [first, count, element] = places_of(space);
    uint64_t offset = 0;
    if (take("[")) {
        offset = number();
        need("]");
        if (offset >= count / element)
            throw Refused{
                at,
                "no element " + hex(offset) + ", expected 0x0 to " + hex(count / element - 1),
                {},
                {}};
        offset *= element;
    }
    if (take("+"))
        offset += number();
    return first + offset;
}

// As an operand; a word that no register has may be a label without its "#".
uint64_t Line::gpu_register() {
    const size_t begin = mark();
    try {
        return register_of(Space::Gpu);
    } catch (Refused& r) {
        back_to(begin);
        if (!r.unknown.empty())
            r.message += "; a label is written #" + std::string(name());
        throw;
    }
}

// [$register + base], "!" after it.
Argument Line::place() {
    Argument a;
    a.kind = Argument::Kind::Place;
    a.column = column();
    need("[");
    a.offset = register_number();
    need("+");
    if (take("@"))
        a.space = Space::Control;
    else if (take("%"))
        a.space = Space::Sqe;
    a.value = a.space ? register_of(*a.space) : number();
    need("]");
    a.pre_increment = take("!");
    return a;
}

// b0 to b31.
Argument Line::bit() {
    Argument a;
    a.kind = Argument::Kind::Bit;
    a.column = column();
    TextScanner::take(1);
    const std::string_view number = name();
    a.value = digits(number, 10, a.column);
    if (a.value > 31)
        throw Refused{a.column, "no bit b" + std::string(number) + ", expected b0 to b31", "", {}};
    return a;
}

Argument Line::argument() {
    skip();
    const char first = peek();
    if (first == '[')
        return place();
    if (first == 'b' && is_digit(peek(1)))
        return bit();
    Argument a;
    a.column = column();
    if (first == '$') {
        a.kind = Argument::Kind::Register;
        a.value = register_number();
        return a;
    }
    if (accept("#")) {
        a.kind = Argument::Kind::Label;
        a.label = name();
        if (a.label.empty())
            refuse("expected a label" + found());
    } else if (is_digit(first)) {
        a.value = number();
    } else if (is_name(first)) {
        a.value = gpu_register();
    } else if (first == '-') {
        refuse("numbers have no sign: write the bits, e.g. 0xffff, or use sub or not");
    } else {
        refuse("expected an operand" + found());
    }
    if (take("<<"))
        a.shift = number();
    return a;
}

}  // namespace archipelago::afuc
