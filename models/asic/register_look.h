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
using Look = std::function<std::optional<uint32_t>(const RegRequest&)>;

// Bytes read: 4, or 0 where there is no register and for an access that is no read of a whole one.
// The response is that of an ordinary access; TLM_COMMAND_ERROR_RESPONSE for a write, because no
// register can be written without what follows from it.
unsigned look_at_register(tlm::tlm_generic_payload& gp, const Look& look);

// Of a chip in cycle mode, whose accesses take their time otherwise.
class RegisterLook : public tlm_shell::DirectAccess {
  public:
    explicit RegisterLook(Look look) : look_(std::move(look)) {}
    unsigned debug(tlm::tlm_generic_payload& gp) override { return look_at_register(gp, look_); }

  private:
    const Look look_;
};

}  // namespace archipelago::asic
