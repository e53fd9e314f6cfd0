// SPDX-License-Identifier: Apache-2.0
// What sets one micro engine apart from another.
#pragma once

#include <cstdint>
#include <string>

#include "models/afuc/isa/generation.h"

namespace archipelago::afuc {

// Where $data leads when it is written.
enum class DataOut : uint8_t {
    Registers,  // to the register that $addr or $usraddr names
    Queue       // PFP of a5xx: into the queue to the ME; $addr and $usraddr keep what is written
};

struct EngineSpec {
    const Generation* generation = &kGenerations[1];
    std::string path = "cp.sqe";  // in errors, logs and statistics
    DataOut data_out = DataOut::Registers;
    // ME of a5xx: $memdata is what memory has at CP_ME_NRT_ADDR, which the engine does not keep.
    bool reads_nrt = false;
    uint8_t most_extra_moves = 3;  // (xmovN) with a greater N makes this many
};

}  // namespace archipelago::afuc
