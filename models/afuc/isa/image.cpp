// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/isa/image.h"

#include "models/common/text.h"

namespace archipelago::afuc {

namespace {

constexpr unsigned kIdShift = 12;
constexpr uint32_t kIdMask = 0xFFF;

struct KnownId {
    uint32_t id;
    const char* generation;
};
constexpr KnownId kKnownIds[] = {{0x5FF, "a5xx"}, {0x6EE, "a6xx"}, {0x6DC, "a6xx"}, {0x6DD, "a660"},
                                 {0x730, "a7xx"}, {0x740, "a7xx"}, {0x520, "a750"}};

}  // namespace

const Generation* generation_of_id(uint32_t word) {
    for (const KnownId& known : kKnownIds) {
        const Generation* const g = find_generation(known.generation);
        if ((word >> kIdShift & kIdMask) == known.id && is_payload(g->encoding, word))
            return g;
    }
    return nullptr;
}

std::string missing_section(const Generation& generation, const std::vector<uint32_t>& words,
                            uint32_t number) {
    const auto count = static_cast<uint32_t>(words.size());
    const std::vector<Section> list = sections(generation, words.data(), count);
    const auto found = static_cast<uint32_t>(list.size());
    uint32_t begin = 0;
    if (found != 0)
        begin =
            (list.back().table + kTableWords + kSectionWords - 1) / kSectionWords * kSectionWords;
    const std::string has = ", but the image has " + std::to_string(count) + " words";
    if (begin + 2 > count)
        return found == 0 ? "it has " + std::to_string(count) + " words: no ID and no packet table"
                          : "it ends behind section " + std::to_string(found - 1) + " of " +
                                std::to_string(number + 1);
    const std::string section = "its section " + std::to_string(found);
    if (!is_id(generation, words[begin]))
        return section + " begins with " + hex(words[begin]) + ", which is no ID word of " +
               generation.name;
    const uint32_t position = words[begin + 1] & kPayloadMask;
    if (!is_payload(generation.encoding, words[begin + 1]) || position < 2)
        return section + " has " + hex(words[begin + 1]) +
               " as second word, which is no place of a packet table";
    return section + " names a packet table at word " + std::to_string(begin + position) + " + " +
           std::to_string(kTableWords) + has;
}

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
