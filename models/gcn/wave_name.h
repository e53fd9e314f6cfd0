// SPDX-License-Identifier: Apache-2.0
// What messages, logs, timelines and execution traces call a wave, the same on every machine.
#pragma once

#include <cstdint>
#include <string>

#include "models/gcn/draw_message.h"

namespace archipelago {

// "cs3.g7.w0": dispatch 3, work-group 7, wave 0; "vs3.w7": draw 3, wave 7 of its stage.
inline std::string wave_name(ShaderStage stage, uint32_t dispatch, uint32_t group,
                             uint32_t wave_in_group = 0) {
    static const char* const kStages[] = {"ls", "hs", "es", "gs", "vs", "ps", "cs"};
    const std::string name = kStages[static_cast<unsigned>(stage)] + std::to_string(dispatch) + '.';
    if (stage == ShaderStage::Cs)
        return name + 'g' + std::to_string(group) + ".w" + std::to_string(wave_in_group);
    return name + 'w' + std::to_string(group);
}

// `Wave`: a WaveLaunch or a WaveIdentity.
template <class Wave>
std::string wave_name(const Wave& wave) {
    return wave_name(wave.stage, wave.dispatch, wave.group, wave.wave_in_group);
}

}  // namespace archipelago
