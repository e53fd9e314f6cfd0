// SPDX-License-Identifier: Apache-2.0
// A Southern Islands chip as its YAML describes it: the Spec of every block, filled once and
// validated. The rest of the code never sees YAML.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/asic/async_dma.h"
#include "models/asic/board_memory.h"
#include "models/asic/gcn/register_blocks.h"
#include "models/asic/identity.h"
#include "models/asic/spec_readers.h"
#include "models/config/diagnostics.h"
#include "models/config/node.h"
#include "models/config/records.h"
#include "models/cp/registers/si/si_registers.h"
#include "models/cu/pipeline/cu_spec.h"
#include "models/gcn/si/front_end.h"
#include "models/mc/mc_spec.h"
#include "models/tc/cache_action_broadcaster.h"
#include "models/tc/sqc_spec.h"
#include "models/tc/tcc_spec.h"
#include "models/tc/tcp_spec.h"
#include "tlm/crossbar_spec.h"

namespace archipelago::asic {
class ChipDescription;
}

namespace archipelago::gcn {

// Blocks a chip may be without (`blocks:`). What needs one then stops by name.
struct OptionalBlocks {
    bool ce = true;
    bool gds = true;
    bool ih = true;
};
struct OptionalBlock {
    const char* key;
    const char* title;
    bool OptionalBlocks::*there;
    uint8_t port;  // of the register bus; kStore: none of its own
};
inline constexpr OptionalBlock kOptionalBlocks[] = {
    {"ce", "constant engine", &OptionalBlocks::ce, grbm::kStore},
    {"gds", "global data share", &OptionalBlocks::gds, si::bus::kGds},
    {"ih", "interrupt handler", &OptionalBlocks::ih, si::bus::kIh},
};

// What PFP or ME runs (cp.microcode), for `describe`.
struct EngineMicrocode {
    const char* engine = "";
    std::string file, generation;  // of afuc
    size_t words = 0;
    unsigned moves = 0;                        // of (xmovN) at most
    std::map<std::string, uint32_t> routines;  // pc by label; those of packets have their name
};

struct ChipConfig : asic::BoardMemory {
    asic::Identity identity;  // its clock is the engine clock
    OptionalBlocks blocks;

    unsigned shader_engines = 0;
    unsigned sh_per_se = 0;
    unsigned cu_per_sh = 0;
    unsigned cus_per_sqc = 4;  // compute units that share instruction and scalar cache

    cp::Spec cp = cp::si_spec();
    std::vector<EngineMicrocode> microcode;
    grbm::Spec grbm = si::grbm_spec();
    srbm::Spec srbm = si::srbm_spec();
    spi::SpiSpec spi = si::spi_spec();
    vgt::VgtSpec vgt = si::vgt_spec();
    pa::PaSpec pa = si::pa_spec();
    sc::ScSpec sc = si::sc_spec();
    db::DbSpec db = si::db_spec();
    cb::CbSpec cb = si::cb_spec();
    cu::CuSpec cu;
    gds::GdsSpec gds = si::gds_spec();
    tc::TcpSpec tcp;
    tc::SqcInstSpec sqc_inst;
    tc::SqcDataSpec sqc_data;
    tc::TccSpec tcc;
    crossbar::CrossbarSpec fabric;  // L1 caches, scalar and instruction caches, CP -> L2 channels
    tc::CacheActionBroadcasterSpec cache_actions;

    ChannelSpec link_message;      // compute units -> interrupts
    asic::LinkSpec link_l1;        // L1, scalar, instruction cache, CP <-> fabric
    asic::LinkSpec link_l2;        // fabric <-> L2 channel
    asic::LinkSpec link_mc;        // L2 channel <-> memory controller
    asic::LinkSpec link_register;  // CP, GRBM, blocks
    asic::LinkSpec link_host;      // host <-> SRBM

    RegisterBlocks::Specs register_blocks = RegisterBlocks::specs();
    ih::IhSpec ih = si::ih_spec();
    asic::AsyncDma async_dma;
    sem::SemSpec sem;

    // Of one of the RegisterBlocks.
    template <class Block>
    typename Block::Spec& spec() {
        return std::get<typename Block::Spec>(register_blocks);
    }
    template <class Block>
    const typename Block::Spec& spec() const {
        return std::get<typename Block::Spec>(register_blocks);
    }

    // Render back ends: one for each depth block whose counters ZPASS_DONE writes, in the shader
    // engines that there are.
    unsigned rbs() const { return std::min(cp.depth_blocks, sc::ScSpec::kRbs * shader_engines); }
    unsigned cus() const { return shader_engines * sh_per_se * cu_per_sh; }
    unsigned sqcs_per_sh() const { return (cu_per_sh + cus_per_sqc - 1) / cus_per_sqc; }
    // The instruction and scalar cache of a compute unit.
    unsigned sqc_of(unsigned cu) const {
        return cu / cu_per_sh * sqcs_per_sh() + cu % cu_per_sh / cus_per_sqc;
    }
    unsigned sqcs() const { return shader_engines * sh_per_se * sqcs_per_sh(); }
    std::string cu_name(unsigned index) const;
};

// Reads the Specs from a resolved tree; faults go to `diagnostics`.
ChipConfig read_chip(const config::Node& tree, config::Diagnostics& diagnostics,
                     config::Records& records);

// Generation si in asic::families(). Specs: ChipConfig, those of RegisterBlocks,
// regs::RegisterDatabase, cp::Pm4Language and front::PacketLanguage for it; cp::CeSpec,
// gds::GdsSpec and ih::IhSpec where the block is there.
std::unique_ptr<asic::ChipDescription> read_description(config::Node tree,
                                                        config::Diagnostics& diagnostics);

}  // namespace archipelago::gcn
