// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/retire/retire_diff.h"

#include <fmt/format.h>

#include <algorithm>

namespace archipelago::host {
namespace {

constexpr size_t kLanesShown = 4;

std::vector<std::string_view> split(std::string_view values) {
    std::vector<std::string_view> parts;
    for (size_t from = 0; from <= values.size();) {
        const size_t comma = std::min(values.find(',', from), values.size());
        parts.push_back(values.substr(from, comma - from));
        from = comma + 1;
    }
    return parts;
}

// Lanes of a mask of 16 digits, ascending.
std::vector<unsigned> lanes_of(std::string_view mask) {
    std::vector<unsigned> lanes;
    for (unsigned lane = 0; lane < 4 * mask.size(); ++lane) {
        const char c = mask[mask.size() - 1 - lane / 4];
        const auto digit = static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
        if ((digit >> (lane % 4) & 1) != 0)
            lanes.push_back(lane);
    }
    return lanes;
}

// A record in one line of bounded length.
std::string brief(std::string_view content) {
    std::string pc, text, rest;
    for (const RetireField& f : fields(content)) {
        if (f.name == "pc")
            pc = f.value;
        else if (f.name == "text")
            text = f.value;
        else if (f.name != "wave" && f.name != "words") {
            const std::vector<std::string_view> parts = split(f.value);
            rest += "  " + std::string(f.name) + (f.value.empty() ? "" : "=");
            for (size_t i = 0; i < std::min(parts.size(), kLanesShown); ++i)
                rest += (i == 0 ? "" : ",") + std::string(parts[i]);
            if (parts.size() > kLanesShown)
                rest += fmt::format(",... {} lanes", parts.size());
        }
    }
    return pc + "  " + text + "  ;" + rest;
}

std::string lanes_that_differ(const RetireField& a, const RetireField& b) {
    const std::vector<std::string_view> left = split(a.value);
    const std::vector<std::string_view> right = split(b.value);
    const std::vector<unsigned> lanes = lanes_of(a.lanes);
    std::string out;
    size_t count = 0;
    for (size_t i = 0; i < std::min({left.size(), right.size(), lanes.size()}); ++i)
        if (left[i] != right[i] && ++count <= kLanesShown)
            out += fmt::format("  {} lane {}: {} and {}\n", a.name, lanes[i], left[i], right[i]);
    if (count > kLanesShown)
        out += fmt::format("  {}: {} lanes differ\n", a.name, count);
    return out;
}

// Of the fields of one name the one with the same number: an instruction may have several accesses
// of one kind. Null: there is none.
const RetireField* counterpart(const std::vector<RetireField>& of, size_t at,
                               const std::vector<RetireField>& among) {
    size_t before = 0;
    for (size_t i = 0; i < at; ++i)
        before += of[i].name == of[at].name ? 1 : 0;
    for (const RetireField& field : among)
        if (field.name == of[at].name && before-- == 0)
            return &field;
    return nullptr;
}

std::string what_differs(std::string_view left, std::string_view right) {
    const std::vector<RetireField> a = fields(left);
    const std::vector<RetireField> b = fields(right);
    std::string out;
    for (size_t i = 0; i < a.size(); ++i) {
        const RetireField* const other = counterpart(a, i, b);
        if (other == nullptr)
            out += fmt::format("  {}: the second has none\n", a[i].name);
        else if (other->lanes != a[i].lanes)
            out += fmt::format("  {}: lanes {} and {}\n", a[i].name, a[i].lanes, other->lanes);
        else if (other->value != a[i].value)
            out += a[i].lanes.empty()
                       ? fmt::format("  {}: {} and {}\n", a[i].name, a[i].value, other->value)
                       : lanes_that_differ(a[i], *other);
    }
    for (size_t i = 0; i < b.size(); ++i)
        if (counterpart(b, i, a) == nullptr)
            out += fmt::format("  {}: the first has none\n", b[i].name);
    return out;
}

class WaveComparison {
  public:
    WaveComparison(const RetireTrace& a, const RetireTrace& b, const RetireDiffOptions& options)
        : a_(a), b_(b), options_(options) {}

    std::optional<RetireDifference> run() {
        std::vector<size_t> done(a_.of_waves().size(), 0);  // records of each wave of a
        std::vector<size_t> other(a_.of_waves().size());    // its number in b
        for (size_t w = 0; w < other.size(); ++w)
            other[w] = b_.find_wave(a_.wave_name(w));
        for (size_t line = 0; line < a_.lines().size(); ++line) {
            const size_t wave = a_.lines()[line].wave;
            const size_t n = done[wave]++;
            if (other[wave] == RetireTrace::npos || n >= b_.of_waves()[other[wave]].size())
                return difference(wave, n, line, RetireTrace::npos);
            const size_t second = b_.of_waves()[other[wave]][n];
            if (!equal(wave, line, second))
                return difference(wave, n, line, second);
        }
        for (size_t line = 0; line < b_.lines().size(); ++line) {
            const size_t wave = a_.find_wave(b_.wave_name(b_.lines()[line].wave));
            const std::vector<size_t>& of_wave = b_.of_waves()[b_.lines()[line].wave];
            const size_t n = static_cast<size_t>(
                std::lower_bound(of_wave.begin(), of_wave.end(), line) - of_wave.begin());
            if (wave == RetireTrace::npos || n >= a_.of_waves()[wave].size())
                return difference(wave, n, RetireTrace::npos, line);
        }
        return std::nullopt;
    }

  private:
    // Whether accesses of memory of that wave are compared.
    bool with_accesses(size_t wave) const {
        const std::string& name = a_.wave_name(wave);
        return !options_.ignore_accesses && a_.has_accesses(name) && b_.has_accesses(name);
    }
    std::string compared(size_t wave, const RetireRecord& record) const {
        return with_accesses(wave) ? record.content : without_accesses(record.content);
    }
    bool equal(size_t wave, size_t a, size_t b) const {
        return RetireTrace::without_place(a_.lines()[a].text) ==
                   RetireTrace::without_place(b_.lines()[b].text) ||
               compared(wave, a_.record(a)) == compared(wave, b_.record(b));
    }
    std::string place(const RetireTrace& trace, size_t line) const {
        return line == RetireTrace::npos
                   ? trace.name() + ": none"
                   : fmt::format("{}:{}", trace.name(), trace.lines()[line].number);
    }
    RetireDifference difference(size_t wave, size_t n, size_t first, size_t second) const {
        const bool missing = first == RetireTrace::npos || second == RetireTrace::npos;
        const std::string name =
            first != RetireTrace::npos ? a_.wave_name(wave) : b_.wave_name(b_.lines()[second].wave);
        std::string out =
            fmt::format("{} and {}: record {} of wave {} {}\n", place(a_, first), place(b_, second),
                        n, name, missing ? "has no counterpart" : "differs");
        if (wave != RetireTrace::npos) {
            const std::vector<size_t>& records = a_.of_waves()[wave];
            for (size_t i = n - std::min<size_t>(n, options_.context); i < n; ++i)
                out += "    " + brief(a_.record(records[i]).content) + "\n";
        }
        if (first != RetireTrace::npos)
            out += "  < " + brief(a_.record(first).content) + "\n";
        if (second != RetireTrace::npos)
            out += "  > " + brief(b_.record(second).content) + "\n";
        if (!missing)
            out +=
                what_differs(compared(wave, a_.record(first)), compared(wave, b_.record(second)));
        return {out};
    }

    const RetireTrace& a_;
    const RetireTrace& b_;
    RetireDiffOptions options_;
};

}  // namespace

std::optional<RetireDifference> first_difference(const RetireTrace& a, const RetireTrace& b,
                                                 const RetireDiffOptions& options) {
    return WaveComparison(a, b, options).run();
}

}  // namespace archipelago::host
