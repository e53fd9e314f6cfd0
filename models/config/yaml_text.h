// SPDX-License-Identifier: Apache-2.0
// A YAML text as parse.cpp reads it: clean UTF-8, and the positions in it.
#pragma once

#include <yaml-cpp/mark.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "models/config/diagnostics.h"

namespace archipelago::config {

// Ends the parse: the rest of the input is not worth or not safe to read.
struct Stop {
    Origin origin;
    std::string path;
    std::string message;
};

constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kBlanksAndBreaks = " \t\r\n";

// yaml-cpp counts bytes, as we do.
class YamlText {
  public:
    // Throws Stop unless `text` is clean UTF-8.
    YamlText(std::string_view text, Origin file, bool positions);

    std::string_view all() const { return text_; }
    std::size_t offset(const YAML::Mark& mark) const {
        return mark.pos < 0 ? text_.size()
                            : std::min(static_cast<std::size_t>(mark.pos), text_.size());
    }
    // The rest of the text from there.
    std::string_view from(const YAML::Mark& mark) const { return text_.substr(offset(mark)); }
    // The rest of the line from there.
    std::string_view line_from(const YAML::Mark& mark) const {
        const std::string_view rest = from(mark);
        return rest.substr(0, rest.find_first_of("\r\n"));
    }
    // The byte there, 0 at the end.
    char at(const YAML::Mark& mark) const {
        const std::string_view rest = from(mark);
        return rest.empty() ? '\0' : rest.front();
    }

    Origin origin(const YAML::Mark& mark) const;
    // Whether a directive ("%YAML 1.2") stands before the document that begins there.
    bool has_directive_before(const YAML::Mark& mark) const;
    Origin origin(std::size_t offset) const;

    // Where the content of the node at `offset` begins, after its properties (&anchor, !tag).
    std::size_t content(std::size_t offset) const;

    // The offset after the "-" of a list item without value, the next token of which is at `mark`.
    std::size_t end_of_dash(const YAML::Mark& mark) const;

  private:
    std::string_view text_;
    Origin file_;
    bool positions_;
};

// Whether the quoted text that begins `rest` has its closing quote.
bool is_closed_quote(std::string_view rest);

}  // namespace archipelago::config
