// SPDX-License-Identifier: Apache-2.0
// Which level or levels of an image a lane of a sampling instruction reads; private to
// models/cu/isa.
#pragma once

#include "models/cu/isa/image_address.h"
#include "models/cu/isa/image_sampler.h"
#include "models/cu/isa/isa.h"

namespace archipelago::isa {

class SampleLod {
  public:
    SampleLod(const Inst& inst, const WaveState& w, const ImageResource& r, const SampleForm& form,
              const ImageRegisters& registers, const ImageSampler& sampler);

    // Coordinates run from 0 to 1.
    bool normalized() const { return normalized_; }
    // So many lanes side by side choose alike, regardless of what their registers hold: 1, 4 or 64.
    unsigned alike() const {
        if (form_.bias || form_.clamp) {
            return 1;
        }
        switch (form_.lod) {
            case LodSource::Zero:
                return kLanes;
            case LodSource::Quad:
            case LodSource::CoarseDerivatives:
                return kQuadLanes;
            default:
                return 1;
        }
    }
    // Before the clamps.
    int32_t lod(unsigned lane) const;
    LevelChoice choose(unsigned lane, int32_t lod) const;

  private:
    static constexpr unsigned kQuadLanes = 4;

    float number(unsigned index, unsigned lane) const;
    double squared_footprint(const double (&rows)[3], const double (&columns)[3]) const;
    int32_t base_lod(unsigned lane) const;

    const WaveState& w_;
    const ImageResource& r_;
    const SampleForm form_;
    const ImageRegisters a_;
    const unsigned vaddr_;
    const bool normalized_;
    const int32_t bias_;
    ImageSampler sampler_;  // as far as levels go
};

}  // namespace archipelago::isa
