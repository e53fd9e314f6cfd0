// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/mc/mc_address_core.h"

#include "models/common/archive.h"

#include <algorithm>

namespace archipelago::ctm {

Translator::Translator(const std::array<Surface, kClients>& surfaces, unsigned client)
    : at_(client < kClients ? surfaces[client] : Surface(),
          client < kClients ? format_info(surfaces[client].format).log2_bytes : 0) {
    if (client >= kClients) {
        status_ = AddressStatus::NoClient;
        return;
    }
    const Surface& s = surfaces[client];
    const FormatInfo format = format_info(s.format);
    if (format.reserved) {
        status_ = AddressStatus::ReservedFormat;
        return;
    }
    log2_bytes_ = format.log2_bytes;
    superfine_ = client < kInput0 + kInputs && is_superfine(s.tiling);
    // Four elements have addresses regardless of what is in them; how their channels would be
    // packed is what the guide does not define.
    if (superfine_ && !format.one_channel)
        status_ = AddressStatus::Undefined;
}

// The four elements of the 2x2 superfine option, as superfine_addresses() has them.
std::array<uint32_t, 4> Translator::four(uint32_t x, uint32_t y) const {
    return {address(x + 1, y), address(x, y + 1), address(x + 1, y + 1), address(x, y)};
}

AddressResponse translate(const std::array<Surface, kClients>& surfaces,
                          const AddressRequest& request) {
    return Translator(surfaces, request.client).of(request.x, request.y, request.tag);
}

bool apply(const AddressCommand& command, std::array<Surface, kClients>& surfaces) {
    const auto& p = command.parameters;
    const uint32_t index = field(p[0], 3, 0);
    switch (static_cast<Command>(command.opcode)) {
        case Command::SetInstFmt:
            surfaces[kInstructions] = surface_from_words(p[0], p[1]);
            return true;
        case Command::SetInpFmt:
            surfaces[kInput0 + index] = surface_from_words(p[1], p[2]);
            return true;
        case Command::SetOutFmt:
            if (index >= kOutputs)
                return false;
            surfaces[kOutput0 + index] = surface_from_words(p[1], p[2]);
            return true;
        case Command::SetCondOutFmt:
            surfaces[kConditionalOutput] = surface_from_words(p[0], p[1]);
            return true;
        case Command::SetConstfFmt:
            surfaces[kFloatConstants] = surface_from_words(p[0], p[1]);
            return true;
        case Command::SetConstiFmt:
            surfaces[kIntegerConstants] = surface_from_words(p[0], p[1]);
            return true;
        case Command::SetConstbFmt:
            surfaces[kBooleanConstants] = surface_from_words(p[0], p[1]);
            return true;
    }
    return false;
}

McAddressCore::McAddressCore(const AddressSpec& spec, const std::string& name)
    : requests(spec.requests, name + ".requests"),
      commands(spec.commands, name + ".commands"),
      spec_(spec),
      name_(name),
      translators_(kClients + 1, Translator(state_.surfaces, kClients)) {
    spec.validate();
    add_input(requests, first_request_);
    add_input(commands, first_command_);
    reset_state();
}

bool McAddressCore::offers(Cycle now) const {
    return run_ != RunState::Paused && first_out_ <= now;
}

bool McAddressCore::takes_request(Cycle now, bool room) const {
    const bool leaves = room && offers(now);
    return run_ == RunState::Running && state_.pipeline.size() - (leaves ? 1 : 0) < spec_.latency;
}

bool McAddressCore::tick(Cycle now) {
    refused_command_ = false;
    if (run_ == RunState::Paused)
        return false;
    bool moved = false;
    AddressState::Counters& count = state_.counters;
    // First, for what leaves makes room for a request of the same cycle.
    if (offers(now) && to_responses->can_push(now)) {
        const AddressState::InFlight& oldest = state_.pipeline.front();
        const Cycle due = std::max(oldest.ready, state_.free_from);
        count.stall_cycles += now - due;
        state_.free_from = now + 1;
        to_responses->push(now, oldest.response);
        state_.pipeline.drop();
        moved = true;
    }
    if (run_ == RunState::Running) {
        // Before commands, whose effect later cycles see.
        if (state_.pipeline.size() < spec_.latency && requests.can_pop(now)) {
            const AddressRequest& request = requests.front();
            AddressState::InFlight& inside = state_.pipeline.extend();
            AddressResponse& r = inside.response;
            translator(request.client).translate(request.x, request.y, request.tag, r);
            requests.drop(now);
            this->count(r);
            inside.ready = now + spec_.latency;
            moved = true;
        }
        if (commands.can_pop(now)) {
            ++count.commands;
            refused_command_ = !ctm::apply(commands.front(), state_.surfaces);
            count.refused_commands += refused_command_ ? 1 : 0;
            translated_ = 0;
            commands.drop(now);
            moved = true;
        }
    }
    first_out_ = first_ready(state_.pipeline);
    // A response that waits for room is woken by the channel.
    if (first_out_ != kNever && (moved || first_out_ > now))
        wake_at(std::max(first_out_, now + 1));
    return moved;
}

// A request by its answer.
void McAddressCore::count(const AddressResponse& r) {
    AddressState::Counters& count = state_.counters;
    ++count.requests;
    if (r.status == AddressStatus::Ok && !r.superfine) {
        ++count.addresses;
        return;
    }
    const bool refused =
        r.status == AddressStatus::NoClient || r.status == AddressStatus::ReservedFormat;
    count.refused += refused ? 1 : 0;
    count.undefined += r.status == AddressStatus::Undefined ? 1 : 0;
    count.superfine += r.superfine ? 1 : 0;
    count.addresses += refused ? 0 : r.superfine ? 4 : 1;
}

void McAddressCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_);
    translated_ = 0;
    first_out_ = first_ready(state_.pipeline);
}

void McAddressCore::reset() {
    Unit::reset();
    reset_state();
}

void McAddressCore::reset_state() {
    state_ = AddressState();
    state_.pipeline = Ring<AddressState::InFlight>(spec_.latency);
    first_out_ = kNever;
    translated_ = 0;
}

const Translator& McAddressCore::translator(unsigned client) {
    client = std::min<unsigned>(client, kClients);
    if ((translated_ >> client & 1) == 0) {
        translated_ |= 1u << client;
        translators_[client] = Translator(state_.surfaces, client);
    }
    return translators_[client];
}

bool McAddressCore::idle() const {
    const bool takes = run_ != RunState::Draining;
    return state_.pipeline.empty() && !(takes && !inputs_empty());
}

std::string McAddressCore::waiting_for() const {
    if (idle())
        return {};
    if (run_ == RunState::Paused)
        return name_ + ": paused with work";
    return name_ + ": " + std::to_string(state_.pipeline.size()) + " requests inside, " +
           std::to_string(requests.size()) + " waiting";
}

void McAddressCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    const UnitStats add(stats, path);
    const AddressState::Counters& c = state_.counters;
    add("requests", "requests", "index pairs taken", &c.requests);
    add("addresses", "addresses", "formed, four of a 2x2 request", &c.addresses);
    add("superfine", "requests", "2x2 requests of inputs", &c.superfine);
    add("undefined", "requests", "2x2 of a format with several channels", &c.undefined);
    add("refused", "requests", "of no client or a reserved format", &c.refused);
    add("commands", "commands", "taken", &c.commands);
    add("refused_commands", "commands", "accepted without effect", &c.refused_commands);
    add("stall_cycles", "cycles", "a response waited for room", &c.stall_cycles);
}

}  // namespace archipelago::ctm
