// SPDX-License-Identifier: Apache-2.0
// The async DMA engines of a chip, regardless of its family: their Specs from `async_dma` of its
// description.
#pragma once

#include <cstdint>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/asic/description.h"
#include "models/config/reader.h"
#include "models/dma/dma_spec.h"
#include "models/dma/units.h"
#include "models/sem/sem_core.h"

namespace archipelago::asic {

// In the order of their rings dma0, dma1. Found by ChipDescription::spec().
struct AsyncDma {
    std::vector<dma::Spec> engines;
};

// The ring of an engine; `packets` as text.
Ring dma_ring(const dma::Spec& engine, const front::PacketLanguage& packets);

// The semaphore block of so many clients: `semaphores` of its description.
sem::SemSpec read_semaphores(config::Reader& root, unsigned clients);

// What options put in the place of the engines' own parts.
dma::Units dma_units(const Substitutes& substitutes);

// `tiling`: the register with the chip's pipes and groups, as it is after reset; `registers`: those
// of the chip by name.
AsyncDma read_async_dma(config::Reader& root, uint32_t tiling,
                        const regs::RegisterDatabase& registers);

}  // namespace archipelago::asic
