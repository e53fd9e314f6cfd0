// SPDX-License-Identifier: Apache-2.0
// Southern Islands' facts of the graphics front end: the registers of each block, as its Spec takes
// them. The sizes and latencies of these Specs are their defaults; a chip's YAML sets them.
#pragma once

#include <vector>

#include "models/cb/cb_spec.h"
#include "models/db/db_spec.h"
#include "models/gb/gb_spec.h"
#include "models/gds/gds_spec.h"
#include "models/grbm/grbm_spec.h"
#include "models/ih/ih_spec.h"
#include "models/pa/pa_spec.h"
#include "models/perf/perf_core.h"
#include "models/raster/raster_spec.h"
#include "models/sc/sc_spec.h"
#include "models/spi/spi_spec.h"
#include "models/srbm/srbm_spec.h"
#include "models/vgt/vgt_spec.h"
#include "registers/si_bus_map.h"

namespace archipelago::gcn::si {

// Ports of the graphics register bus, by number.
namespace bus = regs::si::bus_port;

gb::GbSpec gb_spec();
gds::GdsSpec gds_spec();
grbm::Spec grbm_spec();
ih::IhSpec ih_spec();
pa::PaSpec pa_spec();
perf::PerfSpec perf_spec();
raster::RasterSpec raster_spec();
sc::ScSpec sc_spec();
db::DbSpec db_spec();
cb::CbSpec cb_spec();
spi::SpiSpec spi_spec();
srbm::Spec srbm_spec();
vgt::VgtSpec vgt_spec();

const std::vector<perf::EventRow>& perf_events();

}  // namespace archipelago::gcn::si
