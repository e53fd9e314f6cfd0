// SPDX-License-Identifier: Apache-2.0
// The VGPR inputs of pixel waves: barycentric coordinates, position, face, coverage, for the quads
// of a wave. Untimed: the timed SPI and the functional mode share it. Registers: public register
// headers; order and meaning of the inputs: Mesa si_shader.c.
#pragma once

#include <array>
#include <cstdint>

#include "models/gcn/draw_message.h"
#include "models/raster/register_sets.h"
#include "models/raster/sample_positions.h"
#include "models/spi/packed_wave.h"
#include "models/spi/register_map.h"

namespace archipelago::spi {

// Bits of SPI_PS_INPUT_ENA and _ADDR.
enum class PixelInput : uint8_t {
    PerspSample,
    PerspCenter,
    PerspCentroid,
    PerspPullModel,
    LinearSample,
    LinearCenter,
    LinearCentroid,
    LineStippleTex,
    PosX,
    PosY,
    PosZ,
    PosW,
    FrontFace,
    Ancillary,
    SampleCoverage,
    PosFixedPt,
    kCount
};
// VGPRs of each.
constexpr std::array<uint8_t, 16> kInputVgprs = {2, 2, 2, 3, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1};
// The first element of PixelWave::input that an input has.
constexpr std::array<uint8_t, 16> kFirstElement = {0,  2,  4,  6,  9,  11, 13, 15,
                                                   16, 17, 18, 19, 20, 21, 22, 23};
constexpr unsigned first_element(PixelInput input) {
    return kFirstElement[static_cast<unsigned>(input)];
}

// Where in a pixel a value is interpolated.
enum class Location : uint8_t {
    Centre,
    Centroid,  // of the covered samples
    Sample,    // the one that the shader runs for; the centre when it runs for the pixel
};

// The registers of a context that say what pixel waves start with.
struct PixelInputs {
    uint16_t enabled = 0;  // a bit for each PixelInput
    Location persp_center = Location::Centre, persp_centroid = Location::Centroid;
    Location linear_center = Location::Centre, linear_centroid = Location::Centroid;
    Location position = Location::Centre;  // of POS_X, _Y, _Z, _W
    bool upper_left = false;               // POS_X and POS_Y are those of the pixel's corner
    bool face_all_bits = false;            // FRONT_FACE is all ones or 0, else 1.0 or -1.0
    bool may_skip_centroid = false;        // a wave may say that its centroids are centres
    unsigned runs = 1;                     // of the shader for a pixel (PS_ITER_SAMPLE)
    uint16_t exposed = 0xFFFF;             // samples that SAMPLE_COVERAGE shows
    raster::SamplePositions samples;

    bool has(PixelInput input) const { return (enabled >> static_cast<unsigned>(input) & 1) != 0; }
    bool has_perspective() const;
    bool has_linear() const;
};

// Throws MachineStop(BadInput) naming the register for what the registers do not define.
PixelInputs decode_pixel_inputs(const RegisterMap& map, const raster::RegisterView& registers);

// Values over the window that a primitive's inputs are made of, set up once for each primitive.
struct InputPlanes {
    // value(x, y) = at0 + dx * (x - x0) + dy * (y - y0), in pixels.
    struct Plane {
        double at0 = 0, dx = 0, dy = 0;
    };
    double x0 = 0, y0 = 0;
    Plane inverse_w, i_over_w, j_over_w;  // perspective
    Plane i, j;                           // linear
};
InputPlanes set_up_planes(const PixelInputs& inputs, const raster::Primitive& primitive);

// Writes the enabled inputs of all lanes of the quads, covered or not, and 0 for those after the
// last quad; and PixelWave::centroid_at_centre. `planes`: of packed.primitives, room for 16.
void make_inputs(const PixelInputs& inputs, const PackedWave& packed, const InputPlanes* planes,
                 PixelWave& wave);

}  // namespace archipelago::spi
