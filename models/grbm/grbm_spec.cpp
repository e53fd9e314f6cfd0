// SPDX-License-Identifier: Apache-2.0
#include "models/grbm/grbm_spec.h"

#include <algorithm>

#include "models/common/register_bus.h"

namespace archipelago::grbm {

std::vector<Range> si_ranges() {
    std::vector<Range> ranges;
    for (const regs::si::BusRange& r : regs::si::kBusRanges)
        ranges.push_back({r.name, r.start, r.end, r.port, r.also});
    return ranges;
}

bool reaches(const std::vector<Range>& ranges, uint32_t offset) {
    return std::any_of(ranges.begin(), ranges.end(), [offset](const Range& range) {
        return offset >= range.start && offset <= range.end;
    });
}

std::vector<CopiedRange> si_copied() {
    std::vector<CopiedRange> ranges;
    for (const regs::si::BusCopies& c : regs::si::kBusCopies)
        ranges.push_back({c.start, c.end,
                          static_cast<uint8_t>((c.se ? kPerSe : 0) | (c.sh ? kPerSh : 0) |
                                               (c.instance ? kPerInstance : 0))});
    return ranges;
}

CopyCounts si_copy_counts() {
    return {regs::si::kBusMostSe, regs::si::kBusMostSh, regs::si::kBusMostInstance};
}

std::vector<SideEffect> si_side_effects() {
    std::vector<SideEffect> effects;
    for (const regs::si::BusSideEffect& e : regs::si::kBusSideEffects)
        effects.push_back({e.offset, e.name});
    return effects;
}

std::vector<std::string> Spec::problems() const {
    std::vector<std::string> list = range_problems(ranges, ports);
    for (const Range& range : ranges)
        if (range.also != kSelf && (range.also < kFirstBlock || range.also >= ports ||
                                    range.port < kFirstBlock || range.also == range.port))
            list.push_back("range " + range.name + ": port " + std::to_string(range.also) +
                           " cannot get its writes too");
    for (const CopiedRange& range : copied)
        if (!is_dword_range(range.start, range.end) || range.end >= kApertureBytes)
            list.emplace_back("copied registers: not a range of dwords in the register aperture");
    const unsigned copies = most.se * most.sh * most.instance;
    if (copies == 0 || (copies & (copies - 1)) != 0 || copies > RegisterCopies::kMostCopies)
        list.push_back("copies of registers: powers of two, together 1 to " +
                       std::to_string(RegisterCopies::kMostCopies));
    if (requests_per_cycle < 1)
        list.emplace_back("requests_per_cycle: at least 1");
    if (reads_in_flight < 1 || reads_in_flight > 255)
        list.emplace_back("reads_in_flight: 1 to 255");
    return list;
}

}  // namespace archipelago::grbm
