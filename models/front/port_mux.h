// SPDX-License-Identifier: Apache-2.0
// Several units share a port to the outside: requests are granted round robin, one a cycle, and
// responses find their way back by the tag. A mux of several ports sends a request to the one that
// `port` of the request names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/unit.h"

namespace archipelago::front {

// Clients' tags have 24 bits; the top byte names the client on the way. At most 64 clients and
// ports.
template <class Request, class Response, unsigned kPorts = 1>
class PortMux : public Unit {
  public:
    static constexpr unsigned kClientShift = 24;

    PortMux(unsigned clients, ChannelSpec client, ChannelSpec response, const std::string& name)
        : responses(make_responses(response, name)),
          to_outsides(kPorts, OutputChannel<Request>(this)),
          to_client(clients, OutputChannel<Response>(this)),
          turn_(clients),
          response_bit_(uint64_t{1} << clients) {
        for (unsigned i = 0; i < clients; ++i)
            request.emplace_back(client, name + ".request" + std::to_string(i));
        for (unsigned i = 0; i < clients; ++i)
            add_input(request[i], inputs_, i);
        for (unsigned i = 0; i < kPorts; ++i)
            add_input(responses[i], inputs_, clients + i);
    }

    std::vector<Channel<Request>> request;     // from the clients
    std::vector<Channel<Response>> responses;  // from outside, by port
    Channel<Response>& response = responses.front();

    std::vector<OutputChannel<Request>> to_outsides;  // by port
    OutputChannel<Request>& to_outside = to_outsides.front();
    std::vector<OutputChannel<Response>> to_client;

    bool tick(Cycle now) override {
        // Nearly always all there is are requests of one client.
        if (inputs_ < response_bit_ && (inputs_ & (inputs_ - 1)) == 0) {
            const unsigned client = inputs_ != 0 ? lowest(inputs_) : 0;
            if (request[client].can_pop(now) && outside(client)->can_push(now))
                send(now, client);
            return false;
        }
        for (unsigned i = 0; i < kPorts; ++i)
            if ((inputs_ & response_bit_ << i) != 0 && responses[i].can_pop(now))
                pass_response(now, responses[i]);
        uint64_t ready = inputs_ & (response_bit_ - 1);
        for (uint64_t left = ready; left != 0; left &= left - 1)
            if (!request[lowest(left)].can_pop(now) || !outside(lowest(left))->can_push(now))
                ready &= ~(left & -left);
        if (ready == 0)
            return false;
        send(now, static_cast<unsigned>(turn_.pick(ready)));
        // Another one that could go; all that comes next wakes us.
        return (ready & (ready - 1)) != 0;
    }

    bool idle() const override {
        for (const Channel<Request>& channel : request)
            if (!channel.empty())
                return false;
        for (const Channel<Response>& channel : responses)
            if (!channel.empty())
                return false;
        return true;
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
    static std::vector<Channel<Response>> make_responses(ChannelSpec spec,
                                                         const std::string& name) {
        std::vector<Channel<Response>> made;
        for (unsigned i = 0; i < kPorts; ++i)
            made.emplace_back(spec, name + ".response" + (i == 0 ? "" : std::to_string(i)));
        return made;
    }
    static unsigned lowest(uint64_t bits) { return static_cast<unsigned>(__builtin_ctzll(bits)); }

    // Where the oldest request of the client goes.
    OutputChannel<Request>& outside(unsigned client) {
        if constexpr (kPorts == 1)
            return to_outside;
        else
            return to_outsides[request[client].front().port];
    }

    void send(Cycle now, unsigned client) {
        turn_.grant(static_cast<int>(client));
        OutputChannel<Request>& to = outside(client);
        Channel<Request>& from = request[client];
        Request& r = from.front();
        from.drop(now);  // its place keeps it for this tick
        r.tag |= client << kClientShift;
        to->push(now, r);
    }

    void pass_response(Cycle now, Channel<Response>& from) {
        Response& r = from.front();
        Channel<Response>& to = *to_client[r.tag >> kClientShift];
        if (!to.can_push(now))
            return;
        from.drop(now);  // its place keeps it for this tick
        r.tag &= (1u << kClientShift) - 1;
        to.push(now, r);
    }

    RoundRobin turn_;
    const uint64_t response_bit_;  // of `inputs_`: responses of port 0, those of others follow
    uint64_t inputs_ = 0;          // a bit per client with requests, and per port with responses
};

}  // namespace archipelago::front
