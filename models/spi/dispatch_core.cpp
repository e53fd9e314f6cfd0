// SPDX-License-Identifier: Apache-2.0
#include "models/spi/dispatch_core.h"

namespace archipelago::spi {
namespace {

uint32_t take_scratch_slot(DispatchState::Ring& ring) {
    uint32_t slot = 0;
    while (ring.scratch_used[slot / 64] == ~uint64_t{0})
        slot += 64;
    slot += static_cast<uint32_t>(__builtin_ctzll(~ring.scratch_used[slot / 64]));
    ring.scratch_used[slot / 64] |= uint64_t{1} << (slot % 64);
    ++ring.scratch_taken;
    return slot;
}

}  // namespace

void DispatchCore::reset(const SpiSpec& spec) {
    res_ = spec.cu;
    cus_per_engine_ = spec.sh_per_se * spec.cu_per_sh;
    state_ = {};
    state_.rings.resize(spec.rings);
    state_.engines.resize(spec.shader_engines);
}

bool DispatchCore::start(const Dispatch& d) {
    DispatchState::Ring& ring = state_.rings[d.ring];
    ring.dispatch = d;
    ring.walk = GroupWalk(d);
    passed_over_ = ring.walk.number();
    const size_t words = (d.scratch_waves + 63) / 64;
    if (ring.scratch_used.size() < words)
        ring.scratch_used.resize(words, 0);
    return !ring.walk.done();
}

AllocatorQuery DispatchCore::query_of(const Dispatch& d, const Group& g) const {
    AllocatorQuery query;
    query.tag = d.number;
    query.waves = g.waves;
    query.vgprs = res_.vgpr_granules(d.vgprs);
    query.sgprs = res_.sgpr_granules(d.sgprs);
    query.lds = res_.lds_granules(d.lds_bytes);
    query.waves_per_sh = d.waves_per_sh;
    query.groups_per_cu = d.groups_per_cu;
    query.enabled = d.cu_enable;
    return query;
}

GroupNeeds DispatchCore::ask(unsigned ring_index, AllocatorQuery& query) {
    const DispatchState::Ring& ring = state_.rings[ring_index];
    if (ring.walk.done())
        return GroupNeeds::Nothing;
    const Dispatch& d = ring.dispatch;
    query = query_of(d, ring.walk.current(d));
    return d.scratch && ring.scratch_taken + query.waves > d.scratch_waves ? GroupNeeds::Scratch
                                                                           : GroupNeeds::Room;
}

bool DispatchCore::answer(unsigned ring_index, const AllocatorGrant& grant) {
    passed_over_ = 0;
    if (!grant.placed)
        return true;
    DispatchState::Ring& ring = state_.rings[ring_index];
    launch(ring, grant);
    const uint32_t placed = ring.walk.number();
    ring.walk.next(ring.dispatch);
    passed_over_ = ring.walk.number() - placed - 1;
    return !ring.walk.done();
}

void DispatchCore::launch(DispatchState::Ring& ring, const AllocatorGrant& grant) {
    const Dispatch& d = ring.dispatch;
    const Group g = ring.walk.current(d);
    DispatchState::Launching& out = state_.engines[grant.cu / cus_per_engine_];
    out.next = 0;
    out.waves.resize(g.waves);
    const uint32_t ordered = state_.ordered.take(d, g);
    for (unsigned w = 0; w < g.waves; ++w) {
        const AllocatorGrant::Wave& at = grant.waves[w];
        const uint32_t slot = d.scratch ? take_scratch_slot(ring) : 0;
        out.waves[w].scratch_slot = slot;
        WaveLaunch& wave = out.waves[w].launch;
        wave = make_wave(d, g, w, slot, ordered);
        wave.group_slot = grant.group_slot;
        wave.simd = at.simd;
        wave.slot = at.slot;
        wave.vgpr_base = static_cast<uint16_t>(at.vgpr * res_.vgpr_granule);
        wave.sgpr_base = static_cast<uint16_t>(at.sgpr * res_.sgpr_granule);
        wave.lds_base = grant.lds * res_.lds_granule;
    }
}

bool DispatchCore::free_scratch(unsigned ring_index, uint32_t slot) {
    if (!has_scratch_slot(ring_index, slot))
        return false;
    DispatchState::Ring& ring = state_.rings[ring_index];
    ring.scratch_used[slot / 64] &= ~(uint64_t{1} << (slot % 64));
    --ring.scratch_taken;
    return true;
}

}  // namespace archipelago::spi
