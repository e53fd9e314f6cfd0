// SPDX-License-Identifier: Apache-2.0
// What a description says of any chip, whatever its family.
#pragma once

#include <cstdint>
#include <string>

#include "models/config/reader.h"

namespace archipelago::asic {

struct Identity {
    std::string name;
    std::string generation;  // names the family (families.h)
    std::string product;
    std::string hash;  // of the resolved tree, 16 hexadecimal digits
    // Of the clock whose cycles Asic::cycles() counts; 0 when no chip is built.
    uint64_t clock_hz = 0;
    uint64_t clock_period_fs = 0;
    unsigned compute_units = 0;
};

// Reads name, generation and product; the hash is that of the reader's node.
Identity read_identity(config::Reader& root);

// Femtoseconds of a cycle, to the nearest; 1 for 0 Hz.
uint64_t period_of(uint64_t hz);

}  // namespace archipelago::asic
