// SPDX-License-Identifier: Apache-2.0
#include "models/cb/tile_metadata.h"

#include "models/common/error.h"

namespace archipelago::cb {

uint8_t TileMetadata::code(uint32_t x, uint32_t y) {
    const surface::MetadataAddress at = surface::metadata_address(target_.cmask, x, y, slice_);
    return static_cast<uint8_t>(memory_.metadata.load<uint8_t>(at.byte) >> at.bit & 15);
}

void TileMetadata::set_code(uint32_t x, uint32_t y, uint8_t code) {
    const surface::MetadataAddress at = surface::metadata_address(target_.cmask, x, y, slice_);
    const auto byte = memory_.metadata.load<uint8_t>(at.byte);
    Line line;
    line[at.byte % kLineBytes] =
        static_cast<uint8_t>((byte & ~(15u << at.bit)) | unsigned{code} << at.bit);
    memory_.metadata.merge(line_of(at.byte), line.data(), bytes_in_line(at.byte, 1));
}

bool TileMetadata::open(uint32_t x, uint32_t y) {
    if (!target_.fast_clear)
        return target_.compressed;
    const uint8_t now = code(x, y);
    switch (now >> 2) {
        case 3:
            return target_.compressed && (now & 3) != 0;
        case 0:
            break;
        default:
            throw MachineStop(StopKind::Unimplemented, target_.name() + "_CMASK",
                              "code " + std::to_string(now) + ", a tile that is cleared in part");
    }
    fill(x, y);
    set_code(x, y, target_.compressed ? kCmaskFragment0 : kCmaskExpanded);
    if (target_.compressed && target_.keeps_fmask)
        expand(x, y);
    return target_.compressed && target_.keeps_fmask;
}

// With FMASK fragment 0 is all that a cleared pixel has.
void TileMetadata::fill(uint32_t x, uint32_t y) {
    if (target_.format.bytes > 8)
        throw MachineStop(
            StopKind::BadInput, target_.name() + "_INFO",
            "FAST_CLEAR of a tile whose pixels have 128 bits: the clear colour has 64");
    const TileQuads tile(x, y);
    Vector dwords;
    for (unsigned d = 0; d < target_.format.dwords; ++d)
        dwords[d].fill(target_.clear_word[d]);
    swap_bytes(target_.format, kLanes, dwords);
    const unsigned fragments = target_.compressed ? 1 : target_.fragments;
    for (unsigned f = 0; f < fragments; ++f) {
        Addresses at;
        find_pixels(target_.surface, target_.quads_in_line, tile, slice_, f, at);
        store_pixels(memory_.colours, target_.format.bytes, at, kAllLanes, dwords);
    }
}

void TileMetadata::expand(uint32_t x, uint32_t y) {
    const std::array<SampleFragments, kLanes> fragment0{};
    store_fragments(TileQuads(x, y), kAllLanes, fragment0);
    if (target_.fast_clear)
        set_code(x, y, kCmaskExpanded);
}

void TileMetadata::find_fmask(const Quads& quads, Addresses& at) const {
    const bool linear = surface::is_linear(target_.fmask.layout.mode.array);
    find_pixels(target_.fmask, !linear, quads, slice_, 0, at);
}

void TileMetadata::load_fragments(const Quads& quads, uint64_t lanes,
                                  std::array<SampleFragments, kLanes>& to) {
    Addresses at;
    Vector dwords;
    dwords[1].fill(0);
    find_fmask(quads, at);
    load_pixels(memory_.metadata, target_.fmask_format.element_bytes(), at, lanes, dwords);
    for (; lanes != 0; lanes &= lanes - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(lanes));
        to[lane] = target_.fmask_format.decode(uint64_t{dwords[1][lane]} << 32 | dwords[0][lane]);
    }
}

void TileMetadata::store_fragments(const Quads& quads, uint64_t lanes,
                                   const std::array<SampleFragments, kLanes>& from) {
    Addresses at;
    Vector dwords;
    find_fmask(quads, at);
    for (unsigned lane = 0; lane < quads.lanes(); ++lane) {
        const uint64_t element = target_.fmask_format.encode(from[lane]);
        dwords[0][lane] = static_cast<uint32_t>(element);
        dwords[1][lane] = static_cast<uint32_t>(element >> 32);
    }
    store_pixels(memory_.metadata, target_.fmask_format.element_bytes(), at, lanes, dwords);
}

}  // namespace archipelago::cb
