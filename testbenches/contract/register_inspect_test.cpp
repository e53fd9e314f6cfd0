// SPDX-License-Identifier: Apache-2.0
// transport_dbg() at a chip's register socket: the answers of ordinary reads, and no effect.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

#include "models/asic/asic.h"
#include "models/asic/families.h"
#include "models/common/memory_image.h"
#include "tlm/memory_target.h"

namespace archipelago::asic::register_inspect_test {
namespace {

struct Answer {
    uint32_t value = 0;
    unsigned bytes = 0;  // of transport_dbg()
    tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
};

struct Host : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    tlm::tlm_initiator_socket<> socket{"socket"};
    explicit Host(const sc_core::sc_module_name& n) : sc_module(n) {
        SC_HAS_PROCESS(Host);
        SC_THREAD(run);
        socket.bind(*this);
    }
    Answer access(tlm::tlm_command command, uint64_t offset, uint32_t value, bool debug) {
        Answer answer{value};
        tlm::tlm_generic_payload gp;
        gp.set_command(command);
        gp.set_address(offset);
        gp.set_data_ptr(reinterpret_cast<unsigned char*>(&answer.value));
        gp.set_data_length(4);
        gp.set_streaming_width(4);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        if (debug)
            answer.bytes = socket->transport_dbg(gp);
        else
            socket->b_transport(gp, delay);
        answer.status = gp.get_response_status();
        return answer;
    }
    Answer inspect(uint64_t offset) { return access(tlm::TLM_READ_COMMAND, offset, 0xEE, true); }
    Answer read(uint64_t offset) { return access(tlm::TLM_READ_COMMAND, offset, 0xEE, false); }

    std::function<void()> program;

  private:
    void run() {
        program();
        sc_core::sc_stop();
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

// A chip of each family: offsets of a register that keeps what is written, and of the first byte
// after all of its registers.
struct Family {
    const char* chip;
    uint32_t scratch, end;
};
void PrintTo(const Family& family, std::ostream* out) {
    *out << family.chip;
}
constexpr Family kFamilies[] = {{"hainan", 0x8500, 0x30000},  // SCRATCH_REG0
                                {"rv770", 0xD004, 0x40000},   // DMA_RB_BASE
                                {"a630", 0x883 * 4, 0x100000},
                                {"r520", 0x10, 0x1000}};  // program info

class Inspect : public ::testing::TestWithParam<std::tuple<Family, Mode>> {
  protected:
    void run(const std::function<void()>& program) {
        chip->memory.bind(memory.socket);
        host.socket.bind(chip->registers);
        chip->on_interrupt([this](const Interrupt&) { ++interrupts; });
        host.program = program;
        sc_core::sc_start();
        if (chip->error())
            std::rethrow_exception(chip->error());
    }
    std::vector<uint64_t> counters() const {
        std::vector<uint64_t> values;
        for (const Counter& c : chip->stats().counters())
            values.push_back(*c.value);
        return values;
    }
    static ChipOptions options() {
        ChipOptions o;
        o.mode = std::get<Mode>(GetParam());
        return o;
    }
    const Family family = std::get<Family>(GetParam());
    std::unique_ptr<ChipDescription> description = load_chip(family.chip, {});
    std::unique_ptr<Asic> chip = description->build("chip", options());
    MemoryImage image;
    tlm_shell::MemoryTargetModule memory{"memory", image};
    Host host{"host"};
    unsigned interrupts = 0;
};

TEST_P(Inspect, AnswersAsAnOrdinaryReadDoes) {
    run([this] {
        std::map<tlm::tlm_response_status, unsigned> seen;
        const uint64_t step = 4 * (family.end / 0x2800 + 1);  // some thousand of them
        for (uint64_t offset = 0; offset < family.end + 16 * step; offset += step) {
            const Answer inspected = host.inspect(offset);
            EXPECT_EQ(inspected.bytes, inspected.status == tlm::TLM_OK_RESPONSE ? 4u : 0u);
            EXPECT_EQ(inspected.status, host.read(offset).status) << std::hex << offset;
            ++seen[inspected.status];
        }
        EXPECT_GT(seen[tlm::TLM_OK_RESPONSE], 0u);
        EXPECT_GT(seen[tlm::TLM_ADDRESS_ERROR_RESPONSE], 0u);
        EXPECT_EQ(seen.size(), 2u);
    });
}

TEST_P(Inspect, HasNoEffectNotEvenWhereNoRegisterIs) {
    run([this] {
        EXPECT_EQ(host.access(tlm::TLM_WRITE_COMMAND, family.scratch, 0x600D00, false).status,
                  tlm::TLM_OK_RESPONSE);
        EXPECT_EQ(host.read(family.scratch).value, 0x600D00u);
        sc_core::wait(sc_core::sc_time(2, sc_core::SC_US));
        const std::vector<uint64_t> before = counters();
        for (uint64_t offset = 0; offset < family.end + 64; offset += 4)
            host.inspect(offset);
        EXPECT_EQ(host.inspect(family.scratch).value, 0x600D00u);
        sc_core::wait(sc_core::sc_time(2, sc_core::SC_US));
        EXPECT_EQ(counters(), before);
        EXPECT_EQ(interrupts, 0u);
    });
}

TEST_P(Inspect, WritesNothing) {
    run([this] {
        host.access(tlm::TLM_WRITE_COMMAND, family.scratch, 0x600D00, false);
        for (const uint32_t offset : {family.scratch, family.end}) {
            const Answer written = host.access(tlm::TLM_WRITE_COMMAND, offset, 1, true);
            EXPECT_EQ(written.bytes, 0u);
            EXPECT_EQ(written.status, tlm::TLM_COMMAND_ERROR_RESPONSE);
        }
        EXPECT_EQ(host.read(family.scratch).value, 0x600D00u);
        EXPECT_EQ(host.inspect(family.scratch + 2).status, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
}

INSTANTIATE_TEST_SUITE_P(Registers, Inspect,
                         ::testing::Combine(::testing::ValuesIn(kFamilies),
                                            ::testing::Values(Mode::Cycle, Mode::Functional)),
                         [](const auto& info) {
                             return std::string(std::get<Family>(info.param).chip) +
                                    (std::get<Mode>(info.param) == Mode::Cycle ? "_cycle"
                                                                               : "_functional");
                         });

}  // namespace
}  // namespace archipelago::asic::register_inspect_test
