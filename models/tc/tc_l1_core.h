// SPDX-License-Identifier: Apache-2.0
// A vector L1 cache on pins: TcpCore at its pins, and L1OnPins, which takes the place of a chip's
// vector L1 and drives a block on such pins. The Verilog twin is rtl-bridge/rtl/tc_l1.
#pragma once

#include <memory>
#include <string>

#include "models/tc/cache_on_pins.h"
#include "models/tc/tcp_core.h"
#include "pins/tc_l1_pins.h"

namespace archipelago::tc {

// Spec as the pins have it, and back. The channels' own parameters are not the block's. Throws
// std::invalid_argument naming the key of what the pins have no room for.
rtl::TcL1Pins::Config config_to_pins(const TcpSpec& spec);
TcpSpec spec_from_pins(const rtl::TcL1Pins::Config& config);

struct TcL1Parts {
    using Pins = rtl::TcL1Pins;
    using Core = TcpCore;
    using Unit = VectorL1;
    using Counters = TcpCounters;
    using Events = TcpEvents;
    using StallReason = TcpStall;
    using Stop = TcpStop;
    static constexpr unsigned kLanes = Pins::kLanes;
    static constexpr const char* kLevelBelow = "L2";
    static constexpr const char* kOthersBelow = "writes and atomics";
    template <class Pass>
    static void each_port(Pass& pass, VectorL1& l1, unsigned lanes);
    template <class M, class Counters, class Events>
    static void map_events(M m, Counters& counters, Events& events);
};

extern template class CachePinCore<TcL1Parts>;
extern template class CacheOnPins<TcL1Parts>;

class TcL1Core : public CachePinCore<TcL1Parts> {
  public:
    TcL1Core();

  private:
    std::unique_ptr<TcpCore> make(const rtl::TcL1Pins::Config& config) override;
    void present_events(const Events& before, const Events& after, Out& out) override;

    Channel<MemResponse> to_cu_{{rtl::TcL1Pins::kLanes, 1}, "to_cu"};
    Channel<MemRequest> to_l2_{{1, 1}, "to_l2"};
};

// A vector L1 of a chip on pins.
class L1OnPins final : public CacheOnPins<TcL1Parts> {
  public:
    // Resets the block, which must outlive this. As TcpCore.
    L1OnPins(rtl::PinBlock<rtl::TcL1Pins>& block, const TcpSpec& spec, const std::string& name);

    void reset() override;
    void register_stats(StatsRegistry& registry, const std::string& path) const override;

  private:
    void follow(Cycle now) override;
    [[noreturn]] void stop() const override;
};

}  // namespace archipelago::tc
