// SPDX-License-Identifier: Apache-2.0
#include "models/spi/wave_allocator.h"

namespace archipelago::spi {

AllocatorShape allocator_shape(const SpiSpec& spec) {
    AllocatorShape s;
    s.shader_engines = spec.shader_engines;
    s.sh_per_se = spec.sh_per_se;
    s.cu_per_sh = spec.cu_per_sh;
    s.simds = spec.cu.simds;
    s.slots_per_simd = spec.cu.slots_per_simd;
    s.vgprs = spec.cu.vgprs_per_simd / spec.cu.vgpr_granule;
    s.sgprs = spec.cu.sgprs_per_simd / spec.cu.sgpr_granule;
    s.lds = spec.cu.lds_bytes / spec.cu.lds_granule;
    s.barriers = spec.cu.barriers;
    s.group_waves = (spec.cu.max_group_threads + 63) / 64;
    return s;
}

WaveAllocator::WaveAllocator(const AllocatorShape& shape) : shape_(shape) {
    simds_.resize(shape_.simds);
}

void WaveAllocator::reset(AllocatorState& state) const {
    state = AllocatorState{};
    state.cus.resize(shape_.cus());
    for (AllocatorState::Cu& cu : state.cus) {
        cu.vgprs.assign(shape_.simds, RangeAllocator(shape_.vgprs));
        cu.sgprs.assign(shape_.simds, RangeAllocator(shape_.sgprs));
        cu.lds = RangeAllocator(shape_.lds);
        cu.slots.assign(shape_.simds, 0);
        cu.waves.resize(shape_.simds * shape_.slots_per_simd);
        cu.groups.resize(shape_.simds * shape_.slots_per_simd);
    }
    state.next_sh.assign(shape_.shader_engines, 0);
    state.next_cu.assign(shape_.shader_engines * shape_.sh_per_se, 0);
}

// What leaves no room for a group leaves none when still more is taken, whichever SIMD is next: a
// refusal holds until a wave ends.
bool WaveAllocator::fits(AllocatorState::Cu& cu, const AllocatorQuery& query,
                         AllocatorGrant& grant) {
    if (query.tag != 0 && cu.refused_tag == query.tag && cu.refused_waves == query.waves)
        return false;
    if (plan(cu, query, grant))
        return true;
    cu.refused_tag = query.tag;
    cu.refused_waves = query.waves;
    return false;
}

// Plans SIMD, slot and register ranges for every wave of the group.
bool WaveAllocator::plan(const AllocatorState::Cu& cu, const AllocatorQuery& query,
                         AllocatorGrant& grant) {
    if (cu.waves_used + query.waves > shape_.simds * shape_.slots_per_simd)
        return false;
    if (query.waves > 1 && cu.barriers_used >= shape_.barriers)
        return false;
    if (query.groups_per_cu != 0 && cu.groups_used >= query.groups_per_cu)
        return false;
    if (cu.lds.find(query.lds) < 0)
        return false;
    for (SimdPlan& s : simds_)
        s.touched = false;
    unsigned simd = cu.next_simd;
    for (unsigned w = 0; w < query.waves; ++w) {
        ++grant.attempts;
        bool placed = false;
        for (unsigned tries = 0; tries < shape_.simds && !placed; ++tries) {
            const unsigned candidate = (simd + tries) % shape_.simds;
            SimdPlan& own = simds_[candidate];
            const uint32_t slots = own.touched ? own.slots : cu.slots[candidate];
            const auto slot = static_cast<unsigned>(__builtin_ctz(~slots));
            if (slot >= shape_.slots_per_simd)
                continue;
            const int vgpr = (own.touched ? own.vgprs : cu.vgprs[candidate]).find(query.vgprs);
            const int sgpr = (own.touched ? own.sgprs : cu.sgprs[candidate]).find(query.sgprs);
            if (vgpr < 0 || sgpr < 0)
                continue;
            AllocatorGrant::Wave& wave = grant.waves[w];
            wave.simd = static_cast<uint8_t>(candidate);
            wave.slot = static_cast<uint8_t>(slot);
            wave.vgpr = static_cast<uint16_t>(vgpr);
            wave.sgpr = static_cast<uint16_t>(sgpr);
            simd = (candidate + 1) % shape_.simds;
            placed = true;
            if (w + 1 == query.waves)
                break;  // the last wave: what it took is not read again
            if (!own.touched)
                own = {true, cu.slots[candidate], cu.vgprs[candidate], cu.sgprs[candidate]};
            own.slots |= 1U << slot;
            own.vgprs.take(wave.vgpr, query.vgprs);
            own.sgprs.take(wave.sgpr, query.sgprs);
        }
        if (!placed)
            return false;
    }
    return true;
}

// Commits the planned allocation to the CU's state.
void WaveAllocator::take(AllocatorState::Cu& cu, const AllocatorQuery& query,
                         AllocatorGrant& grant) const {
    unsigned group_slot = 0;
    while (cu.groups[group_slot].used)
        ++group_slot;
    AllocatorState::Group& group = cu.groups[group_slot];
    group.used = true;
    group.barrier = query.waves > 1;
    group.waves_left = static_cast<uint8_t>(query.waves);
    group.lds_count = static_cast<uint16_t>(query.lds);
    group.lds_first = static_cast<uint16_t>(cu.lds.find(query.lds));
    cu.lds.take(group.lds_first, group.lds_count);
    cu.barriers_used += static_cast<unsigned>(group.barrier);
    ++cu.groups_used;
    cu.waves_used += query.waves;
    for (unsigned w = 0; w < query.waves; ++w) {
        const AllocatorGrant::Wave& at = grant.waves[w];
        AllocatorState::Wave& wave = cu.waves[at.simd * shape_.slots_per_simd + at.slot];
        wave.group_slot = static_cast<uint8_t>(group_slot);
        wave.vgpr_first = at.vgpr;
        wave.vgpr_count = static_cast<uint16_t>(query.vgprs);
        wave.sgpr_first = at.sgpr;
        wave.sgpr_count = static_cast<uint16_t>(query.sgprs);
        cu.slots[at.simd] |= 1U << at.slot;
        cu.vgprs[at.simd].take(wave.vgpr_first, wave.vgpr_count);
        cu.sgprs[at.simd].take(wave.sgpr_first, wave.sgpr_count);
        cu.next_simd = (at.simd + 1) % shape_.simds;
    }
    grant.group_slot = static_cast<uint8_t>(group_slot);
    grant.lds = group.lds_first;
}

void WaveAllocator::allocate(AllocatorState& state, const AllocatorQuery& query,
                             AllocatorGrant& grant) {
    grant.placed = false;
    grant.attempts = 0;
    if (query.waves == 0 || query.waves > AllocatorQuery::kMaxWaves)
        return;
    for (unsigned a = 0; a < shape_.shader_engines; ++a) {
        const unsigned se = (state.next_se + a) % shape_.shader_engines;
        if ((query.launching >> se & 1) != 0) {
            grant.attempts += shape_.sh_per_se;
            continue;
        }
        for (unsigned b = 0; b < shape_.sh_per_se; ++b) {
            const unsigned sh = (state.next_sh[se] + b) % shape_.sh_per_se;
            const unsigned array = se * shape_.sh_per_se + sh;
            if (query.waves_per_sh != 0) {
                unsigned waves = 0;
                for (unsigned c = 0; c < shape_.cu_per_sh; ++c)
                    waves += state.cus[array * shape_.cu_per_sh + c].waves_used;
                if (waves + query.waves > query.waves_per_sh) {
                    ++grant.attempts;
                    continue;
                }
            }
            for (unsigned c = 0; c < shape_.cu_per_sh; ++c) {
                ++grant.attempts;
                const unsigned in_sh = (state.next_cu[array] + c) % shape_.cu_per_sh;
                if ((query.enabled[se] >> (16 * sh + in_sh) & 1) == 0)
                    continue;
                const unsigned index = array * shape_.cu_per_sh + in_sh;
                AllocatorState::Cu& cu = state.cus[index];
                if (!fits(cu, query, grant))
                    continue;
                take(cu, query, grant);
                grant.placed = true;
                grant.cu = static_cast<uint16_t>(index);
                state.next_se = (se + 1) % shape_.shader_engines;
                state.next_sh[se] = (sh + 1) % shape_.sh_per_se;
                state.next_cu[array] = (in_sh + 1) % shape_.cu_per_sh;
                return;
            }
        }
    }
}

AllocatorFreed WaveAllocator::free(AllocatorState& state, unsigned cu_index, unsigned simd,
                                   unsigned slot) const {
    AllocatorFreed freed;
    if (cu_index >= state.cus.size() || simd >= shape_.simds || slot >= shape_.slots_per_simd)
        return freed;
    AllocatorState::Cu& cu = state.cus[cu_index];
    if ((cu.slots[simd] >> slot & 1) == 0)
        return freed;
    const AllocatorState::Wave& wave = cu.waves[simd * shape_.slots_per_simd + slot];
    cu.vgprs[simd].free(wave.vgpr_first, wave.vgpr_count);
    cu.sgprs[simd].free(wave.sgpr_first, wave.sgpr_count);
    cu.slots[simd] &= ~(1U << slot);
    cu.refused_waves = 0;
    --cu.waves_used;
    freed.known = true;
    freed.group_slot = wave.group_slot;
    AllocatorState::Group& group = cu.groups[wave.group_slot];
    if (--group.waves_left == 0) {
        cu.lds.free(group.lds_first, group.lds_count);
        cu.barriers_used -= static_cast<unsigned>(group.barrier);
        --cu.groups_used;
        group.used = false;
        freed.last = true;
    }
    return freed;
}

}  // namespace archipelago::spi
