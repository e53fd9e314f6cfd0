// SPDX-License-Identifier: Apache-2.0
// What messages, logs, timelines and execution traces call a wave, the same on every machine.
#pragma once

#include <string>

#include "models/gcn/draw_message.h"

namespace archipelago {

// "cs3.g7.w0": dispatch 3, work-group 7, wave 0; "vs3.w7": draw 3, wave 7 of its stage. `Wave`: a
// WaveLaunch or a WaveIdentity.
template <class Wave>
std::string wave_name(const Wave& wave) {
    static const char* const kStages[] = {"ls", "hs", "es", "gs", "vs", "ps", "cs"};
    std::string name =
        kStages[static_cast<unsigned>(wave.stage)] + std::to_string(wave.dispatch) + '.';
    if (wave.stage == ShaderStage::Cs)
        return name + 'g' + std::to_string(wave.group) + ".w" + std::to_string(wave.wave_in_group);
    return name + 'w' + std::to_string(wave.group);
}

}  // namespace archipelago
