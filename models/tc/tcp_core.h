// SPDX-License-Identifier: Apache-2.0
// Vector L1 cache (TCP), one per compute unit. Sizes and the 64 bytes per cycle: AMD OpenCL guide
// 2.4; glc and coherence: Southern Islands ISA document 8.1.10.
#pragma once

#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/tc/miss_rows.h"
#include "models/tc/tcp_state.h"
#include "models/tc/vector_l1.h"
#include "models/tc/warming.h"

namespace archipelago::tc {

// Why an answer of L2 stops the machine; the error pin of a twin.
enum class TcpFault : uint8_t { None, UnknownFill, UnknownAnswer };
class TcpStop : public MachineStop {
  public:
    TcpStop(TcpFault fault, const std::string& where);
    TcpFault fault() const { return fault_; }

  private:
    TcpFault fault_;
};

// Looks up to `lookups_per_cycle` line requests up in a cycle (the lines of four lanes), until one
// goes to L2, and answers as many, in the order of the requests regardless of their kind (the CU
// counts vmcnt in order; its return path bounds the bytes). Lines are tagged by address and VMID.
//  - Reads allocate; reads of a line on its way join its fill.
//  - Writes go through: they update the line when it is present, do not allocate, and are answered
//    when L2 has answered.
//  - glc reads and atomics go to L2, and the line is not kept.
// A fill overtaken by a write, an atomic, a glc read or an invalidation of its line serves the
// requests that already waited for it and is then dropped: it was read before the newer value.
class TcpCore final : public VectorL1 {
  public:
    // Throws MachineStop(BadInput) when a field of the Spec is out of range.
    explicit TcpCore(const TcpSpec& spec, const std::string& name = "tcp");

    bool tick(Cycle now) override;

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const override;
    void observe(const Observers& observers, const std::string& path) override;
    void finish_trace(Cycle now) const override;
    // idle() but for the channels.
    bool holds_nothing() const { return state_.order.empty() && !state_.action.active; }
    // From cycle `at` on nothing moves but what comes through the channels, however many cycles
    // pass.
    bool waits_for_inputs(Cycle at) const;

    // Drops every line at once, for changes of mode between dispatches.
    void invalidate_all() { state_.array.clear(); }
    // Outside time: warming.h.
    bool warm(const MemRequest& request);
    void warm(const CacheAction& action);
    template <class Read>
    void fill(const Read& read) {
        fill_lines(state_.array, read);
    }
    void archive_lines(Archive& a) override;

    const TcpState& state() const { return state_; }
    const TcpSpec& spec() const { return spec_; }

  private:
    bool due(Cycle at) const;
    bool take_answer(Cycle now);
    TcpFault fault_of(const MemResponse& answer);
    void accept_answer(Cycle now, const MemResponse& answer);
    void release(Cycle now);
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
    MissRows rows_;
};

// Tags towards L2: a fill carries its MSHR, everything else its slot of the order.
constexpr uint32_t kTcpSlotTag = 0x80000000u;

// The counters of a vector L1 under `path`; both must outlive the registry.
void register_tcp_stats(StatsRegistry& registry, const std::string& path,
                        const TcpCounters& counters, const StallClock<TcpStall>& stalls);

}  // namespace archipelago::tc
