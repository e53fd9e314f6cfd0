// SPDX-License-Identifier: Apache-2.0
// The index DMA unit between its channels. What it does is on the pins: IndexDmaCore, or the
// Verilog twin.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "models/common/memory_message.h"
#include "models/common/packet_places.h"
#include "models/common/stall_cycles.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/vgt/index_dma_core.h"
#include "models/vgt/index_dma_decode.h"
#include "models/vgt/index_dma_message.h"
#include "models/vgt/index_dma_spec.h"

namespace archipelago::vgt {

class IndexDmaUnit : public Unit {
  public:
    // `pins` takes the place of the core and must outlive this; null: the core. Throws
    // std::invalid_argument naming what is wrong with the spec.
    explicit IndexDmaUnit(const IndexDmaSpec& spec,
                          rtl::PinBlock<rtl::VgtIndexDmaPins>* pins = nullptr);

    Channel<IndexCommand> command;  // of VGT
    Channel<MemResponse> response;  // of memory, in any order
    Wire<bool> busy;

    // Reads of whole lines, tag below lines_ahead. Indices do not go through the shader caches.
    OutputChannel<MemRequest> to_memory{this};
    OutputChannel<IndexGroup> to_group{this};

    // At most a command, a request, a response and a group per cycle. Throws MachineStop: BadInput
    // for a base that is not aligned or a reserved type, when the draws before have all of theirs;
    // Fault when it comes to an index that memory would not give; Protocol.
    bool tick(Cycle now) override;

    // Control
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    // Functional mode: another line was read.
    void count_request() { ++counters_.requests; }

    // Stops name the packet of their draw.
    void name_packets(const PacketPlaces& places) { places_ = &places; }
    // What a stop of a draw names; `place`: RegRequest::place of its initiator.
    std::string where(uint16_t place) const { return place_in_stream(places_, place, name()); }

    const IndexDmaSpec& spec() const { return spec_; }
    // What the model keeps; meaningless with pins of a twin.
    const IndexDmaCore& core() const { return core_; }
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

  private:
    using In = rtl::VgtIndexDmaPins::In;
    using Out = rtl::VgtIndexDmaPins::Out;
    struct Begun {
        uint32_t draw = 0;
        uint32_t count = 0;
        uint16_t place = 0;
        uint8_t vmid = 0;
        Cycle at = 0;
    };
    struct Counters {
        uint64_t commands = 0;
        uint64_t requests = 0;
        uint64_t bytes = 0;
        uint64_t groups = 0;
        uint64_t indices = 0;
        uint64_t beyond = 0;
        StallCycles<FetchReason> fetch;
        StallCycles<GiveReason> give;
    };

    bool working() const { return active_ || !begun_.empty(); }
    bool sample(Cycle now);
    [[noreturn]] void stop_on(IndexStop code) const;
    const char* name() const { return path_.empty() ? "vgt.index_dma" : path_.c_str(); }

    const IndexDmaSpec spec_;
    IndexDmaCore core_;
    rtl::PinBlock<rtl::VgtIndexDmaPins>* const pins_;
    In in_;
    Out out_;
    bool active_ = false;
    void trace_fetch(const Begun& begun, Cycle end) const;

    std::deque<Begun> begun_;  // oldest first
    uint64_t uid_ = 0;
    int64_t open_ = 0;  // reads that memory has not answered
    Counters counters_;
    Observers observers_;
    TrackId track_ = 0;
    std::string path_;
    const PacketPlaces* places_ = nullptr;
};

}  // namespace archipelago::vgt
