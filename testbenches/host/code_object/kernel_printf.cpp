// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/kernel_printf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <regex>
#include <string_view>

#include "testbenches/host/code_object/opencl_printf.h"

namespace archipelago::host {
namespace {

// Kinds of elements, numbered from 1 as in opencl_printf.h.
enum class Kind : uint8_t { Char = 1, Uchar, Short, Ushort, Int, Uint, Long, Ulong, Float, Double };
constexpr std::array<uint8_t, 11> kBytes = {0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
constexpr size_t kMaxWidth = 4096;  // characters of a conversion

struct Argument {
    Kind kind = Kind::Int;
    uint32_t lanes = 0;
    const uint8_t* elements = nullptr;

    size_t bytes() const { return kBytes[static_cast<size_t>(kind)]; }
    bool real() const { return kind == Kind::Float || kind == Kind::Double; }

    template <class T>
    T as(uint32_t lane) const {
        T value;
        std::memcpy(&value, elements + lane * bytes(), sizeof value);
        return value;
    }
    double number(uint32_t lane) const {
        return kind == Kind::Float    ? as<float>(lane)
               : kind == Kind::Double ? as<double>(lane)
                                      : static_cast<double>(integer(lane));
    }
    // Extended by its sign, where it has one.
    int64_t integer(uint32_t lane) const {
        switch (kind) {
            case Kind::Char:
                return as<int8_t>(lane);
            case Kind::Uchar:
                return as<uint8_t>(lane);
            case Kind::Short:
                return as<int16_t>(lane);
            case Kind::Ushort:
                return as<uint16_t>(lane);
            case Kind::Int:
                return as<int32_t>(lane);
            case Kind::Uint:
                return as<uint32_t>(lane);
            case Kind::Float:
            case Kind::Double:
                return static_cast<int64_t>(number(lane));
            default:
                return as<int64_t>(lane);
        }
    }
};

// The arguments of a record, in order.
class Arguments {
  public:
    Arguments(const uint32_t* first, const uint32_t* end) : at_(first), end_(end) {}

    // Nothing when there is none left.
    std::optional<Argument> next() {
        if (at_ == end_)
            return std::nullopt;
        Argument out;
        const uint32_t kind = *at_ >> 8;
        out.lanes = *at_ & 0xff;
        if (kind == 0 || kind >= kBytes.size())
            return std::nullopt;
        out.kind = static_cast<Kind>(kind);
        const size_t dwords = 1 + (out.lanes * out.bytes() + 7) / 8 * 2;
        if (dwords > static_cast<size_t>(end_ - at_))
            return std::nullopt;
        out.elements = reinterpret_cast<const uint8_t*>(at_ + 1);
        at_ += dwords;
        return out;
    }

  private:
    const uint32_t* at_;
    const uint32_t* end_;
};

// A conversion of the format: %[flags][width][.precision][vector][length]letter.
struct Conversion {
    std::string style;   // "%-08.3"
    std::string length;  // "hh", "h", "hl", "l"
    char letter = 0;
};

template <class T>
std::string format_as(const std::string& style, T value) {
    const int size = std::snprintf(nullptr, 0, style.c_str(), value);
    std::string text(static_cast<size_t>(std::max(size, 0)) + 1, '\0');
    std::snprintf(text.data(), text.size(), style.c_str(), value);
    text.pop_back();
    return text;
}

// The bits of an integer that the conversion shows: those of its length, else of the argument,
// which as a scalar has 32 at least.
unsigned bits_of(const Conversion& c, const Argument& a) {
    if (c.length == "hh")
        return 8;
    if (c.length == "h")
        return 16;
    return a.bytes() == 8 || c.length == "l" ? 64 : 32;
}

std::string element_text(const Conversion& c, const Argument& a, uint32_t lane,
                         const StringAt& string_at) {
    if (std::string_view("fFeEgGaA").find(c.letter) != std::string_view::npos)
        return format_as(c.style + c.letter, a.number(lane));
    const int64_t value = a.integer(lane);
    const unsigned bits = bits_of(c, a);
    const uint64_t low = static_cast<uint64_t>(value) & (~uint64_t{0} >> (64 - bits));
    switch (c.letter) {
        case 'c':
            return format_as(c.style + 'c', static_cast<int>(value));
        case 's':
            return format_as(
                c.style + 's',
                string_at(static_cast<uint64_t>(value)).value_or("(no string)").c_str());
        case 'p':
            return format_as(c.style + "#llx", static_cast<unsigned long long>(value));
        case 'd':
        case 'i':
            return format_as(c.style + "lld",
                             static_cast<long long>(low << (64 - bits)) >> (64 - bits));
        default:
            return format_as(c.style + "ll" + c.letter, static_cast<unsigned long long>(low));
    }
}

std::string conversion_text(const Conversion& c, Arguments& arguments, const StringAt& string_at) {
    const std::optional<Argument> a = arguments.next();
    if (!a)
        return "(no argument)";
    std::string text;
    for (uint32_t lane = 0; lane < a->lanes; ++lane)
        text += (lane == 0 ? "" : ",") + element_text(c, *a, lane, string_at);
    return text;
}

std::string record_text(const std::string& format, Arguments arguments, const StringAt& string_at) {
    static const std::regex conversion(
        R"(%(?:(%)|([-+ #0]*)([0-9]{0,4})(\.[0-9]{0,4})?(?:v(?:2|3|4|8|16))?(hh|hl|h|l|)([diouxXfFeEgGaAcsp])))");
    std::string text;
    auto rest = format.begin();
    for (std::sregex_iterator at(format.begin(), format.end(), conversion), end; at != end; ++at) {
        const std::smatch& m = *at;
        text.append(rest, m[0].first);
        rest = m[0].second;
        if (m[1].matched) {
            text += '%';
            continue;
        }
        const std::string width = m[3].str();
        if (!width.empty() && std::stoul(width) > kMaxWidth)
            continue;
        text += conversion_text({"%" + m[2].str() + width + m[4].str(), m[5].str(), *m[6].first},
                                arguments, string_at);
    }
    return text.append(rest, format.end());
}

}  // namespace

bool image_prints(const std::vector<uint8_t>& image) {
    const std::string_view marker = kPrintfMarker;
    return std::search(image.begin(), image.end(), marker.begin(), marker.end()) != image.end();
}

// Its names: the ABI's, and what clang calls it here (opencl_printf.h).
bool takes_printf_buffer(const KernelMetadata& kernel) {
    return std::any_of(kernel.args.begin(), kernel.args.end(), [](const KernelArg& arg) {
        return arg.value_kind == "hidden_printf_buffer" ||
               arg.value_kind == "hidden_hostcall_buffer";
    });
}

std::string printed_text(const std::vector<uint32_t>& buffer, uint32_t& first,
                         const StringAt& string_at) {
    constexpr uint32_t kRecordDwords = 3;  // before the arguments
    const uint32_t end = std::min<uint32_t>(buffer[0], static_cast<uint32_t>(buffer.size()));
    std::string text;
    while (first + kRecordDwords <= end && buffer[first] >= kRecordDwords &&
           buffer[first] <= end - first) {
        const uint32_t* const record = buffer.data() + first;
        const uint64_t address = record[1] | uint64_t{record[2]} << 32;
        const std::string format = string_at(address).value_or("");
        const size_t marker = std::strlen(kPrintfMarker);
        text += record_text(format.size() < marker ? "(no format)\n" : format.substr(marker),
                            {record + kRecordDwords, record + record[0]}, string_at);
        first += record[0];
    }
    if (buffer[0] > buffer.size() && first != ~uint32_t{0}) {
        text += fmt::format("(the buffer of printf is full: {} of {} bytes are lost)\n",
                            4 * (uint64_t{buffer[0]} - first), 4 * uint64_t{buffer[0]});
        first = ~uint32_t{0};
    }
    return text;
}

}  // namespace archipelago::host
