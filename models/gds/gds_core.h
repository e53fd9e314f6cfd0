// SPDX-License-Identifier: Apache-2.0
// The global data share in cycle mode: one request at a time, from each compute unit and CP in
// turn, and its registers. What requests do: the DS and GWS instructions of the Southern Islands
// ISA document; what CP asks for: "Radeon Southern Islands Acceleration" 2.8.2, 2.8.5, 2.9. No
// document gives its time.
#pragma once

#include <string>
#include <vector>

#include "models/common/gds_message.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/gds/gds_registers.h"
#include "models/gds/gds_spec.h"
#include "models/gds/gds_state.h"

namespace archipelago::gds {

class GdsCore final : public Unit, public RegisterTarget {
  public:
    explicit GdsCore(const GdsSpec& spec, const std::string& name = "gds");

    // Compute units are 0..units - 1, CP is unit `units`.
    Channel<GdsRequest>& from_unit(unsigned unit) { return from_unit_[unit]; }
    Channel<GdsRequest>& from_cp() { return from_unit_.back(); }
    std::vector<OutputChannel<GdsResponse>> to_unit;
    OutputChannel<GdsResponse>& to_cp() { return to_unit.back(); }

    // From the register bus. Accesses to the memory take turns with requests; a
    // read of GDS_ATOM_READ0..1_U waits for the operation. One per cycle otherwise.
    Channel<RegRequest> registers;
    OutputChannel<RegResponse> to_registers{this};
    Wire<bool> busy;  // GRBM_STATUS.GDS_BUSY

    // A request occupies the unit for occupancy() cycles (gds_conflicts.h); its answer leaves
    // `latency` cycles later, or when what it waits for has happened.
    bool tick(Cycle now) override;

    // RegisterTarget, in functional mode.
    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest& request, uint32_t& value) override;
    bool inspect_register(const RegRequest& request, uint32_t& value) override {
        return gds::inspect_register(spec_.map, state_.contents, request.offset, value);
    }

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const;

    // Partitions and contents, to be set up by registers, CP and tests.
    Contents& contents() { return state_.contents; }
    const State& state() const { return state_; }
    const GdsSpec& spec() const { return spec_; }

  private:
    void init_state();
    bool take(Cycle now);
    bool take_register(Cycle now);
    bool send(Cycle now);
    void answer(Cycle at);
    uint32_t read(Cycle now, const RegRequest& request, RegStatus& status);

    const GdsSpec spec_;
    const std::string name_;
    State state_;
    std::vector<Channel<GdsRequest>> from_unit_;
    std::vector<GdsResponse> done_;  // scratch
};

}  // namespace archipelago::gds
