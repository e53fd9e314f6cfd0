// SPDX-License-Identifier: Apache-2.0
// Commands of CTM buffers as text, in the grammar of all families (models/front/README.md):
//
//   set_domain i0 = 0, j0 = 0, i1 = 63, j1 = 31
//   set_out_fmt output = 1, base_address = 0x8000, pitch = 64, format = FLOAT32_4, height = 32
//
// The header comes from the row; DW1 is parameter 0.
#pragma once

#include <string>
#include <string_view>

#include "models/front/text/packet_language.h"

namespace archipelago::ctm {

class CommandLanguage final : public front::PacketLanguage {
  public:
    front::PacketAssembly assemble(std::string_view text) const override;
    std::string disassemble(const uint32_t* words, size_t count,
                            const front::PacketListing& listing = {}) const override;
};

}  // namespace archipelago::ctm
