// SPDX-License-Identifier: Apache-2.0
// Several units share one port to the outside: requests are granted round robin, one a cycle, and
// responses find their way back by the tag. CP has four: memory hub, L2, register bus and GDS.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/arbiter.h"
#include "models/common/channel.h"
#include "models/common/clocked.h"
#include "models/common/control.h"

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

    bool tick(Cycle now) override {
        // Nearly always all there is are requests of one client.
        if (inputs_ < kResponse && (inputs_ & (inputs_ - 1)) == 0) {
            const unsigned client = inputs_ != 0 ? lowest(inputs_) : 0;
            if (request[client].can_pop(now) && out_->can_push(now))
                send(now, client);
            return false;
        }
        if ((inputs_ & kResponse) != 0 && response.can_pop(now))
            pass_response(now);
        uint64_t ready = inputs_ & ~kResponse;
        for (uint64_t left = ready; left != 0; left &= left - 1)
            if (!request[lowest(left)].can_pop(now))
                ready &= ~(left & -left);
        if (ready == 0 || !out_->can_push(now))
            return false;
        send(now, static_cast<unsigned>(turn_.pick(ready)));
        // Another one that could go; all that comes next wakes us.
        return (ready & (ready - 1)) != 0;
    }

    bool idle() const {
        for (const Channel<Request>& channel : request)
            if (!channel.empty())
                return false;
        return response.empty();
    }
    void reset() {
        for (auto& channel : request)
            channel.clear();
        response.clear();
        turn_.reset();
    }

  private:
    static constexpr uint64_t kResponse = uint64_t{1} << N;
    static unsigned lowest(uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

    void send(Cycle now, unsigned client) {
        turn_.grant(static_cast<int>(client));
        Channel<Request>& from = request[client];
        Request& r = from.front();
        from.drop(now);  // its place keeps it for this tick
        r.tag |= client << kClientShift;
        out_->push(now, r);
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
    uint64_t inputs_ = 0;  // a bit per client with requests, kResponse
};

}  // namespace archipelago::cp
