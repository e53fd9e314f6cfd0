// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/toggles.h"

#include <algorithm>

namespace archipelago::rtl {
namespace {

uint64_t mask_of(unsigned bits) {
    return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

// The ranges of the bits that are set: "[31:9]", "[0]".
std::string ranges_text(uint64_t bits) {
    std::string text;
    for (int high = 63; high >= 0; --high) {
        if ((bits >> high & 1) == 0)
            continue;
        int low = high;
        while (low > 0 && (bits >> (low - 1) & 1) != 0)
            --low;
        text += "[" + std::to_string(high) +
                (low == high ? std::string() : ":" + std::to_string(low)) + "]";
        high = low;
    }
    return text;
}

}  // namespace

Toggles::Toggles(const PinTable& table) {
    for (const PinRow& pin : table.pins)
        if (pin.input)
            inputs_.push_back({&pin,
                               pin.field == "valid" ? nullptr : table.find(pin.port, "valid", true),
                               std::vector<Bits>(pin.elements)});
}

void Toggles::add(const void* in) {
    for (Input& input : inputs_) {
        const size_t count = input.elements.size();
        const size_t valids = input.valid == nullptr ? 1 : input.valid->elements;
        for (size_t i = 0; i < count; ++i) {
            if (input.valid != nullptr &&
                input.valid->get(in, count % valids == 0 ? i * valids / count : 0) == 0)
                continue;
            const uint64_t value = input.pin->get(in, i);
            input.elements[i].high |= value;
            input.elements[i].low |= ~value;
        }
    }
}

std::vector<std::string> Toggles::still() const {
    std::vector<std::string> all;
    for (const Input& input : inputs_) {
        std::vector<uint64_t> still;
        for (const Bits& bits : input.elements)
            still.push_back(mask_of(input.pin->bits) & ~(bits.high & bits.low));
        const bool same = std::all_of(still.begin(), still.end(),
                                      [&](uint64_t bits) { return bits == still.front(); });
        for (size_t i = 0; i < (same ? 1 : still.size()); ++i)
            if (still[i] != 0)
                all.push_back(input.pin->name() + (same ? "" : "[" + std::to_string(i) + "]") +
                              ranges_text(still[i]));
    }
    return all;
}

}  // namespace archipelago::rtl
