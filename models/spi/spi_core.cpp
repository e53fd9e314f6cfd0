// SPDX-License-Identifier: Apache-2.0
#include "models/spi/spi_core.h"

#include <algorithm>

#include "models/common/archive.h"
#include "models/common/error.h"

namespace archipelago::spi {
namespace {

const SpiSpec& validated(const SpiSpec& spec) {
    spec.validate();
    return spec;
}

RegisterRoles<RegisterRole> roles_of(const RegisterMap& map) {
    RegisterRoles<RegisterRole> roles;
    roles.set(map.compute_start, map.compute_end, RegisterRole::Compute);
    roles.set(map.shader_start, map.shader_end, RegisterRole::Shader);
    roles.set(map.context_start, map.context_end, RegisterRole::Context);
    if (map.SPI_STATIC_THREAD_MGMT_1.exists())
        roles.set(map.SPI_STATIC_THREAD_MGMT_1, map.SPI_CONFIG_CNTL_1 + 4, RegisterRole::Config);
    roles.set(map.COMPUTE_DISPATCH_INITIATOR, RegisterRole::DispatchInitiator);
    roles.set(map.VGT_DRAW_INITIATOR, RegisterRole::DrawInitiator);
    roles.set(map.VGT_EVENT_INITIATOR, RegisterRole::EventInitiator);
    roles.set(map.GFX_COPY_STATE, RegisterRole::CopyState);
    return roles;
}

}  // namespace

SpiCore::SpiCore(const SpiSpec& spec)
    : registers(spec.registers, "spi.registers"),
      to_cu(spec.cus(), OutputChannel<WaveLaunch>(this)),
      se_busy(spec.shader_engines),
      se_sx_busy(spec.shader_engines),
      spec_(validated(spec)),
      roles_(roles_of(spec.map)),
      vgt_in_(spec.vgt, "spi.vgt"),
      freed_in_(spec.freed, "spi.freed"),
      exports_(spec.shader_engines, spec.position_vectors, spec.parameter_vectors),
      pixel_registers_(spec.map.all_contexts, spec.map.GFX_COPY_STATE),
      allocator_(allocator_shape(spec)) {
    add_input(registers);
    for (unsigned i = 0; i < spec_.cus(); ++i) {
        wave_done_.push_back(std::make_unique<Channel<WaveDone>>(
            spec_.wave_done, "spi.wave_done" + std::to_string(i)));
        add_input(*wave_done_.back(), done_waiting_, i);
        exports_in_.push_back(std::make_unique<Channel<ExportMessage>>(
            spec_.exports, "spi.exports" + std::to_string(i)));
        add_input(*exports_in_.back(), exports_waiting_, i);
    }
    add_inputs_with_bits(waiting_, vgt_in_, freed_in_);
    add_input(context_writes, context_waiting_, 0);
    make_pixel_engines();
    SpiCore::reset();
}

void SpiCore::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(unit_ == nullptr, "its allocator is a Verilog twin");
    a.at_rest(dispatcher_ == &dispatch_, "its dispatcher is a Verilog twin");
    a(state_, dispatch_, exports_, quiescent_, busy, se_busy, sx_busy, se_sx_busy, kind_busy,
      pixel_registers_, pixel_counters_);
    for (const auto& engine : pixel_engines_)
        engine->archive(a);
}

void SpiCore::reset() {
    Unit::reset();
    state_ = SpiState{};
    const RegisterMap& map = spec_.map;
    state_.graphics.contexts =
        ContextRegisters(map.context_start, map.context_end, map.GFX_COPY_STATE, map.contexts);
    state_.rings.resize(spec_.rings);
    state_.cus.resize(spec_.cus());
    for (CuOccupancy& cu : state_.cus) {
        cu.waves.resize(spec_.cu.simds * spec_.cu.slots_per_simd);
        cu.groups.resize(spec_.cu.simds * spec_.cu.slots_per_simd);
    }
    state_.launching.resize(spec_.shader_engines);
    state_.se_waves.assign(spec_.shader_engines, 0);
    if (unit_ != nullptr)
        unit_->reset(allocator_.shape());
    else
        allocator_.reset(state_.allocator);
    dispatch_.reset(spec_);
    dispatcher_->reset(spec_);
    busy.reset();
    for (Wire<bool>& wire : se_busy)
        wire.reset();
    for (Wire<bool>& wire : kind_busy)
        wire.reset();
    quiescent_ = true;
    reset_graphics();
}

void SpiCore::use_allocator(AllocatorUnit* unit) {
    unit_ = unit;
    if (unit_ != nullptr)
        unit_->reset(allocator_.shape());
    else
        allocator_.reset(state_.allocator);
}

void SpiCore::use_dispatcher(DispatchUnit* unit) {
    dispatcher_ = unit != nullptr ? unit : &dispatch_;
    dispatcher_->reset(spec_);
}

bool SpiCore::work_left() const {
    if (state_.waves_live != 0 || graphics_left())
        return true;
    for (const RingState& ring : state_.rings)
        if (!ring.dispatches.empty() || !ring.events.empty())
            return true;
    return false;
}

bool SpiCore::idle() const {
    return !work_left() && !tokens_left() && inputs_empty();
}

bool SpiCore::tick(Cycle now) {
    if (run_ == RunState::Paused)
        return false;
    bool contexts = context_waiting_ != 0 && take_context_writes(now);
    if (cb_waiting_ != 0)
        contexts |= take_back_ends(now);
    // Fast path: between draws and dispatches most inputs are register writes.
    if (only_registers()) {
        if (!take_registers(now) || quiescent_)
            return contexts;  // the next input wakes the unit
        place_groups(now);
        update_wires(now);
        return true;
    }
    bool progress = contexts;
    progress |= exports_waiting_ != 0 && take_exports(now);
    progress |= done_waiting_ != 0 && take_done(now);
    if (has_vgt_)
        progress |= take_graphics(now);
    progress |= finish_events(now);
    progress |= take_registers(now);
    progress |= launch_waves(now);
    progress |= place_groups(now);
    if (progress)
        update_wires(now);
    return progress;
}

void SpiCore::update_wires(Cycle now) {
    const bool working = work_left();
    quiescent_ = !working && !tokens_left();
    note_stall(working, now, state_.busy_since, state_.counters.busy_cycles);
    if (busy.latest() != working)
        busy.set(now, working);
    for (unsigned se = 0; se < spec_.shader_engines; ++se) {
        const bool live = state_.launching[se].active() || state_.se_waves[se] != 0;
        quiescent_ = quiescent_ && !live;
        if (se_busy[se].latest() != live)
            se_busy[se].set(now, live);
    }
    for (unsigned kind = 0; kind < kWaveKinds; ++kind) {
        const bool live = state_.kind_waves[kind] != 0;
        quiescent_ = quiescent_ && !live;
        if (kind_busy[kind].latest() != live)
            kind_busy[kind].set(now, live);
    }
    if (!has_vgt_)
        return;
    bool any = false;
    for (unsigned se = 0; se < spec_.shader_engines; ++se) {
        const ExportState::Engine& engine = exports_.state().engines[se];
        const bool taken =
            engine.positions != 0 || engine.parameters != 0 || !exports_.colours(se).empty();
        any = any || taken;
        quiescent_ = quiescent_ && !taken;
        if (se_sx_busy[se].latest() != taken)
            se_sx_busy[se].set(now, taken);
    }
    if (sx_busy.latest() != any)
        sx_busy.set(now, any);
}

// ---- waves that ended -----------------------------------------------------------------------

bool SpiCore::take_done(Cycle now) {
    bool progress = false;
    for (unsigned i = 0; i < wave_done_.size(); ++i) {
        Channel<WaveDone>& in = *wave_done_[i];
        while (in.can_pop(now)) {
            const WaveDone done = in.front();
            // What a wave has exported comes before its end.
            if (done.exports != 0 && !exports_came(i, done))
                break;
            in.drop(now);
            progress = true;
            const AllocatorFreed freed =
                unit_ != nullptr ? unit_->free(i, done.simd, done.slot)
                                 : allocator_.free(state_.allocator, i, done.simd, done.slot);
            if (!freed.known)
                throw MachineStop(StopKind::Protocol, path_,
                                  "CU " + std::to_string(i) + " ended a wave that does not run");
            CuOccupancy& cu = state_.cus[i];
            const LiveWave& wave = cu.waves[done.simd * spec_.cu.slots_per_simd + done.slot];
            --state_.se_waves[i / (spec_.sh_per_se * spec_.cu_per_sh)];
            --state_.waves_live;
            ++state_.counters.waves_done;
            --state_.graphics.array_waves[index_of(wave.stage)][array_of(i)];
            if (wave.stage != ShaderStage::Cs) {
                --state_.kind_waves[kind_of(wave.stage)];
                graphics_ended(i, wave);
                continue;
            }
            const LiveGroup& group = cu.groups[freed.group_slot];
            --state_.kind_waves[kind_of(ShaderStage::Cs, group.ring)];
            RingState& ring = state_.rings[group.ring];
            if (wave.scratch)
                dispatcher_->free_scratch(group.ring, wave.scratch_slot);
            if (freed.last) {
                for (LiveDispatch& live : ring.dispatches)
                    if (live.dispatch.number == group.dispatch)
                        --live.groups_running;
                retire(ring);
            }
        }
    }
    return progress;
}

bool SpiCore::finish_events(Cycle now) {
    bool progress = false;
    for (unsigned r = 0; r < spec_.rings; ++r) {
        RingState& ring = state_.rings[r];
        while (!ring.events.empty()) {
            const PendingEvent& event = ring.events.front();
            if (!event_may_pass(r, event))
                break;
            if (!to_events->can_push(now))
                break;
            to_events->push(now, EventDone{static_cast<uint8_t>(r), event.type,
                                           event.cs_invocations, event.ps_invocations});
            ring.events.pop_front();
            ++state_.counters.events;
            progress = true;
        }
    }
    return progress;
}

// ---- registers ------------------------------------------------------------------------------

bool SpiCore::take_registers(Cycle now) {
    if (!registers.can_pop(now))
        return false;
    const RegRequest& request = registers.front();
    if (!request.write || !keep_register(request))
        return take_register(now);
    note_stall(false, now, state_.register_stall_since, state_.counters.register_stall_cycles);
    registers.drop(now);
    return true;
}

// Any other.
bool SpiCore::take_register(Cycle now) {
    const bool ready = register_ready(registers.front());
    if (log_ != nullptr && ready && state_.register_stall_since != kNever)
        log_->full.push_back({state_.register_stall_since, now});
    note_stall(!ready, now, state_.register_stall_since, state_.counters.register_stall_cycles);
    if (!ready)
        return false;  // the queue empties by work that wakes us
    if (!registers.front().write && !to_registers->can_push(now))
        return false;
    const RegRequest request = registers.pop(now);
    if (request.write) {  // posted
        write_register(request);
        if (roles_.of(request.offset) == RegisterRole::DispatchInitiator)
            give_dispatches(state_.rings[ring_of(request)]);
        return true;
    }
    RegResponse response;
    response.tag = request.tag;
    response.port = request.port;
    response.status = read_register(request, response.value) ? RegStatus::Ok : RegStatus::Unknown;
    to_registers->push(now, response);
    return true;
}

// A bus master of another party may name rings there are not.
unsigned SpiCore::ring_of(const RegRequest& request) const {
    return std::min<unsigned>(request.ring, spec_.rings - 1);
}

bool SpiCore::register_ready(const RegRequest& request) const {
    if (!request.write)
        return true;
    const RingState& ring = state_.rings[ring_of(request)];
    switch (roles_.of(request.offset)) {
        case RegisterRole::DispatchInitiator:
            return run_ != RunState::Draining && ring.dispatches.size() < spec_.queue_depth;
        case RegisterRole::EventInitiator:
            return ring.events.size() < spec_.event_depth;
        case RegisterRole::DrawInitiator:
            return run_ != RunState::Draining &&
                   state_.graphics.draws.size() < spec_.draws_in_flight;
        case RegisterRole::Shader:
            return shader_ready();
        default:
            return true;
    }
}

bool SpiCore::write_register(const RegRequest& request) {
    RingState& ring = state_.rings[ring_of(request)];
    ++state_.counters.register_writes;
    switch (roles_.of(request.offset)) {
        case RegisterRole::EventInitiator:
            begin_event(ring, request);
            return true;
        case RegisterRole::DispatchInitiator:
            ring.registers.raw[compute_index(request.offset)] = request.value;
            if (spec_.map.COMPUTE_DISPATCH_INITIATOR.COMPUTE_SHADER_EN(request.value) != 0)
                begin_dispatch(ring, request);
            return true;
        case RegisterRole::Compute:
            ring.registers.raw[compute_index(request.offset)] = request.value;
            return true;
        default:
            return write_graphics(request);
    }
}

void SpiCore::begin_event(RingState& ring, const RegRequest& request) {
    quiescent_ = false;
    const auto type = static_cast<uint8_t>(spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE(request.value));
    note_event(ring_of(request), type);
    // It has passed all work once the ring's last dispatch, and on the graphics ring the last
    // draw, has ended. VGT passes on what is on the graphics ring.
    PendingEvent event;
    event.type = type;
    event.after = ring.last_dispatch;
    event.after_draw = state_.graphics.last_draw;
    event.context = request.context;
    event.token = !has_vgt_ || ring_of(request) != 0;
    event.cs_invocations = state_.statistics.invocations;
    event.ps_invocations = state_.statistics.pixels;
    if (ring_of(request) == 0) {
        event.number = ++state_.graphics.events;
        event.after_pixels = state_.graphics.pixels_since_flush;
        if (flushes_back_ends(event.type))
            state_.graphics.pixels_since_flush = false;
        event.context_draw = state_.graphics.context_draw[request.context % kContexts];
    }
    ring.events.push_back(event);
}

void SpiCore::note_event(unsigned ring, uint8_t type) {
    if (ring != 0)
        return;
    const auto& events = spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE;
    if (type == events.PIPELINESTAT_START)
        state_.statistics.counting = true;
    else if (type == events.PIPELINESTAT_STOP)
        state_.statistics.counting = false;
}

bool SpiCore::read_register(const RegRequest& request, uint32_t& value) {
    value = 0;
    switch (roles_.of(request.offset)) {
        case RegisterRole::Compute:
        case RegisterRole::DispatchInitiator:
            value = state_.rings[ring_of(request)].registers.raw[compute_index(request.offset)];
            return true;
        case RegisterRole::EventInitiator:
            return true;
        default:
            return read_graphics(request, value);
    }
}

// ---- placing groups -------------------------------------------------------------------------

void SpiCore::note(Placement placement, unsigned kind, Refusals& refused) {
    switch (placement) {
        case Placement::NoRoom:
            refused.room |= 1u << kind;
            refused.no_room = true;
            break;
        case Placement::Launching:
            refused.no_room = true;
            break;
        case Placement::NoScratch:
            refused.scratch |= 1u << kind;
            refused.no_scratch = true;
            break;
        default:
            break;
    }
}

namespace {

// note_stall() for every kind of wave; returns at once while the set of stalled kinds is the same.
void note_kinds(uint32_t stalled, Cycle now, SpiState::KindStall& stall,
                std::array<uint64_t, kWaveKinds>& counters) {
    for (uint32_t changed = stalled ^ stall.stalled; changed != 0; changed &= changed - 1) {
        const auto kind = static_cast<unsigned>(__builtin_ctz(changed));
        if ((stalled >> kind & 1) != 0)
            stall.since[kind] = now;
        else
            counters[kind] += now - stall.since[kind];
    }
    stall.stalled = stalled;
}

}  // namespace

bool SpiCore::place_groups(Cycle now) {
    bool progress = false;
    Refusals refused;
    for (unsigned n = 0; n < spec_.groups_per_cycle; ++n) {
        bool placed = false;
        for (unsigned i = 0; i <= spec_.rings && !placed; ++i) {
            const unsigned r = source(now, i);
            if (r == spec_.rings) {  // the graphics stages
                placed = (state_.graphics.waves_live != 0 || pixels_wait()) &&
                         place_graphics(now, refused);
                if (placed)
                    state_.next_ring = 0;
                continue;
            }
            RingState& ring = state_.rings[r];
            for (LiveDispatch& live : ring.dispatches) {
                if (live.walked)
                    continue;
                if (!live.started) {
                    live.started = true;
                    live.begin = now;
                }
                const Placement placement = place(now, live);
                if (placement == Placement::Placed) {
                    state_.next_ring = (r + 1) % (spec_.rings + 1);
                    placed = true;
                }
                note(placement, kind_of(ShaderStage::Cs, r), refused);
                if (live.walked)
                    give_dispatches(ring);
                break;  // a later dispatch of the ring waits for this one's groups to be placed
            }
            // A dispatch without groups ends at once.
            const size_t before = ring.dispatches.size();
            retire(ring);
            progress |= ring.dispatches.size() != before;
        }
        progress |= placed;
        if (!placed)
            break;
    }
    SpiCounters& c = state_.counters;
    note_stall(refused.no_room && !progress, now, state_.no_room_since, c.no_room_cycles);
    note_stall(refused.no_scratch && !progress, now, state_.no_scratch_since, c.no_scratch_cycles);
    const uint32_t any = refused.room | refused.scratch;
    note_stall(any != 0 && !progress, now, state_.no_alloc_since, c.no_alloc_cycles);
    note_kinds(refused.room, now, state_.room_stall, c.no_room);
    note_kinds(refused.scratch, now, state_.scratch_stall, c.no_scratch);
    note_kinds(any, now, state_.alloc_stall, c.no_alloc);
    return progress;
}

// The next wave of the group that the engine launches.
const WaveLaunch& SpiCore::launch_of_group(unsigned engine, const Launching& out) {
    const DispatchedWave& next = dispatcher_->front(engine);
    LiveWave& wave =
        state_.cus[out.cu].waves[next.launch.simd * spec_.cu.slots_per_simd + next.launch.slot];
    wave = {};
    wave.scratch = out.scratch;
    wave.scratch_slot = next.scratch_slot;
    return next.launch;
}

bool SpiCore::launch_waves(Cycle now) {
    bool progress = false;
    bool stalled = false;
    for (unsigned se = 0; se < spec_.shader_engines; ++se) {
        Launching& out = state_.launching[se];
        if (!out.active())
            continue;
        if (now < out.ready) {
            wake_at(out.ready);
            continue;
        }
        Channel<WaveLaunch>& to = *to_cu[out.cu];
        if (!to.can_push(now)) {
            stalled = true;
            continue;
        }
        to.push(now, out.of_group ? launch_of_group(se, out) : out.wave);
        if (out.of_group)
            dispatcher_->launched(se);
        ++state_.counters.waves;
        out.ready = now + spec_.wave_interval;
        if (--out.left != 0)
            wake_at(out.ready);
        progress = true;
    }
    note_stall(stalled, now, state_.launch_stall_since, state_.counters.launch_stall_cycles);
    return progress;
}

}  // namespace archipelago::spi
