// SPDX-License-Identifier: Apache-2.0
// What a block does with each of its registers, compiled once: every register write looks it up.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "models/common/register_info.h"

namespace archipelago {

// `Role`: an enumeration whose 0 is "no register of the block".
template <class Role>
class RegisterRoles {
  public:
    // Registers in [start, end), bytes.
    void set(uint32_t start, uint32_t end, Role role) {
        if (roles_.size() < end / 4)
            roles_.resize(end / 4);
        std::fill(roles_.begin() + start / 4, roles_.begin() + end / 4, static_cast<uint8_t>(role));
    }
    // A register that the family may not have.
    void set(uint32_t offset, Role role) {
        if (offset != regs::kNoOffset)
            set(offset, offset + 4, role);
    }
    Role of(uint32_t offset) const {
        const uint32_t n = offset / 4;
        return n < roles_.size() ? static_cast<Role>(roles_[n]) : Role{};
    }

  private:
    static_assert(std::is_enum_v<Role> && sizeof(Role) == 1);
    std::vector<uint8_t> roles_;  // Role by dword of the register aperture
};

}  // namespace archipelago
