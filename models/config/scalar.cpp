// SPDX-License-Identifier: Apache-2.0
#include "models/config/scalar.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace archipelago::config {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool all_of(std::string_view text, bool (*accept)(char)) {
    return !text.empty() && std::all_of(text.begin(), text.end(), accept);
}

bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::string_view without_sign(std::string_view text) {
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        text.remove_prefix(1);
    }
    return text;
}

bool starts_with(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

// digits[.digits][(e|E)[sign]digits] or .digits…, without a sign.
bool is_decimal_real(std::string_view text) {
    std::size_t i = 0;
    std::size_t digits = 0;
    const auto run = [&] {
        const std::size_t from = i;
        while (i < text.size() && is_digit(text[i])) {
            ++i;
        }
        return i - from;
    };
    digits = run();
    if (i < text.size() && text[i] == '.') {
        ++i;
        digits += run();
    }
    if (digits == 0) {
        return false;
    }
    if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
        ++i;
        if (i < text.size() && (text[i] == '-' || text[i] == '+')) {
            ++i;
        }
        if (run() == 0) {
            return false;
        }
    }
    return i == text.size();
}

bool is_infinity(std::string_view unsigned_text) {
    return unsigned_text == ".inf" || unsigned_text == ".Inf" || unsigned_text == ".INF";
}

bool is_nan(std::string_view text) {
    return text == ".nan" || text == ".NaN" || text == ".NAN";
}

template <class T>
RealStatus parse_real_as(std::string_view text, T& value) {
    const std::string_view body = without_sign(text);
    const bool negative = !text.empty() && text.front() == '-';
    if (is_nan(text)) {
        value = std::numeric_limits<T>::quiet_NaN();
        return RealStatus::Ok;
    }
    if (is_infinity(body)) {
        value = std::numeric_limits<T>::infinity();
    } else {
        if (!is_decimal_real(body)) {
            return RealStatus::NotANumber;
        }
        const auto result = std::from_chars(body.data(), body.data() + body.size(), value);
        if (result.ec == std::errc::result_out_of_range) {
            return RealStatus::OutOfRange;
        }
        if (result.ec != std::errc() || result.ptr != body.data() + body.size()) {
            return RealStatus::NotANumber;
        }
    }
    value = negative ? -value : value;
    return RealStatus::Ok;
}

template <class T>
std::string real_text(T value) {
    if (std::isnan(value)) {
        return ".nan";
    }
    if (std::isinf(value)) {
        return value < 0 ? "-.inf" : ".inf";
    }
    char buffer[64];
    const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
    return std::string(buffer, result.ptr);
}

struct UnitName {
    const char* name;
    std::uint64_t scale;  // in base units
};

struct UnitTable {
    const char* what;
    std::vector<UnitName> names;  // ascending
};

const UnitTable& table_of(Unit unit) {
    static const UnitTable frequency{
        "a frequency", {{"Hz", 1}, {"kHz", 1'000}, {"MHz", 1'000'000}, {"GHz", 1'000'000'000}}};
    static const UnitTable size{"a size",
                                {{"B", 1},
                                 {"KiB", 1ULL << 10},
                                 {"MiB", 1ULL << 20},
                                 {"GiB", 1ULL << 30},
                                 {"TiB", 1ULL << 40}}};
    static const UnitTable time{"a time",
                                {{"fs", 1},
                                 {"ps", 1'000},
                                 {"ns", 1'000'000},
                                 {"us", 1'000'000'000},
                                 {"ms", 1'000'000'000'000},
                                 {"s", 1'000'000'000'000'000}}};
    switch (unit) {
        case Unit::Hertz:
            return frequency;
        case Unit::Byte:
            return size;
        case Unit::Femtosecond:
            break;
    }
    return time;
}

}  // namespace

ScalarType classify(std::string_view plain) {
    if (plain == "true" || plain == "false" || plain == "True" || plain == "False" ||
        plain == "TRUE" || plain == "FALSE") {
        return ScalarType::Boolean;
    }
    switch (parse_integer(plain).status) {
        case IntegerText::Status::Ok:
        case IntegerText::Status::LeadingZero:
        case IntegerText::Status::Octal:
        case IntegerText::Status::Binary:
        case IntegerText::Status::Separator:
        case IntegerText::Status::SignedHex:
        case IntegerText::Status::Overflow:
            return ScalarType::Integer;
        case IntegerText::Status::Real:
            return ScalarType::Float;
        case IntegerText::Status::NotAnInteger:
            break;
    }
    return ScalarType::Text;
}

IntegerText parse_integer(std::string_view text) {
    using Status = IntegerText::Status;
    IntegerText out;
    const bool negative = !text.empty() && text.front() == '-';
    const std::string_view body = without_sign(text);
    const bool has_sign = body.size() != text.size();
    std::string_view digits = body;
    int base = 10;
    if (starts_with(body, "0x") && all_of(body.substr(2), is_hex_digit)) {
        if (has_sign) {
            out.status = Status::SignedHex;
            return out;
        }
        digits = body.substr(2);
        base = 16;
    } else if (starts_with(body, "0o") && all_of(body.substr(2), is_digit)) {
        out.status = Status::Octal;
        return out;
    } else if (starts_with(body, "0b") && all_of(body.substr(2), is_digit)) {
        out.status = Status::Binary;
        return out;
    } else if (!all_of(body, is_digit)) {
        const auto digit_or_separator = [](char c) { return is_digit(c) || c == '_'; };
        if (!body.empty() && is_digit(body.front()) && all_of(body, digit_or_separator)) {
            out.status = Status::Separator;
        } else if (is_decimal_real(body) || is_infinity(body) || is_nan(text)) {
            out.status = Status::Real;
        }
        return out;
    } else if (body.size() > 1 && body.front() == '0') {
        out.status = Status::LeadingZero;
        return out;
    }
    const auto result =
        std::from_chars(digits.data(), digits.data() + digits.size(), out.magnitude, base);
    if (result.ec != std::errc()) {
        out.status = Status::Overflow;
        out.magnitude = 0;
        return out;
    }
    out.status = Status::Ok;
    out.negative = negative && out.magnitude != 0;
    return out;
}

std::string integer_to_string(bool negative, std::uint64_t magnitude) {
    return (negative && magnitude != 0 ? "-" : "") + std::to_string(magnitude);
}

RealStatus parse_real(std::string_view text, float& value) {
    return parse_real_as(text, value);
}
RealStatus parse_real(std::string_view text, double& value) {
    return parse_real_as(text, value);
}
std::string real_to_string(float value) {
    return real_text(value);
}
std::string real_to_string(double value) {
    return real_text(value);
}

std::vector<std::string> unit_names(Unit unit) {
    std::vector<std::string> out;
    for (const UnitName& name : table_of(unit).names) {
        out.emplace_back(name.name);
    }
    return out;
}

std::string describe(Unit unit) {
    std::string out = table_of(unit).what;
    const char* separator = " in ";
    for (const UnitName& name : table_of(unit).names) {
        out += separator;
        out += name.name;
        separator = ", ";
    }
    return out;
}

// value = digits * scale / 10^fraction digits, exactly. `fraction` does not end in 0. 0 but for Ok.
QuantityText::Status scaled(std::string_view whole, std::string_view fraction, std::uint64_t scale,
                            std::uint64_t& value) {
    using Status = QuantityText::Status;
    value = 0;
    std::uint64_t digits = 0;
    for (const char c : std::string(whole) + std::string(fraction)) {
        if (__builtin_mul_overflow(digits, 10U, &digits) ||
            __builtin_add_overflow(digits, static_cast<unsigned>(c - '0'), &digits)) {
            // Too many fraction digits cannot be a whole number of base units; too many digits
            // before the point cannot be stored.
            return fraction.size() > 15 ? Status::NotWhole : Status::Overflow;
        }
    }
    std::uint64_t divisor = 1;
    for (std::size_t i = 0; i < fraction.size(); ++i) {
        if (divisor > std::numeric_limits<std::uint64_t>::max() / 10) {
            return Status::NotWhole;  // the divisor already exceeds any digits
        }
        if (scale % 10 == 0) {
            scale /= 10;
        } else if (scale % 2 == 0) {
            scale /= 2;
            divisor *= 5;
        } else if (scale % 5 == 0) {
            scale /= 5;
            divisor *= 2;
        } else {
            divisor *= 10;
        }
    }
    if (digits % divisor != 0) {
        return Status::NotWhole;
    }
    if (__builtin_mul_overflow(digits / divisor, scale, &value)) {
        value = 0;
        return Status::Overflow;
    }
    return Status::Ok;
}

QuantityText parse_quantity(std::string_view text, Unit unit) {
    using Status = QuantityText::Status;
    QuantityText out;
    std::size_t end = 0;
    if (end < text.size() && (text[end] == '-' || text[end] == '+')) {
        ++end;
    }
    const std::size_t number_start = end;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) {
        ++end;
    }
    const std::string_view number = text.substr(number_start, end - number_start);
    if (parse_integer(text).status != IntegerText::Status::NotAnInteger) {
        out.status = Status::BareNumber;
        return out;
    }
    const std::size_t dot = number.find('.');
    const std::string_view whole = number.substr(0, dot);
    std::string_view fraction = dot == std::string_view::npos ? "" : number.substr(dot + 1);
    const bool well_formed = all_of(whole, is_digit) &&
                             (whole.size() == 1 || whole.front() != '0') &&
                             (dot == std::string_view::npos || all_of(fraction, is_digit));
    if (!well_formed) {
        return out;
    }
    std::string_view name = text.substr(end);
    if (!name.empty() && name.front() == ' ') {
        name.remove_prefix(1);
    }
    const std::vector<UnitName>& names = table_of(unit).names;
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const UnitName& n) { return name == n.name; });
    if (found == names.end()) {
        out.unit = std::string(name);
        out.status = Status::UnknownUnit;
        return out;
    }
    if (text.front() == '-') {
        out.status = Status::Negative;
        return out;
    }
    while (!fraction.empty() && fraction.back() == '0') {
        fraction.remove_suffix(1);
    }
    out.status = scaled(whole, fraction, found->scale, out.value);
    return out;
}

std::string quantity_to_string(std::uint64_t value, Unit unit) {
    const std::vector<UnitName>& names = table_of(unit).names;
    const UnitName* best = &names.front();
    for (const UnitName& name : names) {
        if (value != 0 && value % name.scale == 0) {
            best = &name;
        }
    }
    return std::to_string(value / best->scale) + ' ' + best->name;
}

}  // namespace archipelago::config
