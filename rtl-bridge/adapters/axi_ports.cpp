// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/adapters/axi_ports.h"

#include "models/common/error.h"

namespace archipelago::adapters {
namespace {

void stop_at_breach(const std::vector<AxiViolation>& found) {
    if (!found.empty())
        throw MachineStop(StopKind::Protocol, "AXI", found.front().text);
}

}  // namespace

void AxiInitiator::edge(Cycle now, const AxiTargetPins& target, bool in_reset) {
    if (checked_)
        stop_at_breach(checker_.edge(core_.pins(), target, in_reset));
    traffic_.edge(core_.pins(), target, in_reset);
    while (core_.can_push() && port.has_request(now))
        core_.push(port.take(now));
    core_.edge(target, in_reset);
    while (core_.has_response())
        port.respond(core_.pop());
    port.tick(now);
}

void AxiTarget::edge(const AxiInitiatorPins& initiator, bool in_reset) {
    if (checked_)
        stop_at_breach(checker_.edge(initiator, core_.pins(), in_reset));
    traffic_.edge(initiator, core_.pins(), in_reset);
    if (in_reset)
        port.forget();
    while (port.has_response())
        core_.complete(port.pop());
    core_.edge(initiator, in_reset);
    while (core_.has_request())
        port.submit(core_.pop());
    port.tick();
}

}  // namespace archipelago::adapters
