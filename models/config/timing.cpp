// SPDX-License-Identifier: Apache-2.0
// Delays: a number of cycles, or a time in ns of as many whole cycles as hold it. What a document
// says of a circuit is one or the other: a pipeline takes cycles of whatever clock it runs at, a
// DRAM's row takes ns.
#include "models/config/expectation.h"
#include "models/config/load.h"
#include "models/config/reader.h"

namespace archipelago::config {
namespace {

constexpr const char* kCycles = "cycles";
constexpr const char* kNs = "ns";
constexpr const char* kSourceExpectation = "the document the number comes from, or guess";

__extension__ using Wide = unsigned __int128;
constexpr Wide kFsPerSecond = 1'000'000'000'000'000;

std::string clock_text(std::uint64_t hz) {
    return quantity_to_string(hz, Unit::Hertz);
}

}  // namespace

std::string timing_expectation(std::uint64_t clock_hz) {
    return std::string("{cycles: N, ") + (clock_hz == 0 ? "" : "or ns: N, ") +
           "source: <document> or guess, ref: <place>}";
}

// The key of the number. When both are there, that of --set counts, then that of the file which has
// the others as its base: the map's place is that file's, or its source does.
std::string Value::unit_of_timing() const {
    const MapEntry* cycles = node_.find(kCycles);
    const MapEntry* ns = node_.find(kNs);
    if (cycles == nullptr || ns == nullptr)
        return ns == nullptr ? kCycles : kNs;
    const MapEntry* source = node_.find("source");
    const auto rank = [&](const Origin& number) {
        return number.file_name() == kOverrideOrigin                           ? 3
               : number.same_file(node_.origin())                              ? 2
               : source != nullptr && number.same_file(source->value.origin()) ? 1
                                                                               : 0;
    };
    const int of_cycles = rank(cycles->value.origin()), of_ns = rank(ns->value.origin());
    if (of_cycles == of_ns)
        context_.diag->error(ns->key_origin, join_path(path_, kNs),
                             "conflicts with \"cycles\", expected one of: cycles, ns");
    return of_ns > of_cycles ? kNs : kCycles;
}

// Of a time in ns: the least number of cycles that is not shorter.
std::optional<unsigned> Value::whole_cycles(const Bounds<unsigned>& bounds) const {
    using Status = QuantityText::Status;
    if (context_.clock_hz == 0) {
        error("the clock of this delay is not known, or it is of two clocks, expected cycles");
        return std::nullopt;
    }
    const bool number = node_.is_scalar() && node_.style() == Node::Style::Plain;
    const QuantityText time =
        number ? parse_quantity(node_.text() + " ns", Unit::Femtosecond) : QuantityText();
    if (time.status != Status::Ok) {
        mismatch(time.status == Status::NotWhole ? "a time in ns of up to six decimal places"
                                                 : "a time in ns, at least 0");
        return std::nullopt;
    }
    const Wide cycles = (Wide{time.value} * context_.clock_hz + kFsPerSecond - 1) / kFsPerSecond;
    if (cycles < bounds.min || cycles > bounds.max) {
        error(node_.text() + " ns are " +
              (cycles > Reader::kMaxCycles ? "more than " + std::to_string(Reader::kMaxCycles)
                                           : std::to_string(static_cast<unsigned>(cycles))) +
              " cycles of " + clock_text(context_.clock_hz) + ", expected " +
              std::to_string(bounds.min) + ".." + std::to_string(bounds.max));
        return std::nullopt;
    }
    return static_cast<unsigned>(cycles);
}

// A source or ref of the command line is that of a number of the command line: it says nothing of
// one that a file has from elsewhere.
bool Value::names_own_number(const Value& number, const Value& of) const {
    const Origin& origin = number.node().origin();
    if (of.node().origin().file_name() != kOverrideOrigin || origin.file_name() == kOverrideOrigin)
        return true;
    of.error("the number stays that of " + origin.short_string() + ", expected " + number.path() +
             " with it");
    return false;
}

// Whether the source is of the number. That of another file is not; --set is its own.
bool Value::has_own_source(TimingEntry& entry, const Value& number, const Value& source) const {
    const Origin& origin = number.node().origin();
    entry.is_override = origin.file_name() == kOverrideOrigin;
    if (origin.same_file(source.node().origin()))
        return true;
    if (entry.is_override) {
        // An experiment on the command line: the document does not vouch for it.
        entry.source = kOverrideOrigin;
        entry.ref.clear();
        entry.is_guess = false;
        return true;
    }
    const std::string key = number.path().substr(path_.size() + 1);
    number.error("the source comes from another place, " + source.node().origin().short_string() +
                 ", expected " + key + " and source in one file (guess when unknown)");
    return false;
}

std::optional<unsigned> Value::timing(const Bounds<unsigned>& bounds, std::string_view doc) const {
    if (!node_.is_map()) {
        // `--set key=5` instead of `--set key.cycles=5`.
        const bool number = node_.is_scalar() && node_.style() == Node::Style::Plain &&
                            parse_integer(node_.text()).status == IntegerText::Status::Ok;
        mismatch(timing_expectation(context_.clock_hz),
                 number ? " (did you mean " + path_ + ".cycles?)" : std::string());
        return std::nullopt;
    }
    Reader r(node_, path_, {context_.diag, nullptr, context_.clock_hz});
    const std::size_t errors_before = context_.diag->error_count();
    const std::string unit = unit_of_timing();
    const bool in_ns = unit == kNs;
    r.ignore(kCycles);
    const std::optional<Value> ns = in_ns || context_.clock_hz != 0 ? r.find(kNs) : std::nullopt;
    const unsigned cycles =
        in_ns ? ns->whole_cycles(bounds).value_or(0) : r.required<unsigned>(kCycles, bounds);
    const std::optional<Value> source = r.need("source", kSourceExpectation);
    const std::string source_text = source ? source->as<std::string>().value_or("guess") : "";
    const std::optional<Value> ref = r.find("ref");
    const std::string ref_text = ref ? ref->as<std::string>().value_or("") : "";
    r.finish();
    if (source && source_text.empty())
        source->error(std::string("got empty text, expected ") + kSourceExpectation);
    if (context_.diag->error_count() != errors_before)
        return std::nullopt;
    const Value number = *r.find(unit);
    if (!names_own_number(number, *source) || (ref && !names_own_number(number, *ref)))
        return std::nullopt;
    TimingEntry entry{path_,
                      cycles,
                      source_text,
                      ref_text,
                      source_text == "guess",
                      false,
                      number.node().origin(),
                      in_ns ? number.node().text() : ""};
    if (!has_own_source(entry, number, *source))
        return std::nullopt;
    if (ref && !ref->node().origin().same_file(source->node().origin()))
        entry.ref.clear();
    if (context_.records != nullptr) {
        record(context_.clock_hz == 0
                   ? "timing in cycles"
                   : "timing in cycles or ns of " + clock_text(context_.clock_hz),
               std::to_string(cycles), doc);
        context_.records->timings.add(std::move(entry));
    }
    return cycles;
}

bool Reader::is_in_ns(std::string_view key) const {
    const MapEntry* delay = node_.find(key);
    return delay != nullptr &&
           Value(delay->value, join_path(path_, key), context_).unit_of_timing() == kNs;
}

}  // namespace archipelago::config
