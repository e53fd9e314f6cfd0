// SPDX-License-Identifier: Apache-2.0
// TLM-2.0 socket to AXI pins and back, each with its checker. Not clocked by itself: the owner of
// the other side of the pins calls edge() once per cycle.
#pragma once

#include <string>
#include <systemc>

#include "rtl-bridge/adapters/axi_checker_core.h"
#include "rtl-bridge/adapters/axi_initiator_core.h"
#include "rtl-bridge/adapters/axi_target_core.h"
#include "rtl-bridge/adapters/axi_traffic.h"
#include "rtl-bridge/adapters/bus_ports.h"

namespace archipelago::adapters {

// The checkers check the protocol only: time limits are the cores'.
inline AxiSpec checked_by(AxiSpec spec) {
    spec.timeout = 0;
    return spec;
}

// Transactions of `port.socket` (target) to the pins of an AXI target.
class AxiInitiator : public sc_core::sc_module {
  public:
    BusTargetPort port;

    AxiInitiator(const sc_core::sc_module_name& name, tlm_shell::ClockDomain& clock,
                 const AxiSpec& spec, uint64_t base = 0)
        : sc_core::sc_module(name),
          port("port", clock, spec.queue, base),
          core_(spec, this->name()),
          checker_(checked_by(spec), this->name()) {}

    const AxiInitiatorPins& pins() const { return core_.pins(); }
    // Throws MachineStop(Protocol) at a breach on either side of the pins.
    void edge(Cycle now, const AxiTargetPins& target, bool in_reset);
    bool idle() const { return port.idle() && core_.idle(); }
    void set_checked(bool on) { checked_ = on; }
    AxiInitiatorCore& core() { return core_; }
    const AxiInitiatorCore& core() const { return core_; }
    const AxiCheckerCore& checker() const { return checker_; }
    const AxiTraffic& traffic() const { return traffic_; }

  private:
    AxiInitiatorCore core_;
    AxiCheckerCore checker_;
    AxiTraffic traffic_;
    bool checked_ = true;
};

// The pins of an AXI initiator to transactions of `port.socket` (initiator).
class AxiTarget : public sc_core::sc_module {
  public:
    BusInitiatorPort port;

    AxiTarget(const sc_core::sc_module_name& name, const AxiSpec& spec, unsigned line_bytes = 0,
              uint64_t base = 0)
        : sc_core::sc_module(name),
          port("port", line_bytes, base),
          core_(spec, this->name()),
          checker_(checked_by(spec), this->name()) {}

    const AxiTargetPins& pins() const { return core_.pins(); }
    void edge(const AxiInitiatorPins& initiator, bool in_reset);
    bool idle() const { return port.idle() && core_.idle(); }
    void set_checked(bool on) { checked_ = on; }
    AxiTargetCore& core() { return core_; }
    const AxiTargetCore& core() const { return core_; }
    const AxiCheckerCore& checker() const { return checker_; }
    const AxiTraffic& traffic() const { return traffic_; }

  private:
    AxiTargetCore core_;
    AxiCheckerCore checker_;
    AxiTraffic traffic_;
    bool checked_ = true;
};

}  // namespace archipelago::adapters
