// SPDX-License-Identifier: Apache-2.0
// Verilog through the whole way: TLM-2.0 -> pins -> Verilated model and back, with what
// archipelago_verilog() built of two_rams.yaml, streams.yaml and banks.yaml.
#include "rtl-bridge/adapters/verilog_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "models/common/error.h"
#include "rtl-bridge/adapters/verilog_platform.h"
#include "testbenches/unit/adapters/tlm_bench.h"
#include "tlm/protocol_checker.h"

namespace archipelago::adapters {
namespace {

std::string what(const tlm_shell::RunControl& control) {
    if (!control.error())
        return "";
    try {
        std::rethrow_exception(control.error());
    } catch (const std::exception& e) {
        return e.what();
    }
}

struct Rams {
    static constexpr uint64_t kSize = 16 * 1024;
    tlm_shell::RunControl control;
    tlm_shell::ClockDomain clock{"clock", kPeriod, control};
    VerilogBlock block{"rams", load_verilog_module(TWO_RAMS, 5), clock};
    Sender low{"low"}, high{"high"};
    tlm_shell::ProtocolChecker low_checker{"low_checker"}, high_checker{"high_checker"};
    AdapterRandom random{31};
    std::vector<uint8_t> low_reference = std::vector<uint8_t>(kSize);
    std::vector<uint8_t> high_reference = std::vector<uint8_t>(kSize);
    Rams() {
        low.socket.bind(low_checker.in);
        low_checker.out.bind(*block.target(0));
        high.socket.bind(high_checker.in);
        high_checker.out.bind(*block.target(1));
        for (unsigned port : {0u, 1u}) {
            auto& reference = port == 0 ? low_reference : high_reference;
            for (auto& byte : reference)
                byte = static_cast<uint8_t>(random.next());
            EXPECT_TRUE(block.write(port, base(port), reference.data(), kSize));
        }
    }
    static uint64_t base(unsigned port) { return 0x100000 * (port + 1); }
    void fill(unsigned count) {
        for (unsigned port : {0u, 1u}) {
            Sender& s = port == 0 ? low : high;
            adapters::fill(s, random, count, kSize, port == 0 ? &low_reference : &high_reference);
            for (auto& r : s.requests)
                r->gp.set_address(r->gp.get_address() + base(port));
        }
    }
    void run(uint64_t cycles) { sc_core::sc_start(sc_time::from_value(cycles * kPeriod)); }
    std::vector<uint8_t> contents(unsigned port) {
        std::vector<uint8_t> bytes(kSize);
        EXPECT_TRUE(block.read(port, base(port), bytes.data(), kSize));
        return bytes;
    }
};

TEST(VerilogBlock, RandomTrafficOnPackedPortsOf1024BitsIsWhatAMemoryGives) {
    Rams rams;
    ASSERT_EQ(rams.block.ports().size(), 2u);
    EXPECT_EQ(rams.block.ports()[1].axi.data_bits, 1024u);
    EXPECT_EQ(rams.block.ports()[1].axi.id_bits, 3u);
    EXPECT_EQ(rams.block.ports()[1].name, "ram1");
    rams.fill(300);
    rams.run(60000);
    ASSERT_EQ(what(rams.control), "");
    for (Sender* s : {&rams.low, &rams.high}) {
        EXPECT_EQ(s->answered, 300u);
        for (const auto& r : s->requests) {
            EXPECT_EQ(r->gp.get_response_status(), tlm::TLM_OK_RESPONSE);
            EXPECT_EQ(r->data, r->expected) << "request " << r->number;
        }
    }
    EXPECT_TRUE(rams.contents(0) == rams.low_reference);
    EXPECT_TRUE(rams.contents(1) == rams.high_reference);
}

TEST(VerilogBlock, ResetInFlightFailsWhatIsOnThePinsAndLosesNothingElse) {
    Rams rams;
    rams.fill(100);
    unsigned failed = 0;
    for (int n = 0; n < 20; ++n) {
        rams.run(40);
        rams.block.reset(2 + n % 3);
    }
    rams.run(40000);
    ASSERT_EQ(what(rams.control), "");
    for (Sender* s : {&rams.low, &rams.high}) {
        EXPECT_EQ(s->answered, 100u);
        for (const auto& r : s->requests)
            failed += r->gp.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE ? 1 : 0;
    }
    EXPECT_GT(failed, 5u);
    EXPECT_LT(failed, 180u);
}

TEST(VerilogBlock, DebugTransportReadsAndWritesTheArrayOfItsPortOnly) {
    Rams rams;
    tlm::tlm_generic_payload gp;
    std::vector<unsigned char> bytes(300, 0x5A), got(300);
    gp.set_command(tlm::TLM_WRITE_COMMAND);
    gp.set_address(Rams::base(1) + 1000);  // across words
    gp.set_data_ptr(bytes.data());
    gp.set_data_length(300);
    gp.set_streaming_width(300);
    EXPECT_EQ(rams.high.socket->transport_dbg(gp), 300u);
    gp.set_command(tlm::TLM_READ_COMMAND);
    gp.set_data_ptr(got.data());
    EXPECT_EQ(rams.high.socket->transport_dbg(gp), 300u);
    EXPECT_EQ(got, bytes);
    EXPECT_TRUE(rams.contents(0) == rams.low_reference);
    gp.set_address(Rams::base(1) + Rams::kSize - 100);  // beyond its end
    EXPECT_EQ(rams.high.socket->transport_dbg(gp), 0u);
    EXPECT_EQ(gp.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
}

// Collects the writes of a port that sends words.
struct Collector : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
    tlm::tlm_target_socket<> socket{"socket"};
    std::vector<std::pair<uint64_t, uint32_t>> words;  // address, value
    explicit Collector(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
        socket.bind(*this);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase&,
                                       sc_time&) override {
        uint32_t value = 0;
        for (unsigned i = 0; i < gp.get_data_length(); ++i)
            value |= uint32_t{gp.get_data_ptr()[i]} << 8 * i;
        words.emplace_back(gp.get_address(), value);
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
    void b_transport(tlm::tlm_generic_payload&, sc_time&) override {}
    unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }
};

// A request of a port, as long as its data.
Request& request(Sender& s, tlm::tlm_command command, uint64_t at,
                 std::vector<unsigned char> data) {
    Request& r = s.add();
    r.data = std::move(data);
    r.gp.set_command(command);
    r.gp.set_address(at);
    r.gp.set_data_ptr(r.data.data());
    r.gp.set_data_length(static_cast<unsigned>(r.data.size()));
    r.gp.set_streaming_width(static_cast<unsigned>(r.data.size()));
    return r;
}

struct Streams {
    tlm_shell::RunControl control;
    tlm_shell::ClockDomain clock{"clock", kPeriod, control};
    VerilogBlock block{"streams", load_verilog_module(STREAMS), clock};
    Sender in{"in"}, kick{"kick"};
    Collector out{"out"}, passed{"passed"}, sum{"sum"};
    Streams() {
        in.socket.bind(*block.target(0));
        block.initiator(1)->bind(out.socket);
        block.initiator(2)->bind(passed.socket);
        kick.socket.bind(*block.target(3));
        block.initiator(4)->bind(sum.socket);
    }
    static void write(Sender& s, uint64_t at, std::vector<unsigned char> data,
                      tlm::tlm_command command = tlm::TLM_WRITE_COMMAND) {
        request(s, command, at, std::move(data));
    }
};

TEST(VerilogBlock, WordsOfAWriteStreamThroughAndComeOutAsWrites) {
    Streams s;
    unsigned sent = 0;
    for (unsigned n = 0; n < 60; ++n) {
        std::vector<unsigned char> data;
        for (unsigned w = 0; w < 1 + n % 7; ++w, ++sent)
            for (const unsigned byte : {sent & 0xFF, sent >> 8, 0xA5u})  // 20 of 24 bits count
                data.push_back(static_cast<unsigned char>(byte));
        Streams::write(s.in, 0x1000 + 8 * n, data);
    }
    sc_core::sc_start(sc_time::from_value(20000 * kPeriod));
    ASSERT_EQ(what(s.control), "");
    EXPECT_EQ(s.in.answered, 60u);
    for (const auto& r : s.in.requests)
        EXPECT_EQ(r->gp.get_response_status(), tlm::TLM_OK_RESPONSE);
    ASSERT_EQ(s.out.words.size(), sent);
    for (unsigned n = 0; n < sent; ++n)
        EXPECT_EQ(s.out.words[n], std::make_pair(uint64_t{0x100}, ~(n | 0x50000) & 0xFFFFF));
    // A strobe for each word.
    EXPECT_EQ(s.passed.words.size(), sent);
    EXPECT_EQ(s.passed.words[0].first, 0x200u);
}

TEST(VerilogBlock, StrobesArriveOncePerWord) {
    Streams s;
    for (unsigned n = 1; n <= 40; ++n)
        Streams::write(s.kick, 0x2000, {static_cast<unsigned char>(n), 1});
    sc_core::sc_start(sc_time::from_value(20000 * kPeriod));
    ASSERT_EQ(what(s.control), "");
    EXPECT_EQ(s.kick.answered, 40u);
    ASSERT_FALSE(s.sum.words.empty());
    EXPECT_EQ(s.sum.words.back().second, 40u << 24 | (40 * 41 / 2 + 40 * 256));
}

TEST(VerilogBlock, WhatAStreamCannotTakeIsAnsweredWithAnError) {
    Streams s;
    Streams::write(s.in, 0x1000, {1, 2});  // words have three bytes
    Streams::write(s.in, 0x1000, {1, 2, 3}, tlm::TLM_READ_COMMAND);
    Streams::write(s.in, 0x1000, {1, 2, 3});
    sc_core::sc_start(sc_time::from_value(1000 * kPeriod));
    EXPECT_EQ(s.in.requests[0]->gp.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
    EXPECT_EQ(s.in.requests[1]->gp.get_response_status(), tlm::TLM_GENERIC_ERROR_RESPONSE);
    EXPECT_EQ(s.in.requests[2]->gp.get_response_status(), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(s.out.words.size(), 1u);
}

std::vector<unsigned char> bytes(size_t count, unsigned seed) {
    std::vector<unsigned char> data(count);
    AdapterRandom random(seed);
    for (unsigned char& b : data)
        b = static_cast<unsigned char>(random.next());
    return data;
}

struct Banks {
    // The first is 16 MiB, the others follow with 4 KiB each; the rest of the range is empty.
    static constexpr uint64_t kRam = 0x10000000, kHigh = kRam + 0x1000000, kEnd = kHigh + 0x2000;
    tlm_shell::RunControl control;
    tlm_shell::ClockDomain clock{"clock", kPeriod, control};
    VerilogBlock block{"banks", load_verilog_module(BANKS), clock};
    Sender ram{"ram"}, desc{"desc"};
    Collector status{"status"};
    Banks() {
        ram.socket.bind(*block.target(0));
        desc.socket.bind(*block.target(1));
        block.initiator(2)->bind(status.socket);
    }
    void run() { sc_core::sc_start(sc_time::from_value(20000 * kPeriod)); }
    std::map<std::string, uint64_t> stats() {
        StatsRegistry registry;
        block.add_stats(registry);
        std::map<std::string, uint64_t> values;
        for (const Counter& c : registry.counters())
            values[c.unit_path + " " + c.name] = *c.value;
        return values;
    }
};

TEST(VerilogBlock, TheBackDoorReachesEachMemoryInItsPartOfTheRange) {
    Banks b;
    const auto across_low = bytes(200, 1), across_high = bytes(300, 2), last = bytes(64, 3);
    ASSERT_TRUE(b.block.write(0, Banks::kHigh - 100, across_low.data(), 200));
    ASSERT_TRUE(b.block.write(0, Banks::kHigh + 0x1000 - 150, across_high.data(), 300));
    ASSERT_TRUE(b.block.write(0, Banks::kEnd - 64, last.data(), 64));
    // What the pins show of it: the initial blocks have not cleared it.
    std::vector<std::pair<Request*, std::vector<unsigned char>>> reads;
    const auto read = [&](uint64_t at, const std::vector<unsigned char>& expected) {
        Request& r =
            request(b.ram, tlm::TLM_READ_COMMAND, at, std::vector<unsigned char>(expected.size()));
        reads.emplace_back(&r, expected);
    };
    read(Banks::kHigh - 100, {across_low.begin(), across_low.begin() + 100});
    read(Banks::kHigh, {across_low.begin() + 100, across_low.end()});
    read(Banks::kHigh + 0x1000 - 150, {across_high.begin(), across_high.begin() + 150});
    read(Banks::kHigh + 0x1000, {across_high.begin() + 150, across_high.end()});
    read(Banks::kEnd - 64, last);
    const auto written = bytes(256, 4);
    request(b.ram, tlm::TLM_WRITE_COMMAND, Banks::kHigh + 0x1000 + 1024, written);
    b.run();
    ASSERT_EQ(what(b.control), "");
    for (const auto& [r, expected] : reads)
        EXPECT_EQ(r->data, expected) << "at " << r->gp.get_address();
    std::vector<unsigned char> seen(256);
    ASSERT_TRUE(b.block.read(0, Banks::kHigh + 0x1000 + 1024, seen.data(), 256));
    EXPECT_EQ(seen, written);
}

TEST(VerilogBlock, WhatNoMemoryCoversIsRefusedAndNothingOfItCopied) {
    Banks b;
    const auto zero = std::vector<unsigned char>(64);
    auto data = bytes(128, 5);
    auto seen = data;
    EXPECT_FALSE(b.block.write(0, Banks::kEnd - 64, data.data(), 128));
    ASSERT_TRUE(b.block.read(0, Banks::kEnd - 64, seen.data(), 64));
    EXPECT_TRUE(std::equal(zero.begin(), zero.end(), seen.begin()));
    EXPECT_FALSE(b.block.read(0, Banks::kEnd, seen.data(), 1));
    EXPECT_FALSE(b.block.read(1, 0x1000, seen.data(), 1));
}

TEST(VerilogBlock, FieldsOfAWordLieInItAsTheDescriptionListsThem) {
    Banks b;
    std::vector<std::pair<uint64_t, uint32_t>> expected;
    for (unsigned n = 0; n < 40; ++n) {
        const uint32_t tag = (n * 7) & 0x1F, length = (n * 37) & 0xFF, at = (n * 77777) & 0x7FFFF;
        const uint32_t word = tag | length << 5 | at << 13;
        std::vector<unsigned char> data;
        for (unsigned byte = 0; byte < 4; ++byte)
            data.push_back(static_cast<unsigned char>(word >> 8 * byte));
        request(b.desc, tlm::TLM_WRITE_COMMAND, 0x1000, data);
        expected.emplace_back(0x4000, tag | (at + length) << 5);
    }
    b.run();
    ASSERT_EQ(what(b.control), "");
    EXPECT_EQ(b.status.words, expected);
    const auto stats = b.stats();
    EXPECT_EQ(stats.at("verilog.banks.desc words"), 40u);
    EXPECT_EQ(stats.at("verilog.banks.status words"), 40u);
    EXPECT_EQ(stats.at("verilog.banks.desc stalls"), 0u);
    EXPECT_EQ(stats.count("verilog.banks.status stalls"), 0u);  // a strobe is never refused
}

TEST(VerilogBlock, PortsCountTransactionsBeatsAndWaits) {
    Banks b;
    // 64 bytes an issue cycle: 3 issue cycles, 4 where they begin inside one, 2 below and 1 above.
    request(b.ram, tlm::TLM_WRITE_COMMAND, Banks::kRam, bytes(192, 6));
    request(b.ram, tlm::TLM_READ_COMMAND, Banks::kRam + 32, std::vector<unsigned char>(192));
    request(b.ram, tlm::TLM_READ_COMMAND, Banks::kHigh + 0x1000, std::vector<unsigned char>(64));
    b.run();
    ASSERT_EQ(what(b.control), "");
    const auto stats = b.stats();
    EXPECT_EQ(stats.at("verilog.banks cycles"), 20000u);
    EXPECT_EQ(stats.at("verilog.banks.ram writes"), 1u);
    EXPECT_EQ(stats.at("verilog.banks.ram write_beats"), 3u);
    EXPECT_EQ(stats.at("verilog.banks.ram reads"), 2u);
    EXPECT_EQ(stats.at("verilog.banks.ram read_beats"), 5u);
    // The Verilog gives an issue cycle every other cycle; we take each at once.
    EXPECT_EQ(stats.at("verilog.banks.ram r_stalls"), 0u);
    EXPECT_EQ(stats.at("verilog.banks.ram read_waits"), 5u);
    EXPECT_GE(stats.at("verilog.banks.ram ar_stalls"), 7u);  // one read waits for the other
    // Its own counters.
    EXPECT_EQ(stats.at("verilog.banks beats"), 3u);
    EXPECT_EQ(stats.at("verilog.banks low_reads"), 4u);
    EXPECT_EQ(stats.at("verilog.banks high_reads"), 1u);
}

TEST(VerilogPlatforms, PortsAtTheSameAddressesAreRefusedByName) {
    std::vector<std::unique_ptr<VerilogModule>> modules;
    modules.push_back(load_verilog_module(TWO_RAMS));
    modules.push_back(load_verilog_module(STREAMS));
    {
        const VerilogPlatform fine("fine", std::move(modules), kPeriod);
        ASSERT_EQ(fine.ranges().size(), 4u);
        EXPECT_EQ(fine.ranges()[1].first, 0x200000u);
        EXPECT_EQ(fine.ranges()[1].last, 0x203FFFu);
    }
    std::vector<std::unique_ptr<VerilogModule>> twice;
    twice.push_back(load_verilog_module(STREAMS));
    twice.push_back(load_verilog_module(STREAMS));
    try {
        const VerilogPlatform platform("platform", std::move(twice), kPeriod);
        FAIL() << "accepted";
    } catch (const std::runtime_error& e) {
        EXPECT_NE(std::string(e.what()).find("foreign_streams.in: range from 0x1000 overlaps"),
                  std::string::npos)
            << e.what();
    }
}

TEST(VerilogModules, WhatIsNoSuchLibraryIsRefusedByName) {
    EXPECT_THROW(load_verilog_module("/nowhere/at_all.so"), std::runtime_error);
    EXPECT_THROW(load_verilog_module(STREAMS ".yaml"), std::runtime_error);
}

}  // namespace
}  // namespace archipelago::adapters
