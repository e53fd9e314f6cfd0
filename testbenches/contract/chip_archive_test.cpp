// SPDX-License-Identifier: Apache-2.0
// A checkpoint that a platform writes and reads through Asic::archive(): when it may be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "models/asic/asic.h"
#include "models/asic/families.h"
#include "models/common/memory_image.h"
#include "tlm/memory_target.h"

namespace archipelago::asic::chip_archive_test {
namespace {

using ::testing::HasSubstr;

// Accesses nothing.
struct Host : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    tlm::tlm_initiator_socket<> socket{"socket"};
    explicit Host(const sc_core::sc_module_name& n) : sc_module(n) { socket.bind(*this); }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

struct Platform {
    std::unique_ptr<ChipDescription> description = load_chip("hainan", {});
    std::unique_ptr<Asic> chip = description->build("chip");
    MemoryImage image;
    tlm_shell::MemoryTargetModule memory{"memory", image};
    Host host{"host"};

    Platform() {
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

}  // namespace
}  // namespace archipelago::asic::chip_archive_test
