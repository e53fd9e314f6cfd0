// SPDX-License-Identifier: Apache-2.0
// A DRAM controller with the four phases of the base protocol in cycle mode, as DRAM simulators
// have them: END_REQ when a request has found room in its buffer, BEGIN_RESP when the burst has
// passed the data bus, the next response after END_RESP. It inspects phases alone, not what its
// calls return, which asks for MemoryPhases::Four of the chip (the default).
#pragma once

#include <tlm_utils/peq_with_get.h>

#include <algorithm>
#include <array>
#include <deque>

#include "memory.h"

class FourPhaseDram : public Memory {
  public:
    // A made-up device of eight banks with rows of 2 KiB.
    struct Timing {
        sc_core::sc_time clock{1250, sc_core::SC_PS};
        unsigned cas = 11, activate = 11, precharge = 11, burst = 4;  // clocks
        unsigned buffer = 8;                                          // requests
    };

    FourPhaseDram(const sc_core::sc_module_name& name, size_t bytes, const Timing& timing)
        : Memory(name, bytes), timing_(timing) {
        SC_HAS_PROCESS(FourPhaseDram);
        SC_THREAD(take);
        SC_THREAD(schedule);
        SC_THREAD(answer);
    }

    std::string report() const override {
        return std::to_string(hits_) + " row hits, " + std::to_string(misses_) + " misses, " +
               std::to_string(end_responses_) + " END_RESP";
    }

  private:
    static constexpr unsigned kRowBytes = 2048;
    static constexpr unsigned kBanks = 8;
    struct Bank {
        uint64_t row = ~uint64_t{0};  // open
        sc_core::sc_time free;        // takes the next command from then on
    };
    static uint64_t row_of(const tlm::tlm_generic_payload& gp) {
        return gp.get_address() / kRowBytes / kBanks;
    }
    Bank& bank_of(const tlm::tlm_generic_payload& gp) {
        return banks_[gp.get_address() / kRowBytes % kBanks];
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override {
        if (phase == tlm::BEGIN_REQ) {
            gp.acquire();
            arriving_.notify(gp, delay);
        } else {
            ++end_responses_;
            response_taken_.notify(delay);
        }
        return tlm::TLM_ACCEPTED;
    }

    void call(tlm::tlm_generic_payload& gp, tlm::tlm_phase phase) {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->nb_transport_bw(gp, phase, delay);
    }

    // The chip sends no request before the END_REQ of the last one.
    void take() {
        for (;;) {
            wait(arriving_.get_event());
            while (tlm::tlm_generic_payload* gp = arriving_.get_next_transaction()) {
                while (buffer_.size() == timing_.buffer)
                    wait(room_);
                wait(timing_.clock);
                buffer_.push_back(gp);
                work_.notify(sc_core::SC_ZERO_TIME);
                call(*gp, tlm::END_REQ);
            }
        }
    }

    // A command a clock: the oldest request to an open row, else the oldest of all.
    void schedule() {
        for (;;) {
            while (buffer_.empty())
                wait(work_);
            auto next = std::find_if(buffer_.begin(), buffer_.end(), [this](const auto* gp) {
                return bank_of(*gp).row == row_of(*gp);
            });
            if (next == buffer_.end())
                next = buffer_.begin();
            tlm::tlm_generic_payload& gp = **next;
            buffer_.erase(next);
            room_.notify(sc_core::SC_ZERO_TIME);
            responses_.notify(gp, data_passed(gp) - sc_core::sc_time_stamp());
            wait(timing_.clock);
        }
    }

    // When the last transfer of a request that is begun now has passed the data bus.
    sc_core::sc_time data_passed(const tlm::tlm_generic_payload& gp) {
        Bank& bank = bank_of(gp);
        const bool hit = bank.row == row_of(gp);
        ++(hit ? hits_ : misses_);
        unsigned clocks = timing_.cas;
        if (!hit)
            clocks += timing_.activate + (bank.row != ~uint64_t{0} ? timing_.precharge : 0);
        const sc_core::sc_time begin = std::max(sc_core::sc_time_stamp(), bank.free);
        const sc_core::sc_time data = std::max(begin + clocks * timing_.clock, bus_free_);
        bus_free_ = data + timing_.burst * timing_.clock;
        bank = {row_of(gp), bus_free_};
        return bus_free_;
    }

    void answer() {
        for (;;) {
            wait(responses_.get_event());
            while (tlm::tlm_generic_payload* gp = responses_.get_next_transaction()) {
                access(*gp);
                call(*gp, tlm::BEGIN_RESP);
                wait(response_taken_);
                gp->release();
            }
        }
    }

    const Timing timing_;
    std::array<Bank, kBanks> banks_;
    sc_core::sc_time bus_free_;
    std::deque<tlm::tlm_generic_payload*> buffer_;
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> arriving_{"arriving"};
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> responses_{"responses"};
    sc_core::sc_event work_{"work"}, room_{"room"}, response_taken_{"response_taken"};
    uint64_t hits_ = 0, misses_ = 0, end_responses_ = 0;
};
