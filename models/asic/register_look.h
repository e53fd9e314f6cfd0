// SPDX-License-Identifier: Apache-2.0
// transport_dbg() of a chip's register socket: the value of a register, without time; also when the
// chip has stopped.
#pragma once

#include <functional>
#include <tlm>
#include <utility>

#include "models/common/memory_message.h"
#include "tlm/port.h"

namespace archipelago::asic {

// Bytes read, 0 for an access that is no read of a whole register.
unsigned look_at_register(tlm::tlm_generic_payload& gp,
                          const std::function<uint32_t(const RegRequest&)>& look);

// Of a chip in cycle mode, whose accesses take their time otherwise.
class RegisterLook : public tlm_shell::DirectAccess {
  public:
    explicit RegisterLook(std::function<uint32_t(const RegRequest&)> look)
        : look_(std::move(look)) {}
    unsigned debug(tlm::tlm_generic_payload& gp) override { return look_at_register(gp, look_); }

  private:
    const std::function<uint32_t(const RegRequest&)> look_;
};

}  // namespace archipelago::asic
