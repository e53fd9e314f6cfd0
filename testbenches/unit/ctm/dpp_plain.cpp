// SPDX-License-Identifier: Apache-2.0
// Threads in functional mode, as the functional machine runs them.
#include <cstring>

#include "testbenches/unit/ctm/dpp_bench.h"

namespace archipelago::ctm::dpp::test {
namespace {

isa::ConstantValues constants_of(const Contents& contents, const isa::ConstantNeeds& needs) {
    isa::ConstantValues values;
    for (unsigned i = 0; i < needs.float_count; ++i)
        values.floats[i] = contents.floats.at(needs.floats[i]);
    for (unsigned i = 0; i < 3 && needs.integer; ++i)
        values.integer[i] =
            static_cast<uint8_t>(contents.integers.at(needs.integer_index) >> 8 * i);
    values.boolean = needs.boolean && contents.booleans.at(needs.boolean_index) != 0;
    return values;
}

void look_up(const isa::Instruction& inst, isa::Thread& thread) {
    isa::TextureRequest request;
    isa::texture_request(inst, thread, {}, request);
    isa::Register texels{};
    for (unsigned lane = 0; lane < thread.lanes(); ++lane)
        for (unsigned c = 0; c < 4 && (request.lanes >> lane & 1) != 0; ++c)
            texels[c].lane[lane] = Contents::texel(request.input, request.index[lane], c);
    isa::texture_return(inst, request, texels, thread);
}

void write_outputs(const isa::Thread& thread, bool conditional, Written& written) {
    isa::LaneMask writing = isa::writing_lanes(thread);
    for (unsigned lane = 0; lane < thread.lanes() && conditional; ++lane) {
        if ((writing >> lane & 1) == 0)
            continue;
        const Point at = thread.index_of(lane);
        written.tested[{at.x, at.y}] = thread.conditional[lane];
        if (!Contents::passes(at, thread.conditional[lane]))
            writing &= ~(isa::LaneMask{1} << lane);
    }
    for (unsigned target = 0; target < isa::kOutputTargets; ++target)
        for (unsigned lane = 0; lane < thread.lanes(); ++lane)
            for (unsigned c = 0; c < 4; ++c) {
                if ((thread.output_written[target][c] & writing & isa::LaneMask{1} << lane) == 0)
                    continue;
                const Point at = thread.index_of(lane);
                uint32_t bits = 0;
                std::memcpy(&bits, &thread.output[target][c].lane[lane], 4);
                written.outputs[{kOutput0 + target, at.x, at.y, c}] = bits;
            }
}

}  // namespace

Written run_plainly(const Contents& contents, const std::vector<ThreadLaunch>& launches) {
    Written written;
    isa::Program program;
    program.temporaries = isa::kTemporaries;
    isa::Effects effects;
    for (const ThreadLaunch& launch : launches) {
        isa::Thread thread;
        thread.origin = launch.origin;
        thread.quads = launch.quads;
        thread.covered = launch.covered;
        isa::start(thread, program);
        thread.conditional.fill(launch.conditional);
        while (!thread.ended) {
            const isa::Instruction inst = isa::decode(contents.program.at(thread.pc));
            if (inst.type == isa::Type::Texture) {
                look_up(inst, thread);
                continue;
            }
            const isa::ConstantNeeds needs = isa::needs(inst, thread);
            isa::execute(inst, launch.mode, constants_of(contents, needs), thread, effects);
            if (inst.type == isa::Type::Out)
                for (const isa::UncachedWrite& write : effects.uncached)
                    written.uncached.emplace_back(write.index.x, write.index.y, write.value);
        }
        write_outputs(thread, launch.conditional_output, written);
    }
    written.sort();
    return written;
}

}  // namespace archipelago::ctm::dpp::test
