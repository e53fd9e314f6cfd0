// SPDX-License-Identifier: Apache-2.0
// Packets of async DMA engines as text, in the grammar of all families (models/front/README.md):
//
//   COPY_LINEAR COUNT = 64, DST = 0x1000, SRC = 0x2000
//   WRITE_LINEAR DST = 0x1000, DATA = [1, 2]
//
// The bits of a header that tell the packet from others come from its row; other bits are fields,
// or DW1. A field that counts data may be left out; counted data that are not given are 0.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "models/common/register_info.h"
#include "models/dma/packet_table.h"
#include "models/front/text/packet_language.h"

namespace archipelago::dma {

// A generation's packets and the registers they may name.
class TextLanguage final : public front::PacketLanguage {
  public:
    explicit TextLanguage(const PacketTable& packets,
                          const regs::RegisterDatabase& registers = no_registers())
        : packets_(packets), registers_(registers) {}

    front::PacketAssembly assemble(std::string_view text) const override;
    std::string disassemble(const uint32_t* words, size_t count,
                            const front::PacketListing& listing = {}) const override;
    std::optional<front::PacketExtent> extent(const uint32_t* words, size_t count) const override;

    const PacketTable& packets() const { return packets_; }
    // Registers are numbers.
    static const regs::RegisterDatabase& no_registers();

  private:
    const PacketTable& packets_;
    const regs::RegisterDatabase& registers_;
};

}  // namespace archipelago::dma
