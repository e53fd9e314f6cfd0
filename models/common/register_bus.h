// SPDX-License-Identifier: Apache-2.0
// What the managers of the register buses share: the checks of their maps, their reads on the way,
// and their logs.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/memory_message.h"
#include "models/common/register_info.h"

namespace archipelago {

constexpr uint32_t kApertureBytes = 0x40000;  // of registers

inline bool is_dword_range(uint32_t start, uint32_t end) {
    return start <= end && start % 4 == 0 && end % 4 == 3;
}

// What is wrong with the ranges of a map, one sentence each. Range: name, start and end in bytes
// (inclusive), port.
template <class Range>
std::vector<std::string> range_problems(const std::vector<Range>& ranges, unsigned ports) {
    std::vector<std::string> list;
    for (const Range& range : ranges) {
        if (!is_dword_range(range.start, range.end))
            list.push_back(fmt::format("range {}: 0x{:05x}..0x{:05x} is not a range of dwords",
                                       range.name, range.start, range.end));
        if (range.end >= kApertureBytes)
            list.push_back("range " + range.name + ": beyond the register aperture");
        if (range.port >= ports)
            list.push_back("range " + range.name + ": no port " + std::to_string(range.port));
    }
    for (size_t i = 0; i < ranges.size(); ++i)
        for (size_t k = i + 1; k < ranges.size(); ++k)
            if (ranges[i].start <= ranges[k].end && ranges[k].start <= ranges[i].end)
                list.push_back(fmt::format("ranges {} and {} overlap at 0x{:05x}", ranges[i].name,
                                           ranges[k].name,
                                           std::max(ranges[i].start, ranges[k].start)));
    if (ranges.size() > 254)
        list.emplace_back("more than 254 ranges");
    return list;
}

// `reads` are the reads on their way to a port; the index of a read is the tag that the port sees
// and answers with. Read has a member `used`. Returns the lowest free index; one must be free.
template <class Read>
uint32_t free_place(const std::vector<Read>& reads) {
    uint32_t place = 0;
    while (reads[place].used)
        ++place;
    return place;
}
template <class Read>
struct OldestAnswer {
    Read* read = nullptr;  // the read that it answers; null: no answer to a read was due
    bool dropped = false;  // an answer to a write was removed: writes are posted
};
// Looks at the oldest answer of a port in cycle `now`. An answer to a read stays in `answers`. For
// an answer that no read has asked for it calls `stop_unsolicited`, which must not return.
template <class Read, class Stop>
OldestAnswer<Read> oldest_answer(Cycle now, Channel<RegResponse>& answers, std::vector<Read>& reads,
                                 const Stop& stop_unsolicited) {
    if (!answers.can_pop(now))
        return {};
    if (answers.front().write) {
        answers.drop(now);
        return {nullptr, true};
    }
    const uint32_t place = answers.front().tag;
    if (place >= reads.size() || !reads[place].used)
        stop_unsolicited();
    return {&reads[place], false};
}

// Lines of the log. `source`: who asks; `database`: may be null.
inline std::string access_text(const char* source, bool write, uint32_t offset, uint32_t value,
                               const regs::RegisterDatabase* database) {
    return std::string(source) + (write ? " writes " : " reads ") +
           (database != nullptr ? database->decode(offset, value)
                                : fmt::format("0x{:05x} = 0x{:08x}", offset, value));
}
// `range`: its name, null for a hole in the map.
inline std::string unknown_text(const char* source, const RegRequest& request, const char* range) {
    return fmt::format("{} {} unknown register 0x{:05x} in range {}", source,
                       request.write ? "writes" : "reads", request.offset,
                       range != nullptr ? range : "none");
}

}  // namespace archipelago
