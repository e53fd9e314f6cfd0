// SPDX-License-Identifier: Apache-2.0
// A memory that takes back direct memory access while a dispatch of functional mode runs.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "models/asic/asic.h"
#include "models/asic/families.h"
#include "registers/si_names.h"

namespace archipelago::asic::dmi_test {
namespace {

namespace r = regs::si;

constexpr uint64_t kMoving = 0x100000, kFixed = 0x200000;
constexpr uint64_t kBytes = 0x4000;

// Two granted ranges. The first request for the second moves the first to another place of the
// host: nothing may use what remains.
struct MovingMemory : sc_core::sc_module, tlm::tlm_fw_transport_if<> {
    tlm::tlm_target_socket<> socket{"socket"};
    std::vector<uint8_t> moving = std::vector<uint8_t>(kBytes), before;
    std::vector<uint8_t> fixed = std::vector<uint8_t>(kBytes);
    explicit MovingMemory(const sc_core::sc_module_name& n) : sc_module(n) { socket.bind(*this); }

    uint8_t* at(uint64_t address) {
        if (address >= kMoving && address < kMoving + kBytes)
            return moving.data() + (address - kMoving);
        return address >= kFixed && address < kFixed + kBytes ? fixed.data() + (address - kFixed)
                                                              : nullptr;
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& gp, tlm::tlm_dmi& dmi) override {
        if (at(gp.get_address()) == nullptr)
            return false;
        const uint64_t first = gp.get_address() / kFixed != 0 ? kFixed : kMoving;
        if (first == kFixed && before.empty()) {
            before = moving;
            moving.swap(before);
            std::fill(before.begin(), before.end(), uint8_t{0xDD});
            socket->invalidate_direct_mem_ptr(kMoving, kMoving + kBytes - 1);
        }
        dmi.set_dmi_ptr(at(first));
        dmi.set_start_address(first);
        dmi.set_end_address(first + kBytes - 1);
        dmi.allow_read_write();
        return true;
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& gp) override {
        const uint8_t* from = at(gp.get_address());
        if (from == nullptr || !gp.is_read())
            return 0;
        std::memcpy(gp.get_data_ptr(), from, gp.get_data_length());
        return gp.get_data_length();
    }
    void b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time&) override {
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        gp.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return tlm::TLM_COMPLETED;
    }
};

struct Host : sc_core::sc_module, tlm::tlm_bw_transport_if<> {
    tlm::tlm_initiator_socket<> socket{"socket"};
    explicit Host(const sc_core::sc_module_name& n) : sc_module(n) { socket.bind(*this); }
    void write(uint32_t offset, uint32_t value) {
        tlm::tlm_generic_payload gp;
        uint8_t data[4];
        std::memcpy(data, &value, 4);
        gp.set_command(tlm::TLM_WRITE_COMMAND);
        gp.set_address(offset);
        gp.set_data_ptr(data);
        gp.set_data_length(4);
        gp.set_streaming_width(4);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(gp, delay);
        EXPECT_TRUE(gp.is_response_ok()) << std::hex << offset;
    }
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

// The program lies in the moving range, too, its second half after a branch.
std::vector<uint32_t> program() {
    std::vector<uint32_t> words = {
        0x34020082,              // v_lshlrev_b32 v1, 2, v0
        0xC0040500,              // s_load_dword s8, s[4:5], 0x0
        0xE0301000, 0x80000201,  // buffer_load_dword v2, v1, s[0:3], 0 offen
        0xBF8C0000,              // s_waitcnt 0
        0xC0048700,              // s_load_dword s9, s[6:7], 0x0: memory moves
        0xBF8C007F,              // s_waitcnt lgkmcnt(0)
        0xC0050501,              // s_load_dword s10, s[4:5], 0x1
        0xE0301000, 0x80000301,  // buffer_load_dword v3, v1, s[0:3], 0 offen
        0xBF8C0000,              // s_waitcnt 0
        0x7E08020A,              // v_mov_b32 v4, s10
        0xBF820064,              // s_branch 100
    };
    words.resize(words.size() + 100, 0xBF810000);  // s_endpgm
    words.insert(words.end(), {
                                  0x4A060702,              // v_add_i32 v3, vcc, v2, v3
                                  0xE0701400, 0x80000301,  // buffer_store_dword v3 at 1024
                                  0xE0701800, 0x80000401,  // buffer_store_dword v4 at 2048
                                  0xBF810000,              // s_endpgm
                              });
    return words;
}

TEST(Dmi, AMemoryMayTakeItBackInTheMiddleOfADispatch) {
    const std::unique_ptr<ChipDescription> description = load_chip("hainan", {});
    ChipOptions options;
    options.mode = Mode::Functional;
    const std::unique_ptr<Asic> chip = description->build("chip", options);
    MovingMemory memory("memory");
    Host host("host");
    chip->memory.bind(memory.socket);
    host.socket.bind(chip->registers);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);

    const std::vector<uint32_t> code = program();
    std::memcpy(memory.at(kMoving), code.data(), 4 * code.size());
    constexpr uint64_t kData = kMoving + 0x2000;
    for (uint32_t i = 0; i < 64; ++i) {
        const uint32_t value = 100 + i;
        std::memcpy(memory.at(kData + 4 * i), &value, 4);
    }
    const auto lo = [](uint64_t a) { return static_cast<uint32_t>(a); };
    const uint32_t user[] = {lo(kData), 0, 0x1000, 0x00024FAC, lo(kData), 0, lo(kFixed), 0};
    for (uint32_t i = 0; i < 8; ++i)
        host.write(r::COMPUTE_USER_DATA_0 + 4 * i, user[i]);
    host.write(r::COMPUTE_NUM_THREAD_X, 64);
    host.write(r::COMPUTE_NUM_THREAD_Y, 1);
    host.write(r::COMPUTE_NUM_THREAD_Z, 1);
    host.write(r::COMPUTE_PGM_LO, lo(kMoving >> 8));
    host.write(r::COMPUTE_PGM_RSRC1, 1u | 1u << 6);  // 8 VGPRs, 16 SGPRs
    host.write(r::COMPUTE_PGM_RSRC2, 8u << 1);       // 8 user SGPRs
    host.write(r::COMPUTE_STATIC_THREAD_MGMT_SE0, ~0u);
    host.write(r::COMPUTE_STATIC_THREAD_MGMT_SE1, ~0u);
    host.write(r::COMPUTE_DIM_X, 1);
    host.write(r::COMPUTE_DIM_Y, 1);
    host.write(r::COMPUTE_DIM_Z, 1);
    host.write(r::COMPUTE_DISPATCH_INITIATOR, 1u | 4u);
    if (chip->error())
        std::rethrow_exception(chip->error());
    ASSERT_FALSE(memory.before.empty()) << "the memory never moved";

    for (uint32_t i = 0; i < 64; ++i) {
        uint32_t value = 0;
        std::memcpy(&value, memory.at(kData + 1024 + 4 * i), 4);
        EXPECT_EQ(value, 2 * (100 + i)) << i;
        std::memcpy(&value, memory.at(kData + 2048 + 4 * i), 4);
        EXPECT_EQ(value, 101u) << i;
    }
    for (const uint8_t byte : memory.before)
        ASSERT_EQ(byte, 0xDD) << "written where the memory no longer is";
}

}  // namespace
}  // namespace archipelago::asic::dmi_test
