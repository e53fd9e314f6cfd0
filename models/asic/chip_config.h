// SPDX-License-Identifier: Apache-2.0
// A chip as its YAML describes it: the Spec of every block, filled once and validated. The rest of
// the code never sees YAML. DESIGN section 6.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/config/diagnostics.h"
#include "models/config/node.h"
#include "models/config/records.h"
#include "models/cp/cp_spec.h"
#include "models/cu/pipeline/cu_spec.h"
#include "models/gb/gb_spec.h"
#include "models/gds/gds_spec.h"
#include "models/grbm/grbm_spec.h"
#include "models/ih/ih_spec.h"
#include "models/mc/mc_spec.h"
#include "models/perf/perf_core.h"
#include "models/spi/spi_spec.h"
#include "models/tc/sqc_spec.h"
#include "models/tc/tcc_spec.h"
#include "models/tc/tcp_spec.h"
#include "models/vgt/vgt_spec.h"
#include "tlm/crossbar_spec.h"

namespace archipelago::asic {

// A crossing between two blocks through TLM-2.0 sockets: queue entries on each side, and the
// annotated latency each way.
struct LinkSpec {
    unsigned depth = 4;
    unsigned latency = 1;
};

struct ChipConfig {
    std::string name;
    std::string generation;
    std::string product;
    std::string hash;  // of the resolved tree, 16 hexadecimal digits
    uint64_t engine_hz = 0;
    uint64_t memory_hz = 0;
    uint64_t engine_period_fs = 0;
    uint64_t memory_period_fs = 0;

    unsigned shader_engines = 0;
    unsigned sh_per_se = 0;
    unsigned cu_per_sh = 0;
    unsigned cus_per_sqc = 4;  // compute units that share instruction and scalar cache
    unsigned bus_bits = 0;
    uint64_t vram_bytes = 0;

    cp::Spec cp;
    grbm::Spec grbm;
    spi::SpiSpec spi;
    vgt::VgtSpec vgt;
    cu::CuSpec cu;
    gds::GdsSpec gds;
    tc::TcpSpec tcp;
    tc::SqcInstSpec sqc_inst;
    tc::SqcDataSpec sqc_data;
    tc::TccSpec tcc;
    mc::ChannelMapSpec channel_map;
    mc::McSpec mc;
    crossbar::CrossbarSpec fabric;  // L1 caches, scalar and instruction caches, CP -> L2 channels
    crossbar::CrossbarSpec hub;     // CP and interrupt handler -> memory controllers
    unsigned action_latency = 1;    // cache actions: CP to a cache, and back

    ChannelSpec link_message;   // compute units -> interrupts
    LinkSpec link_l1;           // L1, scalar, instruction cache, CP <-> fabric
    LinkSpec link_l2;           // fabric <-> L2 channel
    LinkSpec link_mc;           // L2 channel <-> memory controller
    LinkSpec link_hub;          // CP clients <-> hub, hub <-> memory controller
    LinkSpec link_store;        // memory controller <-> memory contents
    LinkSpec link_register;     // host, CP, GRBM, blocks
    unsigned synchroniser = 2;  // depth between engine and memory clock, cycles of the receiver

    gb::GbSpec gb;
    ih::IhSpec ih;
    perf::PerfSpec perf;

    unsigned cus() const { return shader_engines * sh_per_se * cu_per_sh; }
    unsigned sqcs_per_sh() const { return (cu_per_sh + cus_per_sqc - 1) / cus_per_sqc; }
    unsigned sqcs() const { return shader_engines * sh_per_se * sqcs_per_sh(); }
    std::string cu_name(unsigned index) const;
};

// Everything `describe` needs besides the Specs.
struct LoadedChip {
    ChipConfig config;
    config::Node tree;  // resolved: inherited and overridden
    config::Records records;
};

// Set by the installed CMake package for those who use it: where its chip descriptions are.
#ifndef ARCHIPELAGO_PACKAGED_CONFIGS
#define ARCHIPELAGO_PACKAGED_CONFIGS ""
#endif

// Folder of the chip descriptions: the environment variable ARCHIPELAGO_CONFIGS, or whichever
// exists first of `packaged`, the share folder beside the running program's bin folder, the source
// tree the library was built from, the share folder it was configured to be installed in.
std::string config_folder(const std::string& packaged = ARCHIPELAGO_PACKAGED_CONFIGS);

// Finds a chip by name among the descriptions in `folder`, or takes a path to a YAML file; applies
// `--set` overrides in order. Throws config::ConfigError with every fault found, and
// std::invalid_argument for a name that is not there.
config::Node load_description(const std::string& name_or_file,
                              const std::vector<std::string>& overrides,
                              const std::string& folder = config_folder());
// What stands under `generation`; empty when that is no text.
std::string generation_of(const config::Node& tree);

// load_description() and read_chip(). Throws MachineStop (Unimplemented) for a description of which
// no whole chip is built (ctm_config.h).
LoadedChip load_chip(const std::string& name_or_file, const std::vector<std::string>& overrides,
                     const std::string& folder = config_folder());

// Names of the chips in the description folder, sorted.
std::vector<std::string> chip_names(const std::string& folder = config_folder());

// Reads the Specs from a resolved tree; faults go to `diagnostics`.
ChipConfig read_chip(const config::Node& tree, config::Diagnostics& diagnostics,
                     config::Records& records);

}  // namespace archipelago::asic
