// SPDX-License-Identifier: Apache-2.0
// RESOLVE: the mean of the samples of CB0 into CB1.
#include <algorithm>

#include "models/cb/target_write.h"
#include "models/raster/lane_floats.h"

namespace archipelago::cb {
namespace {

using raster::bits_of;
using raster::float_of;

// How components are averaged: `read` unpacks a sample, `write` packs the mean.
struct Averaging {
    ColourFormat read, write;

    Averaging(const ColourFormat& from, const ColourFormat& to, bool degamma)
        : read(from), write(to) {
        const bool linear = to.number == Encoding::Srgb && degamma;
        if (from.number != to.number || !from.normalised() || linear)
            return;
        // Codes are averaged, so that the mean is rounded once.
        const Encoding codes = from.number == Encoding::Snorm ? Encoding::Sint : Encoding::Uint;
        for (ColourFormat* format : {&read, &write}) {
            format->number = codes;
            for (ColourFormat::Field& f : format->field)
                f.encoding = codes;
        }
    }
};

class Resolve {
  public:
    Resolve(const ColourState& state, const Target& from, const Target& to,
            const raster::QuadBatch& batch, uint64_t lanes, const TargetMemory& memory)
        : from_(from),
          to_(to),
          quads_(Quads::of(batch)),
          lanes_(lanes),
          memory_(memory),
          averaging_(from.format, to.format, state.degamma) {}

    void run(uint32_t from_slice, uint32_t to_slice) {
        open_tiles(from_slice, to_slice);
        // Integers have no mean: sample 0 stands for the pixel.
        const unsigned samples = from_.format.integer() ? 1 : from_.samples;
        for (unsigned s = 0; s < samples; ++s)
            add_sample(s, from_slice);
        write_mean(to_slice);
    }

  private:
    void open_tiles(uint32_t from_slice, uint32_t to_slice) {
        TileMetadata from(from_, from_slice, memory_), to(to_, to_slice, memory_);
        uint64_t valid = 0;
        for (unsigned q = 0; q < quads_.count; ++q) {
            const uint64_t quad = lanes_ & uint64_t{0xF} << 4 * q;
            if (quad == 0)
                continue;
            if (from.open(quads_.x[q], quads_.y[q]))
                valid |= quad;
            to.open(quads_.x[q], quads_.y[q]);
        }
        if (from_.compressed)
            from.load_fragments(quads_, valid, fragments_);
    }

    // Samples whose colour no fragment has are left out.
    void add_sample(unsigned sample, uint32_t slice) {
        std::array<uint8_t, kLanes> fragment{};
        uint64_t known = 0;
        for (unsigned lane = 0; lane < quads_.lanes(); ++lane) {
            fragment[lane] =
                from_.compressed ? fragments_[lane][sample] : static_cast<uint8_t>(sample);
            known |= uint64_t{fragment[lane] < from_.fragments} << lane;
        }
        known &= lanes_;
        Addresses at;
        Vector dwords{}, colour{};
        find_pixels(from_.surface, quads_, slice, fragment, known, at);
        load_pixels(memory_.colours, from_.format.bytes, at, known, dwords);
        swap_bytes(from_.format, quads_.lanes(), dwords);
        unpack(averaging_.read, dwords, quads_.lanes(), colour);
        for (uint64_t left = known; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
            ++count_[lane];
            for (unsigned c = 0; c < 4; ++c)
                add(colour[c][lane], c, lane);
        }
    }
    void add(uint32_t value, unsigned c, unsigned lane) {
        switch (averaging_.read.number) {
            case Encoding::Uint:
                sum_[c][lane] += value;
                break;
            case Encoding::Sint:
                sum_[c][lane] += static_cast<int32_t>(value);
                break;
            default:
                sum_[c][lane] += double{float_of(value)};
        }
    }

    uint32_t mean(unsigned c, unsigned lane) const {
        const double x = sum_[c][lane] / std::max<unsigned>(1, count_[lane]);
        const double half = averaging_.write.nearest ? 0.5 : 0.0;
        switch (averaging_.write.number) {
            case Encoding::Uint:
                return static_cast<uint32_t>(static_cast<int64_t>(x + half));
            case Encoding::Sint:
                return static_cast<uint32_t>(static_cast<int64_t>(x < 0 ? x - half : x + half));
            default:
                return bits_of(static_cast<float>(x));
        }
    }
    void write_mean(uint32_t slice) {
        Addresses at;
        Vector colour{}, dwords{}, packed;
        for (uint64_t left = lanes_; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
            for (unsigned c = 0; c < 4; ++c)
                colour[c][lane] = mean(c, lane);
        }
        pack(averaging_.write, colour, quads_.lanes(), packed);
        find_pixels(to_.surface, to_.quads_in_line, quads_, slice, 0, at);
        if (to_.reads_destination) {
            load_pixels(memory_.colours, to_.format.bytes, at, lanes_, dwords);
            swap_bytes(to_.format, quads_.lanes(), dwords);
        }
        for (unsigned d = 0; d < to_.format.dwords; ++d)
            for (unsigned lane = 0; lane < quads_.lanes(); ++lane)
                dwords[d][lane] = (packed[d][lane] & to_.written_bits[d]) |
                                  (dwords[d][lane] & ~to_.written_bits[d]);
        swap_bytes(to_.format, quads_.lanes(), dwords);
        store_pixels(memory_.colours, to_.format.bytes, at, lanes_, dwords);
    }

    const Target& from_;
    const Target& to_;
    Quads quads_;
    uint64_t lanes_;
    TargetMemory memory_;
    Averaging averaging_;
    std::array<SampleFragments, kLanes> fragments_{};
    std::array<std::array<double, kLanes>, 4> sum_{};
    std::array<uint8_t, kLanes> count_{};
};

}  // namespace

unsigned resolve_pixels(const ColourState& state, const Target& from, const Target& to,
                        const raster::QuadBatch& batch, const TargetMemory& memory) {
    uint32_t from_slice = 0, to_slice = 0;
    if (!find_slice(from, batch, from_slice) || !find_slice(to, batch, to_slice) || to.written == 0)
        return 0;
    const uint64_t lanes = batch.covered();
    check_inside(from, batch, lanes);
    check_inside(to, batch, lanes);
    Resolve(state, from, to, batch, lanes, memory).run(from_slice, to_slice);
    return quads_of(lanes) * (from.samples + 1u);
}

}  // namespace archipelago::cb
