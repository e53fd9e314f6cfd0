// SPDX-License-Identifier: Apache-2.0
#include "models/spi/spi_core.h"

#include <algorithm>

#include "models/common/error.h"
#include "registers/si_names.h"

namespace archipelago::spi {
namespace {

constexpr uint32_t kSpiShaderFirst = 0xB000;
constexpr uint32_t kSpiShaderEnd = 0xB800;
constexpr uint32_t kComputeEnd = ComputeRegisters::kFirst + 4 * ComputeRegisters::kCount;

// Adds the length of a stall that ended (or began) to its counter: by cycle numbers, because ticks
// come only when something moves.
void note_stall(bool now_stalled, Cycle now, uint64_t& since, uint64_t& counter) {
    if (now_stalled && since == kNever) {
        since = now;
    } else if (!now_stalled && since != kNever) {
        counter += now - since;
        since = kNever;
    }
}

const char* ring_name(unsigned ring) {
    static const char* const kNames[] = {"gfx", "compute0", "compute1"};
    return ring < 3 ? kNames[ring] : "?";
}

}  // namespace

SpiCore::SpiCore(const SpiSpec& spec)
    : registers(spec.registers, "spi.registers"), se_busy(spec.shader_engines), spec_(spec) {
    registers.set_consumer(this);
    launch_.resize(spec_.cus());
    for (unsigned i = 0; i < spec_.cus(); ++i) {
        wave_done_.push_back(std::make_unique<Channel<WaveDone>>(
            spec_.wave_done, "spi.wave_done" + std::to_string(i)));
        wave_done_.back()->set_consumer(this);
    }
    SpiCore::reset();
}

void SpiCore::reset() {
    state_ = SpiState{};
    state_.spi_registers.assign((kSpiShaderEnd - kSpiShaderFirst) / 4, 0);
    state_.rings.resize(spec_.rings);
    state_.cus.resize(spec_.cus());
    for (CuBook& cu : state_.cus) {
        cu.vgprs.assign(spec_.cu.simds,
                        RangeAllocator(spec_.cu.vgprs_per_simd / spec_.cu.vgpr_granule));
        cu.sgprs.assign(spec_.cu.simds,
                        RangeAllocator(spec_.cu.sgprs_per_simd / spec_.cu.sgpr_granule));
        cu.lds = RangeAllocator(spec_.cu.lds_bytes / spec_.cu.lds_granule);
        cu.waves.resize(spec_.cu.simds * spec_.cu.slots_per_simd);
        cu.slots.assign(spec_.cu.simds, 0);
        cu.groups.resize(spec_.cu.simds * spec_.cu.slots_per_simd);
    }
    state_.launching.resize(spec_.shader_engines);
    state_.next_sh.assign(spec_.shader_engines, 0);
    state_.next_cu.assign(spec_.shader_engines * spec_.sh_per_se, 0);
    simds_.resize(spec_.cu.simds);
    busy.reset();
    for (Wire<bool>& wire : se_busy)
        wire.reset();
    run_ = RunState::Running;
    registers.clear();
    for (auto& c : wave_done_)
        c->clear();
}

void SpiCore::connect_registers(Channel<RegResponse>& out) {
    register_out_ = &out;
    out.set_producer(this);
}
void SpiCore::connect_cu(unsigned cu, Channel<WaveLaunch>& out) {
    launch_[cu] = &out;
    out.set_producer(this);
}
void SpiCore::connect_events(Channel<EventDone>& out) {
    event_out_ = &out;
    out.set_producer(this);
}

void SpiCore::resume() {
    run_ = RunState::Running;
    wake_at(0);
}

bool SpiCore::work_left() const {
    if (state_.waves_live != 0)
        return true;
    for (const RingBook& ring : state_.rings)
        if (!ring.dispatches.empty() || !ring.events.empty())
            return true;
    return false;
}

bool SpiCore::idle() const {
    if (work_left() || !registers.empty())
        return false;
    return std::all_of(wave_done_.begin(), wave_done_.end(),
                       [](const auto& c) { return c->empty(); });
}

bool SpiCore::tick(Cycle now) {
    if (run_ == RunState::Paused)
        return false;
    bool progress = take_done(now);
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
    note_stall(working, now, state_.busy_since, state_.counters.busy_cycles);
    if (busy.latest() != working)
        busy.set(now, working);
    for (unsigned se = 0; se < spec_.shader_engines; ++se) {
        bool live = state_.launching[se].active;
        const unsigned per_se = spec_.sh_per_se * spec_.cu_per_sh;
        for (unsigned i = 0; i < per_se && !live; ++i)
            live = state_.cus[se * per_se + i].waves_used != 0;
        if (se_busy[se].latest() != live)
            se_busy[se].set(now, live);
    }
}

// ---- waves that ended -----------------------------------------------------------------------

bool SpiCore::take_done(Cycle now) {
    bool progress = false;
    for (unsigned i = 0; i < wave_done_.size(); ++i) {
        Channel<WaveDone>& in = *wave_done_[i];
        while (in.can_pop(now)) {
            const WaveDone done = in.pop(now);
            progress = true;
            CuBook& cu = state_.cus[i];
            const size_t slot = size_t{done.simd} * spec_.cu.slots_per_simd + done.slot;
            if (done.simd >= spec_.cu.simds || done.slot >= spec_.cu.slots_per_simd ||
                !cu.waves[slot].used)
                throw MachineStop(StopKind::Protocol, path_,
                                  "CU " + std::to_string(i) + " ended a wave that does not run");
            LiveWave& wave = cu.waves[slot];
            cu.vgprs[done.simd].free(wave.vgpr_first, wave.vgpr_count);
            cu.sgprs[done.simd].free(wave.sgpr_first, wave.sgpr_count);
            LiveGroup& group = cu.groups[wave.group_slot];
            RingBook& ring = state_.rings[group.ring];
            if (wave.scratch)
                ring.scratch_used[wave.scratch_slot / 64] &=
                    ~(uint64_t{1} << (wave.scratch_slot % 64));
            wave.used = false;
            cu.slots[done.simd] &= ~(1U << done.slot);
            cu.refused_waves = 0;
            --cu.waves_used;
            --state_.waves_live;
            ++state_.counters.waves_done;
            if (--group.waves_left == 0) {
                cu.lds.free(group.lds_first, group.lds_count);
                if (group.barrier)
                    --cu.barriers_used;
                --cu.groups_used;
                group.used = false;
                for (LiveDispatch& live : ring.dispatches)
                    if (live.dispatch.number == group.dispatch)
                        --live.groups_running;
                retire(ring);
            }
        }
    }
    return progress;
}

// Dispatches leave in order.
void SpiCore::retire(RingBook& ring) {
    while (!ring.dispatches.empty() && ring.dispatches.front().walk.done() &&
           ring.dispatches.front().groups_running == 0) {
        const LiveDispatch& live = ring.dispatches.front();
        if (observers_.trace != nullptr && scheduler() != nullptr)
            observers_.trace->slice(
                ring_tracks_[live.dispatch.ring], live.begin, scheduler()->now() + 1,
                "dispatch " + std::to_string(live.dispatch.number), live.dispatch.number,
                std::to_string(live.dispatch.groups()) + " groups");
        ring.dispatches.pop_front();
    }
}

bool SpiCore::finish_events(Cycle now) {
    bool progress = false;
    for (unsigned r = 0; r < spec_.rings; ++r) {
        RingBook& ring = state_.rings[r];
        while (!ring.events.empty()) {
            const PendingEvent& event = ring.events.front();
            if (!ring.dispatches.empty() && ring.dispatches.front().dispatch.number <= event.after)
                break;
            if (!event_out_->can_push(now))
                break;
            event_out_->push(now, EventDone{static_cast<uint8_t>(r), event.type});
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
    if (!register_ready(registers.front()))
        return false;  // the queue empties by work that wakes us
    if (!registers.front().write && !register_out_->can_push(now))
        return false;
    const RegRequest request = registers.pop(now);
    if (request.write) {  // posted
        write_register(request);
        return true;
    }
    RegResponse response;
    response.tag = request.tag;
    response.port = request.port;
    response.status = read_register(request, response.value) ? RegStatus::Ok : RegStatus::Unknown;
    register_out_->push(now, response);
    return true;
}

// A bus master of another party may name rings there are not.
unsigned SpiCore::ring_of(const RegRequest& request) const {
    return std::min<unsigned>(request.ring, spec_.rings - 1);
}

bool SpiCore::register_ready(const RegRequest& request) const {
    if (!request.write)
        return true;
    if (run_ == RunState::Draining && request.offset == regs::si::COMPUTE_DISPATCH_INITIATOR)
        return false;
    const RingBook& ring = state_.rings[ring_of(request)];
    if (request.offset == regs::si::COMPUTE_DISPATCH_INITIATOR)
        return ring.dispatches.size() < spec_.queue_depth;
    if (request.offset == regs::si::VGT_EVENT_INITIATOR)
        return ring.events.size() < spec_.event_depth;
    return true;
}

bool SpiCore::write_register(const RegRequest& request) {
    const uint32_t offset = request.offset;
    RingBook& ring = state_.rings[ring_of(request)];
    ++state_.counters.register_writes;
    if (offset >= kSpiShaderFirst && offset < kSpiShaderEnd) {
        state_.spi_registers[(offset - kSpiShaderFirst) / 4] = request.value;
        return true;
    }
    if (offset == regs::si::VGT_EVENT_INITIATOR) {
        // The token: it has passed all work once the ring's last dispatch has ended.
        ring.events.push_back({static_cast<uint8_t>(request.value & 0x3F), ring.last_dispatch});
        return true;
    }
    if (offset < ComputeRegisters::kFirst || offset >= kComputeEnd)
        return false;
    ring.registers.raw[(offset - ComputeRegisters::kFirst) / 4] = request.value;
    if (offset != regs::si::COMPUTE_DISPATCH_INITIATOR || (request.value & 1) == 0)
        return true;  // bit 0 is COMPUTE_SHADER_EN
    LiveDispatch live;
    try {
        live.dispatch = decode_dispatch(ring.registers, spec_);
    } catch (const MachineStop& stop) {
        throw MachineStop(stop.kind(), std::string("ring ") + ring_name(ring_of(request)),
                          stop.what());
    }
    live.dispatch.number = state_.next_dispatch++;
    live.dispatch.ring = static_cast<uint8_t>(ring_of(request));
    live.dispatch.uid = uint64_t{live.dispatch.number} << 40;
    live.walk = GroupWalk(live.dispatch);
    ring.last_dispatch = live.dispatch.number;
    const size_t words = (live.dispatch.scratch_waves + 63) / 64;
    if (ring.scratch_used.size() < words)
        ring.scratch_used.resize(words, 0);
    ring.dispatches.push_back(live);
    ++state_.counters.dispatches;
    return true;
}

bool SpiCore::read_register(const RegRequest& request, uint32_t& value) {
    const uint32_t offset = request.offset;
    if (offset >= kSpiShaderFirst && offset < kSpiShaderEnd) {
        value = state_.spi_registers[(offset - kSpiShaderFirst) / 4];
        return true;
    }
    if (offset >= ComputeRegisters::kFirst && offset < kComputeEnd) {
        value = state_.rings[ring_of(request)].registers.at(offset);
        return true;
    }
    value = 0;
    return offset == regs::si::VGT_EVENT_INITIATOR;
}

std::vector<Dispatch> SpiCore::take_dispatches() {
    std::vector<Dispatch> taken;
    for (RingBook& ring : state_.rings) {
        for (LiveDispatch& live : ring.dispatches) {
            state_.counters.groups += live.dispatch.groups();
            taken.push_back(live.dispatch);
        }
        ring.dispatches.clear();
        state_.counters.events += ring.events.size();
        ring.events.clear();
    }
    std::sort(taken.begin(), taken.end(),
              [](const Dispatch& a, const Dispatch& b) { return a.number < b.number; });
    return taken;
}

// ---- placing groups -------------------------------------------------------------------------

// What leaves no room for a group leaves none when still more is taken, whichever SIMD is next: a
// refusal holds until a wave ends.
bool SpiCore::fits(CuBook& cu, const Dispatch& d, const Group& g) {
    if (cu.refused_dispatch == d.number && cu.refused_waves == g.waves)
        return false;
    if (plan(cu, d, g))
        return true;
    cu.refused_dispatch = d.number;
    cu.refused_waves = g.waves;
    return false;
}

// Plans SIMD, slot and register ranges for every wave of the group. SIMDs are taken in turn, from
// the one after the last used.
bool SpiCore::plan(const CuBook& cu, const Dispatch& d, const Group& g) {
    const CuResources& res = spec_.cu;
    if (cu.waves_used + g.waves > res.simds * res.slots_per_simd)
        return false;
    if (g.waves > 1 && cu.barriers_used >= res.barriers)
        return false;
    if (d.groups_per_cu != 0 && cu.groups_used >= d.groups_per_cu)
        return false;
    if (cu.lds.find((d.lds_bytes + res.lds_granule - 1) / res.lds_granule) < 0)
        return false;
    const auto vgprs = static_cast<uint16_t>((d.vgprs + res.vgpr_granule - 1) / res.vgpr_granule);
    const auto sgprs = static_cast<uint16_t>((d.sgprs + res.sgpr_granule - 1) / res.sgpr_granule);
    plan_.clear();
    where_.clear();
    for (SimdPlan& s : simds_)
        s.touched = false;
    unsigned simd = cu.next_simd;
    for (unsigned w = 0; w < g.waves; ++w) {
        bool placed = false;
        for (unsigned tries = 0; tries < res.simds && !placed; ++tries) {
            const unsigned candidate = (simd + tries) % res.simds;
            SimdPlan& own = simds_[candidate];
            const uint32_t slots = own.touched ? own.slots : cu.slots[candidate];
            const auto slot = static_cast<unsigned>(__builtin_ctz(~slots));
            if (slot >= res.slots_per_simd)
                continue;
            const int vf = (own.touched ? own.vgprs : cu.vgprs[candidate]).find(vgprs);
            const int sf = (own.touched ? own.sgprs : cu.sgprs[candidate]).find(sgprs);
            if (vf < 0 || sf < 0)
                continue;
            LiveWave wave;
            wave.used = true;
            wave.vgpr_first = static_cast<uint16_t>(vf);
            wave.vgpr_count = vgprs;
            wave.sgpr_first = static_cast<uint16_t>(sf);
            wave.sgpr_count = sgprs;
            plan_.push_back(wave);
            where_.push_back(candidate * res.slots_per_simd + slot);
            simd = (candidate + 1) % res.simds;
            placed = true;
            if (w + 1 == g.waves)
                break;  // nobody looks at what it took
            if (!own.touched)
                own = {true, cu.slots[candidate], cu.vgprs[candidate], cu.sgprs[candidate]};
            own.slots |= 1U << slot;
            own.vgprs.take(wave.vgpr_first, vgprs);
            own.sgprs.take(wave.sgpr_first, sgprs);
        }
        if (!placed)
            return false;
    }
    return true;
}

SpiCore::Placement SpiCore::place(Cycle now, LiveDispatch& live, RingBook& ring) {
    const Dispatch& d = live.dispatch;
    const Group g = live.walk.current(d);
    if (d.scratch) {
        unsigned used = 0;
        for (const uint64_t w : ring.scratch_used)
            used += static_cast<unsigned>(__builtin_popcountll(w));
        if (used + g.waves > d.scratch_waves)
            return Placement::NoScratch;
    }
    for (unsigned a = 0; a < spec_.shader_engines; ++a) {
        const unsigned se = (state_.next_se + a) % spec_.shader_engines;
        if (state_.launching[se].active)
            continue;
        for (unsigned b = 0; b < spec_.sh_per_se; ++b) {
            const unsigned sh = (state_.next_sh[se] + b) % spec_.sh_per_se;
            const unsigned array = se * spec_.sh_per_se + sh;
            if (d.waves_per_sh != 0) {
                unsigned waves = 0;
                for (unsigned c = 0; c < spec_.cu_per_sh; ++c)
                    waves += state_.cus[array * spec_.cu_per_sh + c].waves_used;
                if (waves + g.waves > d.waves_per_sh)
                    continue;
            }
            for (unsigned c = 0; c < spec_.cu_per_sh; ++c) {
                const unsigned in_sh = (state_.next_cu[array] + c) % spec_.cu_per_sh;
                if ((d.cu_enable[se] >> (16 * sh + in_sh) & 1) == 0)
                    continue;
                const unsigned index = array * spec_.cu_per_sh + in_sh;
                CuBook& cu = state_.cus[index];
                if (!fits(cu, d, g))
                    continue;
                const CuResources& res = spec_.cu;
                unsigned group_slot = 0;
                while (cu.groups[group_slot].used)
                    ++group_slot;
                LiveGroup& group = cu.groups[group_slot];
                group.used = true;
                group.dispatch = d.number;
                group.ring = d.ring;
                group.number = g.number;
                group.waves_left = static_cast<uint8_t>(g.waves);
                group.barrier = g.waves > 1;
                group.lds_count =
                    static_cast<uint16_t>((d.lds_bytes + res.lds_granule - 1) / res.lds_granule);
                group.lds_first = static_cast<uint16_t>(cu.lds.find(group.lds_count));
                cu.lds.take(group.lds_first, group.lds_count);
                cu.barriers_used += static_cast<unsigned>(group.barrier);
                ++cu.groups_used;
                Launching& out = state_.launching[se];
                out.active = true;
                out.cu = index;
                out.group = g;
                out.ring = d.ring;
                out.dispatch = d.number;
                out.next_wave = 0;
                out.ready = now + 1;
                out.waves.clear();
                for (unsigned w = 0; w < g.waves; ++w) {
                    LiveWave& wave = cu.waves[where_[w]];
                    wave = plan_[w];
                    wave.group_slot = static_cast<uint8_t>(group_slot);
                    if (d.scratch) {
                        uint32_t slot = 0;
                        while ((ring.scratch_used[slot / 64] >> (slot % 64) & 1) != 0)
                            ++slot;
                        ring.scratch_used[slot / 64] |= uint64_t{1} << (slot % 64);
                        wave.scratch = true;
                        wave.scratch_slot = slot;
                    }
                    const unsigned simd = where_[w] / res.slots_per_simd;
                    cu.slots[simd] |= 1U << (where_[w] % res.slots_per_simd);
                    cu.vgprs[simd].take(wave.vgpr_first, wave.vgpr_count);
                    cu.sgprs[simd].take(wave.sgpr_first, wave.sgpr_count);
                    WaveLaunch launch = make_wave(d, g, w, wave.scratch_slot);
                    launch.group_slot = static_cast<uint8_t>(group_slot);
                    launch.simd = static_cast<uint8_t>(simd);
                    launch.slot = static_cast<uint8_t>(where_[w] % res.slots_per_simd);
                    launch.vgpr_base = static_cast<uint16_t>(wave.vgpr_first * res.vgpr_granule);
                    launch.sgpr_base = static_cast<uint16_t>(wave.sgpr_first * res.sgpr_granule);
                    launch.lds_base = group.lds_first * res.lds_granule;
                    out.waves.push_back(launch);
                    cu.next_simd = (simd + 1) % res.simds;
                }
                cu.waves_used += g.waves;
                state_.waves_live += g.waves;
                ++live.groups_running;
                ++state_.counters.groups;
                state_.next_se = (se + 1) % spec_.shader_engines;
                state_.next_sh[se] = (sh + 1) % spec_.sh_per_se;
                state_.next_cu[array] = (in_sh + 1) % spec_.cu_per_sh;
                return Placement::Placed;
            }
        }
    }
    return Placement::NoRoom;
}

bool SpiCore::place_groups(Cycle now) {
    bool progress = false;
    bool no_room = false;
    bool no_scratch = false;
    for (unsigned n = 0; n < spec_.groups_per_cycle; ++n) {
        bool placed = false;
        for (unsigned i = 0; i < spec_.rings && !placed; ++i) {
            const unsigned r = (state_.next_ring + i) % spec_.rings;
            RingBook& ring = state_.rings[r];
            for (LiveDispatch& live : ring.dispatches) {
                if (live.walk.done())
                    continue;
                if (!live.started) {
                    live.started = true;
                    live.begin = now;
                }
                switch (place(now, live, ring)) {
                    case Placement::Placed:
                        live.walk.next(live.dispatch);
                        state_.next_ring = (r + 1) % spec_.rings;
                        placed = true;
                        break;
                    case Placement::NoRoom:
                        no_room = true;
                        break;
                    case Placement::NoScratch:
                        no_scratch = true;
                        break;
                }
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
    note_stall(no_room && !progress, now, state_.no_room_since, state_.counters.no_room_cycles);
    note_stall(no_scratch && !progress, now, state_.no_scratch_since,
               state_.counters.no_scratch_cycles);
    return progress;
}

bool SpiCore::launch_waves(Cycle now) {
    bool progress = false;
    bool stalled = false;
    for (Launching& out : state_.launching) {
        if (!out.active)
            continue;
        if (now < out.ready) {
            wake_at(out.ready);
            continue;
        }
        Channel<WaveLaunch>& to = *launch_[out.cu];
        if (!to.can_push(now)) {
            stalled = true;
            continue;
        }
        to.push(now, out.waves[out.next_wave]);
        ++state_.counters.waves;
        out.ready = now + spec_.wave_interval;
        if (++out.next_wave == out.waves.size())
            out.active = false;
        else
            wake_at(out.ready);
        progress = true;
    }
    note_stall(stalled, now, state_.launch_stall_since, state_.counters.launch_stall_cycles);
    return progress;
}

// ---- seeing inside ----------------------------------------------------------------------------

std::string SpiCore::waiting_for() const {
    std::string text;
    for (unsigned r = 0; r < spec_.rings; ++r) {
        const RingBook& ring = state_.rings[r];
        for (const LiveDispatch& live : ring.dispatches) {
            if (!text.empty())
                text += "; ";
            text += "dispatch " + std::to_string(live.dispatch.number) + " of ring " +
                    ring_name(r) + ": " + std::to_string(live.groups_running) + " groups running" +
                    (live.walk.done() ? "" : ", more to place");
        }
        if (!ring.events.empty()) {
            if (!text.empty())
                text += "; ";
            text += std::to_string(ring.events.size()) + " events of ring " + ring_name(r) +
                    " behind them";
        }
    }
    return text;
}

void SpiCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const SpiCounters& c = state_.counters;
    stats.add(path, "dispatches", "dispatches", "dispatch initiators taken", &c.dispatches);
    stats.add(path, "groups", "groups", "work-groups placed on a CU", &c.groups);
    stats.add(path, "waves", "waves", "waves launched", &c.waves);
    stats.add(path, "waves_done", "waves", "waves that ended", &c.waves_done);
    stats.add(path, "events", "events", "events that passed all work before them", &c.events);
    stats.add(path, "register_writes", "writes", "register writes taken", &c.register_writes);
    stats.add(path, "busy_cycles", "cycles", "a dispatch, wave or event was in SPI",
              &c.busy_cycles);
    stats.add(path, "no_room_cycles", "cycles", "a group waited for a CU's resources",
              &c.no_room_cycles);
    stats.add(path, "no_scratch_cycles", "cycles", "a group waited for scratch slots",
              &c.no_scratch_cycles);
    stats.add(path, "launch_stall_cycles", "cycles", "a CU's launch channel was full",
              &c.launch_stall_cycles);
}

void SpiCore::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    ring_tracks_.clear();
    if (observers_.trace != nullptr)
        for (unsigned r = 0; r < spec_.rings; ++r)
            ring_tracks_.push_back(
                observers_.trace->track(path + "." + ring_name(r), observers_.period_fs));
}

}  // namespace archipelago::spi
