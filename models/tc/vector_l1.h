// SPDX-License-Identifier: Apache-2.0
// The unit between a compute unit and the fabric: the vector L1 core, or one on pins.
#pragma once

#include <memory>
#include <string>

#include "models/common/memory_message.h"
#include "models/tc/cache_unit.h"
#include "models/tc/tcp_spec.h"

namespace archipelago::tc {

class VectorL1 : public CacheUnit {
  public:
    Channel<MemRequest> from_cu;
    Channel<MemResponse> from_l2;
    Channel<CacheAction> actions;
    OutputChannel<MemResponse> to_cu{this};
    OutputChannel<MemRequest> to_l2{this};
    OutputChannel<CacheActionDone> to_action_done{this};

    // Requests that wait for an answer of L2, their own or that of a read before them.
    const Stay& waits() const { return waits_; }

  protected:
    VectorL1(const TcpSpec& spec, const std::string& name)
        : from_cu(spec.from_cu, name + ".from_cu"),
          from_l2(spec.from_l2, name + ".from_l2"),
          actions(spec.actions, name + ".actions") {}

    Stay waits_;
};

// Makes the vector L1 caches of a chip in place of the core.
class L1Factory {
  public:
    virtual ~L1Factory() = default;
    // The factory outlives the cache. Throws std::invalid_argument that names what it does not
    // support of the Spec.
    virtual std::unique_ptr<VectorL1> make(const TcpSpec& spec, unsigned cu,
                                           const std::string& name) = 0;
};

}  // namespace archipelago::tc
