// SPDX-License-Identifier: Apache-2.0
// Instruction cache shared by up to four compute units. Size: AMD OpenCL guide; fetch block of
// 32 bytes: CLRX GCN timings.
#pragma once

#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/tc/sqc_state.h"

namespace archipelago::tc {

// Each cycle one CU, in turn, looks up one fetch block. Answers to different waves may overtake
// each other: a hit does not wait behind a miss. A block whose line cannot be read is answered
// with fault set. Lines are tagged by address and VMID.
class SqcInstCore final : public Clocked, public Control {
  public:
    // `group` is the number of this cache among its kind, MemRequest::source towards L2.
    // Throws MachineStop(BadInput) when a field of the Spec is out of range.
    explicit SqcInstCore(const SqcInstSpec& spec, unsigned group = 0,
                         const std::string& name = "sqc.inst");

    Channel<FetchRequest>& from_cu(unsigned cu) { return from_cu_[cu]; }
    Channel<MemResponse> from_l2;
    Channel<CacheAction> actions;
    void connect_cu(unsigned cu, Channel<FetchResponse>& to_cu);
    void connect_l2(Channel<MemRequest>& to_l2);
    void connect_action_done(Channel<CacheActionDone>& done);

    bool tick(Cycle now) override;

    void reset() override;
    bool idle() const override;
    void set_run_state(RunState run) override {
        state_.run = run;
        wake_at(0);
    }
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& registry, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);

    void invalidate_all() { state_.store.array.clear(); }
    const SqcInstState& state() const { return state_; }
    const SqcInstSpec& spec() const { return spec_; }

  private:
    bool due(Cycle at) const;
    bool take_fill(Cycle now);
    bool look_up(Cycle now, unsigned cu);
    bool respond(Cycle now);
    bool send_answer(Cycle now, unsigned cu);
    bool start_action(Cycle now);
    bool finish_action(Cycle now);
    void answer(Cycle ready, const FetchRequest& request, const Line& line, bool fault);

    const SqcInstSpec spec_;
    const uint16_t group_;
    const std::string name_;
    SqcInstState state_;
    std::vector<Channel<FetchRequest>> from_cu_;
    std::vector<Channel<FetchResponse>*> to_cu_;
    Channel<MemRequest>* to_l2_ = nullptr;
    Channel<CacheActionDone>* action_done_ = nullptr;
    TraceSink* trace_ = nullptr;
    std::vector<TrackId> tracks_;
};

}  // namespace archipelago::tc
