// SPDX-License-Identifier: Apache-2.0
#include "tlm/crossbar_core.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

#include "models/common/archive.h"
#include "models/common/error.h"

namespace archipelago::crossbar {
namespace {

void check(const CrossbarSpec& s, const Route& route, const std::string& name) {
    const auto require = [&](bool ok, const char* what) {
        if (!ok)
            throw MachineStop(StopKind::BadInput, name, what);
    };
    require(s.sources >= 1 && s.sources <= CrossbarSpec::kMaxPorts,
            "sources must be between 1 and 64");
    require(s.destinations >= 1 && s.destinations <= CrossbarSpec::kMaxPorts,
            "destinations must be between 1 and 64");
    require(s.request_bytes >= 1 && s.response_bytes >= 1, "links must carry at least 1 byte");
    require(s.queue_depth >= 1, "queue_depth must be at least 1");
    require(route.destination != nullptr, "there is no route");
}

unsigned line_cycles(unsigned bytes_per_cycle) {
    return (kLineBytes + bytes_per_cycle - 1) / bytes_per_cycle;
}

constexpr unsigned kNowhere = ~0u;  // an output: the message has none

// output() says where a message goes, and sets `line` to what leave() needs to know of its address.
struct RequestTraits {
    const Route& route;
    unsigned data_cycles;
    const std::vector<TrackId>& tracks;
    unsigned output(const MemRequest& m, uint64_t&) const {
        return route.destination(route.context, m.line);
    }
    unsigned cycles(const MemRequest& m) const {
        return m.command == MemCommand::Read ? 1 : data_cycles;
    }
    static void leave(MemRequest& m, unsigned input, uint64_t) {
        m.port = static_cast<uint16_t>(input);
    }
};

// With Route::spaces.
struct TranslatedTraits : RequestTraits {
    unsigned output(const MemRequest& m, uint64_t& line) const {
        const std::optional<uint64_t> in_memory = route.spaces->translate(m.vmid, m.line);
        line = in_memory.value_or(m.line);
        return in_memory ? route.destination(route.context, line) : kNowhere;
    }
    static void leave(MemRequest& m, unsigned input, uint64_t line) {
        m.line = line;
        m.port = static_cast<uint16_t>(input);
    }
};

struct ResponseTraits {
    unsigned data_cycles;
    const std::vector<TrackId>& tracks;
    static unsigned output(const MemResponse& m, uint64_t&) { return m.port; }
    unsigned cycles(const MemResponse& m) const {
        return m.command == MemCommand::Write ? 1 : data_cycles;
    }
    static void leave(MemResponse&, unsigned, uint64_t) {}
};

constexpr const char* kCommandNames[] = {"read", "write", "atomic"};

// A line of text built in place: the timeline needs two per memory line.
class Text {
  public:
    Text& operator<<(std::string_view part) {
        const size_t n = std::min(part.size(), room_.size() - used_);
        std::copy_n(part.data(), n, room_.data() + used_);
        used_ += n;
        return *this;
    }
    Text& number(uint64_t value, int base = 10) {
        char* const end = room_.data() + room_.size();
        const auto done = std::to_chars(room_.data() + used_, end, value, base);
        if (done.ec == std::errc{})
            used_ = static_cast<size_t>(done.ptr - room_.data());
        return *this;
    }
    std::string_view view() const { return {room_.data(), used_}; }

  private:
    std::array<char, 128> room_;
    size_t used_ = 0;
};

// What the timeline says of a message. An answer has the flow of its request, and goes to `port`.
Text detail(const MemRequest& m) {
    Text text;
    (text << to_string(m.client) << " ").number(m.source) << " line 0x";
    text.number(m.line, 16) << " bytes 0x";
    text.number(m.byte_mask, 16) << " port ";
    return text.number(m.port);
}
Text detail(const MemResponse& m) {
    Text text;
    return (text << "line 0x").number(m.line, 16);
}

}  // namespace

CrossbarCore::CrossbarCore(const CrossbarSpec& spec, const Route& route, const std::string& name)
    : request_out(spec.destinations, OutputChannel<MemRequest>(this)),
      response_out(spec.sources, OutputChannel<MemResponse>(this)),
      spec_((check(spec, route, name), spec)),
      route_(route),
      name_(name),
      request_cycles_(line_cycles(spec.request_bytes)),
      response_cycles_(line_cycles(spec.response_bytes)),
      state_(spec),
      requests_filled_(spec.sources),
      responses_filled_(spec.destinations) {
    request_in_.reserve(spec.sources);
    for (unsigned i = 0; i < spec.sources; ++i) {
        const auto own = spec.own_request_in.find(i);
        request_in_.emplace_back(own != spec.own_request_in.end() ? own->second : spec.request_in,
                                 name + ".request_in" + std::to_string(i));
        add_input(request_in_.back(), requests_filled_.inputs, i);
        request_in_.back().set_consumer(this, requests_filled_.from[i]);
    }
    response_in_.reserve(spec.destinations);
    for (unsigned i = 0; i < spec.destinations; ++i) {
        response_in_.emplace_back(spec.response_in, name + ".response_in" + std::to_string(i));
        add_input(response_in_.back(), responses_filled_.inputs, i);
        response_in_.back().set_consumer(this, responses_filled_.from[i]);
    }
}

// Inputs first: what comes in may leave in the same cycle.
template <class Message, class Traits>
bool CrossbarCore::move(Cycle now, Network<Message>& net, const Filled& filled,
                        std::vector<Channel<Message>>& in,
                        const std::vector<OutputChannel<Message>>& out, const Traits& traits) {
    bool progress = take(now, net, filled, in, static_cast<unsigned>(out.size()), traits);
    progress |= send(now, net, out, traits);
    return progress;
}

// What is in front of the inputs goes into the queues.
template <class Message, class Traits>
[[gnu::always_inline]] inline bool CrossbarCore::take(Cycle now, Network<Message>& net,
                                                      const Filled& filled,
                                                      std::vector<Channel<Message>>& in,
                                                      unsigned outputs, const Traits& traits) {
    bool progress = false;
    for (uint64_t m = filled.inputs & ~net.blocked; m != 0; m &= m - 1) {
        const auto i = static_cast<unsigned>(__builtin_ctzll(m));
        if (filled.from[i] > now || !in[i].can_pop(now))
            continue;
        if (net.input_free_at[i] > now) {
            wake_at(net.input_free_at[i]);
            continue;
        }
        uint64_t line = 0;
        const unsigned o = traits.output(in[i].front(), line);
        if (o >= outputs) {
            if constexpr (std::is_same_v<Traits, TranslatedTraits>)
                if (o == kNowhere) {
                    progress |= refuse(now, i);
                    continue;
                }
            throw MachineStop(
                StopKind::Protocol, in[i].name(),
                "message for port " + std::to_string(o) + " of " + std::to_string(outputs));
        }
        if (net.full(i, o)) {
            net.blocked |= uint64_t{1} << i;
            continue;
        }
        Message& message = net.push(i, o);
        copy_payload(message, in[i].front());
        in[i].drop(now);
        traits.leave(message, i, line);
        net.input_free_at[i] = now + traits.cycles(message);
        progress = true;
    }
    return progress;
}

// The outputs serve the queues.
template <class Message, class Traits>
[[gnu::always_inline]] inline bool CrossbarCore::send(
    Cycle now, Network<Message>& net, const std::vector<OutputChannel<Message>>& out,
    const Traits& traits) {
    bool progress = false;
    for (uint64_t wanted = net.wanted; wanted != 0; wanted &= wanted - 1) {
        const auto o = static_cast<unsigned>(__builtin_ctzll(wanted));
        auto& output = net.outputs[o];
        if (output.free_at > now) {
            wake_at(output.free_at);
            continue;
        }
        if (!out[o]->can_push(now))
            continue;
        const int turn = output.turn.pick(output.wanted_by);
        const auto input = static_cast<unsigned>(turn);
        output.turn.grant(turn);
        if ((output.wanted_by & (output.wanted_by - 1)) != 0)
            ++output.conflicts;
        const Message& message = net.front(input, o);
        const unsigned cycles = traits.cycles(message);
        output.free_at = now + cycles;
        ++output.messages;
        output.busy_cycles += cycles;
        if (trace_ != nullptr)
            trace_->slice(traits.tracks[o], now, now + cycles,
                          kCommandNames[static_cast<unsigned>(message.command)], message.uid,
                          detail(message).view());
        out[o]->push(now, message);
        net.drop(input, o);
        progress = true;
    }
    return progress;
}

// Answers the request in front of an input. False: there is no room for the answer yet.
bool CrossbarCore::refuse(Cycle now, unsigned input) {
    if (state_.response.full(0, input))
        return false;
    Channel<MemRequest>& in = request_in_[input];
    const MemRequest& request = in.front();
    MemResponse& answer = state_.response.push(0, input);
    answer = {request.tag,
              static_cast<uint16_t>(input),
              MemStatus::Unmapped,
              request.command,
              request.line,
              request.uid,
              {}};
    in.drop(now);
    state_.request.input_free_at[input] = now + 1;
    state_.refused.pass(now);
    return true;
}

bool CrossbarCore::tick(Cycle now) {
    // Responses move even while paused: earlier requests complete.
    bool progress = false;
    if ((responses_filled_.inputs | state_.response.wanted) != 0) {
        const ResponseTraits back{response_cycles_, response_tracks_};
        progress = move(now, state_.response, responses_filled_, response_in_, response_out, back);
    }
    if (run_ != RunState::Paused && (requests_filled_.inputs | state_.request.wanted) != 0) {
        const RequestTraits forth{route_, request_cycles_, request_tracks_};
        if (route_.spaces == nullptr)
            progress |=
                move(now, state_.request, requests_filled_, request_in_, request_out, forth);
        else
            progress |= move(now, state_.request, requests_filled_, request_in_, request_out,
                             TranslatedTraits{forth});
    }
    return progress && due(now + 1);
}

// Whether anything may move in cycle `at`, after progress in the cycle before. Anything due later
// has scheduled its tick.
bool CrossbarCore::due(Cycle at) const {
    if (state_.request.wanted != 0 || state_.response.wanted != 0)
        return true;
    return responses_filled_.due(at) || requests_filled_.due(at);
}

bool CrossbarCore::Filled::due(Cycle at) const {
    for (uint64_t m = inputs; m != 0; m &= m - 1)
        if (from[static_cast<unsigned>(__builtin_ctzll(m))] <= at)
            return true;
    return false;
}

void CrossbarCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, requests_filled_, responses_filled_);
}

void CrossbarCore::reset() {
    Unit::reset();
    state_ = CrossbarState(spec_);
}

bool CrossbarCore::idle() const {
    return state_.request.empty() && state_.response.empty() && inputs_empty();
}

std::string CrossbarCore::waiting_for() const {
    if (!state_.response.empty())
        return "source " + std::to_string(__builtin_ctzll(state_.response.wanted)) +
               " to take a response";
    for (unsigned i = 0; i < response_in_.size(); ++i)
        if (!response_in_[i].empty())
            return "source " + std::to_string(response_in_[i].front().port) + " to take a response";
    if (!state_.request.empty())
        return run_ == RunState::Paused
                   ? "paused"
                   : "destination " + std::to_string(__builtin_ctzll(state_.request.wanted)) +
                         " to take a request";
    for (unsigned i = 0; i < request_in_.size(); ++i)
        if (!request_in_[i].empty())
            return run_ == RunState::Paused
                       ? "paused"
                       : "the destination of source " + std::to_string(i) + "'s request";
    return {};
}

void CrossbarCore::register_stats(StatsRegistry& registry, const std::string& path) const {
    const auto add = [&](const auto& net, const char* kind) {
        for (unsigned o = 0; o < net.outputs.size(); ++o) {
            const auto& output = net.outputs[o];
            const std::string port = path + "." + kind + std::to_string(o);
            registry.add(port, "messages", "messages", "messages delivered", &output.messages);
            registry.add(port, "busy_cycles", "cycles", "the link carried a message",
                         &output.busy_cycles);
            registry.add(port, "conflicts", "messages",
                         "messages delivered while another input wanted the link",
                         &output.conflicts);
        }
    };
    add(state_.request, "request");
    add(state_.response, "response");
}

void CrossbarCore::observe(const Observers& observers, const std::string& path) {
    trace_ = observers.trace;
    request_tracks_.clear();
    response_tracks_.clear();
    if (trace_ == nullptr)
        return;
    for (unsigned o = 0; o < spec_.destinations; ++o)
        request_tracks_.push_back(
            trace_->track(path + ".request" + std::to_string(o), observers.period_fs));
    for (unsigned o = 0; o < spec_.sources; ++o)
        response_tracks_.push_back(
            trace_->track(path + ".response" + std::to_string(o), observers.period_fs));
}

}  // namespace archipelago::crossbar
