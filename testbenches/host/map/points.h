// SPDX-License-Identifier: Apache-2.0
// Lines of numbers to lines of answers, for `archipelago map`: streaming, some ten million a
// second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace archipelago::host {

// A number of a line.
struct LineNumber {
    const char* name;
    uint64_t largest;
    uint64_t otherwise = 0;  // when it is left out
};

// Where the answers come from.
class LineMapper {
  public:
    virtual ~LineMapper() = default;
    // The numbers of a line, in their order.
    virtual const std::vector<LineNumber>& numbers() const = 0;
    // Those from this one on may be left out.
    virtual size_t needed() const { return numbers().size(); }
    // Bytes of the longest answer, its line end included.
    virtual size_t longest() const = 0;
    // Answers `lines` lines, whose numbers stand in sequence; returns the end of the text.
    virtual char* answer(const uint64_t* numbers, size_t lines, char* text) = 0;
};

// "0x" and the digits of a number in lower case, without leading zeros; the end of them. Writes up
// to kHexText bytes, regardless of the number.
constexpr size_t kHexText = 18;
char* put_hex(char* to, uint64_t value);

// Reads lines from one file descriptor and writes one line of text per line to the other; what a
// read gives is answered before the next, so that a program may talk to this one through pipes.
// Blank lines and comments (#) give no line; CRLF, blanks around numbers and hexadecimal numbers
// are taken. At the first bad line answers end, and the bad lines of the rest are collected, a few
// of them: the result, "stdin:LINE: reason" each. Throws std::runtime_error when reading or writing
// fails.
std::vector<std::string> map_lines(int input, int output, LineMapper& mapper);

}  // namespace archipelago::host
