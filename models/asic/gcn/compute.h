// SPDX-License-Identifier: Apache-2.0
// Compute units, their first-level caches, and the fabric to the L2 channels. Cycle mode.
#pragma once

#include <memory>
#include <vector>

#include "models/asic/gcn/build.h"
#include "models/asic/gcn/front_end.h"
#include "models/asic/gcn/message_mux.h"
#include "models/asic/gcn/shader_interrupts.h"
#include "models/cu/pipeline/compute_unit.h"
#include "models/mc/address_map.h"
#include "models/tc/cache_action_broadcaster.h"
#include "models/tc/sqc_data_core.h"
#include "models/tc/sqc_inst_core.h"
#include "models/tc/vector_l1.h"
#include "tlm/crossbar_core.h"

namespace archipelago::gcn {

struct Compute {
    Compute(const Build& build, const mc::ChannelMap& map, FrontEnd& front);

    std::shared_ptr<cu::WaveLedger> ledger;  // of the compute units
    std::vector<std::unique_ptr<cu::ComputeUnit>> cus;
    std::vector<std::unique_ptr<tc::VectorL1>> tcps;
    std::vector<std::unique_ptr<tc::SqcInstCore>> sqc_inst;
    std::vector<std::unique_ptr<tc::SqcDataCore>> sqc_data;
    crossbar::CrossbarCore fabric;
    tc::CacheActionBroadcaster actions;
    ShaderInterrupts shader_interrupts;
    MessageMux gs_messages;

  private:
    void make_units(const Build& build);
    std::unique_ptr<cu::ComputeUnit> make_cu(
        const Build& build, unsigned index,
        const std::shared_ptr<cu::DecodeCache>& decode_cache) const;
    static std::unique_ptr<tc::VectorL1> make_l1(const Build& build, unsigned index);
    void add_cu(const Build& build, FrontEnd& front, unsigned index);
    void link_caches(const Build& build, unsigned index);
    void link_messages(const Build& build, FrontEnd& front, unsigned index);
    void add_sqc(const Build& build, FrontEnd& front, unsigned index);
    template <class Cache>
    static void record_misses(const Build& build, asic::Place at, const Cache& cache);
    void client_of_l2(const Build& build, const std::string& name,
                      const asic::Netlist::From<tlm_shell::MemoryCodec>& client);
    tlm_shell::MemoryInitiator& to_fabric(
        const Build& build, const std::string& name,
        const asic::Netlist::From<tlm_shell::MemoryCodec>& client);

    unsigned sources_ = 0;  // of the fabric, connected so far
};

}  // namespace archipelago::gcn
