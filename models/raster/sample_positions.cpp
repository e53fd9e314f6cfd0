// SPDX-License-Identifier: Apache-2.0
#include "models/raster/sample_positions.h"

#include <string>

#include "models/common/error.h"

namespace archipelago::raster {
namespace {

constexpr unsigned kMaxLog2Samples = 4;

// Four bits of two's complement.
constexpr int8_t offset_of(uint32_t bits) {
    return static_cast<int8_t>(static_cast<int>(bits & 0xF) - static_cast<int>((bits & 8) << 1));
}

}  // namespace

SamplePositions decode_sample_positions(const SampleRegisters& map, const RegisterView& registers) {
    SamplePositions samples;
    const uint32_t log2_samples = registers.field(map.PA_SC_AA_CONFIG.MSAA_NUM_SAMPLES);
    if (log2_samples > kMaxLog2Samples)
        throw MachineStop(StopKind::BadInput, "PA_SC_AA_CONFIG.MSAA_NUM_SAMPLES",
                          std::to_string(log2_samples) + " is 2^" + std::to_string(log2_samples) +
                              " samples; a pixel has at most 16");
    samples.count = static_cast<uint8_t>(1u << log2_samples);
    samples.apart = samples.count > 1 && registers.field(map.PA_SC_MODE_CNTL_0.MSAA_ENABLE) != 0;
    if (!samples.apart)
        return samples;
    for (unsigned pixel = 0; pixel < 4; ++pixel)
        for (unsigned sample = 0; sample < samples.count; ++sample) {
            const uint32_t word = registers(map.PA_SC_AA_SAMPLE_LOCS_PIXEL[pixel][sample / 4]);
            const uint32_t bits = word >> 8 * (sample % 4);
            samples.at[pixel][sample] = {offset_of(bits), offset_of(bits >> 4)};
        }
    for (unsigned i = 0; i < kMaxSamples; ++i)
        samples.priority[i] = registers(map.PA_SC_CENTROID_PRIORITY[i / 8]) >> 4 * (i % 8) & 0xF;
    return samples;
}

}  // namespace archipelago::raster
