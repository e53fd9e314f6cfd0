// SPDX-License-Identifier: Apache-2.0
// TLM -> AXI pins -> TLM: what a TLM-2.0 initiator requests, a TLM-2.0 target on the pins sees,
// and the answers come back. The base protocol is checked at both ends, AXI on the pins.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <set>

#include "models/common/error.h"
#include "rtl-bridge/adapters/axi_ports.h"
#include "testbenches/unit/adapters/tlm_bench.h"
#include "tlm/protocol_checker.h"

namespace archipelago::adapters {
namespace {

// The wires: both sides see what the other drove in the cycle that ends.
struct Wires : Clocked {
    AxiInitiator& from;
    AxiTarget& to;
    std::set<Cycle> resets;
    uint64_t cut_after = kNever;  // the target's pins are dead from then on
    Wires(AxiInitiator& f, AxiTarget& t) : from(f), to(t) {}
    bool tick(Cycle now) override {
        const bool in_reset = now < 3 || resets.count(now) != 0;
        const AxiInitiatorPins i = from.pins();
        const AxiTargetPins t = now > cut_after ? AxiTargetPins{} : to.pins();
        from.edge(now, t, in_reset);
        if (now <= cut_after)
            to.edge(i, in_reset);
        return true;
    }
};

struct Bench {
    tlm_shell::RunControl control;
    tlm_shell::ClockDomain clock{"clock", kPeriod, control};
    Sender sender{"sender"};
    tlm_shell::ProtocolChecker before{"before"}, behind{"behind"};
    AxiInitiator initiator;
    AxiTarget target;
    MoodyMemory memory{"memory"};
    Wires wires;
    AdapterRandom random{23};

    explicit Bench(const AxiSpec& spec, unsigned line_bytes = 64, uint64_t base = 0)
        : initiator("initiator", clock, spec, base),
          target("target", spec, line_bytes),
          wires(initiator, target) {
        sender.socket.bind(before.in);
        before.out.bind(initiator.port.socket);
        target.port.socket.bind(behind.in);
        behind.out.bind(memory.socket);
        clock.add(wires);
        wires.wake_at(0);
    }
    void fill(unsigned count, uint64_t limit, std::vector<uint8_t>* reference) {
        adapters::fill(sender, random, count, limit, reference);
    }
    void run(uint64_t cycles) { sc_core::sc_start(sc_time::from_value(cycles * kPeriod)); }
    std::string error() const {
        if (!control.error())
            return "";
        try {
            std::rethrow_exception(control.error());
        } catch (const std::exception& e) {
            return e.what();
        }
    }
};

void random_traffic(const AxiSpec& spec, unsigned line_bytes) {
    Bench bench(spec, line_bytes);
    for (auto& byte : bench.memory.bytes)
        byte = static_cast<uint8_t>(bench.random.next());
    std::vector<uint8_t> reference = bench.memory.bytes;
    bench.fill(600, kBytes, &reference);
    bench.run(600 * 2000);
    ASSERT_EQ(bench.error(), "");
    ASSERT_EQ(bench.sender.answered, 600u);
    for (const auto& r : bench.sender.requests) {
        EXPECT_EQ(r->gp.get_response_status(), tlm::TLM_OK_RESPONSE) << "request " << r->number;
        EXPECT_EQ(r->data, r->expected) << "request " << r->number;
        EXPECT_EQ(r->gp.get_ref_count(), 0);
    }
    EXPECT_TRUE(reference == bench.memory.bytes);
    EXPECT_TRUE(bench.initiator.idle());
    EXPECT_TRUE(bench.target.idle());
    EXPECT_GT(bench.sender.max_open, 4u);
    EXPECT_GT(bench.initiator.checker().bursts(), 600u);
}

TEST(TlmOverAxi, RandomTrafficIsWhatADirectConnectionGives) {
    AxiSpec spec;
    spec.data_bits = 128;
    spec.id_bits = 4;
    spec.ids = 8;
    spec.stall_percent = 20;
    random_traffic(spec, 64);
}
TEST(TlmOverAxi, RandomTrafficOfOneIdAndPayloadsAsLongAsBursts) {
    AxiSpec spec;
    spec.data_bits = 32;
    random_traffic(spec, 0);
}
TEST(TlmOverAxi, RandomTrafficOnTheWidestBus) {
    AxiSpec spec;
    spec.data_bits = 1024;
    spec.id_bits = 8;
    spec.ids = 16;
    spec.stall_percent = 40;
    random_traffic(spec, 64);
}
TEST(TlmOverAxi, RandomTrafficOverAxi4Lite) {
    AxiSpec spec;
    spec.lite = true;
    spec.stall_percent = 10;
    random_traffic(spec, 64);
}

TEST(TlmOverAxi, ErrorsOfTheTargetReachTheInitiatorAsTheyAre) {
    AxiSpec spec;
    spec.id_bits = 2;
    spec.ids = 4;
    Bench bench(spec);
    bench.memory.error_from = 0x8000;
    bench.fill(300, 0x20000, nullptr);  // half of it beyond the memory
    bench.run(300 * 2000);
    ASSERT_EQ(bench.error(), "");
    std::map<tlm::tlm_response_status, unsigned> seen;
    for (const auto& r : bench.sender.requests) {
        const uint64_t first = r->gp.get_address();
        const uint64_t last =
            first + std::min(r->gp.get_data_length(), r->gp.get_streaming_width()) - 1;
        ++seen[r->gp.get_response_status()];
        // Writes without any enabled byte reach no target; what straddles a limit may be either.
        if (last / 0x8000 != first / 0x8000 || !r->enable.empty())
            continue;
        EXPECT_EQ(r->gp.get_response_status(), first < 0x8000    ? tlm::TLM_OK_RESPONSE
                                               : first < 0x10000 ? tlm::TLM_GENERIC_ERROR_RESPONSE
                                                                 : tlm::TLM_ADDRESS_ERROR_RESPONSE)
            << std::hex << first;
    }
    EXPECT_GT(seen[tlm::TLM_OK_RESPONSE], 20u);
    EXPECT_GT(seen[tlm::TLM_GENERIC_ERROR_RESPONSE], 20u);
    EXPECT_GT(seen[tlm::TLM_ADDRESS_ERROR_RESPONSE], 20u);
}

TEST(TlmOverAxi, ResetInFlightAnswersEveryTransactionOnceAndTrafficGoesOn) {
    AxiSpec spec;
    spec.id_bits = 4;
    spec.ids = 16;
    spec.stall_percent = 20;
    Bench bench(spec);
    for (Cycle at = 100; at < 40000; at += 137)
        for (Cycle n = 0; n < 1 + at % 3; ++n)
            bench.wires.resets.insert(at + n);
    bench.fill(500, kBytes, nullptr);
    bench.run(500 * 2000);
    ASSERT_EQ(bench.error(), "");
    EXPECT_EQ(bench.sender.answered, 500u);
    unsigned failed = 0;
    for (const auto& r : bench.sender.requests)
        failed += r->gp.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE ? 1 : 0;
    EXPECT_GT(failed, 20u);
    EXPECT_LT(failed, 450u);
    EXPECT_TRUE(bench.initiator.idle());
    EXPECT_TRUE(bench.target.idle());
}

TEST(TlmOverAxi, ATargetThatStopsAnsweringTimesOutWithTransactionsInFlight) {
    AxiSpec spec;
    spec.id_bits = 2;
    spec.ids = 4;
    spec.timeout = 500;
    Bench bench(spec);
    bench.wires.cut_after = 300;
    bench.fill(60, kBytes, nullptr);
    bench.run(100000);
    ASSERT_EQ(bench.error(), "");
    EXPECT_EQ(bench.sender.answered, 60u);
    unsigned failed = 0;
    for (const auto& r : bench.sender.requests)
        failed += r->gp.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE ? 1 : 0;
    EXPECT_GT(failed, 10u);
    EXPECT_EQ(failed, bench.initiator.core().timeouts());
}

TEST(TlmOverAxi, AMemoryThatNeverAnswersBecomesASlaveError) {
    AxiSpec spec;
    spec.timeout = 400;
    Bench bench(spec);
    AxiSpec patient = spec;
    patient.timeout = 0;
    bench.initiator.core() = AxiInitiatorCore(patient);
    bench.memory.silent = true;
    bench.fill(20, kBytes, nullptr);
    bench.run(40000);
    ASSERT_EQ(bench.error(), "");
    EXPECT_EQ(bench.sender.answered, 20u);
    EXPECT_GT(bench.target.core().timeouts(), 10u);
}

TEST(TlmOverAxi, ABreachOnThePinsStopsTheSimulationByName) {
    AxiSpec spec;
    Bench bench(spec);
    bench.fill(20, kBytes, nullptr);
    bench.target.set_checked(false);
    bench.wires.cut_after = 60;  // pins that die look like RVALID or BVALID falling
    AxiSpec slow = spec;
    slow.stall_percent = 95;
    bench.initiator.core() = AxiInitiatorCore(slow);
    bench.run(4000);
    EXPECT_NE(bench.error().find("DROPPED"), std::string::npos) << bench.error();
}

TEST(TlmOverAxi, AnExtensionChoosesIdAttributesAndWrapBursts) {
    AxiSpec spec;
    spec.id_bits = 4;
    Bench bench(spec);
    for (unsigned i = 0; i < 64; ++i)
        bench.memory.bytes[0x1040 + i] = static_cast<uint8_t>(i);
    Request& r = bench.sender.add();
    r.data.resize(64);
    r.gp.set_command(tlm::TLM_READ_COMMAND);
    r.gp.set_address(0x1040);
    r.gp.set_data_ptr(r.data.data());
    r.gp.set_data_length(64);
    r.gp.set_streaming_width(64);
    AxiExtension extension;
    extension.id = 11;
    extension.attributes.qos = 3;
    extension.wrap = true;
    extension.wrap_start = 0x1060;
    r.gp.set_extension(&extension);
    AxiAddressPins seen;
    for (int n = 0; n < 100; ++n) {
        bench.run(1);
        if (bench.initiator.pins().ar.valid)
            seen = bench.initiator.pins().ar;
    }
    r.gp.clear_extension(&extension);
    ASSERT_EQ(bench.error(), "");
    EXPECT_EQ(seen.id, 11u);
    EXPECT_EQ(seen.attributes.qos, 3);
    EXPECT_EQ(seen.burst, AxiBurst::Wrap);
    EXPECT_EQ(seen.addr, 0x1060u);
    EXPECT_EQ(seen.len, 15);
    for (unsigned i = 0; i < 64; ++i)
        EXPECT_EQ(r.data[i], i);
}

TEST(TlmOverAxi, BlockingTransportWaitsForTheRealAnswer) {
    AxiSpec spec;
    spec.data_bits = 64;
    Bench bench(spec);
    struct Host : sc_core::sc_module {
        BusTargetPort& port;
        unsigned right = 0;
        sc_time took;
        Host(const sc_core::sc_module_name& name, BusTargetPort& p)
            : sc_core::sc_module(name), port(p) {
            SC_HAS_PROCESS(Host);
            SC_THREAD(run);
        }
        void access(tlm::tlm_command command, uint64_t at, std::vector<unsigned char>& data) {
            tlm::tlm_generic_payload gp;
            gp.set_command(command);
            gp.set_address(at);
            gp.set_data_ptr(data.data());
            gp.set_data_length(static_cast<unsigned>(data.size()));
            gp.set_streaming_width(static_cast<unsigned>(data.size()));
            sc_time delay = sc_time::from_value(kPeriod);
            port.b_transport(gp, delay);
            right += gp.is_response_ok() ? 1 : 0;
        }
        void run() {
            std::vector<unsigned char> out = {1, 2, 3, 4, 5, 6, 7}, in(7);
            access(tlm::TLM_WRITE_COMMAND, 0xFFD, out);
            access(tlm::TLM_READ_COMMAND, 0xFFD, in);
            right += in == out ? 1 : 0;
            took = sc_core::sc_time_stamp();
        }
    } host("host", bench.initiator.port);
    bench.run(1000);
    EXPECT_EQ(host.right, 3u);
    EXPECT_GT(host.took, sc_time::from_value(10 * kPeriod));
}

TEST(TlmOverAxi, ABaseTakesTheApertureOffTheAddressesOnThePins) {
    constexpr uint64_t kBase = 0x10'0000'0000;
    AxiSpec spec;
    spec.address_bits = 16;
    Bench bench(spec, 64, kBase);
    std::vector<uint8_t> reference = bench.memory.bytes;
    bench.fill(100, kBytes, &reference);
    for (const auto& r : bench.sender.requests)
        r->gp.set_address(r->gp.get_address() + kBase);
    bench.run(100 * 2000);
    ASSERT_EQ(bench.error(), "");
    EXPECT_EQ(bench.sender.answered, 100u);
    EXPECT_TRUE(reference == bench.memory.bytes);
}

TEST(TlmOverAxi, DebugTransportGoesThroughTheBackDoorWhereThereIsOne) {
    constexpr uint64_t kBase = 0x10'0000'0000;
    AxiSpec spec;
    Bench bench(spec, 64, kBase);
    tlm::tlm_generic_payload gp;
    unsigned char bytes[3] = {1, 2, 3};
    gp.set_address(kBase + 0x10);
    gp.set_data_ptr(bytes);
    gp.set_data_length(3);
    gp.set_streaming_width(3);
    gp.set_command(tlm::TLM_WRITE_COMMAND);
    EXPECT_EQ(bench.sender.socket->transport_dbg(gp), 0u);
    std::vector<uint8_t>& memory = bench.memory.bytes;
    bench.initiator.port.set_back_door({[&](uint64_t at, uint8_t* to, size_t n) {
                                            std::copy_n(&memory[at], n, to);
                                            return true;
                                        },
                                        [&](uint64_t at, const uint8_t* from, size_t n) {
                                            std::copy_n(from, n, &memory[at]);
                                            return true;
                                        }});
    EXPECT_EQ(bench.sender.socket->transport_dbg(gp), 3u);
    EXPECT_EQ(memory[0x12], 3);
    bytes[2] = 0;
    gp.set_command(tlm::TLM_READ_COMMAND);
    EXPECT_EQ(bench.sender.socket->transport_dbg(gp), 3u);
    EXPECT_EQ(bytes[2], 3);
    gp.set_address(0x10);  // below the aperture
    EXPECT_EQ(bench.sender.socket->transport_dbg(gp), 0u);
    EXPECT_EQ(gp.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

}  // namespace
}  // namespace archipelago::adapters
