// SPDX-License-Identifier: Apache-2.0
// Dispatches of the rings in SPI: a register write queues one, the dispatcher walks its groups,
// each group is placed on a compute unit, and the dispatch leaves when its groups have ended.
#include <algorithm>
#include <utility>

#include "models/common/error.h"
#include "models/common/ring_name.h"
#include "models/spi/spi_core.h"

namespace archipelago::spi {

void SpiCore::begin_dispatch(RingState& ring, const RegRequest& request) {
    LiveDispatch live;
    try {
        live.dispatch = decode_dispatch(ring.registers, spec_);
    } catch (const MachineStop& stop) {
        const std::string place = places_ != nullptr ? places_->place(request.place) : "";
        throw MachineStop(
            stop.kind(), place.empty() ? std::string("ring ") + ring_name(ring_of(request)) : place,
            stop.what());
    }
    // Of the indirect buffer that dispatched, as draws have it.
    live.dispatch.vmid = request.vmid & 0xF;
    live.dispatch.number = state_.next_dispatch++;
    live.dispatch.ring = static_cast<uint8_t>(ring_of(request));
    live.dispatch.uid = uint64_t{live.dispatch.number} << 40;
    live.dispatch.chosen = std::exchange(state_.chosen, {});
    if (live.dispatch.ordered && !live.dispatch.chosen.everything())
        throw MachineStop(StopKind::Unimplemented,
                          "dispatch " + std::to_string(live.dispatch.number),
                          "a choice of groups where waves have numbers in order");
    ring.last_dispatch = live.dispatch.number;
    // One dispatch, whose groups run in two parts, counts once.
    if (live.dispatch.ring == 0 && state_.statistics.counting && !live.dispatch.chosen.others)
        state_.statistics.invocations += live.dispatch.threads();
    ring.dispatches.push_back(live);
    if (log_ != nullptr && scheduler() != nullptr)
        log_->dispatches[live.dispatch.number] = {scheduler()->now(), live.dispatch.ring};
    quiescent_ = false;
    ++state_.counters.dispatches;
}

std::vector<Dispatch> SpiCore::take_dispatches() {
    std::vector<Dispatch> taken;
    for (RingState& ring : state_.rings) {
        if (ring.dispatches.empty() && ring.events.empty())
            continue;
        for (LiveDispatch& live : ring.dispatches) {
            state_.counters.groups += live.dispatch.chosen.count(live.dispatch.groups());
            taken.push_back(live.dispatch);
        }
        ring.dispatches.clear();
        state_.counters.events += ring.events.size();
        ring.events.clear();
    }
    if (taken.size() > 1)
        std::sort(taken.begin(), taken.end(),
                  [](const Dispatch& a, const Dispatch& b) { return a.number < b.number; });
    return taken;
}

// The dispatcher walks one dispatch of each ring: gives it the next, and ends those without groups.
void SpiCore::give_dispatches(RingState& ring) {
    for (LiveDispatch& live : ring.dispatches) {
        if (live.walked)
            continue;
        if (!live.given) {
            live.given = true;
            live.walked = !dispatcher_->start(live.dispatch);
        }
        if (!live.walked)
            return;
    }
}

// Dispatches leave in order.
void SpiCore::retire(RingState& ring) {
    while (!ring.dispatches.empty() && ring.dispatches.front().walked &&
           ring.dispatches.front().groups_running == 0) {
        if (observers_.trace != nullptr && scheduler() != nullptr)
            trace_dispatch(ring.dispatches.front(), scheduler()->now() + 1);
        ring.dispatches.pop_front();
    }
}

uint32_t SpiCore::launching_engines() const {
    uint32_t bits = 0;
    for (unsigned se = 0; se < spec_.shader_engines; ++se)
        bits |= static_cast<uint32_t>(state_.launching[se].active()) << se;
    return bits;
}

unsigned SpiCore::unit_when_idle(const Dispatch& d, const Group& g) {
    allocator_.allocate(state_.allocator, dispatch_.query_of(d, g), grant_);
    if (!grant_.placed)
        throw MachineStop(StopKind::BadInput, "dispatch " + std::to_string(d.number),
                          "no compute unit takes its groups");
    for (unsigned w = 0; w < g.waves; ++w)
        allocator_.free(state_.allocator, grant_.cu, grant_.waves[w].simd, grant_.waves[w].slot);
    return grant_.cu;
}

SpiCore::Placement SpiCore::place(Cycle now, LiveDispatch& live) {
    const Dispatch& d = live.dispatch;
    AllocatorQuery query;
    if (dispatcher_->ask(d.ring, query) == GroupNeeds::Scratch)
        return Placement::NoScratch;
    query.launching = launching_engines();
    for (unsigned se = 0; se < spec_.shader_engines; ++se)
        query.enabled[se] &= ~locked_cus(se, index_of(ShaderStage::Cs));
    if (unit_ != nullptr)
        unit_->allocate(query, grant_);
    else
        allocator_.allocate(state_.allocator, query, grant_);
    live.walked = !dispatcher_->answer(d.ring, grant_);
    if (!grant_.placed) {
        lock_arrays(index_of(ShaderStage::Cs), d.lock_threshold);
        return query.launching + 1 == 1u << spec_.shader_engines ? Placement::Launching
                                                                 : Placement::NoRoom;
    }
    unlock_arrays(index_of(ShaderStage::Cs));
    launch(now, d, query.waves);
    ++live.groups_running;
    ++state_.counters.groups;
    return Placement::Placed;
}

// The waves of a group that has found room are on their way.
void SpiCore::launch(Cycle now, const Dispatch& d, unsigned waves) {
    const unsigned se = grant_.cu / (spec_.sh_per_se * spec_.cu_per_sh);
    state_.cus[grant_.cu].groups[grant_.group_slot] = {d.number, d.ring};
    Launching& out = state_.launching[se];
    out.left = waves;
    out.of_group = true;
    out.scratch = d.scratch;
    out.cu = grant_.cu;
    out.ready = now + 1;
    state_.se_waves[se] += waves;
    state_.waves_live += waves;
    state_.kind_waves[kind_of(ShaderStage::Cs, d.ring)] += waves;
    count_group(d.ring, waves);
    state_.graphics.array_waves[index_of(ShaderStage::Cs)][array_of(grant_.cu)] += waves;
}

}  // namespace archipelago::spi
