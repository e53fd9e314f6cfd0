// SPDX-License-Identifier: Apache-2.0
// All mutable data of SPI. Plain and serialisable. DESIGN section 2.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/spi/dispatch.h"
#include "models/spi/range_allocator.h"

namespace archipelago::spi {

// A work-group that runs (or is being launched) on a CU.
struct LiveGroup {
    bool used = false;
    uint32_t dispatch = 0;
    uint8_t ring = 0;
    uint32_t number = 0;
    uint8_t waves_left = 0;
    bool barrier = false;
    uint16_t lds_first = 0, lds_count = 0;  // granules
};

struct LiveWave {
    bool used = false;
    uint8_t group_slot = 0;
    uint16_t vgpr_first = 0, vgpr_count = 0;  // granules
    uint16_t sgpr_first = 0, sgpr_count = 0;
    bool scratch = false;
    uint32_t scratch_slot = 0;
};

struct CuBook {
    std::vector<RangeAllocator> vgprs;  // one per SIMD
    std::vector<RangeAllocator> sgprs;
    RangeAllocator lds{256};
    std::vector<LiveWave> waves;  // simd * slots_per_simd + slot
    std::vector<uint32_t> slots;  // per SIMD: wave slots taken
    std::vector<LiveGroup> groups;
    unsigned barriers_used = 0;
    unsigned groups_used = 0;
    unsigned waves_used = 0;
    unsigned next_simd = 0;
    // Groups of so many waves of this dispatch found no room, and nothing has left the CU since.
    uint32_t refused_dispatch = 0;
    unsigned refused_waves = 0;
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
    unsigned next_se = 0;
    std::vector<unsigned> next_sh;  // per shader engine
    std::vector<unsigned> next_cu;  // per shader array
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
