// SPDX-License-Identifier: Apache-2.0
// What CP works out ahead, and what it holds back on the register bus meanwhile, shows nowhere: a
// host that reads, writes, halts, dispatches and looks at the counters at random moments sees the
// same in the same cycles as where every cycle is ticked.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <random>
#include <string>
#include <vector>

#include "registers/si_names.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"

namespace archipelago::host {
namespace {

namespace r = regs::si;

using Words = std::vector<uint32_t>;

class Host {
  public:
    Host(Machine& machine, uint64_t seed) : machine_(machine), driver_(machine), random_(seed) {}

    std::string run() {
        driver_.bring_up();
        const uint64_t buffers = machine_.allocate(0x20000);
        const uint64_t code = machine_.allocate(0x1000);
        const uint32_t end_program = 0xBF810000;
        machine_.memory().write(code, &end_program, 4);
        const uint32_t vertex_program[] = {0x7E000280,              // v_mov_b32 v0, 0
                                           0xF80008CF, 0x00000000,  // exp pos0 v0, v0, v0, v0 done
                                           end_program};
        machine_.memory().write(code + 0x100, vertex_program, sizeof vertex_program);
        driver_.submit(0, draw_state(code + 0x100));
        for (unsigned i = 0; i < 2; ++i) {
            const Words words = stream(6000);
            machine_.memory().write(buffers + 0x10000 * i, words.data(), 4 * words.size());
            driver_.submit_ib(0, buffers + 0x10000 * i, static_cast<uint32_t>(words.size()), 0);
        }
        // Now and then much at once, now and then nothing for long.
        for (unsigned i = 0; i < 600; ++i) {
            sc_core::wait(sc_core::sc_time(1 + draw(i % 40 < 3 ? 400 : 25), sc_core::SC_NS));
            if (draw(2) == 0)
                act(code);
            if (draw(4) == 0)
                glance();
        }
        machine_.write_register(r::CP_ME_CNTL, 0);
        driver_.fence_and_wait(0);
        note("fence", 0);
        for (const uint32_t offset : kRegisters)
            for (uint32_t i = 0; i < 4; ++i)
                note("register", machine_.read_register(offset + 4 * i));
        look();
        return said_;
    }

  private:
    static constexpr uint32_t kRegisters[] = {
        r::CB_COLOR0_BASE,       r::PA_CL_VPORT_XSCALE,        r::SPI_PS_INPUT_CNTL_0,
        r::CB_BLEND0_CONTROL,    r::SPI_SHADER_USER_DATA_PS_0, r::SPI_SHADER_USER_DATA_VS_0,
        r::SPI_SHADER_PGM_LO_PS, r::COMPUTE_USER_DATA_0,       r::SCRATCH_REG0};

    uint32_t draw(uint32_t n) { return static_cast<uint32_t>(random_() % n); }

    // Points by way of a vertex shader.
    static Words draw_state(uint64_t program) {
        Words words;
        const auto set = [&](uint32_t opcode, uint32_t window, uint32_t offset, uint32_t value) {
            words.insert(words.end(), {type3(opcode, 2), (offset - window) / 4, value});
        };
        set(0x76, 0xB000, r::SPI_SHADER_PGM_LO_VS, static_cast<uint32_t>(program >> 8));
        set(0x76, 0xB000, r::SPI_SHADER_PGM_HI_VS, static_cast<uint32_t>(program >> 40));
        set(0x76, 0xB000, r::SPI_SHADER_PGM_RSRC1_VS, 0);
        set(0x76, 0xB000, r::SPI_SHADER_PGM_RSRC2_VS, 2 << 1);  // USER_SGPR
        set(0x69, 0x28000, r::SPI_SHADER_POS_FORMAT, 4);        // four components
        set(0x69, 0x28000, r::VGT_MAX_VTX_INDX, 0xFFFFFFFF);
        set(0x69, 0x28000, r::VGT_MIN_VTX_INDX, 0);
        set(0x69, 0x28000, r::VGT_INDX_OFFSET, 0);
        set(0x69, 0x28000, r::VGT_INSTANCE_STEP_RATE_0, 1);
        set(0x69, 0x28000, r::VGT_INSTANCE_STEP_RATE_1, 1);
        set(0x69, 0x28000, r::IA_MULTI_VGT_PARAM, 0x7F);
        set(0x69, 0x28000, r::VGT_SHADER_STAGES_EN, 0);
        set(0x69, 0x28000, r::VGT_VERTEX_REUSE_BLOCK_CNTL, 14);
        set(0x69, 0x28000, r::VGT_OUT_DEALLOC_CNTL, 16);
        words.insert(words.end(), {type3(0x2F, 1), 1});  // NUM_INSTANCES
        return words;
    }

    Words stream(uint32_t dwords) {
        Words words;
        while (words.size() < dwords) {
            const uint32_t count = draw(10) < 7 ? 1 + draw(2) : 1 + draw(12);
            const auto set = [&](uint32_t opcode, uint32_t window, uint32_t first, uint32_t most) {
                const uint32_t n = std::min(count, most);
                words.push_back(type3(opcode, n + 1));
                words.push_back((first + 4 * draw(most - n + 1) - window) / 4);
                for (uint32_t i = 0; i < n; ++i)
                    words.push_back(draw(1u << 31));
            };
            switch (draw(40)) {
                case 0:
                    words.insert(words.end(), {type3(0x46, 1), 16 | 4 << 8});  // EVENT_WRITE
                    break;
                case 1:
                    words.insert(words.end(), {type3(0x10, 2), 1, 2});  // NOP
                    break;
                case 2:
                case 3:
                    set(0x68, 0x8000, r::SCRATCH_REG0, 8);
                    break;
                case 4:
                case 5:
                    set(0x68, 0x8000, r::VGT_PRIMITIVE_TYPE, 2);
                    break;
                case 6:  // the next writes need another context
                    words.insert(words.end(), {type3(0x68, 2), (r::VGT_PRIMITIVE_TYPE - 0x8000) / 4,
                                               1, type3(0x2D, 2), 1 + draw(100), 2});
                    break;
                case 7:  // SURFACE_SYNC, for a colour buffer that some context may have
                    if (draw(3) == 0)
                        words.insert(words.end(), {type3(0x43, 4), draw(2) << 31 | 1u << 6,
                                                   draw(1u << 31), draw(1u << 31), 10});
                    break;
                default:
                    switch (draw(6)) {
                        case 0:
                            set(0x69, 0x28000, r::CB_COLOR0_BASE, 60);
                            break;
                        case 1:
                            set(0x69, 0x28000, r::SPI_PS_INPUT_CNTL_0, 32);
                            break;
                        case 2:
                            set(0x69, 0x28000, r::CB_BLEND0_CONTROL, 8);
                            break;
                        case 3:
                            set(0x76, 0xB000, r::SPI_SHADER_USER_DATA_PS_0, 16);
                            break;
                        case 4:
                            set(0x76, 0xB000, r::SPI_SHADER_USER_DATA_VS_0, 16);
                            break;
                        default:
                            set(0x69, 0x28000, r::PA_CL_VPORT_XSCALE, 6);
                            break;
                    }
            }
        }
        return words;
    }

    // Of a host that does not look whether anything moves, which Machine does first.
    uint32_t access(uint32_t offset, bool write, uint32_t value = 0) {
        tlm::tlm_generic_payload gp;
        uint8_t data[4];
        std::memcpy(data, &value, 4);
        gp.set_command(write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        gp.set_address(offset);
        gp.set_data_ptr(data);
        gp.set_data_length(4);
        gp.set_streaming_width(4);
        gp.set_byte_enable_ptr(nullptr);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        machine_.chip().registers.get_base_export()->b_transport(gp, delay);
        std::memcpy(&value, data, 4);
        return value;
    }

    void act(uint64_t code) {
        switch (draw(12)) {
            case 0:
                note("status", access(r::GRBM_STATUS, false));
                break;
            case 1:
                note("stat", access(r::CP_STAT, false));
                break;
            case 2:
                access(r::SPI_SHADER_USER_DATA_VS_0 + 4 * draw(16), true, draw(1000));
                break;
            case 3:
                access(r::CB_BLEND0_CONTROL + 4 * draw(8), true, draw(1000));
                break;
            case 4:
                access(r::VGT_INDEX_TYPE, true, draw(2));
                break;
            case 5:
                access(r::CP_ME_CNTL, true, draw(3) == 0 ? 1u << 28 : 0);
                break;
            case 6: {
                GpuDriver::Launch launch;
                launch.code = code;
                launch.user_sgprs = {draw(100), 2};
                launch.groups = {1 + draw(3), 1, 1};
                driver_.submit(1, GpuDriver::launch_packets(launch));
                break;
            }
            case 7:
                look();
                break;
            default: {
                const uint32_t offset = kRegisters[draw(std::size(kRegisters))] + 4 * draw(4);
                note("read", access(offset, false));
                break;
            }
        }
        note("done", 0);
    }

    void note(const char* what, uint64_t value) {
        said_ += std::to_string(machine_.chip().cycles()) + " " + what + " " +
                 std::to_string(value) + "\n";
    }
    // At what moves when a register is written.
    void glance() {
        for (const Counter& counter : machine_.chip().stats().counters())
            if (counter.name == "cp_writes" || counter.name == "host_writes" ||
                counter.name == "register_writes" || counter.name == "reg_writes" ||
                (counter.name == "dwords" && counter.unit_path.rfind("cp.", 0) == 0))
                note((counter.unit_path + "." + counter.name).c_str(), *counter.value);
    }
    void look() {
        for (const Counter& counter : machine_.chip().stats().counters())
            if (*counter.value != 0)
                note((counter.unit_path + "." + counter.name).c_str(), *counter.value);
    }

    Machine& machine_;
    GpuDriver driver_;
    std::mt19937_64 random_;
    std::string said_;
};

// SystemC keeps one simulation in a process.
std::string in_a_process(const asic::ChipConfig& config, const asic::ChipOptions& options,
                         uint64_t seed) {
    int ends[2];
    if (pipe(ends) != 0)
        return "no pipe";
    const pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        std::string said;
        try {
            MachineOptions machine_options;
            machine_options.chip = options;
            Machine machine("bench", config, machine_options);
            machine.run([&] { said = Host(machine, seed).run(); });
        } catch (const std::exception& error) {
            said += std::string("stopped: ") + error.what() + "\n";
        }
        for (size_t at = 0; at < said.size();) {
            const ssize_t wrote = write(ends[1], said.data() + at, said.size() - at);
            if (wrote <= 0)
                _exit(1);
            at += static_cast<size_t>(wrote);
        }
        _exit(0);
    }
    close(ends[1]);
    std::string said;
    char piece[4096];
    for (ssize_t got = 0; (got = read(ends[0], piece, sizeof piece)) > 0;)
        said.append(piece, static_cast<size_t>(got));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "seed " << seed;
    return said;
}

// The first line in which they differ.
std::string difference(const std::string& a, const std::string& b) {
    size_t start = 0;
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
        if (a[i] != b[i])
            break;
        if (a[i] == '\n')
            start = i + 1;
    }
    return a.substr(start, a.find('\n', start) - start) + "\n" +
           b.substr(start, b.find('\n', start) - start);
}

class WorkAhead : public ::testing::TestWithParam<int> {};

TEST_P(WorkAhead, NoHostSeesIt) {
    const asic::LoadedChip chip = asic::load_chip("tahiti", {});
    for (uint64_t seed = 1; seed <= 16; ++seed) {
        asic::ChipOptions options;
        options.run_ahead = GetParam() != 0;
        options.shuffle_seed = GetParam() == 2 ? 100 + seed : 0;
        options.work_ahead = false;
        const std::string ticked = in_a_process(chip.config, options, seed);
        options.work_ahead = true;
        const std::string ahead = in_a_process(chip.config, options, seed);
        ASSERT_EQ(ticked.find("stopped"), std::string::npos)
            << ticked.substr(ticked.find("stopped"));
        ASSERT_GT(ticked.size(), 1000u);
        ASSERT_TRUE(ticked == ahead) << "seed " << seed << "\n" << difference(ticked, ahead);
    }
}

INSTANTIATE_TEST_SUITE_P(Clocks, WorkAhead, ::testing::Values(0, 1, 2), [](const auto& info) {
    return info.param == 0 ? "by_the_kernel" : info.param == 1 ? "ahead" : "shuffled";
});

}  // namespace
}  // namespace archipelago::host
