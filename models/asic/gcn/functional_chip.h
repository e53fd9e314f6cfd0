// SPDX-License-Identifier: Apache-2.0
// The front end in functional mode: its registers, and FunctionalMachine in the place of everything
// after them.
#pragma once

#include "models/asic/gcn/build.h"
#include "models/asic/gcn/front_end.h"
#include "models/asic/gcn/functional.h"
#include "models/asic/interrupt_out.h"

namespace archipelago::gcn {

class FunctionalChip {
  public:
    FunctionalChip(const Build& build, FrontEnd& front, tlm::tlm_initiator_socket<>& socket);

    FunctionalMachine machine;

  private:
    void connect_interrupts(FrontEnd& front);
    void connect_counters(FrontEnd& front);

    asic::InterruptMemory interrupt_memory_;
};

}  // namespace archipelago::gcn
