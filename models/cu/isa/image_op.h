// SPDX-License-Identifier: Apache-2.0
// Image instructions (MIMG): what they read and write, apart from time and memory.
//
//   ImageUnit unit;                              // one per compute unit
//   image_mem(inst, w, tiling, unit, op, image); // at issue
//   ... op.image: bring image.size(l, t) bytes from image.addr[l][t] to image.data[l][t], for every
//       texel with in_memory(l, t); else op is a plain store or atomic ...
//   image_complete(op, image, w);            // op.image only: filters and writes the registers
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/cu/isa/isa.h"
#include "models/mc/surface/surface.h"

namespace archipelago::isa {

// One image instruction that reads: up to sixteen texels for each lane. Plain data of fixed size;
// reuse it, it is about 36 KiB.
struct ImageOp {
    static constexpr unsigned kTexels = 16;  // two levels of a 3D image, eight texels each

    enum class Texel : uint8_t {
        Memory,  // an element of the surface
        Table,   // an entry of the border colour table, 16 bytes
        Border,  // a border colour that is no memory access
        Zero,    // out of range
    };
    enum class Result : uint8_t {
        Filter,  // weighted sum (or smallest, or largest) of the texels
        Gather,  // one component of four texels
        Raw,     // the element's bits
        Direct,  // `direct` holds the registers: no texels
    };

    // A wave that does not have the registers, rather than something that is not executed.
    bool bad_input = false;
    Result result = Result::Filter;
    uint8_t element_bytes = 0;
    uint8_t dfmt = 0, nfmt = 0;
    uint8_t dmask = 1;
    uint8_t registers = 0;  // components written; one more with `status`
    bool status = false;    // TFE
    bool sign_extend = false;
    bool compares = false;
    uint8_t compare = 0;      // SQ_TEX_DEPTH_COMPARE
    uint8_t filter_mode = 0;  // 0 weighted sum, 1 smallest, 2 largest
    uint8_t border = 0;       // SQ_TEX_BORDER_COLOR
    uint16_t dst_sel = 0;
    uint64_t lanes = 0;     // lanes whose registers are written
    uint64_t lod_warn = 0;  // of these: LOD below the resource's MIN_LOD_WARN

    uint8_t count[kLanes];   // texels of each lane
    uint8_t passes[kLanes];  // footprints of up to four texels that were filtered together
    Texel kind[kLanes][kTexels];
    uint8_t place[kLanes][kTexels];  // within a block: x | y << 4
    float reference[kLanes];         // of the compare
    double weight[kLanes][kTexels];  // exact; all of a lane's add up to 1
    uint64_t addr[kLanes][kTexels];
    alignas(16) uint8_t data[kLanes][kTexels][16];
    uint32_t direct[4][kLanes];

    uint8_t texel_bytes = 0;  // of a texel as the filter sees it; blocks count as their texels

    bool in_memory(unsigned lane, unsigned t) const { return kind[lane][t] <= Texel::Table; }
    unsigned size(unsigned lane, unsigned t) const {
        return kind[lane][t] == Texel::Table ? 16 : element_bytes;
    }
};

struct LaneLayout;

// What a texture unit keeps: the layouts of the resources used last.
class ImageUnit {
  public:
    struct Layout {
        uint32_t words[8] = {};
        bool short_form = false;
        bool valid = false;
        std::string error;  // not empty: the descriptor names something undefined
        std::array<surface::SurfaceLevel, surface::kMaxLevels> levels;
        bool lanes_ready = false;
        std::shared_ptr<LaneLayout> lanes;  // the same for whole waves, see image_wave.cpp
    };
    // Of a resource as it stands in SGPRs: eight words, or four with `short_form`. The reference
    // holds until the next call.
    const Layout& layout(const uint32_t* words, bool short_form,
                         const surface::TilingRegisters& tiling);
    // The same with `lanes` filled in.
    const Layout& lane_layout(const uint32_t* words, bool short_form,
                              const surface::TilingRegisters& tiling);

  private:
    Layout& find(const uint32_t* words, bool short_form, const surface::TilingRegisters& tiling);
    static constexpr unsigned kLayouts = 16;

    uint32_t gb_addr_config_ = 0;  // that the layouts were made with
    uint32_t tile_mode_[surface::TilingRegisters::kModes] = {};
    std::vector<Layout> layouts_;
    uint32_t hashes_[kLayouts] = {};  // of their words
    unsigned next_ = 0;               // to be replaced
};

// Fills `op` and, for what reads texels or answers queries, `image` from the registers as they are
// then. op.image tells which; op.unsupported why the instruction cannot be executed.
void image_mem(const Inst& inst, const WaveState& w, const surface::TilingRegisters& tiling,
               ImageUnit& unit, VectorMemOp& op, ImageOp& image);

// op.image: converts and filters image.data and writes the destination registers.
void image_complete(const VectorMemOp& op, const ImageOp& image, WaveState& w);

}  // namespace archipelago::isa
