// SPDX-License-Identifier: Apache-2.0
// Lookups: quads leave by the texture port, and registers are written in the order of issue.
#include "models/ctm/dpp/dpp_core.h"
#include "models/ctm/dpp/thread_rules.h"
#include "models/ctm/isa/quad.h"

namespace archipelago::ctm::dpp {

void DppCore::issue_lookup(unsigned slot, Cycle now) {
    State& s = state_;
    Slot& t = s.slots[slot];
    const Decoded& d = begin(slot, now);
    const uint16_t place_of = s.free_lookups.back();
    s.free_lookups.pop_back();
    s.lookup_order.push_back(place_of);
    ++s.lookups_unsent;
    Lookup& lookup = s.lookups[place_of];
    lookup.slot = static_cast<uint16_t>(slot);
    lookup.decoded = &d;
    isa::texture_request(d.inst, s.regs[slot], s.extents[d.inst.texture.input], lookup.request);
    lookup.quads_unsent = quads_of(lookup.request.lanes);
    lookup.quads_left = static_cast<uint8_t>(__builtin_popcount(lookup.quads_unsent));
    lookup.send_from = now + spec_.lookup_address_latency;
    lookup.lands = kNever;
    ++t.lookups_issued;
    if (d.inst.texture.acquires_semaphore)
        t.semaphore = t.lookups_issued;
    add_pending(t, lookup);
    t.ready_at = now + spec_.lookup_cycles;
    proceed(slot, now);
}

// A quad a cycle; a lookup that wants no element leaves the queue without one.
bool DppCore::send_lookups(Cycle now) {
    State& s = state_;
    bool moved = false;
    while (s.lookups_unsent != 0) {
        const uint16_t place_of = s.lookup_order[s.lookups_sent];
        Lookup& lookup = s.lookups[place_of];
        if (lookup.send_from > now)
            break;
        if (lookup.quads_unsent == 0) {
            lookup.lands = now + spec_.lookup_return_latency;
            ++s.lookups_sent;
            --s.lookups_unsent;
            moved = true;
            continue;
        }
        if (!to_texture->can_push(now))
            break;
        const auto quad = static_cast<unsigned>(__builtin_ctz(lookup.quads_unsent));
        lookup.quads_unsent &= static_cast<uint16_t>(lookup.quads_unsent - 1u);
        to_texture->emplace(now, [&](ElementRequest& request) {
            request.client = static_cast<uint8_t>(kInput0 + lookup.request.input);
            request.write = request.uncached = false;
            request.lanes = lanes_of(lookup.request.lanes, quad);
            for (unsigned l = 0; l < kQuadLanes; ++l)
                request.index[l] = lookup.request.index[kQuadLanes * quad + l];
            request.tag = uint32_t{place_of} << kQuadBits | quad;
        });
        ++s.counters.lookup_quads;
        if (lookup.quads_unsent == 0) {
            ++s.lookups_sent;
            --s.lookups_unsent;
        }
        return true;
    }
    return moved;
}

bool DppCore::take_texels(Cycle now) {
    if (!texture_in.can_pop(now))
        return false;
    const ElementResponse& response = texture_in.front();
    Lookup& lookup = state_.lookups[response.tag >> kQuadBits];
    const unsigned quad = response.tag & ((1u << kQuadBits) - 1);
    const uint8_t lanes = lanes_of(lookup.request.lanes, quad);
    state_.counters.lookup_elements += lanes_in(lanes);
    // Of lanes that do not want an element nothing is written.
    put_quad(response.value, kQuadLanes * quad, lookup.texels);
    texture_in.drop(now);
    if (--lookup.quads_left == 0)
        lookup.lands = now + spec_.lookup_return_latency;
    return true;
}

bool DppCore::land_lookups(Cycle now) {
    State& s = state_;
    bool moved = false;
    while (s.lookups_sent != 0 && s.lookups[s.lookup_order.front()].lands <= now) {
        const uint16_t place_of = s.lookup_order.front();
        const Lookup& lookup = s.lookups[place_of];
        const unsigned slot = lookup.slot;
        Slot& t = s.slots[slot];
        isa::texture_return(lookup.decoded->inst, lookup.request, lookup.texels, s.regs[slot]);
        s.lookup_order.pop_front();
        s.free_lookups.push_back(place_of);
        --s.lookups_sent;
        ++t.lookups_landed;
        find_pending(slot);
        moved = true;
        if (t.phase == Phase::Drain)
            finish(slot, now);
        else if (waits(slot, ThreadTime::Semaphore) || waits(slot, ThreadTime::Lookup))
            prepare(slot, now);
    }
    return moved;
}

void DppCore::add_pending(Slot& t, const Lookup& lookup) {
    isa::LaneMask written = 0;
    for (const isa::LaneMask lanes : lookup.request.written)
        written |= lanes;
    if (written != 0)
        t.pending.add(lookup.request.destination);
}

// Registers that lookups of the thread have yet to write.
void DppCore::find_pending(unsigned slot) {
    State& s = state_;
    Slot& t = s.slots[slot];
    t.pending = {};
    if (t.lookups_landed == t.lookups_issued)
        return;
    for (const uint16_t place_of : s.lookup_order)
        if (s.lookups[place_of].slot == slot)
            add_pending(t, s.lookups[place_of]);
}

}  // namespace archipelago::ctm::dpp
