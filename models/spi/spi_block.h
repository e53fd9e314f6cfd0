// SPDX-License-Identifier: Apache-2.0
// What a chip needs to have SPI.
#pragma once

#include "models/spi/spi_core.h"

namespace archipelago::config {
class Reader;
}

namespace archipelago::spi {

struct SpiBlock {
    static void read(config::Reader& root, SpiSpec& spec);
};

}  // namespace archipelago::spi
