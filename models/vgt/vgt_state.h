// SPDX-License-Identifier: Apache-2.0
// All mutable data of VGT besides the draw at work (draw_engine.h) and the index DMA unit.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "models/vgt/draw.h"
#include "models/vgt/index_dma_message.h"
#include "models/vgt/vgt_registers.h"

namespace archipelago::vgt {

// A draw or an event, in the order they were written.
struct QueueItem {
    bool is_draw = false;
    uint8_t event_type = 0;
    uint8_t context = 0;
    uint32_t fetched = 0;  // instances whose indices the DMA unit has a command for
    Draw draw;
};

enum class Phase : uint8_t { Idle, Starting, Drawing, Ending };

struct VgtCounters {
    uint64_t draws = 0;
    uint64_t events = 0;
    uint64_t indices = 0;
    std::array<uint64_t, 6> waves{};  // by stage
    std::array<uint64_t, 6> lanes{};
    uint64_t primitives_out = 0;
    uint64_t register_writes = 0;
    uint64_t busy_cycles = 0;
    uint64_t index_wait_cycles = 0;            // for indices
    uint64_t spi_wait_cycles = 0;              // the channel to SPI was full
    uint64_t primitive_wait_cycles = 0;        // the one to the primitive assembler
    uint64_t shader_wait_cycles = 0;           // for waves whose results are waited for
    std::array<uint64_t, 6> stage_spi_wait{};  // spi_wait_cycles by the stage of the wave
    uint64_t ds_lanes = 0;                     // of VS waves that run domain shaders
};

struct VgtState {
    VgtRegisters registers;
    std::deque<QueueItem> queue{};     // the front is at work unless idle
    std::deque<uint32_t> immediate{};  // VGT_IMMED_DATA not yet done with
    size_t immediate_kept = 0;         // of them, at the front: used, for the instances to come
    uint64_t immediate_expected = 0;   // dwords still to come for draws in the queue
    uint32_t draws = 0;                // written since reset
    uint16_t place = 0;                // RegRequest::place of the last
    uint8_t offsets_written = 0;       // VGT_STRMOUT_BUFFER_OFFSET_n, since the last draw
    Phase phase = Phase::Idle;
    uint64_t ready = 0;                                // cycle the phase may go on
    uint64_t wave_free = 0;                            // cycle the link to SPI takes a wave again
    bool spi_ended = false, primitives_ended = false;  // DrawEnd or Event was sent
    bool sampled = false;
    uint64_t begin = 0;  // of the draw at work
    IndexGroup group{};  // being used
    uint8_t group_used = 0;
    bool has_group = false;
    // What a stall or busy period began in; kNever when there is none.
    uint64_t busy_since = ~uint64_t{0};
    uint64_t index_wait_since = ~uint64_t{0};
    uint64_t spi_wait_since = ~uint64_t{0};
    uint8_t spi_wait_stage = 0;
    uint64_t primitive_wait_since = ~uint64_t{0};
    uint64_t shader_wait_since = ~uint64_t{0};
    VgtCounters counters{};
};

}  // namespace archipelago::vgt
