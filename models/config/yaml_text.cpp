// SPDX-License-Identifier: Apache-2.0
#include "models/config/yaml_text.h"

#include <algorithm>
#include <utility>

namespace archipelago::config {
namespace {

// Line and column (from 1) of a byte offset.
Origin locate(std::string_view text, std::size_t offset, const Origin& file) {
    Origin origin = file;
    origin.line = 1;
    origin.column = 1;
    for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
        if (text[i] == '\n') {
            ++origin.line;
            origin.column = 1;
        } else {
            ++origin.column;
        }
    }
    return origin;
}

std::string hex_byte(unsigned char byte) {
    constexpr char kHex[] = "0123456789abcdef";
    return std::string("0x") + kHex[byte >> 4] + kHex[byte & 15];
}

// Length of the UTF-8 sequence at `offset`, 0 when it is malformed, overlong, a surrogate or
// beyond U+10FFFF.
std::size_t utf8_length(std::string_view text, std::size_t offset) {
    const auto byte = [&](std::size_t i) {
        return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0U;
    };
    const unsigned lead = byte(0);
    const auto tail = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
        return byte(i) >= low && byte(i) <= high;
    };
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        return tail(1) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = lead == 0xED ? 0x9F : 0xBF;
        return tail(1, low, high) && tail(2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
        const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
        return tail(1, low, high) && tail(2) && tail(3) ? 4 : 0;
    }
    return 0;
}

// What is wrong with the character of `length` bytes at `offset`; empty when nothing is. Control
// characters, noncharacters, and the line breaks of YAML 1.1 that 1.2 does not know are refused.
std::string fault_of_character(std::string_view text, std::size_t offset, std::size_t length) {
    const auto byte = static_cast<unsigned char>(text[offset]);
    const std::string_view character = text.substr(offset, length);
    if (byte == '\r') {
        return text.substr(offset, 2) == "\r\n"
                   ? ""
                   : "carriage return without line feed, expected LF or CR LF line ends";
    }
    if ((byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7F) {
        return "control character " + hex_byte(byte) + ", expected UTF-8 text";
    }
    if (length == 0) {
        return "byte " + hex_byte(byte) + " is not valid UTF-8, expected UTF-8 text";
    }
    if (byte == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0) {
        return "control character " + hex_byte(static_cast<unsigned char>(character[1])) +
               ", expected UTF-8 text";
    }
    if (character == "\u2028" || character == "\u2029") {
        return "Unicode line separator, expected LF or CR LF line ends";
    }
    if (character == "\uFFFE" || character == "\uFFFF") {
        return "Unicode noncharacter, expected UTF-8 text";
    }
    return "";
}

// Refuses a text that is not clean UTF-8. yaml-cpp takes byte 4 for the end of the input and passes
// malformed UTF-8 on.
void check_characters(std::string_view text, const Origin& file) {
    for (std::size_t i = 0; i < text.size();) {
        if (const char c = text[i]; (c >= ' ' && c <= '~') || c == '\n') {
            ++i;
            continue;
        }
        const std::size_t length = utf8_length(text, i);
        if (std::string fault = fault_of_character(text, i, length); !fault.empty()) {
            throw Stop{locate(text, i, file), "", std::move(fault)};
        }
        i += length;
    }
}

}  // namespace

YamlText::YamlText(std::string_view text, Origin file, bool positions)
    : text_(text), file_(std::move(file)), positions_(positions) {
    check_characters(text_, file_);
}

bool YamlText::has_directive_before(const YAML::Mark& mark) const {
    const std::string_view before = text_.substr(0, offset(mark));
    return before.substr(0, 1) == "%" || before.find("\n%") != std::string_view::npos;
}

Origin YamlText::origin(const YAML::Mark& mark) const {
    Origin origin = file_;
    if (positions_) {
        const bool at_end = offset(mark) == text_.size();
        // At the end of the text stands the start of the line after its last.
        const bool in_line = at_end && !text_.empty() && text_.back() != '\n';
        origin.line = static_cast<unsigned>(mark.line) + (in_line ? 2 : 1);
        origin.column = at_end ? 1 : static_cast<unsigned>(mark.column) + 1;
    }
    return origin;
}

Origin YamlText::origin(std::size_t offset) const {
    return positions_ ? locate(text_, offset, file_) : file_;
}

std::size_t YamlText::content(std::size_t offset) const {
    while (offset < text_.size()) {
        const char c = text_[offset];
        if (c == '&' || c == '!') {
            offset = text_.find_first_of(kBlanksAndBreaks, offset);
        } else if (c == '#') {
            offset = text_.find('\n', offset);
        } else if (kBlanksAndBreaks.find(c) != std::string_view::npos) {
            offset = text_.find_first_not_of(kBlanksAndBreaks, offset);
        } else {
            return offset;
        }
    }
    return text_.size();
}

std::size_t YamlText::end_of_dash(const YAML::Mark& mark) const {
    std::string_view lines = text_.substr(0, offset(mark));
    while (!lines.empty()) {
        const std::size_t begin = lines.find_last_of('\n') + 1;  // 0 in the first line
        std::string_view line = lines.substr(begin);
        const std::size_t comment =
            line.substr(0, 1) == "#" ? 0 : std::min(line.find(" #"), line.find("\t#"));
        line = line.substr(0, comment);
        const std::size_t last = line.find_last_not_of(kBlanksAndBreaks);
        if (last != std::string_view::npos) {
            return begin + last + 1;
        }
        lines = lines.substr(0, begin == 0 ? 0 : begin - 1);
    }
    return offset(mark);
}

bool is_closed_quote(std::string_view rest) {
    const char quote = rest.front();
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (quote == '"' && rest[i] == '\\') {
            ++i;
        } else if (rest[i] == quote) {
            if (quote == '"' || i + 1 == rest.size() || rest[i + 1] != '\'') {
                return true;
            }
            ++i;
        }
    }
    return false;
}

}  // namespace archipelago::config
