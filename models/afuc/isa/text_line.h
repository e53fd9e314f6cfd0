// SPDX-License-Identifier: Apache-2.0
// A line of microcode as text: words, numbers, names and operands. Private to models/afuc/isa.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/afuc/isa/instruction.h"
#include "models/afuc/isa/names.h"
#include "models/common/text_scanner.h"

namespace archipelago::afuc {

// An operand as it is written, between commas.
struct Argument {
    enum class Kind : uint8_t { Register, Number, Bit, Label, Place };
    Kind kind = Kind::Number;
    unsigned column = 0;
    uint64_t value = 0;  // a number, a bit's or a register's; of a place: its base
    std::string label;
    std::optional<uint64_t> shift;
    // Of a place, [$register + base]
    uint32_t offset = 0;         // register
    std::optional<Space> space;  // of the name its base had
    bool pre_increment = false;
};

struct Refused {
    unsigned column;
    std::string message, unknown;
    std::vector<std::string> known;
};

// Control registers that .scratch named, with their indices.
using OwnNames = std::map<std::string, uint32_t>;

// A line of text, read from left to right. What does not fit is thrown as Refused.
class Line : private TextScanner {
  public:
    Line(std::string_view text, const Generation& generation, const OwnNames& own)
        : TextScanner(text), generation_(generation), own_(own) {}

    using TextScanner::column;
    // Blanks and a comment.
    void skip();
    bool done() {
        skip();
        return at_end();
    }
    bool take(std::string_view word) {
        skip();
        return accept(word);
    }
    void need(std::string_view word);
    // Letters, digits, _ and .; may be empty.
    std::string_view name();
    // "text" in quotes.
    std::string quoted();
    // Whether the last of the text, before a comment, is a colon.
    bool ends_with_colon() const;
    // A name and the colon after it; nothing is taken if there is none.
    std::string_view label();
    uint64_t number();
    // The number that `word` is; `at`: its column.
    uint64_t digits(std::string_view word, unsigned base, unsigned at) const;
    Argument argument();
    [[noreturn]] void refuse(const std::string& message) const;
    // ", found ...": what is next.
    std::string found() const { return found_at(column()); }

  private:
    struct Places {
        uint32_t first, count;
        uint32_t element = 1;  // places of one of an array
    };

    std::string found_at(unsigned column) const;
    uint32_t register_number();
    Argument bit();
    Argument place();
    uint64_t register_of(Space space);
    uint64_t gpu_register();
    Places places_of(Space space);

    const Generation& generation_;
    const OwnNames& own_;
};

}  // namespace archipelago::afuc
