// SPDX-License-Identifier: Apache-2.0
// All mutable data of SPI: values and indices.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "models/common/context_registers.h"
#include "models/common/stall_cycles.h"
#include "models/gcn/draw_message.h"
#include "models/spi/dispatch.h"
#include "models/spi/graphics.h"
#include "models/spi/wave_allocator.h"

namespace archipelago::spi {

// A work-group that runs (or is being launched) on a CU: its dispatch and ring. The allocator keeps
// its resources.
struct LiveGroup {
    uint32_t dispatch = 0;
    uint8_t ring = 0;
};

struct LiveWave {
    bool scratch = false;
    uint32_t scratch_slot = 0;
    // Graphics stages.
    ShaderStage stage = ShaderStage::Cs;
    uint32_t draw = 0;
    uint32_t number = 0;   // of the wave within stage and draw
    uint32_t arrived = 0;  // how many of the stage had come to SPI before it
    bool in_group = false;
    uint32_t group = 0;
    uint32_t data = 0;     // index in GraphicsState::launch_data
    uint32_t exports = 0;  // that have come
};

struct CuOccupancy {
    std::vector<LiveWave> waves;    // simd * slots_per_simd + slot
    std::vector<LiveGroup> groups;  // by group slot
};

// A dispatch whose groups are being placed or still run.
struct LiveDispatch {
    Dispatch dispatch;
    uint64_t groups_running = 0;
    uint64_t begin = 0;    // cycle in which placing began
    bool given = false;    // to the dispatcher
    bool started = false;  // placing has begun
    bool walked = false;   // all its groups are placed
};

struct PendingEvent {
    uint8_t type = 0;
    uint32_t after = 0;  // every dispatch of the ring up to this number must have ended
    // Graphics ring: the draws before it, the render context, and whether VGT has passed it on.
    uint32_t after_draw = 0;
    uint8_t context = 0;
    bool token = true;
    uint64_t cs_invocations = 0;  // as they were when it was written
    uint64_t ps_invocations = 0;  // as they are when the draws before it have ended
    uint64_t number = 0;          // graphics ring: of the event, from 1
    uint32_t context_draw = 0;    // the last draw of its context before it
    // A draw has come since an event that flushed all of the render back ends: it waits for them.
    bool after_pixels = false;
};

// Threads of the graphics ring's dispatches, and pixels of the draws that have ended, while they
// are counted (PIPELINESTAT_START, _STOP).
struct PipelineStatistics {
    bool counting = false;
    uint64_t invocations = 0;  // compute
    uint64_t pixels = 0;
};

// What has passed a render back end: events of the graphics ring, and draws up to a number.
struct BackEndProgress {
    uint64_t events = 0;
    uint32_t draw = 0;
};

struct RingState {
    ComputeRegisters registers;
    std::deque<LiveDispatch> dispatches;  // in order; ended ones leave at the front
    std::deque<PendingEvent> events;
    uint32_t last_dispatch = 0;
};

// Waves on their way out, one shader engine: of a placed group, which the dispatcher has, or one of
// a graphics stage.
struct Launching {
    unsigned left = 0;
    bool of_group = false;
    bool scratch = false;  // of the group
    unsigned cu = 0;
    uint64_t ready = 0;  // cycle the next wave may go
    WaveLaunch wave;
    bool active() const { return left != 0; }
};

// ---- graphics stages ------------------------------------------------------------------------

// Waves of one stage of a draw.
struct StageProgress {
    uint32_t arrived = 0;         // came to SPI
    uint32_t ended = 0;           // the first so many that came have ended
    std::deque<bool> ended_from;  // those after them
    uint32_t live = 0;            // came and have not ended
};

struct LiveDraw {
    uint32_t number = 0;
    uint8_t context = 0;
    uint8_t vmid = 0;        // of the write that began it
    uint16_t place = 0;      // its RegRequest::place
    uint64_t sh_writes = 0;  // SPI_SHADER_* writes before it
    std::shared_ptr<const GraphicsRegisters::Shader> shader;
    GraphicsRegisters::Context registers{};
    std::array<std::optional<StageProgram>, kGraphicsStages> programs;  // decoded on first use
    std::array<StageProgress, kGraphicsStages> stages;
    bool vgt_done = false;       // VGT has sent all of it
    uint32_t pixel_engines = 0;  // whose pixels are on their way to CUs, a bit each
    bool pixels_done = false;    // all of them
    bool counted = false;        // pipeline statistics count its pixels
    uint64_t pixels = 0;         // that have been shaded
    uint64_t begin = 0;
    bool vertices_ended() const {
        for (unsigned s = 0; s < kGraphicsStages; ++s)
            if (s != index_of(ShaderStage::Ps) && stages[s].live != 0)
                return false;
        return vgt_done;
    }
    bool ended() const {
        return vertices_ended() && pixels_done && stages[index_of(ShaderStage::Ps)].live == 0;
    }
};

// A wave that has come and has not found room.
struct QueuedWave {
    VertexWave wave;
    uint32_t arrived = 0;                           // its number among those of the stage
    std::array<uint32_t, kGraphicsStages> after{};  // waves of each stage that came before
};

// LS and HS waves that share a CU's LDS.
struct LiveWaveGroup {
    uint16_t cu = 0;
    uint8_t group_slot = 0;
    uint16_t lds = 0;  // first granule
    uint8_t waves = 0, ended = 0, ls_ended = 0, hs_started = 0;
    uint16_t vgprs = 0, sgprs = 0;  // allocated for each wave
    std::array<AllocatorGrant::Wave, AllocatorQuery::kMaxWaves> at{};
};

struct GraphicsState {
    ContextRegisters contexts{0, 0, regs::kNoOffset};           // sized by reset
    GraphicsRegisters::Shader shader{};                         // as last written
    std::shared_ptr<const GraphicsRegisters::Shader> snapshot;  // of it; null: changed since
    uint64_t sh_writes = 0;
    uint32_t last_draw = 0;
    std::deque<LiveDraw> draws;  // consecutive numbers
    std::array<std::deque<QueuedWave>, kGraphicsStages> queues;
    // By shader engine: draw, and its VS waves before that have no later pixel.
    std::vector<std::pair<uint32_t, uint32_t>> parameters_used;
    unsigned next_pixel_engine = 0;
    uint64_t events = 0;              // written
    bool pixels_since_flush = false;  // a draw has come since the back ends were flushed
    std::array<uint32_t, kContexts> context_draw{};                 // the last draw of each
    std::vector<BackEndProgress> back_ends;                         // by RB
    std::map<std::pair<uint32_t, uint32_t>, LiveWaveGroup> groups;  // by draw and group
    std::deque<LaunchData> launch_data;                             // does not move
    std::vector<uint32_t> launch_data_free;
    std::vector<uint64_t> scratch_used;  // bitmap, all stages
    // Per stage, compute included, and shader array: waves that run.
    std::array<std::vector<unsigned>, kGraphicsStages + 1> array_waves;
    // Per shader array: PS VS, GS ES, LS/HS masks.
    std::vector<std::array<uint32_t, 3>> thread_management;
    std::vector<uint32_t> config;  // 0x90E0..0x913C
    std::vector<uint32_t> locked;  // per shader array: 1 + stage that keeps it to itself
    bool any_locked = false;
    uint32_t ps_waves = 0;    // for WAVE_CNT_EN
    uint64_t waves_live = 0;  // came and have not ended
};

// Kinds of waves, in the order of the performance counter events: the stages from the end of the
// pipe on, compute waves of the graphics ring (CSG) and of the compute rings
// (CSN).
constexpr unsigned kWaveKinds = 8;
constexpr unsigned kind_of(ShaderStage stage, unsigned ring = 0) {
    return stage == ShaderStage::Cs ? (ring == 0 ? 6 : 7) : kGraphicsStages - 1 - index_of(stage);
}

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
    uint64_t draws = 0;
    std::array<uint64_t, kGraphicsStages> stage_waves{};  // launched
    uint64_t late_waves = 0;                              // VS waves launched without export space
    uint64_t no_export_room_cycles = 0;                   // a VS wave waited for export space
    uint64_t register_stall_cycles = 0;  // a register write waited for draws to end
    // Compute, of the graphics ring and of the compute rings.
    std::array<uint64_t, 2> ring_groups{}, ring_waves{};
    uint64_t no_alloc_cycles = 0;                   // requests, and no wave placed
    std::array<uint64_t, kWaveKinds> no_room{};     // cycles without room on a CU
    std::array<uint64_t, kWaveKinds> no_scratch{};  // without a scratch slot
    std::array<uint64_t, kWaveKinds> no_alloc{};    // with either
    uint64_t no_parameter_room_cycles = 0;          // a VS wave waited for parameter space
    uint64_t no_color_room_cycles = 0;              // a PS wave waited for colour space
};

struct SpiState {
    std::vector<RingState> rings;
    std::vector<CuOccupancy> cus;
    std::vector<Launching> launching;  // per shader engine
    unsigned next_ring = 0;
    PipelineStatistics statistics;
    AllocatorState allocator;
    std::vector<unsigned> se_waves;  // live, per shader engine
    uint32_t next_dispatch = 1;
    GroupSelection chosen;  // of the next dispatch
    uint64_t waves_live = 0;
    // what a stall or busy period began in; kNever when there is none
    uint64_t busy_since = ~uint64_t{0};
    uint64_t no_room_since = ~uint64_t{0};
    uint64_t no_scratch_since = ~uint64_t{0};
    uint64_t launch_stall_since = ~uint64_t{0};
    uint64_t no_export_room_since = ~uint64_t{0};
    uint64_t register_stall_since = ~uint64_t{0};
    // The same by kind of wave: those that stall (a bit for each kind), and since when.
    struct KindStall {
        uint32_t stalled = 0;
        std::array<uint64_t, kWaveKinds> since{};
    };
    KindStall room_stall, scratch_stall, alloc_stall;
    uint64_t no_alloc_since = ~uint64_t{0};
    uint64_t no_parameter_room_since = ~uint64_t{0};
    uint64_t no_color_room_since = ~uint64_t{0};
    std::array<uint64_t, kWaveKinds> kind_waves{};  // live
    GraphicsState graphics;
    SpiCounters counters;
};

}  // namespace archipelago::spi
