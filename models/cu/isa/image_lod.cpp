// SPDX-License-Identifier: Apache-2.0
#include "models/cu/isa/image_lod.h"

#include "models/cu/isa/image_format.h"
#include "models/cu/isa/small_float.h"

namespace archipelago::isa {

SampleLod::SampleLod(const Inst& inst, const WaveState& w, const ImageResource& r,
                     const SampleForm& form, const ImageRegisters& registers,
                     const ImageSampler& sampler)
    : w_(w),
      r_(r),
      form_(form),
      a_(registers),
      vaddr_(inst.vaddr),
      normalized_(!(sampler.unnormalized || inst.unorm)),
      bias_(sampler.lod_bias),
      sampler_(sampler) {
    // Integers are not filtered, and gathers read one level.
    if ((image_is_integer(r.nfmt) || form.gather) &&
        sampler.mip_filter == static_cast<uint8_t>(MipFilter::Linear)) {
        sampler_.mip_filter = static_cast<uint8_t>(MipFilter::Point);
        sampler_.mip_point_preclamp = false;
    }
}

float SampleLod::number(unsigned index, unsigned lane) const {
    return to_float(w_.v[vaddr_ + index][lane]);
}

// Squared length of the longer derivative, in texels of level 0.
double SampleLod::squared_footprint(const double (&rows)[3], const double (&columns)[3]) const {
    const double size[3] = {normalized_ ? r_.width_at(0) : 1.0, normalized_ ? r_.height_at(0) : 1.0,
                            normalized_ ? r_.depth_at(0) : 1.0};
    double across = 0.0;
    double down = 0.0;
    for (unsigned c = 0; c < r_.dims(); ++c) {
        across += rows[c] * size[c] * (rows[c] * size[c]);
        down += columns[c] * size[c] * (columns[c] * size[c]);
    }
    // A NaN counts as no derivative.
    across = across == across ? across : 0.0;
    down = down == down ? down : 0.0;
    return across > down ? across : down;
}

int32_t SampleLod::base_lod(unsigned lane) const {
    double rows[3] = {};
    double columns[3] = {};
    const unsigned quad = lane / kQuadLanes * kQuadLanes;
    switch (form_.lod) {
        case LodSource::Zero:
            return 0;
        case LodSource::Given:
            return lod_of_operand(number(a_.lod, lane));
        case LodSource::Quad:
            // Lanes of a quad: top left, top right, bottom left, bottom right, regardless of EXEC.
            for (unsigned c = 0; c < a_.dims; ++c) {
                const unsigned v = a_.coordinates + c;
                rows[c] = static_cast<double>(number(v, quad + 1)) - number(v, quad);
                columns[c] = static_cast<double>(number(v, quad + 2)) - number(v, quad);
            }
            break;
        case LodSource::Derivatives:
        case LodSource::CoarseDerivatives: {
            unsigned from = lane;
            if (form_.lod == LodSource::CoarseDerivatives) {
                from = quad + static_cast<unsigned>(__builtin_ctzll(w_.exec() >> quad & 15));
            }
            for (unsigned c = 0; c < a_.dims; ++c) {
                rows[c] = number(a_.derivatives + c, from);
                columns[c] = number(a_.derivatives + a_.dims + c, from);
            }
            break;
        }
    }
    return lod_of_squared(squared_footprint(rows, columns));
}

int32_t SampleLod::lod(unsigned lane) const {
    int32_t lod = base_lod(lane) + bias_;
    if (form_.bias) {
        const int32_t bias = lod_of_operand(number(a_.bias, lane));
        lod += bias < -32 * 256 ? -32 * 256 : bias > 32 * 256 ? 32 * 256 : bias;
    }
    return lod;
}

LevelChoice SampleLod::choose(unsigned lane, int32_t lod) const {
    int32_t lower = r_.min_lod;
    if (form_.clamp) {
        const int32_t clamp = lod_of_operand(number(a_.lod, lane));
        lower = clamp > lower ? clamp : lower;
    }
    return choose_level(lod, lower, sampler_, r_.levels());
}

}  // namespace archipelago::isa
