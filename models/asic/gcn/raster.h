// SPDX-License-Identifier: Apache-2.0
// The raster back end after the primitive assemblers: a scan converter in each shader engine, a
// depth and a colour block in each render back end (RB). Cycle mode.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "models/asic/gcn/build.h"
#include "models/asic/gcn/compute.h"
#include "models/asic/gcn/front_end.h"
#include "models/asic/memory_channels.h"
#include "models/cb/cb_core.h"
#include "models/db/db_core.h"
#include "models/sc/sc_core.h"

namespace archipelago::gcn {

// Gathers the counts of all depth blocks for each ZPASS_DONE, which CP writes.
class ZpassGatherer : public Clocked {
  public:
    // One more depth block: where it sends its counts.
    EventLink<raster::ZpassCount>& add();
    OutputChannel<SampleCounts> to_samples{this};
    bool tick(Cycle now) override;
    void reset();
    void archive(Archive& a);

  private:
    std::vector<std::unique_ptr<EventLink<raster::ZpassCount>>> in_;
    std::vector<std::deque<uint64_t>> counts_;  // of each RB, that the others have not reached
};

struct Raster {
    Raster(const Build& build, FrontEnd& front, Compute& compute);

    // After functional mode: the registers as each block has a copy of them.
    void continue_with_registers(FrontEnd& front);
    // Their ways to the memory controllers.
    std::vector<asic::HubClient> hub_clients(const Build& build);

    std::vector<std::unique_ptr<sc::ScCore>> scs;  // by shader engine
    std::vector<std::unique_ptr<db::DbCore>> dbs;  // by RB
    std::vector<std::unique_ptr<cb::CbCore>> cbs;
    ZpassGatherer zpass;

  private:
    void add_engine(const Build& build, FrontEnd& front, unsigned se);
    void add_rb(const Build& build, FrontEnd& front, Compute& compute, unsigned rb);
};

}  // namespace archipelago::gcn
