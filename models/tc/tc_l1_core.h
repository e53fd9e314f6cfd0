// SPDX-License-Identifier: Apache-2.0
// A vector L1 cache pin by pin: TcpCore with its channels driven from pins; and L1OnPins, which
// takes the place of a chip's vector L1 and drives whatever block stands behind such pins. The
// Verilog twin is rtl-bridge/rtl/tc_l1.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/tc/cache_on_pins.h"
#include "models/tc/miss_rows.h"
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
    using Stop = TcpStop;
    using Events = TcpEvents;
    static constexpr CacheLevel kLevel = CacheLevel::L1;
};

class TcL1Core : public CachePinCore<TcL1Parts> {
  public:
    TcL1Core();

  private:
    std::unique_ptr<TcpCore> make(const rtl::TcL1Pins::Config& config) override;
    void offer(const In& in) override;
    void sample(const In& in, Out& out) override;

    Channel<MemResponse> to_cu_{{rtl::TcL1Pins::kLanes, 1}, "to_cu"};
    Channel<MemRequest> to_l2_{{1, 1}, "to_l2"};
    unsigned offered_ = 0;  // requests
    unsigned blocked_ = 0;  // places for answers
};

// A vector L1 of a chip behind pins. Its block is stepped in cycles in which something can move.
class L1OnPins final : public VectorL1 {
  public:
    // Resets the block, which must outlive this. As TcpCore.
    L1OnPins(rtl::PinBlock<rtl::TcL1Pins>& block, const TcpSpec& spec, const std::string& name);

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
    using Pins = rtl::TcL1Pins;
    void put_requests(Cycle now);
    void put_inputs(Cycle now);
    bool has_input() const;
    void tap(Cycle now);
    bool take_inputs(Cycle now);
    bool take_outputs(Cycle now);

    rtl::PinBlock<Pins>& block_;
    const std::string name_;
    Pins::In in_;
    Pins::Out out_;
    bool holds_nothing_ = true;
    int64_t owed_ = 0;            // requests taken, answers to them not given
    unsigned requests_seen_ = 0;  // on the pins, fields included
    PinInput<MemResponse> l2_{from_l2};
    PinInput<CacheAction> action_{actions};
    uint64_t fills_open_ = 0, answers_open_ = 0;  // in L2 or on the way to it
    TcpCounters count_;
    StallClock<TcpStall> stall_;
    MissRows rows_;
    std::vector<Cycle> since_;  // by MSHR; kNever: no line is on its way
};

}  // namespace archipelago::tc
