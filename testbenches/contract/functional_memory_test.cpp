// SPDX-License-Identifier: Apache-2.0
// How the functional mode sees memories of other parties: with DMI, with debug accesses only, with
// blocking transport only.
#include <gtest/gtest.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <vector>

#include "models/asic/socket_memory.h"
#include "models/common/address_spaces.h"
#include "models/common/error.h"
#include "models/common/memory_image.h"
#include "tlm/memory_target.h"

namespace archipelago::asic::functional_memory_test {
namespace {

struct Initiator : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    tlm::tlm_initiator_socket<> socket{"socket"};
    explicit Initiator(const sc_core::sc_module_name& n) : sc_module(n) { socket.bind(*this); }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

// Counts accesses of each kind; the flags say which kinds it grants.
struct CountingMemory : tlm_shell::MemoryTargetModule {
    bool dmi = true, debug = true;
    bool null = false;        // grants have no pointer
    bool everything = false;  // grants are of all addresses
    bool read_only = false;   // through debug accesses
    uint64_t dmi_first = 0;   // grants begin here
    unsigned dmi_asked = 0, blocking = 0, written = 0;
    using MemoryTargetModule::MemoryTargetModule;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& d) override {
        ++dmi_asked;
        if (!dmi || !MemoryTargetModule::get_direct_mem_ptr(gp, d))
            return false;
        if (d.get_start_address() < dmi_first) {
            d.set_dmi_ptr(d.get_dmi_ptr() + (dmi_first - d.get_start_address()));
            d.set_start_address(dmi_first);
        }
        if (null)
            d.set_dmi_ptr(nullptr);
        if (everything)
            d.set_end_address(~uint64_t{0});
        return true;
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& gp) override {
        written += gp.is_write() ? 1 : 0;
        if (read_only && gp.is_write()) {
            gp.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
            return 0;
        }
        return debug ? MemoryTargetModule::transport_dbg(gp) : 0;
    }
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& t) override {
        ++blocking;
        MemoryTargetModule::b_transport(gp, t);
    }
};

struct Bench {
    MemoryImage image;
    CountingMemory target{"target", image};
    Initiator initiator{"initiator"};
    RangeMap spaces;
    SocketMemory memory{initiator.socket, &spaces};
    Bench() {
        initiator.socket.bind(target.socket);
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
};

class SpacesOfMemory : public ::testing::TestWithParam<bool> {};

TEST_P(SpacesOfMemory, EachVmidReadsAndWritesItsOwn) {
    Bench b;
    b.target.dmi = GetParam();
    b.image.map(0x1000, 0x5000);
    for (uint64_t page = 1; page < 6; ++page) {
        const std::vector<uint8_t> bytes(0x1000, static_cast<uint8_t>(page));
        b.image.write(page * 0x1000, bytes.data(), bytes.size());
    }
    b.spaces.map(1, {0x8000, 0x8fff, 0x3000});
    b.spaces.map(1, {0x9000, 0x9fff, 0x2000});
    b.spaces.map(2, {0x8000, 0x9fff, 0x4000});
    uint16_t two = 0;
    ASSERT_TRUE(b.memory.read(0x8fff, &two, 2, 1));
    EXPECT_EQ(two, 0x0203) << "neighbours in the space, but not in memory";
    ASSERT_TRUE(b.memory.read(0x8fff, &two, 2, 2));
    EXPECT_EQ(two, 0x0504);
    ASSERT_TRUE(b.memory.read(0x1fff, &two, 2, 3)) << "VMID 3 has no space";
    EXPECT_EQ(two, 0x0201);
    EXPECT_FALSE(b.memory.read(0x9fff, &two, 2, 1));
    EXPECT_FALSE(b.memory.read(0x1000, &two, 2, 1)) << "mapped in memory, but not in the space";
    two = 0xabcd;
    ASSERT_TRUE(b.memory.write(0x9000, &two, 2, 1));
    b.memory.flush();
    ASSERT_TRUE(b.image.read(0x2000, &two, 2));
    EXPECT_EQ(two, 0xabcd);
}

TEST_P(SpacesOfMemory, WindowsAndViewsEndWhereTheirRangeDoes) {
    Bench b;
    b.target.dmi = GetParam();
    b.image.map(0x1000, 0x5000);
    b.spaces.map(1, {0x8000, 0x9fff, 0x2000});
    const cu::HostWindow window = b.memory.window(0x9123, 1);
    EXPECT_LE(window.first, 0x9000u);
    EXPECT_GE(window.first, 0x8000u);
    EXPECT_EQ(window.first + window.bytes, 0xa000u);
    EXPECT_EQ(window.host + (0x9000 - window.first), b.memory.page(0x3000));
    EXPECT_EQ(b.memory.window(0xa000, 1).bytes, 0u);
    EXPECT_EQ(b.memory.page(0xa000, 1), nullptr);
    EXPECT_EQ(b.memory.page(0x9010, 1), b.memory.page(0x3010));
    size_t bytes = 0x2000;
    EXPECT_EQ(b.memory.view(0x9f00, bytes, 1), b.memory.page(0x3f00));
    EXPECT_EQ(bytes, 0x100u);
    bytes = 8;
    EXPECT_EQ(b.memory.view(0xa000, bytes, 1), nullptr);
    // A range of memory that is not there.
    b.spaces.map(2, {0x8000, 0x8fff, 0x9000});
    EXPECT_EQ(b.memory.page(0x8000, 2), nullptr);
    EXPECT_EQ(b.memory.window(0x8000, 2).bytes, 0u);
}

INSTANTIATE_TEST_SUITE_P(SocketMemory, SpacesOfMemory, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Dmi" : "Debug"; });

TEST(SocketMemory, ARangeIsRequestedOnceHoweverManyThereAre) {
    Bench b;
    for (uint64_t i = 0; i < 100; ++i)
        b.image.map(i * 0x10000, 0x2000);
    for (unsigned turn = 0; turn < 3; ++turn) {
        for (uint64_t i = 100; i-- > 0;) {
            const uint64_t value = i * 7 + turn;
            EXPECT_TRUE(b.memory.write(i * 0x10000 + 0xFFC, &value, 8));  // over a page's end
        }
        for (uint64_t i = 0; i < 100; ++i) {
            uint64_t value = 0;
            b.image.read(i * 0x10000 + 0xFFC, &value, 8);
            EXPECT_EQ(value, i * 7 + turn);
        }
        b.memory.flush();
    }
    EXPECT_EQ(b.target.dmi_asked, 100u);
    EXPECT_EQ(b.memory.page(0x2000), nullptr);
    EXPECT_EQ(b.memory.page(~uint64_t{0}), nullptr);
}

TEST(SocketMemory, AnInvalidatedRangeIsRequestedAgain) {
    Bench b;
    b.image.map(0, 0x4000);
    EXPECT_NE(b.memory.page(0x1000), nullptr);
    EXPECT_NE(b.memory.page(0x2000), nullptr);
    EXPECT_EQ(b.target.dmi_asked, 1u);
    b.memory.forget(0x3FFF, 0x3FFF);
    b.target.dmi = false;
    uint8_t* shadow = b.memory.page(0x1000);
    ASSERT_NE(shadow, nullptr);
    EXPECT_NE(shadow, b.image.page_pointer(0x1000));
    EXPECT_EQ(b.target.dmi_asked, 2u);
}

TEST(SocketMemory, AWindowHoldsItsAddressWhereAGrantBeginsWithinAPage) {
    Bench b;
    b.image.map(0x1000, 0x3000);
    b.target.dmi_first = 0x1100;
    EXPECT_NE(b.memory.page(0x1200), nullptr);  // brings the grant
    const cu::HostWindow partial = b.memory.window(0x1200);
    EXPECT_EQ(partial.first, 0x1000u);
    EXPECT_EQ(partial.bytes, 0x1000u);
    EXPECT_EQ(partial.host, b.memory.page(0x1000));
    const cu::HostWindow whole = b.memory.window(0x3210);
    EXPECT_EQ(whole.first, 0x2000u);
    EXPECT_EQ(whole.bytes, 0x2000u);
    EXPECT_EQ(whole.host, b.memory.page(0x2000));
}

TEST(SocketMemory, AGrantWithoutAPointerIsNone) {
    Bench b;
    b.image.map(0, 0x1000);
    b.target.null = true;
    const uint32_t value = 7;
    EXPECT_TRUE(b.memory.write(0x10, &value, 4));
    b.memory.flush();
    uint32_t after = 0;
    b.image.read(0x10, &after, 4);
    EXPECT_EQ(after, 7u);
}

TEST(SocketMemory, AGrantOfAllAddressesHasWindows) {
    Bench b;
    b.image.map(0, 0x4000);
    b.target.everything = true;
    ASSERT_NE(b.memory.page(0x1000), nullptr);
    const cu::HostWindow window = b.memory.window(0x1234);
    EXPECT_LE(window.first, 0x1234u);
    EXPECT_GT(window.first + window.bytes, 0x1234u);
    EXPECT_EQ(window.host + (0x1234 - window.first), b.memory.page(0x1234));
}

TEST(SocketMemory, OnlyPagesThatHaveChangedAreWrittenBack) {
    Bench b;
    b.target.dmi = false;
    b.image.map(0x1000, 0x3000);
    uint32_t value = 0;
    for (uint64_t page = 0x1000; page < 0x4000; page += 0x1000)
        EXPECT_TRUE(b.memory.read(page, &value, 4));
    value = 3;
    EXPECT_TRUE(b.memory.write(0x2000, &value, 4));
    b.memory.flush();
    EXPECT_EQ(b.target.written, 1u);
    b.target.read_only = true;
    EXPECT_TRUE(b.memory.read(0x1000, &value, 4));
    EXPECT_NO_THROW(b.memory.flush()) << "a page of a ROM that was read";
    ++value;
    EXPECT_TRUE(b.memory.write(0x1000, &value, 4));
    EXPECT_THROW(b.memory.flush(), MachineStop);
}

class WithoutDmi : public ::testing::TestWithParam<bool> {};
TEST_P(WithoutDmi, PagesAreReadOnceAndWrittenBack) {
    Bench b;
    b.target.dmi = false;
    b.target.debug = GetParam();
    b.image.map(0x1000, 0x2000);
    const uint32_t before = 0x12345678;
    b.image.write(0x1FFE, &before, 4);
    uint32_t value = 0;
    EXPECT_TRUE(b.memory.read(0x1FFE, &value, 4));
    EXPECT_EQ(value, before);
    value = 0xCAFEBABE;
    EXPECT_TRUE(b.memory.write(0x1FFE, &value, 4));
    EXPECT_FALSE(b.memory.write(0x2FFE, &value, 4)) << "runs into an unmapped page";
    b.memory.flush();
    uint32_t after = 0;
    b.image.read(0x1FFE, &after, 4);
    EXPECT_EQ(after, 0xCAFEBABE);
    EXPECT_EQ(b.target.blocking != 0, !GetParam());
}
INSTANTIATE_TEST_SUITE_P(SocketMemory, WithoutDmi, ::testing::Bool(), [](const auto& info) {
    return info.param ? "through_debug" : "through_blocking_transport";
});

}  // namespace
}  // namespace archipelago::asic::functional_memory_test
