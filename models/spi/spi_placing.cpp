// SPDX-License-Identifier: Apache-2.0
// Where waves of SPI's graphics stages go, and when.
#include <algorithm>

#include "models/common/error.h"
#include "models/spi/spi_core.h"

namespace archipelago::spi {
namespace {

std::string place_of(uint32_t draw, ShaderStage stage) {
    return "draw " + std::to_string(draw) + " " + stage_name(stage);
}

// The register and the bits of a stage's mask of CUs. Southern Islands' headers name no fields; the
// order is that of the same registers of the generation before (SQ_STATIC_THREAD_MGMT), and Linux
// keeps a unit from LS and HS in the third.
struct MaskPlace {
    unsigned index, shift;
};
constexpr MaskPlace mask_place(ShaderStage stage) {
    switch (stage) {
        case ShaderStage::Ps:
            return {0, 0};
        case ShaderStage::Vs:
            return {0, 16};
        case ShaderStage::Gs:
            return {1, 0};
        case ShaderStage::Es:
            return {1, 16};
        default:
            return {2, 0};
    }
}

// Stages whose waves write what this one's read.
constexpr unsigned upstream(ShaderStage stage) {
    const auto bit = [](ShaderStage s) { return 1u << index_of(s); };
    switch (stage) {
        case ShaderStage::Es:
            return bit(ShaderStage::Hs);
        case ShaderStage::Gs:
            return bit(ShaderStage::Es);
        case ShaderStage::Vs:
            return bit(ShaderStage::Gs) | bit(ShaderStage::Hs);
        default:
            return 0;
    }
}

}  // namespace

// ---- arbitration ------------------------------------------------------------------------

// The i-th source of waves to place: a ring's dispatches, or (number of rings) the graphics
// stages. Round robin, unless SPI_ARB_CYCLES divides time into slices, each with an order of the
// three pipes: graphics with its ring's dispatches, and the two compute rings. The headers name the
// fields only: an order is taken as the number of the permutation, a duration in cycles, shifted
// left by its multiplier times four.
unsigned SpiCore::source(Cycle now, unsigned i) const {
    const auto in_turn = [&] { return (state_.next_ring + i) % (spec_.rings + 1); };
    const GraphicsState& g = state_.graphics;
    const auto at = [&](uint32_t offset) { return g.config[config_index(offset)]; };
    const uint32_t cycles[2] = {at(spec_.map.SPI_ARB_CYCLES_0), at(spec_.map.SPI_ARB_CYCLES_1)};
    if ((cycles[0] | cycles[1]) == 0 || spec_.rings != 3)
        return in_turn();
    const uint32_t priority = at(spec_.map.SPI_ARB_PRIORITY);
    std::array<uint64_t, 4> length{};
    uint64_t period = 0;
    for (unsigned s = 0; s < 4; ++s) {
        length[s] = uint64_t{cycles[s / 2] >> (16 * (s % 2)) & 0xFFFF}
                    << (4 * (priority >> (12 + 2 * s) & 3));
        period += length[s];
    }
    uint64_t in_period = now % period;
    unsigned slice = 0;
    while (in_period >= length[slice])
        in_period -= length[slice++];
    static constexpr uint8_t kOrders[8][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0},
                                              {2, 0, 1}, {2, 1, 0}, {0, 1, 2}, {0, 1, 2}};
    const uint8_t* order = kOrders[priority >> (3 * slice) & 7];
    std::array<unsigned, 4> sources{};
    unsigned n = 0;
    for (unsigned k = 0; k < 3; ++k) {
        if (order[k] == 0)
            sources[n++] = spec_.rings;
        sources[n++] = order[k];
    }
    return sources[i];
}

// Locking: a source that finds no room while it has fewer waves on a shader array than its
// threshold reserves the array until it has found room (COMPUTE_RESOURCE_LIMITS.LOCK_THRESHOLD,
// SPI_SHADER_PGM_RSRC3_*.LOCK_LOW_THRESHOLD; counted in four waves, 0 none). Returns the bits of
// CUs that others reserve.
uint32_t SpiCore::locked_cus(unsigned se, unsigned owner) const {
    const GraphicsState& g = state_.graphics;
    if (!g.any_locked)
        return 0;
    uint32_t bits = 0;
    for (unsigned sh = 0; sh < spec_.sh_per_se; ++sh) {
        const uint32_t by = g.locked[se * spec_.sh_per_se + sh];
        if (by != 0 && by != owner + 1)
            bits |= 0xFFFFu << (16 * sh);
    }
    return bits;
}

void SpiCore::lock_arrays(unsigned owner, unsigned threshold) {
    if (threshold == 0)
        return;
    GraphicsState& g = state_.graphics;
    for (size_t a = 0; a < g.locked.size(); ++a)
        if (g.locked[a] == 0 && g.array_waves[owner][a] < threshold) {
            g.locked[a] = owner + 1;
            g.any_locked = true;
        }
}

void SpiCore::unlock_arrays(unsigned owner) {
    GraphicsState& g = state_.graphics;
    if (!g.any_locked)
        return;
    g.any_locked = false;
    for (uint32_t& by : g.locked) {
        by = by == owner + 1 ? 0 : by;
        g.any_locked = g.any_locked || by != 0;
    }
}

// ---- placing waves --------------------------------------------------------------------------

// Stages nearest to the end first, so that what is begun gets finished.
bool SpiCore::place_graphics(Cycle now, Refusals& refused) {
    bool no_export_room = false, no_color_room = false;
    bool placed = false;
    for (unsigned n = 0; n < kGraphicsStages && !placed; ++n) {
        const auto stage = static_cast<ShaderStage>(kGraphicsStages - 1 - n);
        const bool ps = stage == ShaderStage::Ps;
        if (ps ? !pixels_wait() : state_.graphics.queues[index_of(stage)].empty())
            continue;
        const Placement placement = ps ? place_pixels(now) : place_wave(now, stage);
        placed = placement == Placement::Placed;
        no_export_room = no_export_room || placement == Placement::NoExportRoom;
        no_color_room = no_color_room || placement == Placement::NoColorRoom;
        note(placement, kind_of(stage), refused);
    }
    note_stall(no_export_room && !placed, now, state_.no_export_room_since,
               state_.counters.no_export_room_cycles);
    note_stall(no_color_room && !placed, now, state_.no_color_room_since,
               state_.counters.no_color_room_cycles);
    if (no_export_room || state_.no_parameter_room_since != kNever) {
        const auto& vs = state_.graphics.queues[index_of(ShaderStage::Vs)];
        const bool parameters =
            no_export_room && !placed && !vs.empty() &&
            !exports_.has_parameter_room(
                std::min<unsigned>(vs.front().wave.shader_engine, spec_.shader_engines - 1),
                program_of(*find_draw(vs.front().wave.draw), ShaderStage::Vs));
        note_stall(parameters, now, state_.no_parameter_room_since,
                   state_.counters.no_parameter_room_cycles);
    }
    return placed;
}

// The lowest that is free, -1 when all are taken; 0 without scratch.
int SpiCore::scratch_slot(const StageProgram& program) const {
    if (!program.scratch)
        return 0;
    const auto& used = state_.graphics.scratch_used;
    for (uint32_t slot = 0; slot < program.scratch_waves; ++slot)
        if (slot / 64 >= used.size() || (used[slot / 64] >> (slot % 64) & 1) == 0)
            return static_cast<int>(slot);
    return -1;
}

// Fills grant_. The engine's CUs that the stage's masks, its limit of waves and others' locks
// leave.
bool SpiCore::find_room(const StageProgram& p, unsigned engine, unsigned waves, unsigned vgprs,
                        unsigned sgprs, uint32_t lds_bytes) {
    const CuResources& res = spec_.cu;
    GraphicsState& g = state_.graphics;
    const unsigned owner = index_of(p.stage);
    AllocatorQuery query;
    query.waves = waves;
    query.vgprs = res.vgpr_granules(vgprs);
    query.sgprs = res.sgpr_granules(sgprs);
    query.lds = res.lds_granules(lds_bytes);
    bool any = false;
    const MaskPlace mask = mask_place(p.stage);
    // The mask of an engine has 16 bits for each of its arrays.
    for (unsigned sh = 0; sh < std::min(spec_.sh_per_se, 2u); ++sh) {
        const unsigned array = engine * spec_.sh_per_se + sh;
        const uint32_t enabled = g.thread_management[array][mask.index] >> mask.shift &
                                 p.cu_enable & ((1u << spec_.cu_per_sh) - 1);
        any = any || enabled != 0;
        if (p.wave_limit != 0 && g.array_waves[owner][array] + waves > p.wave_limit)
            continue;
        query.enabled[engine] |= enabled << (16 * sh);
    }
    if (!any)
        throw MachineStop(StopKind::BadInput, std::string(stage_name(p.stage)) + " wave",
                          "SPI_STATIC_THREAD_MGMT and SPI_SHADER_PGM_RSRC3 leave no compute unit "
                          "of shader engine " +
                              std::to_string(engine));
    query.enabled[engine] &= ~locked_cus(engine, owner);
    query.launching = launching_engines();
    if (unit_ != nullptr)
        unit_->allocate(query, grant_);
    else
        allocator_.allocate(state_.allocator, query, grant_);
    // An engine that still launches is no want of room.
    if (!grant_.placed && (query.launching >> engine & 1) == 0)
        lock_arrays(owner, p.lock_threshold);
    if (grant_.placed)
        unlock_arrays(owner);
    return grant_.placed;
}

// The group of a tessellation wave. Its first wave finds room for all of the group, and LDS of the
// size that LS states.
SpiCore::Placement SpiCore::open_group(const VertexWave& v, ShaderStage stage, unsigned engine,
                                       LiveWaveGroup*& found) {
    GraphicsState& g = state_.graphics;
    LiveDraw& draw = *find_draw(v.draw);
    const StageProgram& p = program_of(draw, stage);
    const StageProgram& ls = program_of(draw, ShaderStage::Ls);
    const std::pair<uint32_t, uint32_t> key{v.draw, v.group};
    auto it = g.groups.find(key);
    const auto wrong = [&](const std::string& why) {
        throw MachineStop(StopKind::Protocol,
                          place_of(v.draw, stage) + " group " + std::to_string(v.group), why);
    };
    if (it == g.groups.end()) {
        const auto& before = g.queues[index_of(ShaderStage::Ls)];
        if (stage == ShaderStage::Hs &&
            std::any_of(before.begin(), before.end(), [&](const QueuedWave& q) {
                return q.wave.draw == v.draw && q.wave.group == v.group;
            }))
            return Placement::Waiting;
        const StageProgram& hs = program_of(draw, ShaderStage::Hs);
        if (v.wave_in_group != 0 || stage != ShaderStage::Ls)
            wrong("its first wave is not the first LS wave");
        if (v.waves_in_group > AllocatorQuery::kMaxWaves)
            wrong("more than " + std::to_string(AllocatorQuery::kMaxWaves) + " waves");
        LiveWaveGroup group;
        group.vgprs = std::max(ls.vgprs, hs.vgprs);
        group.sgprs = std::max(ls.sgprs, hs.sgprs);
        const CuResources& res = spec_.cu;
        const unsigned most =
            res.simds * std::min({res.slots_per_simd, res.vgprs_per_simd / group.vgprs,
                                  res.sgprs_per_simd / group.sgprs});
        if (v.waves_in_group > most || (p.wave_limit != 0 && v.waves_in_group > p.wave_limit))
            throw MachineStop(StopKind::BadInput, place_of(v.draw, stage),
                              "a group of " + std::to_string(v.waves_in_group) + " waves with " +
                                  std::to_string(group.vgprs) + " VGPRs and " +
                                  std::to_string(group.sgprs) +
                                  " SGPRs does not fit a compute unit or the limit of waves");
        if (!find_room(p, engine, v.waves_in_group, group.vgprs, group.sgprs, ls.lds_bytes))
            return no_room_on(engine);
        group.cu = grant_.cu;
        group.group_slot = grant_.group_slot;
        group.lds = grant_.lds;
        group.waves = v.waves_in_group;
        std::copy_n(grant_.waves.begin(), v.waves_in_group, group.at.begin());
        it = g.groups.emplace(key, group).first;
    } else {
        LiveWaveGroup& group = it->second;
        if (v.wave_in_group >= group.waves)
            wrong("it has more waves than its first said");
        if (state_.launching[group.cu / (spec_.sh_per_se * spec_.cu_per_sh)].active())
            return Placement::Launching;
        // HS waves read what all LS waves have written.
        if (stage == ShaderStage::Hs && group.ls_ended != v.wave_in_group - group.hs_started)
            return Placement::Waiting;
    }
    found = &it->second;
    return Placement::Placed;
}

SpiCore::Placement SpiCore::place_wave(Cycle now, ShaderStage stage) {
    GraphicsState& g = state_.graphics;
    QueuedWave& queued = g.queues[index_of(stage)].front();
    const VertexWave& v = queued.wave;
    LiveDraw& draw = *find_draw(v.draw);
    const StageProgram& p = program_of(draw, stage);
    const unsigned engine = std::min<unsigned>(v.shader_engine, spec_.shader_engines - 1);
    for (unsigned s = 0; s < kGraphicsStages; ++s)
        if ((upstream(stage) >> s & 1) != 0 && draw.stages[s].ended < queued.after[s])
            return Placement::Waiting;
    bool late = false;
    if (stage == ShaderStage::Vs && !exports_.has_room(engine, p)) {
        if (exports_.state().late >= p.late_allocations)
            return Placement::NoExportRoom;
        late = true;
    }
    const int slot = scratch_slot(p);
    if (slot < 0)
        return Placement::NoScratch;
    WaveLaunch launch = make_vertex_wave(p, v, static_cast<uint32_t>(slot), data_);
    LiveWave wave;
    wave.scratch = p.scratch;
    wave.scratch_slot = static_cast<uint32_t>(slot);
    wave.stage = stage;
    wave.draw = v.draw;
    wave.number = v.wave;
    wave.arrived = queued.arrived;
    const auto leave = [&] {
        g.queues[index_of(stage)].pop_front();
        return Placement::Placed;
    };

    const bool tessellation = stage == ShaderStage::Ls || stage == ShaderStage::Hs;
    if (!tessellation || v.waves_in_group <= 1) {
        if (!find_room(p, engine, 1, p.vgprs, p.sgprs, p.lds_bytes))
            return no_room_on(engine);
        if (stage == ShaderStage::Vs) {
            exports_.open(v, p, late);
            state_.counters.late_waves += late ? 1 : 0;
        }
        launch_graphics(now, launch, wave, grant_.cu, grant_.group_slot, grant_.lds,
                        grant_.waves[0], data_);
        return leave();
    }

    LiveWaveGroup* group = nullptr;
    if (const Placement found = open_group(v, stage, engine, group); found != Placement::Placed)
        return found;
    group->hs_started += stage == ShaderStage::Hs ? 1 : 0;
    wave.in_group = true;
    wave.group = v.group;
    launch.lds_bytes = program_of(draw, ShaderStage::Ls).lds_bytes;
    launch.keeps_lds = stage == ShaderStage::Hs;
    launch_graphics(now, launch, wave, group->cu, group->group_slot, group->lds,
                    group->at[v.wave_in_group], data_);
    return leave();
}

void SpiCore::launch_graphics(Cycle now, WaveLaunch& launch, LiveWave wave, unsigned cu,
                              unsigned group_slot, unsigned lds, const AllocatorGrant::Wave& at,
                              const LaunchData& data) {
    const CuResources& res = spec_.cu;
    GraphicsState& g = state_.graphics;
    if (g.launch_data_free.empty()) {
        g.launch_data_free.push_back(static_cast<uint32_t>(g.launch_data.size()));
        g.launch_data.emplace_back();
    }
    wave.data = g.launch_data_free.back();
    g.launch_data_free.pop_back();
    LaunchData& kept = g.launch_data[wave.data];
    kept = data;
    launch.data = &kept;
    launch.group_slot = static_cast<uint8_t>(group_slot);
    launch.simd = at.simd;
    launch.slot = at.slot;
    launch.vgpr_base = static_cast<uint16_t>(at.vgpr * res.vgpr_granule);
    launch.sgpr_base = static_cast<uint16_t>(at.sgpr * res.sgpr_granule);
    launch.lds_base = lds * res.lds_granule;
    if (wave.scratch) {
        if (g.scratch_used.size() <= wave.scratch_slot / 64)
            g.scratch_used.resize(wave.scratch_slot / 64 + 1, 0);
        g.scratch_used[wave.scratch_slot / 64] |= uint64_t{1} << (wave.scratch_slot % 64);
    }
    state_.cus[cu].waves[at.simd * res.slots_per_simd + at.slot] = wave;
    const unsigned se = cu / (spec_.sh_per_se * spec_.cu_per_sh);
    Launching& out = state_.launching[se];
    out.left = 1;
    out.of_group = false;
    out.cu = cu;
    out.ready = now + 1;
    out.wave = launch;
    ++state_.se_waves[se];
    ++state_.waves_live;
    ++state_.kind_waves[kind_of(wave.stage)];
    ++g.array_waves[index_of(wave.stage)][array_of(cu)];
    ++state_.counters.stage_waves[index_of(wave.stage)];
}

}  // namespace archipelago::spi
