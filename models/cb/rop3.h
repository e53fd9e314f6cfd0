// SPDX-License-Identifier: Apache-2.0
// Raster operations on converted bits: CB_COLOR_CONTROL.ROP3, a Boolean function of pattern, source
// and destination. The shader's export is both source and pattern: there is no register for a
// pattern (R6xx 3D register reference, CB_COLOR_CONTROL).
#pragma once

#include <cstdint>

#include "models/cb/colour_format.h"

namespace archipelago::cb {

class Rop3 {
  public:
    static constexpr uint32_t kCopy = 0xCC;

    Rop3() : Rop3(kCopy) {}
    // Bit 4 * pattern + 2 * source + destination of the code is the result.
    explicit Rop3(uint32_t code)
        : none_(mask(code, 0)),
          destination_(mask(code, 1)),
          source_(mask(code, 6)),
          both_(mask(code, 7)) {}

    bool copies() const { return none_ == 0 && destination_ == 0 && ~source_ == 0 && ~both_ == 0; }
    bool reads_destination() const { return none_ != destination_ || source_ != both_; }
    uint32_t operator()(uint32_t source, uint32_t destination) const {
        return (~source & ((~destination & none_) | (destination & destination_))) |
               (source & ((~destination & source_) | (destination & both_)));
    }

  private:
    static uint32_t mask(uint32_t code, unsigned bit) { return 0u - (code >> bit & 1); }

    // All ones where bits that are set in neither operand, in one of them, in both give 1.
    uint32_t none_, destination_, source_, both_;
};

}  // namespace archipelago::cb
