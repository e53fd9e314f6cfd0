// SPDX-License-Identifier: Apache-2.0
// The local data share pin by pin: isa::execute_lds() after registers, with storage of its own.
// An operation takes a cycle for its addresses, its bank passes, and of those that act lane by lane
// two more for each active lane. Its Verilog twin is rtl-bridge/rtl/lds.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/cu/isa/isa.h"
#include "models/cu/pipeline/cu_spec.h"
#include "pins/lds_pins.h"

namespace archipelago::cu {

// Executes the DS instructions of a compute unit in its place: a Verilog local data share, or an
// observer. Arguments are those of isa::execute_lds().
class LdsUnit {
  public:
    virtual ~LdsUnit() = default;
    virtual bool execute(const isa::Inst& inst, isa::WaveState& wave, uint8_t* lds,
                         unsigned lds_bytes, unsigned* passes) = 0;
};

// Plain and serialisable.
struct LdsState {
    enum class Phase : uint8_t { Idle, Working, Done };
    Phase phase = Phase::Idle;
    unsigned working = 0;  // cycles to go
    rtl::LdsPins::Out result;
    std::vector<uint8_t> storage;
};

class LdsCore : public rtl::PinBlock<rtl::LdsPins> {
  public:
    LdsCore();
    void step(const In& in, Out& out) override;
    const LdsState& state() const { return state_; }

  private:
    void execute(const rtl::LdsPins::Operation& op);

    LdsState state_;
    // The registers an instruction reads and writes; no meaning between calls.
    struct Registers {
        alignas(64) isa::VReg v[9];
    };
    Registers registers_;
    isa::WaveState wave_;
};

// Throws std::invalid_argument naming the key of what a local data share on the pins has not.
void check_lds_pins(const CuSpec& spec);

// The pins of an instruction of a wave. Throws MachineStop(Unimplemented) for a part of the local
// data share that begins where the pins cannot say.
void operation_to_pins(const isa::Inst& inst, const isa::WaveState& wave, unsigned lds_bytes,
                       rtl::LdsPins::Operation& pins);

// Executes DS instructions by a local data share on pins. Before each, the rows of the group's
// part that differ are copied to it, and afterwards those that the instruction may have written are
// read back; so that one serves every compute unit.
class PinLdsUnit : public LdsUnit {
  public:
    // Resets the local data share, which must outlive this.
    explicit PinLdsUnit(rtl::PinBlock<rtl::LdsPins>& share);
    bool execute(const isa::Inst& inst, isa::WaveState& wave, uint8_t* lds, unsigned lds_bytes,
                 unsigned* passes) override;

  private:
    rtl::PinBlock<rtl::LdsPins>& share_;
    rtl::LdsPins::In in_;
    // What the storage is known to hold.
    std::array<bool, rtl::LdsPins::kRows> known_{};
    std::array<rtl::LdsPins::Row, rtl::LdsPins::kRows> rows_{};
};

}  // namespace archipelago::cu
