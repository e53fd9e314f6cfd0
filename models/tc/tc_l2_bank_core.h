// SPDX-License-Identifier: Apache-2.0
// An L2 channel on pins: TccCore at its pins, and L2OnPins, which takes the place of a chip's L2
// channel and drives a block on such pins. The Verilog twin is rtl-bridge/rtl/tc_l2_bank.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/tc/cache_on_pins.h"
#include "models/tc/tcc_core.h"
#include "pins/tc_l2_bank_pins.h"

namespace archipelago::tc {

// Spec and map as the pins have them, and back. The channels' own parameters are not the block's.
// Throws std::invalid_argument naming the key of what the pins have no room for.
rtl::TcL2BankPins::Config config_to_pins(const TccSpec& spec, const mc::ChannelMapSpec& map,
                                         unsigned channel);
TccSpec spec_from_pins(const rtl::TcL2BankPins::Config& config);
mc::ChannelMapSpec map_from_pins(const rtl::TcL2BankPins::Config& config);

struct TcL2BankParts {
    using Pins = rtl::TcL2BankPins;
    using Core = TccCore;
    using Unit = L2Channel;
    using Counters = TccCounters;
    using Events = TccEvents;
    using StallReason = TccStall;
    using Stop = TccStop;
    static constexpr unsigned kLanes = 1;
    static constexpr const char* kLevelBelow = "memory";
    static constexpr const char* kOthersBelow = "writes";
    template <class Pass>
    static void each_port(Pass& pass, L2Channel& l2, unsigned lanes);
    template <class M, class Counters, class Events>
    static void map_events(M m, Counters& counters, Events& events);
};

extern template class CachePinCore<TcL2BankParts>;
extern template class CacheOnPins<TcL2BankParts>;

class TcL2BankCore : public CachePinCore<TcL2BankParts> {
  public:
    TcL2BankCore();

  private:
    // Answers for the request on the pins.
    struct MappedPin : PageCheck {
        bool is_mapped(uint64_t) const override { return mapped; }
        bool mapped = false;
    };
    std::unique_ptr<TccCore> make(const rtl::TcL2BankPins::Config& config) override;
    void apply_levels(const In& in) override;
    void present_events(const Events& before, const Events& after, Out& out) override;

    MappedPin page_;
    Channel<MemResponse> to_fabric_{{1, 1}, "to_fabric"};
    Channel<MemRequest> to_memory_{{1, 1}, "to_memory"};
};

// An L2 channel of a chip on pins.
class L2OnPins final : public CacheOnPins<TcL2BankParts> {
  public:
    // Resets the block, which must outlive this. As TccCore.
    L2OnPins(rtl::PinBlock<rtl::TcL2BankPins>& block, const TccSpec& spec,
             const mc::ChannelMapSpec& map, const PageCheck* pages, unsigned channel,
             const std::string& name);

    void reset() override;
    void register_stats(StatsRegistry& registry, const std::string& path) const override;
    void observe(const Observers& observers, const std::string& path) override;

  private:
    void drive_levels() override;
    void follow(Cycle now) override;
    void tap(Cycle now);
    [[noreturn]] void stop() const override;

    const PageCheck* pages_;
    std::vector<uint64_t> mapped_;  // pages known to exist
    LogSink* log_ = nullptr;        // of requests
    struct Fill {
        uint64_t line = 0;
        unsigned waiting = 0;  // requests, until it is here
    };
    std::vector<Fill> fills_;  // by MSHR
};

}  // namespace archipelago::tc
