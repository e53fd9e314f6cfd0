// SPDX-License-Identifier: Apache-2.0
// What compute units and CP say to the global data share (GDS), and what it answers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/atomic_op.h"

namespace archipelago {

enum class GdsCommand : uint8_t {
    Read,
    Write,
    Atomic,      // m = f(m, data0), compare-and-swap: data0 compared with, data1 written
    MaskOr,      // m = m & ~data0 | data1
    Exchange,    // two elements, written with data0 and data1
    FromMemory,  // m[a] = f(m[a], m[b]); without an operation m[a] = m[b]
    Append,      // counter at address[0][0] += value
    Consume,     // counter at address[0][0] -= value
    OrderedCount,
    SyncInit,         // the wave synchronisation resources (GWS): counter = value
    SemaphoreUp,      // counter += value
    SemaphoreDown,    // waits until the counter is not 0, then takes one
    SynchronisePass,  // barrier
    RegisterAtomic,   // `atom` goes into the GDS_ATOM_* registers, SRC0 last, which starts it
};

// What the GDS_ATOM_* registers say of an atomic operation of one lane. SI document 2.8.2.
struct GdsAtom {
    uint32_t op = 0;    // a DS opcode
    uint32_t cntl = 0;  // AINC [5:0] bytes, DMODE [8]
    uint32_t base = 0;  // bytes
    uint32_t size = 0;  // bytes from base that may be accessed
    uint32_t offset0 = 0, offset1 = 0;
    uint32_t dst = 0;               // bytes from base
    uint32_t src0 = 0, src0_u = 0;  // compare-and-swap: compared with
    uint32_t src1 = 0, src1_u = 0;  // compare-and-swap: written
};

// One instruction of one wave. Lanes act in ascending order and the whole request at once.
struct GdsRequest {
    static constexpr unsigned kLanes = 64;
    GdsCommand command = GdsCommand::Read;
    AtomicOp atomic = AtomicOp::None;
    uint8_t bytes = 4;     // of an element: 1, 2, 4, 8
    uint8_t elements = 1;  // per lane: 1 or 2
    bool sign_extend = false;
    bool returns = false;  // the old value is wanted
    uint8_t vmid = 0;
    uint16_t source = 0;  // the requesting unit
    uint32_t tag = 0;     // returned with the response
    uint64_t uid = 0;
    // Append, Consume: active lanes. OrderedCount: operand. Synchronisation: count of waves.
    uint32_t value = 0;
    uint8_t resource = 0;  // synchronisation: M0[21:16] + offset, before the VMID's base is added
    // OrderedCount: only the wave whose number is due passes. `release` lets the next wave pass at
    // this counter, `done` at every counter.
    uint16_t order = 0;  // number of the wave
    uint8_t counter = 0;
    uint8_t stage = 0;  // shader stage; each has an order of its own
    bool swap = false;  // store the operand instead of adding it
    bool release = false, done = false;
    bool flush_denormals = false;  // floating-point operands count as 0 when they are denormal
    // Lanes in range, for each element; FromMemory: of m[a] and of m[b].
    std::array<uint64_t, 2> lanes{};
    std::array<std::array<uint32_t, kLanes>, 2> address{};  // bytes, aligned to the element
    std::array<std::array<uint32_t, kLanes>, 4> data{};     // dwords of data0, then of data1
    GdsAtom atom;                                           // RegisterAtomic
};

// Every request is answered once it has been executed, also those that return nothing.
struct GdsResponse {
    uint16_t source = 0;
    uint32_t tag = 0;
    // Dwords of the destination in the order of its registers; 0 for lanes out of range. Append,
    // Consume and OrderedCount: the old value in every lane. RegisterAtomic: GDS_ATOM_READ0,
    // READ0_U, READ1 and READ1_U in lane 0.
    std::array<std::array<uint32_t, GdsRequest::kLanes>, 4> data{};
};

// The GDS in functional mode.
class GdsPort {
  public:
    virtual ~GdsPort() = default;
    // Appends the answers that become due by this request: its own, unless it has to wait, and
    // those of requests that waited for it.
    virtual void request(const GdsRequest& request, std::vector<GdsResponse>& done) = 0;
};

}  // namespace archipelago
