// SPDX-License-Identifier: Apache-2.0
// CP's registers on the register bus, in cycle mode: answers requests one a cycle, rings the
// doorbells of fetch and PFP, mirrors scratch registers and read pointers to memory, raises
// interrupts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/interrupt.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"
#include "models/cp/register_file.h"

namespace archipelago::cp {

class RegisterCore : public Unit, public RegisterEffects {
  public:
    explicit RegisterCore(const Spec& spec);

    Channel<RegRequest> request;  // from the register bus
    Channel<MemResponse> memory_response;
    Channel<CacheActionDone> cache_done;
    EventLink<ReadPointer> read_pointer;                 // from PFP
    EventLink<EopNotice> notice;                         // from the end-of-pipe unit
    EventLink<RingError> ring_error;                     // from ME
    EventLink<RingError> parse_error;                    // from PFP
    std::array<EventLink<PrivilegeFault>, 3> privilege;  // from ME, PFP, constant engine
    EventLink<PollTimeout> me_timeout, pfp_timeout;
    EventLink<StreamoutFlushed> streamout_flushed;  // from ME
    Wire<bool> busy;
    std::vector<Wire<uint32_t>> interrupt_control;  // CP_INT_CNTL_RINGn

    OutputChannel<RegResponse> to_response{this};
    OutputChannel<MemRequest> to_hub{this};
    OutputChannel<CacheAction> to_coherency{this};
    // Rings.
    OutputEvent<RingUpdate> to_fetch{this}, to_pfp{this};
    OutputEvent<HaltChange> to_pfp_halt{this}, to_me_halt{this}, to_ce_halt{this};
    OutputEvent<PollLimits> to_pfp_limits{this}, to_me_limits{this};
    OutputEvent<Interrupt> to_interrupt{this};  // optional

    void watch(StatusUnit unit, const Wire<bool>& busy) {
        busy_wires_[static_cast<size_t>(unit)] = &busy;
    }

    // The registers were set in functional mode up to here: tells the units after what they say.
    void announce(Cycle now) {
        now_ = now;
        file_->announce();
    }

    RegisterFile& file() { return *file_; }
    const RegisterFile& file() const { return *file_; }

    bool tick(Cycle now) override;
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;

    // RegisterEffects, called from within tick().
    void ring_changed(unsigned ring, bool reset) override;
    void halt_changed(bool pfp_halted, bool me_halted, bool ce_halted) override;
    void write_back(uint64_t address, uint32_t value) override;
    void start_coherency(const CacheAction& action) override;
    void raise(const Interrupt& interrupt) override;
    void limits_changed(uint32_t wait_reg_mem, uint32_t semaphore) override;
    bool unit_busy(StatusUnit unit) const override;

  private:
    struct WriteBack {
        uint64_t address = 0;
        uint32_t value = 0;
    };
    struct State {
        std::vector<WriteBack> write_backs;  // oldest first
        uint32_t writes_in_flight = 0;
        std::array<WriteBack, 256> place{};  // by tag, for faults
        uint32_t sequence = 0;
        bool coherency_pending = false;
        CacheAction coherency;
        uint64_t reads = 0, writes = 0, write_backs_done = 0, interrupts = 0;
    };

    template <class Link, class Effect>
    bool take_all(Link& link, Effect&& effect);
    bool take_reports();
    bool take_answers();
    void send_write_back();
    bool serve();

    const Spec spec_;
    const std::unique_ptr<RegisterFile> file_;
    State state_;
    Cycle now_ = 0;
    std::array<const Wire<bool>*, static_cast<size_t>(StatusUnit::kCount)> busy_wires_{};
};

}  // namespace archipelago::cp
