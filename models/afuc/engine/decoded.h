// SPDX-License-Identifier: Apache-2.0
// An instruction with its fields decoded, for the engine.
#pragma once

#include <cstdint>
#include <vector>

#include "models/afuc/isa/instruction.h"

namespace archipelago::afuc {

// The register whose bit 0 setsecure reads.
inline constexpr uint8_t kSecureRegister = 2;

struct Decoded {
    const Row* row = nullptr;  // null: no instruction
    Op op = Op::Nop;
    // Words that it reads from $data, $memdata and $regdata, without those of extra moves. `asks`:
    // it is cread, load or setsecure, and needs an answer from outside the engine.
    uint8_t data = 0, memory = 0, registers = 0;
    bool asks = false;
    bool takes = false;  // any of the above
    bool repeats = false, peeks = false, pre_increment = false;
    uint8_t extra_moves = 0;                         // (xmovN)
    uint8_t extra_reads = 0;                         // (sdsN)
    bool immediate = false;                          // the second source is `value`
    uint8_t destination = 0, first = 0, second = 0;  // registers; a sole ALU source is `second`
    uint8_t low = 0, high = 0;                       // bit range; `low`: bit to test
    uint32_t value = 0;                              // immediate, shifted; of [$r + base] the base
    int32_t target = 0;  // words: from this instruction; if `absolute`, from the image's beginning
    bool absolute = false;
    bool bit = false;  // has a bit operand: `low`, `high`
};

Decoded decode_word(Encoding encoding, uint32_t word);

// An image, decoded once.
std::vector<Decoded> decode_words(Encoding encoding, const uint32_t* words, uint32_t count);

}  // namespace archipelago::afuc
