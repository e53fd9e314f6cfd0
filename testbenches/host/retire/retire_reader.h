// SPDX-License-Identifier: Apache-2.0
// Reads retire traces of either format, regardless of the program that wrote them.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace archipelago::host {

// What is wrong with a trace: "FILE:LINE: ...".
class RetireError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// One record as text, the same for both formats: wave, pc, words, fields and disassembly. Where the
// wave ran is left out.
struct RetireRecord {
    std::string wave;
    std::string content;
    std::string without_accesses;  // no record: of this wave the file has no accesses of memory
};

// A part of a record's content.
struct RetireField {
    std::string_view name;   // "exec", "v3", "global.load.4", "pc", "words", "text"
    std::string_view lanes;  // of a vector register or an access; empty: it has none
    std::string_view value;  // of lanes separated by commas
    bool is_access() const;  // of memory
};
std::vector<RetireField> fields(std::string_view content);
// A record's content without the accesses of memory.
std::string without_accesses(std::string_view content);

class RetireTrace {
  public:
    struct Line {
        size_t number = 0;      // in the file, from 1
        std::string_view text;  // with the place where the wave ran
        size_t wave = 0;        // in waves
    };
    // Throws RetireError. `name` is what messages call the file.
    RetireTrace(std::string name, std::string text);
    // Reads the file; throws RetireError when that fails, too.
    static RetireTrace open(const std::string& path);
    RetireTrace(const RetireTrace&) = delete;
    RetireTrace& operator=(const RetireTrace&) = delete;

    // Records in the order of the file, and of each wave: indices of lines.
    const std::vector<Line>& lines() const { return lines_; }
    const std::vector<std::vector<size_t>>& of_waves() const { return of_waves_; }
    const std::string& wave_name(size_t wave) const { return names_[wave]; }
    // Number of a wave by its name; npos: it has no records.
    static constexpr size_t npos = ~size_t{0};
    size_t find_wave(const std::string& name) const;
    // Record of a line.
    RetireRecord record(size_t line) const;
    // Texts that are equal are of equal records; those that differ may be, too.
    static std::string_view without_place(std::string_view line);
    const std::string& name() const { return name_; }
    // The chip the header names, or nothing.
    const std::string& asic() const { return asic_; }
    // Waves whose records have no accesses of memory, as the file says.
    bool has_accesses(const std::string& wave) const { return without_accesses_.count(wave) == 0; }
    size_t waves_without_accesses() const { return without_accesses_.size(); }

  private:
    void add(size_t number, std::string_view line);

    std::string name_;
    std::string text_;
    std::string asic_;
    std::vector<Line> lines_;
    std::vector<std::vector<size_t>> of_waves_;
    std::vector<std::string> names_;
    std::unordered_map<std::string, size_t> numbers_;  // of waves
    std::unordered_set<std::string> without_accesses_;
};

}  // namespace archipelago::host
