// SPDX-License-Identifier: Apache-2.0
// A platform of one's own around a chip: a TLM-2.0 memory, a host that drives the registers, and a
// kernel in machine code. Nothing here comes from the test bench of the project.
//
//   own_platform [cycle|functional] [CHIP] [fixed|four_phases|early] [FILES]
//
// The memory answers after a fixed latency, or is a DRAM controller (four_phase_dram.h); early: it
// is one that the chip does not serve as it wants, to see how a platform that hangs is reported.
// FILES.json and FILES.perfetto-trace are what the command writes with --stats and --trace:
// counters and the timeline (https://ui.perfetto.dev), also of a platform that hangs.
//
// The host writes PM4 packets into ring 0 as a driver would, dispatches out[i] = 3 i over 4096
// work-items, sleeps until the end-of-pipe interrupt and inspects the memory.
#include <archipelago.h>
#include <registers/si_compute.h>  // fields of the compute registers
#include <registers/si_cp.h>       // fields of the command processor's registers
#include <registers/si_names.h>    // byte offsets of all registers
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "four_phase_dram.h"
#include "memory.h"

using namespace archipelago;
using sc_core::sc_time;
namespace reg = archipelago::regs::si;
namespace field = archipelago::regs::si::typed;

// ---- the memory --------------------------------------------------------------------------------
// Approximately timed: takes every request at once and answers each after a fixed latency.
// four_phase_dram.h is one whose every phase takes time.
class Dram : public Memory {
  public:
    Dram(const sc_core::sc_module_name& name, size_t bytes, const sc_time& latency)
        : Memory(name, bytes), latency_(latency) {
        SC_HAS_PROCESS(Dram);
        SC_THREAD(answer);
    }

  private:
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& gp, tlm::tlm_phase& phase,
                                       sc_time& delay) override {
        if (phase == tlm::END_RESP) {
            response_taken_.notify(delay);
            return tlm::TLM_COMPLETED;
        }
        gp.acquire();  // BEGIN_REQ: the payload is ours until the response has been taken
        requests_.notify(gp, delay + latency_);
        phase = tlm::END_REQ;
        return tlm::TLM_UPDATED;
    }

    void answer() {
        for (;;) {
            wait(requests_.get_event());
            while (tlm::tlm_generic_payload* gp = requests_.get_next_transaction()) {
                access(*gp);
                tlm::tlm_phase phase = tlm::BEGIN_RESP;
                sc_time delay = sc_core::SC_ZERO_TIME;
                // TLM_ACCEPTED: END_RESP will follow; no other response until then. With
                // MemoryPhases::Early, TLM_COMPLETED where the chip is not busy: that was all.
                if (socket->nb_transport_bw(*gp, phase, delay) == tlm::TLM_ACCEPTED)
                    wait(response_taken_);
                gp->release();
            }
        }
    }

    sc_time latency_;
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> requests_{"requests"};
    sc_core::sc_event response_taken_{"response_taken"};
};

// ---- the work ----------------------------------------------------------------------------------
constexpr uint32_t kItems = 4096;
constexpr uint32_t kGroupSize = 64;

// out[i] = 3 i. s[0:3] is the buffer descriptor the host passes, s4 the number of the work-group,
// v0 the number of the work-item in its group. From llvm-mc-15 -arch=amdgcn -mcpu=tahiti
// -show-encoding; vector instructions use no other register.
constexpr uint32_t kKernel[] = {
    0x8f048604,              // s_lshl_b32 s4, s4, 6              first item of the group
    0x4a000004,              // v_add_i32 v0, vcc, s4, v0         i
    0x16020083,              // v_mul_u32_u24 v1, 3, v0           3 i
    0x34000082,              // v_lshlrev_b32 v0, 2, v0           byte offset
    0xe0701000, 0x80000100,  // buffer_store_dword v1, v0, s[0:3], 0 offen
    0xbf810000,              // s_endpgm
};

// Where the host puts things. Code starts at a multiple of 256 bytes, rings at a multiple of
// their size.
constexpr size_t kMemoryBytes = 1 << 20;
constexpr uint64_t kRing = 0x10000, kReadPointer = 0x20000, kFence = 0x20100;
constexpr uint64_t kCode = 0x30000, kOut = 0x40000;
constexpr uint32_t kRingDwords = 1024;
constexpr uint32_t kFenceValue = 0x600DF00D;

// ---- the host ----------------------------------------------------------------------------------
class Host : public sc_core::sc_module {
  public:
    tlm_utils::simple_initiator_socket<Host> registers{"registers"};

    Host(const sc_core::sc_module_name& name, asic::Asic& chip, Memory& dram)
        : sc_core::sc_module(name), chip_(chip), dram_(dram) {
        SC_HAS_PROCESS(Host);
        SC_THREAD(program);
        registers.bind(chip.registers);
        chip.on_interrupt([this](const Interrupt& i) {
            if (i.source_id == kEndOfPipe)
                ++interrupts_;
        });
    }

    bool finished() const { return finished_; }
    uint64_t cycles() const { return cycles_; }

  private:
    static constexpr uint8_t kEndOfPipe = 181;

    // Type-3 opcodes.
    static constexpr uint32_t kDispatchDirect = 0x15, kSurfaceSync = 0x43, kMeInitialize = 0x44,
                              kEventWrite = 0x46, kEventWriteEop = 0x47, kSetShReg = 0x76;

    void program() {
        std::memcpy(dram_.at(kCode), kKernel, sizeof kKernel);
        std::memset(dram_.at(kOut), 0xFF, kItems * 4);
        bring_up();
        dispatch();
        const uint64_t start = chip_.cycles();
        ring_doorbell();
        while (interrupts_ == 0)
            wait(chip_.interrupt_event());
        cycles_ = chip_.cycles() - start;
        finished_ = true;
        sc_core::sc_stop();
    }

    // What the command processor needs before it takes packets.
    void bring_up() {
        write(reg::GB_ADDR_CONFIG, chip_.description().spec<gb::GbSpec>()->gb_addr_config);
        write(reg::CP_ME_CNTL, 0);  // no engine halted
        write(reg::CP_INT_CNTL_RING0, field::CP_INT_CNTL_RING0{}.set_TIME_STAMP_INT_ENABLE(1).raw);
        // Sizes count 8-byte units, as powers of two. RPTR_WR_ENA zeroes the read pointer.
        auto control = field::CP_RB0_CNTL{}.set_RB_BUFSZ(9).set_RB_BLKSZ(9);
        static_assert(kRingDwords == 2u << 9);
        write(reg::CP_RB0_CNTL, control.set_RB_RPTR_WR_ENA(1).raw);
        write(reg::CP_RB0_WPTR, 0);
        write(reg::CP_RB0_RPTR_ADDR, static_cast<uint32_t>(kReadPointer));
        write(reg::CP_RB0_RPTR_ADDR_HI, static_cast<uint32_t>(kReadPointer >> 32));
        write(reg::CP_RB0_CNTL, control.set_RB_RPTR_WR_ENA(0).raw);
        write(reg::CP_RB0_BASE, static_cast<uint32_t>(kRing >> 8));
        packet(kMeInitialize, {1, 0, 7, 1u << 16, 0, 0});  // eight contexts
    }

    void dispatch() {
        surface_sync();  // no cache may hold what the host has overwritten
        set_sh(reg::COMPUTE_START_X, {0, 0, 0});
        set_sh(reg::COMPUTE_NUM_THREAD_X, {kGroupSize, 1, 1});
        set_sh(reg::COMPUTE_PGM_LO,
               {static_cast<uint32_t>(kCode >> 8), static_cast<uint32_t>(kCode >> 40)});
        // RSRC1 zero: up to 4 VGPRs and 8 SGPRs, VCC included. RSRC2: four SGPRs from the host,
        // then the number of the group.
        set_sh(reg::COMPUTE_PGM_RSRC1,
               {0, field::COMPUTE_PGM_RSRC2{}.set_USER_SGPR(4).set_TGID_X_EN(1).raw});
        set_sh(reg::COMPUTE_RESOURCE_LIMITS, {0, 0xFFFFFFFF, 0xFFFFFFFF});  // every compute unit
        // Buffer descriptor: address, no stride, size in bytes, 32-bit data.
        set_sh(reg::COMPUTE_USER_DATA_0, {static_cast<uint32_t>(kOut),
                                          static_cast<uint32_t>(kOut >> 32), kItems * 4, 0xF000});
        packet(kDispatchDirect, {kItems / kGroupSize, 1, 1,
                                 field::COMPUTE_DISPATCH_INITIATOR{}
                                     .set_COMPUTE_SHADER_EN(1)
                                     .set_FORCE_START_AT_000(1)
                                     .raw});
        // L2 holds the results until told to write them back, which must wait for the last wave
        // (CS_PARTIAL_FLUSH, event 7 with index 4).
        packet(kEventWrite, {7 | 4u << 8});
        surface_sync();
        // End of pipe (event 0x14, index 5): when everything before is done, write the fence
        // (DATA_SEL 1: 32 bits), then raise the interrupt (INT_SEL 2: once the write is confirmed).
        packet(kEventWriteEop,
               {0x14 | 5u << 8, static_cast<uint32_t>(kFence),
                static_cast<uint32_t>(kFence >> 32) | 1u << 29 | 2u << 24, kFenceValue, 0});
    }

    void ring_doorbell() { write(reg::CP_RB0_WPTR, write_pointer_); }

    // Write back and invalidate L2, invalidate the scalar, instruction and vector L1 caches; any
    // address.
    void surface_sync() {
        packet(kSurfaceSync,
               {1u << 31 | 1u << 29 | 1u << 27 | 1u << 23 | 1u << 22, 0xFFFFFFFF, 0, 10});
    }

    // Registers of the compute stage, counted in dwords from 0xB000.
    void set_sh(uint32_t offset, std::initializer_list<uint32_t> values) {
        std::vector<uint32_t> body{(offset - 0xB000) / 4};
        body.insert(body.end(), values);
        packet(kSetShReg, body);
    }

    // Bit 1 of the header: the packet is about compute, not graphics.
    void packet(uint32_t opcode, const std::vector<uint32_t>& body) {
        const bool compute = opcode == kSetShReg || opcode == kDispatchDirect;
        const auto count = static_cast<uint32_t>(body.size() - 1);
        put(3u << 30 | count << 16 | opcode << 8 | (compute ? 2u : 0u));
        for (const uint32_t dword : body)
            put(dword);
    }
    void put(uint32_t dword) {
        std::memcpy(dram_.at(kRing + uint64_t{write_pointer_} * 4), &dword, 4);
        write_pointer_ = (write_pointer_ + 1) % kRingDwords;
    }

    // Register writes are blocking: time passes until the register bus has taken them.
    void write(uint32_t offset, uint32_t value) {
        tlm::tlm_generic_payload gp;
        gp.set_command(tlm::TLM_WRITE_COMMAND);
        gp.set_address(offset);
        gp.set_data_ptr(reinterpret_cast<unsigned char*>(&value));
        gp.set_data_length(4);
        gp.set_streaming_width(4);
        sc_time delay = sc_core::SC_ZERO_TIME;
        registers->b_transport(gp, delay);
        if (gp.is_response_error())  // ends the simulation; the first reason is the one kept
            chip_.fail(std::make_exception_ptr(
                std::runtime_error("register write refused: " + gp.get_response_string())));
    }

    asic::Asic& chip_;
    Memory& dram_;
    uint32_t write_pointer_ = 0;  // dwords
    unsigned interrupts_ = 0;
    uint64_t cycles_ = 0;
    bool finished_ = false;
};

// ---- the platform ------------------------------------------------------------------------------
static std::unique_ptr<Memory> make_memory(const std::string& kind) {
    if (kind == "fixed")
        return std::make_unique<Dram>("dram", kMemoryBytes, sc_time(60, sc_core::SC_NS));
    return std::make_unique<FourPhaseDram>("dram", kMemoryBytes, FourPhaseDram::Timing{});
}

// What the command writes, too.
static void write_files(const std::string& files, asic::Asic& chip, report::PerfettoSink& timeline,
                        bool finished) {
    chip.finish_trace();  // slices that are still open
    timeline.finish();
    report::RunNotes notes;
    if (!finished)
        notes.stopped = "no interrupt";  // with it comes the hang report
    report::write_statistics(files + ".json", chip, notes);
}

static int run(const std::string& mode, const std::string& chip_name, const std::string& kind,
               const std::string& files) {
    if ((mode != "cycle" && mode != "functional") ||
        (kind != "fixed" && kind != "four_phases" && kind != "early"))
        throw std::invalid_argument(
            "usage: own_platform [cycle|functional] [CHIP] [fixed|four_phases|early] [FILES]");
    asic::ChipOptions options;
    options.mode = mode == "functional" ? asic::Mode::Functional : asic::Mode::Cycle;
    if (kind == "early")
        options.memory_phases = asic::MemoryPhases::Early;
    options.check_protocol = true;  // worth its time as long as the memory is new

    std::unique_ptr<report::PerfettoSink> timeline;  // outlives the chip
    if (!files.empty()) {
        timeline = std::make_unique<report::PerfettoSink>(files + ".perfetto-trace");
        options.trace = timeline.get();
    }

    const auto description = asic::load_chip(chip_name, {});
    const std::unique_ptr<asic::Asic> gpu = description->build("gpu", options);
    asic::Asic& chip = *gpu;
    const std::unique_ptr<Memory> memory = make_memory(kind);
    Memory& dram = *memory;
    Host host("host", chip, dram);
    chip.memory.bind(dram.socket);

    sc_core::sc_start(sc_time(10, sc_core::SC_MS));  // far more than needed: a limit for hangs
    if (timeline)
        write_files(files, chip, *timeline, host.finished());
    if (chip.error())
        std::rethrow_exception(chip.error());
    if (!host.finished()) {
        std::printf("no interrupt\n%s\n", chip.waiting_for().c_str());
        return 3;
    }

    uint32_t wrong = 0;
    for (uint32_t i = 0; i < kItems; ++i) {
        uint32_t value = 0;
        std::memcpy(&value, dram.at(kOut + uint64_t{i} * 4), 4);
        wrong += value == 3 * i ? 0 : 1;
    }
    uint32_t fence = 0;
    std::memcpy(&fence, dram.at(kFence), 4);

    const asic::WorkDone work = chip.work();
    std::printf("%s: %" PRIu64 " waves, %" PRIu64 " instructions\n", chip_name.c_str(), work.waves,
                work.instructions);
    std::printf("%u of %u results right, fence 0x%08X\n", kItems - wrong, kItems, fence);
    if (chip.has_time())
        std::printf("%" PRIu64 " cycles from doorbell to interrupt\n%s\n", host.cycles(),
                    dram.report().c_str());
    return wrong == 0 && fence == kFenceValue ? 0 : 1;
}

// libsystemc's main() calls this.
int sc_main(int argc, char** argv) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);  // before any module or time
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    try {
        return run(argc > 1 ? argv[1] : "cycle", argc > 2 ? argv[2] : "tahiti",
                   argc > 3 ? argv[3] : "fixed", argc > 4 ? argv[4] : "");
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
