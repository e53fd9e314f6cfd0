// SPDX-License-Identifier: Apache-2.0
#include "models/spi/dispatch_pins.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"
#include "models/common/pins/pin_block.h"
#include "models/common/pins/twin_limits.h"
#include "models/gcn/local_ids.h"
#include "models/spi/dispatch_messages.h"

namespace archipelago::spi {

using namespace dispatch_messages;

namespace {

using Pins = rtl::SpiDispatchPins;
using pins::FromPins;
using pins::ToPins;

constexpr unsigned kMaxCycles = 4096;  // cycles for anything but passing over groups
constexpr unsigned kArrays = 2, kCus = 16;

// The pins count what a program asks for in the units of its registers, and what it is granted in
// granules; they have a slot for every compute unit that may be.
SpiSpec spec_of_pins() {
    SpiSpec s;
    s.shader_engines = Pins::kEngines;
    s.sh_per_se = kArrays;
    s.cu_per_sh = kCus;
    s.rings = Pins::kRings;
    s.units = {1, 1, 1};
    s.cu.vgpr_granule = s.cu.sgpr_granule = s.cu.lds_granule = 1;
    return s;
}

Dispatch dispatch_from_pins(const Pins::Dispatch& pins) {
    Dispatch d;
    map_dispatch(FromPins{}, d, pins, spec_of_pins().units);
    for (unsigned i = 0; i < std::min<unsigned>(pins.ranges, Pins::kRanges); ++i)
        d.chosen.ranges.push_back({pins.range_first[i], pins.range_last[i]});
    return d;
}

}  // namespace

void dispatch_to_pins(const Dispatch& d, const ProgramUnits& units, Pins::Dispatch& pins) {
    if (d.chosen.ranges.size() > Pins::kRanges)
        throw MachineStop(StopKind::Unimplemented, Pins::kName,
                          "the dispatcher walks at most " + std::to_string(Pins::kRanges) +
                              " ranges of chosen groups, dispatch " + std::to_string(d.number) +
                              " has " + std::to_string(d.chosen.ranges.size()));
    pins = {};
    map_dispatch(ToPins{}, d, pins, units);
    for (const GroupSelection::Range& range : d.chosen.ranges) {
        pins.range_first[pins.ranges] = range.first;
        pins.range_last[pins.ranges++] = range.last;
    }
}

void grant_to_pins(const AllocatorGrant& grant, unsigned waves, const SpiSpec& spec,
                   Pins::Grant& pins) {
    pins = {};
    if (!grant.placed)
        return;
    map_grant(ToPins{}, grant, pins, waves);
    pins.engine = static_cast<uint8_t>(grant.cu / (spec.sh_per_se * spec.cu_per_sh));
    pins.array = static_cast<uint8_t>(grant.cu / spec.cu_per_sh % spec.sh_per_se);
    pins.cu = static_cast<uint8_t>(grant.cu % spec.cu_per_sh);
}

namespace {

// Ids of the lanes of a row.
void present_ids(const WaveLaunch& w, Pins::Launch& out) {
    LocalIds ids(w.first_thread + out.beat * Pins::kLanes, w.group_dim);
    for (unsigned lane = 0; lane < Pins::kLanes; ++lane, ids.next()) {
        out.id_x[lane] = static_cast<uint16_t>(ids.id[0]);
        out.id_y[lane] = static_cast<uint16_t>(w.id_components > 1 ? ids.id[1] : 0);
        out.id_z[lane] = static_cast<uint16_t>(w.id_components > 2 ? ids.id[2] : 0);
    }
}

}  // namespace

// ---- the core on pins --------------------------------------------------------------------------

SpiDispatchCore::SpiDispatchCore() {
    core_.reset(spec_of_pins());
}

void SpiDispatchCore::present_wave(unsigned engine, Pins::Launch& out) {
    const DispatchedWave& wave = core_.front(engine);
    map_launch(ToPins{}, wave, out, spec_of_pins());
    out.beat = state_.beat[engine];
    out.array = state_.array[engine];
    out.cu = state_.cu[engine];
    present_ids(wave.launch, out);
}

void SpiDispatchCore::present(const In& in, Out& out) {
    out = {};
    const Phase phase = state_.phase;
    for (unsigned se = 0; se < Pins::kEngines; ++se) {
        if (!core_.launching(se) || (phase == Phase::Slots && state_.engine == se))
            continue;
        (se == 0 ? out.se0_valid : out.se1_valid) = 1;
        present_wave(se, se == 0 ? out.se0 : out.se1);
    }
    out.dispatch_ready = phase == Phase::Idle && !core_.walking(in.dispatch.ring) ? 1 : 0;
    out.turn_ready =
        phase == Phase::Idle && (in.dispatch_valid == 0 || out.dispatch_ready == 0) ? 1 : 0;
    out.grant_ready =
        phase == Phase::Grant && (in.grant.placed == 0 || !core_.launching(in.grant.engine)) ? 1
                                                                                             : 0;
    if (phase == Phase::Query) {
        out.query_valid = 1;
        out.query = state_.query;
    }
    if (phase == Phase::Walked) {
        out.walk_valid = 1;
        out.walk_ring = state_.ring;
        out.walk_ended = state_.ended ? 1 : 0;
    }
    out.freed_ready =
        phase != Phase::Asking && phase != Phase::Query && phase != Phase::Slots ? 1 : 0;
    if (in.freed_valid != 0 && out.freed_ready != 0)
        out.freed_known = core_.has_scratch_slot(in.freed_ring, in.freed_slot) ? 1 : 0;
}

void SpiDispatchCore::take_in_idle(const In& in, const Out& out) {
    if (in.dispatch_valid != 0 && out.dispatch_ready != 0) {
        state_.ring = in.dispatch.ring;
        state_.ended = !core_.start(dispatch_from_pins(in.dispatch));
        state_.walking = core_.passed_over();
        state_.phase = Phase::Walk;
    } else if (in.turn_valid != 0) {
        state_.ring = in.turn_ring;
        state_.phase = Phase::Asking;
    }
}

void SpiDispatchCore::ask() {
    AllocatorQuery query;
    Pins::Query& q = state_.query;
    q = {};
    q.needs = static_cast<uint8_t>(core_.ask(state_.ring, query));
    if (q.needs != 0)
        map_query(ToPins{}, query, q);
    state_.phase = Phase::Query;
}

void SpiDispatchCore::place(const Pins::Grant& pins) {
    if (pins.placed == 0) {
        state_.phase = Phase::Idle;
        return;
    }
    AllocatorGrant grant;
    map_grant(FromPins{}, grant, pins, Pins::kWaves);
    grant.cu = static_cast<uint16_t>((pins.engine * kArrays + pins.array) * kCus + pins.cu);
    state_.ended = !core_.answer(state_.ring, grant);
    state_.walking = core_.passed_over();
    state_.engine = pins.engine;
    state_.array[pins.engine] = pins.array;
    state_.cu[pins.engine] = pins.cu;
    state_.beat[pins.engine] = 0;
    state_.slots = core_.state().rings[state_.ring].dispatch.scratch ? state_.query.waves : 0;
    state_.phase = state_.slots != 0 ? Phase::Slots : Phase::Walk;
}

void SpiDispatchCore::advance(const In& in, const Out& out) {
    switch (state_.phase) {
        case Phase::Idle:
            return take_in_idle(in, out);
        case Phase::Asking:
            return ask();
        case Phase::Query:
            if (in.query_ready != 0)
                state_.phase = state_.query.needs == static_cast<uint8_t>(GroupNeeds::Room)
                                   ? Phase::Grant
                                   : Phase::Idle;
            return;
        case Phase::Grant:
            if (in.grant_valid != 0 && out.grant_ready != 0)
                place(in.grant);
            return;
        case Phase::Slots:
            if (--state_.slots == 0)
                state_.phase = Phase::Walk;
            return;
        case Phase::Walk:
            if (state_.walking == 0)
                state_.phase = Phase::Walked;
            else
                --state_.walking;
            return;
        case Phase::Walked:
            if (in.walk_ready != 0)
                state_.phase = Phase::Idle;
            return;
    }
}

// A row of 16 lanes is taken.
void SpiDispatchCore::leave(unsigned engine) {
    state_.beat[engine] = static_cast<uint8_t>((state_.beat[engine] + 1) % Pins::kBeats);
    if (state_.beat[engine] == 0)
        core_.launched(engine);
}

void SpiDispatchCore::step(const In& in, Out& out) {
    present(in, out);
    if (in.rst != 0) {
        core_.reset(spec_of_pins());
        state_ = {};
        return;
    }
    if (out.se0_valid != 0 && in.se0_ready != 0)
        leave(0);
    if (out.se1_valid != 0 && in.se1_ready != 0)
        leave(1);
    // A slot that comes back with a grant is there for it.
    if (in.freed_valid != 0 && out.freed_ready != 0)
        core_.free_scratch(in.freed_ring, in.freed_slot);
    advance(in, out);
}

// ---- pins in a chip ----------------------------------------------------------------------------

void PinDispatchUnit::wrong(const char* what) {
    throw MachineStop(StopKind::Protocol, Pins::kName, what);
}

void PinDispatchUnit::reset(const SpiSpec& spec) {
    const auto fit = [](unsigned most, const char* key, unsigned value) {
        rtl::in_range<Pins>(1, most, key, value);
    };
    const CuResources& res = spec.cu;
    fit(Pins::kRings, "spi rings", spec.rings);
    fit(Pins::kEngines, "topology.shader_engines", spec.shader_engines);
    fit(kArrays, "topology.sh_per_se", spec.sh_per_se);
    fit(kCus, "topology.cu_per_sh", spec.cu_per_sh);
    fit(4, "cu.resources.simds", res.simds);
    fit(16, "cu.resources.wave_slots", res.slots_per_simd);
    fit(64, "cu.resources.vgprs / vgpr_granule", res.vgprs_per_simd / res.vgpr_granule);
    fit(64, "cu.resources.sgprs / sgpr_granule", res.sgprs_per_simd / res.sgpr_granule);
    fit(256, "cu.resources.lds / lds_granule", res.lds_bytes / res.lds_granule);
    fit(Pins::kWaves, "cu.resources.max_group_threads / 64", res.max_group_threads / 64);
    spec_ = spec;
    in_ = {};
    engines_ = {};
    in_.rst = 1;
    for (unsigned i = 0; i < rtl::kResetCycles; ++i)
        dispatcher_.step(in_, out_);
    in_.rst = 0;
}

// The twin is ready at once; another block may let it wait.
void PinDispatchUnit::pass(uint8_t Pins::Out::*ready, const char* stuck) {
    if (!rtl::step_until(dispatcher_, in_, out_, ready, kMaxCycles))
        throw MachineStop(StopKind::Hang, Pins::kName, stuck);
}

// The walk's report on its next group: whether there is one.
bool PinDispatchUnit::walked(unsigned ring) {
    in_.walk_ready = 1;
    for (uint64_t waited = 0;; ++waited) {
        dispatcher_.step(in_, out_);
        if (out_.walk_valid != 0)
            break;
        if (waited > groups_[ring] + kMaxCycles)
            throw MachineStop(StopKind::Hang, Pins::kName, "a walk comes to no group and no end");
    }
    in_.walk_ready = 0;
    if (out_.walk_ring != ring)
        wrong("it walks another ring");
    return out_.walk_ended == 0;
}

bool PinDispatchUnit::start(const Dispatch& d) {
    dispatch_to_pins(d, spec_.units, in_.dispatch);
    groups_[d.ring] = d.groups();
    in_.dispatch_valid = 1;
    pass(&Pins::Out::dispatch_ready, "the dispatcher takes no dispatch");
    in_.dispatch_valid = 0;
    return walked(d.ring);
}

GroupNeeds PinDispatchUnit::ask(unsigned ring, AllocatorQuery& query) {
    in_.turn_ring = static_cast<uint8_t>(ring);
    in_.turn_valid = 1;
    pass(&Pins::Out::turn_ready, "the dispatcher takes no turn");
    in_.turn_valid = 0;
    in_.query_ready = 1;
    pass(&Pins::Out::query_valid, "the dispatcher does not say what a group needs");
    in_.query_ready = 0;
    const Pins::Query& q = out_.query;
    waves_ = q.waves;
    if (q.needs > static_cast<uint8_t>(GroupNeeds::Room) ||
        (q.needs != 0 && (q.waves == 0 || q.waves > Pins::kWaves)))
        wrong("a group needs what there is not");
    map_query(FromPins{}, query, q);
    // The allocator counts in granules.
    query.vgprs = spec_.cu.vgpr_granules(query.vgprs * spec_.units.vgprs);
    query.sgprs = spec_.cu.sgpr_granules(query.sgprs * spec_.units.sgprs);
    query.lds = spec_.cu.lds_granules(query.lds * spec_.units.lds_bytes);
    return static_cast<GroupNeeds>(q.needs);
}

bool PinDispatchUnit::answer(unsigned ring, const AllocatorGrant& grant) {
    grant_to_pins(grant, waves_, spec_, in_.grant);
    in_.grant_valid = 1;
    pass(&Pins::Out::grant_ready, "the dispatcher takes no grant");
    in_.grant_valid = 0;
    if (!grant.placed)
        return true;
    Engine& engine = engines_[in_.grant.engine];
    engine.grant = grant;
    engine.next = 0;
    return walked(ring);
}

// A wave that goes elsewhere than it was granted room would share registers with another.
bool PinDispatchUnit::granted(const Engine& engine, const Pins::Launch& pins) const {
    const AllocatorGrant& grant = engine.grant;
    const AllocatorGrant::Wave& at = grant.waves[engine.next % AllocatorQuery::kMaxWaves];
    return pins.wave == engine.next && pins.array == grant.cu / spec_.cu_per_sh % spec_.sh_per_se &&
           pins.cu == grant.cu % spec_.cu_per_sh && pins.simd == at.simd && pins.slot == at.slot &&
           pins.vgpr == at.vgpr && pins.sgpr == at.sgpr && pins.group_slot == grant.group_slot &&
           pins.lds_first == grant.lds;
}

// What the compute unit gets, from a row of 16 lanes.
void PinDispatchUnit::take_wave(const Pins::Launch& pins, DispatchedWave& wave) const {
    WaveLaunch& w = wave.launch;
    w = {};
    map_launch(FromPins{}, wave, pins, spec_);
    w.first_thread = pins.wave * kWaveThreads;
    w.uid = wave_uid(pins.number, pins.group, pins.wave);
}

const DispatchedWave& PinDispatchUnit::front(unsigned index) {
    Engine& engine = engines_[index];
    if (engine.there)
        return engine.wave;
    uint8_t& ready = index == 0 ? in_.se0_ready : in_.se1_ready;
    ready = 1;
    for (unsigned beat = 0; beat < Pins::kBeats; ++beat) {
        pass(index == 0 ? &Pins::Out::se0_valid : &Pins::Out::se1_valid,
             "the dispatcher launches no wave");
        const Pins::Launch& pins = index == 0 ? out_.se0 : out_.se1;
        if (pins.beat != beat || !granted(engine, pins))
            wrong("it launches what was not granted");
        take_wave(pins, engine.wave);
        Pins::Launch expected = pins;
        present_ids(engine.wave.launch, expected);
        if (pins.id_x != expected.id_x || pins.id_y != expected.id_y || pins.id_z != expected.id_z)
            wrong("a lane gets the ids of another thread");
    }
    ready = 0;
    engine.there = true;
    ++engine.next;
    return engine.wave;
}

bool PinDispatchUnit::free_scratch(unsigned ring, uint32_t slot) {
    in_.freed_ring = static_cast<uint8_t>(ring);
    in_.freed_slot = static_cast<uint16_t>(slot);
    in_.freed_valid = 1;
    pass(&Pins::Out::freed_ready, "the dispatcher takes no scratch slot back");
    in_.freed_valid = 0;
    if (out_.freed_known == 0)
        wrong("it has not given the scratch slot that comes back");
    return true;
}

}  // namespace archipelago::spi
