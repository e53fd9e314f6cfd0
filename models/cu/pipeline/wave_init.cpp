// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/wave_init.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "models/gcn/local_ids.h"

namespace archipelago::cu {
namespace {

bool power_of_two(uint32_t x) {
    return (x & (x - 1)) == 0;
}

}  // namespace

uint32_t hw_id(const WaveLaunch& launch, const CuPosition& position) {
    return (launch.slot & 0xFu) | (launch.simd & 3u) << 4 | (position.cu & 0xFu) << 8 |
           (position.sh & 1u) << 12 | (position.se & 1u) << 13 | (launch.group_slot & 0xFu) << 16 |
           (launch.vmid & 0xFu) << 20;
}

WaveIdentity wave_identity(const WaveLaunch& launch, const isa::WaveState& wave, uint16_t source,
                           uint64_t pc) {
    WaveIdentity id;
    id.stage = launch.stage;
    id.dispatch = launch.dispatch;
    id.group = launch.group;
    id.wave_in_group = launch.wave_in_group;
    id.vmid = launch.vmid;
    id.source = source;
    id.hw_id = wave.hw_id;
    id.pc = pc;
    return id;
}

void init_lds(const WaveLaunch& launch, uint8_t* lds) {
    if (!launch.keeps_lds)
        std::memset(lds + launch.lds_base, 0, launch.lds_bytes);
    if (launch.data != nullptr && !launch.data->lds.empty())
        std::memcpy(lds + launch.lds_base, launch.data->lds.data(),
                    std::min<size_t>(launch.lds_bytes, 4 * launch.data->lds.size()));
}

void init_wave(const WaveLaunch& launch, const CuPosition& position, isa::VReg* registers,
               isa::WaveState& wave) {
    ::new (&wave) isa::WaveState{};
    wave.pc = launch.pc;
    wave.v = registers;
    wave.num_vgprs = launch.vgpr_count;
    wave.num_sgprs = launch.sgpr_count;
    wave.mode = isa::Mode::from_float_mode(launch.float_mode, launch.dx10_clamp, launch.ieee);
    wave.lds_base = launch.lds_base;
    wave.lds_size = launch.lds_bytes;
    wave.vmid = launch.vmid;
    wave.priority = launch.priority;
    wave.privileged = launch.privileged;
    wave.spi_priority = launch.priority;
    wave.in_group = launch.waves_in_group > 1;
    wave.vgpr_base = launch.vgpr_base;
    wave.sgpr_base = launch.sgpr_base;
    wave.trap_en = launch.trap_present;
    wave.mode.excp_en = launch.exceptions;
    wave.set_s64(isa::kTbaLo, launch.tba);
    wave.set_s64(isa::kTmaLo, launch.tma);
    wave.hw_id = hw_id(launch, position);
    wave.set_exec(launch.exec);
    wave.s[isa::kM0] = launch.lds_bytes;

    const unsigned init = std::min<unsigned>(launch.sgpr_init_count, WaveLaunch::kMaxSgprInit);
    std::copy_n(launch.sgpr_init.begin(), init, wave.s);

    if (launch.vgpr_count != 0)
        std::memset(registers, 0, size_t{launch.vgpr_count} * sizeof(isa::VReg));
    if (launch.stage != ShaderStage::Cs || launch.data != nullptr) {
        if (launch.data != nullptr)
            for (unsigned n = 0; n < std::min<unsigned>(launch.vgpr_count, LaunchData::kVgprs); ++n)
                if ((launch.data->written >> n & 1) != 0)
                    std::memcpy(registers[n], launch.data->vgpr[n].data(), sizeof(isa::VReg));
        return;
    }
    const unsigned components = std::min<unsigned>({launch.id_components, 3u, launch.vgpr_count});
    const uint32_t size[3] = {std::max<uint32_t>(launch.group_dim[0], 1),
                              std::max<uint32_t>(launch.group_dim[1], 1),
                              std::max<uint32_t>(launch.group_dim[2], 1)};
    if (power_of_two(size[0]) && power_of_two(size[1])) {
        const auto x_bits = static_cast<unsigned>(__builtin_ctz(size[0]));
        const auto y_bits = static_cast<unsigned>(__builtin_ctz(size[1]));
        const uint32_t mask[3] = {size[0] - 1, size[1] - 1, ~0U};
        const unsigned shift[3] = {0, x_bits, x_bits + y_bits};
        for (unsigned c = 0; c < components; ++c)
            for (uint32_t lane = 0; lane < isa::kLanes; ++lane)
                registers[c][lane] = (launch.first_thread + lane) >> shift[c] & mask[c];
        return;
    }
    LocalIds ids(launch.first_thread, launch.group_dim);
    for (unsigned lane = 0; lane < isa::kLanes; ++lane, ids.next())
        for (unsigned c = 0; c < components; ++c)
            registers[c][lane] = ids.id[c];
}

}  // namespace archipelago::cu
