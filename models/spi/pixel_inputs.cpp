// SPDX-License-Identifier: Apache-2.0
#include "models/spi/pixel_inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "models/common/error.h"

namespace archipelago::spi {
namespace {

constexpr unsigned kQuads = PackedWave::kQuads, kLanes = PackedWave::kLanes;
constexpr int32_t kSubpixels = raster::kSubpixels;

constexpr uint16_t bits(std::initializer_list<PixelInput> inputs) {
    unsigned mask = 0;
    for (const PixelInput input : inputs)
        mask |= 1u << static_cast<unsigned>(input);
    return static_cast<uint16_t>(mask);
}
constexpr uint16_t kPerspectivePairs =
    bits({PixelInput::PerspSample, PixelInput::PerspCenter, PixelInput::PerspCentroid});
constexpr uint16_t kLinearPairs =
    bits({PixelInput::LinearSample, PixelInput::LinearCenter, PixelInput::LinearCentroid});

Location either(bool first, Location a, Location b) {
    return first ? a : b;
}

// S and T of a point: 0 to 1 from the left and the top of its square. Its parameters are the same
// all over it, so I and J are free for what a sprite's coordinates are made of.
bool is_sprite(const raster::Primitive& p) {
    return p.shape == raster::Primitive::Shape::Point && p.parameters.count == 1;
}

using Plane = InputPlanes::Plane;

void set_up_sprite(const raster::Primitive& p, InputPlanes& planes) {
    const auto by_x = [](const raster::Point& a, const raster::Point& b) { return a.x < b.x; };
    const auto by_y = [](const raster::Point& a, const raster::Point& b) { return a.y < b.y; };
    const auto [left, right] = std::minmax_element(p.corner.begin(), p.corner.end(), by_x);
    const auto [top, bottom] = std::minmax_element(p.corner.begin(), p.corner.end(), by_y);
    planes.x0 = double(left->x) / kSubpixels;
    planes.y0 = double(top->y) / kSubpixels;
    const double width = double(right->x) / kSubpixels - planes.x0;
    const double height = double(bottom->y) / kSubpixels - planes.y0;
    const double inverse_w = p.plane[0].inverse_w;
    planes.i = {0, width > 0 ? 1 / width : 0, 0};
    planes.j = {0, 0, height > 0 ? 1 / height : 0};
    planes.inverse_w = {inverse_w, 0, 0};
    planes.i_over_w = {0, planes.i.dx * inverse_w, 0};
    planes.j_over_w = {0, 0, planes.j.dy * inverse_w};
}

// ---- lanes
// ---------------------------------------------------------------------------------------

using Lanes = std::array<float, kLanes>;

// Where in its quad each lane's values are taken: pixels from the upper left corner.
struct Offsets {
    Lanes x, y;
};

Offsets centre_offsets() {
    Offsets at{};
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        at.x[lane] = 0.5f + static_cast<float>(lane & 1);
        at.y[lane] = 0.5f + static_cast<float>(lane >> 1 & 1);
    }
    return at;
}

void move_to_sample(const PixelInputs& inputs, unsigned lane, int sample, Offsets& at) {
    constexpr float kUnit = 1.0f / raster::SamplePositions::kUnits;
    const auto& offset = inputs.samples.at[lane & 3][static_cast<unsigned>(sample)];
    at.x[lane] += kUnit * offset.x;
    at.y[lane] += kUnit * offset.y;
}

// A plane as the wave's quads see it: its value at each quad's corner, in the precision of the
// window's size, and its slopes.
struct QuadPlane {
    std::array<float, kQuads> corner, dx, dy;
};

QuadPlane at_quads(const PackedWave& packed, const InputPlanes* planes,
                   const Plane InputPlanes::*which) {
    QuadPlane out{};
    for (unsigned q = 0; q < packed.quads;) {
        const unsigned primitive = packed.primitive[q];
        const double x0 = planes[primitive].x0, y0 = planes[primitive].y0;
        const Plane plane = planes[primitive].*which;
        const auto dx = static_cast<float>(plane.dx), dy = static_cast<float>(plane.dy);
        for (; q < packed.quads && packed.primitive[q] == primitive; ++q) {
            out.corner[q] = static_cast<float>(plane.at0 + plane.dx * (packed.x[q] - x0) +
                                               plane.dy * (packed.y[q] - y0));
            out.dx[q] = dx;
            out.dy[q] = dy;
        }
    }
    return out;
}

Lanes at_lanes(const QuadPlane& plane, const Offsets& at) {
    Lanes out;
    for (unsigned q = 0; q < kQuads; ++q)
        for (unsigned lane = 4 * q; lane < 4 * q + 4; ++lane)
            out[lane] = plane.corner[q] + plane.dx[q] * at.x[lane] + plane.dy[q] * at.y[lane];
    return out;
}

// ---- one wave
// ------------------------------------------------------------------------------------

class Maker {
  public:
    Maker(const PixelInputs& inputs, const PackedWave& packed, const InputPlanes* planes,
          PixelWave& wave)
        : inputs_(inputs), packed_(packed), wave_(wave) {
        if (inputs.has_perspective()) {
            inverse_w_ = at_quads(packed, planes, &InputPlanes::inverse_w);
            i_over_w_ = at_quads(packed, planes, &InputPlanes::i_over_w);
            j_over_w_ = at_quads(packed, planes, &InputPlanes::j_over_w);
        }
        if (inputs.has_linear()) {
            i_ = at_quads(packed, planes, &InputPlanes::i);
            j_ = at_quads(packed, planes, &InputPlanes::j);
        }
        make_offsets();
    }
    void barycentrics();
    void position();
    void words();

  private:
    void make_offsets();
    const Offsets& at(Location location) const {
        static const Offsets kCentre = centre_offsets();
        return location == Location::Centroid && !centroid_at_centre_ ? centroid_
               : location == Location::Sample && inputs_.runs > 1     ? sample_
                                                                      : kCentre;
    }
    bool uses(Location location) const;
    void put(PixelInput input, unsigned element, const Lanes& values) {
        std::memcpy(wave_.input[first_element(input) + element].data(), values.data(),
                    sizeof values);
    }
    void put_perspective(PixelInput input, Location location);
    void put_linear(PixelInput input, Location location);
    void put_line_stipple();
    // Calls to(lane) -> uint32_t for the lanes of the quads.
    template <class Value>
    void put_words(PixelInput input, const Value& value) {
        auto& to = wave_.input[first_element(input)];
        for (unsigned lane = 0; lane < 4u * packed_.quads; ++lane)
            to[lane] = value(lane);
    }
    const raster::Primitive& primitive_of(unsigned lane) const {
        return packed_.primitives[packed_.primitive[lane / 4]];
    }

    const PixelInputs& inputs_;
    const PackedWave& packed_;
    PixelWave& wave_;
    QuadPlane inverse_w_, i_over_w_, j_over_w_, i_, j_;
    Offsets centroid_, sample_;
    bool centroid_at_centre_ = true;
};

bool Maker::uses(Location location) const {
    const auto input_at = [&](PixelInput input, Location at) {
        return inputs_.has(input) && at == location;
    };
    return input_at(PixelInput::PerspSample, Location::Sample) ||
           input_at(PixelInput::PerspCenter, inputs_.persp_center) ||
           input_at(PixelInput::PerspCentroid, inputs_.persp_centroid) ||
           input_at(PixelInput::LinearSample, Location::Sample) ||
           input_at(PixelInput::LinearCenter, inputs_.linear_center) ||
           input_at(PixelInput::LinearCentroid, inputs_.linear_centroid) ||
           inputs_.position == location;
}

void Maker::make_offsets() {
    if (!inputs_.samples.apart)
        return;
    if (uses(Location::Centroid)) {
        centroid_ = centre_offsets();
        for (unsigned lane = 0; lane < 4u * packed_.quads; ++lane) {
            const int sample = inputs_.samples.centroid(packed_.pixel_coverage[lane]);
            if (sample == raster::SamplePositions::kCentre)
                continue;
            centroid_at_centre_ = false;
            move_to_sample(inputs_, lane, sample, centroid_);
        }
    }
    if (inputs_.runs > 1 && uses(Location::Sample)) {
        sample_ = centre_offsets();
        for (unsigned lane = 0; lane < 4u * packed_.quads; ++lane)
            move_to_sample(inputs_, lane, packed_.sample[lane / 4], sample_);
    }
    wave_.centroid_at_centre = inputs_.may_skip_centroid && centroid_at_centre_;
}

void Maker::put_perspective(PixelInput input, Location location) {
    if (!inputs_.has(input))
        return;
    const Offsets& where = at(location);
    const Lanes inverse_w = at_lanes(inverse_w_, where);
    Lanes i = at_lanes(i_over_w_, where), j = at_lanes(j_over_w_, where);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        const float w = 1 / inverse_w[lane];
        i[lane] *= w;
        j[lane] *= w;
    }
    put(input, 0, i);
    put(input, 1, j);
}

void Maker::put_linear(PixelInput input, Location location) {
    if (!inputs_.has(input))
        return;
    const Offsets& where = at(location);
    put(input, 0, at_lanes(i_, where));
    put(input, 1, at_lanes(j_, where));
}

void Maker::barycentrics() {
    put_perspective(PixelInput::PerspSample, Location::Sample);
    put_perspective(PixelInput::PerspCenter, inputs_.persp_center);
    put_perspective(PixelInput::PerspCentroid, inputs_.persp_centroid);
    if (inputs_.has(PixelInput::PerspPullModel)) {
        const Offsets& where = at(Location::Centre);
        put(PixelInput::PerspPullModel, 0, at_lanes(i_over_w_, where));
        put(PixelInput::PerspPullModel, 1, at_lanes(j_over_w_, where));
        put(PixelInput::PerspPullModel, 2, at_lanes(inverse_w_, where));
    }
    put_linear(PixelInput::LinearSample, Location::Sample);
    put_linear(PixelInput::LinearCenter, inputs_.linear_center);
    put_linear(PixelInput::LinearCentroid, inputs_.linear_centroid);
}

void Maker::position() {
    const Offsets& where = at(inputs_.position);
    Lanes value{};
    if (inputs_.has(PixelInput::PosX)) {
        for (unsigned lane = 0; lane < kLanes; ++lane)
            value[lane] = static_cast<float>(packed_.x[lane / 4]) +
                          (inputs_.upper_left ? static_cast<float>(lane & 1) : where.x[lane]);
        put(PixelInput::PosX, 0, value);
    }
    if (inputs_.has(PixelInput::PosY)) {
        for (unsigned lane = 0; lane < kLanes; ++lane)
            value[lane] = static_cast<float>(packed_.y[lane / 4]) +
                          (inputs_.upper_left ? static_cast<float>(lane >> 1 & 1) : where.y[lane]);
        put(PixelInput::PosY, 0, value);
    }
    if (inputs_.has(PixelInput::PosZ)) {
        for (unsigned lane = 0; lane < 4u * packed_.quads; ++lane)
            value[lane] = static_cast<float>(primitive_of(lane).depth.at_point(
                packed_.x[lane / 4] * kSubpixels + static_cast<int32_t>(where.x[lane] * kSubpixels),
                packed_.y[lane / 4] * kSubpixels +
                    static_cast<int32_t>(where.y[lane] * kSubpixels)));
        put(PixelInput::PosZ, 0, value);
    }
    if (inputs_.has(PixelInput::PosW)) {
        value = at_lanes(inverse_w_, where);
        for (float& w : value)
            w = 1 / w;
        for (unsigned lane = 0; lane < 4u * packed_.quads; ++lane)
            if (is_sprite(primitive_of(lane)))
                value[lane] = primitive_of(lane).w;
        put(PixelInput::PosW, 0, value);
    }
}

// Pixels of the line's major axis from the start of the pattern.
void Maker::put_line_stipple() {
    Lanes value{};
    for (unsigned lane = 0; lane < 4u * packed_.quads; ++lane) {
        const raster::Primitive& p = primitive_of(lane);
        if (p.shape != raster::Primitive::Shape::Line)
            continue;
        const raster::Point& start = p.plane[0].at;
        const float here = p.x_major
                               ? static_cast<float>(packed_.x[lane / 4] + (lane & 1)) + 0.5f
                               : static_cast<float>(packed_.y[lane / 4] + (lane >> 1 & 1)) + 0.5f;
        const float first = static_cast<float>(p.x_major ? start.x : start.y) / kSubpixels;
        value[lane] =
            static_cast<float>(p.stipple_start) + (p.descending ? first - here : here - first);
    }
    put(PixelInput::LineStippleTex, 0, value);
}

void Maker::words() {
    if (inputs_.has(PixelInput::LineStippleTex))
        put_line_stipple();
    if (inputs_.has(PixelInput::FrontFace)) {
        constexpr uint32_t kOne = 0x3F800000, kSign = 0x80000000;
        const uint32_t front = inputs_.face_all_bits ? ~0u : kOne;
        const uint32_t back = inputs_.face_all_bits ? 0 : kOne | kSign;
        put_words(PixelInput::FrontFace,
                  [&](unsigned lane) { return primitive_of(lane).back_facing ? back : front; });
    }
    if (inputs_.has(PixelInput::Ancillary))
        put_words(PixelInput::Ancillary, [&](unsigned lane) {
            return uint32_t{packed_.sample[lane / 4]} << 8 |
                   uint32_t{primitive_of(lane).layer & 0x7FFu} << 16;
        });
    if (inputs_.has(PixelInput::SampleCoverage))
        put_words(PixelInput::SampleCoverage, [&](unsigned lane) {
            return uint32_t{packed_.pixel_coverage[lane]} & inputs_.exposed;
        });
    if (inputs_.has(PixelInput::PosFixedPt))
        put_words(PixelInput::PosFixedPt, [&](unsigned lane) {
            return (packed_.x[lane / 4] + (lane & 1)) | (packed_.y[lane / 4] + (lane >> 1 & 1))
                                                            << 16;
        });
}

}  // namespace

bool PixelInputs::has_perspective() const {
    return (enabled & (kPerspectivePairs | bits({PixelInput::PerspPullModel, PixelInput::PosW}))) !=
           0;
}

bool PixelInputs::has_linear() const {
    return (enabled & kLinearPairs) != 0;
}

PixelInputs decode_pixel_inputs(const RegisterMap& m, const raster::RegisterView& r) {
    PixelInputs out;
    out.enabled = static_cast<uint16_t>(r(m.SPI_PS_INPUT_ENA));
    const auto& where = m.SPI_BARYC_CNTL;
    const auto set = [&](const regs::NamedField& field) { return r.field(field) != 0; };
    out.persp_center = either(set(where.PERSP_CENTER_CNTL), Location::Centroid, Location::Centre);
    out.linear_center = either(set(where.LINEAR_CENTER_CNTL), Location::Centroid, Location::Centre);
    out.persp_centroid =
        either(set(where.PERSP_CENTROID_CNTL), Location::Centre, Location::Centroid);
    out.linear_centroid =
        either(set(where.LINEAR_CENTROID_CNTL), Location::Centre, Location::Centroid);
    const uint32_t position = r.field(where.POS_FLOAT_LOCATION);
    if (position > 2)
        throw MachineStop(StopKind::BadInput, "PS wave",
                          "SPI_BARYC_CNTL.POS_FLOAT_LOCATION is " + std::to_string(position) +
                              ", expected 0 centre, 1 centroid or 2 sample");
    out.position = static_cast<Location>(position);
    out.upper_left = set(where.POS_FLOAT_ULC);
    out.face_all_bits = set(where.FRONT_FACE_ALL_BITS);
    const auto both = [&](PixelInput a, PixelInput b) { return out.has(a) && out.has(b); };
    out.may_skip_centroid = !set(m.SPI_PS_IN_CONTROL.BC_OPTIMIZE_DISABLE) &&
                            (both(PixelInput::PerspCenter, PixelInput::PerspCentroid) ||
                             both(PixelInput::LinearCenter, PixelInput::LinearCentroid));
    out.samples = raster::decode_sample_positions(m.samples, r);
    if (set(m.PA_SC_MODE_CNTL_1.PS_ITER_SAMPLE))
        out.runs = std::min<unsigned>(1u << r.field(m.DB_EQAA.PS_ITER_SAMPLES), out.samples.count);
    const unsigned exposed = std::min<unsigned>(
        1u << r.field(m.PA_SC_AA_CONFIG.MSAA_EXPOSED_SAMPLES), raster::kMaxSamples);
    out.exposed = static_cast<uint16_t>((1u << exposed) - 1);
    return out;
}

InputPlanes set_up_planes(const PixelInputs& inputs, const raster::Primitive& p) {
    InputPlanes planes;
    if (is_sprite(p)) {
        set_up_sprite(p, planes);
        return planes;
    }
    const raster::PlaneVertex &v0 = p.plane[0], &v1 = p.plane[1], &v2 = p.plane[2];
    planes.x0 = double(v0.at.x) / kSubpixels;
    planes.y0 = double(v0.at.y) / kSubpixels;
    const int64_t x1 = int64_t{v1.at.x} - v0.at.x, y1 = int64_t{v1.at.y} - v0.at.y;
    const int64_t x2 = int64_t{v2.at.x} - v0.at.x, y2 = int64_t{v2.at.y} - v0.at.y;
    // Exact: coordinates have at most 28 bits.
    const int64_t area = x1 * y2 - x2 * y1;
    const double scale = area != 0 ? double(kSubpixels) / double(area) : 0;
    const double x1s = double(x1) * scale, y1s = double(y1) * scale;
    const double x2s = double(x2) * scale, y2s = double(y2) * scale;
    const auto plane = [&](double a, double b, double c) {
        return Plane{a, (b - a) * y2s - (c - a) * y1s, (c - a) * x1s - (b - a) * x2s};
    };
    if (inputs.has_perspective()) {
        const double w0 = v0.inverse_w, w1 = v1.inverse_w, w2 = v2.inverse_w;
        planes.inverse_w = plane(w0, w1, w2);
        planes.i_over_w = plane(v0.i * w0, v1.i * w1, v2.i * w2);
        planes.j_over_w = plane(v0.j * w0, v1.j * w1, v2.j * w2);
    }
    if (inputs.has_linear()) {
        planes.i = plane(v0.linear_i, v1.linear_i, v2.linear_i);
        planes.j = plane(v0.linear_j, v1.linear_j, v2.linear_j);
    }
    return planes;
}

void make_inputs(const PixelInputs& inputs, const PackedWave& packed, const InputPlanes* planes,
                 PixelWave& wave) {
    wave.centroid_at_centre = inputs.may_skip_centroid;
    Maker maker(inputs, packed, planes, wave);
    maker.barycentrics();
    maker.position();
    maker.words();
    if (packed.quads == kQuads)
        return;
    for (unsigned bit = 0; bit < kInputVgprs.size(); ++bit)
        for (unsigned n = 0; n < kInputVgprs[bit] && (inputs.enabled >> bit & 1) != 0; ++n) {
            auto& values = wave.input[first_element(static_cast<PixelInput>(bit)) + n];
            std::fill(values.begin() + 4 * packed.quads, values.end(), 0);
        }
}

}  // namespace archipelago::spi
