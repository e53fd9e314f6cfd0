// SPDX-License-Identifier: Apache-2.0
// Stimulus of a block that takes messages at the port `in` and gives a result of each, in their
// order, at the port `out`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {

// Message is what `in` carries. `inside`: messages that the block holds at most.
template <class Pins, class Message>
class PipeStimulus : public Stimulus<Pins> {
  public:
    using In = typename Pins::In;
    using Out = typename Pins::Out;

    void next(In& in) final {
        const bool valid = in_flow_.next(random_);
        in.out_ready = out_flow_.next(random_) ? 1 : 0;
        in.rst = !offer_.is_recorded() && random_.one_in(reset_every_) ? 1 : 0;
        const Message* held = offer_.in_cycle(valid, [&](Message& m) { choose(m); });
        in.in_valid = held != nullptr ? 1 : 0;
        if (held != nullptr)
            in.in = *held;
        else
            disturb(in.in);
    }

    void observe(const In& in, const Out& out) final {
        const bool taken = in.in_valid != 0 && out.in_ready != 0;
        const bool given = out.out_valid != 0 && in.out_ready != 0;
        bins_.hit(flow_, 0, in.in_valid != 0 && out.in_ready == 0);
        bins_.hit(flow_, 1, out.out_valid != 0 && in.out_ready == 0);
        bins_.hit(flow_, 2, in.in_valid == 0 && out.in_ready != 0);
        bins_.hit(flow_, 3, out.out_valid == 0);
        bins_.hit(flow_, 4, taken && given);
        bins_.hit(flow_, 5, inside_.size() == most_inside_ && in.out_ready == 0);
        bins_.hit(flow_, 6, in.rst != 0 && !inside_.empty());
        if (given && !inside_.empty()) {  // a twin that differs gives more
            count_result(inside_.front(), out);
            inside_.pop_front();
        }
        if (in.rst != 0) {
            inside_.clear();
            offer_.drop();
        } else if (taken) {
            inside_.push_back(in.in);
            count_message(in.in);
            offer_.drop();
        }
    }

    bool finished() const final { return offer_.is_used_up() && inside_.empty(); }
    const Coverage& coverage() const final { return bins_; }

  protected:
    // A reset comes once in so many cycles.
    PipeStimulus(const CosimOptions& options, size_t inside, uint32_t reset_every = 10'000)
        : random_(options.seed),
          offer_(recorded_traffic<Message>(options)),
          most_inside_(inside),
          reset_every_(reset_every),
          flow_(bins_.add_group(
              "flow", {"in waits", "out waits", "in idle", "out empty", "in and out move together",
                       "all it holds waits", "reset with something inside"})) {}

    virtual void choose(Message& message) = 0;
    // What stands at the port while nothing is offered: it must not matter.
    virtual void disturb(Message& message) = 0;
    virtual void count_message(const Message&) {}
    virtual void count_result(const Message&, const Out&) {}

    Random random_;
    Coverage bins_;

  private:
    Activity in_flow_, out_flow_;
    Offer<Message> offer_;
    std::deque<Message> inside_;
    const size_t most_inside_;
    const uint32_t reset_every_;
    const size_t flow_;
};

}  // namespace archipelago::rtl
