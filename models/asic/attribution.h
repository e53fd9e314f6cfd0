// SPDX-License-Identifier: Apache-2.0
// Where the cycles of a run went: those of waves by reason, those of memory transactions by place,
// and what each dispatch has done. Cycle mode.
#pragma once

#include <array>
#include <cstddef>
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

// What the next dispatch waits for while no wave runs: what is at work nearest to its launch.
enum class GapReason : uint8_t {
    Host,
    Fetch,
    Parse,
    PacketStart,
    Packet,
    RegisterWrite,
    RegisterBus,
    ContextRoll,
    WaitForIdle,
    CacheAction,
    Fence,
    Poll,
    Memory,
    Dma,
    ConstantEngine,
    Gds,
    DispatchQueue,
    Launch,
    kCount,
};
constexpr size_t kGapReasons = static_cast<size_t>(GapReason::kCount);
struct GapReasonRow {
    const char* name;
    const char* meaning;
};
inline constexpr std::array<GapReasonRow, kGapReasons> kGapReasonRows{{
    {"host", "the rings are empty: the host has submitted nothing more"},
    {"fetch", "dwords of the ring or of an indirect buffer are on their way from memory"},
    {"parse", "PFP has the packet, or its dwords are on their way to ME"},
    {"packet_start", "ME begins the packet's program (cp.me_packet_cycles, or its microcode)"},
    {"packet", "ME takes a dword of the packet or executes an operation of it, one a cycle"},
    {"register_write", "ME writes a register: the bus takes one a cycle"},
    {"register_bus", "a register access waits for the bus or is on its way"},
    {"context_roll", "all render contexts are in the pipe"},
    {"wait_for_idle", "an event has not passed the pipe: its last wave has ended"},
    {"cache_action", "caches write back or invalidate"},
    {"fence", "the end-of-pipe unit writes, or takes no more commands"},
    {"poll", "a value in memory or in a register is not the awaited one yet"},
    {"memory", "PFP or ME waits for its memory accesses"},
    {"dma", "CP DMA copies"},
    {"constant_engine", "the constant engine is not as far"},
    {"gds", "the global data share is busy"},
    {"dispatch_queue", "SPI holds as many dispatches or draws as it can, and takes no more"},
    {"launch", "SPI and VGT have the dispatch or draw, and its first wave has not begun"},
}};
// Cycles of one reason before a dispatch; `dispatch` counts them in the order of Attribution, and
// is their number after the last one.
struct GapPart {
    size_t dispatch = 0;
    Cycle begin = 0, end = 0;
    const char* packet = "";  // at work then; empty: none
    GapReason reason = GapReason::Host;
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
    // With --profile, in order: while no wave ran; and of every dispatch, since the first wave of
    // the one before it.
    std::vector<GapPart> gaps, intervals;
    std::vector<MicrocodeProfile> microcode;
    Cycle series_interval = 0;
    std::vector<Sample> series;
};

}  // namespace archipelago::asic
