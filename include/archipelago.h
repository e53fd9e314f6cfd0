// SPDX-License-Identifier: Apache-2.0
// The one header a SystemC platform includes to instantiate a chip:
//
//   find_package(archipelago REQUIRED)
//   target_link_libraries(my_platform PRIVATE archipelago::archipelago)
//
// models/asic/asic.h says how a chip is bound; examples/own_platform is a whole platform.
// rtl-bridge/adapters/verilog_platform.h puts Verilog of archipelago_verilog() beside it.
//
// The files that the command writes, of a platform of one's own:
//
//   report::PerfettoSink timeline("run.perfetto-trace");  // outlives the chip
//   options.trace = &timeline;                            // ChipOptions, before the chip is built
//   sc_start();
//   chip->finish_trace();                                 // slices that are still open
//   timeline.finish();                                    // throws when a byte is not written
//   report::write_statistics("run.json", *chip);          // throws likewise
//
// Several chips have a timeline and statistics each, and an Archive each for checkpoints.
#pragma once

#include "models/asic/asic.h"             // asic::Asic, ChipOptions
#include "models/asic/families.h"         // asic::load_chip
#include "models/gb/gb_spec.h"            // gb::GbSpec
#include "models/report/perfetto_sink.h"  // report::PerfettoSink, timelines
#include "models/report/statistics.h"     // report::write_statistics
