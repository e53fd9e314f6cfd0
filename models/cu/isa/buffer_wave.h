// SPDX-License-Identifier: Apache-2.0
// Buffer loads, stores and atomics of a whole wave straight on host memory, for functional mode.
// What is not done here is left to vector_mem() and vector_mem_complete(), lane by lane; where both
// do it, registers and memory end alike.
//
//   BufferWave wave;                                    // one per compute unit
//   const auto form = BufferWave::form(inst);           // once per instruction of the program
//   if (form && wave.prepare(inst, *form, w)) ...       // at issue
//       ... memory = the piece of host memory around wave.address() ...
//       if (wave.execute(memory)) ... done: wave.lanes() ...
#pragma once

#include <cstdint>
#include <optional>

#include "models/cu/isa/buffer_resource.h"
#include "models/cu/isa/isa.h"
#include "models/cu/isa/lane_memory.h"

namespace archipelago::isa {

class BufferWave {
  public:
    // What the words of an instruction say.
    struct Form {
        VectorMemOp::Kind kind = VectorMemOp::Kind::Load;
        AtomicOp atomic = AtomicOp::None;
        uint8_t bytes = 0;      // per lane; typed: the format's
        uint8_t registers = 0;  // per lane
        bool sign_extend = false;
        bool typed = false;
    };
    // None: not an instruction for this.
    static std::optional<Form> form(const Inst& inst);

    BufferWave() : BufferWave(isa::lane_memory(), isa::format_lanes()) {}
    // Of a host level: for tests.
    BufferWave(const LaneMemory& memory, const FormatLanes& formats)
        : memory_(memory), formats_(formats) {}

    // False: not a resource or addresses for this. What is passed must live until execute() is
    // over.
    bool prepare(const Inst& inst, const Form& form, WaveState& w);
    // A byte that lies in the piece of memory, if the access does.
    uint64_t address() const { return address_; }
    // False: nothing was done. The usual reason is a lane outside the piece of memory.
    bool execute(const HostWindow& memory);
    // Lanes that accessed memory.
    uint64_t lanes() const { return inside_; }

  private:
    // Steps of prepare() and execute(), defined beside them.
    inline bool find_elements(const BufferResource& r);
    inline bool flat_places();
    inline bool raw_places(const BufferResource& r);
    inline bool record_places(const BufferResource& r);
    inline bool scratch_places(const BufferResource& r);
    inline bool trim();

    inline bool attempt(const HostWindow& memory);
    inline bool load(const LaneAccess& a);
    inline bool store(const LaneAccess& a);
    inline bool load_elements(LaneAccess& a);
    inline bool store_elements(LaneAccess& a);
    inline bool atomic(LaneAccess& a);
    inline bool clear_outside(const LaneAccess& a);

    const LaneMemory& memory_;
    const FormatLanes& formats_;

    const Inst* inst_ = nullptr;
    const Form* form_ = nullptr;
    WaveState* w_ = nullptr;
    TypedElements elements_{};
    bool whole_ = false;   // range checked as a whole, not dword by dword
    unsigned bytes_ = 0;   // per lane
    unsigned dwords_ = 0;  // per lane, in memory
    uint64_t align_ = 0;   // address bits that count

    uint64_t exec_ = 0;
    uint64_t inside_ = 0;  // lanes in range, as far as known
    uint64_t address_ = 0;
    // Not ADDR64: the lanes are offset_ after base_, and what is in range ends room_ after it.
    uint64_t base_ = 0;
    uint64_t room_ = 0;
    const uint32_t* offset_ = nullptr;
    uint32_t dword_step_ = 4;

    alignas(64) uint32_t relative_[kLanes] = {};
    alignas(64) VReg raw_[4] = {};
};

}  // namespace archipelago::isa
