// SPDX-License-Identifier: Apache-2.0
// Vector L1 cache (TCP), one per compute unit. Sizes and the 64 bytes per cycle: AMD OpenCL guide
// 2.4; glc and coherence: Southern Islands ISA document 8.1.10.
#pragma once

#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/tc/tcp_state.h"
#include "models/tc/warming.h"

namespace archipelago::tc {

// Looks up to `lookups_per_cycle` line requests up in a cycle (the lines of four lanes), until one
// goes to L2, and answers as many, in the order of the requests whatever their kind (the CU counts
// vmcnt in order; its return path bounds the bytes). Lines are tagged by address and VMID.
//  - Reads allocate; reads of a line on its way join its fill.
//  - Writes go through: they update the line when it is present, do not allocate, and are answered
//    when L2 has answered.
//  - glc reads and atomics go to L2, and the line is not kept.
// A fill overtaken by a write, an atomic, a glc read or an invalidation of its line serves the
// requests that already waited for it and is then dropped: it was read before the newer value.
class TcpCore final : public Unit {
  public:
    // Throws MachineStop(BadInput) when a field of the Spec is out of range.
    explicit TcpCore(const TcpSpec& spec, const std::string& name = "tcp");

    Channel<MemRequest> from_cu;
    Channel<MemResponse> from_l2;
    Channel<CacheAction> actions;
    OutputChannel<MemResponse> to_cu{this};
    OutputChannel<MemRequest> to_l2{this};
    OutputChannel<CacheActionDone> to_action_done{this};

    bool tick(Cycle now) override;

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const;
    // One timeline row per MSHR: a slice from a miss to its fill.
    void observe(const Observers& observers, const std::string& path);

    // Drops every line at once, for changes of mode between dispatches.
    void invalidate_all() { state_.array.clear(); }
    // Outside time: warming.h.
    bool warm(const MemRequest& request);
    void warm(const CacheAction& action);
    template <class Read>
    void fill(const Read& read) {
        fill_lines(state_.array, read);
    }
    void archive_lines(Archive& a);

    const TcpState& state() const { return state_; }
    // Requests that wait for an answer of L2, their own or that of a read before them.
    const Stay& waits() const { return waits_; }
    const TcpSpec& spec() const { return spec_; }

  private:
    bool due(Cycle at) const;
    bool take_answer(Cycle now);
    void accept_answer(Cycle now, const MemResponse& answer);
    bool accept(Cycle now);
    enum class Lookup : uint8_t { Stalled, Kept, Sent };  // Kept: nothing goes to L2
    Lookup read(Cycle now, MemRequest& request, uint64_t key, uint32_t set);
    Lookup pass_on(Cycle now, MemRequest& request, uint64_t key, uint32_t set);
    bool start_action(Cycle now);
    bool finish_action(Cycle now);
    bool respond(Cycle now);
    uint32_t open_slot(const MemRequest& request);
    void install(const Line& data, uint64_t key);
    void use(const MemRequest& request, uint32_t entry);
    void change(const MemRequest& request, uint32_t entry);
    Lookup stall(Cycle now, TcpStall reason);

    const TcpSpec spec_;
    const std::string name_;
    TcpState state_;
    Stay waits_;
    TraceSink* trace_ = nullptr;
    std::vector<TrackId> tracks_;
};

}  // namespace archipelago::tc
