// SPDX-License-Identifier: Apache-2.0
// ChipOptions::temporal_decoupling changes no cycle and no time at which others are told something,
// regardless of what the memory does.
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/asic/asic.h"
#include "models/asic/families.h"
#include "models/common/memory_image.h"
#include "models/common/page.h"
#include "models/ctm/pe/registers.h"
#include "tlm/payload.h"

namespace archipelago::asic::decoupling_test {
namespace {

using sc_core::sc_time;

constexpr uint64_t kBuffer = 0x10000;

// Answers 70 ns after a request.
struct SlowMemory : sc_core::sc_module {
    enum class Dmi { Refused, WithLatencies, WithoutLatencies };
    tlm_utils::simple_target_socket<SlowMemory> socket{"socket"};
    MemoryImage image;
    const Dmi dmi;
    unsigned requests = 0;
    SlowMemory(const sc_core::sc_module_name& n, Dmi d) : sc_module(n), dmi(d) {
        socket.register_b_transport(this, &SlowMemory::transport);
        socket.register_get_direct_mem_ptr(this, &SlowMemory::direct);
        image.map(kBuffer, kPageBytes);
    }

  private:
    void transport(tlm::tlm_generic_payload& gp, sc_time& delay) {
        ++requests;
        const bool done =
            gp.is_read() ? image.read(gp.get_address(), gp.get_data_ptr(), gp.get_data_length())
                         : image.write(gp.get_address(), gp.get_data_ptr(), gp.get_data_length());
        gp.set_response_status(done ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        delay += sc_time(70, sc_core::SC_NS);
    }
    bool direct(tlm::tlm_generic_payload&, tlm::tlm_dmi& grant) {
        if (dmi == Dmi::Refused)
            return false;
        grant.set_dmi_ptr(image.page_pointer(kBuffer));
        grant.set_start_address(kBuffer);
        grant.set_end_address(kBuffer + kPageBytes - 1);
        grant.allow_read_write();
        if (dmi == Dmi::WithLatencies) {
            grant.set_read_latency(sc_time(70, sc_core::SC_NS));
            grant.set_write_latency(sc_time(70, sc_core::SC_NS));
        }
        return true;
    }
};

// A processor of the approximately timed kind.
struct Host : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    tlm::tlm_initiator_socket<> socket{"socket"};
    tlm_shell::PayloadPool pool;
    sc_core::sc_event answered;
    sc_time answer;  // when the last response begins
    explicit Host(const sc_core::sc_module_name& n) : sc_module(n) { socket.bind(*this); }

    void write(uint32_t offset, uint32_t value) {
        tlm::tlm_generic_payload gp;
        describe(gp, tlm::TLM_WRITE_COMMAND, offset, value);
        sc_time delay;
        socket->b_transport(gp, delay);
    }
    void read(uint32_t offset) {
        tlm_shell::Payload& p = pool.acquire();
        uint32_t value = 0;
        describe(p.gp, tlm::TLM_READ_COMMAND, offset, value);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_time delay;
        socket->nb_transport_fw(p.gp, phase, delay);
        sc_core::wait(answered);
        phase = tlm::END_RESP;
        delay = sc_core::SC_ZERO_TIME;
        socket->nb_transport_fw(p.gp, phase, delay);
        p.gp.release();
    }

  private:
    static void describe(tlm::tlm_generic_payload& gp, tlm::tlm_command command, uint32_t offset,
                         uint32_t& value) {
        gp.set_command(command);
        gp.set_address(offset);
        gp.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        gp.set_data_length(4);
        gp.set_streaming_width(4);
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase,
                                       sc_time& delay) override {
        if (phase == tlm::BEGIN_RESP) {
            answer = sc_core::sc_time_stamp() + delay;
            answered.notify(delay);
        }
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

// Two chips in one simulation, of which one runs ahead; one works while the other sleeps.
struct Platform : sc_core::sc_module {
    struct Part {
        std::unique_ptr<Asic> chip;
        SlowMemory memory;
        Host host;
        std::vector<uint64_t> times, cycles;  // from the start on
        Part(const ChipDescription& description, const char* name, bool decoupled,
             SlowMemory::Dmi dmi)
            : memory((name + std::string("_memory")).c_str(), dmi),
              host((name + std::string("_host")).c_str()) {
            ChipOptions options;
            options.temporal_decoupling = decoupled;
            chip = description.build(name, options);
            chip->memory.bind(memory.socket);
            host.socket.bind(chip->registers);
            const uint32_t idle[] = {0xC0000900, 0};  // wait_for_idle
            memory.image.write(kBuffer, idle, sizeof idle);
        }
        void note(sc_time at, sc_time start) {
            times.push_back((at - start).value());
            cycles.push_back(chip->cycles() - start.value() / period());
        }
        uint64_t period() const { return chip->description().identity().clock_period_fs; }
    };
    using Work = void (*)(Part& part, sc_time start);
    std::unique_ptr<ChipDescription> description;
    Part with_others, ahead;
    const Work work;

    Platform(const sc_core::sc_module_name& n, const char* chip, SlowMemory::Dmi dmi, Work w)
        : sc_module(n),
          description(load_chip(chip, {})),
          with_others(*description, "with_others", false, dmi),
          ahead(*description, "ahead", true, dmi),
          work(w) {
        SC_HAS_PROCESS(Platform);
        SC_THREAD(run);
    }
    void run() {
        work(with_others, sc_core::SC_ZERO_TIME);
        // A multiple of the periods of both clocks: the memory of r520 has 750 MHz.
        const sc_time start = sc_time::from_value(with_others.period() * 1'333'333);
        sc_core::wait(start - sc_core::sc_time_stamp());
        work(ahead, start);
        sc_core::sc_stop();
    }
    void simulate() {
        sc_core::sc_start();
        for (const Part* part : {&with_others, &ahead})
            if (part->chip->error())
                std::rethrow_exception(part->chip->error());
    }
};

// Of r520: two command buffers, each consumed with an interrupt, and an access after them.
void consume_buffers(Platform::Part& part, sc_time start) {
    part.chip->on_interrupt(
        [&part, start](const Interrupt&) { part.note(sc_core::sc_time_stamp(), start); });
    for (unsigned i = 0; i < 2; ++i) {
        part.host.write(ctm::kCbAddress, kBuffer);
        part.host.write(ctm::kCbSize, 8);
        sc_core::wait(part.chip->interrupt_event());
    }
    part.host.read(ctm::kCbConsumed);
    part.note(part.host.answer, start);
}

// Of hainan: from one block to another and back.
void read_registers(Platform::Part& part, sc_time start) {
    for (const uint32_t offset : {0x0E50, 0x8010, 0x8500, 0x8700}) {  // SRBM, GRBM, CP
        part.host.read(offset);
        part.note(part.host.answer, start);
    }
}

class Decoupling : public ::testing::TestWithParam<SlowMemory::Dmi> {};
TEST_P(Decoupling, TellsOthersAtTheSameTimesInTheSameCycles) {
    Platform platform("platform", "r520", GetParam(), consume_buffers);
    platform.simulate();
    ASSERT_EQ(platform.with_others.times.size(), 3u);
    if (GetParam() == SlowMemory::Dmi::WithoutLatencies) {
        EXPECT_EQ(platform.ahead.memory.requests, 0u) << "DMI says it takes no time";
        ASSERT_EQ(platform.ahead.times.size(), 3u);
        EXPECT_LT(platform.ahead.times[0], platform.with_others.times[0]);
        return;
    }
    EXPECT_EQ(platform.ahead.memory.requests, platform.with_others.memory.requests);
    EXPECT_EQ(platform.ahead.times, platform.with_others.times);
    EXPECT_EQ(platform.ahead.cycles, platform.with_others.cycles);
}
INSTANTIATE_TEST_SUITE_P(Memories, Decoupling,
                         ::testing::Values(SlowMemory::Dmi::Refused, SlowMemory::Dmi::WithLatencies,
                                           SlowMemory::Dmi::WithoutLatencies),
                         [](const auto& info) -> std::string {
                             switch (info.param) {
                                 case SlowMemory::Dmi::Refused:
                                     return "without_dmi";
                                 case SlowMemory::Dmi::WithLatencies:
                                     return "with_latencies";
                                 default:
                                     return "without_latencies";
                             }
                         });

// Of r520, both: a handler's own trouble is the chip's.
void handle_badly(Platform::Part& part, sc_time) {
    part.chip->on_interrupt([](const Interrupt&) { throw std::runtime_error("no such line"); });
    part.host.write(ctm::kCbAddress, kBuffer);
    part.host.write(ctm::kCbSize, 8);
    sc_core::wait(sc_time(10, sc_core::SC_US));
}

class Handler : public ::testing::TestWithParam<bool> {};
TEST_P(Handler, WhatItThrowsStopsTheChip) {
    Platform platform("platform", "r520", SlowMemory::Dmi::WithoutLatencies,
                      GetParam() ? Platform::Work([](Platform::Part& part, sc_time start) {
                          if (part.chip->options().temporal_decoupling)
                              handle_badly(part, start);
                      })
                                 : handle_badly);
    try {
        platform.simulate();
        FAIL() << "it was lost";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "no such line");
    }
    EXPECT_EQ(platform.ahead.chip->error() != nullptr, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Chips, Handler, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "ahead" : "with_others"; });

TEST(DecoupledRegisters, ChangeNoTimeOfAnAnswerThatComesThroughSeveralBlocks) {
    Platform platform("platform", "hainan", SlowMemory::Dmi::Refused, read_registers);
    platform.simulate();
    ASSERT_EQ(platform.with_others.times.size(), 4u);
    EXPECT_EQ(platform.ahead.times, platform.with_others.times);
    EXPECT_EQ(platform.ahead.cycles, platform.with_others.cycles);
}

}  // namespace
}  // namespace archipelago::asic::decoupling_test
