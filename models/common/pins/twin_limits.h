// SPDX-License-Identifier: Apache-2.0
// A twin stands in chips up to its own sizes. What a description says beyond them is its user's
// mistake, found before the chip runs.
#pragma once

#include <stdexcept>
#include <string>

namespace archipelago::rtl {

// Throws std::invalid_argument with the key of the description, its value, and what the twin of
// these pins takes in its place.
template <class Pins>
[[noreturn]] void refuse(const std::string& key, const std::string& value,
                         const std::string& takes) {
    throw std::invalid_argument(key + " " + value + ": the Verilog twin " + Pins::kName +
                                " takes " + takes);
}

// The value of a key, which is refused when it is not of the range.
template <class Pins>
unsigned in_range(unsigned least, unsigned most, const std::string& key, unsigned value) {
    if (value < least || value > most)
        refuse<Pins>(key, std::to_string(value),
                     least == most ? std::to_string(most)
                                   : std::to_string(least) + " to " + std::to_string(most));
    return value;
}

}  // namespace archipelago::rtl
