// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/isa/image.h"

namespace archipelago::afuc {

bool is_id(const Generation& generation, uint32_t word) {
    return is_payload(generation.encoding, word) && (word & kPayloadMask) != 0;
}

bool is_file(const Generation& generation, const std::vector<uint32_t>& words) {
    return words.size() >= 2 && words[0] == 0 && is_id(generation, words[1]);
}

std::vector<Section> sections(const Generation& generation, const uint32_t* words, uint32_t count) {
    std::vector<Section> list;
    for (uint32_t begin = 0; begin + 2 <= count;) {
        const uint32_t position = words[begin + 1] & kPayloadMask;
        if (!is_id(generation, words[begin]) ||
            !is_payload(generation.encoding, words[begin + 1]) || position < 2 ||
            uint64_t{begin} + position + kTableWords > count)
            break;
        const uint32_t end = begin + position + kTableWords;
        list.push_back({begin, end, begin + position});
        if (!generation.coprocessors)
            break;
        begin = (end + kSectionWords - 1) / kSectionWords * kSectionWords;
    }
    if (!list.empty())
        list.back().end = count;
    return list;
}

}  // namespace archipelago::afuc
