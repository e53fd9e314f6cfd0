// SPDX-License-Identifier: Apache-2.0
// What a command stream may do but hardly means. It is counted, with the place of the first, and
// under Spec::strict it stops the machine.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/stats.h"
#include "models/cp/cp_location.h"

namespace archipelago::cp {

enum class Warning : uint8_t {
    EosApart,         // EVENT_WRITE_EOS not directly after its work (2.1.5)
    UnknownRegister,  // the register bus or the database has no such register
    ZeroHeader,       // a dword of 0 writes register 0
    NoDispatchBase,   // DISPATCH_INDIRECT, and no SET_BASE before it
    NoShaderType,     // a dispatch whose header has SHADER_TYPE 0 (2.6)
    NoComputeShader,  // COMPUTE_DISPATCH_INITIATOR.COMPUTE_SHADER_EN is 0: nothing is dispatched
    LargeVmid,        // a VMID beyond those there are
    kCount,
};

class Warnings {
  public:
    explicit Warnings(bool strict) : strict_(strict) {}

    // `what`: "packet NAME: ...". Throws MachineStop(BadInput) when strict.
    void add(Warning warning, const Location& place, const std::string& what);
    uint64_t count(Warning warning) const { return of(warning).count; }
    // A buffer with this VMID, 0 to kVmids - 1, was called.
    void note_vmid(unsigned vmid) { vmids_ |= static_cast<uint16_t>(1u << vmid); }
    uint16_t vmids() const { return vmids_; }  // a bit each
    // A line for each kind there was: how many, and the first.
    void describe(std::vector<std::string>& lines) const;
    // A counter for each kind from `first` to `last`.
    void register_stats(const UnitStats& add, Warning first, Warning last) const;
    template <class Archive>
    void archive(Archive& a) {
        a(kinds_, vmids_);
    }

  private:
    struct Kind {
        uint64_t count = 0;
        std::string first;
    };
    const Kind& of(Warning warning) const { return kinds_[static_cast<size_t>(warning)]; }

    bool strict_;
    uint16_t vmids_ = 0;
    std::array<Kind, static_cast<size_t>(Warning::kCount)> kinds_;
};

// There are 16 address spaces, and the field of the packets that call a buffer has 8 bits.
constexpr unsigned kVmids = 16;
// `packet` in the ring itself calls a buffer: in a deeper one its VMID means nothing.
inline void note_vmid(Warnings& warnings, const Location& place, const char* packet,
                      unsigned vmid) {
    if (place.level != 0)
        return;
    warnings.note_vmid(vmid % kVmids);
    if (vmid >= kVmids)
        warnings.add(Warning::LargeVmid, place,
                     std::string("packet ") + packet + ": VMID " + std::to_string(vmid) +
                         ", there are 0 to " + std::to_string(kVmids - 1));
}

}  // namespace archipelago::cp
