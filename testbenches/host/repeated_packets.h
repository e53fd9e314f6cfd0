// SPDX-License-Identifier: Apache-2.0
// Packets that a workload file repeats with values that change from one repetition to the next:
//   {repeat: 3, text: "CP_MEM_WRITE ADDR = $at, DATA = [$n]", values: {at: {first: 0x100, step: 4},
//   n: {}}}
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/config/reader.h"

namespace archipelago::host {

// 32-bit words in arithmetic progression, modulo 2^32.
struct Series {
    uint32_t first = 0;
    uint32_t step = 1;

    uint32_t at(uint64_t n) const { return first + static_cast<uint32_t>(n) * step; }
};
// Reads the keys `first` and `step`.
Series read_series(config::Reader& r);

struct RepeatedPackets {
    struct Value {
        std::string name;  // as the text has it, after a $
        Series series;
    };
    std::string text;
    uint64_t count = 0;
    std::vector<Value> values;

    // The text of repetition n, each $name replaced by the value's number.
    std::string at(uint64_t n) const;
};
// Reports names of the text that `values` lacks, and values that the text does not use. `max_count`
// is the largest number of repetitions.
RepeatedPackets read_repeated_packets(config::Reader& r, uint64_t max_count);

}  // namespace archipelago::host
