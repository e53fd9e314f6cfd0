// SPDX-License-Identifier: Apache-2.0
// Initiators for a register socket that several share: each writes registers of its own, reads them
// back and knows what it must find there.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <systemc>
#include <tlm>
#include <utility>
#include <vector>

#include "models/common/channel.h"
#include "models/common/memory_message.h"
#include "tlm/port.h"

namespace archipelago::test {

// A sequence of accesses drawn from a seed. Every write of it has another value, one more than the
// write before.
class RegisterTraffic {
  public:
    RegisterTraffic(uint64_t seed, std::vector<uint32_t> offsets, unsigned count,
                    unsigned percent_writes)
        : random_(seed),
          offsets_(std::move(offsets)),
          left_(count),
          percent_writes_(percent_writes),
          value_(static_cast<uint32_t>(seed) << 20) {}

    bool done() const { return left_ == 0; }
    RegRequest next() {
        --left_;
        RegRequest r;
        r.offset = offsets_[random_() % offsets_.size()];
        r.write = written_.count(r.offset) == 0 || random_() % 100 < percent_writes_;
        if (r.write)
            written_[r.offset] = r.value = ++value_;
        return r;
    }
    // What a read must return when all accesses before it have been executed.
    uint32_t expected(uint32_t offset) const { return written_.at(offset); }
    uint64_t random() { return random_(); }

  private:
    std::mt19937_64 random_;
    std::vector<uint32_t> offsets_;
    unsigned left_;
    unsigned percent_writes_;
    uint32_t value_;
    std::map<uint32_t, uint32_t> written_;
};

// A processor model: one thread, one blocking access at a time.
class BlockingInitiator : public sc_core::sc_module, public tlm::tlm_bw_transport_if<> {
  public:
    tlm::tlm_initiator_socket<> socket{"socket"};
    RegisterTraffic traffic;
    unsigned reads = 0, writes = 0;
    bool finished = false;

    // Waits up to `longest_pause` between two accesses.
    BlockingInitiator(const sc_core::sc_module_name& name, RegisterTraffic t,
                      const sc_core::sc_time& longest_pause)
        : sc_core::sc_module(name), traffic(std::move(t)), longest_pause_(longest_pause) {
        SC_HAS_PROCESS(BlockingInitiator);
        SC_THREAD(run);
        socket.bind(*this);
    }

  private:
    void run() {
        while (!traffic.done()) {
            access(traffic.next());
            if (longest_pause_.value() != 0)
                wait(sc_core::sc_time::from_value(traffic.random() % longest_pause_.value()));
        }
        finished = true;
    }
    void access(const RegRequest& r) {
        tlm::tlm_generic_payload gp;
        uint8_t data[4];
        for (unsigned i = 0; i < 4; ++i)
            data[i] = static_cast<uint8_t>(r.value >> (8 * i));
        gp.set_command(r.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        gp.set_address(r.offset);
        gp.set_data_ptr(data);
        gp.set_data_length(4);
        gp.set_streaming_width(4);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(gp, delay);
        EXPECT_TRUE(gp.is_response_ok()) << name() << ": " << gp.get_response_string();
        ++(r.write ? writes : reads);
        uint32_t value = 0;
        for (unsigned i = 0; i < 4; ++i)
            value |= uint32_t{data[i]} << (8 * i);
        if (!r.write) {
            EXPECT_EQ(value, traffic.expected(r.offset)) << name() << " at " << r.offset;
        }
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

    sc_core::sc_time longest_pause_;
};

// A bus master with several reads open at once, after an InitiatorPort.
class PipelinedInitiator : public Clocked {
  public:
    tlm_shell::RegisterInitiator port;
    RegisterTraffic traffic;
    unsigned reads = 0, writes = 0, answered = 0;

    PipelinedInitiator(const char* name, tlm_shell::ClockDomain& clock,
                       tlm_shell::PayloadPool& pool, RegisterTraffic t)
        : port(name, clock, pool, 2, 1), traffic(std::move(t)) {
        answers_.set_consumer(this);
        port.requests.set_producer(this);
        port.connect(answers_);
        clock.add(*this);
        wake_at(0);
    }
    bool finished() const { return traffic.done() && answered == reads; }
    void random_stall(uint64_t seed, unsigned percent) {
        port.requests.random_stall(seed, percent);
        answers_.random_stall(seed + 1, percent);
    }

    bool tick(Cycle now) override {
        bool progress = false;
        while (answers_.can_pop(now)) {
            const RegResponse a = answers_.pop(now);
            EXPECT_LT(a.tag, expected_.size());
            EXPECT_EQ(a.status, RegStatus::Ok);
            EXPECT_EQ(a.value, expected_[a.tag]);
            EXPECT_FALSE(answered_[a.tag]) << "answered twice";
            answered_[a.tag] = true;
            ++answered;
            progress = true;
        }
        if (!traffic.done() && port.requests.can_push(now)) {
            RegRequest r = traffic.next();
            if (r.write) {
                ++writes;
            } else {
                r.tag = reads++;
                expected_.push_back(traffic.expected(r.offset));
                answered_.push_back(false);
            }
            port.requests.push(now, r);
            progress = true;
        }
        return progress;
    }

  private:
    Channel<RegResponse> answers_{{4, 1}};
    std::vector<uint32_t> expected_;  // by tag
    std::vector<bool> answered_;
};

}  // namespace archipelago::test
