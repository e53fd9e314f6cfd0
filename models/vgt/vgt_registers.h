// SPDX-License-Identifier: Apache-2.0
// Registers of VGT and IA: one set, and a set for each render context. SI document 1.2.1.6; offsets
// and fields: public register headers (configs/registers/si/vgt.yaml).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/context_registers.h"
#include "models/common/memory_message.h"

namespace archipelago::vgt {

class VgtRegisters {
  public:
    VgtRegisters();
    // What a register holds; context registers of `context`.
    uint32_t get(uint32_t offset, unsigned context) const;
    void set(uint32_t offset, unsigned context, uint32_t value);
    // Storing writes, and copies of contexts. False for offsets out of the windows.
    bool write(const RegRequest& request);
    bool read(const RegRequest& request, uint32_t& value) const;
    static bool has(uint32_t offset);
    template <class Archive>
    void archive(Archive& a) {
        a(config_, single_, context_);
    }

  private:
    static constexpr uint32_t kConfigStart = 0x8800, kConfigEnd = 0x9000;  // bytes
    static constexpr uint32_t kContextEnd = 0x29000;

    std::vector<uint32_t> config_;
    std::vector<uint32_t> single_;  // those among the context registers that exist once
    ContextRegisters context_;
};

}  // namespace archipelago::vgt
