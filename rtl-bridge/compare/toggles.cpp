// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/toggles.h"

#include <algorithm>
#include <cstring>

namespace archipelago::rtl {
namespace {

uint64_t mask_of(unsigned bits) {
    return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

template <class Word>
void note_word(uint8_t* seen, const uint8_t* now, Word inverted) {
    Word a, b;
    std::memcpy(&a, seen, sizeof a);
    std::memcpy(&b, now, sizeof b);
    a = static_cast<Word>(a | (b ^ inverted));
    std::memcpy(seen, &a, sizeof a);
}

// Adds the bits that are set now; of inverted bytes those that are not. It runs in every cycle:
// eight bytes at a time.
void note(uint8_t* seen, const uint8_t* now, size_t bytes, uint64_t inverted) {
    size_t at = 0;
    for (; at + 8 <= bytes; at += 8)
        note_word(seen + at, now + at, inverted);
    for (; at < bytes; ++at)
        note_word(seen + at, now + at, static_cast<uint8_t>(inverted));
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

Toggles::Toggles(const PinTable& table)
    : table_(table), high_(table.in_bytes), low_(table.in_bytes) {
    for (const PinRow& pin : table.pins) {
        if (!pin.input)
            continue;
        const PinRow* const valid =
            pin.field == "valid" ? nullptr : table.find(pin.port, "valid", true);
        const size_t valids = valid == nullptr ? 1 : valid->elements;
        for (size_t i = 0; i < pin.elements; ++i)
            add_run({pin.offset + i * pin.element_bytes, pin.element_bytes, valid,
                     pin.elements % valids == 0 ? i * valids / pin.elements : 0});
    }
}

void Toggles::add_run(const Run& run) {
    Run* const last = runs_.empty() ? nullptr : &runs_.back();
    if (last != nullptr && last->valid == run.valid && last->element == run.element &&
        last->offset + last->bytes == run.offset)
        last->bytes += run.bytes;
    else
        runs_.push_back(run);
}

void Toggles::add(const void* in) {
    const auto* const now = static_cast<const uint8_t*>(in);
    for (const Run& run : runs_) {
        if (run.valid != nullptr && run.valid->get(in, run.element) == 0)
            continue;
        note(high_.data() + run.offset, now + run.offset, run.bytes, 0);
        note(low_.data() + run.offset, now + run.offset, run.bytes, ~uint64_t{0});
    }
}

std::vector<std::string> Toggles::still() const {
    std::vector<std::string> all;
    for (const PinRow& pin : table_.pins) {
        if (!pin.input)
            continue;
        std::vector<uint64_t> still;
        for (size_t i = 0; i < pin.elements; ++i)
            still.push_back(mask_of(pin.bits) &
                            ~(pin.get(high_.data(), i) & pin.get(low_.data(), i)));
        const bool same = std::all_of(still.begin(), still.end(),
                                      [&](uint64_t bits) { return bits == still.front(); });
        for (size_t i = 0; i < (same ? 1 : still.size()); ++i)
            if (still[i] != 0)
                all.push_back(pin.name() + (same ? "" : "[" + std::to_string(i) + "]") +
                              ranges_text(still[i]));
    }
    return all;
}

}  // namespace archipelago::rtl
