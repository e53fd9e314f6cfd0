// SPDX-License-Identifier: Apache-2.0
// Counters, declared once with name, unit and meaning.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace archipelago {

struct Counter {
    std::string unit_path;  // hierarchical name of the unit: "se0.sh1.cu3.l1"
    std::string name;       // "hits"
    std::string unit;       // "cycles", "transactions", "bytes", ...
    std::string meaning;
    const uint64_t* value = nullptr;
};

// Collects where the counters live; reading them costs the blocks nothing while they run.
class StatsRegistry {
  public:
    void add(const std::string& unit_path, const char* name, const char* unit, const char* meaning,
             const uint64_t* value) {
        counters_.push_back({unit_path, name, unit, meaning, value});
    }
    const std::vector<Counter>& counters() const { return counters_; }

  private:
    std::vector<Counter> counters_;
};

// Adds the counters of one unit.
class UnitStats {
  public:
    UnitStats(StatsRegistry& stats, std::string path) : stats_(stats), path_(std::move(path)) {}
    void operator()(const char* name, const char* unit, const char* meaning,
                    const uint64_t* value) const {
        stats_.add(path_, name, unit, meaning, value);
    }

  private:
    StatsRegistry& stats_;
    const std::string path_;
};

}  // namespace archipelago
