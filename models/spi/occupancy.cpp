// SPDX-License-Identifier: Apache-2.0
#include "models/spi/occupancy.h"

#include <algorithm>
#include <utility>

#include "models/spi/wave_allocator.h"

namespace archipelago::spi {
namespace {

// Waves that an empty compute unit takes, group after group.
unsigned fill(const AllocatorShape& unit, const AllocatorQuery& group) {
    WaveAllocator allocator(unit);
    AllocatorState state;
    allocator.reset(state);
    AllocatorGrant grant;
    unsigned waves = 0;
    for (allocator.allocate(state, group, grant); grant.placed;
         allocator.allocate(state, group, grant))
        waves += group.waves;
    return waves;
}

}  // namespace

Occupancy occupancy(const SpiSpec& spec, const GroupSize& group) {
    AllocatorShape unit = allocator_shape(spec);
    unit.shader_engines = unit.sh_per_se = unit.cu_per_sh = 1;
    AllocatorShape no_barriers = unit;  // to hold: as many as groups
    no_barriers.barriers = unit.simds * unit.slots_per_simd;
    AllocatorQuery slots;
    slots.waves = group.waves;
    slots.enabled = {1, 0};
    AllocatorQuery vgprs = slots, sgprs = slots, lds = slots, all = slots;
    all.vgprs = vgprs.vgprs = spec.cu.vgpr_granules(group.vgprs);
    all.sgprs = sgprs.sgprs = spec.cu.sgpr_granules(group.sgprs);
    all.lds = lds.lds = spec.cu.lds_granules(group.lds_bytes);
    const std::pair<const char*, unsigned> alone[] = {
        {"wave slots", fill(no_barriers, slots)}, {"VGPRs", fill(no_barriers, vgprs)},
        {"SGPRs", fill(no_barriers, sgprs)},      {"LDS", fill(no_barriers, lds)},
        {"barriers", fill(unit, slots)},
    };
    const unsigned least =
        std::min_element(std::begin(alone), std::end(alone), [](const auto& x, const auto& y) {
            return x.second < y.second;
        })->second;
    Occupancy out;
    out.waves = fill(unit, all);
    // A program that leaves slots for all asks for little of the rest.
    for (const auto& [name, waves] : alone)
        if (waves == least && (out.limits.empty() || out.limits.front() != alone[0].first))
            out.limits.emplace_back(name);
    return out;
}

}  // namespace archipelago::spi
