// SPDX-License-Identifier: Apache-2.0
#include "models/cb/target_write.h"

#include "models/cb/pixel_pipe.h"
#include "models/common/error.h"

namespace archipelago::cb {
namespace {

using raster::QuadBatch;

// One access to fragments of a batch's pixels: a lane at most once.
struct FragmentStep {
    uint64_t lanes = 0;
    std::array<uint8_t, kLanes> from{}, to{};
};

unsigned write_fragment(const Target& target, const Quads& quads, uint64_t lanes, uint32_t slice,
                        unsigned fragment, const PixelPipe& pipe, raster::PixelMemory& memory) {
    Addresses at;
    Vector dwords;
    find_pixels(target.surface, target.quads_in_line, quads, slice, fragment, at);
    if (target.reads_destination) {
        dwords = Vector{};
        load_pixels(memory, target.format.bytes, at, lanes, dwords);
    }
    pipe.apply(dwords);
    store_pixels(memory, target.format.bytes, at, lanes, dwords);
    return quads_of(lanes);
}

// A target without FMASK: sample s is fragment s. Samples beyond the fragments are not stored.
unsigned write_samples(const Target& target, const QuadBatch& batch,
                       const std::array<uint16_t, kLanes>& samples, uint32_t slice,
                       const PixelPipe& pipe, raster::PixelMemory& memory) {
    const Quads quads = Quads::of(batch);
    unsigned accesses = 0;
    for (unsigned f = 0; f < target.fragments; ++f) {
        uint64_t lanes = 0;
        for (unsigned lane = 0; lane < quads.lanes(); ++lane)
            lanes |= uint64_t{samples[lane] >> f & 1u} << lane;
        if (lanes != 0)
            accesses += write_fragment(target, quads, lanes, slice, f, pipe, memory);
    }
    return accesses;
}

// Pixels of a target with FMASK, in which a pixel is at most once.
class FragmentWrite {
  public:
    FragmentWrite(const Target& target, const QuadBatch& batch, uint32_t slice,
                  const TargetMemory& memory)
        : target_(target),
          quads_(Quads::of(batch)),
          slice_(slice),
          memory_(memory),
          metadata_(target, slice, memory) {}

    unsigned write(const std::array<uint16_t, kLanes>& samples, uint64_t lanes,
                   const PixelPipe& pipe) {
        open_tiles(lanes);
        metadata_.load_fragments(quads_, valid_, before_);
        plan(samples, lanes);
        const unsigned accesses = move(pipe);
        store_fragments(lanes);
        return accesses;
    }

  private:
    // `valid_`: lanes whose tile has its fragments in FMASK.
    void open_tiles(uint64_t lanes) {
        valid_ = 0;
        for_each_quad(lanes, [&](unsigned q, uint64_t quad) {
            if (metadata_.open(quads_.x[q], quads_.y[q]))
                valid_ |= quad;
        });
    }
    void plan(const std::array<uint16_t, kLanes>& samples, uint64_t lanes) {
        for (uint64_t left = lanes; left != 0; left &= left - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(left));
            const FragmentUpdate update = update_fragments(
                target_.fmask_format, before_[lane], samples[lane], target_.reads_destination);
            for (unsigned i = 0; i < update.count; ++i) {
                FragmentStep& step = steps_[i];
                step.lanes |= uint64_t{1} << lane;
                step.from[lane] = update.access[i].from;
                step.to[lane] = update.access[i].to;
            }
            if (update.after != before_[lane])
                changed_ |= uint64_t{1} << lane;
            before_[lane] = update.after;
        }
    }
    // Reads all fragments before it writes one.
    unsigned move(const PixelPipe& pipe) {
        unsigned accesses = 0;
        const unsigned bytes = target_.format.bytes;
        std::array<Vector, raster::kMaxSamples> dwords;
        Addresses at;
        for (unsigned i = 0; i < steps_.size() && steps_[i].lanes != 0; ++i) {
            const FragmentStep& step = steps_[i];
            dwords[i] = Vector{};
            if (target_.reads_destination) {
                find_pixels(target_.surface, quads_, slice_, step.from, step.lanes, at);
                load_pixels(memory_.colours, bytes, at, step.lanes, dwords[i]);
            }
            pipe.apply(dwords[i]);
        }
        for (unsigned i = 0; i < steps_.size() && steps_[i].lanes != 0; ++i) {
            const FragmentStep& step = steps_[i];
            find_pixels(target_.surface, quads_, slice_, step.to, step.lanes, at);
            store_pixels(memory_.colours, bytes, at, step.lanes, dwords[i]);
            accesses += quads_of(step.lanes);
        }
        return accesses;
    }
    void store_fragments(uint64_t lanes) {
        for_each_quad(lanes, [&](unsigned q, uint64_t quad) {
            if ((changed_ & quad) == 0)
                return;
            if ((valid_ & quad) == 0 && !metadata_.open(quads_.x[q], quads_.y[q]))
                metadata_.expand(quads_.x[q], quads_.y[q]);
        });
        metadata_.store_fragments(quads_, changed_, before_);
    }
    template <class Visit>
    void for_each_quad(uint64_t lanes, const Visit& visit) const {
        for (unsigned q = 0; q < quads_.count; ++q) {
            const uint64_t quad = lanes & uint64_t{0xF} << 4 * q;
            if (quad != 0)
                visit(q, quad);
        }
    }

    const Target& target_;
    Quads quads_;
    uint32_t slice_;
    TargetMemory memory_;
    TileMetadata metadata_;
    uint64_t valid_ = 0, changed_ = 0;
    std::array<SampleFragments, kLanes> before_{};
    std::array<FragmentStep, raster::kMaxSamples> steps_{};
};

// Quads from `first` on up to the one whose pixels are among them already (PS_ITER_SAMPLE).
unsigned end_of_unique(const QuadBatch& batch, unsigned first) {
    for (unsigned q = first + 1; q < batch.quads; ++q)
        for (unsigned earlier = first; earlier < q; ++earlier)
            if (batch.x[earlier] == batch.x[q] && batch.y[earlier] == batch.y[q])
                return q;
    return batch.quads;
}

// Cleared tiles of a target without FMASK get the clear colour.
void open_tiles(const Target& target, const QuadBatch& batch, uint64_t lanes, uint32_t slice,
                const TargetMemory& memory) {
    if (!target.fast_clear)
        return;
    TileMetadata metadata(target, slice, memory);
    for (unsigned q = 0; q < batch.quads; ++q)
        if ((lanes >> 4 * q & 15) != 0)
            metadata.open(batch.x[q], batch.y[q]);
}

uint64_t lanes_of_quads(unsigned first, unsigned end) {
    const uint64_t below = (uint64_t{1} << 4 * first) - 1;
    return end == QuadBatch::kQuads ? ~below : ((uint64_t{1} << 4 * end) - 1) & ~below;
}

}  // namespace

bool find_slice(const Target& target, const QuadBatch& batch, uint32_t& slice) {
    slice = target.first_slice + batch.primitive.layer;
    return slice <= target.last_slice;
}

void check_inside(const Target& target, const QuadBatch& batch, uint64_t lanes) {
    const Quads quads = Quads::of(batch);
    for (unsigned q = 0; q < quads.count; ++q) {
        if (quads.x[q] + 1u < target.width && quads.y[q] + 1u < target.height)
            continue;
        for (unsigned lane = 4 * q; lane < 4 * q + 4; ++lane)
            if ((lanes >> lane & 1) != 0 &&
                (quads.x_of(lane) >= target.width || quads.y_of(lane) >= target.height))
                throw MachineStop(
                    StopKind::BadInput,
                    "draw " + std::to_string(batch.primitive.draw) + ", " + target.name(),
                    "pixel (" + std::to_string(quads.x_of(lane)) + ", " +
                        std::to_string(quads.y_of(lane)) + ") is outside of the surface of " +
                        std::to_string(target.width) + " x " + std::to_string(target.height));
    }
}

uint16_t covered_samples(uint16_t coverage, unsigned raster_samples, unsigned target_samples) {
    unsigned covered = coverage & ((1u << raster_samples) - 1);
    for (unsigned n = raster_samples; n < target_samples; n *= 2)
        covered |= covered << n;
    for (unsigned n = raster_samples; n > target_samples; n /= 2)
        covered |= covered >> n / 2;
    return static_cast<uint16_t>(covered & ((1u << target_samples) - 1));
}

unsigned write_pixels(const ColourState& state, const Target& target,
                      const raster::ShadedBatch& batch, const TargetMemory& memory) {
    uint32_t slice = 0;
    if (!find_slice(target, batch.quads, slice))
        return 0;
    // A single sample is covered when any sample of the raster is.
    uint64_t lanes = target.samples == 1 ? batch.quads.covered() : 0;
    std::array<uint16_t, kLanes> samples;
    for (unsigned lane = 0; target.samples != 1 && lane < 4u * batch.quads.quads; ++lane) {
        samples[lane] =
            covered_samples(batch.quads.coverage[lane], state.raster_samples, target.samples);
        lanes |= uint64_t{samples[lane] != 0} << lane;
    }
    if (lanes == 0)
        return 0;
    check_inside(target, batch.quads, lanes);
    const PixelPipe pipe(state, target, batch);
    if (!target.compressed) {
        open_tiles(target, batch.quads, lanes, slice, memory);
        return target.samples == 1
                   ? write_fragment(target, Quads::of(batch.quads), lanes, slice, 0, pipe,
                                    memory.colours)
                   : write_samples(target, batch.quads, samples, slice, pipe, memory.colours);
    }
    unsigned accesses = 0;
    for (unsigned q = 0; q < batch.quads.quads;) {
        const unsigned end = end_of_unique(batch.quads, q);
        accesses += FragmentWrite(target, batch.quads, slice, memory)
                        .write(samples, lanes & lanes_of_quads(q, end), pipe);
        q = end;
    }
    return accesses;
}

}  // namespace archipelago::cb
