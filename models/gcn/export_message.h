// SPDX-License-Identifier: Apache-2.0
// What shaders send out of a compute unit other than memory accesses: exports and messages.
#pragma once

#include <array>
#include <cstdint>

#include "models/gcn/draw_message.h"

namespace archipelago {

// Which wave sent it.
struct WaveIdentity {
    ShaderStage stage = ShaderStage::Cs;
    uint32_t dispatch = 0;  // graphics stages: the draw ...
    uint32_t group = 0;     // ... and the number of the wave within stage and draw
    uint8_t wave_in_group = 0;
    uint8_t vmid = 0;
    uint16_t source = 0;  // compute unit
    uint32_t hw_id = 0;   // HW_ID hardware register: wave slot, SIMD, unit, array, engine
    uint64_t pc = 0;      // bytes, of the instruction
};

// EXP. Southern Islands ISA, export instruction encoding.
struct ExportMessage {
    static constexpr unsigned kLanes = 64;
    uint8_t target = 0;       // 0..7 colour, 8 depth, 9 null, 12..15 position, 32..63 parameter
    uint8_t enabled = 0;      // components; compressed: bits 1:0 and 3:2 are pairs
    bool compressed = false;  // two 16-bit components per dword, in data[0] and data[1]
    bool done = false;        // last export of the wave to its kind of target
    bool valid_mask = false;  // EXEC says which pixels are alive
    uint64_t exec = 0;
    std::array<std::array<uint32_t, kLanes>, 4> data{};
    WaveIdentity wave;
};

// s_sendmsg. Southern Islands ISA, SOPP.
struct ShaderMessage {
    enum class Kind : uint8_t { None = 0, Interrupt = 1, Gs = 2, GsDone = 3, System = 15 };
    Kind kind = Kind::None;
    uint8_t operation = 0;  // Gs, GsDone: 0 nop, 1 cut, 2 emit, 3 emit and cut; System: its number
    uint8_t stream = 0;     // Gs, GsDone
    uint32_t m0 = 0;        // Interrupt: user data in bits 7:0; Gs, GsDone: number of the GS wave
    uint64_t exec = 0;
    WaveIdentity wave;
};

// Where exports and messages go in functional mode.
class ExportSink {
  public:
    virtual ~ExportSink() = default;
    virtual void take(const ExportMessage& message) = 0;
};
class MessageSink {
  public:
    virtual ~MessageSink() = default;
    virtual void take(const ShaderMessage& message) = 0;
};

}  // namespace archipelago
