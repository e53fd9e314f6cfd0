// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/pm4/registers.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "models/afuc/isa/names.h"
#include "models/common/text.h"

namespace archipelago::afuc {
namespace {

struct Register {
    const char* name;
    uint32_t first;   // index
    uint32_t dwords;  // 2 for 64 bits
    uint32_t array;   // how many there are, 0: no array
    uint32_t stride;  // of an array
};

#include "models/afuc/pm4/registers.inc"

template <size_t N>
std::vector<Register> list_of(const std::array<Register, N>& table) {
    return {table.begin(), table.end()};
}

std::vector<Register> all_registers(Names names) {
    std::vector<Register> list = names == Names::A5xx   ? list_of(kState_a5xx)
                                 : names == Names::A6xx ? list_of(kState_a6xx)
                                                        : list_of(kState_a7xx);
    for (const RegisterName& r : register_list(names, Space::Gpu))
        if (r.array != 0)
            list.push_back({r.name, r.first, r.array, r.count / r.array, r.array});
        else
            list.push_back({r.name, r.first, r.count, 0, 1});
    return list;
}

// The tables that a database views.
struct Tables {
    explicit Tables(Names generation);

    std::deque<std::string> texts;
    std::vector<regs::RegisterInfo> registers;
    std::vector<regs::NameInfo> names;
    regs::RegisterDatabase database{};

  private:
    struct Entry {
        uint32_t offset;
        std::string_view name;
    };
    void add(const Register& reg, std::vector<Entry>& entries);
};

void Tables::add(const Register& reg, std::vector<Entry>& entries) {
    for (uint32_t i = 0; i < std::max(reg.array, 1u); ++i) {
        for (uint32_t half = 0; half < reg.dwords; ++half) {
            std::string name = reg.name;
            if (half != 0)
                name += "_HI";
            if (reg.array != 0)
                name += "[" + hex(i) + "]";
            entries.push_back(
                {(reg.first + i * reg.stride + half) * 4, texts.emplace_back(std::move(name))});
        }
    }
}

// Of several names of a register, the first is its own and the others lead to it.
Tables::Tables(Names generation) {
    std::vector<Entry> entries;
    for (const Register& reg : all_registers(generation))
        add(reg, entries);
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Entry& a, const Entry& b) { return a.offset < b.offset; });
    for (const Entry& entry : entries) {
        if (registers.empty() || registers.back().offset != entry.offset)
            registers.push_back({entry.offset, entry.name, 0, regs::Access::Unknown, false, 0, {}});
        names.push_back({entry.name, static_cast<uint16_t>(registers.size() - 1)});
    }
    std::sort(names.begin(), names.end(),
              [](const regs::NameInfo& a, const regs::NameInfo& b) { return a.name < b.name; });
    database.registers = {registers.data(), registers.size()};
    database.names = {names.data(), names.size()};
}

}  // namespace

const regs::RegisterDatabase& gpu_registers(Names names) {
    static const std::array<const Tables, 4> kAll{Tables(Names::A5xx), Tables(Names::A6xx),
                                                  Tables(Names::A7xx), Tables(Names::A750)};
    return kAll[static_cast<size_t>(names)].database;
}

}  // namespace archipelago::afuc
