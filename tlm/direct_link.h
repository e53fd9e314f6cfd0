// SPDX-License-Identifier: Apache-2.0
// A link between two of this library's ports that are bound to each other passes messages without
// TLM transactions, as DMI does for the bytes of a memory. Its cycles equal those of the base
// protocol, which is used where a checker or a foreign module is on either side.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "models/common/archive.h"
#include "models/common/channel.h"
#include "models/common/error.h"
#include "models/common/memory_message.h"
#include "tlm/clock_domain.h"

namespace archipelago::tlm_shell {

// One direction: what the sender pushes into `from` (latency 1) is sent, one message a cycle of its
// clock, as soon as the message before has been accepted; it is accepted when `to` has room, and
// can be popped `link_cycles` of the sender after it was sent, not before the cycle after it was
// accepted, plus the `synchroniser` and what the latency of `to` is beyond 1. A message sent to a
// full channel waits in the link.
//
// With s(k) the cycle in which message k is sent, a(k) that of its acceptance and p(k) that of its
// pop: s(k) = max(push(k) + 1, a(k-1) + 1) and a(k) = max(s(k), p(k - capacity) + 1), in cycles of
// one clock. So every push and every pop settles the cycles of one entry at most.
//
// Pass::operator() sees every message as it is pushed and may change it.
template <class T, class Pass>
class alignas(64) DirectLink final : public ChannelRelay<T> {
  public:
    DirectLink(Channel<T>& from, Channel<T>& to, const ClockDomain& from_clock,
               const ClockDomain& to_clock, unsigned link_cycles, unsigned synchroniser, Pass pass)
        : to_(to),
          depth_(from.spec().capacity),
          pass_(std::move(pass)),
          capacity_(to.spec().capacity),
          link_(link_cycles),
          extra_(to.spec().latency - 1),
          synchroniser_(synchroniser),
          delay_(std::max<Cycle>(link_ + synchroniser_, 1) + extra_),
          same_clock_(&from_clock == &to_clock),
          sender_(from.producer()),
          from_period_(from_clock.period_fs()),
          to_period_(to_clock.period_fs()),
          link_whole_(link_ * from_period_ / to_period_),
          link_rest_(link_ * from_period_ % to_period_) {
        this->attach_output(to, depth_ + 1);
        size_t places = 1;
        while (places < depth_ + capacity_ + 1)
            places *= 2;
        storage_.resize(places);
        sent_ = storage_.data();
        mask_ = places - 1;
        from.attach_relay(*this);
    }

    unsigned space(Cycle now) override {
        const uint64_t end = this->end(to_);
        while (gone_ < end && gone_ <= accepted_ && sent(gone_) < now)
            ++gone_;
        const uint64_t used = end - gone_;
        if (used < depth_)
            return static_cast<unsigned>(depth_ - used);
        sender_waits_ = true;
        wake_sender();
        return 0;
    }

    void push(Cycle now, const T& value) override {
        const uint64_t number = this->end(to_);
        invariant(number - gone_ < depth_ || space(now) != 0, to_.name(),
                  "its link was pushed into while full", now);
        pass_(this->append(to_, value));
        if (accepted_ != number) {  // after one that waits for room
            sent(number) = now + 1;
            return;
        }
        sent(number) = std::max(now + 1, free_);
        if (number >= this->first(to_) + capacity_) {
            this->notify_on_pop(to_);
            return;
        }
        if (same_clock_) {
            // The receiver has room: its pops up to now are counted.
            const Cycle at = sent(number);
            free_ = at + 1;
            last_ready_ = std::max(last_ready_, at + delay_);
            accepted_ = number + 1;
            this->set_ready(to_, number, last_ready_);
            return;
        }
        Cycle last = 0;
        accept(number, number >= capacity_ && this->popped_last(to_, number - capacity_, last)
                           ? last + 1
                           : 0);
    }

    void popped(Cycle now) override {
        accept(accepted_, now + 1);
        if (accepted_ == this->end(to_))
            return;
        sent(accepted_) = std::max(sent(accepted_), free_);
        this->notify_on_pop(to_);
        if (sender_waits_)
            wake_sender();
    }

    void archive(Archive& a) { a(accepted_, gone_, free_, last_ready_, sender_waits_, storage_); }

    void cleared() override {
        for (uint64_t i = this->first(to_); i < this->end(to_); ++i)
            pass_.forget(this->entry(to_, i));
        accepted_ = gone_ = 0;
        last_ready_ = 0;
        if (sender_waits_ && sender_ != nullptr)
            sender_->wake_at(0);
        sender_waits_ = false;
    }

  private:
    Cycle& sent(uint64_t number) { return sent_[number & mask_]; }

    // Accepts message `number`, the oldest one pending, when the receiver has room from its cycle
    // `room` on.
    [[gnu::always_inline]] void accept(uint64_t number, Cycle room) {
        const Cycle at = sent(number);
        Cycle ready = 0;
        if (same_clock_) {
            const Cycle accepted = std::max(at, room);
            ready = std::max(accepted + 1, at + link_ + synchroniser_);
            free_ = accepted + 1;
        } else {
            // Sent between two edges of the receiver; the earlier one decides about room.
            const uint64_t time = at * from_period_;
            const Cycle edge = receiver_edge(time);
            const uint64_t past = time - edge * to_period_ + link_rest_;
            ready = edge + link_whole_ + (past > to_period_ ? 2 : past != 0 ? 1 : 0);
            ready = std::max(ready, edge + 1) + synchroniser_;
            if (room <= edge) {
                free_ = at + 1;
            } else {
                ready = std::max(room + 1, ready);
                free_ = room * to_period_ / from_period_ + 1;
            }
        }
        last_ready_ = std::max(last_ready_, ready + extra_);
        accepted_ = number + 1;
        this->set_ready(to_, number, last_ready_);
    }

    // The receiver's last edge at or before `time`. `time` never decreases, so that most calls need
    // no division.
    Cycle receiver_edge(uint64_t time) {
        constexpr uint64_t kNear = 8;
        if (time - edge_time_ > kNear * to_period_) {
            edge_ = time / to_period_;
            edge_time_ = edge_ * to_period_;
        }
        while (time - edge_time_ >= to_period_) {
            edge_time_ += to_period_;
            ++edge_;
        }
        return edge_;
    }

    // Wakes the sender for the cycle after its oldest message is sent, which frees a slot.
    void wake_sender() {
        if (gone_ > accepted_)
            return;  // that cycle is not known yet
        sender_waits_ = false;
        if (sender_ != nullptr)
            sender_->wake_at(sent(gone_) + 1);
    }

    // The state of space(), then the further state of push(): two cache lines of the host.
    Channel<T>& to_;
    uint64_t accepted_ = 0;  // messages whose cycle of acceptance is known
    uint64_t gone_ = 0;      // messages that have left the sender's channel
    // The cycle in which a message is sent, once all before it are accepted; else that after its
    // push.
    Cycle* sent_ = nullptr;
    uint64_t mask_ = 0;
    const uint64_t depth_;
    Pass pass_;
    const uint64_t capacity_;
    Cycle free_ = 0;  // the next message is not sent before
    Cycle last_ready_ = 0;
    const Cycle link_;
    const Cycle extra_;
    const Cycle synchroniser_;
    const Cycle delay_;  // same clock, receiver not full: cycles from sent to visible
    const bool same_clock_;
    bool sender_waits_ = false;
    Clocked* const sender_;
    const uint64_t from_period_;
    const uint64_t to_period_;
    const Cycle link_whole_;    // the link's latency in cycles of the receiver
    const uint64_t link_rest_;  // and the time left over
    Cycle edge_ = 0;            // of receiver_edge()
    uint64_t edge_time_ = 0;
    std::vector<Cycle> storage_;
};

// One end of a link of both directions.
template <class Request, class Response>
struct LinkSide {
    Channel<Request>& requests;
    Channel<Response>& responses;
    const ClockDomain& clock;
    unsigned link_cycles;
    unsigned synchroniser;
};

// The target's outstanding requests. While a request is at the target, its tag is an index here.
class OpenRequests {
  public:
    explicit OpenRequests(std::string name) : name_(std::move(name)) {}

    [[gnu::always_inline]] void open(MemRequest& r) {
        if (free_.empty()) {
            free_.push_back(static_cast<uint32_t>(places_.size()));
            places_.emplace_back();
        }
        const uint32_t at = free_.back();
        free_.pop_back();
        Place& p = places_[at];
        p = {r.uid, r.line, r.tag, r.port, r.command, true};
        r.tag = at;
        r.port = 0;
    }
    [[gnu::always_inline]] void close(MemResponse& r) {
        if (r.tag >= places_.size() || !places_[r.tag].open)
            refuse(r);
        Place& p = places_[r.tag];
        free_.push_back(r.tag);
        p.open = false;
        r.tag = p.tag;
        r.port = p.port;
        r.command = p.command;
        r.line = p.line;
        r.uid = p.uid;
    }
    [[noreturn]] void refuse(const MemResponse& r) const {
        throw MachineStop(
            StopKind::Protocol, name_,
            "a response with tag " + std::to_string(r.tag) + " that no request carries");
    }
    void forget(const MemRequest& r) {
        places_[r.tag].open = false;
        free_.push_back(r.tag);
    }
    void archive(Archive& a) {
        a.at_rest(free_.size() == places_.size(), name_ + " has requests outstanding");
        a(places_, free_);
    }

  private:
    struct Place {
        uint64_t uid = 0;
        uint64_t line = 0;
        uint32_t tag = 0;
        uint16_t port = 0;
        MemCommand command = MemCommand::Read;
        bool open = false;
    };
    const std::string name_;
    std::vector<Place> places_;
    std::vector<uint32_t> free_;
};

// The same for register reads; writes are posted.
class OpenReads {
  public:
    explicit OpenReads(std::string name) : name_(std::move(name)) {}

    [[gnu::always_inline]] void open(RegRequest& r) {
        if (!r.write)
            open_read(r);
    }
    void close(RegResponse& r) {
        if (r.tag >= places_.size() || !places_[r.tag].open)
            throw MachineStop(
                StopKind::Protocol, name_,
                "a response with tag " + std::to_string(r.tag) + " that no request carries");
        Place& p = places_[r.tag];
        free_.push_back(r.tag);
        p.open = false;
        r.tag = p.tag;
        r.port = p.port;
        r.write = false;
    }
    void forget(const RegRequest& r) {
        if (r.write)
            return;
        places_[r.tag].open = false;
        free_.push_back(r.tag);
    }
    void archive(Archive& a) {
        a.at_rest(free_.size() == places_.size(), name_ + " has reads outstanding");
        a(places_, free_);
    }

  private:
    [[gnu::noinline]] void open_read(RegRequest& r) {
        if (free_.empty()) {
            free_.push_back(static_cast<uint32_t>(places_.size()));
            places_.emplace_back();
        }
        const uint32_t at = free_.back();
        free_.pop_back();
        places_[at] = {r.tag, r.port, true};
        r.tag = at;
    }

    struct Place {
        uint32_t tag = 0;
        uint16_t port = 0;
        bool open = false;
    };
    const std::string name_;
    std::vector<Place> places_;
    std::vector<uint32_t> free_;
};

// For targets whose responses repeat all the sender needs of their requests: nothing to track.
struct OpenNothing {
    explicit OpenNothing(const std::string&) {}
    template <class Request>
    static void open(const Request&) {}
    template <class Response>
    static void close(const Response&) {}
    template <class Request>
    static void forget(const Request&) {}
    static void archive(Archive&) {}
};

// Both directions between two ports, for any kind of Open.
class DirectConnection {
  public:
    virtual ~DirectConnection() = default;
    virtual void archive(Archive& a) = 0;
};

template <class Request, class Response, class Open>
class DirectPair final : public DirectConnection {
    struct PassRequest {
        Open* open;
        void operator()(Request& r) const { open->open(r); }
        void forget(const Request& r) const { open->forget(r); }
    };
    struct PassResponse {
        Open* open;
        void operator()(Response& r) const { open->close(r); }
        void forget(const Response&) const {}
    };

  public:
    using Side = LinkSide<Request, Response>;
    DirectPair(const Side& initiator, const Side& target, const std::string& name)
        : open_(name),
          requests_(initiator.requests, target.requests, initiator.clock, target.clock,
                    initiator.link_cycles, target.synchroniser, {&open_}),
          responses_(target.responses, initiator.responses, target.clock, initiator.clock,
                     target.link_cycles, initiator.synchroniser, {&open_}) {}
    void archive(Archive& a) override { a(open_, requests_, responses_); }

  private:
    Open open_;
    DirectLink<Request, PassRequest> requests_;
    DirectLink<Response, PassResponse> responses_;
};

}  // namespace archipelago::tlm_shell
