// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/vgt_spec.h"

#include "models/gcn/draw_message.h"

namespace archipelago::vgt {

std::vector<std::string> VgtSpec::problems() const {
    std::vector<std::string> found;
    const auto need = [&](bool holds, const std::string& what) {
        if (!holds)
            found.push_back(what);
    };
    need(map.VGT_DRAW_INITIATOR.exists() && map.VGT_EVENT_INITIATOR.exists(),
         "map: VGT_DRAW_INITIATOR and VGT_EVENT_INITIATOR of a family");
    need(shader_engines >= 1 && shader_engines <= 4, "shader_engines: 1 to 4");
    need(draw_queue >= 1, "draw_queue: at least 1");
    need(immediate_queue >= 1, "immediate_queue: at least 1");
    need(reuse_most >= 3 && reuse_most <= VertexWave::kLanes, "reuse_most: 3 to 64");
    need(draw_cycles >= 1, "draw_cycles: at least 1");
    need(event_cycles >= 1, "event_cycles: at least 1");
    need(indices_per_cycle >= 1, "indices_per_cycle: at least 1");
    need(primitives_per_cycle >= 1, "primitives_per_cycle: at least 1");
    need(wave_cycles >= 1, "wave_cycles: at least 1");
    need(wave_primitives >= 1, "wave_primitives: at least 1");
    need(stage_done_latency >= 1, "stage_done_latency: at least 1");
    need(ring_waves >= 1 && ring_waves <= 65536, "ring_waves: 1 to 65536");
    need(patch_groups >= 1, "patch_groups: at least 1");
    // A wave of ES that is being filled must not be kept waiting by the GS waves that wait for it:
    // 127 threads of the last primitive come on top.
    const uint64_t waves = uint64_t{gs_threads_per_es} / VertexWave::kLanes + 3;
    need(gs_threads_per_es >= 1 && gs_waves > waves * shader_engines,
         "gs_waves: more than " + std::to_string(waves * shader_engines) +
             " with this gs_threads_per_es");
    for (const std::string& problem : dma.problems())
        found.push_back("dma." + problem);
    return found;
}

}  // namespace archipelago::vgt
