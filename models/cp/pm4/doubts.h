// SPDX-License-Identifier: Apache-2.0
// What a command stream may do and hardly means: counted, with the place of the first, and a stop
// under Spec::strict.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/stats.h"
#include "models/cp/cp_location.h"

namespace archipelago::cp {

enum class Doubt : uint8_t {
    EosApart,         // EVENT_WRITE_EOS not directly behind its work (2.1.5)
    UnknownRegister,  // the register database has no such register
    ZeroHeader,       // a dword of 0 writes register 0
    NoDispatchBase,   // DISPATCH_INDIRECT, and no SET_BASE before it
    NoShaderType,     // a dispatch whose header has SHADER_TYPE 0 (2.6)
    NoComputeShader,  // COMPUTE_DISPATCH_INITIATOR.COMPUTE_SHADER_EN is 0: nothing is dispatched
    LargeVmid,        // a VMID beyond those there are
    kCount,
};

class Doubts {
  public:
    explicit Doubts(bool strict) : strict_(strict) {}

    // `what`: "packet NAME: ...". Throws MachineStop(BadInput) when strict.
    void note(Doubt doubt, const Location& place, const std::string& what);
    uint64_t count(Doubt doubt) const { return of(doubt).count; }
    // A line for each kind there was: how many, and the first.
    void describe(std::vector<std::string>& lines) const;
    // A counter for each kind from `first` to `last`.
    void register_stats(const UnitStats& add, Doubt first, Doubt last) const;

  private:
    struct Kind {
        uint64_t count = 0;
        std::string first;
    };
    const Kind& of(Doubt doubt) const { return kinds_[static_cast<size_t>(doubt)]; }

    bool strict_;
    std::array<Kind, static_cast<size_t>(Doubt::kCount)> kinds_;
};

// There are 16 address spaces, and the field of the packets that call a buffer has 8 bits.
constexpr unsigned kVmids = 16;
// `packet` in the ring itself calls a buffer: in a deeper one its VMID means nothing.
inline void doubt_vmid(Doubts& doubts, const Location& place, const char* packet, unsigned vmid) {
    if (vmid >= kVmids && place.level == 0)
        doubts.note(Doubt::LargeVmid, place,
                    std::string("packet ") + packet + ": VMID " + std::to_string(vmid) +
                        ", there are 0 to " + std::to_string(kVmids - 1));
}

}  // namespace archipelago::cp
