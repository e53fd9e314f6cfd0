// SPDX-License-Identifier: Apache-2.0
// Several units share one port to the outside: requests are granted round robin, one a cycle, and
// responses find their way back by the tag. CP has three: memory hub, L2 and register bus.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/common/ahead.h"
#include "models/common/arbiter.h"
#include "models/common/channel.h"
#include "models/common/clocked.h"
#include "models/common/control.h"
#include "models/common/held_writes.h"

namespace archipelago::cp {

// Clients' tags have 24 bits; the top byte names the client on the way.
template <class Request, class Response, unsigned N>
class PortMux : public Clocked {
  public:
    static constexpr unsigned kClients = N;
    static constexpr unsigned kClientShift = 24;

    PortMux(ChannelSpec client, ChannelSpec response, const std::string& name)
        : response(response, name + ".response"), turn_(N) {
        for (unsigned i = 0; i < N; ++i) {
            request[i] = Channel<Request>(client, name + ".request" + std::to_string(i));
            request[i].set_consumer(this, inputs_, i);
            from_[i] = &request[i];
        }
        this->response.set_consumer(this, inputs_, N);
    }

    std::array<Channel<Request>, N> request;  // from the clients
    Channel<Response> response;               // from outside

    void connect_out(Channel<Request>* out) {
        out_ = out;
        out->set_producer(this);
    }
    void connect_client(unsigned client, Channel<Response>* channel) {
        client_[client] = channel;
        channel->set_producer(this);
    }

    // From now on a request of a client that asks alone goes out through `sink` as it is pushed,
    // for the cycle in which it will be granted. When another client asks in the same cycle,
    // whichever is ticked first, who would be granted first goes in its place. Nothing may be on
    // its way yet.
    void go_ahead(AheadSink<Request>& sink) {
        for (Channel<Request>& channel : request)
            if (channel.spec().latency != 1 || !channel.plain())
                return;
        sink_ = &sink;
        for (unsigned i = 0; i < N; ++i) {
            entries_.push_back(std::make_unique<Entry>(*this, i));
            from_[i] = &entries_[i]->held;
            request[i].hand_over(*entries_[i]);
        }
    }

    // ---- requests of `client` that are worked out ahead and held back. Before one of another
    // client goes, `held` lets them go.
    void hold_for(unsigned client, HeldWrites& held) {
        held_client_ = client;
        held_writes_ = &held;
    }
    // When a request that the client pushes in cycle `now` comes out; kNever: nobody knows.
    Cycle arrival(Cycle now) const { return sink_ != nullptr ? sink_->arrival(now + 1) : kNever; }
    unsigned burst() const { return sink_ != nullptr ? sink_->burst() : 0; }
    Cycle burst_gap() const { return sink_ != nullptr ? sink_->burst_gap() : 0; }
    // Some have gone without being pushed.
    void held_went() { turn_.grant(static_cast<int>(held_client_)); }

    bool tick(Cycle now) override {
        // Nearly always all there is are requests of one client.
        if (inputs_ < kResponse && (inputs_ & (inputs_ - 1)) == 0 && now != ahead_) {
            const unsigned client = inputs_ != 0 ? lowest(inputs_) : 0;
            if (from_[client]->can_pop(now) && out_->can_push(now))
                send(now, client);
            return false;
        }
        if ((inputs_ & kResponse) != 0 && response.can_pop(now))
            pass_response(now);
        uint64_t ready = inputs_ & ~kResponse;
        if (now == ahead_)  // this cycle's grant has been given
            return ready != 0;
        for (uint64_t left = ready; left != 0; left &= left - 1)
            if (!from_[lowest(left)]->can_pop(now))
                ready &= ~(left & -left);
        if (ready == 0 || !out_->can_push(now))
            return false;
        send(now, static_cast<unsigned>(turn_.pick(ready)));
        // Another one that could go; all that comes next wakes us.
        return (ready & (ready - 1)) != 0;
    }

    bool idle() const {
        for (const Channel<Request>* channel : from_)
            if (!channel->empty())
                return false;
        return response.empty();
    }
    void reset() {
        for (auto& channel : request)
            channel.clear();
        for (auto& entry : entries_) {
            entry->held.clear();
            entry->gone = {};
        }
        ahead_ = kNever;
        response.clear();
        turn_.reset();
    }

  private:
    static constexpr uint64_t kResponse = uint64_t{1} << N;
    static unsigned lowest(uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

    void send(Cycle now, unsigned client) {
        turn_.grant(static_cast<int>(client));
        Channel<Request>& from = *from_[client];
        Request& r = from.front();
        from.drop(now);  // its place keeps it for this tick
        r.tag |= client << kClientShift;
        out_->push(now, r);
    }

    // In the place of a client's channel.
    struct Entry final : ChannelRelay<Request> {
        Entry(PortMux& owner, unsigned number)
            : mux(owner),
              client(number),
              held(owner.request[number].spec(), owner.request[number].name()) {
            held.set_producer(owner.request[number].producer());
            held.set_consumer(&owner, owner.inputs_, number);
        }
        unsigned space(Cycle now) override {
            unsigned room = held.spec().capacity;
            if (holds) {
                const unsigned all = room;
                room = held.space(now);
                holds = room != all;
            }
            const unsigned used = (gone[0] > now ? 1 : 0) + (gone[1] > now ? 1 : 0);
            if (room > used)
                return room - used;
            if (room != 0 && held.producer() != nullptr)
                held.producer()->wake_at(used == 2 ? gone[1] : gone[0]);
            return 0;
        }
        void push(Cycle now, const Request& value) override { mux.take(*this, now, value); }
        void popped(Cycle) override {}
        void cleared() override {}
        void hold(Cycle now, const Request& value) {
            holds = true;
            held.push(now, value);
        }
        // Behind nothing that came before this cycle.
        void hold_first(Cycle now, const Request& value) {
            hold(now, value);
            for (uint64_t at = this->end(held) - 1; at != this->first(held); --at)
                std::swap(this->entry(held, at), this->entry(held, at - 1));
        }
        void went(Cycle now) { gone = {now + 2, gone[0]}; }

        PortMux& mux;
        const unsigned client;
        Channel<Request> held;        // requests that wait for their turn
        bool holds = false;           // some do, or left in the last cycle looked at
        std::array<Cycle, 2> gone{};  // of the last two that went ahead: when their places are free
    };

    void take(Entry& entry, Cycle now, const Request& value) {
        const unsigned client = entry.client;
        const Cycle at = now + 1;
        if (held_writes_ != nullptr && client != held_client_ && held_writes_->held())
            held_writes_->let_go(now);
        if (ahead_ != at && (inputs_ & ~kResponse) == 0) {
            went_ = value;
            went_.tag |= client << kClientShift;
            if (sink_->push_ahead(at, went_)) {
                ahead_ = at;
                ahead_client_ = client;
                turn_before_ = turn_;
                turn_.grant(static_cast<int>(client));
                entry.went(now);
                return;
            }
        } else if (ahead_ == at && client != ahead_client_ && goes_before(client, ahead_client_) &&
                   entry.held.empty()) {
            Entry& other = *entries_[ahead_client_];
            other.gone = {other.gone[1], 0};
            went_.tag &= (1u << kClientShift) - 1;
            other.hold_first(now, went_);
            went_ = value;
            went_.tag |= client << kClientShift;
            sink_->replace_ahead(went_);
            ahead_client_ = client;
            turn_.grant(static_cast<int>(client));
            entry.went(now);
            return;
        }
        entry.hold(now, value);
    }
    bool goes_before(unsigned client, unsigned other) const {
        return turn_before_.pick(uint64_t{1} << client | uint64_t{1} << other) ==
               static_cast<int>(client);
    }

    void pass_response(Cycle now) {
        Response& r = response.front();
        Channel<Response>& to = *client_[r.tag >> kClientShift];
        if (!to.can_push(now))
            return;
        response.drop(now);  // its place keeps it for this tick
        r.tag &= (1u << kClientShift) - 1;
        to.push(now, r);
    }

    Channel<Request>* out_ = nullptr;
    std::array<Channel<Response>*, N> client_{};
    RoundRobin turn_;
    std::array<Channel<Request>*, N> from_{};  // where the clients' requests wait
    // Of the last request that went ahead: the cycle of its grant, whose and which it is, and the
    // turn before.
    Cycle ahead_ = kNever;
    unsigned ahead_client_ = 0;
    Request went_{};
    RoundRobin turn_before_;
    AheadSink<Request>* sink_ = nullptr;
    HeldWrites* held_writes_ = nullptr;
    unsigned held_client_ = 0;
    std::vector<std::unique_ptr<Entry>> entries_;  // with a sink
    uint64_t inputs_ = 0;                          // a bit per client with requests, kResponse
};

}  // namespace archipelago::cp
