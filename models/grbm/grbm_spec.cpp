// SPDX-License-Identifier: Apache-2.0
#include "models/grbm/grbm_spec.h"

#include <algorithm>

#include "models/common/register_bus.h"

namespace archipelago::grbm {

bool reaches(const std::vector<Range>& ranges, uint32_t offset) {
    return std::any_of(ranges.begin(), ranges.end(), [offset](const Range& range) {
        return offset >= range.start && offset <= range.end;
    });
}

std::vector<std::string> Spec::problems() const {
    std::vector<std::string> list = range_problems(ranges, ports);
    if (!map.GRBM_GFX_INDEX.exists() || map.context.contexts > kContexts)
        list.emplace_back("map: expected the registers of a family");
    for (const Range& range : ranges)
        for (unsigned port = 0; port < 32; ++port)
            if ((range.also >> port & 1) != 0 &&
                (port < kFirstBlock || port >= ports || range.port == kSelf || port == range.port))
                list.push_back("range " + range.name + ": port " + std::to_string(port) +
                               " cannot get its writes too");
    for (const CopiedRange& range : copied)
        if (!is_dword_range(range.start, range.end) || range.end >= kApertureBytes)
            list.emplace_back("copied registers: not a range of dwords in the register aperture");
    const unsigned copies = most.se * most.sh * most.instance;
    if (copies == 0 || (copies & (copies - 1)) != 0 || copies > RegisterCopies::kMaxCopies)
        list.push_back("copies of registers: powers of two, together 1 to " +
                       std::to_string(RegisterCopies::kMaxCopies));
    if (requests_per_cycle < 1)
        list.emplace_back("requests_per_cycle: at least 1");
    if (reads_in_flight < 1 || reads_in_flight > 255)
        list.emplace_back("reads_in_flight: 1 to 255");
    return list;
}

}  // namespace archipelago::grbm
