// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pins/cu_messages.h"

#include <algorithm>
#include <array>

namespace archipelago::cu {
namespace {

template <class M, class Launch, class P>
void map_launch(M m, Launch& w, P& p) {
    m(w.dispatch, p.dispatch);
    m(w.group, p.group);
    m(w.group_slot, p.group_slot);
    m(w.wave_in_group, p.wave_in_group);
    m(w.waves_in_group, p.waves_in_group);
    m(w.vmid, p.vmid);
    m(w.priority, p.priority);
    m(w.pc, p.pc);
    m(w.exec, p.exec);
    m(w.vgpr_base, p.vgpr_base);
    m(w.vgpr_count, p.vgprs);
    m(w.sgpr_base, p.sgpr_base);
    m(w.sgpr_count, p.sgprs);
    m(w.lds_base, p.lds_base);
    m(w.lds_bytes, p.lds_bytes);
    m(w.keeps_lds, p.keeps_lds);
    m(w.float_mode, p.float_mode);
    m(w.dx10_clamp, p.dx10_clamp);
    m(w.ieee, p.ieee);
    m(w.privileged, p.privileged);
    m(w.trap_present, p.trap);
    m(w.exceptions, p.exceptions);
    m(w.tba, p.tba);
    m(w.tma, p.tma);
    m(w.sgpr_init_count, p.sgpr_count);
    m(w.stage, p.stage);
    m(w.sgpr_init, p.sgpr);
}

// Local ids of the lanes, x fastest.
void local_ids(const WaveLaunch& launch, CuPins::Launch& to) {
    const uint32_t x = std::max<uint32_t>(launch.group_dim[0], 1);
    const uint32_t y = std::max<uint32_t>(launch.group_dim[1], 1);
    CuPins::Lanes* const rows[3] = {&to.v0, &to.v1, &to.v2};
    for (uint32_t lane = 0; lane < CuPins::kLanes; ++lane) {
        const uint32_t thread = launch.first_thread + lane;
        const uint32_t id[3] = {thread % x, thread / x % y, thread / x / y};
        for (unsigned c = 0; c < to.ids; ++c)
            (*rows[c])[lane] = id[c];
    }
}

}  // namespace

void to_pins(const WaveLaunch& from, CuPins::Launch& to) {
    to = {};
    to.wave = wave_number(from.simd, from.slot);
    static_assert(WaveLaunch::kMaxSgprInit == CuPins::kSgprs);
    map_launch(pins::ToPins{}, from, to);
    if (from.stage != ShaderStage::Cs)
        return;
    to.ids = static_cast<uint8_t>(std::min<unsigned>({from.id_components, 3u, from.vgpr_count}));
    local_ids(from, to);
}

void from_pins(const CuPins::Launch& from, WaveLaunch& to, LaunchData& data) {
    to = {};
    to.simd = from.wave / 16;
    to.slot = from.wave % 16;
    map_launch(pins::FromPins{}, to, from);
    const std::array<const CuPins::Lanes*, 3> rows = {&from.v0, &from.v1, &from.v2};
    for (unsigned c = 0; c < rows.size() && c < from.ids; ++c) {
        data.written |= 1u << c;
        data.vgpr[c] = *rows[c];
    }
    to.data = &data;
}

}  // namespace archipelago::cu
