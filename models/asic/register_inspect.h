// SPDX-License-Identifier: Apache-2.0
// transport_dbg() of a chip's register socket: the value of a register, in functional mode; also
// when the chip has stopped.
#pragma once

#include <functional>
#include <optional>
#include <tlm>
#include <utility>

#include "models/common/memory_message.h"
#include "tlm/port.h"

namespace archipelago::asic {

// The value of a register, nothing where there is none. Changes nothing.
using Inspect = std::function<std::optional<uint32_t>(const RegRequest&)>;

// Bytes read: 4, or 0 where there is no register and for an access that is no read of a whole one.
// The response is that of an ordinary access; TLM_COMMAND_ERROR_RESPONSE for a write, because no
// register can be written without what follows from it.
unsigned inspect_register(tlm::tlm_generic_payload& gp, const Inspect& inspect);

// Of a chip in cycle mode, whose accesses take their time otherwise.
class RegisterInspector : public tlm_shell::DirectAccess {
  public:
    explicit RegisterInspector(Inspect inspect) : inspect_(std::move(inspect)) {}
    unsigned debug(tlm::tlm_generic_payload& gp) override { return inspect_register(gp, inspect_); }

  private:
    const Inspect inspect_;
};

}  // namespace archipelago::asic
