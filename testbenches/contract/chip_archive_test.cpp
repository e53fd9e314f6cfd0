// SPDX-License-Identifier: Apache-2.0
// A checkpoint that a platform writes and reads through Asic::archive(): when it may be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "models/asic/asic.h"
#include "models/asic/families.h"
#include "models/common/error.h"
#include "models/common/memory_image.h"
#include "tlm/memory_target.h"
#include "tlm/payload.h"

namespace archipelago::asic::chip_archive_test {
namespace {

using ::testing::HasSubstr;

struct Host : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    tlm::tlm_initiator_socket<> socket{"socket"};
    tlm_shell::PayloadPool pool;
    explicit Host(const sc_core::sc_module_name& n) : sc_module(n) { socket.bind(*this); }
    // Posted: complete at once.
    void write(uint32_t offset, uint32_t value) {
        tlm_shell::Payload& p = pool.acquire();
        p.gp.set_command(tlm::TLM_WRITE_COMMAND);
        p.gp.set_address(offset);
        p.gp.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        p.gp.set_data_length(4);
        p.gp.set_streaming_width(4);
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        sc_core::sc_time delay;
        EXPECT_EQ(socket->nb_transport_fw(p.gp, phase, delay), tlm::TLM_COMPLETED);
        p.gp.release();
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct Platform {
    std::unique_ptr<ChipDescription> description;
    std::unique_ptr<Asic> chip;
    MemoryImage image;
    tlm_shell::MemoryTargetModule memory;
    Host host;

    explicit Platform(const char* chip_name = "hainan", const std::vector<std::string>& keys = {},
                      const std::string& name = "chip", const ChipOptions& options = {})
        : description(load_chip(chip_name, keys)),
          chip(description->build(name.c_str(), options)),
          memory((name + "_memory").c_str(), image),
          host((name + "_host").c_str()) {
        chip->memory.bind(memory.socket);
        host.socket.bind(chip->registers);
    }
    std::string written() {
        Archive a;
        chip->archive(a);
        return a.bytes();
    }
    std::string refusal(const std::string& bytes) {
        Archive a(bytes, "file");
        try {
            chip->archive(a);
        } catch (const ArchiveError& error) {
            return error.what();
        }
        return "";
    }
};

TEST(ChipArchive, IsNotReadBeforeTheSimulationHasBegun) {
    Platform platform;
    const std::string bytes = platform.written();
    EXPECT_THAT(platform.refusal(bytes), HasSubstr("chip: a checkpoint is read before the "
                                                   "simulation has begun; call "
                                                   "sc_start(SC_ZERO_TIME) first"));
}

TEST(ChipArchive, IsReadAtTheTimeAtWhichItWasWritten) {
    Platform platform;
    sc_core::sc_start(sc_core::sc_time(2, sc_core::SC_NS));
    const std::string bytes = platform.written();
    EXPECT_EQ(platform.refusal(bytes), "");
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_NS));
    EXPECT_THAT(platform.refusal(bytes), HasSubstr("chip.engine: the checkpoint was written at "
                                                   "2000000 fs, and is read at 3000000 fs"));
}

TEST(ChipArchive, OfAnotherChipIsRefusedByBothNames) {
    Platform one, other("rv770", {}, "other");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    EXPECT_EQ(other.refusal(one.written()),
              "other: the checkpoint is of the chip hainan, this run is of rv770");
    EXPECT_EQ(one.refusal(other.written()),
              "chip: the checkpoint is of the chip rv770, this run is of hainan");
}

TEST(ChipArchive, OfAChipWithAnotherValueIsRefusedByItsKeyAndDelaysMayDiffer) {
    Platform one, fewer("hainan", {"topology.cu_per_sh=3"}, "fewer");
    Platform slower("hainan", {"cu.vector_memory.ta_load_pair_cycles.cycles=9"}, "slower");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    EXPECT_THAT(fewer.refusal(one.written()),
                AllOf(HasSubstr("fewer: the checkpoint is of configuration " +
                                one.description->identity().hash + " with topology.cu_per_sh: 5"),
                      HasSubstr("this run is of " + fewer.description->identity().hash +
                                " with 3; only delays may differ")));
    EXPECT_EQ(slower.refusal(one.written()), "");
}

TEST(ChipArchive, OfCycleModeIsRefusedInFunctionalMode) {
    ChipOptions without_time;
    without_time.mode = Mode::Functional;
    Platform one, functional("hainan", {}, "functional", without_time);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    EXPECT_EQ(functional.refusal(one.written()),
              "functional: the checkpoint was written in cycle mode; a chip in functional mode has "
              "no caches to take over");
    EXPECT_EQ(one.refusal(functional.written()), "");
}

TEST(ChipArchive, IsNotWrittenWhileTheChipIsAhead) {
    ChipOptions options;
    options.temporal_decoupling = true;
    Platform ahead("hainan", {}, "ahead", options);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    const std::string bytes = ahead.written();
    // The access is on its way for some cycles, and nothing else is due.
    ahead.host.write(0x8500, 1);
    sc_core::sc_start(sc_core::sc_time(4, sc_core::SC_NS));
    EXPECT_TRUE(ahead.chip->idle());
    try {
        ahead.written();
        FAIL() << "of a time that has not come";
    } catch (const MachineStop& stop) {
        EXPECT_THAT(stop.what(), HasSubstr("it is ahead of the simulation, which has to come to "));
    }
    sc_core::sc_start(sc_core::sc_time(1, sc_core::SC_US));
    EXPECT_NE(ahead.written(), bytes);
}

TEST(ChipArchive, HoldsOneChip) {
    Platform one, other("hainan", {}, "other");
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    Archive a;
    one.chip->archive(a);
    try {
        other.chip->archive(a);
        FAIL() << "an archive that nobody can read";
    } catch (const ArchiveError& error) {
        EXPECT_STREQ(error.what(), "block chip is written twice: an archive holds one chip");
    }
    EXPECT_EQ(one.refusal(a.bytes()), "");
}

}  // namespace
}  // namespace archipelago::asic::chip_archive_test
