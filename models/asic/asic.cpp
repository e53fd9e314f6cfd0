// SPDX-License-Identifier: Apache-2.0
#include "models/asic/asic.h"

#include "models/common/error.h"
#include "tlm/port.h"

namespace archipelago::asic {

Asic::Asic(const sc_core::sc_module_name& name, const ChipDescription& description,
           const ChipOptions& options)
    : sc_core::sc_module(name), description_(description), options_(options) {
    SC_HAS_PROCESS(Asic);
    SC_METHOD(deliver_late);
    sensitive << raised_event_;
    dont_initialize();
    SC_METHOD(end_accesses);
    sensitive << stopped_event_;
    dont_initialize();
    if (options.temporal_decoupling)
        control_.decouple();
}

Asic::~Asic() = default;

void Asic::choose_groups(const GroupSelection&) {
    throw MachineStop(StopKind::Unimplemented, description_.identity().name,
                      "a choice of work-groups");
}

void Asic::halt_on_error() {
    control_.halt_on_error(stopped_event_);
}

bool Asic::resume() {
    if (!error())
        return true;
    if (!hold_in_reset())
        return false;
    control_.resume();
    return true;
}

void Asic::end_accesses() {
    auto* const port = dynamic_cast<tlm_shell::RegisterTargetPort*>(registers.get_interface());
    if (port != nullptr)
        port->end_calls();
}

void Asic::raise(const Interrupt& interrupt) {
    raised_.push_back(interrupt);
    if (control_.lead() == sc_core::SC_ZERO_TIME)
        deliver();
    else
        control_.notify(raised_event_, sc_core::SC_ZERO_TIME);
}

// Not within a step of a clock, which would take what the handler throws.
void Asic::deliver_late() {
    try {
        deliver();
    } catch (...) {
        fail(std::current_exception());
    }
}

void Asic::deliver() {
    while (!raised_.empty()) {
        const Interrupt interrupt = raised_.front();
        raised_.pop_front();
        if (interrupt_handler_)
            interrupt_handler_(interrupt);
    }
    control_.notify(interrupt_event_, sc_core::SC_ZERO_TIME);
}

}  // namespace archipelago::asic
