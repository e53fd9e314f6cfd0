// SPDX-License-Identifier: Apache-2.0
// Registered, bounded, single-producer single-consumer link between two cores of one clock domain.
// DESIGN sections 3 and 4.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/common/clocked.h"

namespace archipelago {

// Filled from YAML; `latency` in cycles of the link's clock, at least 1.
struct ChannelSpec {
    unsigned capacity = 2;
    unsigned latency = 1;
};

// Sees what passes a channel without its blocks knowing (timeline, waveform, scoreboard).
template <class T>
class ChannelProbe {
  public:
    virtual ~ChannelProbe() = default;
    virtual void pushed(Cycle now, const T& value) = 0;
    virtual void popped(Cycle now, const T& value) = 0;
};

// What was pushed in cycle n can be popped from cycle n + latency on. Capacity counts entries
// queued plus in flight; an entry popped in cycle n frees its place in cycle n + 1. Hence neither
// side can see in which order the two were ticked within a cycle.
template <class T>
class alignas(64) Channel {
  public:
    explicit Channel(ChannelSpec spec = {}, std::string name = {})
        : spec_(spec), name_(std::move(name)) {
        assert(spec.capacity >= 1 && spec.latency >= 1);
        size_t slots = 1;
        while (slots < spec.capacity)
            slots *= 2;
        storage_.resize(slots);
        slots_ = storage_.data();
        mask_ = static_cast<uint32_t>(slots - 1);
    }
    // Only before it is connected: into an array or a vector of its owner.
    Channel(Channel&&) noexcept = default;
    Channel& operator=(Channel&&) noexcept = default;

    void set_producer(Clocked* producer) { producer_ = producer; }
    void set_consumer(Clocked* consumer) { consumer_ = consumer; }
    // As well, bit `bit` of `inputs` is set while the channel is not empty: a consumer of many
    // channels need not touch those that have nothing for it.
    void set_consumer(Clocked* consumer, uint64_t& inputs, unsigned bit) {
        consumer_ = consumer;
        inputs_ = &inputs;
        bit_ = uint64_t{1} << bit;
    }

    // Places free for the producer in cycle `now`. When it reports 0 the producer is woken as soon
    // as there is one.
    unsigned space(Cycle now) {
        const uint64_t used = tail_ - head_ + (last_pop_ == now ? pops_in_cycle_ : 0);
        if (used >= spec_.capacity || stalled(now)) {
            producer_waits_ = true;
            if ((last_pop_ == now || stalled(now)) && producer_ != nullptr)
                producer_->wake_at(now + 1);
            return 0;
        }
        return static_cast<unsigned>(spec_.capacity - used);
    }
    bool can_push(Cycle now) { return space(now) != 0; }

    // Messages are written straight into their place: a memory request is some 150 bytes.
    template <class U = T>
    void push(Cycle now, U&& value) {
        push_at(now, now + spec_.latency, std::forward<U>(value));
    }

    // As push(), but visible from `ready` on: for transports that annotate the delay themselves.
    // `ready` is later than `now` and never earlier than that of the entry before.
    template <class U = T>
    void push_at(Cycle now, Cycle ready, U&& value) {
        assert(tail_ - head_ + (last_pop_ == now ? pops_in_cycle_ : 0) < spec_.capacity);
        if (tail_ != head_ && slots_[(tail_ - 1) & mask_].ready > ready)
            ready = slots_[(tail_ - 1) & mask_].ready;
        if (probe_ != nullptr)
            probe_->pushed(now, value);
        Slot& slot = slots_[tail_ & mask_];
        slot.ready = ready;
        slot.value = std::forward<U>(value);
        ++tail_;
        if (inputs_ != nullptr)
            *inputs_ |= bit_;
        if (consumer_ != nullptr)
            consumer_->wake_at(ready);
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
    T pop(Cycle now) {
        Slot& slot = slots_[head_ & mask_];
        leave(now);
        return std::move(slot.value);
    }
    // pop() by one who has seen front() and needs it no more.
    void drop(Cycle now) { leave(now); }

    bool empty() const { return head_ == tail_; }  // nothing queued and nothing in flight
    size_t size() const { return tail_ - head_; }
    const ChannelSpec& spec() const { return spec_; }
    const std::string& name() const { return name_; }
    uint64_t pushes() const { return cleared_ + tail_; }

    void clear() {
        cleared_ += tail_;
        head_ = tail_ = 0;
        if (inputs_ != nullptr)
            *inputs_ &= ~bit_;
        last_pop_ = kNever;
        pops_in_cycle_ = 0;
        // A producer that sleeps because the channel was full would never hear of the new room.
        if (producer_waits_ && producer_ != nullptr)
            producer_->wake_at(0);
        producer_waits_ = false;
    }

    void set_probe(ChannelProbe<T>* probe) { probe_ = probe; }

    // Test mode: refuses pushes and pops in about `percent` % of the cycles, drawn from `seed` and
    // the cycle number only, so that the order of ticks still cannot matter.
    void random_stall(uint64_t seed, unsigned percent) {
        stall_seed_ = seed;
        stall_threshold_ = percent * (0xFFFFFFFFu / 100);
    }

  private:
    struct Slot {
        Cycle ready = 0;
        T value{};
    };

    // The first entry leaves; its place keeps the value until it is pushed into again.
    void leave(Cycle now) {
        if (probe_ != nullptr)
            probe_->popped(now, slots_[head_ & mask_].value);
        ++head_;
        if (last_pop_ == now) {
            ++pops_in_cycle_;
        } else {
            last_pop_ = now;
            pops_in_cycle_ = 1;
        }
        if (producer_waits_) {
            producer_waits_ = false;
            if (producer_ != nullptr)
                producer_->wake_at(now + 1);
        }
        // Several entries may share a ready cycle; the wake of the first covered only that cycle.
        if (head_ == tail_) {
            if (inputs_ != nullptr)
                *inputs_ &= ~bit_;
        } else if (consumer_ != nullptr) {
            consumer_->wake_at(slots_[head_ & mask_].ready);
        }
    }

    bool stalled(Cycle now) const {
        if (stall_threshold_ == 0)
            return false;
        uint64_t x = (now + 1) * 0x9e3779b97f4a7c15u ^ stall_seed_;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return static_cast<uint32_t>(x >> 32) < stall_threshold_;
    }

    // What pushing and popping need fills one cache line of the host.
    uint64_t head_ = 0;
    uint64_t tail_ = 0;
    Slot* slots_ = nullptr;
    uint32_t mask_ = 0;
    uint32_t stall_threshold_ = 0;
    Cycle last_pop_ = kNever;
    uint32_t pops_in_cycle_ = 0;
    bool producer_waits_ = false;
    Clocked* consumer_ = nullptr;
    ChannelSpec spec_;
    uint64_t* inputs_ = nullptr;
    uint64_t bit_ = 0;
    Clocked* producer_ = nullptr;
    ChannelProbe<T>* probe_ = nullptr;
    uint64_t stall_seed_ = 0;
    uint64_t cleared_ = 0;  // pushes before the last clear()
    std::vector<Slot> storage_;
    std::string name_;
};

// A strobe (doorbell, interrupt, done): cannot be refused. Delivered `latency` cycles later, in
// order.
template <class T>
class EventLink {
  public:
    explicit EventLink(unsigned latency = 1) : latency_(latency) { assert(latency >= 1); }
    void set_consumer(Clocked* consumer) { consumer_ = consumer; }
    // As with Channel: the bit is set while the link is not empty.
    void set_consumer(Clocked* consumer, uint64_t& inputs, unsigned bit) {
        consumer_ = consumer;
        inputs_ = &inputs;
        bit_ = uint64_t{1} << bit;
    }
    void send(Cycle now, T value) {
        // A stream that never runs empty must not grow for ever.
        if (head_ >= kCompact && 2 * head_ >= queue_.size()) {
            queue_.erase(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(head_));
            head_ = 0;
        }
        queue_.push_back({now + latency_, std::move(value)});
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
