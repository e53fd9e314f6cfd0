// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/dpp/thread_rules.h"

#include <cstring>
#include <string>

#include "models/common/error.h"

namespace archipelago::ctm::dpp {
namespace {

constexpr unsigned kHeightBits = 13;  // of set_inp_fmt

}  // namespace

void set_extent(const UnitCommand& command, Extents& extents) {
    if (command.opcode != static_cast<uint8_t>(Command::SetInpFmt))
        return;
    const auto& p = command.parameters;
    extents[p[0] % kInputs] = {surface_from_words(p[1], p[2]).pitch,
                               field(p[3], kHeightBits - 1, 0)};
}

void start(const ThreadLaunch& launch, isa::Thread& thread) {
    thread.origin = launch.origin;
    thread.quads = launch.quads;
    thread.covered = launch.covered;
    isa::start(thread, isa::Program{});
    thread.conditional.fill(launch.conditional);
}

void stop_at(const Limits& limits, const isa::Instruction& instruction, const isa::Thread& thread,
             uint64_t executed) {
    const std::string place = isa::place(instruction, thread);
    if (executed > limits.instructions)
        throw MachineStop(StopKind::Hang, place,
                          "the thread has executed " + std::to_string(limits.instructions) +
                              " instructions and does not end");
    const bool all = instruction.temporaries == isa::kTemporaries;
    throw MachineStop(StopKind::BadInput, place,
                      "names r" + std::to_string(instruction.temporaries - 1) +
                          (all ? " (as all do to which aL is added)" : "") + ", PROGINFO has " +
                          std::to_string(limits.temporaries) + " temporaries");
}

void set_float(const uint32_t* words, std::array<float, isa::kChannels>& value) {
    std::memcpy(value.data(), words, sizeof value);
}

void set_integer(const uint32_t* words, std::array<uint8_t, 3>& value) {
    for (unsigned part = 0; part < value.size(); ++part)
        value[part] = static_cast<uint8_t>(words[0] >> 8 * part);
}

void fill_test(const isa::Thread& thread, isa::LaneMask writing, unsigned quad,
               ConditionRequest& request) {
    request.origin = thread.origin[quad];
    request.lanes = lanes_of(writing, quad);
    for (unsigned l = 0; l < kQuadLanes; ++l)
        request.value[l] = thread.conditional[kQuadLanes * quad + l];
}

bool find_output(const isa::Thread& thread, isa::LaneMask writing, OutputPlace& at) {
    for (; at.target < isa::kOutputTargets; ++at.target, at.quad = 0) {
        isa::LaneMask lanes = 0;
        for (const isa::LaneMask written : thread.output_written[at.target])
            lanes |= written & writing;
        const isa::LaneMask left = lanes >> kQuadLanes * at.quad;
        if (left != 0) {
            at.quad = static_cast<uint8_t>(at.quad + static_cast<unsigned>(__builtin_ctzll(left)) /
                                                         kQuadLanes);
            return true;
        }
    }
    return false;
}

void fill_output(const isa::Thread& thread, isa::LaneMask writing, const OutputPlace& at,
                 ElementRequest& request) {
    request.client = static_cast<uint8_t>(kOutput0 + at.target);
    request.write = true;
    for (unsigned l = 0; l < kQuadLanes; ++l) {
        const unsigned lane = kQuadLanes * at.quad + l;
        request.index[l] = thread.index_of(lane);
        for (unsigned c = 0; c < isa::kChannels; ++c) {
            if (((thread.output_written[at.target][c] & writing) >> lane & 1) == 0)
                continue;
            request.channels[l] |= static_cast<uint8_t>(1u << c);
            std::memcpy(&request.value[l][c], &thread.output[at.target][c].lane[lane],
                        sizeof(float));
        }
        if (request.channels[l] != 0)
            request.lanes |= static_cast<uint8_t>(1u << l);
    }
}

size_t fill_uncached(const std::vector<isa::UncachedWrite>& writes, size_t from,
                     ElementRequest& request) {
    request.client = kOutput0;
    request.write = request.uncached = true;
    const unsigned quad = writes[from].lane / kQuadLanes;
    for (; from < writes.size() && writes[from].lane / kQuadLanes == quad; ++from) {
        const unsigned l = writes[from].lane % kQuadLanes;
        request.lanes |= static_cast<uint8_t>(1u << l);
        request.index[l] = writes[from].index;
        request.value[l][0] = writes[from].value;
        request.channels[l] = 1;
    }
    return from;
}

}  // namespace archipelago::ctm::dpp
