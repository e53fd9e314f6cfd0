// SPDX-License-Identifier: Apache-2.0
// SPI's graphics stages: draws, waves of VGT and the rasteriser, exports, events behind them.
#include <algorithm>

#include "models/common/error.h"
#include "models/spi/spi_core.h"
#include "registers/si_enums.h"
#include "registers/si_names.h"
#include "registers/si_spi.h"

namespace archipelago::spi {
namespace {

namespace r = regs::si;
namespace t = regs::si::typed;

constexpr uint32_t kConfigFirst = r::SPI_STATIC_THREAD_MGMT_1;
constexpr uint32_t kConfigEnd = r::SPI_CONFIG_CNTL_1 + 4;
constexpr uint32_t kAllUnits = 0xFFFFFFFF;

// VGT_EVENT_TYPE, facts: vgt_events.
constexpr uint8_t kContextDone = 5, kCsPartialFlush = 7, kVsPartialFlush = 15;
constexpr uint8_t kPsPartialFlush = 16, kCsDone = 47, kPsDone = 48;

void note_stall(bool now_stalled, Cycle now, uint64_t& since, uint64_t& counter) {
    if (now_stalled && since == kNever) {
        since = now;
    } else if (!now_stalled && since != kNever) {
        counter += now - since;
        since = kNever;
    }
}

bool in_config(uint32_t offset) {
    return offset >= kConfigFirst && offset < kConfigEnd;
}
bool in_shader(uint32_t offset) {
    return offset >= GraphicsRegisters::kShaderFirst && offset < GraphicsRegisters::kShaderEnd;
}

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

// ---- who is there ---------------------------------------------------------------------------

Channel<VgtMessage>& SpiCore::from_vgt() {
    has_vgt_ = true;
    return vgt_in_;
}
Channel<PixelWave>& SpiCore::from_rasteriser() {
    has_rasteriser_ = true;
    return pixels_in_;
}
Channel<ExportFree>& SpiCore::from_assembler() {
    has_assembler_ = true;
    return freed_in_;
}
void SpiCore::connect_vertices(Channel<VertexExports>& out) {
    vertices_out_ = &out;
    out.set_producer(this);
}

void SpiCore::reset_graphics() {
    GraphicsState& g = state_.graphics;
    const unsigned arrays = spec_.shader_engines * spec_.sh_per_se;
    for (auto& waves : g.array_waves)
        waves.assign(arrays, 0);
    g.thread_management.assign(arrays, {kAllUnits, kAllUnits, kAllUnits});
    g.config.assign((kConfigEnd - kConfigFirst) / 4, 0);
    g.locked.assign(arrays, 0);
    exports_.reset();
    vgt_in_.clear();
    pixels_in_.clear();
    freed_in_.clear();
    for (auto& c : exports_in_)
        c->clear();
    sx_busy.reset();
    for (Wire<bool>& wire : se_sx_busy)
        wire.reset();
}

bool SpiCore::graphics_left() const {
    return !state_.graphics.draws.empty() || !state_.graphics.pixels.empty() ||
           !exports_.state().vertices.empty();
}

// ---- registers ------------------------------------------------------------------------------

bool SpiCore::graphics_ready(const RegRequest& request) const {
    const GraphicsState& g = state_.graphics;
    if (request.offset == r::VGT_DRAW_INITIATOR)
        return run_ != RunState::Draining && g.draws.size() < spec_.draws_in_flight;
    // Document 1.2.1.6: as many sets of SH registers as there may be updates in flight.
    if (in_shader(request.offset))
        return g.draws.empty() || g.sh_writes - g.draws.front().sh_writes < spec_.sh_updates;
    return true;
}

bool SpiCore::write_graphics(const RegRequest& request) {
    GraphicsState& g = state_.graphics;
    const uint32_t offset = request.offset;
    if (in_shader(offset)) {
        g.shader[(offset - GraphicsRegisters::kShaderFirst) / 4] = request.value;
        g.snapshot.reset();
        ++g.sh_writes;
        return true;
    }
    if (g.contexts.write(request))
        return true;
    if (in_config(offset)) {
        const uint32_t n = (offset - kConfigFirst) / 4;
        g.config[n] = request.value;
        if (n >= 3)
            return true;
        for (unsigned se = 0; se < spec_.shader_engines; ++se)
            for (unsigned sh = 0; sh < spec_.sh_per_se; ++sh)
                if ((request.se_broadcast || request.se == se) &&
                    (request.sh_broadcast || request.sh == sh))
                    g.thread_management[se * spec_.sh_per_se + sh][n] = request.value;
        return true;
    }
    if (offset != r::VGT_DRAW_INITIATOR)
        return false;
    begin_draw(request);
    return true;
}

bool SpiCore::read_graphics(const RegRequest& request, uint32_t& value) const {
    const GraphicsState& g = state_.graphics;
    const uint32_t offset = request.offset;
    if (in_shader(offset)) {
        value = g.shader[(offset - GraphicsRegisters::kShaderFirst) / 4];
        return true;
    }
    if (g.contexts.has(offset)) {
        value = g.contexts.get(offset, request.context);
        return true;
    }
    if (!in_config(offset))
        return offset == r::VGT_DRAW_INITIATOR || offset == kGfxCopyState;
    const uint32_t n = (offset - kConfigFirst) / 4;
    if (n >= 3) {
        value = g.config[n];
        return true;
    }
    const unsigned se = request.se_broadcast ? 0 : request.se;
    const unsigned sh = request.sh_broadcast ? 0 : request.sh;
    value = se < spec_.shader_engines && sh < spec_.sh_per_se
                ? g.thread_management[se * spec_.sh_per_se + sh][n]
                : 0;
    return true;
}

void SpiCore::begin_draw(const RegRequest& request) {
    GraphicsState& g = state_.graphics;
    if (!has_vgt_)
        throw MachineStop(StopKind::Unimplemented, "VGT_DRAW_INITIATOR",
                          "there is no vertex grouper that could draw");
    if (g.snapshot == nullptr)
        g.snapshot = std::make_shared<const GraphicsRegisters::Shader>(g.shader);
    LiveDraw draw;
    draw.number = ++g.last_draw;
    draw.context = request.context % kContexts;
    draw.sh_writes = g.sh_writes;
    draw.shader = g.snapshot;
    for (size_t i = 0; i < draw.registers.size(); ++i)
        draw.registers[i] = g.contexts.get(
            GraphicsRegisters::kContextFirst + 4 * static_cast<uint32_t>(i), draw.context);
    draw.begin = scheduler() != nullptr ? scheduler()->now() : 0;
    g.draws.push_back(std::move(draw));
    ++state_.counters.draws;
}

LiveDraw* SpiCore::find_draw(uint32_t number) {
    auto& draws = state_.graphics.draws;
    if (draws.empty() || number - draws.front().number >= draws.size())
        return nullptr;
    return &draws[number - draws.front().number];
}

const StageProgram& SpiCore::program_of(LiveDraw& draw, ShaderStage stage) {
    std::optional<StageProgram>& program = draw.programs[index_of(stage)];
    if (!program) {
        try {
            program = decode_stage(stage, *draw.shader, draw.registers, spec_);
        } catch (const MachineStop& stop) {
            throw MachineStop(stop.kind(), "draw " + std::to_string(draw.number), stop.what());
        }
    }
    return *program;
}

const StageProgram* SpiCore::program(uint32_t draw, ShaderStage stage) {
    LiveDraw* live = find_draw(draw);
    return live == nullptr || stage == ShaderStage::Cs ? nullptr : &program_of(*live, stage);
}

void SpiCore::end_draw(uint32_t number) {
    if (LiveDraw* draw = find_draw(number)) {
        draw->vgt_done = draw->pixels_done = true;
        retire_draws();
    }
}

// ---- what comes in --------------------------------------------------------------------------

bool SpiCore::take_graphics(Cycle now) {
    bool progress = take_freed(now);
    if (exports_.state().late != 0)
        progress |= exports_.give_space();
    progress |= take_vgt(now);
    progress |= take_pixels(now);
    progress |= send_positions(now);
    return progress;
}

bool SpiCore::take_exports(Cycle now) {
    bool progress = false;
    for (uint64_t m = exports_waiting_; m != 0; m &= m - 1) {
        const auto cu = static_cast<unsigned>(__builtin_ctzll(m));
        Channel<ExportMessage>& in = *exports_in_[cu];
        if (!in.can_pop(now))
            continue;
        const ExportMessage& message = in.front();
        exports_.take(message);
        const unsigned simd = message.wave.hw_id >> 4 & 3, slot = message.wave.hw_id & 0xF;
        const size_t wave = size_t{simd} * spec_.cu.slots_per_simd + slot;
        if (slot < spec_.cu.slots_per_simd && wave < state_.cus[cu].waves.size())
            ++state_.cus[cu].waves[wave].exports;
        in.drop(now);
        progress = true;
    }
    return progress;
}

// A wave there is not is refused when it is freed.
bool SpiCore::exports_came(unsigned cu, const WaveDone& done) const {
    const size_t wave = size_t{done.simd} * spec_.cu.slots_per_simd + done.slot;
    return done.slot >= spec_.cu.slots_per_simd || wave >= state_.cus[cu].waves.size() ||
           state_.cus[cu].waves[wave].exports >= done.exports;
}

bool SpiCore::take_freed(Cycle now) {
    bool progress = false;
    while (freed_in_.can_pop(now)) {
        const ExportFree given_back = freed_in_.pop(now);
        progress = true;
        if (!exports_.free(given_back))
            throw MachineStop(StopKind::Protocol, path_,
                              "export space of draw " + std::to_string(given_back.draw) +
                                  " VS wave " + std::to_string(given_back.wave) +
                                  " is given back that is not held");
    }
    return progress;
}

// Messages come in order; one whose draw or event the registers have not told yet waits.
bool SpiCore::take_vgt(Cycle now) {
    bool progress = false;
    GraphicsState& g = state_.graphics;
    while (vgt_in_.can_pop(now)) {
        VgtMessage& message = vgt_in_.front();
        if (message.kind == VgtMessage::Kind::Event) {
            if (!pass_event(now, message))
                break;
            vgt_in_.drop(now);
            progress = true;
            continue;
        }
        if (message.draw > g.last_draw)
            break;
        LiveDraw* draw = find_draw(message.draw);
        if (draw == nullptr || draw->vgt_done)
            throw MachineStop(
                StopKind::Protocol, path_,
                "VGT sends more of draw " + std::to_string(message.draw) + ", which it has ended");
        if (message.kind == VgtMessage::Kind::DrawEnd) {
            draw->vgt_done = true;
            draw->pixels_done = draw->pixels_done || !has_rasteriser_;
            vgt_in_.drop(now);
            retire_draws();
            progress = true;
            continue;
        }
        const ShaderStage stage = message.wave.stage;
        if (index_of(stage) >= index_of(ShaderStage::Ps) || message.wave.draw != message.draw)
            throw MachineStop(StopKind::Protocol, path_,
                              "VGT sends a wave of stage " + std::string(stage_name(stage)) +
                                  " of draw " + std::to_string(message.wave.draw));
        auto& queue = g.queues[index_of(stage)];
        if (queue.size() >= spec_.stage_queue)
            break;
        QueuedWave wave;
        wave.wave = message.wave;
        for (unsigned s = 0; s < kGraphicsStages; ++s)
            wave.after[s] = draw->stages[s].arrived;
        StageProgress& own = draw->stages[index_of(stage)];
        wave.arrived = own.arrived++;
        ++own.live;
        ++g.waves_live;
        queue.push_back(std::move(wave));
        vgt_in_.drop(now);
        progress = true;
    }
    return progress;
}

// The first event of the graphics ring that VGT has not passed yet. False: not known yet.
bool SpiCore::pass_event(Cycle, const VgtMessage& message) {
    RingBook& ring = state_.rings[0];
    const auto event = std::find_if(ring.events.begin(), ring.events.end(),
                                    [](const PendingEvent& e) { return !e.token; });
    if (event == ring.events.end())
        return false;
    if (message.ring != 0 || event->type != message.event_type)
        throw MachineStop(StopKind::Protocol, path_,
                          "VGT passes event " + std::to_string(message.event_type) + " of ring " +
                              std::to_string(message.ring) + ", the next is event " +
                              std::to_string(event->type) + " of ring 0");
    event->token = true;
    return true;
}

bool SpiCore::take_pixels(Cycle now) {
    bool progress = false;
    GraphicsState& g = state_.graphics;
    while (pixels_in_.can_pop(now) && g.pixels.size() < spec_.stage_queue) {
        PixelWave& wave = pixels_in_.front();
        if (wave.draw > g.last_draw)
            break;
        LiveDraw* draw = find_draw(wave.draw);
        if (draw == nullptr || draw->pixels_sent)
            throw MachineStop(StopKind::Protocol, path_,
                              "the rasteriser sends more of draw " + std::to_string(wave.draw) +
                                  ", which it has ended");
        draw->pixels_sent = wave.end_of_draw;
        if (wave.live != 0) {
            ++draw->stages[index_of(ShaderStage::Ps)].live;
            ++g.waves_live;
        }
        g.pixels.push_back(std::move(wave));
        pixels_in_.drop(now);
        progress = true;
    }
    while (!g.pixels.empty() && g.pixels.front().live == 0) {
        pixels_taken(g.pixels.front());
        g.pixels.pop_front();
        progress = true;
    }
    return progress;
}

// What a pixel wave says besides its pixels.
void SpiCore::pixels_taken(const PixelWave& wave) {
    exports_.free_parameters_through(wave.draw, wave.free_through);
    if (!wave.end_of_draw)
        return;
    find_draw(wave.draw)->pixels_done = true;
    retire_draws();
}

bool SpiCore::send_positions(Cycle now) {
    bool progress = false;
    while (exports_.any_complete()) {
        const ExportState::Key key = exports_.state().complete.front();
        if (vertices_out_ != nullptr && !vertices_out_->can_push(now))
            break;
        VertexExports positions = exports_.send();
        if (vertices_out_ != nullptr)
            vertices_out_->push(now, std::move(positions));
        if (!has_assembler_)
            exports_.free({key.first, key.second, true, !has_rasteriser_});
        progress = true;
    }
    return progress;
}

// ---- events and ends --------------------------------------------------------------------------

bool SpiCore::event_may_pass(unsigned ring_index, const PendingEvent& event) const {
    const RingBook& ring = state_.rings[ring_index];
    const bool dispatches_ended =
        ring.dispatches.empty() || ring.dispatches.front().dispatch.number > event.after;
    if (!event.token)
        return false;
    const bool own = has_vgt_ && ring_index == 0;
    if (!own)
        return dispatches_ended;
    const bool vertices = event.type == kVsPartialFlush;
    const bool pixels = event.type == kPsPartialFlush || event.type == kPsDone;
    const bool compute = event.type == kCsPartialFlush || event.type == kCsDone;
    const bool context = event.type == kContextDone;
    if (!vertices && !pixels && !context && !dispatches_ended)
        return false;
    if (compute)
        return true;
    for (const LiveDraw& draw : state_.graphics.draws) {
        if (draw.number > event.after_draw)
            break;
        if (context && draw.context != event.context)
            continue;
        if (vertices ? !draw.vertices_ended() : !draw.ended())
            return false;
    }
    return true;
}

void SpiCore::graphics_ended(unsigned cu, const LiveWave& wave) {
    GraphicsState& g = state_.graphics;
    --g.waves_live;
    if (wave.scratch)
        g.scratch_used[wave.scratch_slot / 64] &= ~(uint64_t{1} << (wave.scratch_slot % 64));
    g.launch_data_free.push_back(wave.data);
    if (wave.in_group) {
        const auto it = g.groups.find({wave.draw, wave.group});
        if (it != g.groups.end()) {
            it->second.ls_ended += wave.stage == ShaderStage::Ls ? 1 : 0;
            if (++it->second.ended == it->second.waves)
                g.groups.erase(it);
        }
    }
    LiveDraw* draw = find_draw(wave.draw);
    if (draw == nullptr)
        throw MachineStop(StopKind::Protocol, path_,
                          "CU " + std::to_string(cu) + " ends a wave of a draw that has ended");
    StageProgress& stage = draw->stages[index_of(wave.stage)];
    --stage.live;
    const uint32_t at = wave.arrived - stage.ended;
    if (stage.ended_from.size() <= at)
        stage.ended_from.resize(at + 1, false);
    stage.ended_from[at] = true;
    while (!stage.ended_from.empty() && stage.ended_from.front()) {
        stage.ended_from.pop_front();
        ++stage.ended;
    }
    exports_.ended(wave.stage, wave.draw, wave.number);
    if (stage_done_ != nullptr &&
        (wave.stage == ShaderStage::Vs || wave.stage == ShaderStage::Es))
        stage_done_->send(scheduler()->now(), {wave.stage, wave.draw, wave.number});
    retire_draws();
}

void SpiCore::retire_draws() {
    auto& draws = state_.graphics.draws;
    while (!draws.empty() && draws.front().ended()) {
        if (observers_.trace != nullptr && scheduler() != nullptr) {
            std::string waves;
            for (unsigned s = 0; s < kGraphicsStages; ++s)
                if (draws.front().stages[s].arrived != 0)
                    waves += (waves.empty() ? "" : ", ") +
                             std::to_string(draws.front().stages[s].arrived) + " " +
                             stage_name(static_cast<ShaderStage>(s));
            observers_.trace->slice(draw_track_, draws.front().begin, scheduler()->now() + 1,
                                    "draw " + std::to_string(draws.front().number), 0,
                                    waves.empty() ? "no waves" : waves + " waves");
        }
        // Nobody can draw with its parameters any more.
        exports_.free_parameters_through(draws.front().number, ~0u);
        draws.pop_front();
    }
}

// ---- who comes first ------------------------------------------------------------------------

// The i-th to be asked for work to place: a ring's dispatches, or (number of rings) the graphics
// stages. In turn, unless SPI_ARB_CYCLES divides time into slices, each with an order of the three
// pipes: graphics with its ring's dispatches, and the two compute rings. The headers name the
// fields only: an order is taken as the number of the permutation, a duration in cycles, shifted
// left by its multiplier times four.
unsigned SpiCore::source(Cycle now, unsigned i) const {
    const auto in_turn = [&] { return (state_.next_ring + i) % (spec_.rings + 1); };
    const GraphicsState& g = state_.graphics;
    const auto at = [&](uint32_t offset) { return g.config[(offset - kConfigFirst) / 4]; };
    const uint32_t cycles[2] = {at(r::SPI_ARB_CYCLES_0), at(r::SPI_ARB_CYCLES_1)};
    if ((cycles[0] | cycles[1]) == 0 || spec_.rings != 3)
        return in_turn();
    const uint32_t priority = at(r::SPI_ARB_PRIORITY);
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

// Locking: who finds no room while it has fewer waves on a shader array than its threshold keeps
// the array to itself until it has found room (COMPUTE_RESOURCE_LIMITS.LOCK_THRESHOLD,
// SPI_SHADER_PGM_RSRC3_*.LOCK_LOW_THRESHOLD; counted in four waves, 0 none). The bits of CUs that
// others keep.
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
bool SpiCore::place_graphics(Cycle now, bool& no_room, bool& no_scratch) {
    bool no_export_room = false;
    bool placed = false;
    for (unsigned n = 0; n < kGraphicsStages && !placed; ++n) {
        const auto stage = static_cast<ShaderStage>(kGraphicsStages - 1 - n);
        const bool ps = stage == ShaderStage::Ps;
        if (ps ? state_.graphics.pixels.empty() : state_.graphics.queues[index_of(stage)].empty())
            continue;
        switch (ps ? place_pixels(now) : place_wave(now, stage)) {
            case Placement::Placed:
                placed = true;
                break;
            case Placement::NoRoom:
                no_room = true;
                break;
            case Placement::NoScratch:
                no_scratch = true;
                break;
            case Placement::NoExportRoom:
                no_export_room = true;
                break;
            case Placement::Waiting:
                break;
        }
    }
    note_stall(no_export_room && !placed, now, state_.no_export_room_since,
               state_.counters.no_export_room_cycles);
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
    query.vgprs = (vgprs + res.vgpr_granule - 1) / res.vgpr_granule;
    query.sgprs = (sgprs + res.sgpr_granule - 1) / res.sgpr_granule;
    query.lds = (lds_bytes + res.lds_granule - 1) / res.lds_granule;
    bool any = false;
    const MaskPlace mask = mask_place(p.stage);
    for (unsigned sh = 0; sh < spec_.sh_per_se; ++sh) {
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
    for (unsigned se = 0; se < spec_.shader_engines; ++se)
        query.launching |= static_cast<uint32_t>(state_.launching[se].active) << se;
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
            return Placement::NoRoom;
        if (stage == ShaderStage::Vs) {
            exports_.open(v, p, late);
            state_.counters.late_waves += late ? 1 : 0;
        }
        launch_graphics(now, launch, wave, grant_.cu, grant_.group_slot, grant_.lds,
                        grant_.waves[0], data_);
        return leave();
    }

    // The first wave finds room for all of the group, and LDS as LS asks for it.
    const std::pair<uint32_t, uint32_t> key{v.draw, v.group};
    auto it = g.groups.find(key);
    const auto wrong = [&](const std::string& why) {
        throw MachineStop(StopKind::Protocol,
                          place_of(v.draw, stage) + " group " + std::to_string(v.group), why);
    };
    const StageProgram& ls = program_of(draw, ShaderStage::Ls);
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
        if (!find_room(p, engine, v.waves_in_group, group.vgprs, group.sgprs, ls.lds_bytes))
            return Placement::NoRoom;
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
        if (state_.launching[group.cu / (spec_.sh_per_se * spec_.cu_per_sh)].active)
            return Placement::NoRoom;
        // HS waves read what all LS waves have written.
        if (stage == ShaderStage::Hs && group.ls_ended != v.wave_in_group - group.hs_started)
            return Placement::Waiting;
    }
    LiveWaveGroup& group = it->second;
    group.hs_started += stage == ShaderStage::Hs ? 1 : 0;
    wave.in_group = true;
    wave.group = v.group;
    launch.lds_bytes = ls.lds_bytes;
    launch.keeps_lds = stage == ShaderStage::Hs;
    launch_graphics(now, launch, wave, group.cu, group.group_slot, group.lds,
                    group.at[v.wave_in_group], data_);
    return leave();
}

uint32_t SpiCore::next_pixel_wave() {
    GraphicsState& g = state_.graphics;
    const uint32_t last = g.config[(r::SPI_PS_MAX_WAVE_ID - kConfigFirst) / 4] & 0xFFF;
    const uint32_t id = g.ps_waves;
    g.ps_waves = id >= last ? 0 : id + 1;
    return id;
}

void SpiCore::check_pixel_lds(const StageProgram& p, const PixelWave& pixels) const {
    const uint32_t lds = pixel_lds_bytes(p, pixels);
    if (lds > spec_.cu.lds_max_per_group)
        throw MachineStop(StopKind::BadInput, place_of(pixels.draw, ShaderStage::Ps),
                          std::to_string(p.attributes) + " attributes of " +
                              std::to_string(primitives_of(pixels)) +
                              " primitives and EXTRA_LDS_SIZE take " + std::to_string(lds) +
                              " bytes of LDS, at most " +
                              std::to_string(spec_.cu.lds_max_per_group));
}

SpiCore::Placement SpiCore::place_pixels(Cycle now) {
    GraphicsState& g = state_.graphics;
    const PixelWave& pixels = g.pixels.front();
    if (pixels.live == 0)
        return Placement::Waiting;
    LiveDraw& draw = *find_draw(pixels.draw);
    const StageProgram& p = program_of(draw, ShaderStage::Ps);
    const unsigned engine = std::min<unsigned>(pixels.shader_engine, spec_.shader_engines - 1);
    if (p.attributes != 0)
        for (unsigned n = 0; n < primitives_of(pixels); ++n)
            for (unsigned k = 0; k < std::min<unsigned>(pixels.primitive[n].vertices, 3); ++k) {
                const uint32_t wave = pixels.primitive[n].wave[k];
                if (!exports_.parameters_ready(pixels.draw, wave) && !draw.vertices_ended())
                    return Placement::Waiting;
            }
    check_pixel_lds(p, pixels);
    const uint32_t lds = pixel_lds_bytes(p, pixels);
    const int slot = scratch_slot(p);
    if (slot < 0)
        return Placement::NoScratch;
    if (!find_room(p, engine, 1, p.vgprs, p.sgprs, lds))
        return Placement::NoRoom;
    StageProgress& stage = draw.stages[index_of(ShaderStage::Ps)];
    LiveWave wave;
    wave.scratch = p.scratch;
    wave.scratch_slot = static_cast<uint32_t>(slot);
    wave.stage = ShaderStage::Ps;
    wave.draw = pixels.draw;
    wave.number = wave.arrived = stage.arrived++;
    WaveLaunch launch = make_pixel_wave(p, pixels, exports_, wave.number, next_pixel_wave(),
                                        static_cast<uint32_t>(slot), data_);
    exports_.open_pixels(pixels.draw, wave.number);
    launch_graphics(now, launch, wave, grant_.cu, grant_.group_slot, grant_.lds, grant_.waves[0],
                    data_);
    pixels_taken(pixels);
    g.pixels.pop_front();
    return Placement::Placed;
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
    out.active = true;
    out.cu = cu;
    out.group = {};
    out.dispatch = wave.draw;
    out.next_wave = 0;
    out.ready = now + 1;
    out.waves.clear();
    out.waves.push_back(launch);
    ++state_.se_waves[se];
    ++state_.waves_live;
    ++g.array_waves[index_of(wave.stage)][array_of(cu)];
    ++state_.counters.stage_waves[index_of(wave.stage)];
}

// ---- seeing inside ----------------------------------------------------------------------------

std::string SpiCore::graphics_waiting_for() const {
    const GraphicsState& g = state_.graphics;
    std::string text;
    const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
    for (const LiveDraw& draw : g.draws) {
        std::string what = "draw " + std::to_string(draw.number) + ":";
        for (unsigned s = 0; s < kGraphicsStages; ++s)
            if (draw.stages[s].live != 0)
                what += " " + std::to_string(draw.stages[s].live) + " " +
                        stage_name(static_cast<ShaderStage>(s)) + " waves,";
        what += !draw.vgt_done      ? " VGT has more of it"
                : !draw.pixels_done ? " the rasteriser has more of it"
                                    : " nothing more comes";
        add(what);
    }
    for (unsigned s = 0; s < kGraphicsStages; ++s)
        if (!g.queues[s].empty())
            add("a " + std::string(stage_name(static_cast<ShaderStage>(s))) + " wave of draw " +
                std::to_string(g.queues[s].front().wave.draw) +
                (s == index_of(ShaderStage::Vs) && state_.no_export_room_since != kNever
                     ? " waits for space in the position buffer or the parameter cache"
                     : " waits for room or for waves before it"));
    if (!g.pixels.empty())
        add("a PS wave of draw " + std::to_string(g.pixels.front().draw) +
            " waits for room or for its parameters");
    const std::string exports = exports_.waiting_for();
    if (!exports.empty())
        add(exports);
    return text;
}

}  // namespace archipelago::spi
