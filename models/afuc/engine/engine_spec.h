// SPDX-License-Identifier: Apache-2.0
// How one micro engine differs from another.
#pragma once

#include <cstdint>
#include <string>

#include "models/afuc/isa/generation.h"

namespace archipelago::afuc {

// Where a write of $data goes.
enum class DataOut : uint8_t {
    Registers,  // to the GPU register that $addr or $usraddr names
    Queue       // PFP of a5xx: into the queue to the ME; $addr and $usraddr keep what is written
};

struct EngineSpec {
    const Generation* generation = &kGenerations[1];
    std::string path = "cp.sqe";  // in errors, logs and statistics
    DataOut data_out = DataOut::Registers;
    // ME of a5xx: $memdata reads memory at CP_ME_NRT_ADDR, a register outside the engine.
    bool reads_nrt = false;
    uint8_t most_extra_moves = 3;  // of (xmovN); a greater N makes only this many
};

}  // namespace archipelago::afuc
