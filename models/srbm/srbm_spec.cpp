// SPDX-License-Identifier: Apache-2.0
#include "models/srbm/srbm_spec.h"

#include <fmt/core.h>

#include <algorithm>

#include "models/common/register_bus.h"

namespace archipelago::srbm {

std::vector<std::string> Spec::problems() const {
    std::vector<std::string> list = range_problems(ranges, kPorts);
    const auto own = [&](uint32_t offset) {
        return offset % 4 == 0 && std::any_of(ranges.begin(), ranges.end(), [&](const Range& r) {
                   return r.port == kSelf && offset >= r.start && offset <= r.end;
               });
    };
    for (const Rule& rule : rules)
        for (const uint32_t offset : {rule.offset, rule.other})
            if (!own(offset) && (offset != regs::kNoOffset || offset == rule.offset))
                list.push_back(fmt::format("rule of 0x{:05x}: 0x{:05x} is not kept here",
                                           rule.offset, offset));
    for (const ResetValue& reset : resets)
        if (!own(reset.offset))
            list.push_back(fmt::format("reset value: 0x{:05x} is not kept here", reset.offset));
    if (rules.size() > 254)
        list.emplace_back("more than 254 rules");
    if (requests_per_cycle < 1)
        list.emplace_back("requests_per_cycle: at least 1");
    if (reads_in_flight < 1 || reads_in_flight > 64)
        list.emplace_back("reads_in_flight: 1 to 64");
    return list;
}

}  // namespace archipelago::srbm
