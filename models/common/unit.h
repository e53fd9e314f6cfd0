// SPDX-License-Identifier: Apache-2.0
// What the units of every block share: their ends of the channels, and how they are controlled
// (control.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/common/archive.h"
#include "models/common/channel.h"
#include "models/common/clocked.h"
#include "models/common/control.h"

namespace archipelago {

// A unit's end of a link it writes to. Link: Channel<T> or EventLink<T>; the link itself belongs to
// the unit that reads it.
template <class Link>
class Output {
  public:
    // `owner` is woken when a full link has room again.
    explicit Output(Clocked* owner) : owner_(owner) {}
    void connect(Link& link) {
        link_ = &link;
        if constexpr (HasProducer<Link>::value)
            link.set_producer(owner_);
    }
    explicit operator bool() const { return link_ != nullptr; }  // connected
    Link* get() const { return link_; }
    Link* operator->() const { return link_; }
    Link& operator*() const { return *link_; }

  private:
    template <class L, class = void>
    struct HasProducer : std::false_type {};
    template <class L>
    struct HasProducer<
        L, std::void_t<decltype(std::declval<L&>().set_producer(std::declval<Clocked*>()))>>
        : std::true_type {};

    Link* link_ = nullptr;
    Clocked* owner_;
};

template <class T>
using OutputChannel = Output<Channel<T>>;
template <class T>
using OutputEvent = Output<EventLink<T>>;

// A clocked unit under the Control contract.
class Unit : public Clocked, public Control {
  public:
    // A unit's own reset() calls this and resets what it adds.
    void reset() override {
        run_ = RunState::Running;
        clear_inputs();
    }
    // A unit's own archive() calls this and visits what it adds.
    void archive(Archive& a) override = 0;
    void set_run_state(RunState run) override {
        run_ = run;
        wake_at(0);
    }

  protected:
    // A link this unit reads: it wakes the unit, and reset() empties it. `due`: what
    // Channel::set_consumer() keeps up to date for the unit. The link must not move afterwards.
    template <class Link, class... Due>
    void add_input(Link& link, Due&&... due) {
        link.set_consumer(this, std::forward<Due>(due)...);
        inputs_.push_back(
            {&link, [](void* input) { static_cast<Link*>(input)->clear(); },
             [](const void* input) { return static_cast<const Link*>(input)->empty(); },
             [](void* input, Archive& a) { static_cast<Link*>(input)->archive(a); }});
    }
    // Several links, one after the other.
    template <class... Links>
    void add_inputs(Links&... links) {
        (add_input(links), ...);
    }
    // As above; the links keep the bits of `inputs` up to date, from bit 0 on in their order.
    template <class... Links>
    void add_inputs_with_bits(uint64_t& inputs, Links&... links) {
        unsigned bit = 0;
        (add_input(links, inputs, bit++), ...);
    }
    void clear_inputs() {
        for (const Input& input : inputs_)
            input.clear(input.link);
    }
    bool inputs_empty() const {
        return std::all_of(inputs_.begin(), inputs_.end(),
                           [](const Input& input) { return input.empty(input.link); });
    }

    RunState run_ = RunState::Running;

  private:
    struct Input {
        void* link;
        void (*clear)(void*);
        bool (*empty)(const void*);
        void (*archive)(void*, Archive&);
    };
    std::vector<Input> inputs_;
};

inline void Unit::archive(Archive& a) {
    if (a.saving())
        a.at_rest(idle(), waiting_for());
    a(run_);
    for (const Input& input : inputs_)
        input.archive(input.link, a);
}

}  // namespace archipelago
