// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/map/points.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "models/config/diagnostics.h"
#include "models/config/scalar.h"
#include "models/ctm/mc/address.h"

namespace archipelago::host {
namespace {

constexpr size_t kBlock = 1u << 18;
constexpr size_t kLongestLine = kBlock / 2;
constexpr size_t kBatch = 4096;  // points
constexpr size_t kMaxErrors = 20;
constexpr size_t kAddressText = 11;  // "0x89abcdef" and what separates it from the next

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "digits are made eight at a time");

// "0x" and the digits of a number without leading zeros; the end of them. Writes up to ten bytes.
char* put_hex(char* to, uint32_t value) {
    uint64_t n = value;  // one digit to a byte, the lowest first
    n = (n | n << 16) & 0x0000ffff0000ffff;
    n = (n | n << 8) & 0x00ff00ff00ff00ff;
    n = (n | n << 4) & 0x0f0f0f0f0f0f0f0f;
    const uint64_t above_nine = (n + 0x0606060606060606) >> 4 & 0x0101010101010101;
    uint64_t text = n + 0x3030303030303030 + above_nine * ('a' - '0' - 10);
    const int digits = value == 0 ? 1 : (35 - __builtin_clz(value)) / 4;
    text = __builtin_bswap64(text) >> 8 * (8 - digits);
    to[0] = '0';
    to[1] = 'x';
    std::memcpy(to + 2, &text, sizeof text);
    return to + 2 + digits;
}

class Mapping {
  public:
    Mapping(int output, PointMapper& mapper)
        : output_(output),
          mapper_(mapper),
          points_(kBatch),
          addresses_(kBatch * mapper.per_point()),
          // put_hex() writes beyond the digits it means.
          text_(addresses_.size() * kAddressText + 16) {}

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
        mapper_.map(points_.data(), count_, addresses_.data());
        const unsigned per_point = mapper_.per_point();
        char* to = text_.data();
        for (size_t i = 0, a = 0; i < count_; ++i) {
            for (unsigned k = 0; k < per_point; ++k) {
                to = put_hex(to, addresses_[a++]);
                *to++ = ' ';
            }
            to[-1] = '\n';
        }
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
    // What nearly every line is: decimal numbers of up to four digits and a comma.
    bool plain(const char* at, const char* end) {
        ctm::Point p;
        const auto number = [&](uint16_t& value) {
            const char* const start = at;
            unsigned v = 0;
            while (at != end && static_cast<unsigned char>(*at - '0') < 10)
                v = v * 10 + static_cast<unsigned>(*at++ - '0');
            const auto digits = at - start;
            value = static_cast<uint16_t>(v);
            return digits >= 1 && digits <= 4 && v <= ctm::kMaxIndex &&
                   (*start != '0' || digits == 1);
        };
        if (!number(p.x) || at == end || *at++ != ',' || !number(p.y) || at != end)
            return false;
        add(p);
        return true;
    }

    void other(std::string_view text) {
        const std::string_view whole = text;
        text = trim(text.substr(0, text.find('#')));
        if (text.empty())
            return;
        const size_t comma = text.find(',');
        if (comma == std::string_view::npos || text.find(',', comma + 1) != std::string_view::npos)
            return error("got " + config::in_quotes(trim(whole)) + ", expected two numbers x,y");
        ctm::Point p;
        if (index("x", trim(text.substr(0, comma)), p.x) &&
            index("y", trim(text.substr(comma + 1)), p.y))
            add(p);
    }

    bool index(const char* name, std::string_view text, uint16_t& value) {
        const config::IntegerText number = config::parse_integer(text);
        const bool is_number = number.status == config::IntegerText::Status::Ok ||
                               number.status == config::IntegerText::Status::Overflow;
        if (number.status == config::IntegerText::Status::Ok && !number.negative &&
            number.magnitude <= ctm::kMaxIndex) {
            value = static_cast<uint16_t>(number.magnitude);
            return true;
        }
        const std::string shown = text.empty() ? "nothing" : config::in_quotes(text);
        error(std::string(name) + " is " +
              (is_number ? config::printable(text) + ", out of range" : shown) +
              ", expected a whole number from 0 to " + std::to_string(ctm::kMaxIndex));
        return false;
    }

    static std::string_view trim(std::string_view text) {
        const size_t first = text.find_first_not_of(" \t");
        if (first == std::string_view::npos)
            return {};
        return text.substr(first, text.find_last_not_of(" \t") - first + 1);
    }

    void add(const ctm::Point& point) {
        if (!errors_.empty())
            return;
        points_[count_++] = point;
        if (count_ == kBatch)
            flush();
    }
    void error(const std::string& message) {
        if (errors_.empty())
            flush();
        errors_.push_back("stdin:" + std::to_string(number_) + ": " + message);
    }

    int output_;
    PointMapper& mapper_;
    std::vector<ctm::Point> points_;
    std::vector<uint32_t> addresses_;
    std::vector<char> text_;
    size_t count_ = 0;
    uint64_t number_ = 0;  // of the line
    std::vector<std::string> errors_;
};

}  // namespace

std::vector<std::string> map_points(int input, int output, PointMapper& mapper) {
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
