// SPDX-License-Identifier: Apache-2.0
// The register socket of a chip without time, whatever its family.
#pragma once

#include <exception>
#include <functional>
#include <tlm>

#include "models/asic/socket_memory.h"
#include "models/common/memory_message.h"
#include "tlm/port.h"

namespace archipelago::asic {

// An access is complete when it returns, with all the work it gives rise to. What that work has
// written is in memory then, after an error, too.
class RegisterAccess : public tlm_shell::DirectAccess {
  public:
    std::function<void(std::exception_ptr)> on_error;

    bool transport(tlm::tlm_generic_payload& gp) final;
    unsigned debug(tlm::tlm_generic_payload& gp) final;

  protected:
    // `memory` must outlive this.
    explicit RegisterAccess(SocketMemory& memory) : memory_(memory) {}
    // Carries out an access of the host and what follows from it; the value of a read. Throws
    // MachineStop.
    virtual uint32_t access(const RegRequest& request) = 0;
    // The value of a register, for a debugger.
    virtual uint32_t look(const RegRequest& request) = 0;

  private:
    void fail(std::exception_ptr reason);

    SocketMemory& memory_;
};

}  // namespace archipelago::asic
