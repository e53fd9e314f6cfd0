// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/chip_names.h"

#include <stdexcept>
#include <vector>

#include "models/common/register_info.h"
#include "models/config/suggest.h"

namespace archipelago::host {

void fail(const Source& source, const std::string& what) {
    throw std::runtime_error(source.to_string() + ": " + what);
}

uint32_t register_offset(const asic::ChipDescription& chip, const RegisterExpectation& e,
                         const Source& source) {
    const auto* database = chip.spec<regs::RegisterDatabase>();
    if (database == nullptr)
        fail(source, chip.identity().name + " has no registers by name");
    if (const auto* info = database->find_by_name(e.name))
        return info->offset;
    std::vector<std::string> names;
    for (const auto& info : database->registers)
        names.emplace_back(info.name);
    const auto near = config::closest(e.name, names);
    fail(source, "unknown register " + e.name + (near ? ", did you mean " + *near + "?" : ""));
}

asic::InterruptSource interrupt_source(const asic::ChipDescription& chip, const std::string& name,
                                       const Source& source) {
    const std::vector<asic::InterruptSource> known = chip.interrupts();
    std::string list;
    for (size_t i = 0; i < known.size(); ++i) {
        if (known[i].name == name)
            return known[i];
        list += (i == 0 ? "" : i + 1 == known.size() ? " or " : ", ") + known[i].name;
    }
    fail(source, "unknown interrupt \"" + name + "\", expected " + list);
}

}  // namespace archipelago::host
