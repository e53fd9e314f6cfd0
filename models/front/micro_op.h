// SPDX-License-Identifier: Apache-2.0
// Micro-operations of packets that every engine has. A packet's program emits them one at a time;
// OpEngine executes them with timing.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/atomic_op.h"
#include "models/common/memory_message.h"

namespace archipelago::front {

// Requests to the semaphore block leave an engine at its port of L2, from which a mux steers them.
enum class MemPath : uint8_t { Hub, L2, Semaphore };
constexpr uint16_t kL2Port = 0, kSemaphorePort = 1;  // of that mux

// Kind: the operations of an engine. Those that OpEngine carries out are
//   RegWrite     offset <- value; posted
//   RegRead      result.value <- offset
//   MemRead      result.data <- `dwords` dwords from `address`, which is dword aligned; in at most
//                two lines
//   Take         result.data <- the next `dwords` dwords of the packet; needs `stream`
//   MemWrite     address <- `dwords` dwords of `data`, within one line; posted
//   Atomic       result.value <- address, which becomes what `atomic` makes of it; not by the hub
//   WaitWrites   until the ring's posted memory writes are acknowledged
//   Delay        `cycles` clocks, between two polls
template <class KindOf>
struct MicroOp {
    using Kind = KindOf;
    Kind kind = Kind::Delay;
    MemPath path = MemPath::Hub;
    bool stream = false;  // RegWrite, MemWrite, Take: the data are the next dwords of the packet
    bool kernel = false;  // MemWrite: in address space 0, regardless of the packet's
    uint8_t dwords = 1;
    uint8_t swap = 0;                  // MemRead, MemWrite: a code of swap.h
    AtomicOp atomic = AtomicOp::None;  // of `dwords` dwords, with `operand` and `compare`
    uint32_t offset = 0;               // of a register: bytes, dword aligned
    uint32_t value = 0;
    uint32_t cycles = 0;  // Delay
    uint64_t operand = 0;
    uint64_t compare = 0;
    uint64_t address = 0;  // bytes
    // Of an access to memory, for faults: the packet, and its field with the address.
    const char* packet = nullptr;
    const char* field = nullptr;
    std::array<uint32_t, kLineBytes / 4> data{};
};

struct OpResult {
    uint64_t value = 0;
    std::array<uint32_t, kLineBytes / 4> data{};
};

}  // namespace archipelago::front
