// SPDX-License-Identifier: Apache-2.0
// The registers that chips of async DMA engines have names for.
#include <map>
#include <string>

#include "models/asic/dma/chip_config.h"
#include "registers/cik_register_table.h"
#include "registers/eg_register_table.h"
#include "registers/ni_register_table.h"
#include "registers/r600_register_table.h"
#include "registers/r700_register_table.h"

namespace archipelago::dma_chip {

const regs::RegisterDatabase& registers_of(const std::string& generation) {
    static const std::map<std::string, const regs::RegisterDatabase& (*)()> all = {
        {"r600", regs::r600::database},
        {"r700", regs::r700::database},
        {"evergreen", regs::eg::database},
        {"northern_islands", regs::ni::database},
        {"cik", regs::cik::database}};
    return all.at(generation)();
}

}  // namespace archipelago::dma_chip
