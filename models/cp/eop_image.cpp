// SPDX-License-Identifier: Apache-2.0
#include "models/common/error.h"
#include "models/cp/micro_op.h"

namespace archipelago::cp {

namespace {

// Of a sample event (2.8.3). ZPASS_DONE: a pair of qwords per depth block, of which the event
// writes one; bit 63 says it is there.
void sample_image(const PipeEvents& events, const SampleCounts& counts, unsigned depth_blocks,
                  EopImage& image) {
    constexpr uint64_t kValid = uint64_t{1} << 63;
    if (counts.event_type == events.zpass_done) {
        image.count = static_cast<uint8_t>(depth_blocks);
        image.stride = 16;
        for (unsigned i = 0; i < depth_blocks; ++i)
            image.values[i] = counts.counts[i] | kValid;
    } else if (counts.event_type == events.sample_pipelinestat) {
        image.count = SampleCounts::kPipelineCounters;
        image.values = counts.counts;
    } else {
        image.count = SampleCounts::kStreamoutCounters;
        for (unsigned i = 0; i < image.count; ++i)
            image.values[i] = counts.counts[i] | kValid;
    }
}

}  // namespace

EopImage eop_image(const EopCommand& command, uint64_t clock, const PerfCounterSource* perfcounter,
                   const SampleCounts& counts, unsigned depth_blocks, const PipeEvents& events) {
    EopImage image;
    image.count = 1;
    image.values[0] = command.data;
    switch (command.data_sel) {
        case EopData::None:
            image.count = 0;
            break;
        case EopData::Low32:
            image.bytes = 4;
            image.values[0] &= 0xFFFFFFFF;
            break;
        case EopData::Both64:
            break;
        case EopData::Clock:
            image.values[0] = clock;
            break;
        case EopData::PerfCounter:
            if (perfcounter == nullptr)
                throw MachineStop(StopKind::Unimplemented, to_string(command.location),
                                  "packet EVENT_WRITE_EOP with DATA_SEL 4 (CP_PERFCOUNTER) is not "
                                  "implemented");
            image.values[0] = perfcounter->cp_perfcounter();
            break;
        case EopData::Counters:
            sample_image(events, counts, depth_blocks, image);
            break;
        case EopData::Increment:
        case EopData::One:
            image.values[0] = 1;
            break;
    }
    return image;
}

}  // namespace archipelago::cp
