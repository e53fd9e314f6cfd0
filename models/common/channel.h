// SPDX-License-Identifier: Apache-2.0
// Registered, bounded, single-producer single-consumer link between two cores of one clock domain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/common/archive.h"
#include "models/common/clocked.h"
#include "models/common/copy_payload.h"
#include "models/common/cycle_tap.h"
#include "models/common/host_line.h"
#include "models/common/invariant.h"

namespace archipelago {

// Filled from YAML; `latency` in cycles of the link's clock, at least 1.
struct ChannelSpec {
    unsigned capacity = 2;
    unsigned latency = 1;
};

// Observes the traffic of a channel, unseen by its blocks (timeline, waveform, scoreboard).
template <class T>
class ChannelProbe {
  public:
    virtual ~ChannelProbe() = default;
    virtual void pushed(Cycle now, const T& value) = 0;
    virtual void popped(Cycle now, const T& value) = 0;
};

template <class T>
class Channel;

// Forwards what is pushed into one channel straight into a second one, without a tick: possible
// when the cycle in which an entry leaves the first channel and the cycle in which it can be popped
// from the second follow from pushes and pops alone. See tlm/direct_link.h.
template <class T>
class ChannelRelay {
  public:
    virtual ~ChannelRelay() = default;
    // space() and push() of the first channel.
    virtual unsigned space(Cycle now) = 0;
    virtual void push(Cycle now, const T& value) = 0;
    // An entry left the second channel in cycle `now`; called once per notify_on_pop().
    virtual void popped(Cycle now) = 0;
    // The second channel is about to be cleared.
    virtual void cleared() = 0;

  protected:
    // Access to the second channel. Entries are numbered from 0 by their pushes since the last
    // clear(). attach_output() gives `to` `more` slots beyond its capacity.
    void attach_output(Channel<T>& to, unsigned more);
    static uint64_t first(const Channel<T>& to) { return to.head_; }
    static uint64_t end(const Channel<T>& to) { return to.tail_; }
    // Appends an entry that stays invisible until set_ready() gives it a cycle.
    static T& append(Channel<T>& to, const T& value);
    static T& entry(Channel<T>& to, uint64_t number) { return to.slots_[number & to.mask_].value; }
    // The entry and all before it can be popped from `ready` on.
    static void set_ready(Channel<T>& to, uint64_t number, Cycle ready);
    static void notify_on_pop(Channel<T>& to) { to.producer_waits_ = true; }
    // Whether the entry was popped in the last cycle that saw a pop, which `cycle` becomes.
    static bool popped_last(const Channel<T>& to, uint64_t number, Cycle& cycle) {
        cycle = to.last_pop_;
        return cycle != kNever && number + to.pops_in_cycle_ >= to.head_;
    }
};

// An entry pushed in cycle n can be popped from cycle n + latency on. Capacity counts entries
// queued plus in flight; an entry popped in cycle n frees its slot in cycle n + 1. Hence the order
// in which producer and consumer are ticked within a cycle has no effect.
template <class T>
class alignas(64) Channel {
  public:
    explicit Channel(ChannelSpec spec = {}, std::string name = {})
        : limit_(spec.capacity), spec_(spec), name_(std::move(name)) {
        invariant(spec.capacity >= 1 && spec.latency >= 1, name_,
                  "a channel without capacity or latency");
        reserve(spec.capacity);
    }
    // A channel may move only before it is connected, into an array or a vector of its owner.
    Channel(Channel&&) noexcept = default;
    Channel& operator=(Channel&&) noexcept = default;

    void set_producer(Clocked* producer) { producer_ = producer; }
    Clocked* producer() const { return producer_; }
    void set_consumer(Clocked* consumer) { consumer_ = consumer; }
    // Also keeps bit `bit` of `inputs` set while the channel is not empty: a consumer of many
    // channels need not touch the empty ones.
    void set_consumer(Clocked* consumer, uint64_t& inputs, unsigned bit) {
        consumer_ = consumer;
        inputs_ = &inputs;
        bit_ = uint64_t{1} << bit;
    }
    // Also keeps in `first` the cycle from which the first entry can be popped, kNever while the
    // channel is empty: the consumer need not touch the channel before that cycle.
    void set_consumer(Clocked* consumer, Cycle& first) {
        consumer_ = consumer;
        first_ = &first;
        first = kNever;
    }

    // Slots free for the producer in cycle `now`. After 0 the producer is woken as soon as one is
    // free.
    unsigned space(Cycle now) {
        const uint64_t used = tail_ - head_ + (last_pop_ == now ? pops_in_cycle_ : 0);
        if (used >= limit_ || stalled(now)) {
            if (relay_ != nullptr)
                return relay_->space(now);
            producer_waits_ = true;
            if ((last_pop_ == now || stalled(now)) && producer_ != nullptr)
                producer_->wake_at(now + 1);
            return 0;
        }
        return static_cast<unsigned>(limit_ - used);
    }
    bool can_push(Cycle now) { return space(now) != 0; }

    // Messages are written straight into their slot: a memory request is some 150 bytes.
    template <class U = T>
    void push(Cycle now, U&& value) {
        push_at(now, now + spec_.latency, std::forward<U>(value));
    }

    // As push(), but visible from `ready` on: for transports that annotate the delay themselves.
    // `ready` is later than `now` and never earlier than that of the entry before.
    template <class U = T>
    void push_at(Cycle now, Cycle ready, U&& value) {
        if constexpr (IsTransaction<T>::value)
            pushed_.pass(now);
        if (relay_ != nullptr) {
            relay_->push(now, value);
            head_ = ++tail_;
            return;
        }
        check_room(now);
        if (tail_ != head_ && slots_[(tail_ - 1) & mask_].ready > ready)
            ready = slots_[(tail_ - 1) & mask_].ready;
        if (probe_ != nullptr)
            probe_->pushed(now, value);
        Slot& slot = slots_[tail_ & mask_];
        slot.ready = ready;
        if constexpr (std::is_trivially_copyable_v<T>)
            copy_payload(slot.value, static_cast<const T&>(value));
        else
            slot.value = std::forward<U>(value);
        appended(ready);
    }

    // As push(), but `fill` writes the message, all of it, in its slot. For small messages built
    // from fields, whose copy would take most of the host time of a push.
    template <class Fill>
    void emplace(Cycle now, const Fill& fill) {
        if (probe_ != nullptr || relay_ != nullptr) {
            T value{};
            fill(value);
            push(now, std::move(value));
            return;
        }
        if constexpr (IsTransaction<T>::value)
            pushed_.pass(now);
        check_room(now);
        Slot& slot = slots_[tail_ & mask_];
        slot.ready = now + spec_.latency;
        if (tail_ != head_ && slots_[(tail_ - 1) & mask_].ready > slot.ready)
            slot.ready = slots_[(tail_ - 1) & mask_].ready;
        fill(slot.value);
        appended(slot.ready);
    }

    bool can_pop(Cycle now) const {
        if (head_ == tail_ || slots_[head_ & mask_].ready > now)
            return false;
        if (stall_threshold_ != 0 && stalled(now + 0x9e37)) {
            if (consumer_ != nullptr)
                consumer_->wake_at(now + 1);
            return false;
        }
        return true;
    }
    // Only after can_pop().
    const T& front() const { return slots_[head_ & mask_].value; }
    T& front() { return slots_[head_ & mask_].value; }
    // The entry `after` others, when it can be popped in the same cycle as they; else null.
    const T* peek(Cycle now, size_t behind) const {
        const Slot& slot = slots_[(head_ + behind) & mask_];
        return behind < size() && slot.ready <= now && can_pop(now) ? &slot.value : nullptr;
    }
    T pop(Cycle now) {
        Slot& slot = slots_[head_ & mask_];
        leave(now);
        return std::move(slot.value);
    }
    // pop() without the value: front() stays valid until the consumer's tick ends.
    [[gnu::always_inline]] void drop(Cycle now) { leave(now); }
    // drop() by a consumer that schedules its own tick: it is woken for the next entry only when
    // that cannot be popped yet.
    void pop_no_wake(Cycle now) { leave(now, now); }

    // Whether an entry can be popped in cycle `at`. A later entry wakes the consumer.
    bool due(Cycle at) const { return head_ != tail_ && slots_[head_ & mask_].ready <= at; }
    bool empty() const { return head_ == tail_; }  // nothing queued and nothing in flight
    size_t size() const { return tail_ - head_; }
    const ChannelSpec& spec() const { return spec_; }
    const std::string& name() const { return name_; }
    uint64_t pushes() const { return cleared_ + tail_; }
    // When messages were pushed and popped, if they are transactions (IsTransaction).
    const CycleTap& pushed() const { return pushed_; }
    const CycleTap& popped() const { return popped_; }

    void clear() {
        if (upstream_relay_ != nullptr)
            upstream_relay_->cleared();
        cleared_ += tail_;
        head_ = tail_ = 0;
        if (inputs_ != nullptr)
            *inputs_ &= ~bit_;
        if (first_ != nullptr)
            *first_ = kNever;
        last_pop_ = kNever;
        pops_in_cycle_ = 0;
        // Wakes a producer that sleeps because the channel was full.
        if (producer_waits_ && producer_ != nullptr)
            producer_->wake_at(0);
        producer_waits_ = false;
    }

    void archive(Archive& a) {
        a.at_rest(empty(), name_);
        a(head_, cleared_, last_pop_, pops_in_cycle_, producer_waits_, pushed_, popped_);
        tail_ = head_;
    }

    void set_probe(ChannelProbe<T>* probe) { probe_ = probe; }

    // Test mode: refuses pushes and pops in about `percent` % of the cycles, drawn from `seed` and
    // the cycle number only, so that the order of ticks still cannot matter.
    void random_stall(uint64_t seed, unsigned percent) {
        stall_seed_ = seed;
        stall_threshold_ = percent * (0xFFFFFFFFu / 100);
    }
    // Without probe and random stalls: a push is refused only when the channel is full.
    bool plain() const { return probe_ == nullptr && stall_threshold_ == 0; }

    // From now on `relay` forwards every push to a second channel. The channel must be empty.
    void attach_relay(ChannelRelay<T>& relay) {
        invariant(empty() && plain(), name_, "relay attached while in use");
        relay_ = &relay;
        limit_ = 0;
    }

  private:
    friend class ChannelRelay<T>;
    struct Slot {
        Cycle ready = 0;
        T value{};
    };

    void check_room(Cycle now) const {
        invariant(tail_ - head_ + (last_pop_ == now ? pops_in_cycle_ : 0) < spec_.capacity, name_,
                  "pushed into while full", now);
    }

    // Wakes the consumer for the first entry; the pop of an entry wakes it for the next.
    void appended(Cycle ready) {
        if (head_ != tail_++)
            return;
        if (inputs_ != nullptr)
            *inputs_ |= bit_;
        if (first_ != nullptr)
            *first_ = ready;
        if (consumer_ != nullptr)
            consumer_->wake_at(ready);
    }

    // Pops the first entry; its slot keeps the value until the next push into it. The consumer
    // needs no wake-up for an entry that is ready by `seen`.
    [[gnu::always_inline]] void leave(Cycle now, Cycle seen = 0) {
        if (probe_ != nullptr)
            probe_->popped(now, slots_[head_ & mask_].value);
        if constexpr (IsTransaction<T>::value)
            popped_.pass(now);
        ++head_;
        if (last_pop_ == now) {
            ++pops_in_cycle_;
        } else {
            last_pop_ = now;
            pops_in_cycle_ = 1;
        }
        if (producer_waits_) {
            producer_waits_ = false;
            if (upstream_relay_ != nullptr)
                upstream_relay_->popped(now);
            else if (producer_ != nullptr)
                producer_->wake_at(now + 1);
        }
        // Several entries may share a ready cycle; the wake of the first covered only that cycle.
        if (head_ == tail_) {
            if (inputs_ != nullptr)
                *inputs_ &= ~bit_;
            if (first_ != nullptr)
                *first_ = kNever;
            return;
        }
        const Cycle ready = slots_[head_ & mask_].ready;
        if (first_ != nullptr)
            *first_ = ready;
        if (consumer_ != nullptr && ready > seen)
            consumer_->wake_at(ready);
    }

    void reserve(size_t entries) {
        size_t slots = 1;
        while (slots < entries)
            slots *= 2;
        storage_.resize(slots);
        slots_ = storage_.data();
        mask_ = static_cast<uint32_t>(slots - 1);
    }

    bool stalled(Cycle now) const {
        if (stall_threshold_ == 0)
            return false;
        uint64_t x = (now + 1) * 0x9e3779b97f4a7c15u ^ stall_seed_;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return static_cast<uint32_t>(x >> 32) < stall_threshold_;
    }

    // The state of push and pop fills one cache line of the host.
    uint64_t head_ = 0;
    uint64_t tail_ = 0;
    Slot* slots_ = nullptr;
    uint32_t mask_ = 0;
    uint32_t stall_threshold_ = 0;
    Cycle last_pop_ = kNever;
    uint32_t pops_in_cycle_ = 0;
    bool producer_waits_ = false;
    unsigned limit_;  // the capacity; 0 when a relay is attached, whose space() decides
    Clocked* consumer_ = nullptr;
    ChannelRelay<T>* relay_ = nullptr;
    uint64_t* inputs_ = nullptr;
    uint64_t bit_ = 0;
    Cycle* first_ = nullptr;
    CycleTap pushed_, popped_;
    ChannelSpec spec_;
    ChannelRelay<T>* upstream_relay_ = nullptr;
    Clocked* producer_ = nullptr;
    ChannelProbe<T>* probe_ = nullptr;
    uint64_t stall_seed_ = 0;
    uint64_t cleared_ = 0;  // pushes before the last clear()
    HostLineVector<Slot> storage_;
    std::string name_;
};

template <class T>
void ChannelRelay<T>::attach_output(Channel<T>& to, unsigned more) {
    invariant(to.empty() && to.plain(), to.name_, "relay output attached while in use");
    to.reserve(size_t{to.spec_.capacity} + more);
    to.upstream_relay_ = this;
}

template <class T>
T& ChannelRelay<T>::append(Channel<T>& to, const T& value) {
    auto& slot = to.slots_[to.tail_ & to.mask_];
    slot.ready = kNever;
    copy_payload(slot.value, value);
    ++to.tail_;
    return slot.value;
}

template <class T>
void ChannelRelay<T>::set_ready(Channel<T>& to, uint64_t number, Cycle ready) {
    to.slots_[number & to.mask_].ready = ready;
    if (number != to.head_)
        return;  // the pop of the entry before wakes the consumer
    if (to.inputs_ != nullptr)
        *to.inputs_ |= to.bit_;
    if (to.first_ != nullptr)
        *to.first_ = ready;
    if (to.consumer_ != nullptr)
        to.consumer_->wake_at(ready);
}

// A strobe (doorbell, interrupt, done): cannot be refused. Delivered `latency` cycles later, in
// order.
template <class T>
class EventLink {
  public:
    explicit EventLink(unsigned latency = 1) : latency_(latency) {
        invariant(latency >= 1, "an event link", "without latency");
    }
    void set_consumer(Clocked* consumer) { consumer_ = consumer; }
    // Also keeps the bit set while the link is not empty, as Channel does.
    void set_consumer(Clocked* consumer, uint64_t& inputs, unsigned bit) {
        consumer_ = consumer;
        inputs_ = &inputs;
        bit_ = uint64_t{1} << bit;
    }
    void send(Cycle now, T value) {
        // Bounds the vector when the stream never runs empty.
        if (head_ >= kCompact && 2 * head_ >= queue_.size()) {
            queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
            head_ = 0;
        }
        queue_.push_back({now + latency_, std::move(value)});
        if (head_ + 1 != queue_.size())
            return;  // take() of the entry before wakes the consumer
        if (inputs_ != nullptr)
            *inputs_ |= bit_;
        if (consumer_ != nullptr)
            consumer_->wake_at(now + latency_);
    }
    bool ready(Cycle now) const { return head_ < queue_.size() && queue_[head_].first <= now; }
    T take() {
        T value = std::move(queue_[head_++].second);
        if (head_ == queue_.size()) {
            clear();
        } else if (consumer_ != nullptr) {
            consumer_->wake_at(queue_[head_].first);
        }
        return value;
    }
    bool empty() const { return head_ == queue_.size(); }
    size_t stored() const { return queue_.size(); }  // entries kept, taken ones included
    void archive(Archive& a) const { a.at_rest(empty(), "a strobe is on its way"); }
    void clear() {
        queue_.clear();
        head_ = 0;
        if (inputs_ != nullptr)
            *inputs_ &= ~bit_;
    }

  private:
    static constexpr size_t kCompact = 64;
    unsigned latency_;
    std::vector<std::pair<Cycle, T>> queue_;
    size_t head_ = 0;
    Clocked* consumer_ = nullptr;
    uint64_t* inputs_ = nullptr;
    uint64_t bit_ = 0;
};

}  // namespace archipelago
