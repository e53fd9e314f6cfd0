// SPDX-License-Identifier: Apache-2.0
// An L2 channel pin by pin: TccCore with its channels driven from pins; and L2OnPins, which takes
// the place of a chip's L2 channel and drives whatever block stands behind such pins. The Verilog
// twin is rtl-bridge/rtl/tc_l2_bank.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/tc/cache_on_pins.h"
#include "models/tc/miss_rows.h"
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
    using Stop = TccStop;
    using Events = TccEvents;
    static constexpr CacheLevel kLevel = CacheLevel::L2;
};

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
    void offer(const In& in) override;
    void sample(const In& in, Out& out) override;

    MappedPin page_;
    Channel<MemResponse> to_fabric_{{1, 1}, "to_fabric"};
    Channel<MemRequest> to_memory_{{1, 1}, "to_memory"};
};

// An L2 channel of a chip behind pins. Its block is stepped in cycles in which something can move.
class L2OnPins final : public L2Channel {
  public:
    // Resets the block, which must outlive this. As TccCore.
    L2OnPins(rtl::PinBlock<rtl::TcL2BankPins>& block, const TccSpec& spec,
             const mc::ChannelMapSpec& map, const PageCheck* pages, unsigned channel,
             const std::string& name);

    bool tick(Cycle now) override;

    void reset() override;
    void archive(Archive& a) override { a.at_rest(false, "it is a Verilog twin"); }
    void archive_lines(Archive& a) override { archive(a); }
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const override;
    void observe(const Observers& observers, const std::string& path) override;
    void finish_trace(Cycle now) const override;

  private:
    using Pins = rtl::TcL2BankPins;
    void put_inputs(Cycle now);
    void tap(Cycle now);
    bool take_outputs(Cycle now);

    rtl::PinBlock<Pins>& block_;
    const PageCheck* pages_;
    const std::string name_;
    Pins::In in_;
    Pins::Out out_;
    bool holds_nothing_ = true;
    int64_t owed_ = 0;  // requests taken, answers to them not given
    PinInput<MemRequest> fabric_{from_fabric};
    PinInput<MemResponse> memory_{from_memory};
    PinInput<CacheAction> action_{actions};
    std::vector<uint64_t> mapped_;               // pages known to exist
    uint64_t fills_open_ = 0, writes_open_ = 0;  // in memory or on the way to it
    TccCounters count_;
    StallClock<TccStall> stall_;
    MissRows rows_;
    LogSink* log_ = nullptr;    // of requests
    std::vector<Cycle> since_;  // by MSHR; kNever: no line is on its way
    struct Fill {
        uint64_t line = 0;
        unsigned waiting = 0;  // requests, until it is here
    };
    std::vector<Fill> fills_;  // by MSHR
};

}  // namespace archipelago::tc
