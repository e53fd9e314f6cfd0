// SPDX-License-Identifier: Apache-2.0
#include "models/perf/perf_table.h"

#include <algorithm>
#include <cctype>
#include <cstdio>

namespace archipelago::perf {

const char* block_name(Block block) {
    static const char* const kNames[] = {"GRBM", "GRBM_SE0", "GRBM_SE1", "IA", "VGT",
                                         "SPI",  "TCP",      "TCC",      "TCA"};
    return kNames[static_cast<size_t>(block)];
}

// The model counts for the whole chip what IA, VGT, SPI and TCA count.
Copies RegisterMap::copies_of(Block block) const {
    switch (block) {
        case Block::Tcp:
            return units;
        case Block::Tcc:
            return {1, 1, 64};  // channels
        default:
            return {};
    }
}

unsigned RegisterMap::copy_of(Block block, const std::string& path) const {
    const Copies copies = copies_of(block);
    unsigned se = 0, sh = 0, unit = 0;
    if (block == Block::Tcp)
        std::sscanf(path.c_str(), "se%u.sh%u.cu%u", &se, &sh, &unit);
    else if (block == Block::Tcc)
        std::sscanf(path.c_str(), "tcc%u", &unit);
    return copies.number(se, sh, unit);
}

namespace {

constexpr uint32_t kModes = 0xFFF00000;        // CNTR_MODE, PERF_MODE1, PERF_MODE
constexpr uint32_t kCounterMode = 0x00F00000;  // SPI has CNTR_MODE alone
constexpr uint32_t kOneMode = 0xF0000000;

}  // namespace

std::vector<CounterRegisters> counter_registers(const regs::RegisterDatabase* database) {
    std::vector<CounterRegisters> all;
    const auto add = [&](Block block, uint8_t number, uint32_t events, uint32_t modes) {
        const bool one = block == Block::GrbmSe0 || block == Block::GrbmSe1;
        const std::string name =
            std::string(block_name(block)) + "_PERFCOUNTER" + (one ? "" : std::to_string(number));
        const regs::NamedRegister select(database, name + "_SELECT"), lo(database, name + "_LO"),
            hi(database, name + "_HI");
        if (select.exists())
            all.push_back({block, number, select, lo, hi, events, modes, name + "_SELECT"});
    };
    add(Block::Grbm, 0, 0x3F, 0);
    add(Block::Grbm, 1, 0x3F, 0);
    add(Block::GrbmSe0, 0, 0x3F, 0);
    add(Block::GrbmSe1, 0, 0x3F, 0);
    for (uint8_t n = 0; n < 4; ++n) {
        add(Block::Ia, n, 0xFF, n == 0 ? kModes : kOneMode);
        add(Block::Vgt, n, 0xFF, n < 2 ? kModes : kOneMode);
        add(Block::Spi, n, 0xFF, kCounterMode);
        add(Block::Tcp, n, 0xFF, kModes);
        add(Block::Tcc, n, 0xFF, kModes);
        add(Block::Tca, n, 0xFF, kModes);
    }
    return all;
}

bool unit_matches(const std::string& path, const std::string& unit) {
    if (!unit.empty() && unit.front() == '=')
        return path.compare(0, path.size(), unit, 1, unit.size() - 1) == 0;
    if (!unit.empty() && unit.front() == '.')
        return path.size() > unit.size() &&
               path.compare(path.size() - unit.size(), unit.size(), unit) == 0;
    if (path.compare(0, unit.size(), unit) != 0)
        return false;
    return std::all_of(path.begin() + static_cast<std::ptrdiff_t>(unit.size()), path.end(),
                       [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace archipelago::perf
