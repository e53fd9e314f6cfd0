// SPDX-License-Identifier: Apache-2.0
#include "models/perf/perf_table.h"

#include <algorithm>
#include <cctype>

#include "registers/si_names.h"

namespace archipelago::perf {

namespace si = regs::si;

const char* block_name(Block block) {
    static const char* const kNames[] = {"GRBM", "GRBM_SE0", "GRBM_SE1", "IA", "VGT",
                                         "SPI",  "TCP",      "TCC",      "TCA"};
    return kNames[static_cast<size_t>(block)];
}

namespace {

constexpr uint32_t kModes = 0xFFF00000;        // CNTR_MODE, PERF_MODE1, PERF_MODE
constexpr uint32_t kCounterMode = 0x00F00000;  // SPI has CNTR_MODE alone
constexpr uint32_t kOneMode = 0xF0000000;

std::vector<CounterRegisters> make_registers() {
    std::vector<CounterRegisters> all;
    const auto add = [&](Block block, uint8_t number, uint32_t select, uint32_t lo, uint32_t hi,
                         uint32_t events, uint32_t modes) {
        const bool one = block == Block::GrbmSe0 || block == Block::GrbmSe1;
        all.push_back({block, number, select, lo, hi, events, modes,
                       std::string(block_name(block)) + "_PERFCOUNTER" +
                           (one ? "" : std::to_string(number)) + "_SELECT"});
    };
    add(Block::Grbm, 0, si::GRBM_PERFCOUNTER0_SELECT, si::GRBM_PERFCOUNTER0_LO,
        si::GRBM_PERFCOUNTER0_HI, 0x3F, 0);
    add(Block::Grbm, 1, si::GRBM_PERFCOUNTER1_SELECT, si::GRBM_PERFCOUNTER1_LO,
        si::GRBM_PERFCOUNTER1_HI, 0x3F, 0);
    add(Block::GrbmSe0, 0, si::GRBM_SE0_PERFCOUNTER_SELECT, si::GRBM_SE0_PERFCOUNTER_LO,
        si::GRBM_SE0_PERFCOUNTER_HI, 0x3F, 0);
    add(Block::GrbmSe1, 0, si::GRBM_SE1_PERFCOUNTER_SELECT, si::GRBM_SE1_PERFCOUNTER_LO,
        si::GRBM_SE1_PERFCOUNTER_HI, 0x3F, 0);
    for (uint8_t n = 0; n < 4; ++n) {
        add(Block::Ia, n, si::IA_PERFCOUNTER0_SELECT + 4u * n, si::IA_PERFCOUNTER0_LO + 8u * n,
            si::IA_PERFCOUNTER0_HI + 8u * n, 0xFF, n == 0 ? kModes : kOneMode);
        add(Block::Vgt, n, si::VGT_PERFCOUNTER0_SELECT + 4u * n, si::VGT_PERFCOUNTER0_LO + 8u * n,
            si::VGT_PERFCOUNTER0_HI + 8u * n, 0xFF, n < 2 ? kModes : kOneMode);
        add(Block::Spi, n, si::SPI_PERFCOUNTER0_SELECT + 4u * n, si::SPI_PERFCOUNTER0_LO + 8u * n,
            si::SPI_PERFCOUNTER0_HI + 8u * n, 0xFF, kCounterMode);
        add(Block::Tcp, n, si::TCP_PERFCOUNTER0_SELECT + 12u * n, si::TCP_PERFCOUNTER0_LO + 12u * n,
            si::TCP_PERFCOUNTER0_HI + 12u * n, 0xFF, kModes);
        add(Block::Tcc, n, si::TCC_PERFCOUNTER0_SELECT + 12u * n, si::TCC_PERFCOUNTER0_LO + 12u * n,
            si::TCC_PERFCOUNTER0_HI + 12u * n, 0xFF, kModes);
        add(Block::Tca, n, si::TCA_PERFCOUNTER0_SELECT + 12u * n, si::TCA_PERFCOUNTER0_LO + 12u * n,
            si::TCA_PERFCOUNTER0_HI + 12u * n, 0xFF, kModes);
    }
    return all;
}

}  // namespace

const std::vector<CounterRegisters>& counter_registers() {
    static const std::vector<CounterRegisters> registers = make_registers();
    return registers;
}

// Busy signals are not here: they are wires (PerfCore::add_busy).
const std::vector<EventRow>& event_rows() {
    static const std::vector<EventRow> rows = {
        {Block::Grbm, 0x00, "COUNT", "", ""},
        {Block::GrbmSe0, 0x00, "COUNT", "", ""},
        {Block::GrbmSe1, 0x00, "COUNT", "", ""},
        // SPI: compute waves of the graphics ring (CSG) and of the compute rings (CSN) are counted
        // together by the model.
        {Block::Spi, 0x3B, "CSG_NUM_THREADGROUPS", "spi", "groups"},
        {Block::Spi, 0x3E, "CSG_WAVE", "spi", "waves"},
        // L1 of all compute units.
        {Block::Tcp, 0x17, "TCC_READ_REQ", ".l1", "read_misses"},
        {Block::Tcp, 0x17, "TCC_READ_REQ", ".l1", "glc_reads"},
        {Block::Tcp, 0x18, "TCC_WRITE_REQ", ".l1", "writes"},
        {Block::Tcp, 0x1C, "TOTAL_GLOBAL_READ", ".l1", "reads"},
        {Block::Tcp, 0x1E, "TOTAL_GLOBAL_WRITE", ".l1", "writes"},
        {Block::Tcp, 0x21, "TOTAL_WBINVL1", ".l1", "cache_actions"},
        // All L2 channels.
        {Block::Tcc, 0x01, "CYCLE", "", ""},
        {Block::Tcc, 0x02, "BUSY", "tcc", "busy_cycles"},
        {Block::Tcc, 0x03, "REQ", "tcc", "reads"},
        {Block::Tcc, 0x03, "REQ", "tcc", "writes"},
        {Block::Tcc, 0x03, "REQ", "tcc", "atomics"},
        {Block::Tcc, 0x05, "READ", "tcc", "reads"},
        {Block::Tcc, 0x06, "WRITE", "tcc", "writes"},
        {Block::Tcc, 0x07, "ATOMIC", "tcc", "atomics"},
        {Block::Tcc, 0x08, "WBINVL2", "tcc", "cache_actions"},
        {Block::Tcc, 0x0A, "HIT", "tcc", "read_hits"},
        {Block::Tcc, 0x0A, "HIT", "tcc", "write_hits"},
        {Block::Tcc, 0x0B, "MISS", "tcc", "read_misses"},
        {Block::Tcc, 0x0E, "WRITEBACK", "tcc", "writebacks"},
        {Block::Tca, 0x01, "CYCLE", "", ""},
    };
    return rows;
}

bool unit_matches(const std::string& path, const std::string& unit) {
    if (!unit.empty() && unit.front() == '.')
        return path.size() > unit.size() &&
               path.compare(path.size() - unit.size(), unit.size(), unit) == 0;
    if (path.compare(0, unit.size(), unit) != 0)
        return false;
    return std::all_of(path.begin() + static_cast<std::ptrdiff_t>(unit.size()), path.end(),
                       [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace archipelago::perf
