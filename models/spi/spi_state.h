// SPDX-License-Identifier: Apache-2.0
// All mutable data of SPI. Plain and serialisable. DESIGN section 2.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/spi/dispatch.h"
#include "models/spi/wave_allocator.h"

namespace archipelago::spi {

// A work-group that runs (or is being launched) on a CU: whose it is. What it holds is the
// allocator's book.
struct LiveGroup {
    uint32_t dispatch = 0;
    uint8_t ring = 0;
};

struct LiveWave {
    bool scratch = false;
    uint32_t scratch_slot = 0;
};

struct CuBook {
    std::vector<LiveWave> waves;    // simd * slots_per_simd + slot
    std::vector<LiveGroup> groups;  // by group slot
};

// A dispatch whose groups are being placed or still run.
struct LiveDispatch {
    Dispatch dispatch;
    GroupWalk walk;
    uint64_t groups_running = 0;
    uint64_t begin = 0;  // cycle the first group was looked at
    bool started = false;
};

struct PendingEvent {
    uint8_t type = 0;
    uint32_t after = 0;  // every dispatch of the ring up to this number must have ended
};

struct RingBook {
    ComputeRegisters registers;
    std::deque<LiveDispatch> dispatches;  // in order; ended ones leave at the front
    std::deque<PendingEvent> events;
    std::vector<uint64_t> scratch_used;  // bitmap of scratch slots
    uint32_t last_dispatch = 0;
};

// Waves of a placed group on their way out, one shader engine.
struct Launching {
    bool active = false;
    unsigned cu = 0;
    Group group;
    uint8_t ring = 0;
    uint32_t dispatch = 0;
    unsigned next_wave = 0;
    uint64_t ready = 0;  // cycle the next wave may go
    std::vector<WaveLaunch> waves;
};

struct SpiCounters {
    uint64_t dispatches = 0;
    uint64_t groups = 0;
    uint64_t waves = 0;
    uint64_t waves_done = 0;
    uint64_t events = 0;
    uint64_t register_writes = 0;
    uint64_t busy_cycles = 0;
    uint64_t no_room_cycles = 0;       // a group waited for a CU's resources
    uint64_t no_scratch_cycles = 0;    // a group waited for scratch slots
    uint64_t launch_stall_cycles = 0;  // a CU's launch channel was full
};

struct SpiState {
    std::vector<uint32_t> spi_registers;  // 0xB000..0xB7FC: SPI_SHADER_*
    std::vector<RingBook> rings;
    std::vector<CuBook> cus;
    std::vector<Launching> launching;  // per shader engine
    unsigned next_ring = 0;
    AllocatorState allocator;
    std::vector<unsigned> se_waves;  // live, per shader engine
    uint32_t next_dispatch = 1;
    uint64_t waves_live = 0;
    // what a stall or busy period began in; kNever when there is none
    uint64_t busy_since = ~uint64_t{0};
    uint64_t no_room_since = ~uint64_t{0};
    uint64_t no_scratch_since = ~uint64_t{0};
    uint64_t launch_stall_since = ~uint64_t{0};
    SpiCounters counters;
};

}  // namespace archipelago::spi
