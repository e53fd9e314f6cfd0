// SPDX-License-Identifier: Apache-2.0
// PM4 of a5xx to a7xx as text, in the grammar of all families (models/front/README.md):
//
//   PKT4 CP_SCRATCH[0x2] = 5, CP_SCRATCH[0x3] = 6
//   CP_MEM_WRITE ADDR = 0x100001000, DATA = [1, 2]
//
// What packets add to the grammar is in README.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/afuc/isa/generation.h"
#include "models/afuc/pm4/packet_table.h"
#include "models/common/register_info.h"
#include "models/front/text/packet_language.h"

namespace archipelago::afuc {

// The packets and registers of a generation. Copies share its tables.
class Pm4Language final : public front::PacketLanguage {
  public:
    explicit Pm4Language(Names names);

    front::PacketAssembly assemble(std::string_view text) const override;
    std::string disassemble(const uint32_t* words, size_t count,
                            const front::PacketListing& listing = {}) const override;
    std::optional<front::PacketExtent> extent(const uint32_t* words, size_t count) const override;

    const PacketTable& packets() const { return packets_; }
    const regs::RegisterDatabase& registers() const { return registers_; }

  private:
    const PacketTable& packets_;
    const regs::RegisterDatabase& registers_;
};

struct Pm4Generation {
    const char* name;  // of --isa pm4:NAME
    const char* title;
    Names names;
};
inline constexpr Pm4Generation kPm4Generations[] = {
    {"a5xx", "Adreno a5xx", Names::A5xx},
    {"a6xx", "Adreno a6xx", Names::A6xx},
    {"a7xx", "Adreno a7xx", Names::A7xx},
};

}  // namespace archipelago::afuc
