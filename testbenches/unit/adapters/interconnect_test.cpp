// SPDX-License-Identifier: Apache-2.0
// Splitter and merger between two initiators and two memories, all of them using the base protocol
// in every way it allows, with a protocol checker on every connection.
#include <gtest/gtest.h>

#include "rtl-bridge/adapters/address_splitter.h"
#include "testbenches/unit/adapters/tlm_bench.h"
#include "tlm/memory_arbiter.h"
#include "tlm/protocol_checker.h"

namespace archipelago::adapters {
namespace {

constexpr uint64_t kUpper = 0x100000;  // where the second memory stands

// The memory sees addresses from 0 on.
struct Offset : sc_core::sc_module, tlm::tlm_fw_transport_if<>, tlm::tlm_bw_transport_if<> {
    tlm::tlm_target_socket<> in{"in"};
    tlm::tlm_initiator_socket<> out{"out"};
    uint64_t base;
    Offset(const sc_core::sc_module_name& name, uint64_t b) : sc_core::sc_module(name), base(b) {
        in.bind(*this);
        out.bind(*this);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_time& delay) override {
        const uint64_t at = gp.get_address();
        if (phase == tlm::BEGIN_REQ)
            gp.set_address(at - base);
        const auto status = out->nb_transport_fw(gp, phase, delay);
        gp.set_address(at);
        return status;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_time& delay) override {
        return in->nb_transport_bw(gp, phase, delay);
    }
    void b_transport(tlm::tlm_generic_payload& gp, sc_time& d) override { out->b_transport(gp, d); }
    unsigned transport_dbg(tlm::tlm_generic_payload& gp) override { return out->transport_dbg(gp); }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override {
        dmi.set_start_address(0);
        dmi.set_end_address(~sc_dt::uint64{0});
        return base == 0;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct Net {
    Sender a{"a"}, b{"b"};
    MoodyMemory low{"low"}, high{"high"};
    Offset low_at{"low_at", 0}, high_at{"high_at", kUpper};
    AddressSplitter split_a{"split_a", 2}, split_b{"split_b", 2};
    tlm_shell::MemoryArbiter merge_low{"merge_low", 2, tlm_shell::ArbiterPayloads::Any};
    tlm_shell::MemoryArbiter merge_high{"merge_high", 2, tlm_shell::ArbiterPayloads::Any};
    std::vector<std::unique_ptr<tlm_shell::ProtocolChecker>> checkers;
    AdapterRandom random{3};
    template <class From, class To>
    void connect(From& from, To& to) {
        checkers.push_back(std::make_unique<tlm_shell::ProtocolChecker>(
            ("checker" + std::to_string(checkers.size())).c_str()));
        from.bind(checkers.back()->in);
        checkers.back()->out.bind(to);
    }
    Net() {
        connect(a.socket, split_a.in);
        connect(b.socket, split_b.in);
        connect(split_a.out(0), merge_low.input(0));
        connect(split_b.out(0), merge_low.input(1));
        connect(split_a.out(1), merge_high.input(0));
        connect(split_b.out(1), merge_high.input(1));
        connect(merge_low.out, low_at.in);
        connect(merge_high.out, high_at.in);
        low_at.out.bind(low.socket);
        high_at.out.bind(high.socket);
        for (AddressSplitter* s : {&split_a, &split_b})
            s->set_range(1, kUpper, kUpper + kBytes - 1);
    }
};

TEST(Interconnect, EveryRequestReachesItsMemoryAndIsAnsweredOnceByTheRulesOfTheProtocol) {
    Net net;
    // Each initiator has halves of its own in both memories, so that the order between them is
    // free.
    std::vector<uint8_t> low(kBytes), high(kBytes);
    for (Sender* s : {&net.a, &net.b}) {
        const uint64_t own = s == &net.a ? 0 : kBytes / 2;
        for (unsigned n = 0; n < 400; ++n) {
            Request& r = s->add();
            const bool upper = net.random.below(2) == 0;
            const bool write = net.random.below(2) == 0;
            r.data.resize(1 + net.random.below(64));
            for (auto& byte : r.data)
                byte = static_cast<unsigned char>(net.random.next());
            const uint64_t at =
                own + net.random.below(static_cast<unsigned>(kBytes / 2 - r.data.size()));
            const auto length = static_cast<unsigned>(r.data.size());
            r.gp.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
            r.gp.set_address(at + (upper ? kUpper : 0));
            r.gp.set_data_ptr(r.data.data());
            r.gp.set_data_length(length);
            r.gp.set_streaming_width(length);
            r.expected = r.data;
            std::vector<uint8_t>& memory = upper ? high : low;
            for (unsigned i = 0; i < length; ++i)
                (write ? memory[at + i] : r.expected[i]) = write ? r.data[i] : memory[at + i];
        }
    }
    sc_core::sc_start(sc_time::from_value(400 * 2000 * kPeriod));
    for (Sender* s : {&net.a, &net.b}) {
        EXPECT_EQ(s->answered, 400u);
        EXPECT_GT(s->max_open, 2u);
        for (const auto& r : s->requests) {
            EXPECT_EQ(r->gp.get_response_status(), tlm::TLM_OK_RESPONSE);
            EXPECT_EQ(r->data, r->expected) << "request " << r->number;
            EXPECT_EQ(r->gp.get_ref_count(), 0);
        }
    }
    EXPECT_TRUE(net.low.bytes == low);
    EXPECT_TRUE(net.high.bytes == high);
    for (const auto& checker : net.checkers) {
        EXPECT_EQ(checker->outstanding(), 0u);
        EXPECT_GT(checker->transactions(), 100u);
    }
}

TEST(Interconnect, DirectMemoryAccessEndsWhereAnotherTargetBegins) {
    Net net;
    tlm::tlm_generic_payload gp;
    tlm::tlm_dmi dmi;
    std::vector<uint8_t> host(kUpper + kBytes + 1);
    dmi.set_dmi_ptr(host.data());
    gp.set_address(0x500);
    EXPECT_TRUE(net.a.socket->get_direct_mem_ptr(gp, dmi));
    EXPECT_EQ(dmi.get_start_address(), 0u);
    EXPECT_EQ(dmi.get_end_address(), kUpper - 1);
    gp.set_address(kUpper + kBytes + 5);
    dmi.set_dmi_ptr(host.data());
    EXPECT_TRUE(net.a.socket->get_direct_mem_ptr(gp, dmi));
    EXPECT_EQ(dmi.get_start_address(), kUpper + kBytes);
    EXPECT_EQ(dmi.get_dmi_ptr(), host.data() + kUpper + kBytes);
    gp.set_address(kUpper);
    EXPECT_FALSE(net.a.socket->get_direct_mem_ptr(gp, dmi));
}

}  // namespace
}  // namespace archipelago::adapters
