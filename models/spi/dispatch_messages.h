// SPDX-License-Identifier: Apache-2.0
// Messages of the dispatcher on its pins, read in both directions: by what drives the dispatcher of
// a chip and by the model in lockstep (dispatch_pins.cpp).
#pragma once

#include <array>
#include <cstdint>

#include "models/common/pins/pin_ports.h"
#include "models/spi/spi_spec.h"
#include "pins/spi_dispatch_pins.h"

namespace archipelago::spi::dispatch_messages {

// Two words of flags as one.
struct TwoWords {
    static void to_pin(uint64_t& pin, const std::array<uint32_t, 2>& words) {
        pin = uint64_t{words[1]} << 32 | words[0];
    }
    static void from_pin(std::array<uint32_t, 2>& words, uint64_t pin) {
        words = {static_cast<uint32_t>(pin), static_cast<uint32_t>(pin >> 32)};
    }
};

// What a dispatch gives to its waves.
template <class M, class Program, class P>
void map_program(M m, Program& r, P& p) {
    m(r.vmid, p.vmid);
    m(r.priority, p.priority);
    m(r.pc, p.pc);
    m(r.float_mode, p.float_mode);
    m(r.dx10_clamp, p.dx10_clamp);
    m(r.ieee, p.ieee);
    m(r.privileged, p.privileged);
    m(r.trap_present, p.trap);
    m(r.exceptions, p.exceptions);
    m(r.tba, p.tba);
    m(r.tma, p.tma);
    m(r.id_components, p.ids);
}

// All but the ranges of chosen groups.
template <class M, class D, class P>
void map_dispatch(M m, D& d, P& p, const ProgramUnits& units) {
    map_program(m, d, p);
    m(d.number, p.number);
    m(d.ring, p.ring);
    m(d.start[0], p.start_x);
    m(d.start[1], p.start_y);
    m(d.start[2], p.start_z);
    m(d.end[0], p.end_x);
    m(d.end[1], p.end_y);
    m(d.end[2], p.end_z);
    m(d.group_size[0], p.size_x);
    m(d.group_size[1], p.size_y);
    m(d.group_size[2], p.size_z);
    m(d.last_size[0], p.last_x);
    m(d.last_size[1], p.last_y);
    m(d.last_size[2], p.last_z);
    m(d.user_sgprs, p.user_sgprs);
    m(d.tgid_x, p.tgid_x);
    m(d.tgid_y, p.tgid_y);
    m(d.tgid_z, p.tgid_z);
    m(d.tg_size, p.tg_size);
    m(d.ordered, p.ordered);
    m(d.ordered_by_group, p.ordered_by_group);
    m(d.scratch, p.scratch);
    m(d.scratch_waves, p.scratch_waves);
    m(d.waves_per_sh, p.most_waves);
    m(d.groups_per_cu, p.most_groups);
    m(d.chosen.others, p.others);
    m.scaled(d.vgprs, p.vgprs, units.vgprs);
    m.scaled(d.sgprs, p.sgprs, units.sgprs);
    m.scaled(d.lds_bytes, p.lds, units.lds_bytes);
    m(d.user_data, p.user_data);
    m.scaled(d.scratch_wave_bytes, p.scratch_size, 1024);
    m.as(TwoWords{}, d.cu_enable, p.enabled);
}

template <class M, class Query, class P>
void map_query(M m, Query& q, P& p) {
    m(q.tag, p.number);
    m(q.waves, p.waves);
    m(q.vgprs, p.vgprs);
    m(q.sgprs, p.sgprs);
    m(q.lds, p.lds);
    m(q.waves_per_sh, p.most_waves);
    m(q.groups_per_cu, p.most_groups);
    m.as(TwoWords{}, q.enabled, p.enabled);
}

// The room of `waves` waves, but for the compute unit, which each chip numbers in its own way.
template <class M, class Grant, class P>
void map_grant(M m, Grant& g, P& p, unsigned waves) {
    m(g.placed, p.placed);
    m(g.group_slot, p.group);
    m(g.lds, p.lds);
    for (unsigned w = 0; w < waves; ++w) {
        m(g.waves[w].simd, p.simd[w]);
        m(g.waves[w].slot, p.slot[w]);
        m(g.waves[w].vgpr, p.vgpr[w]);
        m(g.waves[w].sgpr, p.sgpr[w]);
    }
}

template <class M, class Wave, class P>
void map_launch(M m, Wave& wave, P& p, const SpiSpec& spec) {
    const CuResources& res = spec.cu;
    auto& w = wave.launch;
    map_program(m, w, p);
    m(w.dispatch, p.number);
    m(w.simd, p.simd);
    m(w.slot, p.slot);
    m(w.group_slot, p.group_slot);
    m(w.group, p.group);
    m(w.wave_in_group, p.wave);
    m(w.waves_in_group, p.waves);
    m(w.exec, p.exec);
    m.scaled(w.vgpr_count, p.vgprs, spec.units.vgprs);
    m.scaled(w.sgpr_count, p.sgprs, spec.units.sgprs);
    m.scaled(w.lds_bytes, p.lds, spec.units.lds_bytes);
    m.scaled(w.vgpr_base, p.vgpr, res.vgpr_granule);
    m.scaled(w.sgpr_base, p.sgpr, res.sgpr_granule);
    m.scaled(w.lds_base, p.lds_first, res.lds_granule);
    m(wave.scratch_slot, p.scratch_slot);
    m(w.group_dim[0], p.size_x);
    m(w.group_dim[1], p.size_y);
    m(w.group_dim[2], p.size_z);
    m(w.sgpr_init_count, p.sgpr_count);
    for (unsigned i = 0; i < rtl::SpiDispatchPins::kSgprs; ++i)
        m(w.sgpr_init[i], p.sgpr_data[i]);
}

}  // namespace archipelago::spi::dispatch_messages
