// SPDX-License-Identifier: Apache-2.0
#include "models/cb/fmask.h"

namespace archipelago::cb {
namespace {

// Samples that show fragment `f`.
uint16_t showing(const FmaskFormat& format, const SampleFragments& samples, unsigned f) {
    unsigned mask = 0;
    for (unsigned s = 0; s < format.samples; ++s)
        mask |= (samples[s] == f ? 1u : 0u) << s;
    return static_cast<uint16_t>(mask);
}

void show(const FmaskFormat& format, SampleFragments& samples, uint16_t mask, uint8_t fragment) {
    for (unsigned s = 0; s < format.samples; ++s)
        if ((mask >> s & 1) != 0)
            samples[s] = fragment;
}

// The lowest fragment that no sample but `covers` shows. Samples 0 to fragments - 1 (anchors)
// always get one: when none is left, another sample loses its fragment.
uint8_t fragment_for(const FmaskFormat& format, const SampleFragments& samples, uint16_t covers) {
    const auto anchors = static_cast<uint16_t>((1u << format.fragments) - 1);
    for (uint8_t f = 0; f < format.fragments; ++f)
        if ((showing(format, samples, f) & ~covers) == 0)
            return f;
    if ((covers & anchors) != 0)
        for (uint8_t f = 0; f < format.fragments; ++f)
            if ((showing(format, samples, f) & ~covers & anchors) == 0)
                return f;
    return format.unknown();
}

}  // namespace

// Widths: AMD's address library, FMASK surfaces as texture units read them.
unsigned FmaskFormat::bits_per_sample() const {
    const unsigned codes = fragments + (fragments < samples ? 1 : 0);
    return codes <= 2 ? 1 : codes <= 4 ? 2 : 4;
}
unsigned FmaskFormat::element_bytes() const {
    const unsigned bits = bits_per_sample() * samples;
    return bits <= 8 ? 1 : bits / 8;
}

SampleFragments FmaskFormat::decode(uint64_t element) const {
    SampleFragments to{};
    const unsigned bits = bits_per_sample();
    for (unsigned s = 0; s < samples; ++s) {
        const auto code = static_cast<uint8_t>(element >> (bits * s) & ((1u << bits) - 1));
        to[s] = code < fragments ? code : unknown();
    }
    return to;
}
uint64_t FmaskFormat::encode(const SampleFragments& samples_of_pixel) const {
    uint64_t element = 0;
    const unsigned bits = bits_per_sample();
    for (unsigned s = 0; s < samples; ++s)
        element |= uint64_t{samples_of_pixel[s]} << (bits * s);
    return element;
}

FragmentUpdate update_fragments(const FmaskFormat& format, const SampleFragments& before,
                                uint16_t covered, bool keeps_destination) {
    FragmentUpdate update;
    update.after = before;
    uint16_t left = covered;
    while (left != 0) {
        const uint8_t shown = before[static_cast<unsigned>(__builtin_ctz(left))];
        const auto covers =
            static_cast<uint16_t>(keeps_destination ? showing(format, before, shown) & left : left);
        left = static_cast<uint16_t>(left & ~covers);
        // Those whose turn is still to come occupy no fragment.
        SampleFragments others = update.after;
        show(format, others, left, format.unknown());
        const uint8_t to = fragment_for(format, others, covers);
        if (to != format.unknown()) {
            const auto lost = static_cast<uint16_t>(showing(format, others, to) & ~covers);
            show(format, update.after, lost, format.unknown());
            const uint8_t from = shown == format.unknown() ? uint8_t{0} : shown;
            update.access[update.count++] = {from, to, covers};
        }
        show(format, update.after, covers, to);
    }
    return update;
}

}  // namespace archipelago::cb
