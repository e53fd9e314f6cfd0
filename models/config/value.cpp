// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "models/config/expectation.h"
#include "models/config/reader.h"
#include "models/config/suggest.h"

namespace archipelago::config {
namespace {

std::string hint_for(IntegerText::Status status, std::string_view text) {
    using Status = IntegerText::Status;
    switch (status) {
        case Status::LeadingZero: {
            std::string sign = !text.empty() && text.front() == '-' ? "-" : "";
            const std::size_t first = text.find_first_of("123456789");
            return " (a leading zero could mean octal; did you mean " +
                   (first == std::string_view::npos ? std::string("0")
                                                    : sign + printable(text.substr(first))) +
                   "?)";
        }
        case Status::Octal:
            return " (octal is not supported: write it in decimal or 0x hexadecimal)";
        case Status::Binary:
            return " (binary is not supported: write it in decimal or 0x hexadecimal)";
        case Status::SignedHex:
            return " (hexadecimal takes no sign: write it in decimal)";
        case Status::Separator:
            return " (digits are not separated by \"_\")";
        case Status::Ok:
        case Status::NotAnInteger:
        case Status::Real:
        case Status::Overflow:
            break;
    }
    return std::string();
}

bool is_quoted(const Node& node) {
    return node.is_scalar() && node.style() == Node::Style::Quoted;
}

template <class I>
bool less(const I& a, const I& b) {
    if (a.negative != b.negative) {
        return a.negative;
    }
    return a.negative ? a.magnitude > b.magnitude : a.magnitude < b.magnitude;
}

std::string count_expectation(const Count& count) {
    const auto items = [](std::size_t n) {
        return std::to_string(n) + (n == 1 ? " item" : " items");
    };
    if (count.min == count.max) {
        return "a list of " + items(count.min);
    }
    if (count.max == Count().max) {
        return "a list of at least " + items(count.min);
    }
    return "a list of " + std::to_string(count.min) + " to " + items(count.max);
}

}  // namespace

std::string describe(const Node& node) {
    switch (node.kind()) {
        case Node::Kind::Null:
            return "nothing";
        case Node::Kind::Sequence:
            return "a list";
        case Node::Kind::Map:
            return "a map";
        case Node::Kind::Scalar:
            break;
    }
    if (is_quoted(node) || classify(node.text()) == ScalarType::Text) {
        return "text " + in_quotes(node.text());
    }
    return printable(node.text());
}

void Value::error(std::string message) const {
    context_.diag->error(node_.origin(), path_, std::move(message));
}

void Value::add_file(std::string path) const {
    context_.diag->add_file(std::move(path));
}

void Value::mismatch(const std::string& expected, const std::string& hint) const {
    error("got " + describe(node_) + ", expected " + expected + hint);
}

Value Value::unrecorded() const {
    return Value(node_, path_, {context_.diag, nullptr, context_.clock_hz});
}

void Value::record(std::string expected, std::string value, std::string_view doc) const {
    if (context_.records != nullptr) {
        context_.records->fields.add({path_, std::move(expected), std::move(value), node_.origin(),
                                      false, std::string(doc)});
    }
}

void Value::record_list(std::size_t size, std::string_view doc) const {
    if (!node_.is_sequence()) {
        return;
    }
    constexpr std::size_t kShown = 8;
    std::string value = "[";
    for (std::size_t i = 0; i < std::min(size, kShown); ++i) {
        value += (i == 0 ? "" : ", ") + printable(node_.items()[i].text());
    }
    value += size > kShown ? ", … (" + std::to_string(size) + " items)]" : "]";
    record("a list", std::move(value), doc);
}

std::optional<Value::Integer> Value::read_integer(Integer min, Integer max,
                                                  std::string_view doc) const {
    // Not before it is needed: lists have up to a million of these.
    const auto expected = [&] {
        return "an integer in " + integer_to_string(min.negative, min.magnitude) + ".." +
               integer_to_string(max.negative, max.magnitude);
    };
    if (!node_.is_scalar()) {
        mismatch(expected());
        return std::nullopt;
    }
    const IntegerText parsed = parse_integer(node_.text());
    if (is_quoted(node_)) {
        mismatch(expected(),
                 parsed.status == IntegerText::Status::Ok ? " (write it without quotes)" : "");
        return std::nullopt;
    }
    if (parsed.status == IntegerText::Status::Overflow) {
        error(printable(node_.text()) + " is out of range, expected " + expected());
        return std::nullopt;
    }
    if (parsed.status != IntegerText::Status::Ok) {
        mismatch(expected(), hint_for(parsed.status, node_.text()));
        return std::nullopt;
    }
    const Integer value{parsed.negative, parsed.magnitude};
    if (less(value, min) || less(max, value)) {
        error(node_.text() + " is out of range, expected " + expected());
        return std::nullopt;
    }
    if (context_.records != nullptr) {
        record(expected(), node_.text(), doc);
    }
    return value;
}

template <class T>
std::optional<T> Value::read_real_as(const Bounds<T>& bounds, std::string_view doc) const {
    const auto expected = [&]() -> std::string {
        return bounds.given
                   ? "a number in " + real_to_string(bounds.min) + ".." + real_to_string(bounds.max)
                   : "a number";
    };
    if (!node_.is_scalar()) {
        mismatch(expected());
        return std::nullopt;
    }
    T value{};
    const RealStatus status = parse_real(node_.text(), value);
    if (is_quoted(node_)) {
        mismatch(expected(), status == RealStatus::Ok ? " (write it without quotes)" : "");
        return std::nullopt;
    }
    const IntegerText integer = parse_integer(node_.text());
    if (status == RealStatus::NotANumber || integer.status == IntegerText::Status::LeadingZero) {
        mismatch(expected(), hint_for(integer.status, node_.text()));
        return std::nullopt;
    }
    // Infinities and NaN are numbers where no range is given.
    if (status == RealStatus::OutOfRange ||
        (bounds.given && !(value >= bounds.min && value <= bounds.max))) {
        error(printable(node_.text()) + " is out of range, expected " + expected() +
              (bounds.given               ? ""
               : std::is_same_v<T, float> ? " that fits 32-bit floating point"
                                          : " that fits 64-bit floating point"));
        return std::nullopt;
    }
    if (context_.records != nullptr) {
        record(expected(), node_.text(), doc);
    }
    return value;
}

std::optional<float> Value::read_real(const Bounds<float>& bounds, std::string_view doc) const {
    return read_real_as(bounds, doc);
}

std::optional<double> Value::read_real(const Bounds<double>& bounds, std::string_view doc) const {
    return read_real_as(bounds, doc);
}

std::optional<bool> Value::read_bool(std::string_view doc) const {
    const std::string expected = "true or false";
    if (node_.is_scalar() && !is_quoted(node_)) {
        if (node_.text() == "true" || node_.text() == "false") {
            record(expected, node_.text(), doc);
            return node_.text() == "true";
        }
        std::string lower = node_.text();
        for (char& c : lower) {
            c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        }
        if (lower == "yes" || lower == "on" || lower == "y" || lower == "1") {
            lower = "true";
        } else if (lower == "no" || lower == "off" || lower == "n" || lower == "0") {
            lower = "false";
        }
        mismatch(expected, lower == "true" || lower == "false"
                               ? " (did you mean " + lower + "?)"
                               : did_you_mean(lower, {"true", "false"}));
        return std::nullopt;
    }
    mismatch(expected, is_quoted(node_) && (node_.text() == "true" || node_.text() == "false")
                           ? " (write it without quotes)"
                           : "");
    return std::nullopt;
}

std::optional<std::string> Value::read_string(std::string_view doc) const {
    if (!node_.is_scalar()) {
        mismatch("text");
        return std::nullopt;
    }
    if (!is_quoted(node_) && classify(node_.text()) != ScalarType::Text) {
        mismatch("text", " (did you mean " + in_quotes(node_.text()) + ", in quotes?)");
        return std::nullopt;
    }
    record("text", in_quotes(node_.text()), doc);
    return node_.text();
}

std::optional<std::uint64_t> Value::quantity(Unit unit, const Bounds<std::uint64_t>& bounds,
                                             BareNumber bare, std::string_view doc) const {
    using Status = QuantityText::Status;
    const std::string expected = quantity_expectation(unit, bounds, bare);
    if (!node_.is_scalar()) {
        mismatch(expected);
        return std::nullopt;
    }
    QuantityText parsed = parse_quantity(node_.text(), unit);
    if (parsed.status == Status::BareNumber && bare == BareNumber::Allowed && !is_quoted(node_)) {
        const IntegerText number = parse_integer(node_.text());
        if (number.status == IntegerText::Status::Overflow) {
            parsed.status = Status::Overflow;
        } else if (number.status != IntegerText::Status::Ok) {
            mismatch(expected, hint_for(number.status, node_.text()));
            return std::nullopt;
        } else {
            parsed.status = number.negative ? Status::Negative : Status::Ok;
            parsed.value = number.magnitude;
        }
    }
    switch (parsed.status) {
        case Status::Ok:
            break;
        case Status::BareNumber:
            error("got " + describe(node_) + " without a unit, expected " + expected);
            return std::nullopt;
        case Status::NotAQuantity:
            mismatch(expected);
            return std::nullopt;
        case Status::UnknownUnit:
            error("got " + in_quotes(node_.text()) + " with unit " + in_quotes(parsed.unit) +
                  ", expected " + expected + did_you_mean(parsed.unit, unit_names(unit)));
            return std::nullopt;
        case Status::NotWhole:
            error(in_quotes(node_.text()) + " is not a whole number of " +
                  unit_names(unit).front() + ", expected " + expected);
            return std::nullopt;
        case Status::Negative:
        case Status::Overflow:
            error(in_quotes(node_.text()) + " is out of range, expected " + expected);
            return std::nullopt;
    }
    if (parsed.value < bounds.min || parsed.value > bounds.max) {
        error(in_quotes(node_.text()) + " is out of range, expected " + expected);
        return std::nullopt;
    }
    record(expected, quantity_to_string(parsed.value, unit), doc);
    return parsed.value;
}

std::optional<std::size_t> Value::one_of_names(const std::vector<std::string>& names,
                                               std::string_view expected,
                                               std::string_view doc) const {
    const std::string wanted =
        expected.empty() ? "one of: " + join_names(names) : std::string(expected);
    if (!node_.is_scalar()) {
        mismatch(wanted);
        return std::nullopt;
    }
    const auto it = std::find(names.begin(), names.end(), node_.text());
    if (it == names.end()) {
        mismatch(wanted, did_you_mean(node_.text(), names));
        return std::nullopt;
    }
    record(wanted, node_.text(), doc);
    return static_cast<std::size_t>(it - names.begin());
}

Reader Value::map() const {
    if (!node_.is_map()) {
        mismatch("a map");
        return Reader::void_reader(*context_.diag, path_, context_.records);
    }
    return Reader(node_, path_, context_);
}

std::vector<Value> Value::items(const Count& count) const {
    if (!node_.is_sequence()) {
        mismatch(count.given ? count_expectation(count) : "a list");
        return {};
    }
    const std::vector<Node>& nodes = node_.items();
    if (nodes.size() < count.min || nodes.size() > count.max) {
        error("got a list of " + std::to_string(nodes.size()) + ", expected " +
              count_expectation(count));
        return {};
    }
    std::vector<Value> out;
    out.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        out.emplace_back(nodes[i], join_path(path_, i), context_);
    }
    return out;
}

}  // namespace archipelago::config
