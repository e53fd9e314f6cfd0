// SPDX-License-Identifier: Apache-2.0
// What a description says of any chip, regardless of its family.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/config/reader.h"

namespace archipelago::asic {

struct Identity {
    std::string name;
    std::string generation;  // names the family (families.h)
    std::string product;
    // Of the resolved tree and the words of the files that it names, 16 hexadecimal digits.
    std::string hash;
    // Of the clock whose cycles Asic::cycles() counts; 0 when no chip is built.
    uint64_t clock_hz = 0;
    uint64_t clock_period_fs = 0;
    unsigned compute_units = 0;

    // Of so many cycles of that clock.
    double seconds(uint64_t cycles) const {
        return static_cast<double>(cycles) * static_cast<double>(clock_period_fs) * 1e-15;
    }
};

// Reads name, generation and product; the hash is that of the reader's node.
Identity read_identity(config::Reader& root);

// Makes the words of a file part of the hash: the tree has only the file's name.
void add_to_hash(Identity& identity, const std::vector<uint32_t>& words);

// Length of a cycle in femtoseconds, rounded to the nearest; 1 for 0 Hz.
uint64_t period_of(uint64_t hz);

}  // namespace archipelago::asic
