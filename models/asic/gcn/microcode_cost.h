// SPDX-License-Identifier: Apache-2.0
// What packets cost PFP and ME when they run a microcode of Adreno's instruction set (models/afuc):
// an exploration, as no public source has the instructions of Radeon's engines. The routine of a
// packet is what stands after the label of its name, until `waitin` and its delay slot; type-0
// packets have TYPE_0. It begins with the header in $01, the number of dwords of the body in $rem,
// and everything else 0; the body comes as $data. All else that it reads is 0, and what it writes
// goes nowhere.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/afuc/isa/text.h"
#include "models/cp/packet_cost.h"

namespace archipelago::gcn {

struct Microcode {
    std::string path;  // of its file
    const afuc::Generation* generation = nullptr;
    afuc::Assembly assembly;
};

// Generation by the ID word that the text begins with: [00xxxxxx] a5xx, [01xxxxxx] a6xx. Nothing,
// and `problems` then has a sentence for each place, when the file cannot be read or assembled.
std::optional<Microcode> load_microcode(const std::string& path,
                                        std::vector<std::string>& problems);

// The label of the routine that a packet runs.
std::string routine_label(const cp::PacketInfo& info, bool type0);

// `me` empty: one engine does both parts, and ME hands on what comes as fast as it can.
// `moves`: the most that (xmovN) makes, 0 to 3.
std::shared_ptr<const cp::PacketCost> microcode_cost(const Microcode& pfp,
                                                     const std::optional<Microcode>& me,
                                                     unsigned moves);

}  // namespace archipelago::gcn
