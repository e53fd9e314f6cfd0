// SPDX-License-Identifier: Apache-2.0
// The dispatches of one kernel together, and the verdict on it: how near they came to the peaks of
// the chip, and what kept them from ending sooner. Cycle mode.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/asic/attribution.h"
#include "models/common/programs.h"

namespace archipelago::report {

// What a chip can do so much of in a cycle: issue cycles of its SIMDs, bytes of the others.
enum class Peak : uint8_t { Alu, Lds, L1, L2, Dram, kCount };
constexpr size_t kPeaks = static_cast<size_t>(Peak::kCount);
inline constexpr std::array<const char*, kPeaks> kPeakNames{"ALU", "LDS", "L1", "L2", "DRAM"};

// From this share of a peak on the verdict names the resource; below, nothing is near its peak and
// the verdict names what waves spent most of their cycles on. A convention.
constexpr double kNearPeak = 0.6;

struct KernelTotal {
    std::string name;      // see program_name()
    uint64_t program = 0;  // where its waves begin, bytes
    std::string stage;     // see stage_name()
    unsigned dispatches = 0;
    // Of a dispatch: from its first launch to its last wave's end. Their sum, the least, the most.
    Cycle cycles = 0, least = 0, most = 0;
    // In which one of its dispatches had started and not ended; fewer where they overlap.
    Cycle busy = 0, busy_until = 0;
    bool alone = true;  // no wave of another kernel or dispatch ran meanwhile
    cu::WaveWork work;
    asic::CacheCounts l1, l2;                  // of the chip, in these cycles
    uint64_t dram_read = 0, dram_written = 0;  // bytes
    double waves_per_cu = 0;                   // mean of the busy cycles
    unsigned most_waves = 0;                   // that a compute unit holds
    // What allows no more: see spi/occupancy.h; "dispatch": it has too few waves for all units.
    std::vector<std::string> limits;
    std::array<double, kPeaks> of_peak{};  // shares, by Peak
    // The verdict: a name of kPeakNames and the share of its peak, or one of cu::kWaveGroupNames
    // and the share of the wave cycles.
    bool near_peak = false;
    const char* bound_by = "";
    double share = 0;
};

// The name of a program where the host knows it, else its address; `programs` may be null.
std::string program_name(uint64_t program, const Programs* programs);
std::string stage_name(ShaderStage stage);  // "cs", "vs"

// Of the dispatches from `first` on, in the order of Attribution: a kernel is a program in a stage.
// The one with most cycles comes first.
std::vector<KernelTotal> kernel_totals(const asic::Attribution& a, const Programs* programs,
                                       size_t first = 0);

// Cycles in which one of these dispatches had started and not ended.
Cycle kernel_cycles(const asic::Attribution& a, size_t first = 0);

}  // namespace archipelago::report
