// SPDX-License-Identifier: Apache-2.0
// Typed reading of a configuration tree into Spec structs. Nothing throws on bad input: every fault
// goes to Diagnostics with its place, and the call returns a harmless value (the default, else the
// lower bound, else zero), so that one pass finds all faults. Call Diagnostics::throw_if_errors()
// when the whole tree has been read.
//
//   Reader r(tree, diag, "cp.pfp", &records);
//   spec.depth   = r.required<unsigned>("depth", range(1, 1024), "entries of the MEQ");
//   spec.clock   = r.required_quantity("clock", Unit::Hertz, range(1'000'000, 2'000'000'000));
//   spec.policy  = r.enumeration("policy", {{"lru", Policy::Lru}, {"fifo", Policy::Fifo}},
//                                Policy::Lru);
//   r.set_clock(spec.clock);          // delays from here on may be in ns, too
//   spec.latency = r.timing("latency");
//   r.finish();
//
// Every accessor makes its key known; finish() reports the keys of the map that were not read.
// The last argument of an accessor says what the field is, for `describe`.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/config/diagnostics.h"
#include "models/config/node.h"
#include "models/config/records.h"
#include "models/config/scalar.h"

namespace archipelago::config {

// range(min, max): both ends are allowed.
template <class A, class B>
struct RangeOf {
    A min;
    B max;
};
template <class A, class B>
constexpr RangeOf<A, B> range(A min, B max) {
    return {min, max};
}

// The values a number may take; all of T unless made from a range().
template <class T>
struct Bounds {
    T min = std::numeric_limits<T>::lowest();
    T max = std::numeric_limits<T>::max();
    bool given = false;

    constexpr Bounds() = default;
    // A bound that T cannot hold is a fault of the program.
    template <class A, class B>
    constexpr Bounds(RangeOf<A, B> r)  // NOLINT(google-explicit-constructor)
        : min(narrow(r.min)), max(narrow(r.max)), given(true) {
        if (max < min) {
            throw std::logic_error("config: a range with its ends swapped");
        }
    }

  private:
    template <class A>
    static constexpr T narrow(A value) {
        const T out = static_cast<T>(value);
        if constexpr (std::is_floating_point_v<T>) {
            return out;  // 0.1 need not be exact
        }
        if (static_cast<A>(out) != value || (out < T{}) != (value < A{})) {
            throw std::logic_error("config: a range that does not fit its type");
        }
        return out;
    }
};

// How many items a list may have. A type of its own, so that a range() of the items cannot pass
// for it.
struct Count {
    std::size_t min = 0;
    std::size_t max = std::numeric_limits<std::size_t>::max();
    bool given = false;
};
constexpr Count count(std::size_t min, std::size_t max) {
    return {min, max, true};
}
constexpr Count exactly(std::size_t n) {
    return {n, n, true};
}
constexpr Count at_least(std::size_t n) {
    return {n, std::numeric_limits<std::size_t>::max(), true};
}

// Whether a quantity may be a bare number of base units (workload files: `size: 4096`).
enum class BareNumber { Refused, Allowed };

template <class E>
using EnumNames = std::initializer_list<std::pair<const char*, E>>;

template <class T>
struct is_list_scalar
    : std::bool_constant<std::is_arithmetic_v<T> || std::is_same_v<T, std::string>> {};

class Reader;

namespace detail {
struct Context {
    Diagnostics* diag = nullptr;
    Records* records = nullptr;  // may be null
    std::uint64_t clock_hz = 0;  // of delays; 0: not known
};
}  // namespace detail

// One value with its key path: reads list items, and tells whether a value is a scalar, a list or
// a map.
class Value {
  public:
    Value(Node node, std::string path, const detail::Context& context)
        : node_(std::move(node)), path_(std::move(path)), context_(context) {}

    Node::Kind kind() const { return node_.kind(); }
    const Node& node() const { return node_; }
    const std::string& path() const { return path_; }

    // T: bool, std::string, float, double, or an integer type. Nothing when it was reported.
    template <class T>
    std::optional<T> as(const Bounds<T>& bounds, std::string_view doc = {}) const {
        static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>,
                      "only numbers have bounds");
        if constexpr (std::is_floating_point_v<T>) {
            static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
            return read_real(bounds, doc);
        } else {
            const std::optional<Integer> read =
                read_integer({bounds.min < T{}, magnitude(bounds.min)},
                             {bounds.max < T{}, magnitude(bounds.max)}, doc);
            if (!read) {
                return std::nullopt;
            }
            // Unsigned arithmetic negates without overflow at the lowest value.
            return static_cast<T>(read->negative ? 0 - read->magnitude : read->magnitude);
        }
    }
    template <class T>
    std::optional<T> as(std::string_view doc = {}) const {
        if constexpr (std::is_same_v<T, bool>) {
            return read_bool(doc);
        } else if constexpr (std::is_same_v<T, std::string>) {
            return read_string(doc);
        } else {
            return as<T>(Bounds<T>(), doc);
        }
    }

    // In base units of `unit`.
    std::optional<std::uint64_t> quantity(Unit unit, const Bounds<std::uint64_t>& bounds = {},
                                          BareNumber bare = BareNumber::Refused,
                                          std::string_view doc = {}) const;

    // The index of the text among `names`; `expected` overrides the "one of: a, b" of the message.
    std::optional<std::size_t> one_of_names(const std::vector<std::string>& names,
                                            std::string_view expected = {},
                                            std::string_view doc = {}) const;

    // A delay with its source, in cycles, registered in Records::timings.
    std::optional<unsigned> timing(const Bounds<unsigned>& bounds, std::string_view doc = {}) const;

    // A reader of this map; a void one when it is no map (reported).
    Reader map() const;
    // The items of this list; empty when it is no list or has a wrong count (reported).
    std::vector<Value> items(const Count& count = {}) const;
    template <class T>
    std::vector<T> list(const Bounds<T>& bounds, const Count& count = {},
                        std::string_view doc = {}) const {
        return read_list<T>(count, doc, [&](const Value& v) { return v.as<T>(bounds); });
    }
    template <class T>
    std::vector<T> list(const Count& count = {}, std::string_view doc = {}) const {
        return read_list<T>(count, doc, [](const Value& v) { return v.as<T>(); });
    }

    void error(std::string message) const;
    // Diagnostics::add_file: of a file that the value names.
    void add_file(std::string path) const;

  private:
    friend class Reader;

    std::string unit_of_timing() const;
    std::optional<unsigned> whole_cycles(const Bounds<unsigned>& bounds) const;
    bool names_own_number(const Value& number, const Value& of) const;
    bool has_own_source(TimingEntry& entry, const Value& number, const Value& source) const;

    struct Integer {
        bool negative;
        std::uint64_t magnitude;
    };

    template <class T>
    static constexpr std::uint64_t magnitude(T value) {
        return value < T{} ? 0 - static_cast<std::uint64_t>(value)
                           : static_cast<std::uint64_t>(value);
    }
    template <class T, class Read>
    std::vector<T> read_list(const Count& count, std::string_view doc, const Read& read) const {
        std::vector<T> out;
        // Items are not recorded one by one: a list of words may have a million.
        for (const Value& item : unrecorded().items(count)) {
            const std::optional<T> value = read(item);
            out.push_back(value ? *value : T{});
        }
        record_list(out.size(), doc);
        return out;
    }

    std::optional<Integer> read_integer(Integer min, Integer max, std::string_view doc) const;
    std::optional<float> read_real(const Bounds<float>& bounds, std::string_view doc) const;
    std::optional<double> read_real(const Bounds<double>& bounds, std::string_view doc) const;
    template <class T>
    std::optional<T> read_real_as(const Bounds<T>& bounds, std::string_view doc) const;
    std::optional<bool> read_bool(std::string_view doc) const;
    std::optional<std::string> read_string(std::string_view doc) const;

    Value unrecorded() const;
    void record(std::string expected, std::string value, std::string_view doc) const;
    void record_list(std::size_t size, std::string_view doc) const;
    // "got X, expected <expected><hint>"
    void mismatch(const std::string& expected, const std::string& hint = {}) const;

    Node node_;
    std::string path_;
    detail::Context context_;
};

// What a value is to a user: `text "abc"`, `010`, `a map`, `nothing`.
std::string describe(const Node& node);

class Reader {
  public:
    // Reads `node`, whose path is `path`; reports a node that is not a map. Diagnostics and
    // records must outlive the reader.
    Reader(Node node, Diagnostics& diag, std::string path = {}, Records* records = nullptr);

    // A reader of nothing: every accessor returns its fallback in silence. For parts whose absence
    // has been reported already.
    static Reader void_reader(Diagnostics& diag, std::string path, Records* records);

    Reader(Reader&& other) noexcept;
    Reader& operator=(Reader&&) = delete;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    // Calls finish(), so that a forgotten call cannot let unknown keys pass.
    ~Reader();

    bool is_void() const { return void_; }
    const std::string& path() const { return path_; }
    const Node& node() const { return node_; }
    std::vector<std::string> keys() const { return node_.keys(); }

    // --- single values. `required` reports a missing key; `optional` takes a default for it;
    // `maybe` distinguishes them.
    template <class T>
    T required(std::string_view key, std::string_view doc = {}) {
        return read_required<T>(key, T{}, expectation<T>(),
                                [&](const Value& v) { return v.as<T>(doc); });
    }
    template <class T>
    T required(std::string_view key, const Bounds<T>& bounds, std::string_view doc = {}) {
        return read_required<T>(key, bounds.min, expectation<T>(bounds),
                                [&](const Value& v) { return v.as<T>(bounds, doc); });
    }
    // A number of the type of its bounds.
    template <class T>
    T required(std::string_view key, const RangeOf<T, T>& bounds, std::string_view doc = {}) {
        return required<T>(key, Bounds<T>(bounds), doc);
    }
    template <class T>
    T optional(std::string_view key, T fallback, std::string_view doc = {}) {
        return read_optional<T>(key, std::move(fallback), expectation<T>(), doc,
                                [&](const Value& v) { return v.as<T>(doc); });
    }
    template <class T>
    T optional(std::string_view key, T fallback, const Bounds<T>& bounds,
               std::string_view doc = {}) {
        return read_optional<T>(key, std::move(fallback), expectation<T>(bounds), doc,
                                [&](const Value& v) { return v.as<T>(bounds, doc); });
    }
    template <class T>
    std::optional<T> maybe(std::string_view key, std::string_view doc = {}) {
        const std::optional<Value> value = find(key);
        return value ? value->as<T>(doc) : std::nullopt;
    }
    template <class T>
    std::optional<T> maybe(std::string_view key, const Bounds<T>& bounds,
                           std::string_view doc = {}) {
        const std::optional<Value> value = find(key);
        return value ? value->as<T>(bounds, doc) : std::nullopt;
    }

    // --- quantities, in base units (Hz, bytes, fs)
    std::uint64_t required_quantity(std::string_view key, Unit unit,
                                    const Bounds<std::uint64_t>& bounds = {},
                                    std::string_view doc = {},
                                    BareNumber bare = BareNumber::Refused);
    std::uint64_t optional_quantity(std::string_view key, Unit unit, std::uint64_t fallback,
                                    const Bounds<std::uint64_t>& bounds = {},
                                    std::string_view doc = {},
                                    BareNumber bare = BareNumber::Refused);
    std::optional<std::uint64_t> maybe_quantity(std::string_view key, Unit unit,
                                                const Bounds<std::uint64_t>& bounds = {},
                                                std::string_view doc = {},
                                                BareNumber bare = BareNumber::Refused);

    // --- one name of several. Without a default: `enumeration<Policy>("policy", {...})`.
    template <class E>
    E enumeration(std::string_view key, EnumNames<E> names, std::string_view doc = {}) {
        const std::optional<std::size_t> index = read_name(key, text_of(names), true, {}, doc);
        return index ? (names.begin() + *index)->second : names.begin()->second;
    }
    template <class E, class = std::enable_if_t<std::is_enum_v<E>>>
    E enumeration(std::string_view key, EnumNames<E> names, E fallback, std::string_view doc = {}) {
        std::string fallback_name;
        for (const auto& [name, value] : names) {
            if (value == fallback && fallback_name.empty()) {
                fallback_name = name;
            }
        }
        const std::optional<std::size_t> index =
            read_name(key, text_of(names), false, fallback_name, doc);
        return index ? (names.begin() + *index)->second : fallback;
    }

    // --- names of things defined elsewhere: `what` is "clock", `names` those that exist. Returns
    // an empty string when the key is missing (reported by `reference`) or names nothing (always
    // reported).
    std::string reference(std::string_view key, std::string_view what,
                          const std::vector<std::string>& names, std::string_view doc = {});
    std::optional<std::string> maybe_reference(std::string_view key, std::string_view what,
                                               const std::vector<std::string>& names,
                                               std::string_view doc = {});

    // --- delays: `{cycles: 4, source: <document>, ref: <place>}`, source required, "guess" when
    // there is none. A source inherited for cycles that another file gives does not count: the file
    // that changes the number names its source. A `ref` of another file than the source is ignored.
    // --set names neither without the cycles.
    // Where the clock is known, `ns: 2.9` in place of `cycles: 4`: as many whole cycles as hold it.
    static constexpr unsigned kMaxCycles = 1'000'000;
    // The clock of the delays in this map and below, Hz; 0: none is known, or of several clocks.
    void set_clock(std::uint64_t hz) { context_.clock_hz = hz; }
    unsigned timing(std::string_view key, const Bounds<unsigned>& bounds = range(0, kMaxCycles),
                    std::string_view doc = {});
    // Of a delay that timing() has read.
    bool is_in_ns(std::string_view key) const;
    // There is no form with a default: a delay in code would have no source and escape the count.
    std::optional<unsigned> maybe_timing(std::string_view key,
                                         const Bounds<unsigned>& bounds = range(0, kMaxCycles),
                                         std::string_view doc = {});

    // --- maps and lists. A list has `count` items; an absent optional one is empty.
    Reader map(std::string_view key);
    std::optional<Reader> optional_map(std::string_view key);
    // The key's map as (name, reader of the map under it), for maps with names of the user's.
    std::vector<std::pair<std::string, Reader>> named_maps(std::string_view key);
    std::vector<Reader> maps(std::string_view key, const Count& count = {});
    std::vector<Reader> optional_maps(std::string_view key, const Count& count = {});
    std::vector<Value> items(std::string_view key, const Count& count = {});
    std::vector<Value> optional_items(std::string_view key, const Count& count = {});
    template <class T, class = std::enable_if_t<is_list_scalar<T>::value>>
    std::vector<T> sequence(std::string_view key, const Bounds<T>& bounds, const Count& count = {},
                            std::string_view doc = {}) {
        const std::optional<Value> value = need(key, "a list");
        return value ? value->list<T>(bounds, count, doc) : std::vector<T>();
    }
    template <class T, class = std::enable_if_t<is_list_scalar<T>::value>>
    std::vector<T> sequence(std::string_view key, const Count& count = {},
                            std::string_view doc = {}) {
        const std::optional<Value> value = need(key, "a list");
        return value ? value->list<T>(count, doc) : std::vector<T>();
    }
    template <class T, class = std::enable_if_t<is_list_scalar<T>::value>>
    std::optional<std::vector<T>> maybe_sequence(std::string_view key, const Bounds<T>& bounds = {},
                                                 const Count& count = {},
                                                 std::string_view doc = {}) {
        const std::optional<Value> value = find(key);
        if (!value) {
            return std::nullopt;
        }
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
            return value->list<T>(bounds, count, doc);
        } else {
            return value->list<T>(count, doc);
        }
    }

    // --- any form
    bool has(std::string_view key);
    std::optional<Value> find(std::string_view key);
    std::optional<Value> need(std::string_view key, std::string_view expected);
    // Accepts a key without reading it.
    void ignore(std::string_view key);

    // --- forms distinguished by their key: the one that is there. Empty when none (an error for
    // one_of) or several are (an error for both).
    std::string one_of(std::initializer_list<std::string_view> keys);
    std::string at_most_one_of(std::initializer_list<std::string_view> keys);

    // --- conflicts between fields, reported at the key's value, or at the map when it is absent.
    // All are silent in a void reader. A comparison of fields that could not be read reports
    // nonsense: ask ok() first, which says that no error came up since this reader was made.
    bool ok() const {
        return !void_ && !missing_choice_ && context_.diag->error_count() == errors_before_;
    }
    void error(std::string_view key, std::string message);
    void error(std::string message);
    // A conflict of several values: at the one that was given last, among those of the keys that
    // the message names ("a, b: must rise", "ce.depth: 1 to 255"): by --set, else by the file that
    // has the others as its base. The message goes on with where the others stand that are
    // elsewhere. `under`: the map below this one that has the keys.
    void conflict(const std::string& message, std::string_view under = {});
    // Reports `message` when `holds` is false; returns `holds`.
    bool check(bool holds, std::string_view key, std::string message);

    // Reports every key that no accessor has read. Later calls do nothing.
    void finish();

  private:
    friend class Value;
    struct Void {};
    Reader(Node node, std::string path, const detail::Context& context);
    Reader(Void, Diagnostics& diag, std::string path, Records* records);

    template <class T, class Read>
    T read_required(std::string_view key, T fallback, const std::string& expected,
                    const Read& read) {
        const std::optional<Value> value = need(key, expected);
        const std::optional<T> result = value ? read(*value) : std::nullopt;
        return result ? *result : fallback;
    }
    template <class T, class Read>
    T read_optional(std::string_view key, T fallback, const std::string& expected,
                    std::string_view doc, const Read& read) {
        const std::optional<Value> value = find(key);
        if (!value) {
            record_default(key, expected, to_text(fallback), doc);
            return fallback;
        }
        const std::optional<T> result = read(*value);
        return result ? *result : fallback;
    }

    template <class T>
    static std::string to_text(const T& value) {
        if constexpr (std::is_same_v<T, bool>) {
            return value ? "true" : "false";
        } else if constexpr (std::is_same_v<T, std::string>) {
            return in_quotes(value);
        } else if constexpr (std::is_floating_point_v<T>) {
            return real_to_string(value);
        } else {
            return integer_to_string(value < T{}, Value::magnitude(value));
        }
    }
    template <class T>
    static std::string expectation() {
        if constexpr (std::is_same_v<T, bool>) {
            return "true or false";
        } else if constexpr (std::is_same_v<T, std::string>) {
            return "text";
        } else {
            return expectation<T>(Bounds<T>());
        }
    }
    template <class T>
    static std::string expectation(const Bounds<T>& bounds) {
        if constexpr (std::is_floating_point_v<T>) {
            return bounds.given ? "a number in " + to_text(bounds.min) + ".." + to_text(bounds.max)
                                : "a number";
        } else {
            return "an integer in " + to_text(bounds.min) + ".." + to_text(bounds.max);
        }
    }
    template <class E>
    static std::vector<std::string> text_of(EnumNames<E> names) {
        std::vector<std::string> out;
        for (const auto& name : names) {
            out.emplace_back(name.first);
        }
        return out;
    }

    std::optional<std::size_t> read_name(std::string_view key,
                                         const std::vector<std::string>& names, bool required,
                                         const std::string& fallback, std::string_view doc);
    std::string choose(std::initializer_list<std::string_view> keys, bool required);
    void know(std::string_view key);
    void report_missing_choice();
    void record_default(std::string_view key, std::string expected, std::string value,
                        std::string_view doc);

    Node node_;
    std::string path_;
    detail::Context context_;
    std::vector<std::string> known_;  // in the order they were read
    std::set<std::string, std::less<>> known_set_;
    std::size_t errors_before_ = 0;
    // Keys of which one must be there and none is. finish() reports it, because a misspelt key may
    // be meant for one of them: then that is the only message.
    std::optional<std::vector<std::string>> missing_choice_;
    bool void_ = false;
    bool finished_ = false;
};

}  // namespace archipelago::config
