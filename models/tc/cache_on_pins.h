// SPDX-License-Identifier: Apache-2.0
// What a vector L1 and an L2 channel on pins share: the core at its pins, for lockstep, and the
// shell that takes a cache's place in a chip and drives a block on such pins.
//
// `Parts` of a cache names its Pins, Core, Unit (the base of core and shell), Counters, Events,
// StallReason, the Stop that it throws, and has
//   each_port(pass, unit, lanes)    messages and handshakes (common/pins/pin_ports.h)
//   map_events(m, counters, pins)   what is counted in a cycle
//   kLevelBelow, kOthersBelow       names of the level below and of requests to it besides fills
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/common/archive.h"
#include "models/common/memory_message.h"
#include "models/common/pins/pin_block.h"
#include "models/common/unit.h"
#include "models/tc/memory_pins.h"
#include "models/tc/miss_rows.h"
#include "models/tc/stall_clock.h"

namespace archipelago::tc {

// ---- a core at its pins

template <class Parts>
class CachePinCore : public rtl::PinBlock<typename Parts::Pins> {
  public:
    using Pins = typename Parts::Pins;
    using Core = typename Parts::Core;
    using In = typename Pins::In;
    using Out = typename Pins::Out;

    void step(const In& in, Out& out) override {
        out = Out{};
        ++now_;
        if (in.rst != 0) {
            if (in.cfg == config_)
                core_->reset();
            else
                take(in.cfg, make(in.cfg));
            return;
        }
        const pins::ApplyInputs apply{now_, in, out};
        Parts::each_port(apply, *core_, Parts::kLanes);
        apply_levels(in);
        core_->set_run_state(in.pause != 0 ? RunState::Paused : RunState::Running);
        const auto before = core_->state().events;
        try {
            core_->tick(now_);
        } catch (const typename Parts::Stop& stop) {
            out.error = static_cast<uint8_t>(stop.fault());  // a reset comes next
            return;
        }
        const pins::PresentOutputs present{now_, in, out};
        Parts::each_port(present, *core_, Parts::kLanes);
        const auto& after = core_->state().events;
        Parts::map_events(pins::ToPins{}, after.count, out.event);
        Parts::map_events(pins::SubtractToPins{}, before.count, out.event);
        present_events(before, after, out);
        out.stall = static_cast<uint8_t>(core_->state().stall.reason);
        out.idle = core_->holds_nothing();
        out.waits = core_->waits_for_inputs(now_ + 1);
    }
    const Core& core() const { return *core_; }

  protected:
    // The core of a configuration, its links connected but that of completions.
    virtual std::unique_ptr<Core> make(const typename Pins::Config& config) = 0;
    // Inputs that are not messages.
    virtual void apply_levels(const In&) {}
    // What else it has done in the cycle.
    using Events = typename Parts::Events;
    virtual void present_events(const Events& before, const Events& after, Out& out) = 0;

    void take(const typename Pins::Config& config, std::unique_ptr<Core> core) {
        config_ = config;
        core_ = std::move(core);
        core_->to_action_done.connect(done_);
    }

    typename Pins::Config config_;
    std::unique_ptr<Core> core_;
    Cycle now_ = 1;

  private:
    Channel<CacheActionDone> done_{{1, 1}, "done"};
};

// ---- a cache of a chip

// What a cache on pins is waiting for, as Unit::waiting_for() says it.
struct PinsWait {
    bool paused = false;
    bool inputs_empty = false;
    bool holds_nothing = false;  // as the block says
    bool clock_stops = false;    // as the block has asked
    int64_t owed = 0;            // requests taken, answers to them not given
    std::string below;           // what is in the level below, or ""
};
std::string text_of(const PinsWait& wait);

// Stops the machine by the block's name when it holds no request and takes none of those offered:
// memory cannot be the reason, and the machine's own watchdog would need longer.
class RefusalWatch {
  public:
    // Cycles; a block that initializes its memories needs thousands.
    static constexpr Cycle kLimit = 500'000;
    // `refuses`: in this cycle. Throws MachineStop(Hang).
    void note(Cycle now, bool refuses, const std::string& name);
    // The cycle at which it stops the machine; kNever: nothing is refused.
    Cycle stops_at() const { return since_ == kNever ? kNever : since_ + kLimit; }
    void reset() { since_ = kNever; }

  private:
    Cycle since_ = kNever;
};

// The requests that a cache on pins has open in the level below, and the timeline of its fills.
class OpenBelow {
  public:
    explicit OpenBelow(size_t mshrs) : since_(mshrs, kNever) {}
    void reset();
    // The MSHR has asked for a line; it is here.
    void asked(uint32_t mshr, Cycle now) { since_[mshr] = now; }
    void arrived(uint32_t mshr, Cycle now, const MemResponse& response);
    // A request has left, for a line or another; its answer has come.
    void sent(bool fill) { ++(fill ? fills_ : others_); }
    void answered(bool fill) { --(fill ? fills_ : others_); }
    // "2 fills and 1 writes in memory", or "" without any.
    std::string text(const char* others, const char* level) const;
    void observe(const Observers& observers, const std::string& path) {
        rows_.observe(observers, path, since_.size());
    }
    void finish_trace(Cycle now) const {
        rows_.finish(now, [this](uint32_t mshr) { return MissRows::Open{since_[mshr], 0}; });
    }

  private:
    uint64_t fills_ = 0, others_ = 0;
    MissRows rows_;
    std::vector<Cycle> since_;  // by MSHR; kNever: no line is on its way
};

// Throws when an action came whose completion is not connected.
void require_completion(bool connected, const std::string& name);

// Its block is stepped in cycles in which something can move.
template <class Parts>
class CacheOnPins : public Parts::Unit {
  public:
    using Pins = typename Parts::Pins;

    bool tick(Cycle now) final {
        in_.pause = this->run_ == RunState::Paused ? 1 : 0;
        pins::DriveInputs drive{now, in_, out_};
        Parts::each_port(drive, *this, lanes_);
        drive_levels();
        if (!drive.any && out_.waits != 0)
            return false;
        block_.step(in_, out_);
        if (out_.error != Pins::kNoError)
            stop();
        if (out_.action_ready != 0)
            require_completion(static_cast<bool>(this->to_action_done), name_);
        follow(now);
        pins::SampleOutputs sample{now, in_, out_, pins::NoRest{}};
        Parts::each_port(sample, *this, lanes_);
        Parts::map_events(pins::AddFromPins{}, count_, out_.event);
        stall_.stalled(now, static_cast<typename Parts::StallReason>(out_.stall));
        refusals_.note(now, !sample.moved && refuses(), name_);
        if (sample.moved || out_.waits == 0)
            return true;
        if (refusals_.stops_at() != kNever)
            this->wake_at(refusals_.stops_at());
        return false;
    }

    void reset() override {
        Unit::reset();
        const typename Pins::Config cfg = in_.cfg;
        in_ = typename Pins::In{};
        in_.cfg = cfg;
        in_.rst = 1;
        for (unsigned i = 0; i < rtl::kResetCycles; ++i)
            block_.step(in_, out_);
        in_.rst = 0;
        out_.idle = 1;
        owed_ = 0;
        below_.reset();
        refusals_.reset();
        count_ = {};
        stall_ = {};
    }
    void archive(Archive& a) override { a.at_rest(false, "it is a Verilog twin"); }
    void archive_lines(Archive& a) override { archive(a); }
    bool idle() const override { return this->inputs_empty() && out_.idle != 0; }
    std::string waiting_for() const override {
        return text_of({this->run_ == RunState::Paused, this->inputs_empty(), out_.idle != 0,
                        out_.waits != 0, owed_,
                        below_.text(Parts::kOthersBelow, Parts::kLevelBelow)});
    }
    void observe(const Observers& observers, const std::string& path) override {
        below_.observe(observers, path);
    }
    void finish_trace(Cycle now) const override { below_.finish_trace(now); }

  protected:
    template <class Spec>
    CacheOnPins(rtl::PinBlock<Pins>& block, const typename Pins::Config& config, unsigned lanes,
                const Spec& spec, const std::string& name)
        : Parts::Unit(spec, name), block_(block), name_(name), below_(spec.mshrs), lanes_(lanes) {
        in_.cfg = config;
    }
    // Inputs that are not messages.
    virtual void drive_levels() {}
    // Taps, rows of the timeline and logs of what passes in this cycle; all of it is still in its
    // channels.
    virtual void follow(Cycle now) = 0;
    [[noreturn]] virtual void stop() const = 0;

    rtl::PinBlock<Pins>& block_;
    const std::string name_;
    typename Pins::In in_;
    typename Pins::Out out_;
    int64_t owed_ = 0;  // requests taken, answers to them not given
    OpenBelow below_;
    typename Parts::Counters count_;
    StallClock<typename Parts::StallReason> stall_;

  private:
    // Whether something is offered to a block that is done with all it took.
    bool refuses() const {
        return owed_ == 0 && !this->inputs_empty() && this->run_ != RunState::Paused;
    }

    const unsigned lanes_;
    RefusalWatch refusals_;
};

}  // namespace archipelago::tc
