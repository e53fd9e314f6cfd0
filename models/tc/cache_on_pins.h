// SPDX-License-Identifier: Apache-2.0
// What a vector L1 and an L2 channel behind pins share: the core that is stepped by its pins, and
// what takes a cache's place in a chip and drives whatever block stands behind the pins.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "models/common/memory_message.h"
#include "models/common/pins/pin_block.h"
#include "models/common/unit.h"
#include "models/tc/memory_pins.h"

namespace archipelago::tc {

// ---- a core, pin by pin

// A cache core with its channels in plain sight. `Parts` names its Pins, its Core, the Stop that it
// throws, the Events that it reports of a cycle, and its kLevel.
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
        offer_action(in);
        offer(in);
        if (in.pause != 0)
            core_->pause();
        else
            core_->resume();
        events_ = {};
        try {
            core_->tick(now_);
            sample_action(in, out);
            sample(in, out);
            sample_state(out);
        } catch (const typename Parts::Stop& stop) {
            out.error = static_cast<uint8_t>(stop.fault());  // a reset comes next
        }
    }
    const Core& core() const { return *core_; }

  protected:
    // The core of a configuration, its links connected but that of completions.
    virtual std::unique_ptr<Core> make(const typename Pins::Config& config) = 0;
    // Puts on the core's channels what the pins bring, in place of what they brought before.
    virtual void offer(const In& in) = 0;
    // What the core's channels say to the pins.
    virtual void sample(const In& in, Out& out) = 0;

    void take(const typename Pins::Config& config, std::unique_ptr<Core> core) {
        config_ = config;
        core_ = std::move(core);
        core_->report_to(events_);
        core_->to_action_done.connect(done_);
    }
    // As if it had been pushed in the cycle before.
    template <class T>
    void give(Channel<T>& channel, const T& message) {
        channel.push_at(now_ - 1, now_, message);
    }
    // A link of the core that is full has no room for anything.
    template <class T>
    void open(Channel<T>& channel, bool has_room) {
        channel.clear();
        if (!has_room)
            channel.push(now_ - 1, T{});
    }
    // The answer of the level below, of which the pins have no more.
    static MemResponse answer_of(uint32_t tag, uint8_t status, const rtl::LineData& data) {
        MemResponse response;
        response.tag = tag;
        response.status = static_cast<MemStatus>(status);
        from_pins(data, response.data);
        return response;
    }

    typename Pins::Config config_;
    std::unique_ptr<Core> core_;
    typename Parts::Events events_;  // of this cycle
    Cycle now_ = 1;

  private:
    // What was not taken may have gone from the pins.
    void offer_action(const In& in) {
        core_->actions.clear();
        if (in.action_valid != 0)
            give(core_->actions, from_pins(in.action, Parts::kLevel));
        open(done_, in.done_ready != 0);
    }
    void sample_state(Out& out) const {
        out.stall = static_cast<uint8_t>(core_->state().stall.reason);
        out.idle = core_->holds_nothing();
        out.waits = core_->waits_for_inputs(now_ + 1);
    }
    void sample_action(const In& in, Out& out) {
        out.action_ready = in.action_valid != 0 && core_->actions.empty();
        if (in.done_ready != 0 && !done_.empty()) {
            out.done_valid = 1;
            out.done_tag = done_.front().tag;
        }
    }

    Channel<CacheActionDone> done_{{1, 1}, "done"};
};

// ---- a cache of a chip

// A port that takes one message at a time: its fields are driven once, its valid in every cycle.
template <class T>
class PinInput {
  public:
    explicit PinInput(Channel<T>& from) : from_(from) {}
    // Whether a message is on the pins. `drive` is called with one that was not there before.
    template <class Drive>
    bool offer(Cycle now, const Drive& drive) {
        if (!from_.can_pop(now))
            return false;
        if (!driven_)
            drive(from_.front());
        driven_ = true;
        return true;
    }
    void take(Cycle now) {
        from_.drop(now);
        driven_ = false;
    }
    void reset() { driven_ = false; }

  private:
    Channel<T>& from_;
    bool driven_ = false;
};

// Holds the block in reset with the configuration that is on its pins.
template <class Pins>
void reset_on_pins(rtl::PinBlock<Pins>& block, typename Pins::In& in, typename Pins::Out& out) {
    const typename Pins::Config cfg = in.cfg;
    in = typename Pins::In{};
    in.cfg = cfg;
    in.rst = 1;
    for (unsigned i = 0; i < rtl::kResetCycles; ++i)
        block.step(in, out);
    in.rst = 0;
}

// What a cache behind pins is waiting for, as Unit::waiting_for() says it.
struct PinsWait {
    bool paused = false;
    bool inputs_empty = false;
    bool holds_nothing = false;  // as the block says
    int64_t owed = 0;            // requests taken, answers to them not given
    std::string below;           // what is in the level below, or ""
};
std::string text_of(const PinsWait& wait);

// Throws when an action came whose completion is not connected.
void require_completion(bool connected, const std::string& name);

}  // namespace archipelago::tc
