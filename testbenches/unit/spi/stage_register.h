// SPDX-License-Identifier: Apache-2.0
// SPI_SHADER_* of Southern Islands, as tests write them.
#pragma once

#include <cstdint>

#include "models/spi/register_map.h"

namespace archipelago::spi {

// Bytes: a register of the stage's block; `in_block` is its distance from the block's start.
constexpr uint32_t stage_register(ShaderStage stage, uint32_t in_block) {
    return 0xB000 + 0x100 * (index_of(ShaderStage::Ps) - index_of(stage)) + in_block;
}

}  // namespace archipelago::spi
