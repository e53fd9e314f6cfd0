// SPDX-License-Identifier: Apache-2.0
// Which address register of an image instruction holds what; private to models/cu/isa.
#pragma once

#include <cstdint>

#include "models/cu/isa/image_resource.h"
#include "models/cu/isa/isa.h"

namespace archipelago::isa {

enum class LodSource : uint8_t { Quad, Derivatives, CoarseDerivatives, Given, Zero };

// What an opcode with a sampler does besides sampling.
struct SampleForm {
    bool gather = false;
    bool query = false;   // image_get_lod
    bool offset = false;  // packed texel offsets
    bool bias = false;
    bool compare = false;  // reference value
    bool clamp = false;    // lower limit of the LOD
    LodSource lod = LodSource::Quad;
};
SampleForm sample_form(const Inst& inst);

// Registers, counted from the instruction's vaddr; kNone: not there. With a sampler they stand in
// the order offset, bias, reference, derivatives (along the quad's rows, then its columns),
// coordinates, slice or face, LOD or LOD clamp; without one: coordinates, slice or face, sample,
// level.
struct ImageRegisters {
    static constexpr uint8_t kNone = 0xff;

    uint8_t count = 0;
    uint8_t dims = 0;  // coordinates
    uint8_t offset = kNone, bias = kNone, reference = kNone, derivatives = kNone;
    uint8_t coordinates = 0;
    uint8_t slice = kNone;   // and face
    uint8_t sample = kNone;  // of a multisample image
    uint8_t lod = kNone;     // LOD given, or LOD clamp; without sampler the level
};
ImageRegisters sample_registers(const SampleForm& form, const ImageResource& r, bool array);
ImageRegisters access_registers(const ImageResource& r, bool array, bool level);

}  // namespace archipelago::isa
