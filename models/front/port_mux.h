// SPDX-License-Identifier: Apache-2.0
// Several units share one port to the outside: requests are granted round robin, one a cycle, and
// responses find their way back by the tag.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/unit.h"

namespace archipelago::front {

// Clients' tags have 24 bits; the top byte names the client on the way. At most 63 clients.
template <class Request, class Response>
class PortMux : public Unit {
  public:
    static constexpr unsigned kClientShift = 24;

    PortMux(unsigned clients, ChannelSpec client, ChannelSpec response, const std::string& name)
        : response(response, name + ".response"),
          to_client(clients, OutputChannel<Response>(this)),
          turn_(clients),
          response_bit_(uint64_t{1} << clients) {
        for (unsigned i = 0; i < clients; ++i)
            request.emplace_back(client, name + ".request" + std::to_string(i));
        for (unsigned i = 0; i < clients; ++i)
            add_input(request[i], inputs_, i);
        add_input(this->response, inputs_, clients);
    }

    std::vector<Channel<Request>> request;  // from the clients
    Channel<Response> response;             // from outside

    OutputChannel<Request> to_outside{this};
    std::vector<OutputChannel<Response>> to_client;

    bool tick(Cycle now) override {
        // Nearly always all there is are requests of one client.
        if (inputs_ < response_bit_ && (inputs_ & (inputs_ - 1)) == 0) {
            const unsigned client = inputs_ != 0 ? lowest(inputs_) : 0;
            if (request[client].can_pop(now) && to_outside->can_push(now))
                send(now, client);
            return false;
        }
        if ((inputs_ & response_bit_) != 0 && response.can_pop(now))
            pass_response(now);
        uint64_t ready = inputs_ & ~response_bit_;
        for (uint64_t left = ready; left != 0; left &= left - 1)
            if (!request[lowest(left)].can_pop(now))
                ready &= ~(left & -left);
        if (ready == 0 || !to_outside->can_push(now))
            return false;
        send(now, static_cast<unsigned>(turn_.pick(ready)));
        // Another one that could go; all that comes next wakes us.
        return (ready & (ready - 1)) != 0;
    }

    bool idle() const override {
        for (const Channel<Request>& channel : request)
            if (!channel.empty())
                return false;
        return response.empty();
    }
    void reset() override {
        clear_inputs();
        turn_.reset();
    }
    void archive(Archive& a) override {
        Unit::archive(a);
        a(turn_);
    }
    std::string waiting_for() const override { return ""; }  // its clients say it

  private:
    static unsigned lowest(uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

    void send(Cycle now, unsigned client) {
        turn_.grant(static_cast<int>(client));
        Channel<Request>& from = request[client];
        Request& r = from.front();
        from.drop(now);  // its place keeps it for this tick
        r.tag |= client << kClientShift;
        to_outside->push(now, r);
    }

    void pass_response(Cycle now) {
        Response& r = response.front();
        Channel<Response>& to = *to_client[r.tag >> kClientShift];
        if (!to.can_push(now))
            return;
        response.drop(now);  // its place keeps it for this tick
        r.tag &= (1u << kClientShift) - 1;
        to.push(now, r);
    }

    RoundRobin turn_;
    const uint64_t response_bit_;  // of `inputs_`
    uint64_t inputs_ = 0;          // a bit per client with requests, and one for responses
};

}  // namespace archipelago::front
