// SPDX-License-Identifier: Apache-2.0
// Why a machine stops: the kind, the place and the reason.
#pragma once

#include <stdexcept>
#include <string>

namespace archipelago {

enum class StopKind : unsigned char {
    BadInput,       // packet, shader or command that the hardware would not accept
    Unimplemented,  // the hardware has it, the model does not
    Fault,          // access to an unmapped or misaligned address
    Protocol,       // a bus rule was broken
    Hang,           // nothing moves and something is waited for
    Internal,       // the model has broken a rule of its own (invariant.h)
};

// Thrown by cores; the clock domain catches it and stops the simulation. `where` names the place
// (ring and dword, wave and PC, unit), `what_happened` the reason.
class MachineStop : public std::runtime_error {
  public:
    MachineStop(StopKind kind, const std::string& where, const std::string& what_happened)
        : std::runtime_error(where + ": " + what_happened), kind_(kind) {}
    // The same stop, with the text of what failed because of it added.
    MachineStop(const MachineStop& stop, const std::string& behind)
        : std::runtime_error(stop.what() + behind), kind_(stop.kind_) {}
    StopKind kind() const { return kind_; }

  private:
    StopKind kind_;
};

const char* to_string(StopKind kind);

}  // namespace archipelago
