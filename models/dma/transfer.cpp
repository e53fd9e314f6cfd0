// SPDX-License-Identifier: Apache-2.0
#include "models/dma/transfer.h"

namespace archipelago::dma {
namespace {

// Whether in every row of the tile each aligned group of `run` elements is one piece of memory.
bool follows(const surface::SurfaceLevel& level, uint32_t run) {
    const uint32_t bytes = level.layout.bits / 8;
    for (uint32_t i = 0; i < 64; ++i)
        if (level.element[i] != level.element[i - i % run] + i % run * bytes)
            return false;
    return true;
}

}  // namespace

std::shared_ptr<const TiledSurface> make_surface(const surface::LevelLayout& layout,
                                                 const surface::AddressConfig& config,
                                                 std::string& error) {
    auto made = std::make_shared<TiledSurface>();
    if (!made->level.set_up(layout, config, error))
        return nullptr;
    for (made->run = 8; !follows(made->level, made->run);)
        made->run /= 2;
    return made;
}

}  // namespace archipelago::dma
