// SPDX-License-Identifier: Apache-2.0
// PM4 as text: headers with their flags, registers that packets set, and the fields that all
// families write alike. The grammar is in README.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/common/register_info.h"
#include "models/cp/pm4/packet_table.h"
#include "models/front/text/packet_language.h"

namespace archipelago::cp {

// A generation's packets and registers.
struct Pm4Language final : front::PacketLanguage {
    Pm4Language(const PacketTable& table, const regs::RegisterDatabase& database)
        : packets(table), registers(database) {}

    front::PacketAssembly assemble(std::string_view text) const override;
    std::string disassemble(const uint32_t* words, size_t count,
                            const front::PacketListing& listing = {}) const override;
    std::optional<front::PacketExtent> extent(const uint32_t* words, size_t count) const override;

    const PacketTable& packets;
    const regs::RegisterDatabase& registers;
};

}  // namespace archipelago::cp
