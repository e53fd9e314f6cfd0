// SPDX-License-Identifier: Apache-2.0
// Where the cycles of a run went: those of waves by reason, those of memory transactions by place,
// and what each dispatch has done. Cycle mode.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/asic/transaction_ledger.h"
#include "models/cu/pipeline/wave_ledger.h"

namespace archipelago::asic {

// Sums of the counters of all caches of a level.
struct CacheCounts {
    uint64_t reads = 0;
    uint64_t hits = 0;
    uint64_t merged = 0;
    uint64_t writes = 0;
    uint64_t bytes = 0;
};

// Readings of a chip's counters in one cycle.
struct Sample {
    Cycle cycle = 0;
    uint64_t waves_launched = 0;
    uint64_t waves_ended = 0;
    uint64_t instructions = 0;
    CacheCounts l1, l2;
    std::vector<uint64_t> dram_read, dram_written;  // bytes, by channel
};

// What a counter has counted between two readings. A reset in between has cleared it.
constexpr uint64_t counted(uint64_t before, uint64_t after) {
    return after >= before ? after - before : after;
}
// What caches and channels of a chip have counted between two readings; DRAM in bytes.
struct MemoryCounts {
    CacheCounts l1, l2;
    uint64_t dram_read = 0, dram_written = 0;
};
MemoryCounts counted(const Sample& before, const Sample& after);

// The most that a chip can do, per second.
struct Ceilings {
    double valu_cycles = 0;  // of all SIMDs
    double f32_flops = 0;
    double f64_flops = 0;
    double lds_bytes = 0;
    double l1_bytes = 0;
    double l2_bytes = 0;
    double dram_bytes = 0;
};

// A dispatch, or a stage of a draw.
struct DispatchProfile {
    cu::DispatchRecord record;
    Sample before, after;             // at its start and end
    bool alone = true;                // no other dispatch had waves between start and end
    unsigned most_waves = 0;          // that a compute unit holds of its groups
    std::vector<std::string> limits;  // what there is no more of then, see spi/occupancy.h
};

struct InstructionProfile {
    cu::PcKey key;
    cu::PcWork work;
    std::string text;
};

// Of a command processor: the cycles of an engine (of GCN: for a ring) by packet, and by
// instruction of its microcode.
struct PacketProfile {
    std::string engine;
    std::string packet;
    uint64_t count = 0, cycles = 0, most = 0;
};
struct MicrocodeProfile {
    std::string engine;
    uint32_t pc = 0;
    std::string source;  // of the instruction, "file:line"; empty: not known
    std::string text;
    uint64_t issues = 0, cycles = 0;
};

struct Attribution {
    uint64_t period_fs = 0;  // of the engine clock
    TransactionTimes memory;
    // Without compute units the rest is empty.
    unsigned compute_units = 0;
    uint64_t wave_slots = 0;
    cu::WaveWork waves;
    Ceilings ceilings;
    std::vector<DispatchProfile> dispatches;  // in the order they started
    std::vector<InstructionProfile> instructions;
    std::vector<PacketProfile> packets;
    std::vector<MicrocodeProfile> microcode;
    Cycle series_interval = 0;
    std::vector<Sample> series;
};

}  // namespace archipelago::asic
