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

// The tables that a database views.
struct Tables {
    explicit Tables(Names names);

    std::deque<std::string> texts;
    std::vector<regs::RegisterInfo> registers;
    std::vector<regs::NameInfo> names;
    regs::RegisterDatabase database{};

  private:
    void add(const RegisterName& reg, uint32_t n);
};

std::string name_in(const RegisterName& reg, uint32_t n) {
    if (reg.array)
        return std::string(reg.name) + "[" + hex(n) + "]";
    return n == 0 ? reg.name : std::string(reg.name) + "_HI";
}

// Another name of a register that is there leads to the same register.
void Tables::add(const RegisterName& reg, uint32_t n) {
    const std::string& name = texts.emplace_back(name_in(reg, n));
    const uint32_t offset = (reg.first + n) * 4;
    const auto place =
        std::lower_bound(registers.begin(), registers.end(), offset,
                         [](const regs::RegisterInfo& r, uint32_t o) { return r.offset < o; });
    if (place == registers.end() || place->offset != offset)
        registers.insert(place, {offset, name, 0, regs::Access::Unknown, false, 0, {}});
}

Tables::Tables(Names generation) {
    const std::vector<RegisterName> list = register_list(generation, Space::Gpu);
    for (const RegisterName& reg : list)
        for (uint32_t n = 0; n < reg.count; ++n)
            add(reg, n);
    size_t text = 0;
    for (const RegisterName& reg : list) {
        for (uint32_t n = 0; n < reg.count; ++n) {
            const uint32_t offset = (reg.first + n) * 4;
            const auto place = std::lower_bound(
                registers.begin(), registers.end(), offset,
                [](const regs::RegisterInfo& r, uint32_t o) { return r.offset < o; });
            names.push_back({texts[text++], static_cast<uint16_t>(place - registers.begin())});
        }
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
