// SPDX-License-Identifier: Apache-2.0
// Micro-operations of CP's packets besides those of every engine (models/front/micro_op.h). A
// packet program (packet_program.h) emits these; OpEngine executes them with timing, the functional
// processor at once.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/gds_message.h"
#include "models/common/memory_message.h"
#include "models/common/pipe_message.h"
#include "models/cp/ce_message.h"
#include "models/cp/cp_location.h"
#include "models/cp/register_map.h"
#include "models/front/micro_op.h"
#include "models/front/swap.h"

namespace archipelago::cp {

using front::kMaxDwordSwap;
using front::swap_dword;
using front::swap_mask;

// ---- end of pipe -------------------------------------------------------------------------------
// What is written; the first five as DATA_SEL of EVENT_WRITE_EOP.
enum class EopData : uint8_t {
    None,
    Low32,
    Both64,
    Clock,
    PerfCounter,  // CP_PERFCOUNTER_HI/LO
    Counters,     // those of the sample event
    Increment,    // a semaphore: 64 bits grow by 1
    One,          // a semaphore: 64 bits become 1
};
enum class EopInterrupt : uint8_t { None, Only, WhenConfirmed };

// What happens once all work before an end-of-pipe event is done.
struct EopCommand {
    Location location;
    uint8_t event_type = 0;  // VGT_EVENT_TYPE
    EopData data_sel = EopData::None;
    EopInterrupt interrupt = EopInterrupt::None;
    bool invalidate_l2 = false;
    bool posted = false;   // complete without the acknowledge of its write
    uint64_t address = 0;  // bytes
    uint64_t data = 0;
    uint64_t flow = 0;      // timeline: the arrow of the last dispatch or draw before it
    uint32_t gds_from = 0;  // not 0 dwords: that part of the GDS goes to `address`
    uint32_t gds_dwords = 0;
};

// What CP_EOP_LAST_FENCE_LO/HI remembers.
constexpr bool is_fence(EopData data) {
    return data != EopData::None && data < EopData::Counters;
}
constexpr bool is_semaphore(EopData data) {
    return data == EopData::Increment || data == EopData::One;
}

// The counter CP_PERFCOUNTER_HI/LO, for DATA_SEL 4 of EVENT_WRITE_EOP.
class PerfCounterSource {
  public:
    virtual ~PerfCounterSource() = default;
    virtual uint64_t cp_perfcounter() const = 0;
};

// The qwords (or the dword) an end-of-pipe command writes: `count` of them of `bytes` each,
// `stride` bytes apart.
struct EopImage {
    uint8_t count = 0;
    uint8_t bytes = 8;
    uint8_t stride = 8;
    std::array<uint64_t, SampleCounts::kPipelineCounters> values{};
};
// What a command writes. `clock`: of DATA_SEL 3; `counts`: of a sample event; a semaphore that
// grows by 1 has the 1. Throws MachineStop for DATA_SEL 4 without a source of its counter.
EopImage eop_image(const EopCommand& command, uint64_t clock, const PerfCounterSource* perfcounter,
                   const SampleCounts& counts, unsigned depth_blocks, const PipeEvents& events);

// ---- DMA ---------------------------------------------------------------------------------------
struct DmaCommand {
    Location location;
    bool pfp = false;  // of the prefetch parser, not of ME
    bool fill = false;
    bool raw_wait = false;  // reads only after all earlier writes are acknowledged
    bool posted = false;    // its packet may want to know when it is written, before it is done
    uint8_t swap_mask = 0;  // byte i of the stream comes from byte i ^ swap_mask
    uint32_t bytes = 0;
    uint32_t fill_data = 0;
    uint64_t source = 0;
    uint64_t destination = 0;
    bool from_gds = false, to_gds = false;  // addresses in the GDS
};
// Byte `i` of what the command writes; `source(n)` is byte n of what it reads.
template <class Source>
uint8_t dma_byte(const DmaCommand& command, uint32_t i, const Source& source) {
    const uint32_t place = i ^ command.swap_mask;
    return command.fill ? static_cast<uint8_t>(command.fill_data >> 8 * (place % 4))
                        : source(place);
}
// A command is written when all its writes are on their way, done when they are there.
struct DmaDone {
    uint8_t ring = 0;
    bool written = true;  // a posted command reports twice
    bool done = true;
};

// ---- micro-operations --------------------------------------------------------------------------
enum class OpKind : uint8_t {
    RegWrite,  // to Delay: models/front/micro_op.h
    RegRead,
    MemRead,
    Take,
    MemWrite,
    Atomic,
    WaitWrites,
    Delay,
    Event,       // post event_type to the pipe; `wait`: until all work before it is done
    Eop,         // post eop.event_type and hand `eop` to the end-of-pipe unit
    CacheStart,  // start `action`
    CachePoll,   // result.value <- 1 when the action of the last CacheStart is done
    Dma,         // hand `dma` to the DMA engine
    WaitDma,     // until the ring's DMA commands are written; `wait`: done
    SyncPfp,     // tell the prefetch parser that ME is here
    Clock,       // result.value <- GPU clock counter
    CeWait,   // request to the constant engine by `ce`; result.value <- 0: not yet, else the grant:
              // 1 + buffer
    CeTell,   // tell it `ce`
    GdsRead,  // result.data <- `dwords` (up to 4) dwords of the GDS from `address`
    GdsWrite,      // GDS from `address` <- `dwords` dwords of `data`; posted
    GdsAtomic,     // `atom`; posted unless `wait`: result.data <- GDS_ATOM_READ0, _U, READ1, _U
    WaitGds,       // until the ring's posted GDS operations are complete
    WaitGdsStore,  // until the GDS data of the ring's EVENT_WRITE_EOS are in memory
    RingError,     // bits `value` of CP_INT_STATUS_RINGn, with their interrupt
    ContextsIdle,  // until no render context is in the pipe
    DeIncrement,   // count `ce.buffer` at the top of the pipe, and at its end by event_type
};

using front::MemPath;
using front::OpResult;

// The register that says how long the polls of a packet may go on.
enum class PollLimit : uint8_t { None, WaitRegMem, Semaphore, kCount };

struct MicroOp : front::MicroOp<OpKind> {
    bool wait = false;
    uint8_t event_type = 0;
    PollLimit limit = PollLimit::None;  // Delay
    CacheAction action;
    EopCommand eop;
    DmaCommand dma;
    DeMessage ce;
    GdsAtom atom;
};

}  // namespace archipelago::cp
