// SPDX-License-Identifier: Apache-2.0
#include "models/spi/spi_alloc_core.h"

#include <algorithm>
#include <string>

#include "models/common/error.h"
#include "models/common/pins/pin_block.h"
#include "models/common/pins/twin_limits.h"

namespace archipelago::spi {
namespace {

using rtl::SpiAllocPins;
using In = SpiAllocPins::In;
using Out = SpiAllocPins::Out;
using Phase = SpiAllocState::Phase;

AllocatorShape shape_of(const In& in) {
    AllocatorShape s;
    s.shader_engines = std::min<unsigned>(in.cfg.engines, 2);
    s.sh_per_se = std::min<unsigned>(in.cfg.arrays, 2);
    s.cu_per_sh = std::min<unsigned>(in.cfg.cus, 16);
    s.simds = std::min<unsigned>(in.cfg.simds, 4);
    s.slots_per_simd = in.cfg.slots;
    s.vgprs = in.cfg.vgprs;
    s.sgprs = in.cfg.sgprs;
    s.lds = std::min<unsigned>(in.cfg.lds, 256);
    s.barriers = in.cfg.barriers;
    return s;
}

struct Position {
    uint8_t engine, array, cu;
};
Position position(const AllocatorShape& s, unsigned cu) {
    return {static_cast<uint8_t>(cu / (s.cu_per_sh * s.sh_per_se)),
            static_cast<uint8_t>(cu / s.cu_per_sh % s.sh_per_se),
            static_cast<uint8_t>(cu % s.cu_per_sh)};
}
unsigned number(const AllocatorShape& s, unsigned engine, unsigned array, unsigned cu) {
    return (engine * s.sh_per_se + array) * s.cu_per_sh + cu;
}

constexpr unsigned kLongest = 64 * 64;  // cycles a query may take

}  // namespace

SpiAllocCore::SpiAllocCore() : allocator_(AllocatorShape{}) {
    allocator_.reset(state_.allocator);
}

void SpiAllocCore::allocate(const In& in) {
    const AllocatorShape& shape = allocator_.shape();
    AllocatorQuery query;
    query.waves = in.query.waves > SpiAllocPins::kWaves ? 0 : in.query.waves;
    query.vgprs = in.query.vgprs;
    query.sgprs = in.query.sgprs;
    query.lds = in.query.lds;
    query.waves_per_sh = in.query.most_waves;
    query.groups_per_cu = in.query.most_groups;
    query.enabled = {static_cast<uint32_t>(in.query.enabled),
                     static_cast<uint32_t>(in.query.enabled >> 32)};
    query.launching = in.query.launching;
    allocator_.allocate(state_.allocator, query, grant_);
    Out& out = state_.grant;
    out = Out{};
    out.grant_valid = 1;
    state_.looking = grant_.attempts;
    state_.phase = state_.looking == 0 ? Phase::Granting : Phase::Looking;
    if (!grant_.placed)
        return;
    const Position at = position(shape, grant_.cu);
    out.grant_placed = 1;
    out.grant_engine = at.engine;
    out.grant_array = at.array;
    out.grant_cu = at.cu;
    out.grant_group = grant_.group_slot;
    out.grant_lds = static_cast<uint8_t>(grant_.lds);
    for (unsigned w = 0; w < query.waves; ++w) {
        out.grant_simd[w] = grant_.waves[w].simd;
        out.grant_slot[w] = grant_.waves[w].slot;
        out.grant_vgpr[w] = static_cast<uint8_t>(grant_.waves[w].vgpr);
        out.grant_sgpr[w] = static_cast<uint8_t>(grant_.waves[w].sgpr);
    }
}

void SpiAllocCore::step(const In& in, Out& out) {
    out = state_.phase == Phase::Granting ? state_.grant : Out{};
    out.free_ready = state_.phase != Phase::Looking ? 1 : 0;
    out.query_ready = state_.phase == Phase::Idle ? 1 : 0;
    // What is freed is there for a query of the same cycle.
    if (in.free_valid != 0 && out.free_ready != 0) {
        const AllocatorShape& s = allocator_.shape();
        AllocatorFreed freed;
        if (in.free.engine < s.shader_engines && in.free.array < s.sh_per_se &&
            in.free.cu < s.cu_per_sh)
            freed = allocator_.free(state_.allocator,
                                    number(s, in.free.engine, in.free.array, in.free.cu),
                                    in.free.simd, in.free.slot);
        out.free_known = freed.known ? 1 : 0;
        out.free_last = freed.last ? 1 : 0;
        out.free_group = freed.group_slot;
    }
    switch (state_.phase) {
        case Phase::Idle:
            if (in.query_valid != 0)
                allocate(in);
            break;
        case Phase::Looking:
            if (--state_.looking == 0)
                state_.phase = Phase::Granting;
            break;
        case Phase::Granting:
            if (in.grant_ready != 0)
                state_.phase = Phase::Idle;
            break;
    }
    if (in.rst != 0) {
        allocator_ = WaveAllocator(shape_of(in));
        allocator_.reset(state_.allocator);
        state_.phase = Phase::Idle;
    }
}

void shape_to_pins(const AllocatorShape& shape, In& pins) {
    const auto fit = [](unsigned value, unsigned most, const char* key) {
        return static_cast<uint8_t>(rtl::in_range<SpiAllocPins>(1, most, key, value));
    };
    SpiAllocPins::Config& c = pins.cfg;
    c.engines = fit(shape.shader_engines, 2, "topology.shader_engines");
    c.arrays = fit(shape.sh_per_se, 2, "topology.sh_per_se");
    c.cus = fit(shape.cu_per_sh, 16, "topology.cu_per_sh");
    c.simds = fit(shape.simds, 4, "cu.resources.simds");
    c.slots = fit(shape.slots_per_simd, 16, "cu.resources.wave_slots");
    c.vgprs = fit(shape.vgprs, 64, "cu.resources.vgprs / vgpr_granule");
    c.sgprs = fit(shape.sgprs, 64, "cu.resources.sgprs / sgpr_granule");
    c.lds = static_cast<uint16_t>(
        rtl::in_range<SpiAllocPins>(1, 256, "cu.resources.lds / lds_granule", shape.lds));
    c.barriers = fit(shape.barriers, 64, "cu.resources.barriers");
    rtl::in_range<SpiAllocPins>(1, SpiAllocPins::kWaves, "cu.resources.max_group_threads / 64",
                                shape.group_waves);
}

void query_to_pins(const AllocatorQuery& query, In& pins) {
    SpiAllocPins::Query& q = pins.query;
    q.waves = static_cast<uint8_t>(query.waves);
    q.vgprs = static_cast<uint8_t>(query.vgprs);
    q.sgprs = static_cast<uint8_t>(query.sgprs);
    q.lds = static_cast<uint16_t>(query.lds);
    q.most_waves = static_cast<uint16_t>(query.waves_per_sh);
    q.most_groups = static_cast<uint8_t>(query.groups_per_cu);
    q.enabled = uint64_t{query.enabled[1]} << 32 | query.enabled[0];
    q.launching = static_cast<uint8_t>(query.launching);
}

void grant_from_pins(const AllocatorShape& shape, const Out& pins, unsigned waves,
                     AllocatorGrant& grant) {
    grant.placed = pins.grant_placed != 0;
    if (!grant.placed)
        return;
    grant.cu =
        static_cast<uint16_t>(number(shape, pins.grant_engine, pins.grant_array, pins.grant_cu));
    grant.group_slot = pins.grant_group;
    grant.lds = pins.grant_lds;
    for (unsigned w = 0; w < waves; ++w)
        grant.waves[w] = {pins.grant_simd[w], pins.grant_slot[w], pins.grant_vgpr[w],
                          pins.grant_sgpr[w]};
}

void PinAllocatorUnit::reset(const AllocatorShape& shape) {
    shape_ = shape;
    in_ = In{};
    shape_to_pins(shape, in_);
    Out out;
    in_.rst = 1;
    for (unsigned i = 0; i < rtl::kResetCycles; ++i)
        allocator_.step(in_, out);
    in_.rst = 0;
    in_.grant_ready = 1;
}

// The twin is ready at once; another block may let it wait.
void PinAllocatorUnit::pass(Out& out, uint8_t Out::*ready, const char* stuck) {
    if (!rtl::step_until(allocator_, in_, out, ready, kLongest))
        throw MachineStop(StopKind::Hang, SpiAllocPins::kName, stuck);
}

void PinAllocatorUnit::allocate(const AllocatorQuery& query, AllocatorGrant& grant) {
    if (query.waves > SpiAllocPins::kWaves)
        throw MachineStop(StopKind::Unimplemented, SpiAllocPins::kName,
                          "the allocator places groups of at most " +
                              std::to_string(SpiAllocPins::kWaves) + " waves, one has " +
                              std::to_string(query.waves));
    query_to_pins(query, in_);
    Out out;
    in_.query_valid = 1;
    pass(out, &Out::query_ready, "the allocator takes no query");
    in_.query_valid = 0;
    grant.attempts = 0;
    for (allocator_.step(in_, out); out.grant_valid == 0; allocator_.step(in_, out))
        if (++grant.attempts > kLongest)
            throw MachineStop(StopKind::Hang, SpiAllocPins::kName,
                              "the allocator gives no decision");
    // Checks the allocator's outputs before they are used.
    if (out.grant_placed != 0) {
        bool good = out.grant_engine < shape_.shader_engines &&
                    out.grant_array < shape_.sh_per_se && out.grant_cu < shape_.cu_per_sh &&
                    out.grant_group < shape_.simds * shape_.slots_per_simd;
        for (unsigned w = 0; w < query.waves; ++w)
            good = good && out.grant_simd[w] < shape_.simds &&
                   out.grant_slot[w] < shape_.slots_per_simd &&
                   out.grant_vgpr[w] + query.vgprs <= shape_.vgprs &&
                   out.grant_sgpr[w] + query.sgprs <= shape_.sgprs;
        if (!good)
            throw MachineStop(StopKind::Protocol, SpiAllocPins::kName,
                              "the allocator grants what there is not");
    }
    grant_from_pins(shape_, out, query.waves, grant);
}

AllocatorFreed PinAllocatorUnit::free(unsigned cu, unsigned simd, unsigned slot) {
    AllocatorFreed freed;
    if (cu >= shape_.cus() || simd >= shape_.simds || slot >= shape_.slots_per_simd)
        return freed;
    const Position at = position(shape_, cu);
    in_.free.engine = at.engine;
    in_.free.array = at.array;
    in_.free.cu = at.cu;
    in_.free.simd = static_cast<uint8_t>(simd);
    in_.free.slot = static_cast<uint8_t>(slot);
    Out out;
    in_.free_valid = 1;
    pass(out, &Out::free_ready, "the allocator frees no wave");
    in_.free_valid = 0;
    freed.known = out.free_known != 0;
    freed.last = out.free_last != 0;
    freed.group_slot = out.free_group;
    if (freed.group_slot >= shape_.simds * shape_.slots_per_simd)
        throw MachineStop(StopKind::Protocol, SpiAllocPins::kName,
                          "the allocator frees a group there is not");
    return freed;
}

}  // namespace archipelago::spi
