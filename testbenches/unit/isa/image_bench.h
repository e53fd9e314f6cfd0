// SPDX-License-Identifier: Apache-2.0
// Image descriptors for tests, a memory whose bytes follow from their address, and a scalar
// reference for sampling, written from the definitions and sharing nothing with the model but the
// surface addresses.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>

#include "models/cu/isa/image_op.h"
#include "models/mc/surface/surface.h"
#include "testbenches/unit/isa/float_bits.h"
#include "testbenches/unit/isa/machine.h"
#include "testbenches/unit/mc/tile_tables.h"

namespace archipelago::isa::test {

class ImageRandom {
  public:
    explicit ImageRandom(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
    uint32_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<uint32_t>(state_ >> 16);
    }
    uint32_t below(uint32_t n) { return next() % n; }
    double real(double low, double high) { return low + (high - low) * (next() / 4294967296.0); }

  private:
    uint64_t state_;
};

// As the radeon driver sets Tahiti (rows of 2 KiB).
inline surface::TilingRegisters tahiti_tiling() {
    const surface::SiTable& table = surface::kSiTables[0];
    surface::TilingRegisters t;
    t.gb_addr_config = table.gb_addr_config;
    std::copy(std::begin(table.modes), std::end(table.modes), t.tile_mode);
    t.decode();
    return t;
}
enum Tiling : unsigned { kLinear = 8, k1dThin = 13, k1dDisplay = 9, k2dThin = 14, k2dDisplay = 10 };

enum Type : unsigned { k1d = 8, k2d, k3d, kCube, k1dArray, k2dArray, k2dMsaa, k2dMsaaArray };

struct Resource {
    unsigned type = k2d;
    unsigned width = 16, height = 16, depth = 1, pitch = 128;  // texels
    unsigned base_level = 0, last_level = 0, base_array = 0, last_array = 0;
    unsigned dfmt = 10, nfmt = 0;  // 8_8_8_8 UNORM
    unsigned dst_sel = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    unsigned tiling = kLinear;
    unsigned min_lod = 0, min_lod_warn = 0;
    bool pow2_pad = false;
    uint64_t base = 0x40000000;

    void words(uint32_t* w) const {
        w[0] = static_cast<uint32_t>(base >> 8);
        w[1] = static_cast<uint32_t>(base >> 40) | min_lod << 8 | dfmt << 20 | nfmt << 26;
        w[2] = (width - 1) | (height - 1) << 14;
        w[3] = dst_sel | base_level << 12 | last_level << 16 | tiling << 20 |
               (pow2_pad ? 1u : 0u) << 25 | type << 28;
        w[4] = (depth - 1) | (pitch - 1) << 13;
        w[5] = base_array | last_array << 13;
        w[6] = min_lod_warn;
        w[7] = 0;
    }
    unsigned dims() const { return type == k1d || type == k1dArray ? 1 : type == k3d ? 3 : 2; }
    bool array() const { return type == k1dArray || type == k2dArray || type == k2dMsaaArray; }
    bool msaa() const { return type == k2dMsaa || type == k2dMsaaArray; }
    unsigned levels() const { return msaa() ? 1 : last_level - base_level + 1; }
    unsigned at_level(unsigned size, unsigned level) const {
        return std::max(1u, size >> (base_level + level));
    }
};

struct Sampler {
    unsigned wrap[3] = {};
    unsigned compare = 0;
    bool unnormalized = false, trunc = false, degamma = false, no_cube_wrap = false;
    unsigned filter_mode = 0;
    unsigned min_lod = 0, max_lod = 0xfff;  // 4.8
    int bias = 0;                           // 1/256
    unsigned mag = 0, min = 0, z = 0, mip = 0;
    bool preclamp = false;
    unsigned border_ptr = 0, border = 0;

    void words(uint32_t* w) const {
        w[0] = wrap[0] | wrap[1] << 3 | wrap[2] << 6 | compare << 12 |
               (unnormalized ? 1u : 0u) << 15 | (degamma ? 1u : 0u) << 20 |
               (trunc ? 1u : 0u) << 27 | (no_cube_wrap ? 1u : 0u) << 28 | filter_mode << 29;
        w[1] = min_lod | max_lod << 12;
        w[2] = (static_cast<uint32_t>(bias) & 0x3fff) | mag << 20 | min << 22 | z << 24 |
               mip << 26 | (preclamp ? 1u : 0u) << 28;
        w[3] = border_ptr | border << 30;
    }
};

struct Mimg {
    unsigned vdata = 16, vaddr = 0, srsrc = 8, ssamp = 16, dmask = 15;
    bool da = false, unorm = false, glc = false, tfe = false, lwe = false, r128 = false;
};
inline Inst mimg(Op op, const Mimg& m) {
    return decode_bits(enc::mimg::kId.put(enc::mimg::kIdValue) |
                           enc::mimg::kOp.put(op_info(op).number) | enc::mimg::kVdata.put(m.vdata) |
                           enc::mimg::kVaddr.put(m.vaddr) | enc::mimg::kSrsrcQuad.put(m.srsrc / 4) |
                           enc::mimg::kSsampQuad.put(m.ssamp / 4) | enc::mimg::kDmask.put(m.dmask) |
                           enc::mimg::kDa.put(m.da) | enc::mimg::kUnorm.put(m.unorm) |
                           enc::mimg::kGlc.put(m.glc) | enc::mimg::kTfe.put(m.tfe) |
                           enc::mimg::kLwe.put(m.lwe) | enc::mimg::kR128.put(m.r128),
                       2);
}

// Bytes that follow from the address, unless something was written there.
struct HashMemory {
    std::unordered_map<uint64_t, uint8_t> written;

    uint8_t byte(uint64_t at) const {
        const auto found = written.find(at);
        if (found != written.end()) {
            return found->second;
        }
        uint64_t h = (at + 0x1234567) * 0x9e3779b97f4a7c15ull;
        h ^= h >> 29;
        h *= 0xbf58476d1ce4e5b9ull;
        h ^= h >> 32;
        // Bit 6 clear: as the top byte of a half or float it stays small and finite.
        return static_cast<uint8_t>(h & 0xbf);
    }
    void read(uint64_t at, void* to, unsigned size) const {
        for (unsigned i = 0; i < size; ++i) {
            static_cast<uint8_t*>(to)[i] = byte(at + i);
        }
    }
    void write(uint64_t at, const void* from, unsigned size) {
        for (unsigned i = 0; i < size; ++i) {
            written[at + i] = static_cast<const uint8_t*>(from)[i];
        }
    }
};

// Runs image instructions on a machine and a memory.
struct ImageMachine : Machine {
    surface::TilingRegisters tiling = tahiti_tiling();
    ImageUnit unit;
    VectorMemOp op;
    std::unique_ptr<ImageOp> image{new ImageOp};
    HashMemory memory;

    void set(unsigned srsrc, const Resource& r) { r.words(&w.s[srsrc]); }
    void set(unsigned ssamp, const Sampler& s) { s.words(&w.s[ssamp]); }

    // Null, or why the instruction was refused.
    const char* execute(const Inst& inst) {
        image_mem(inst, w, tiling, unit, op, *image);
        if (op.unsupported != nullptr) {
            return op.unsupported;
        }
        if (op.image) {
            for (unsigned lane = 0; lane < kLanes; ++lane) {
                for (unsigned t = 0; (image->lanes >> lane & 1) != 0 && t < image->count[lane];
                     ++t) {
                    if (image->in_memory(lane, t)) {
                        memory.read(image->addr[lane][t], image->data[lane][t],
                                    image->size(lane, t));
                    }
                }
            }
            image_complete(op, *image, w);
            return nullptr;
        }
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            if ((op.lanes >> lane & 1) == 0) {
                continue;
            }
            uint8_t bytes[16] = {};
            const uint64_t at = op.addr[0][lane];
            if (op.kind == VectorMemOp::Kind::Store) {
                for (unsigned k = 0; k < op.dwords; ++k) {
                    std::memcpy(bytes + 4 * k, &op.data[k][lane], 4);
                }
                memory.write(at, bytes, op.bytes);
                continue;
            }
            uint64_t old = 0;
            memory.read(at, &old, op.bytes);
            const bool wide = op.bytes == 8;
            const uint64_t source =
                op.data[0][lane] | (wide ? uint64_t{op.data[1][lane]} << 32 : 0);
            const uint64_t compare = wide ? op.data[2][lane] | uint64_t{op.data[3][lane]} << 32
                                          : uint64_t{op.data[1][lane]};
            const uint64_t value =
                wide ? atomic64(op.atomic, old, source, compare)
                     : atomic32(op.atomic, static_cast<uint32_t>(old),
                                static_cast<uint32_t>(source), static_cast<uint32_t>(compare));
            memory.write(at, &value, op.bytes);
            op.data[0][lane] = static_cast<uint32_t>(old);
            op.data[1][lane] = static_cast<uint32_t>(old >> 32);
        }
        if (op.kind == VectorMemOp::Kind::Atomic && op.returns) {
            vector_mem_complete(op, w);
        }
        return nullptr;
    }
};

// ---- the reference ------------------------------------------------------------------------------

struct Texel {
    double c[4];
};

class Reference {
  public:
    Reference(const Resource& r, const surface::TilingRegisters& tiling, const HashMemory& memory)
        : r_(r), memory_(memory) {
        surface::ImageGeometry g;
        static const surface::ImageType kTypes[] = {
            surface::ImageType::D1,     surface::ImageType::D2,         surface::ImageType::D3,
            surface::ImageType::Cube,   surface::ImageType::D1Array,    surface::ImageType::D2Array,
            surface::ImageType::D2Msaa, surface::ImageType::D2MsaaArray};
        g.type = kTypes[r.type - 8];
        g.width = r.width;
        g.height = r.dims() == 1 ? 1 : r.height;
        g.depth = r.depth;
        g.pitch = r.pitch;
        g.samples = r.msaa() ? 1u << r.last_level : 1;
        g.last_level = r.msaa() ? 0 : r.last_level;
        g.block_width = g.block_height = r.dfmt >= 35 && r.dfmt <= 41 ? 4 : 1;
        g.element_bytes = element_bytes();
        g.tiling_index = r.tiling;
        g.pow2_pad = r.pow2_pad;
        g.base = r.base;
        valid = surface::make_levels(g, tiling.address, tiling.modes, levels_, error);
    }

    bool valid = false;
    std::string error;

    unsigned element_bytes() const {
        static const unsigned kBytes[] = {0, 1, 2, 2,  4,  4, 4, 4, 4, 4,
                                          4, 8, 8, 12, 16, 0, 2, 2, 2, 2};
        if (r_.dfmt < 20) {
            return kBytes[r_.dfmt];
        }
        switch (r_.dfmt) {
            case 22:
            case 35:
            case 38:
                return 8;
            case 57:
                return 1;
            case 58:
                return 2;
            default:
                return r_.dfmt >= 36 && r_.dfmt <= 41 ? 16 : 4;
        }
    }
    uint64_t address(unsigned level, unsigned x, unsigned y, unsigned slice,
                     unsigned sample = 0) const {
        const unsigned block = r_.dfmt >= 35 && r_.dfmt <= 41 ? 4 : 1;
        return surface::byte_address(levels_[r_.msaa() ? 0 : r_.base_level + level], x / block,
                                     y / block, slice, sample);
    }

    // Component values as real numbers, for formats of bit fields.
    Texel texel(unsigned level, unsigned x, unsigned y, unsigned slice, bool srgb = false) const {
        uint8_t raw[16] = {};
        memory_.read(address(level, x, y, slice), raw, element_bytes());
        return decode(raw, srgb);
    }
    Texel decode(const uint8_t* raw, bool srgb) const {
        static const char* const kFields[] = {
            "",        "8",        "16",          "8,8",        "32",
            "16,16",   "11,11,10", "10,11,11",    "2,10,10,10", "10,10,10,2",
            "8,8,8,8", "32,32",    "16,16,16,16", "32,32,32",   "32,32,32,32",
            "",        "5,6,5",    "5,5,5,1",     "1,5,5,5",    "4,4,4,4"};
        const char* spec = r_.dfmt < 20 ? kFields[r_.dfmt] : r_.dfmt == 57 ? "4,4" : "5,5,6";
        Texel t{{0, 0, 0, 1}};
        unsigned bit = 0;
        for (unsigned c = 0; *spec != 0; ++c) {
            char* end;
            const auto width = static_cast<unsigned>(std::strtoul(spec, &end, 10));
            spec = *end == ',' ? end + 1 : end;
            uint64_t v = 0;
            for (unsigned b = 0; b < width; ++b, ++bit) {
                v |= static_cast<uint64_t>(raw[bit / 8] >> (bit % 8) & 1) << b;
            }
            t.c[c] = number(v, width, srgb && c < 3);
        }
        return t;
    }
    double number(uint64_t v, unsigned width, bool srgb) const {
        const double top = std::ldexp(1.0, static_cast<int>(width)) - 1;
        const double half = std::ldexp(1.0, static_cast<int>(width) - 1);
        const double s = static_cast<double>(v) >= half ? static_cast<double>(v) - 2 * half
                                                        : static_cast<double>(v);
        switch (srgb ? 9 : r_.nfmt == 9 ? 0 : r_.nfmt) {
            case 0:
                return static_cast<float>(static_cast<double>(v) / top);
            case 1:
                return static_cast<float>(std::max(-1.0, s / (half - 1)));
            case 3:
            case 5:
                return s;
            case 6:
                return static_cast<float>((2 * s + 1) / top);
            case 7: {
                if (width == 32) {
                    return as_float(static_cast<uint32_t>(v));
                }
                const unsigned mantissa = width == 16 ? 10 : width - 5;
                const double m = std::fmod(static_cast<double>(v), std::ldexp(1, mantissa));
                const int e = static_cast<int>(v >> mantissa) & 31;
                const double sign = width == 16 && v >= 0x8000 ? -1 : 1;
                return sign * (e == 0 ? std::ldexp(m, -14 - static_cast<int>(mantissa))
                                      : std::ldexp(m + std::ldexp(1, mantissa),
                                                   e - 15 - static_cast<int>(mantissa)));
            }
            case 9: {
                const double c = static_cast<double>(v) / 255.0;
                return static_cast<float>(c <= 0.04045 ? c / 12.92
                                                       : std::pow((c + 0.055) / 1.055, 2.4));
            }
            default:
                return static_cast<double>(v);
        }
    }

    const Resource& resource() const { return r_; }

  private:
    Resource r_;
    const HashMemory& memory_;
    std::array<surface::SurfaceLevel, surface::kMaxLevels> levels_;
};

}  // namespace archipelago::isa::test
