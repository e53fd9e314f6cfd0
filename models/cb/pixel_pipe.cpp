// SPDX-License-Identifier: Apache-2.0
#include "models/cb/pixel_pipe.h"

#include <algorithm>

#include "models/common/error.h"

namespace archipelago::cb {
namespace {

constexpr uint32_t kOne = 0x3f800000u;

// CB_SHADER_MASK: components that the shader does not give are 0, alpha is 1.
void fill_absent(uint8_t absent, uint32_t one, unsigned lanes, Vector& colour) {
    for (unsigned c = 0; c < 4; ++c)
        if ((absent >> c & 1) != 0)
            std::fill_n(colour[c].begin(), lanes, c == kAlpha ? one : 0);
}

const raster::PixelExports::Target& exports_to(const raster::ShadedBatch& batch, unsigned number) {
    const raster::PixelExports& exports = batch.exports;
    if ((exports.colours >> number & 1) == 0 || exports.colour.size() <= number)
        throw MachineStop(StopKind::BadInput, "draw " + std::to_string(batch.quads.primitive.draw),
                          "its pixel shader exports nothing to MRT " + std::to_string(number) +
                              ", for which SPI_SHADER_COL_FORMAT has a format");
    return exports.colour[number];
}

// A target of half floats in the order of the export: its halves reach memory as they are, since
// conversion to binary32 and back changes none.
bool moves_halves(const Target& target) {
    const ColourFormat& format = target.format;
    bool moves = target.export_format == raster::ExportFormat::Fp16 && !target.blend.enabled &&
                 (format.stored & ~target.exported) == 0;
    for (unsigned i = 0; i < format.fields; ++i) {
        const ColourFormat::Field& f = format.field[i];
        moves = moves && f.encoding == Encoding::Float && f.bits == 16 && f.component == i;
    }
    return moves;
}

}  // namespace

PixelPipe::PixelPipe(const ColourState& state, const Target& target,
                     const raster::ShadedBatch& batch)
    : target_(target), lanes_(4u * batch.quads.quads) {
    const uint8_t needed = target.blend.enabled ? 0xF : target.format.stored;
    if (moves_halves(target)) {
        const raster::PixelExports::Target& exported = exports_to(batch, target.export_number);
        raster::check_export(target.export_format, exported);
        for (unsigned d = 0; d < target.format.dwords; ++d)
            std::copy_n(exported.data[d].begin(), lanes_, packed_[d].begin());
        return;
    }
    decode(batch, target.export_number, target.export_format, target.exported, needed, source_);
    if (target.index == 0 && state.dual_source)
        decode(batch, 1, state.source1_format, state.source1_exported, 0xF, source1_);
    if (!target.blend.enabled)
        pack(target.format, source_, lanes_, packed_);
}

void PixelPipe::decode(const raster::ShadedBatch& batch, unsigned number,
                       raster::ExportFormat format, uint8_t exported, uint8_t needed,
                       Vector& to) const {
    const auto present = static_cast<uint8_t>(needed & exported);
    fill_absent(static_cast<uint8_t>(needed & ~exported), target_.format.one(), lanes_, to);
    if (present == 0)
        return;
    raster::decode_exports(format, exports_to(batch, number), lanes_, present, kOne, to);
}

void PixelPipe::blend_with(const Vector& dwords, Vector& packed) const {
    Vector destination, result;
    const bool alpha_is_one =
        target_.destination_alpha_is_one || (target_.format.stored >> kAlpha & 1) == 0;
    unpack(target_.format, dwords, lanes_, destination);
    fill_absent(static_cast<uint8_t>(0x7 & ~target_.format.stored), kOne, lanes_, destination);
    if (alpha_is_one)
        fill_absent(1u << kAlpha, kOne, lanes_, destination);
    blend(target_.blend, source_, source1_, destination, target_.format.stored, lanes_, result);
    pack(target_.format, result, lanes_, packed);
}

void PixelPipe::apply(Vector& dwords) const {
    Vector blended;
    const Vector* result = &packed_;
    if (target_.reads_destination)
        swap_bytes(target_.format, lanes_, dwords);
    if (target_.blend.enabled) {
        blend_with(dwords, blended);
        result = &blended;
    }
    const bool copies = target_.rop.copies() && !target_.reads_destination;
    for (unsigned d = 0; d < target_.format.dwords; ++d) {
        const Lane& source = (*result)[d];
        Lane& to = dwords[d];
        if (copies) {
            std::copy_n(source.begin(), lanes_, to.begin());
            continue;
        }
        const uint32_t mask = target_.written_bits[d];
        const Rop3 rop = target_.rop;
        for (unsigned i = 0; i < lanes_; ++i)
            to[i] = (rop(source[i], to[i]) & mask) | (to[i] & ~mask);
    }
    swap_bytes(target_.format, lanes_, dwords);
}

}  // namespace archipelago::cb
