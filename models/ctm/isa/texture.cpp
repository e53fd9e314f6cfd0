// SPDX-License-Identifier: Apache-2.0
// TEX: coordinates of a lookup, what becomes of its texels, and TEXKILL.
#include <algorithm>
#include <cstring>

#include "models/ctm/isa/step.h"

namespace archipelago::ctm::isa {
namespace {

const float* coordinate(const Instruction& instruction, const Thread& thread, unsigned which) {
    const Texture& t = instruction.texture;
    const unsigned index = temporary_index(instruction, thread, t.source, t.source_relative);
    static const LaneFloats kUnwritten{};
    return index < thread.temporaries.size()
               ? thread.temporaries[index][t.source_swizzle[which]].lane.data()
               : kUnwritten.lane.data();
}

// S or T of each lane in elements, before they are cut to whole ones.
const float* position(const Instruction& instruction, const Thread& thread, unsigned which,
                      uint32_t size, float* scratch) {
    const LaneKernels& kernels = lane_kernels();
    const unsigned lanes = padded_lanes(thread);
    const float* at = coordinate(instruction, thread, which);
    if (instruction.texture.op == TextureOp::Proj) {
        kernels.divide(at, coordinate(instruction, thread, 3), scratch, lanes);
        at = scratch;
    }
    if (!instruction.texture.unscaled) {
        kernels.scale(at, static_cast<float>(size), scratch, lanes);
        at = scratch;
    }
    return at;
}

// Lanes by the channel of the destination that they write.
void choose_lanes(const Instruction& instruction, const Thread& thread, TextureRequest& request) {
    const Texture& t = instruction.texture;
    for (unsigned c = 0; c < kChannels; ++c) {
        if ((t.write_mask >> c & 1) != 0) {
            request.written[c] = enabled_lanes(instruction, thread, c) &
                                 (t.ignores_uncovered ? thread.covered : all_lanes(thread));
            request.lanes |= request.written[c];
        }
    }
}

void choose_elements(const Instruction& instruction, const Thread& thread, Extent extent,
                     TextureRequest& request) {
    if (!instruction.texture.unscaled && (extent.width == 0 || extent.height == 0)) {
        refuse(instruction, thread,
               "scaled coordinates of input " + std::to_string(request.input) +
                   ", which has no width and height");
    }
    const FloatMode mode;
    alignas(64) std::array<float, kMaxLanes> scratch_s, scratch_t;
    const float* s = position(instruction, thread, 0, extent.width, scratch_s.data());
    const float* t = position(instruction, thread, 1, extent.height, scratch_t.data());
    static_assert(sizeof(Point) == sizeof(uint32_t), "x in the low half");
    alignas(64) std::array<uint32_t, kMaxLanes> index;
    lane_kernels().indices(s, t, index.data(), padded_lanes(thread));
    std::memcpy(static_cast<void*>(request.index.data()), index.data(),
                thread.lanes() * sizeof(Point));
}

}  // namespace

uint16_t to_index(float value) {
    // Written so that NaN is 0.
    return value > 0 ? static_cast<uint16_t>(std::min(value, static_cast<float>(kMaxIndex))) : 0;
}

void texture_request(const Instruction& instruction, Thread& thread, Extent extent,
                     TextureRequest& request) {
    if (!instruction.error.empty()) {
        refuse(instruction, thread, instruction.error);
    }
    request.lanes = 0;
    request.written = {};
    if (is_lookup(instruction)) {
        const Texture& t = instruction.texture;
        make_temporaries(instruction, thread);
        request.input = t.input;
        request.destination = static_cast<uint8_t>(
            temporary_index(instruction, thread, t.destination, t.destination_relative));
        choose_lanes(instruction, thread, request);
        if (request.lanes != 0) {
            choose_elements(instruction, thread, extent, request);
        }
    } else {
        kill(instruction, thread);
    }
    advance(instruction, thread);
}

void texture_return(const Instruction& instruction, const TextureRequest& request,
                    const Register& texels, Thread& thread) {
    for (unsigned c = 0; c < kChannels; ++c) {
        if (request.written[c] != 0) {
            const unsigned from = instruction.texture.destination_swizzle[c];
            lane_kernels().merge(texels[from].lane.data(),
                                 thread.temporaries[request.destination][c].lane.data(),
                                 padded_lanes(thread), request.written[c]);
        }
    }
}

void kill(const Instruction& instruction, Thread& thread) {
    if (instruction.texture.op != TextureOp::Texkill) {
        return;
    }
    const FloatMode mode;
    for (unsigned c = 0; c < kChannels; ++c) {
        const LaneMask negative = lane_kernels().compare(coordinate(instruction, thread, c),
                                                         padded_lanes(thread), Compare::Lt);
        thread.covered &= ~(negative & enabled_lanes(instruction, thread, c));
    }
}

}  // namespace archipelago::ctm::isa
