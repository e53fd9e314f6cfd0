// SPDX-License-Identifier: Apache-2.0
// Several units share one port to the outside: requests are granted round robin, one a cycle, and
// responses find their way back by the tag. CP has three: memory hub, L2 and register bus.
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
        bool progress = false;
        if ((inputs_ >> N & 1) != 0 && response.can_pop(now)) {
            const unsigned client = response.front().tag >> kClientShift;
            if (client_[client]->can_push(now)) {
                const Response& r = response.front();
                response.drop(now);  // its place keeps it for this tick
                client_[client]->emplace(now, [&](Response& to) {
                    to = r;
                    to.tag = r.tag & ((1u << kClientShift) - 1);
                });
                progress = true;
            }
        }
        uint64_t ready = 0;
        for (uint64_t left = inputs_ & ~(~uint64_t{0} << N); left != 0; left &= left - 1)
            if (request[static_cast<unsigned>(__builtin_ctzll(left))].can_pop(now))
                ready |= left & -left;
        if (ready != 0 && out_->can_push(now)) {
            const int client = turn_.pick_and_grant(ready);
            Channel<Request>& from = request[static_cast<unsigned>(client)];
            const Request& r = from.front();
            from.drop(now);  // its place keeps it for this tick
            out_->emplace(now, [&](Request& to) {
                to = r;
                to.tag = r.tag | static_cast<uint32_t>(client) << kClientShift;
            });
            progress = true;
        }
        // What comes next wakes us.
        return progress && inputs_ != 0;
    }

    bool idle() const {
        for (const auto& channel : request)
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
    Channel<Request>* out_ = nullptr;
    std::array<Channel<Response>*, N> client_{};
    RoundRobin turn_;
    uint64_t inputs_ = 0;  // a bit per client with requests, one above for the response
};

}  // namespace archipelago::cp
