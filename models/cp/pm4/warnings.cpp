// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pm4/warnings.h"

#include "models/common/error.h"

namespace archipelago::cp {

namespace {

struct WarningText {
    const char* counter;
    const char* unit;
    const char* meaning;  // of the counter, and of several in a summary
};
constexpr WarningText kTexts[] = {
    {"eos_apart", "packets", "EVENT_WRITE_EOS that did not directly follow their draw or dispatch"},
    {"unknown_registers", "transactions", "accesses to registers that are not on the bus"},
    {"zero_headers", "packets", "packets with a header of 0"},
    {"dispatches_without_base", "packets", "DISPATCH_INDIRECT without a SET_BASE before them"},
    {"dispatches_without_shader_type", "packets", "dispatches with SHADER_TYPE 0"},
    {"dispatches_disabled", "packets", "dispatches with COMPUTE_SHADER_EN 0, which start nothing"},
    {"large_vmids", "packets", "indirect buffers with a VMID there is not"},
};
static_assert(sizeof kTexts / sizeof kTexts[0] == static_cast<size_t>(Warning::kCount));

}  // namespace

void Warnings::add(Warning warning, const Location& place, const std::string& what) {
    if (strict_)
        throw MachineStop(StopKind::BadInput, to_string(place), what);
    Kind& kind = kinds_[static_cast<size_t>(warning)];
    if (kind.count++ == 0)
        kind.first = to_string(place) + ": " + what;
}

void Warnings::describe(std::vector<std::string>& lines) const {
    for (size_t i = 0; i < kinds_.size(); ++i)
        if (kinds_[i].count != 0)
            lines.push_back(std::to_string(kinds_[i].count) + " " + kTexts[i].meaning +
                            "; first: " + kinds_[i].first);
}

void Warnings::register_stats(const UnitStats& add, Warning first, Warning last) const {
    for (auto i = static_cast<size_t>(first); i <= static_cast<size_t>(last); ++i)
        add(kTexts[i].counter, kTexts[i].unit, kTexts[i].meaning, &kinds_[i].count);
}

}  // namespace archipelago::cp
