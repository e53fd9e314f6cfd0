// SPDX-License-Identifier: Apache-2.0
// The performance counters of Southern Islands: their registers, and what the events they select
// are in the model. Event numbers: public gfx7 enumerations, where the blocks are those of SI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace archipelago::perf {

enum class Block : uint8_t { Grbm, GrbmSe0, GrbmSe1, Ia, Vgt, Spi, Tcp, Tcc, Tca, kCount };
const char* block_name(Block block);

// How often the counters of a block are there: for each of its units, as GRBM_GFX_INDEX counts
// them, or once. As many as there can be of a chip; those of units that it has not count nothing.
struct Copies {
    unsigned se = 1, sh = 1, instance = 1;
    unsigned count() const { return se * sh * instance; }
    unsigned number(unsigned e, unsigned a, unsigned i) const {
        return (e * sh + a) * instance + i;
    }
};
Copies copies_of(Block block);
// The copy that counts for the unit at a path: "se1.sh0.cu3.l1", "tcc5".
unsigned copy_of(Block block, const std::string& path);

// One counter of a block.
struct CounterRegisters {
    Block block;
    uint8_t number;
    uint32_t select, lo, hi;  // byte offsets
    uint32_t event_mask;      // of the select register; the field starts at bit 0
    uint32_t mode_mask;       // fields of the select register that must be 0
    std::string select_name;
};
const std::vector<CounterRegisters>& counter_registers();

// An event of a block and the model's counters that are summed up for it: those named `counter` of
// every unit whose path ends in, or starts with, `unit` (below), each for the copy of the unit. No
// counter: cycles.
struct EventRow {
    Block block;
    uint16_t event;
    const char* name;
    const char* unit;
    const char* counter;
};
const std::vector<EventRow>& event_rows();
// "tcc" stands for tcc0, tcc1, ...; ".l1" for every unit that ends so; "=tcc1" for tcc1 alone.
bool unit_matches(const std::string& path, const std::string& unit);

}  // namespace archipelago::perf
