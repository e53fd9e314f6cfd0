// SPDX-License-Identifier: Apache-2.0
// Registers of VGT and IA: one set, and a set for each render context. SI document 1.2.1.6.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/context_registers.h"
#include "models/common/memory_message.h"
#include "models/vgt/register_map.h"

namespace archipelago::vgt {

class VgtRegisters {
  public:
    explicit VgtRegisters(const RegisterMap& map);
    // The value of a register; context registers of `context`. 0 outside the windows.
    uint32_t get(uint32_t offset, unsigned context) const;
    void set(uint32_t offset, unsigned context, uint32_t value);
    // Storing writes, and copies of contexts. False for offsets outside the windows.
    bool write(const RegRequest& request);
    bool read(const RegRequest& request, uint32_t& value) const;
    bool has(uint32_t offset) const { return in_config(offset) || context_.has(offset); }
    template <class Archive>
    void archive(Archive& a) {
        a(config_, single_, context_);
    }

  private:
    bool in_config(uint32_t offset) const { return offset - config_start_ < config_bytes_; }

    uint32_t config_start_, config_bytes_;
    uint32_t copy_state_;
    std::vector<uint8_t> of_context_;  // by dword of the context window: one for each context
    std::vector<uint32_t> config_;
    std::vector<uint32_t> single_;  // those in the context window that exist once
    ContextRegisters context_;
};

}  // namespace archipelago::vgt
