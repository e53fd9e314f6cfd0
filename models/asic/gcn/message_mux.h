// SPDX-License-Identifier: Apache-2.0
// Messages of many compute units to one block, one per cycle, the units in turn.
#pragma once

#include <vector>

#include "models/common/arbiter.h"
#include "models/common/unit.h"
#include "models/gcn/export_message.h"

namespace archipelago::gcn {

class MessageMux : public Unit {
  public:
    // At most 64 units. `name` is that of the mux in reports.
    MessageMux(unsigned units, const ChannelSpec& spec, std::string name);

    Channel<ShaderMessage>& from_cu(unsigned cu) { return from_cu_[cu]; }
    OutputChannel<ShaderMessage> to_block{this};
    bool tick(Cycle now) override;

    void archive(Archive& a) override {
        Unit::archive(a);
        a(turn_);
    }
    bool idle() const override { return waiting_ == 0; }
    std::string waiting_for() const override;

  private:
    const std::string name_;
    uint64_t waiting_ = 0;  // a bit for each unit whose channel is not empty
    RoundRobin turn_;
    std::vector<Channel<ShaderMessage>> from_cu_;
};

}  // namespace archipelago::gcn
