// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pins/cu_messages.h"

#include <algorithm>
#include <array>

namespace archipelago::cu {
namespace {

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
