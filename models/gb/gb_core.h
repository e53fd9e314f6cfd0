// SPDX-License-Identifier: Apache-2.0
// The GB block's tiling registers, GB_ADDR_CONFIG and GB_TILE_MODE0..31, and TA_CS_BC_BASE_ADDR:
// keeps the values software reads back and sends every write on to the copies the texture units
// hold.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/gb/gb_spec.h"
#include "models/mc/surface/tile_mode.h"

namespace archipelago::gb {

class GbCore : public Unit, public RegisterTarget {
  public:
    explicit GbCore(const GbSpec& spec);

    Channel<RegRequest> registers;
    OutputChannel<RegResponse> to_registers{this};
    // The way to one more unit; give it to the unit.
    EventLink<surface::TilingWrite>& add_unit();
    // Called with every write, at once: functional mode.
    std::function<void(const surface::TilingWrite&)> on_write;

    const surface::TilingRegisters& tiling() const { return tiling_; }

    bool tick(Cycle now) override;

    // Functional mode, where `on_write` is the only way to the units.
    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest& request, uint32_t& value) override;
    bool inspect_register(const RegRequest& request, uint32_t& value) override;

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;

  private:
    // Keeps the value and fills `write`; false: no register of this block.
    bool write(const RegRequest& request, surface::TilingWrite& write);

    const GbSpec spec_;
    surface::TilingRegisters tiling_;
    uint64_t writes_ = 0;
    uint64_t reads_ = 0;
    std::vector<std::unique_ptr<EventLink<surface::TilingWrite>>> units_;
};

// The register values a chip of this Spec has after reset.
surface::TilingRegisters reset_values(const GbSpec& spec);

}  // namespace archipelago::gb
