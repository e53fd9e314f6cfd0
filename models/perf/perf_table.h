// SPDX-License-Identifier: Apache-2.0
// Performance counters: their registers, and what the events they select are in the model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/named_register.h"

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

// One counter of a block.
struct CounterRegisters {
    Block block;
    uint8_t number;
    uint32_t select, lo, hi;  // byte offsets
    uint32_t event_mask;      // of the select register; the field starts at bit 0
    uint32_t mode_mask;       // fields of the select register that must be 0
    std::string select_name;
};
// Those that a family has. The names are the documents'.
std::vector<CounterRegisters> counter_registers(const regs::RegisterDatabase* database);

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
// "tcc" stands for tcc0, tcc1, ...; ".l1" for every unit that ends so; "=tcc1" for tcc1 alone.
bool unit_matches(const std::string& path, const std::string& unit);

struct RegisterMap {
    const regs::RegisterDatabase* database = nullptr;  // of the chip's family
    const std::vector<EventRow>* events = nullptr;     // the same
    Copies units;                                      // compute units that a chip may have
    std::vector<CounterRegisters> counters = counter_registers(database);

    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField PERFMON_STATE{*this, "PERFMON_STATE"},
            SPM_PERFMON_STATE{*this, "SPM_PERFMON_STATE"},
            PERFMON_ENABLE_MODE{*this, "PERFMON_ENABLE_MODE"},
            PERFMON_SAMPLE_ENABLE{*this, "PERFMON_SAMPLE_ENABLE"};
    } CP_PERFMON_CNTL{database, "CP_PERFMON_CNTL"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        struct : regs::NamedField {
            using NamedField::NamedField;
            regs::NamedValue PERFCOUNTER_START{*this, "PERFCOUNTER_START"},
                PERFCOUNTER_SAMPLE{*this, "PERFCOUNTER_SAMPLE"};
        } EVENT_TYPE{*this, "EVENT_TYPE"};
    } VGT_EVENT_INITIATOR{database, "VGT_EVENT_INITIATOR"};

    Copies copies_of(Block block) const;
    // The copy that counts for the unit at a path: "se1.sh0.cu3.l1", "tcc5".
    unsigned copy_of(Block block, const std::string& path) const;
};

}  // namespace archipelago::perf
