// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/map/points.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "models/config/diagnostics.h"
#include "models/config/scalar.h"

namespace archipelago::host {
namespace {

constexpr size_t kBlock = 1u << 18;
constexpr size_t kLongestLine = kBlock / 2;
constexpr size_t kBatch = 4096;  // lines
constexpr size_t kMaxErrors = 20;

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "digits are made eight at a time");

// Eight hexadecimal digits, the first in the lowest byte.
uint64_t digits_of(uint32_t value) {
    uint64_t n = value;  // one digit to a byte, the lowest first
    n = (n | n << 16) & 0x0000ffff0000ffff;
    n = (n | n << 8) & 0x00ff00ff00ff00ff;
    n = (n | n << 4) & 0x0f0f0f0f0f0f0f0f;
    const uint64_t above_nine = (n + 0x0606060606060606) >> 4 & 0x0101010101010101;
    return __builtin_bswap64(n + 0x3030303030303030 + above_nine * ('a' - '0' - 10));
}

// Without leading zeros. Writes eight bytes.
char* put_digits(char* to, uint32_t value) {
    const int digits = value == 0 ? 1 : (35 - __builtin_clz(value)) / 4;
    const uint64_t text = digits_of(value) >> 8 * (8 - digits);
    std::memcpy(to, &text, sizeof text);
    return to + digits;
}

class Mapping {
  public:
    Mapping(int output, LineMapper& mapper)
        : output_(output),
          mapper_(mapper),
          wanted_(mapper.numbers()),
          needed_(mapper.needed()),
          numbers_(kBatch * wanted_.size()),
          // put_hex() writes beyond the digits it means.
          text_(kBatch * mapper.longest() + kHexText) {}

    // A whole line without its end.
    void line(const char* begin, const char* end) {
        ++number_;
        if (end != begin && end[-1] == '\r')
            --end;
        if (!plain(begin, end))
            other({begin, static_cast<size_t>(end - begin)});
    }
    void too_long() {
        ++number_;
        error("the line is longer than " + std::to_string(kLongestLine) + " bytes");
    }

    // Answers what is collected.
    void flush() {
        if (count_ == 0)
            return;
        const char* const to = mapper_.answer(numbers_.data(), count_, text_.data());
        count_ = 0;
        for (const char* from = text_.data(); from != to;) {
            const ssize_t written = write(output_, from, static_cast<size_t>(to - from));
            if (written < 0 && errno == EINTR)
                continue;
            if (written < 0)
                throw std::runtime_error(std::string("standard output: cannot be written: ") +
                                         std::strerror(errno));
            from += written;
        }
    }

    const std::vector<std::string>& errors() const { return errors_; }
    bool full() const { return errors_.size() >= kMaxErrors; }

  private:
    // What nearly every line is: decimal numbers of up to four digits, with commas between.
    bool plain(const char* at, const char* end) {
        uint64_t* const to = next();
        for (size_t i = 0; i < wanted_.size(); ++i) {
            if (at == end && i >= needed_ && i != 0) {
                take(i);
                return true;
            }
            if (i != 0 && *at++ != ',')
                return false;
            const char* const start = at;
            unsigned v = 0;
            while (at != end && static_cast<unsigned char>(*at - '0') < 10)
                v = v * 10 + static_cast<unsigned>(*at++ - '0');
            const auto digits = at - start;
            if (digits < 1 || digits > 4 || v > wanted_[i].largest ||
                (*start == '0' && digits != 1) || (at == end && i + 1 < needed_))
                return false;
            to[i] = v;
        }
        if (at == end)
            take(wanted_.size());
        return at == end;
    }

    void other(std::string_view text) {
        const std::string_view whole = text;
        text = trim(text.substr(0, text.find('#')));
        if (text.empty())
            return;
        std::vector<std::string_view> parts;
        for (size_t comma = 0; comma != std::string_view::npos;) {
            comma = text.find(',');
            parts.push_back(trim(text.substr(0, comma)));
            text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
        }
        if (parts.size() < needed_ || parts.size() > wanted_.size())
            return error("got " + config::in_quotes(trim(whole)) + ", expected " + expected());
        for (size_t i = 0; i < parts.size(); ++i)
            if (!number(wanted_[i], parts[i], next()[i]))
                return;
        take(parts.size());
    }

    // "two numbers x,y", "numbers x,y[,slice]".
    std::string expected() const {
        static const char* const kCounts[] = {"no numbers", "a number", "two numbers",
                                              "three numbers", "four numbers"};
        std::string text = needed_ == wanted_.size() ? kCounts[wanted_.size()] : "numbers";
        for (size_t i = 0; i < wanted_.size(); ++i)
            text += std::string(i == 0        ? " "
                                : i < needed_ ? ","
                                              : "[,") +
                    wanted_[i].name + (i < needed_ ? "" : "]");
        return text;
    }

    bool number(const LineNumber& wanted, std::string_view text, uint64_t& value) {
        const config::IntegerText number = config::parse_integer(text);
        const bool is_number = number.status == config::IntegerText::Status::Ok ||
                               number.status == config::IntegerText::Status::Overflow;
        if (number.status == config::IntegerText::Status::Ok && !number.negative &&
            number.magnitude <= wanted.largest) {
            value = number.magnitude;
            return true;
        }
        const std::string shown = text.empty() ? "nothing" : config::in_quotes(text);
        error(std::string(wanted.name) + " is " +
              (is_number ? config::printable(text) + ", out of range" : shown) +
              ", expected a whole number from 0 to " + std::to_string(wanted.largest));
        return false;
    }

    static std::string_view trim(std::string_view text) {
        const size_t first = text.find_first_not_of(" \t");
        if (first == std::string_view::npos)
            return {};
        return text.substr(first, text.find_last_not_of(" \t") - first + 1);
    }

    // The numbers of the line that is being read.
    uint64_t* next() { return &numbers_[count_ * wanted_.size()]; }
    // The line has so many of them.
    void take(size_t read) {
        for (size_t i = read; i < wanted_.size(); ++i)
            next()[i] = wanted_[i].otherwise;
        if (errors_.empty() && ++count_ == kBatch)
            flush();
    }
    void error(const std::string& message) {
        if (errors_.empty())
            flush();
        errors_.push_back("stdin:" + std::to_string(number_) + ": " + message);
    }

    int output_;
    LineMapper& mapper_;
    const std::vector<LineNumber>& wanted_;
    const size_t needed_;
    std::vector<uint64_t> numbers_;
    std::vector<char> text_;
    size_t count_ = 0;
    uint64_t number_ = 0;  // of the line
    std::vector<std::string> errors_;
};

}  // namespace

char* put_hex(char* to, uint64_t value) {
    to[0] = '0';
    to[1] = 'x';
    to += 2;
    const auto high = static_cast<uint32_t>(value >> 32);
    if (high == 0)
        return put_digits(to, static_cast<uint32_t>(value));
    to = put_digits(to, high);
    const uint64_t low = digits_of(static_cast<uint32_t>(value));
    std::memcpy(to, &low, sizeof low);
    return to + sizeof low;
}

std::vector<std::string> map_lines(int input, int output, LineMapper& mapper) {
    Mapping mapping(output, mapper);
    std::vector<char> buffer(kBlock);
    size_t held = 0;        // bytes of a line that goes on
    bool skipping = false;  // the rest of a line that is too long
    for (;;) {
        const ssize_t got = read(input, buffer.data() + held, buffer.size() - held);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            throw std::runtime_error(std::string("standard input: cannot be read: ") +
                                     std::strerror(errno));
        const char* at = buffer.data();
        const char* const end = at + held + got;
        while (const void* found = std::memchr(at, '\n', static_cast<size_t>(end - at))) {
            const char* const line_end = static_cast<const char*>(found);
            if (!skipping)
                mapping.line(at, line_end);
            skipping = false;
            at = line_end + 1;
            if (mapping.full())
                return mapping.errors();
        }
        held = static_cast<size_t>(end - at);
        if (got == 0) {
            if (held != 0 && !skipping)
                mapping.line(at, end);
            mapping.flush();
            return mapping.errors();
        }
        if (held > kLongestLine) {
            if (!skipping)
                mapping.too_long();
            skipping = true;
        }
        if (skipping)
            held = 0;
        std::memmove(buffer.data(), at, held);
        mapping.flush();
    }
}

}  // namespace archipelago::host
