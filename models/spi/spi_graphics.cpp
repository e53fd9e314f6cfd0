// SPDX-License-Identifier: Apache-2.0
// SPI's graphics stages: draws, waves of VGT, exports, events after them. Where
// the waves go is in spi_placing.cpp.
#include <algorithm>

#include "models/common/error.h"
#include "models/common/transaction_id.h"
#include "models/spi/spi_core.h"

namespace archipelago::spi {
namespace {

constexpr uint32_t kAllUnits = 0xFFFFFFFF;

}  // namespace

// ---- connections ---------------------------------------------------------------------------

Channel<VgtMessage>& SpiCore::from_vgt() {
    has_vgt_ = true;
    return vgt_in_;
}
Channel<ExportFree>& SpiCore::from_assembler() {
    has_assembler_ = true;
    return freed_in_;
}

void SpiCore::reset_graphics() {
    GraphicsState& g = state_.graphics;
    const unsigned arrays = spec_.shader_engines * spec_.sh_per_se;
    for (auto& waves : g.array_waves)
        waves.assign(arrays, 0);
    g.thread_management.assign(arrays, {kAllUnits, kAllUnits, kAllUnits});
    g.config.assign(config_index(spec_.map.SPI_CONFIG_CNTL_1) + 1, 0);
    g.locked.assign(arrays, 0);
    g.parameters_used.assign(spec_.shader_engines, {0, 0});
    g.back_ends.assign(cb_in_.size(), {});
    exports_.reset();
    pixel_registers_.reset();
    pixel_inputs_.forget();
    pixel_counters_ = {};
    for (const auto& engine : pixel_engines_)
        engine->reset();
    sx_busy.reset();
    for (Wire<bool>& wire : se_sx_busy)
        wire.reset();
}

bool SpiCore::graphics_left() const {
    return !state_.graphics.draws.empty() || pixels_left() || !exports_.state().vertices.empty();
}

// ---- registers ------------------------------------------------------------------------------

// Document 1.2.1.6: as many sets of SH registers as there may be updates in flight.
bool SpiCore::shader_ready() const {
    const GraphicsState& g = state_.graphics;
    return g.draws.empty() || g.sh_writes - g.draws.front().sh_writes < spec_.sh_updates;
}

// SPI_SHADER_*, the registers of the stages: draws to come need a new snapshot of them.
void SpiCore::set_shader(uint32_t offset, const uint32_t* values, uint32_t count) {
    GraphicsState& g = state_.graphics;
    uint32_t* const to = &g.shader[shader_index(offset)];
    for (uint32_t i = 0; i < count; ++i)
        to[i] = values[i];
    if (g.snapshot != nullptr)
        g.snapshot.reset();
    g.sh_writes += count;
}

bool SpiCore::is_plain_storage(uint32_t offset) const {
    const RegisterRole role = roles_.of(offset);
    return role == RegisterRole::Shader || role == RegisterRole::Context ||
           role == RegisterRole::Compute;
}

// Nearly all writes: the value is only kept. False: it is another, or cannot be taken yet.
bool SpiCore::keep_register(const RegRequest& request) {
    const uint32_t offset = request.offset;
    switch (roles_.of(offset)) {
        case RegisterRole::Context:
            state_.graphics.contexts.set(offset, request.context, request.value);
            break;
        case RegisterRole::Shader:
            if (!shader_ready())
                return false;
            set_shader(offset, &request.value, 1);
            break;
        case RegisterRole::Compute:
            state_.rings[ring_of(request)].registers.raw[compute_index(offset)] = request.value;
            break;
        default:
            return false;
    }
    ++state_.counters.register_writes;
    return true;
}

void SpiCore::store_registers(const RegRequest& request, const uint32_t* values, uint32_t count) {
    if (roles_.of(request.offset) != RegisterRole::Shader ||
        roles_.of(request.offset + 4 * (count - 1)) != RegisterRole::Shader)
        return RegisterTarget::store_registers(request, values, count);
    state_.counters.register_writes += count;
    set_shader(request.offset, values, count);
}

bool SpiCore::write_graphics(const RegRequest& request) {
    GraphicsState& g = state_.graphics;
    switch (roles_.of(request.offset)) {
        case RegisterRole::Shader:
            set_shader(request.offset, &request.value, 1);
            return true;
        case RegisterRole::Context:
        case RegisterRole::CopyState:
            return g.contexts.write(request);
        case RegisterRole::Config:
            write_config(request);
            return true;
        case RegisterRole::DrawInitiator:
            begin_draw(request);
            return true;
        default:
            return false;
    }
}

// The first three, SPI_STATIC_THREAD_MGMT_1..3, are there for each shader array.
void SpiCore::write_config(const RegRequest& request) {
    GraphicsState& g = state_.graphics;
    const uint32_t n = config_index(request.offset);
    g.config[n] = request.value;
    if (n >= 3)
        return;
    for (unsigned se = 0; se < spec_.shader_engines; ++se)
        for (unsigned sh = 0; sh < spec_.sh_per_se; ++sh)
            if ((request.se_broadcast || request.se == se) &&
                (request.sh_broadcast || request.sh == sh))
                g.thread_management[se * spec_.sh_per_se + sh][n] = request.value;
}

bool SpiCore::read_graphics(const RegRequest& request, uint32_t& value) const {
    const GraphicsState& g = state_.graphics;
    switch (roles_.of(request.offset)) {
        case RegisterRole::Shader:
            value = g.shader[shader_index(request.offset)];
            return true;
        case RegisterRole::Context:
            value = g.contexts.get(request.offset, request.context);
            return true;
        case RegisterRole::Config:
            break;
        case RegisterRole::DrawInitiator:
        case RegisterRole::CopyState:
            return true;
        default:
            return false;
    }
    const uint32_t n = config_index(request.offset);
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
    draw.context = request.context % spec_.map.contexts;
    draw.vmid = request.vmid & 0xF;
    draw.place = request.place;
    draw.sh_writes = g.sh_writes;
    draw.shader = g.snapshot;
    for (size_t i = 0; i < draw.registers.size(); ++i)
        draw.registers[i] =
            g.contexts.get(spec_.map.context_start + 4 * static_cast<uint32_t>(i), draw.context);
    draw.counted = state_.statistics.counting;
    g.context_draw[request.context % kContexts] = draw.number;
    g.pixels_since_flush = true;
    draw.begin = scheduler() != nullptr ? scheduler()->now() : 0;
    if (log_ != nullptr)
        log_->draws[draw.number] = {draw.begin, 0};
    g.draws.push_back(std::move(draw));
    quiescent_ = false;
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
            program->vmid = draw.vmid;
        } catch (const MachineStop& stop) {
            throw MachineStop(
                stop.kind(),
                place_in_stream(places_, draw.place, "draw " + std::to_string(draw.number)),
                stop.what());
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
        progress |= exports_.grant_space();
    progress |= take_vgt(now);
    if (has_pixels_)
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
        if (!exports_.take_back(given_back))
            throw MachineStop(StopKind::Protocol, path_,
                              "export space of draw " + std::to_string(given_back.draw) +
                                  " VS wave " + std::to_string(given_back.wave) +
                                  " is given back that is not held");
    }
    return progress;
}

// Messages come in order; one that is ahead of the register write of its draw or event waits.
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
            draw->pixels_done = draw->pixels_done || !has_pixels_;
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
        queue.push_back(wave);
        vgt_in_.drop(now);
        progress = true;
    }
    return progress;
}

// The first event of the graphics ring that VGT has not passed yet. False: not known yet.
bool SpiCore::pass_event(Cycle, const VgtMessage& message) {
    RingState& ring = state_.rings[0];
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

bool SpiCore::send_positions(Cycle now) {
    bool progress = false;
    while (exports_.any_complete()) {
        const ExportState::Key key = exports_.state().complete.front();
        if (to_vertices && !to_vertices->can_push(now))
            break;
        VertexExports positions = exports_.send();
        if (to_vertices)
            to_vertices->push(now, std::move(positions));
        if (!has_assembler_)
            exports_.take_back({key.first, key.second, true, !has_pixels_});
        progress = true;
    }
    return progress;
}

// ---- events and ends --------------------------------------------------------------------------

bool SpiCore::event_may_pass(unsigned ring_index, const PendingEvent& event) const {
    const RingState& ring = state_.rings[ring_index];
    const bool dispatches_ended =
        ring.dispatches.empty() || ring.dispatches.front().dispatch.number > event.after;
    if (!event.token)
        return false;
    const bool own = has_vgt_ && ring_index == 0;
    if (!own)
        return dispatches_ended;
    const auto& events = spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE;
    const bool vertices = event.type == events.VS_PARTIAL_FLUSH;
    const bool pixels = event.type == events.PS_PARTIAL_FLUSH || event.type == events.PS_DONE;
    const bool compute = event.type == events.CS_PARTIAL_FLUSH || event.type == events.CS_DONE;
    const bool context = event.type == events.CONTEXT_DONE;
    if (!vertices && !pixels && !context && !dispatches_ended)
        return false;
    if (compute)
        return true;
    if (!vertices && !pixels && !back_ends_passed(event))
        return false;
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
    if (to_stage_done && (wave.stage == ShaderStage::Vs || wave.stage == ShaderStage::Es))
        to_stage_done->send(scheduler()->now(), {wave.stage, wave.draw, wave.number});
    retire_draws();
}

void SpiCore::trace_draw(const LiveDraw& draw, Cycle end) const {
    std::string waves;
    for (unsigned s = 0; s < kGraphicsStages; ++s)
        if (draw.stages[s].arrived != 0)
            waves += (waves.empty() ? "" : ", ") + std::to_string(draw.stages[s].arrived) + " " +
                     stage_name(static_cast<ShaderStage>(s));
    observers_.trace->slice(draw_track_, draw.begin, end, "draw " + std::to_string(draw.number),
                            draw_flow(draw.number),
                            "context " + std::to_string(draw.context) + ", " +
                                (waves.empty() ? "no waves" : waves + " waves"));
}

void SpiCore::retire_draws() {
    auto& draws = state_.graphics.draws;
    while (!draws.empty() && draws.front().ended()) {
        if (observers_.trace != nullptr && scheduler() != nullptr)
            trace_draw(draws.front(), scheduler()->now() + 1);
        // No later pixel wave reads its parameters. Without a rasteriser they are freed
        // with the positions, by the assembler later than this perhaps.
        if (has_pixels_)
            exports_.free_parameters_through(draws.front().number, ~0u);
        // Of the events that wait, those after it count its pixels.
        state_.statistics.pixels += draws.front().pixels;
        for (PendingEvent& event : state_.rings[0].events)
            if (event.after_draw >= draws.front().number)
                event.ps_invocations = state_.statistics.pixels;
        draws.pop_front();
    }
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
    for (const auto& engine : pixel_engines_) {
        if (!engine->waves().empty())
            add("a PS wave of draw " + std::to_string(engine->waves().front().pixels.draw) +
                " waits for room or for its parameters");
        if (!engine->idle())
            add(engine->waiting_for());
    }
    const std::string exports = exports_.waiting_for();
    if (!exports.empty())
        add(exports);
    return text;
}

}  // namespace archipelago::spi
