// SPDX-License-Identifier: Apache-2.0
#include "models/gcn/si/front_end.h"

#include <iterator>

#include "models/gcn/interrupt_source.h"
#include "models/gcn/si/windows.h"
#include "registers/si_bus_map.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"

namespace archipelago::gcn::si {

namespace reg = regs::si;

ContextWindow context_window() {
    return {reg::kBusContextStart,
            reg::kBusContextEnd + 1,
            {std::begin(reg::kBusContextSingle), std::end(reg::kBusContextSingle)}};
}

gb::GbSpec gb_spec() {
    gb::GbSpec spec;
    spec.map = gb::RegisterMap{&reg::database()};
    return spec;
}

gds::GdsSpec gds_spec() {
    gds::GdsSpec spec;
    spec.map = gds::RegisterMap{&reg::database(), 0x9700};
    return spec;
}

ih::IhSpec ih_spec() {
    ih::IhSpec spec;
    spec.map = ih::RegisterMap{&reg::database(),
                               {{{0x8000, 0x10000}, {0x28000, 0x30000}}},
                               {interrupt_source::kEngineIdle, interrupt_source::kGraphicsReadError,
                                interrupt_source::kSystemReadError}};
    return spec;
}

pa::PaSpec pa_spec() {
    pa::PaSpec spec;
    spec.map = pa::RegisterMap{&reg::database(), context_window()};
    return spec;
}

perf::PerfSpec perf_spec() {
    perf::PerfSpec spec;
    spec.map = perf::RegisterMap{&reg::database(),
                                 &perf_events(),
                                 {reg::kBusMostSe, reg::kBusMostSh, reg::kBusMostInstance}};
    return spec;
}

raster::RasterSpec raster_spec() {
    raster::RasterSpec spec;
    spec.context = context_window();
    spec.copy_state = reg::GFX_COPY_STATE;
    return spec;
}

sc::ScSpec sc_spec() {
    sc::ScSpec spec;
    spec.map = sc::RegisterMap{&reg::database(), context_window()};
    return spec;
}

db::DbSpec db_spec() {
    db::DbSpec spec;
    spec.map = db::RegisterMap{&reg::database(), context_window()};
    return spec;
}

cb::CbSpec cb_spec() {
    cb::CbSpec spec;
    spec.map = cb::RegisterMap{&reg::database(), context_window()};
    return spec;
}

spi::SpiSpec spi_spec() {
    spi::SpiSpec spec;
    spec.units = {4, 8, 64 * 4};  // LLVM AMDGPUBaseInfo.cpp, for GFX6
    spi::RegisterMap& map = spec.map;
    map = spi::RegisterMap{&reg::database()};
    map.compute_start = 0xB800;
    map.compute_end = 0xBA00;
    map.shader_start = 0xB000;
    map.shader_end = 0xB800;
    map.context_start = reg::SPI_PS_INPUT_CNTL_0;
    map.context_end = reg::SPI_SHADER_COL_FORMAT + 4;
    map.all_contexts = context_window();
    // Registers of the following generation (GFX7) at addresses that Southern Islands leaves free,
    // for chips that have them (SpiSpec::limit_registers). Fields: gfx_7_2 register header.
    map.SPI_SHADER_PGM_RSRC3 = {0xB51C, 0xB41C, 0xB31C, 0xB21C, 0xB118, 0xB01C};
    map.SPI_SHADER_LATE_ALLOC_VS = 0xB11C;
    return spec;
}

vgt::VgtSpec vgt_spec() {
    vgt::VgtSpec spec;
    spec.map = vgt::RegisterMap{&reg::database(), 0x8800, 0x9000, context_window()};
    return spec;
}

}  // namespace archipelago::gcn::si
