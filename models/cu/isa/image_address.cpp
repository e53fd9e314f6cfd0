// SPDX-License-Identifier: Apache-2.0
#include "models/cu/isa/image_address.h"

#include "models/cu/isa/opcodes.h"

namespace archipelago::isa {
namespace {

uint8_t take(ImageRegisters& r, unsigned registers) {
    const uint8_t first = r.count;
    r.count = static_cast<uint8_t>(r.count + registers);
    return first;
}

void take_place(ImageRegisters& a, const ImageResource& r, bool array) {
    a.dims = static_cast<uint8_t>(r.dims());
    a.coordinates = take(a, a.dims);
    // The program declares whether it passes a slice; cubes always have a face.
    if (r.kind() == ImageType::Cube || (array && r.dims() != 3)) {
        a.slice = take(a, 1);
    }
}

}  // namespace

SampleForm sample_form(const Inst& inst) {
    SampleForm f;
    const unsigned number = op_info(inst.op).number;
    if (inst.op == Op::IMAGE_GET_LOD) {
        f.query = true;
        return f;
    }
    if (number >= 104) {
        // Coarse derivatives: bits offset, compare, clamp.
        f.lod = LodSource::CoarseDerivatives;
        f.offset = (number & 4) != 0;
        f.compare = (number & 2) != 0;
        f.clamp = (number & 1) != 0;
        return f;
    }
    f.gather = number >= 64;
    f.offset = (number & 16) != 0;
    f.compare = (number & 8) != 0;
    switch (number & 7) {
        case 1:
            f.clamp = true;
            break;
        case 2:
            f.lod = LodSource::Derivatives;
            break;
        case 3:
            f.lod = LodSource::Derivatives;
            f.clamp = true;
            break;
        case 4:
            f.lod = LodSource::Given;
            break;
        case 5:
            f.bias = true;
            break;
        case 6:
            f.bias = true;
            f.clamp = true;
            break;
        case 7:
            f.lod = LodSource::Zero;
            break;
        default:
            break;
    }
    return f;
}

ImageRegisters sample_registers(const SampleForm& form, const ImageResource& r, bool array) {
    ImageRegisters a;
    if (form.offset) {
        a.offset = take(a, 1);
    }
    if (form.bias) {
        a.bias = take(a, 1);
    }
    if (form.compare) {
        a.reference = take(a, 1);
    }
    if (form.lod == LodSource::Derivatives || form.lod == LodSource::CoarseDerivatives) {
        a.derivatives = take(a, 2 * r.dims());
    }
    take_place(a, r, array);
    if (form.clamp || form.lod == LodSource::Given) {
        a.lod = take(a, 1);
    }
    return a;
}

ImageRegisters access_registers(const ImageResource& r, bool array, bool level) {
    ImageRegisters a;
    take_place(a, r, array);
    if (r.is_msaa()) {
        a.sample = take(a, 1);
    }
    if (level) {
        a.lod = take(a, 1);
    }
    return a;
}

}  // namespace archipelago::isa
