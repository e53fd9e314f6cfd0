// SPDX-License-Identifier: Apache-2.0
// Parameters of the shader processor input (SPI): dispatch walk, resource allocation, wave launch.
#pragma once

#include <stdexcept>
#include <string>

#include "models/common/channel.h"
#include "models/spi/register_map.h"

namespace archipelago::spi {

// Units of VGPRS, SGPRS and LDS_SIZE in the RSRC registers of a program, which a family's ISA
// fixes, whatever the granules of a chip's allocators.
struct ProgramUnits {
    unsigned vgprs = 1, sgprs = 1;
    unsigned lds_bytes = 1;
};

// What one compute unit has to give, and the granules that its allocators round requests up to:
// Mesa ac_gpu_info.c, LLVM AMDGPUBaseInfo.cpp. LDS in bytes, registers in numbers of them.
struct CuResources {
    unsigned simds = 4;
    unsigned slots_per_simd = 10;
    unsigned vgprs_per_simd = 256;  // per lane
    unsigned vgpr_granule = 4;
    unsigned sgprs_per_simd = 512;
    unsigned sgpr_granule = 8;
    unsigned lds_bytes = 65536;
    unsigned lds_granule = 256;
    unsigned lds_max_per_group = 32768;
    unsigned barriers = 16;  // groups of more than one wave
    unsigned max_group_threads = 1024;

    static unsigned granules(unsigned amount, unsigned granule) {
        return (amount + granule - 1) / granule;
    }
    unsigned vgpr_granules(unsigned vgprs) const { return granules(vgprs, vgpr_granule); }
    unsigned sgpr_granules(unsigned sgprs) const { return granules(sgprs, sgpr_granule); }
    unsigned lds_granules(unsigned bytes) const { return granules(bytes, lds_granule); }
};

struct SpiSpec {
    RegisterMap map;  // of the chip's family

    unsigned shader_engines = 2;
    unsigned sh_per_se = 2;
    unsigned cu_per_sh = 8;
    unsigned rings = 3;
    ProgramUnits units;
    CuResources cu;
    unsigned queue_depth = 4;       // dispatches and events waiting per ring
    unsigned event_depth = 16;      // events past the queue whose work has not ended, per ring
    unsigned groups_per_cycle = 1;  // groups placed per cycle, whole chip
    unsigned wave_interval = 1;     // cycles between two waves launched in one shader engine
    ChannelSpec registers{4, 1};    // from GRBM
    ChannelSpec wave_done{8, 1};    // from each CU

    // ---- graphics stages --------------------------------------------------------------------
    unsigned draws_in_flight = 32;
    unsigned sh_updates = 512;       // SPI_SHADER_* writes since the oldest draw in flight
    unsigned stage_queue = 4;        // waves of a stage waiting for room
    unsigned position_vectors = 64;  // of 64 lanes, each shader engine
    unsigned parameter_vectors = 128;
    unsigned color_vectors = 512;  // of pixel waves that run, each shader engine
    // Render back ends: four bits for each shader engine, of those that it has.
    uint32_t render_backends = 0;
    unsigned quads_per_cycle = 4;   // packed into pixel waves, each shader engine
    unsigned back_end_latency = 1;  // of what has passed a render back end
    unsigned partial_wave = 1;      // cycles without quads after which a wave is not filled further
    // SPI_SHADER_PGM_RSRC3_* and SPI_SHADER_LATE_ALLOC_VS exist (GFX7).
    bool limit_registers = false;
    ChannelSpec vgt{4, 1};      // from the vertex grouper
    ChannelSpec quads{4, 1};    // from each render back end
    ChannelSpec exports{2, 1};  // from each CU
    ChannelSpec freed{8, 1};    // from the primitive assembler

    unsigned cus() const { return shader_engines * sh_per_se * cu_per_sh; }
    // Throws std::invalid_argument: a bit of 64 says which compute units have something for SPI.
    void validate() const {
        if (!map.COMPUTE_DISPATCH_INITIATOR.exists() || !map.VGT_EVENT_INITIATOR.exists() ||
            map.compute_end - map.compute_start > 4 * RegisterMap::kMaxCompute ||
            map.shader_end - map.shader_start > 4 * RegisterMap::kMaxShader ||
            map.context_end - map.context_start > 4 * RegisterMap::kMaxContext)
            throw std::invalid_argument("spi: expected the registers of a family");
        if (cus() == 0 || cus() > 64)
            throw std::invalid_argument("spi: " + std::to_string(cus()) +
                                        " compute units, expected 1 to 64");
    }
};

}  // namespace archipelago::spi
