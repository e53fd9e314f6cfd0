// SPDX-License-Identifier: Apache-2.0
// Image instructions: texels to registers.
#include <cstring>

#include "models/cu/isa/image_format.h"
#include "models/cu/isa/image_op.h"
#include "models/cu/isa/number_format.h"
#include "models/cu/isa/valu_env.h"

namespace archipelago::isa {
namespace {

struct Value {
    uint32_t c[4];
};

uint32_t one_of(const ImageOp& image) {
    return image_is_integer(image.nfmt) ? 1 : kOneFloat;
}

Value texel_value(const ImageOp& image, unsigned lane, unsigned t) {
    Value v{};
    switch (image.kind[lane][t]) {
        case ImageOp::Texel::Memory:
            unpack_texel(image.dfmt, image.nfmt, image.data[lane][t], image.place[lane][t] & 15,
                         image.place[lane][t] >> 4, v.c);
            break;
        case ImageOp::Texel::Table:
            std::memcpy(v.c, image.data[lane][t], sizeof v.c);
            break;
        case ImageOp::Texel::Border: {
            const uint32_t one = one_of(image);
            v.c[0] = v.c[1] = v.c[2] = image.border == 2 ? one : 0;
            v.c[3] = image.border != 0 ? one : 0;
            break;
        }
        case ImageOp::Texel::Zero:
            break;
    }
    return v;
}

// Reference against texel, as SQ_TEX_DEPTH_COMPARE orders them: 1 or 0.
uint32_t compare(const ImageOp& image, float reference, uint32_t texel) {
    const float t = to_float(texel);
    if (image.nfmt == static_cast<uint8_t>(NumFormat::Unorm) ||
        image.nfmt == static_cast<uint8_t>(NumFormat::Srgb)) {
        reference = reference > 1.0f ? 1.0f : reference > 0.0f ? reference : 0.0f;
    }
    const unsigned relation = reference < t ? 1 : reference == t ? 2 : reference > t ? 4 : 8;
    // Not a number: only "not equal" and "always" hold.
    const bool holds =
        relation == 8 ? image.compare == 5 || image.compare == 7 : (image.compare & relation) != 0;
    return holds ? kOneFloat : 0;
}

Value filtered(const ImageOp& image, unsigned lane) {
    const unsigned count = image.count[lane];
    double sum[4] = {};
    Value first{};
    for (unsigned t = 0; t < count; ++t) {
        Value v = texel_value(image, lane, t);
        if (image.compares) {
            v = {{compare(image, image.reference[lane], v.c[0]), 0, 0, kOneFloat}};
        }
        if (count == 1) {
            return v;  // integers and exact bits pass unchanged
        }
        for (unsigned c = 0; c < 4; ++c) {
            const double x = to_float(v.c[c]);
            switch (image.filter_mode) {
                case 1:
                    sum[c] = t == 0 || x < sum[c] ? x : sum[c];
                    break;
                case 2:
                    sum[c] = t == 0 || x > sum[c] ? x : sum[c];
                    break;
                default:
                    sum[c] += x * image.weight[lane][t];
                    break;
            }
        }
    }
    for (unsigned c = 0; c < 4; ++c) {
        first.c[c] = to_bits(static_cast<float>(sum[c]));
    }
    return first;
}

uint32_t selected(const ImageOp& image, const Value& v, unsigned component) {
    const unsigned sel = image.dst_sel >> (3 * component) & 7;
    return sel >= 4 ? v.c[sel - 4] : sel == 1 ? one_of(image) : 0;
}

Value gathered(const ImageOp& image, unsigned lane) {
    // Texels stand row by row; registers go round: lower left, lower right, upper right, upper left
    // (rows count downwards).
    static constexpr unsigned kOrder[4] = {2, 3, 1, 0};
    const auto component = static_cast<unsigned>(__builtin_ctz(image.dmask));
    Value out{};
    for (unsigned k = 0; k < 4; ++k) {
        Value v = texel_value(image, lane, kOrder[k]);
        if (image.compares) {
            v = {{compare(image, image.reference[lane], v.c[0]), 0, 0, kOneFloat}};
        }
        out.c[k] = selected(image, v, component);
    }
    return out;
}

Value raw_value(const ImageOp& image, unsigned lane) {
    Value v{};
    if (image.kind[lane][0] != ImageOp::Texel::Memory) {
        return v;
    }
    std::memcpy(v.c, image.data[lane][0], image.element_bytes < 16 ? image.element_bytes : 16);
    if (image.sign_extend && image.element_bytes == 1) {
        v.c[0] = static_cast<uint32_t>(int32_t{static_cast<int8_t>(v.c[0])});
    } else if (image.sign_extend && image.element_bytes == 2) {
        v.c[0] = static_cast<uint32_t>(int32_t{static_cast<int16_t>(v.c[0])});
    }
    return v;
}

}  // namespace

void image_complete(const VectorMemOp& op, const ImageOp& image, WaveState& w) {
    const FpEnvPause host_floats;
    for (uint64_t m = image.lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        unsigned next = op.vdst;
        if (image.result == ImageOp::Result::Gather) {
            const Value v = gathered(image, lane);
            for (unsigned c = 0; c < 4; ++c) {
                w.v[next++][lane] = v.c[c];
            }
        } else {
            Value v{};
            switch (image.result) {
                case ImageOp::Result::Raw:
                    v = raw_value(image, lane);
                    break;
                case ImageOp::Result::Direct:
                    for (unsigned c = 0; c < 4; ++c) {
                        v.c[c] = image.direct[c][lane];
                    }
                    break;
                default: {
                    const Value whole = filtered(image, lane);
                    for (unsigned c = 0; c < 4; ++c) {
                        v.c[c] = selected(image, whole, c);
                    }
                    break;
                }
            }
            for (unsigned c = 0; c < 4; ++c) {
                if ((image.dmask >> c & 1) != 0) {
                    w.v[next++][lane] = v.c[c];
                }
            }
        }
        if (image.status) {
            w.v[next][lane] = static_cast<uint32_t>(image.lod_warn >> lane & 1);
        }
    }
}

}  // namespace archipelago::isa
