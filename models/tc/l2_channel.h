// SPDX-License-Identifier: Apache-2.0
// The unit between the fabric and a memory channel: the L2 core, or one on pins.
#pragma once

#include <memory>
#include <string>

#include "models/common/memory_message.h"
#include "models/mc/address_map.h"
#include "models/tc/cache_unit.h"
#include "models/tc/page_check.h"
#include "models/tc/tcc_spec.h"

namespace archipelago::tc {

// When transactions come and go inside an L2 channel.
struct L2Taps {
    Stay
        waits;  // requests until memory has answered, or the fill that another has sent for is here
    Stay below;  // of these, those that have sent to memory: fills and writes passed on
    Stay write_backs;
};

class L2Channel : public CacheUnit {
  public:
    const L2Taps& taps() const { return taps_; }

    Channel<MemRequest> from_fabric;
    Channel<MemResponse> from_memory;
    Channel<CacheAction> actions;
    OutputChannel<MemResponse> to_fabric{this};
    OutputChannel<MemRequest> to_memory{this};
    OutputChannel<CacheActionDone> to_action_done{this};

  protected:
    L2Channel(const TccSpec& spec, const std::string& name)
        : from_fabric(spec.from_fabric, name + ".from_fabric"),
          from_memory(spec.from_memory, name + ".from_memory"),
          actions(spec.actions, name + ".actions") {
        add_inputs(from_fabric, from_memory, actions);
    }

    L2Taps taps_;
};

// Makes the L2 channels of a chip in place of the core.
class L2Factory {
  public:
    virtual ~L2Factory() = default;
    // `pages` as for TccCore; both it and the factory outlive the channel. Throws
    // std::invalid_argument that names what it does not support of the Spec.
    virtual std::unique_ptr<L2Channel> make(const TccSpec& spec, const mc::ChannelMapSpec& map,
                                            const PageCheck* pages, unsigned channel,
                                            const std::string& name) = 0;
};

}  // namespace archipelago::tc
