// SPDX-License-Identifier: Apache-2.0
#include "models/config/reader.h"

#include <algorithm>

#include "models/config/load.h"
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

std::string quantity_expectation(Unit unit, const Bounds<std::uint64_t>& bounds, BareNumber bare) {
    std::string out = describe(unit);
    if (bare == BareNumber::Allowed) {
        out += " or a bare number of " + unit_names(unit).front();
    }
    if (bounds.given) {
        out += " from " + quantity_to_string(bounds.min, unit) + " to " +
               quantity_to_string(bounds.max, unit);
    }
    return out;
}

const char* const kTimingExpectation = "{cycles: N, source: <document> or guess, ref: <place>}";

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

// --- Value

Value::Value(Node node, std::string path, Diagnostics& diag, Records* records)
    : node_(std::move(node)), path_(std::move(path)), context_{&diag, records} {}

void Value::error(std::string message) const {
    context_.diag->error(node_.origin(), path_, std::move(message));
}

void Value::mismatch(const std::string& expected, const std::string& hint) const {
    error("got " + describe(node_) + ", expected " + expected + hint);
}

Value Value::unrecorded() const {
    return Value(node_, path_, *context_.diag, nullptr);
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

// A source or ref of the command line is that of a number of the command line: it says nothing of
// one that a file has from elsewhere.
bool Value::names_own_number(const Origin& cycles, const Value& of) const {
    if (of.node().origin().file_name() != kOverrideOrigin || cycles.file_name() == kOverrideOrigin)
        return true;
    of.error("the number stays that of " + cycles.short_string() + ", expected " +
             join_path(path_, "cycles") + " with it");
    return false;
}

std::optional<unsigned> Value::timing(const Bounds<unsigned>& bounds, std::string_view doc) const {
    if (!node_.is_map()) {
        // `--set key=5` instead of `--set key.cycles=5`.
        const bool number = node_.is_scalar() && !is_quoted(node_) &&
                            parse_integer(node_.text()).status == IntegerText::Status::Ok;
        mismatch(kTimingExpectation,
                 number ? " (did you mean " + path_ + ".cycles?)" : std::string());
        return std::nullopt;
    }
    Reader r(node_, *context_.diag, path_);
    const std::size_t errors_before = context_.diag->error_count();
    const unsigned cycles = r.required<unsigned>("cycles", bounds);
    const std::optional<Value> source_value =
        r.need("source", "the document the number comes from, or guess");
    const std::optional<std::string> source =
        source_value ? source_value->as<std::string>() : std::nullopt;
    const std::optional<Value> ref_value = r.find("ref");
    const std::optional<std::string> ref = ref_value ? ref_value->as<std::string>() : std::nullopt;
    r.finish();
    if (source && source->empty()) {
        source_value->error(
            "got empty text, expected the document the number comes from, or guess");
    }
    if (context_.diag->error_count() != errors_before) {
        return std::nullopt;
    }
    const Origin& cycles_origin = node_.find("cycles")->value.origin();
    const Origin& source_origin = source_value->node().origin();
    if (!names_own_number(cycles_origin, *source_value) ||
        (ref_value && !names_own_number(cycles_origin, *ref_value)))
        return std::nullopt;
    TimingEntry entry{path_, cycles,       *source, ref.value_or(""), *source == "guess",
                      false, cycles_origin};
    entry.is_override = cycles_origin.file_name() == kOverrideOrigin;
    if (!cycles_origin.same_file(source_origin)) {
        if (entry.is_override) {
            // An experiment on the command line: the document does not vouch for it.
            entry.source = kOverrideOrigin;
            entry.ref.clear();
            entry.is_guess = false;
        } else {
            context_.diag->error(cycles_origin, join_path(path_, "cycles"),
                                 "the source comes from another place, " +
                                     source_origin.short_string() +
                                     ", expected cycles and source in one file (guess when "
                                     "unknown)");
            return std::nullopt;
        }
    }
    if (ref_value && !ref_value->node().origin().same_file(source_origin)) {
        entry.ref.clear();
    }
    if (context_.records != nullptr) {
        record("timing in cycles", std::to_string(cycles), doc);
        context_.records->timings.add(std::move(entry));
    }
    return cycles;
}

Reader Value::map() const {
    if (!node_.is_map()) {
        mismatch("a map");
        return Reader::void_reader(*context_.diag, path_, context_.records);
    }
    return Reader(node_, *context_.diag, path_, context_.records);
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
        out.emplace_back(nodes[i], join_path(path_, i), *context_.diag, context_.records);
    }
    return out;
}

// --- Reader

Reader::Reader(Node node, Diagnostics& diag, std::string path, Records* records)
    : node_(std::move(node)),
      path_(std::move(path)),
      context_{&diag, records},
      errors_before_(diag.error_count()) {
    if (!node_.is_map()) {
        diag.error(node_.origin(), path_, "got " + describe(node_) + ", expected a map");
        void_ = true;
    }
}

Reader::Reader(Void, Diagnostics& diag, std::string path, Records* records)
    : path_(std::move(path)), context_{&diag, records}, void_(true) {}

Reader Reader::void_reader(Diagnostics& diag, std::string path, Records* records) {
    return Reader(Void{}, diag, std::move(path), records);
}

Reader::Reader(Reader&& other) noexcept
    : node_(std::move(other.node_)),
      path_(std::move(other.path_)),
      context_(other.context_),
      known_(std::move(other.known_)),
      known_set_(std::move(other.known_set_)),
      errors_before_(other.errors_before_),
      void_(other.void_),
      finished_(std::exchange(other.finished_, true)) {}

Reader::~Reader() {
    finish();
}

void Reader::know(std::string_view key) {
    if (known_set_.find(key) == known_set_.end()) {
        known_set_.emplace(key);
        known_.emplace_back(key);
    }
}

std::optional<Value> Reader::find(std::string_view key) {
    know(key);
    const MapEntry* entry = void_ ? nullptr : node_.find(key);
    if (entry == nullptr) {
        return std::nullopt;
    }
    return Value(entry->value, join_path(path_, key), *context_.diag, context_.records);
}

bool Reader::has(std::string_view key) {
    return find(key).has_value();
}

void Reader::ignore(std::string_view key) {
    know(key);
}

std::optional<Value> Reader::need(std::string_view key, std::string_view expected) {
    std::optional<Value> value = find(key);
    if (!value && !void_) {
        context_.diag->error(node_.origin(), join_path(path_, key),
                             "required key is missing, expected " + std::string(expected));
    }
    return value;
}

std::uint64_t Reader::required_quantity(std::string_view key, Unit unit,
                                        const Bounds<std::uint64_t>& bounds, std::string_view doc,
                                        BareNumber bare) {
    return read_required<std::uint64_t>(
        key, bounds.min, quantity_expectation(unit, bounds, bare),
        [&](const Value& v) { return v.quantity(unit, bounds, bare, doc); });
}

std::uint64_t Reader::optional_quantity(std::string_view key, Unit unit, std::uint64_t fallback,
                                        const Bounds<std::uint64_t>& bounds, std::string_view doc,
                                        BareNumber bare) {
    const std::optional<Value> value = find(key);
    if (!value) {
        record_default(key, quantity_expectation(unit, bounds, bare),
                       quantity_to_string(fallback, unit), doc);
        return fallback;
    }
    return value->quantity(unit, bounds, bare, doc).value_or(fallback);
}

std::optional<std::uint64_t> Reader::maybe_quantity(std::string_view key, Unit unit,
                                                    const Bounds<std::uint64_t>& bounds,
                                                    std::string_view doc, BareNumber bare) {
    const std::optional<Value> value = find(key);
    return value ? value->quantity(unit, bounds, bare, doc) : std::nullopt;
}

std::optional<std::size_t> Reader::read_name(std::string_view key,
                                             const std::vector<std::string>& names, bool required,
                                             const std::string& fallback, std::string_view doc) {
    const std::string expected = "one of: " + join_names(names);
    const std::optional<Value> value = required ? need(key, expected) : find(key);
    if (!value) {
        if (!required) {
            record_default(key, expected, fallback, doc);
        }
        return std::nullopt;
    }
    return value->one_of_names(names, {}, doc);
}

std::string Reader::reference(std::string_view key, std::string_view what,
                              const std::vector<std::string>& names, std::string_view doc) {
    if (!need(key, "the name of a " + std::string(what))) {
        return std::string();
    }
    return maybe_reference(key, what, names, doc).value_or("");
}

std::optional<std::string> Reader::maybe_reference(std::string_view key, std::string_view what,
                                                   const std::vector<std::string>& names,
                                                   std::string_view doc) {
    const std::optional<Value> value = find(key);
    if (!value) {
        return std::nullopt;
    }
    const std::string noun(what);
    const std::string expected = names.empty()
                                     ? "the name of a " + noun + ", of which there are none"
                                     : "the name of a " + noun + ": " + join_names(names);
    const std::optional<std::size_t> index = value->one_of_names(names, expected, doc);
    return index ? names[*index] : std::string();
}

unsigned Reader::timing(std::string_view key, const Bounds<unsigned>& bounds,
                        std::string_view doc) {
    return read_required<unsigned>(key, bounds.min, kTimingExpectation,
                                   [&](const Value& v) { return v.timing(bounds, doc); });
}

std::optional<unsigned> Reader::maybe_timing(std::string_view key, const Bounds<unsigned>& bounds,
                                             std::string_view doc) {
    const std::optional<Value> value = find(key);
    return value ? value->timing(bounds, doc) : std::nullopt;
}

Reader Reader::map(std::string_view key) {
    const std::optional<Value> value = need(key, "a map");
    return value ? value->map()
                 : void_reader(*context_.diag, join_path(path_, key), context_.records);
}

std::optional<Reader> Reader::optional_map(std::string_view key) {
    const std::optional<Value> value = find(key);
    return value ? std::optional<Reader>(value->map()) : std::nullopt;
}

std::vector<std::pair<std::string, Reader>> Reader::named_maps(std::string_view key) {
    std::vector<std::pair<std::string, Reader>> out;
    const std::optional<Value> value = need(key, "a map of maps");
    if (!value) {
        return out;
    }
    Reader outer = value->map();
    for (const std::string& name : outer.keys()) {
        out.emplace_back(name, outer.map(name));
    }
    return out;
}

std::vector<Reader> Reader::maps(std::string_view key, const Count& count) {
    need(key, "a list of maps");
    return optional_maps(key, count);
}

std::vector<Reader> Reader::optional_maps(std::string_view key, const Count& count) {
    std::vector<Reader> out;
    for (const Value& value : optional_items(key, count)) {
        out.push_back(value.map());
    }
    return out;
}

std::vector<Value> Reader::items(std::string_view key, const Count& count) {
    need(key, "a list");
    return optional_items(key, count);
}

std::vector<Value> Reader::optional_items(std::string_view key, const Count& count) {
    const std::optional<Value> value = find(key);
    return value ? value->items(count) : std::vector<Value>();
}

std::string Reader::choose(std::initializer_list<std::string_view> keys, bool required) {
    std::vector<std::string> names;
    std::vector<std::string> present;
    for (const std::string_view key : keys) {
        names.emplace_back(key);
        if (has(key)) {
            present.emplace_back(key);
        }
    }
    if (void_) {
        return std::string();
    }
    const std::string expected =
        std::string(required ? "exactly one of: " : "at most one of: ") + join_names(names);
    if (present.empty() && required) {
        error("none of the possible keys is present, expected " + expected);
    }
    for (std::size_t i = 1; i < present.size(); ++i) {
        const MapEntry* entry = node_.find(present[i]);
        context_.diag->error(entry->key_origin, join_path(path_, present[i]),
                             "conflicts with \"" + present[0] + "\", expected " + expected);
    }
    return present.size() == 1 ? present[0] : std::string();
}

std::string Reader::one_of(std::initializer_list<std::string_view> keys) {
    return choose(keys, true);
}

std::string Reader::at_most_one_of(std::initializer_list<std::string_view> keys) {
    return choose(keys, false);
}

void Reader::error(std::string_view key, std::string message) {
    if (void_) {
        return;
    }
    const MapEntry* entry = node_.find(key);
    context_.diag->error(entry == nullptr ? node_.origin() : entry->value.origin(),
                         join_path(path_, key), std::move(message));
}

void Reader::error(std::string message) {
    if (void_) {
        return;
    }
    context_.diag->error(node_.origin(), path_, std::move(message));
}

namespace {

// The value at "a.b" of a map; null: there is none.
const Node* value_at(const Node& map, std::string_view path) {
    const Node* node = &map;
    for (std::size_t at = 0; node != nullptr && at <= path.size();) {
        const std::size_t end = std::min(path.find('.', at), path.size());
        const MapEntry* entry = node->is_map() ? node->find(path.substr(at, end - at)) : nullptr;
        node = entry != nullptr ? &entry->value : nullptr;
        at = end + 1;
    }
    return node;
}

// The keys that a message names, with their values, in its order.
std::vector<std::pair<std::string, const Node*>> values_named(const Node& map,
                                                              std::string_view message) {
    constexpr std::string_view kOfKeys = "abcdefghijklmnopqrstuvwxyz0123456789_.";
    std::vector<std::pair<std::string, const Node*>> values;
    for (std::size_t at = 0; at < message.size();) {
        const std::size_t end = std::min(message.find_first_not_of(kOfKeys, at), message.size());
        const std::string_view word = message.substr(at, end - at);
        const Node* value = word.empty() ? nullptr : value_at(map, word);
        if (value != nullptr)
            values.emplace_back(word, value);
        at = std::max(end, at + 1);
    }
    return values;
}

}  // namespace

void Reader::conflict(const std::string& message, std::string_view under) {
    if (void_)
        return;
    const Node* map = under.empty() ? &node_ : value_at(node_, under);
    const std::string path = under.empty() ? path_ : join_path(path_, under);
    if (map == nullptr)
        return context_.diag->error(node_.origin(), path, message);
    // A map that files and their bases have has the place of the last of them.
    const auto rank = [&](const Node& value) {
        return value.origin().file_name() == kOverrideOrigin ? 2
               : value.origin().same_file(map->origin())     ? 1
                                                             : 0;
    };
    const auto values = values_named(*map, message);
    const auto last = std::max_element(
        values.begin(), values.end(),
        [&](const auto& a, const auto& b) { return rank(*a.second) < rank(*b.second); });
    if (last == values.end())
        return context_.diag->error(map->origin(), path, message);
    std::string text = message;
    for (const auto& [key, value] : values)
        if (!value->origin().same_file(last->second->origin()))
            text += "; " + key + (value->is_scalar() ? " is " + value->text() + ", " : " is ") +
                    "at " + value->origin().to_string();
    context_.diag->error(last->second->origin(), path, std::move(text));
}

bool Reader::check(bool holds, std::string_view key, std::string message) {
    if (!holds) {
        error(key, std::move(message));
    }
    return holds;
}

void Reader::record_default(std::string_view key, std::string expected, std::string value,
                            std::string_view doc) {
    if (context_.records != nullptr && !void_) {
        context_.records->fields.add({join_path(path_, key), std::move(expected), std::move(value),
                                      Origin(), true, std::string(doc)});
    }
}

void Reader::finish() {
    if (finished_ || void_) {
        return;
    }
    finished_ = true;
    for (const MapEntry& entry : node_.entries()) {
        if (known_set_.find(entry.key) == known_set_.end()) {
            if (context_.diag->is_full()) {
                // Only counted from here on: not worth a search for the nearest name.
                context_.diag->error(entry.key_origin, path_, "unknown key");
                continue;
            }
            context_.diag->error(entry.key_origin, join_path(path_, entry.key),
                                 "unknown key, expected " +
                                     (known_.empty() ? std::string("an empty map")
                                                     : "one of: " + join_names(known_)) +
                                     did_you_mean(entry.key, known_));
        }
    }
}

}  // namespace archipelago::config
