// SPDX-License-Identifier: Apache-2.0
// The register port of the raster back end: sends every write of a context register on to the
// copies that PA, SC, DB and CB hold (register_sets.h). It answers no reads: the register bus keeps
// the values.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/raster/raster_spec.h"

namespace archipelago::raster {

class RasterCore : public Unit, public RegisterTarget {
  public:
    explicit RasterCore(const RasterSpec& spec);

    Channel<RegRequest> registers;
    OutputChannel<RegResponse> to_registers{this};
    // The way to one more copy; give it to the block.
    EventLink<RegRequest>& add_copy();
    // Called with every write, at once: functional mode.
    std::function<void(const RegRequest&)> on_write;

    bool tick(Cycle now) override;

    // Functional mode, where `on_write` is the only way to the blocks.
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
    std::vector<std::unique_ptr<EventLink<RegRequest>>> copies_;
};

}  // namespace archipelago::raster
