// SPDX-License-Identifier: Apache-2.0
// What a Reader has read: every field with its meaning and origin, and every timing value with its
// source. `describe` prints both; nothing else depends on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/config/diagnostics.h"

namespace archipelago::config {

// One `{cycles: 4, source: <document>, ref: <place in it>}`, or with `ns: 2.9` for `cycles: 4`.
struct TimingEntry {
    std::string path;
    std::uint64_t cycles = 0;
    std::string source;  // "guess" when unknown; "--set" when only the number was overridden
    std::string ref;     // may be empty
    bool is_guess = false;
    bool is_override = false;  // the number comes from the command line
    Origin origin;             // of the number
    std::string ns;            // the number, when it is in ns
};

class TimingRegistry {
  public:
    // A path that is registered again replaces the earlier entry.
    void add(TimingEntry entry);

    // Ordered by path.
    std::vector<TimingEntry> entries() const;
    std::size_t size() const { return by_path_.size(); }
    std::size_t guess_count() const;
    std::size_t override_count() const;
    const TimingEntry* find(const std::string& path) const;

    // "12 delays: 3 estimates, 1 overridden"; an estimate has the source "guess".
    std::string summary() const;
    // Aligned columns path, cycles, source, ref, ns, origin; one line per entry, a heading first.
    std::string format_table() const;

  private:
    std::map<std::string, TimingEntry> by_path_;
};

struct FieldRecord {
    std::string path;
    std::string expected;  // "an integer in 1..1024"
    std::string value;     // as the model uses it: "5000000 fs" reads "5 ns"
    Origin origin;         // no file when the default was taken
    bool is_default = false;
    std::string doc;  // may be empty
};

class FieldTable {
  public:
    // A path that is registered again replaces the earlier record.
    void add(FieldRecord record);
    // Ordered by path.
    std::vector<FieldRecord> records() const;
    std::size_t size() const { return by_path_.size(); }
    const FieldRecord* find(const std::string& path) const;

    // One line per field: `path: value   # file:line, an integer in 1..1024: what it is`.
    std::string format() const;

  private:
    std::map<std::string, FieldRecord> by_path_;
};

struct Records {
    TimingRegistry timings;
    FieldTable fields;
};

}  // namespace archipelago::config
