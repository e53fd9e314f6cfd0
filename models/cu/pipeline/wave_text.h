// SPDX-License-Identifier: Apache-2.0
// Waves and their instructions as the timeline names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "models/common/trace_sink.h"
#include "models/cu/pipeline/decoded.h"
#include "models/gcn/compute_message.h"

namespace archipelago::cu {

// The slice of a wave.
struct WaveText {
    std::string name;    // "saxpy, group 3 w 0"
    std::string detail;  // "dispatch 1, wave 0 of 4, pc 0x1000-0x1040"
    uint64_t flow;       // of the first wave of a dispatch, or of each stage of a draw; 0: none
};
// `last_pc`: of the last instruction, where it is known.
WaveText wave_text(const WaveLaunch& launch, const TraceSink& sink,
                   std::optional<uint64_t> last_pc = {});

// Instructions with their address and source line: "s_waitcnt vmcnt(0); pc 0x1010; saxpy.cl:7".
// Each is made once, because slices of waits name the same few again and again.
class InstructionTexts {
  public:
    // `decoded`: the instruction at `pc`; null: not fetched yet. The text is valid until the next
    // call.
    std::string_view of(uint64_t program, uint64_t pc, const Decoded* decoded,
                        const TraceSink& sink);

  private:
    struct Entry {
        uint64_t program = 0;
        const Decoded* decoded = nullptr;
        std::string text;
    };
    std::unordered_map<uint64_t, Entry> entries_;  // by pc; only looked up
};

}  // namespace archipelago::cu
