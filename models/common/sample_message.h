// SPDX-License-Identifier: Apache-2.0
// What sample events bring to the command processor: the counters of the graphics pipeline as they
// are when everything before the event is counted. "Radeon Southern Islands Acceleration" 2.8.3.
#pragma once

#include <array>
#include <cstdint>

namespace archipelago {

// VGT -> CP: one for every SAMPLE_PIPELINESTAT and SAMPLE_STREAMOUTSTATS* event of the
// graphics ring, in the order of the events. CP writes the counters to memory when the event has
// passed the pipe, whichever of the two comes first. Compute threads come with the event
// (EventDone).
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
    // SAMPLE_STREAMOUTSTATS, 1, 2, 3: of stream 0, 1, 2, 3.
    enum Streamout : uint8_t { kPrimitivesNeeded, kPrimitivesWritten, kStreamoutCounters };

    uint8_t event_type = 0;  // VGT_EVENT_TYPE
    std::array<uint64_t, kPipelineCounters> counts{};
};

}  // namespace archipelago
