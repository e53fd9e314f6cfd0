// SPDX-License-Identifier: Apache-2.0
// Messages of the graphics pipe to the command processor: events that have passed it, and the
// pipeline counters that sample events read. "Radeon Southern Islands Acceleration" 2.8.3.
#pragma once

#include <array>
#include <cstdint>

namespace archipelago {

// SPI -> CP: an event written to VGT_EVENT_INITIATOR has passed all work of its ring before it:
// every wave of every earlier dispatch of that ring has ended. In order per ring.
struct EventDone {
    uint8_t ring = 0;
    uint8_t event_type = 0;  // VGT_EVENT_TYPE
    // SAMPLE_PIPELINESTAT: threads of the dispatches and pixels of the draws before it that are
    // counted.
    uint64_t cs_invocations = 0, ps_invocations = 0;
};

// VGT -> CP: one for every SAMPLE_PIPELINESTAT and SAMPLE_STREAMOUTSTATS* event of the
// graphics ring, in the order of the events. Depth blocks -> CP: one for every ZPASS_DONE. CP
// writes the counters to memory when the event has passed the pipe, whichever of the two comes
// first. Compute threads and pixels come with the event (EventDone).
struct SampleCounts {
    // SAMPLE_PIPELINESTAT: in the order in which they lie in memory (that of Mesa's queries).
    enum Pipeline : uint8_t {
        kPsInvocations,
        kClipperPrimitives,
        kClipperInvocations,
        kVsInvocations,
        kGsInvocations,
        kGsPrimitives,
        kIaPrimitives,
        kIaVertices,
        kHsInvocations,
        kDsInvocations,
        kCsInvocations,
        kPipelineCounters,
    };
    // ZPASS_DONE: of each depth block, samples that have passed since reset.
    static constexpr unsigned kMaxDepthBlocks = 8;
    // SAMPLE_STREAMOUTSTATS, 1, 2, 3: of stream 0, 1, 2, 3.
    enum Streamout : uint8_t { kPrimitivesNeeded, kPrimitivesWritten, kStreamoutCounters };

    uint8_t event_type = 0;  // VGT_EVENT_TYPE
    std::array<uint64_t, kPipelineCounters> counts{};
};

}  // namespace archipelago
