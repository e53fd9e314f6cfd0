// SPDX-License-Identifier: Apache-2.0
// Image instructions: address registers to texels.
#include <cstring>

#include "models/cu/isa/image_address.h"
#include "models/cu/isa/image_format.h"
#include "models/cu/isa/image_forms.h"
#include "models/cu/isa/image_lod.h"
#include "models/cu/isa/image_op.h"
#include "models/cu/isa/image_resource.h"
#include "models/cu/isa/image_sampler.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/operands.h"
#include "models/cu/isa/small_float.h"
#include "models/cu/isa/valu_env.h"
#include "models/cu/isa/vector_mem_start.h"

namespace archipelago::isa {
namespace {

unsigned bits_set(unsigned mask) {
    unsigned n = 0;
    for (; mask != 0; mask &= mask - 1) {
        ++n;
    }
    return n;
}

// Block formats unpack to four bytes, BC6 to eight.
uint8_t filter_bytes(const ImageFormat& f) {
    return !f.is_block() ? f.bytes : f.layout == ImageLayout::Bc6 ? 8 : 4;
}

// One instruction on one resource.
class Access {
  public:
    Access(const Inst& inst, const WaveState& w, const surface::TilingRegisters& tiling,
           ImageUnit& unit, VectorMemOp& op, ImageOp& image)
        : inst_(inst),
          w_(w),
          info_(op_info(inst.op)),
          r_(ImageResource::decode(&w.s[inst.srsrc], inst.r128)),
          layout_(unit.layout(&w.s[inst.srsrc], inst.r128, tiling)),
          border_colors_(uint64_t{tiling.cs_border_colors} * 256),
          op_(op),
          image_(image) {}

    void run() {
        start_vector_mem(inst_, op_);
        op_.bytes = 4;
        op_.dwords = 1;
        image_.bad_input = false;
        if (!layout_.error.empty()) {
            op_.unsupported = layout_.error.c_str();
            return;
        }
        switch (info_.mem) {
            case MemKind::ImageStore:
                store();
                break;
            case MemKind::ImageAtomic:
                atomic();
                break;
            case MemKind::ImageLoad:
                load();
                break;
            case MemKind::ImageSample:
                sample();
                break;
            case MemKind::ImageQuery:
                if (inst_.op == Op::IMAGE_GET_LOD) {
                    sample();
                } else {
                    resource_info();
                }
                break;
            default:
                op_.unsupported = "no image instruction";
                break;
        }
    }

  private:
    const VReg& reg(unsigned index) const { return w_.v[inst_.vaddr + index]; }
    float number(unsigned index, unsigned lane) const { return to_float(reg(index)[lane]); }

    bool has_registers(unsigned count) {
        if (inst_.vaddr + count <= w_.num_vgprs) {
            return true;
        }
        op_.unsupported =
            "the address of this image resource needs more registers than the wave has";
        image_.bad_input = true;
        return false;
    }

    // ---- places of texels -----------------------------------------------------------------------
    const surface::SurfaceLevel& level(uint32_t of_view) const {
        return layout_.levels[r_.is_msaa() ? 0 : r_.base_level + of_view];
    }
    uint64_t address(uint32_t of_view, uint32_t x, uint32_t y, uint32_t slice,
                     uint32_t sample = 0) const {
        const ImageFormat& f = image_format(r_.dfmt);
        return surface::byte_address(level(of_view), x / f.block_width, y / f.block_height, slice,
                                     sample);
    }
    uint8_t place(uint32_t x, uint32_t y) const {
        const ImageFormat& f = image_format(r_.dfmt);
        return static_cast<uint8_t>(x % f.block_width | (y % f.block_height) << 4);
    }

    // Texel an access without sampler names; false: there is none.
    bool texel(const ImageRegisters& a, unsigned lane, uint64_t& at, uint8_t& in_block) const {
        const uint32_t mip = a.lod != ImageRegisters::kNone && !r_.is_msaa() ? reg(a.lod)[lane] : 0;
        if (mip >= r_.levels()) {
            return false;
        }
        const uint32_t x = reg(a.coordinates)[lane];
        const uint32_t y = a.dims > 1 ? reg(a.coordinates + 1u)[lane] : 0;
        uint32_t slice = a.dims > 2 ? reg(a.coordinates + 2u)[lane] : 0;
        if (x >= r_.width_at(mip) || y >= r_.height_at(mip) || slice >= r_.depth_at(mip)) {
            return false;
        }
        if (r_.kind() != ImageType::Dim3) {
            const bool layered = r_.is_array() || r_.kind() == ImageType::Cube;
            if (layered && a.slice != ImageRegisters::kNone) {
                slice = reg(a.slice)[lane];
                if (slice >= r_.reachable_slices()) {
                    return false;
                }
            }
            slice += r_.base_array;
        }
        const uint32_t sample = a.sample != ImageRegisters::kNone ? reg(a.sample)[lane] : 0;
        if (sample >= r_.samples()) {
            return false;
        }
        at = address(mip, x, y, slice, sample);
        in_block = place(x, y);
        return true;
    }

    // ---- without sampler ------------------------------------------------------------------------
    void plain_addresses(const ImageRegisters& a) {
        for (uint64_t m = w_.exec(); m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            uint64_t at = 0;
            uint8_t in_block = 0;
            if (texel(a, lane, at, in_block)) {
                op_.addr[0][lane] = at;
                op_.lanes |= uint64_t{1} << lane;
            }
        }
    }

    void store() {
        op_.kind = VectorMemOp::Kind::Store;
        const ImageFormat& f = image_format(r_.dfmt);
        const bool packed = moves_raw_bits(inst_.op);
        op_.unsupported = packed && f.is_block() ? "image_store_pck to an image of a block format"
                          : packed               ? nullptr
                                                 : unsupported_image_store(r_.dfmt, r_.nfmt);
        const ImageRegisters a = access_registers(r_, inst_.da, names_level(inst_.op));
        if (op_.unsupported != nullptr || !has_registers(a.count)) {
            return;
        }
        op_.bytes = f.bytes;
        op_.dwords = static_cast<uint8_t>((f.bytes + 3) / 4);
        plain_addresses(a);
        const FpEnvPause host_floats;
        const unsigned mask = inst_.dmask != 0 ? inst_.dmask : 1;
        for (uint64_t m = op_.lanes; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            // Components without a register are 0.
            uint32_t given[4] = {};
            unsigned next = inst_.vdst;
            for (unsigned c = 0; c < 4; ++c) {
                if ((mask >> c & 1) != 0) {
                    given[c] = w_.v[next++][lane];
                }
            }
            uint32_t raw_dwords[4];
            if (packed) {
                std::memcpy(raw_dwords, given, sizeof given);
            } else {
                const uint32_t texel[4] = {given[r_.stored_from(0)], given[r_.stored_from(1)],
                                           given[r_.stored_from(2)], given[r_.stored_from(3)]};
                pack_texel(r_.dfmt, r_.nfmt, texel, raw_dwords);
            }
            for (unsigned k = 0; k < op_.dwords; ++k) {
                op_.data[k][lane] = raw_dwords[k];
            }
        }
    }

    void atomic() {
        op_.kind = VectorMemOp::Kind::Atomic;
        op_.atomic = info_.atomic;
        op_.returns = inst_.glc;
        // DMASK tells how many data registers there are, and so how wide the operation is.
        const unsigned registers = bits_set(inst_.dmask);
        const unsigned operands = compares(info_.atomic) ? 2 : 1;
        const bool contiguous_mask = (inst_.dmask & (inst_.dmask + 1u)) == 0;
        const ImageFormat& f = image_format(r_.dfmt);
        if (inst_.tfe) {
            op_.unsupported = "TFE (texture fail enable) on an image atomic";
        } else if (!contiguous_mask || (registers != operands && registers != 2 * operands)) {
            op_.unsupported = "image atomic whose DMASK fits neither 32 nor 64 bits";
        } else if (f.is_block() || f.bytes != 4 * registers / operands) {
            op_.unsupported = "image atomic on texels that are not as wide as its DMASK says";
        }
        const ImageRegisters a = access_registers(r_, inst_.da, false);
        if (op_.unsupported != nullptr || !has_registers(a.count)) {
            return;
        }
        op_.bytes = f.bytes;
        op_.dwords = f.bytes / 4;
        plain_addresses(a);
        op_.zero_lanes = w_.exec() & ~op_.lanes;
        for (unsigned k = 0; k < registers; ++k) {
            std::memcpy(op_.data[k], w_.v[inst_.vdst + k], sizeof(VReg));
        }
    }

    // What every instruction with results has in common.
    void start_image(ImageOp::Result result, unsigned registers) {
        op_.image = true;
        op_.returns = true;
        image_.result = result;
        image_.element_bytes = image_format(r_.dfmt).bytes;
        image_.texel_bytes = filter_bytes(image_format(r_.dfmt));
        image_.dfmt = r_.dfmt;
        image_.nfmt = r_.nfmt;
        image_.dmask = inst_.dmask != 0 ? inst_.dmask : 1;
        image_.registers = static_cast<uint8_t>(registers);
        image_.status = inst_.tfe;
        image_.sign_extend = false;
        image_.compares = false;
        image_.filter_mode = 0;
        image_.border = 0;
        image_.dst_sel = r_.dst_sel;
        image_.lanes = w_.exec();
        image_.lod_warn = 0;
        op_.dwords = static_cast<uint8_t>(registers + (inst_.tfe ? 1 : 0));
        op_.bytes = image_.element_bytes;
        op_.zero_lanes = 0;
        std::memset(image_.count, 0, sizeof image_.count);
        std::memset(image_.passes, 0, sizeof image_.passes);
    }
    unsigned masked_registers() const { return inst_.dmask != 0 ? bits_set(inst_.dmask) : 1; }
    void finish_image() {
        for (uint64_t m = image_.lanes; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            bool memory = false;
            for (unsigned t = 0; t < image_.count[lane]; ++t) {
                memory = memory || image_.in_memory(lane, t);
            }
            op_.lanes |= memory ? uint64_t{1} << lane : 0;
        }
        op_.zero_lanes = image_.lanes & ~op_.lanes;
        image_.lod_warn &= inst_.lwe ? ~uint64_t{0} : 0;
    }
    void put(unsigned lane, ImageOp::Texel kind, uint64_t at, uint8_t in_block, double weight) {
        const unsigned t = image_.count[lane]++;
        image_.kind[lane][t] = kind;
        image_.addr[lane][t] = at;
        image_.place[lane][t] = in_block;
        image_.weight[lane][t] = weight;
    }

    void load() {
        const bool with_lod = names_level(inst_.op);
        const ImageRegisters a = access_registers(r_, inst_.da, with_lod);
        if (!has_registers(a.count)) {
            return;
        }
        start_image(moves_raw_bits(inst_.op) ? ImageOp::Result::Raw : ImageOp::Result::Filter,
                    masked_registers());
        image_.sign_extend = extends_sign(inst_.op);
        for (uint64_t m = image_.lanes; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            uint64_t at = 0;
            uint8_t in_block = 0;
            const bool inside = texel(a, lane, at, in_block);
            put(lane, inside ? ImageOp::Texel::Memory : ImageOp::Texel::Zero, at, in_block, 1.0);
            image_.passes[lane] = 1;
            if (with_lod && !r_.is_msaa() && reg(a.lod)[lane] * 256ull < r_.min_lod_warn) {
                image_.lod_warn |= uint64_t{1} << lane;
            }
        }
        finish_image();
    }

    void resource_info() {
        if (!has_registers(1)) {
            return;
        }
        start_image(ImageOp::Result::Direct, masked_registers());
        for (uint64_t m = image_.lanes; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            const uint32_t mip = reg(0)[lane];
            uint32_t size[3] = {};
            if (mip < r_.levels()) {
                size[0] = r_.width_at(mip);
                size[1] = r_.dims() > 1 ? r_.height_at(mip) : 0;
                size[2] = r_.dims() > 2 ? r_.depth_at(mip) : 0;
                const bool layered = r_.is_array() || r_.kind() == ImageType::Cube;
                if (layered && inst_.da) {
                    size[r_.dims() == 1 ? 1 : 2] = r_.reachable_slices();
                }
            }
            for (unsigned c = 0; c < 3; ++c) {
                image_.direct[c][lane] = size[c];
            }
            image_.direct[3][lane] = r_.levels();
        }
        finish_image();
    }

    // ---- with sampler ---------------------------------------------------------------------------
    const char* refused_sample(const SampleForm& form, const ImageSampler& s) const {
        if (r_.is_msaa()) {
            return "sampling a multisample image";
        }
        if (s.mip_filter == 3) {
            return "sampler with a reserved MIP_FILTER";
        }
        if (s.z_filter == 3) {
            return "sampler with a reserved Z_FILTER";
        }
        if (s.filter_mode == 3) {
            return "sampler with a reserved FILTER_MODE";
        }
        if (form.gather && (inst_.dmask == 0 || (inst_.dmask & (inst_.dmask - 1)) != 0)) {
            return "image_gather4 whose DMASK is not one component";
        }
        if (form.gather && (r_.dims() != 2)) {
            return "image_gather4 on an image that is not 2D or a cube";
        }
        if (form.compare && image_is_integer(r_.nfmt)) {
            return "depth compare on an image of integers";
        }
        return nullptr;
    }

    struct Footprint {
        bool linear_xy = false, linear_z = false;
        bool normalized = true;
        int32_t offset[3] = {};
        uint32_t slice = 0;  // of what is not 3D; cubes: first face of the cube
        uint32_t face = 0;
    };

    void border_texel(unsigned lane, const ImageSampler& s, double weight) {
        if (s.border == BorderColor::Table) {
            put(lane, ImageOp::Texel::Table, border_colors_ + uint64_t{s.border_ptr} * 16, 0,
                weight);
        } else {
            put(lane, ImageOp::Texel::Border, 0, 0, weight);
        }
    }

    // One 2D or 3D footprint on one level; texels of weight 0 are left out unless `all`.
    void footprint(unsigned lane, const ImageSampler& s, const ImageRegisters& a,
                   const Footprint& p, uint32_t of_view, double weight, bool all) {
        const uint32_t size[3] = {r_.width_at(of_view), r_.height_at(of_view),
                                  r_.depth_at(of_view)};
        const bool cube = r_.kind() == ImageType::Cube;
        AxisTexels axis[3];
        for (unsigned c = 0; c < 3 && c < a.dims; ++c) {
            double value = number(a.coordinates + c, lane);
            // Face coordinates run from 1 to 2.
            value = cube && p.normalized ? value - 1.0 : value;
            const bool seamless = cube && !s.no_cube_wrap;
            axis[c] = axis_texels(value, size[c], seamless ? Wrap::ClampLastTexel : s.wrap[c],
                                  p.normalized, s.trunc_coord, c == 2 ? p.linear_z : p.linear_xy,
                                  p.offset[c]);
        }
        for (unsigned k = 0; k < (p.linear_z ? 2u : 1u); ++k) {
            const double z_weight = k == 0 ? 256 - axis[2].fraction : axis[2].fraction;
            if (z_weight == 0.0 && !all) {
                continue;
            }
            ++image_.passes[lane];
            const int32_t z = a.dims > 2 ? wrap_texel(axis[2].at[k], size[2], s.wrap[2]) : 0;
            for (unsigned j = 0; j < (p.linear_xy ? 2u : 1u); ++j) {
                for (unsigned i = 0; i < (p.linear_xy ? 2u : 1u); ++i) {
                    const double xy_weight =
                        (i == 0 ? 256.0 - axis[0].fraction : double(axis[0].fraction)) *
                        (j == 0 ? 256.0 - axis[1].fraction : double(axis[1].fraction));
                    if (xy_weight == 0.0 && !all) {
                        continue;
                    }
                    const double whole = weight * (z_weight / 256.0) * (xy_weight / 65536.0);
                    one_texel(lane, s, a, p, of_view, axis[0].at[i], axis[1].at[j], z, whole);
                }
            }
        }
    }

    void one_texel(unsigned lane, const ImageSampler& s, const ImageRegisters& a,
                   const Footprint& p, uint32_t of_view, int32_t x, int32_t y, int32_t z,
                   double weight) {
        const uint32_t width = r_.width_at(of_view);
        const uint32_t height = r_.height_at(of_view);
        uint32_t slice = p.slice;
        if (r_.kind() == ImageType::Cube) {
            CubeTexel at{p.face, x, y};
            if (s.no_cube_wrap) {
                at.x = wrap_texel(x, width, s.wrap[0]);
                at.y = wrap_texel(y, height, s.wrap[1]);
            } else {
                // Offsets reach no further than the neighbouring face's first row.
                const auto last = static_cast<int32_t>(width);
                at = cross_cube_edge(p.face,
                                     x < -1     ? -1
                                     : x > last ? last
                                                : x,
                                     y < -1     ? -1
                                     : y > last ? last
                                                : y,
                                     last);
            }
            x = at.x;
            y = at.y;
            slice += at.face;
        } else {
            x = wrap_texel(x, width, s.wrap[0]);
            y = a.dims > 1 ? wrap_texel(y, height, s.wrap[1]) : 0;
            slice = a.dims > 2 && z >= 0 ? static_cast<uint32_t>(z) : slice;
        }
        if (x < 0 || y < 0 || z < 0) {
            border_texel(lane, s, weight);
            return;
        }
        const auto ux = static_cast<uint32_t>(x);
        const auto uy = static_cast<uint32_t>(y);
        put(lane, ImageOp::Texel::Memory, address(of_view, ux, uy, slice), place(ux, uy), weight);
    }

    void find_slice(const ImageRegisters& a, unsigned lane, Footprint& p) const {
        if (r_.kind() == ImageType::Cube) {
            // Eight numbers for each cube of an array, six of them faces.
            const uint32_t n = named_slice(number(a.slice, lane), 65536);
            const uint32_t cubes = r_.reachable_slices() >= 6 ? r_.reachable_slices() / 6 : 1;
            const uint32_t cube = n / 8 < cubes ? n / 8 : cubes - 1;
            p.face = n % 8 < 6 ? n % 8 : 5;
            p.slice = r_.base_array + cube * 6;
            return;
        }
        p.slice = r_.base_array;
        if (r_.is_array() && a.slice != ImageRegisters::kNone) {
            p.slice += named_slice(number(a.slice, lane), r_.reachable_slices());
        }
    }

    // What samples compare or read, from format and sampler.
    void start_sample(const SampleForm& form, const ImageSampler& s) {
        start_image(form.query    ? ImageOp::Result::Direct
                    : form.gather ? ImageOp::Result::Gather
                                  : ImageOp::Result::Filter,
                    form.gather ? 4 : masked_registers());
        image_.compares = form.compare;
        image_.compare = s.compare;
        image_.filter_mode = s.filter_mode;
        image_.border = static_cast<uint8_t>(s.border);
        const auto srgb = static_cast<uint8_t>(NumFormat::Srgb);
        if (s.degamma && r_.nfmt == static_cast<uint8_t>(NumFormat::Unorm) &&
            unsupported_image_read(r_.dfmt, srgb) == nullptr) {
            image_.nfmt = srgb;
        }
    }

    void sample() {
        const SampleForm form = sample_form(inst_);
        const ImageSampler s = ImageSampler::decode(&w_.s[inst_.ssamp]);
        op_.unsupported = refused_sample(form, s);
        const ImageRegisters a = sample_registers(form, r_, inst_.da);
        if (op_.unsupported != nullptr || !has_registers(a.count)) {
            return;
        }
        const FpEnvPause host_floats;
        start_sample(form, s);
        // Integers are not filtered.
        const bool integers = image_is_integer(r_.nfmt);
        const SampleLod lods(inst_, w_, r_, form, a, s);
        Footprint p;
        p.normalized = lods.normalized();
        for (uint64_t m = image_.lanes; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            const int32_t lod = lods.lod(lane);
            const LevelChoice choice = lods.choose(lane, lod);
            if (choice.lod < r_.min_lod_warn) {
                image_.lod_warn |= uint64_t{1} << lane;
            }
            if (form.query) {
                answer_lod(lane, choice, lod);
                continue;
            }
            const uint8_t filter = choice.magnified ? s.mag_filter : s.min_filter;
            p.linear_xy = form.gather || ((filter & 1) != 0 && !integers);
            p.linear_z = r_.dims() == 3 && !integers &&
                         (s.z_filter == 2 || (s.z_filter == 0 && p.linear_xy));
            if (form.offset) {
                const uint32_t packed = reg(a.offset)[lane];
                for (unsigned c = 0; c < 3; ++c) {
                    p.offset[c] = static_cast<int32_t>(packed << (26 - 8 * c)) >> 26;
                }
            }
            if (form.compare) {
                image_.reference[lane] = number(a.reference, lane);
            }
            find_slice(a, lane, p);
            const double next = choice.fraction / 256.0;
            footprint(lane, s, a, p, choice.level, 1.0 - next, form.gather);
            if (choice.fraction != 0) {
                footprint(lane, s, a, p, choice.level + 1, next, false);
            }
        }
        finish_image();
    }

    void answer_lod(unsigned lane, const LevelChoice& choice, int32_t lod) {
        const double level = choice.level + choice.fraction / 256.0;
        image_.direct[0][lane] = to_bits(static_cast<float>(level));
        image_.direct[1][lane] = to_bits(static_cast<float>(lod / 256.0));
        image_.direct[2][lane] = 0;
        image_.direct[3][lane] = 0;
    }

    const Inst& inst_;
    const WaveState& w_;
    const OpInfo& info_;
    const ImageResource r_;
    const ImageUnit::Layout& layout_;
    const uint64_t border_colors_;
    VectorMemOp& op_;
    ImageOp& image_;
};

}  // namespace

void image_mem(const Inst& inst, const WaveState& w, const surface::TilingRegisters& tiling,
               ImageUnit& unit, VectorMemOp& op, ImageOp& image) {
    Access(inst, w, tiling, unit, op, image).run();
}

}  // namespace archipelago::isa
