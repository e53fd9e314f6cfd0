// SPDX-License-Identifier: Apache-2.0
// The register port of the raster back end: sends every write of a context register on to the
// copies that PA, SC, DB and CB hold (register_sets.h). It answers no reads: the register bus keeps
// the values.
#pragma once

#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/raster/raster_spec.h"
#include "models/raster/register_sets.h"

namespace archipelago::raster {

class RasterCore : public Unit, public RegisterTarget {
  public:
    explicit RasterCore(const RasterSpec& spec);

    Channel<RegRequest> registers;
    OutputChannel<RegResponse> to_registers{this};
    // One more copy: the link of the block that holds it.
    void add_copy(EventLink<RegRequest>& writes) { copies_.push_back(&writes); }
    // The registers as a shader engine has got them: GRBM_GFX_INDEX steers writes to one of them.
    // Those that functional mode draws with, and that a chip in cycle mode goes on with after it.
    const RegisterSets& sets(unsigned shader_engine) const { return sets_[shader_engine]; }

    bool tick(Cycle now) override;

    // Functional mode, where blocks use these sets themselves.
    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest&, uint32_t&) override { return false; }
    bool is_plain_storage(uint32_t offset) const override {
        return spec_.context.of_context(offset);
    }

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;

  private:
    const RasterSpec spec_;
    uint64_t writes_ = 0;
    std::vector<EventLink<RegRequest>*> copies_;
    std::vector<RegisterSets> sets_;
};

}  // namespace archipelago::raster
