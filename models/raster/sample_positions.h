// SPDX-License-Identifier: Apache-2.0
// Where the samples of a pixel lie, and which of them stands for the pixel in centroid
// interpolation: PA_SC_AA_* and PA_SC_CENTROID_PRIORITY_*. The scan converter covers samples at
// these positions, SPI interpolates at them, DB computes depth at them.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/named_register.h"
#include "models/raster/quad_batch.h"
#include "models/raster/register_sets.h"

namespace archipelago::raster {

struct SampleRegisters {
    const regs::RegisterDatabase* database = nullptr;  // of the chip's family

    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField MSAA_NUM_SAMPLES{*this, "MSAA_NUM_SAMPLES"};
    } PA_SC_AA_CONFIG{database, "PA_SC_AA_CONFIG"};
    struct : regs::NamedRegister {
        using NamedRegister::NamedRegister;
        regs::NamedField MSAA_ENABLE{*this, "MSAA_ENABLE"};
    } PA_SC_MODE_CNTL_0{database, "PA_SC_MODE_CNTL_0"};
    // Samples 0 to 3, 4 to 7, ... of a pixel, four registers for each pixel of a quad.
    std::array<regs::NamedRegisters<4>, 4> PA_SC_AA_SAMPLE_LOCS_PIXEL = {
        regs::numbered<4>(database, "PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y0_"),
        regs::numbered<4>(database, "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y0_"),
        regs::numbered<4>(database, "PA_SC_AA_SAMPLE_LOCS_PIXEL_X0Y1_"),
        regs::numbered<4>(database, "PA_SC_AA_SAMPLE_LOCS_PIXEL_X1Y1_")};
    regs::NamedRegisters<2> PA_SC_CENTROID_PRIORITY =
        regs::numbered<2>(database, "PA_SC_CENTROID_PRIORITY_");
};

// Sample positions of a context. Pixels of a quad are numbered 2 * (y & 1) + (x & 1), as
// QuadBatch's lanes are.
struct SamplePositions {
    // 1/16 pixel from the centre of the pixel, -8 to 7.
    struct Offset {
        int8_t x = 0, y = 0;
    };
    static constexpr int kCentre = -1;
    static constexpr int kUnits = 16;  // in a pixel

    // Samples of a pixel: 1, 2, 4, 8 or 16. Without MSAA_ENABLE all lie at the centre, and a single
    // sample always does.
    uint8_t count = 1;
    bool apart = false;  // positions are programmed: not all at the centre
    std::array<std::array<Offset, kMaxSamples>, 4> at{};
    // Samples in the order in which they stand for a pixel that is not wholly covered.
    std::array<uint8_t, kMaxSamples> priority{};

    // Mask of all samples.
    uint16_t all() const { return static_cast<uint16_t>((1u << count) - 1); }
    // The sample whose position stands for a pixel with these samples covered, or kCentre: all are,
    // or none is (a helper pixel).
    int centroid(uint16_t coverage) const {
        if (!apart || (coverage & all()) == all())
            return kCentre;
        for (unsigned i = 0; i < kMaxSamples; ++i)
            if ((coverage >> priority[i] & 1) != 0)
                return priority[i];
        return kCentre;
    }
};

// Throws MachineStop for a number of samples that does not exist.
SamplePositions decode_sample_positions(const SampleRegisters& map, const RegisterView& registers);

}  // namespace archipelago::raster
