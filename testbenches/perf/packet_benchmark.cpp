// SPDX-License-Identifier: Apache-2.0
// How fast packets that set registers go through the command processor, alone and in the whole
// chip, in both modes. The stream is what drivers send between draws: SET_CONTEXT_REG, SET_SH_REG
// and SET_CONFIG_REG, most of them of one or two registers, in large indirect buffers on ring 0; in
// rows named -vmid in the buffers of an address space, without registers that are privileged there.
// The chip runs in a process of its own (SystemC keeps one simulation). The fastest round counts.
//
//   archipelago_packet_speed [--seconds S] [--packets N]
//                            [(cp | chip)-(functional | cycle)[-vmid]]...
//
// --seconds S: of simulation for each row (1). --packets N: exactly N packets (rounded up to whole
// buffers) and no time taken, for profilers: valgrind --tool=callgrind --toggle-collect='*submit*'.
// Instructions are counted where the host lets a process count its own.
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/asic/families.h"
#include "models/asic/gcn/chip_config.h"
#include "models/common/error.h"
#include "models/cp/cp_core.h"
#include "models/cp/cp_functional.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_writer.h"
#include "models/cp/registers/si/si_register_file.h"
#include "registers/si_names.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"
#include "testbenches/support/child_process.h"
#include "testbenches/support/command_line.h"

namespace archipelago::host {
namespace {

namespace r = regs::si;

// ---- the stream ---------------------------------------------------------------------------------

struct Stream {
    uint8_t vmid = 0;
    std::vector<uint32_t> dwords;  // one indirect buffer
    uint64_t packets = 0;
    uint64_t registers = 0;
};

// Registers that hold state and start nothing, in runs a driver writes together.
struct Run {
    const char* packet;
    uint32_t first, last;  // byte offsets
    unsigned weight;       // of 100 packets
};
constexpr Run kRuns[] = {
    {"SET_CONTEXT_REG", r::CB_COLOR0_BASE, r::CB_COLOR0_CLEAR_WORD1, 10},
    {"SET_CONTEXT_REG", r::PA_CL_VPORT_XSCALE, r::PA_CL_VPORT_ZOFFSET, 10},
    {"SET_CONTEXT_REG", r::SPI_PS_INPUT_CNTL_0, r::SPI_PS_INPUT_CNTL_31, 10},
    {"SET_CONTEXT_REG", r::CB_BLEND0_CONTROL, r::CB_BLEND7_CONTROL, 10},
    {"SET_CONTEXT_REG", r::PA_SC_VPORT_ZMIN_0, r::PA_SC_VPORT_ZMAX_15, 10},
    {"SET_SH_REG", r::SPI_SHADER_USER_DATA_PS_0, r::SPI_SHADER_USER_DATA_PS_15, 15},
    {"SET_SH_REG", r::SPI_SHADER_USER_DATA_VS_0, r::SPI_SHADER_USER_DATA_VS_15, 15},
    {"SET_SH_REG", r::SPI_SHADER_PGM_LO_PS, r::SPI_SHADER_PGM_RSRC2_PS, 5},
    {"SET_SH_REG", r::COMPUTE_USER_DATA_0, r::COMPUTE_USER_DATA_15, 5},
    {"SET_CONFIG_REG", r::VGT_PRIMITIVE_TYPE, r::VGT_INDEX_TYPE, 5},
    {"SET_CONFIG_REG", r::SCRATCH_REG0, r::SCRATCH_REG7, 5},  // privileged
};
constexpr unsigned kUserWeight = 95;  // of those that are not

constexpr uint32_t kBufferDwords = 1u << 18;

Stream register_stream(uint8_t vmid) {
    Stream s;
    s.vmid = vmid;
    uint64_t x = 0x9e3779b97f4a7c15u;
    const auto draw = [&x](uint32_t n) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        return static_cast<uint32_t>((x >> 32) * n >> 32);
    };
    const auto pick = [&]() -> const Run& {
        unsigned at = draw(vmid != 0 ? kUserWeight : 100);
        for (const Run& run : kRuns) {
            if (at < run.weight)
                return run;
            at -= run.weight;
        }
        return kRuns[0];
    };
    // Of 100 packets 55 set one register, 25 two, 15 three or four, 5 five to eight.
    cp::PacketWriter w(cp::si_packet_table());
    while (w.words().size() < kBufferDwords - 16) {
        const Run& run = pick();
        const uint32_t kind = draw(100);
        uint32_t count = kind < 55 ? 1 : kind < 80 ? 2 : kind < 95 ? 3 + draw(2) : 5 + draw(4);
        const uint32_t there = (run.last - run.first) / 4 + 1;
        count = std::min(count, there);
        const uint32_t first = run.first + 4 * draw(there - count + 1);
        std::vector<uint32_t> values(count);
        for (uint32_t& value : values)
            value = draw(1u << 31);
        w.packet(run.packet).registers(first, values);
        ++s.packets;
        s.registers += count;
    }
    s.dwords = w.words();
    return s;
}

// ---- what runs it -------------------------------------------------------------------------------

class Subject {
  public:
    virtual ~Subject() = default;
    // The buffer `times` times from ring 0, to the end.
    virtual void submit(unsigned times) = 0;
    virtual uint64_t cycles() const { return 0; }
};

constexpr uint64_t kRing = 0x100000;
constexpr uint32_t kRingDwords = 1024;
constexpr uint64_t kBuffer = 0x200000;
constexpr uint64_t kMirror = 0x80000;
constexpr size_t kMemoryBytes = 4u << 20;
constexpr uint32_t kRegisterDwords = 0x10000;

// Memory and registers around a command processor that stands alone.
struct Bench {
    explicit Bench(const Stream& stream)
        : buffer_call(cp::PacketWriter(cp::si_packet_table())
                          .packet("INDIRECT_BUFFER")
                          .address("IB_BASE", kBuffer)
                          .set("IB_SIZE", static_cast<uint32_t>(stream.dwords.size()))
                          .set("VMID", stream.vmid)),
          memory(kMemoryBytes),
          registers(kRegisterDwords) {
        std::memcpy(&memory[kBuffer], stream.dwords.data(), stream.dwords.size() * 4);
    }
    // A call of the buffer into the ring; the new write pointer.
    uint32_t call() {
        for (const uint32_t word : buffer_call) {
            std::memcpy(&memory[kRing + 4 * tail], &word, 4);
            tail = (tail + 1) % kRingDwords;
        }
        return tail;
    }
    static std::vector<std::pair<uint32_t, uint32_t>> setup() {
        return {{r::CP_RB0_CNTL, 0x80000409},
                {r::CP_RB0_WPTR, 0},
                {r::CP_RB0_RPTR_ADDR, static_cast<uint32_t>(kMirror)},
                {r::CP_RB0_CNTL, 0x409},
                {r::CP_RB0_BASE, static_cast<uint32_t>(kRing >> 8)},
                {r::SCRATCH_UMSK, 0},
                {r::CP_ME_CNTL, 0}};
    }
    std::vector<uint32_t> buffer_call;
    std::vector<uint8_t> memory;
    std::vector<uint32_t> registers;
    uint32_t tail = 0;
};

bool is_cp_register(uint32_t offset) {
    return (offset >= 0x8400 && offset < 0x8800) || (offset >= 0xC100 && offset < 0xC200);
}

class FunctionalCp : public Subject, public cp::CpBackend {
  public:
    FunctionalCp(const cp::Spec& spec, const Stream& stream)
        : bench_(stream), file_(spec), de_(spec.de_state()), cp_(spec, file_, de_, *this) {
        cp_.attach();
        for (const auto& [offset, value] : Bench::setup())
            host_write(offset, value);
    }
    void submit(unsigned times) override {
        for (; times != 0; --times) {
            host_write(r::CP_RB0_WPTR, bench_.call());
            if (cp_.run_all() != cp::CpFunctional::Outcome::Idle)
                throw std::runtime_error(cp_.waiting_for());
        }
    }

    uint32_t reg_read(const RegRequest& r) override { return bench_.registers[r.offset / 4]; }
    void reg_write(const RegRequest& request) override {
        if (is_cp_register(request.offset))
            file_.write_register(request);
        else
            bench_.registers[request.offset / 4 % kRegisterDwords] = request.value;
    }
    // All of its registers but those of CP only keep their values.
    bool reg_store(const RegRequest& first, const uint32_t* values, uint32_t count) override {
        const uint32_t place = first.offset / 4;
        if (is_cp_register(first.offset) || place + count > kRegisterDwords)
            return false;
        for (uint32_t i = 0; i < count; ++i)
            bench_.registers[place + i] = values[i];
        return true;
    }
    bool mem_read(uint64_t address, void* to, size_t bytes, uint8_t) override {
        if (address + bytes > kMemoryBytes)
            return false;
        std::memcpy(to, &bench_.memory[address], bytes);
        return true;
    }
    const uint8_t* mem_view(uint64_t address, size_t& bytes, uint8_t) override {
        return address + bytes <= kMemoryBytes ? &bench_.memory[address] : nullptr;
    }
    bool mem_write(uint64_t address, const void* from, size_t bytes, uint8_t) override {
        if (address + bytes > kMemoryBytes)
            return false;
        std::memcpy(&bench_.memory[address], from, bytes);
        return true;
    }
    void event(uint8_t, uint8_t) override {}
    void cache_action(const CacheAction&) override {}
    void interrupt(const Interrupt&) override {}
    uint64_t gpu_clock() override { return 0; }

  private:
    void host_write(uint32_t offset, uint32_t value) {
        RegRequest request;
        request.offset = offset;
        request.value = value;
        request.write = true;
        file_.write_register(request);
    }
    Bench bench_;
    cp::SiRegisterFile file_;
    cp::DeState de_;
    cp::CpFunctional cp_;
};

class CycleCp : public Subject, public Clocked {
  public:
    CycleCp(const cp::Spec& spec, const Stream& stream)
        : bench_(stream),
          cp_(spec),
          hub_({8, 1}, "hub"),
          l2_({8, 1}, "l2"),
          bus_({4, 1}, "bus"),
          answer_({4, 1}, "answer"),
          caches_({2, 1}, "caches") {
        cp_.to_hub().connect(hub_);
        cp_.to_l2().connect(l2_);
        cp_.to_register_bus().connect(bus_);
        cp_.to_register_response().connect(answer_);
        cp_.to_caches().connect(caches_);
        cp_.to_interrupt().connect(interrupt_);
        hub_.set_consumer(this);
        bus_.set_consumer(this);
        cp_.hub_response().set_producer(this);
        cp_.register_request().set_producer(this);
        scheduler_.add(*this);
        cp_.add_to(scheduler_);
        for (const auto& [offset, value] : Bench::setup())
            host_write(offset, value);
    }
    void submit(unsigned times) override {
        for (; times != 0; --times) {
            host_write(r::CP_RB0_WPTR, bench_.call());
            if (!cp_.idle())
                throw std::runtime_error(cp_.waiting_for());
        }
    }
    uint64_t cycles() const override { return scheduler_.now(); }

    bool tick(Cycle now) override {
        bool progress = false;
        if (hub_.can_pop(now)) {
            const MemRequest& q = hub_.front();
            MemResponse a;
            a.tag = q.tag;
            a.line = q.line;
            a.uid = q.uid;
            a.command = q.command;
            if (q.line + kLineBytes > kMemoryBytes)
                a.status = MemStatus::Unmapped;
            else if (q.command == MemCommand::Read)
                std::memcpy(a.data.data(), &bench_.memory[q.line], kLineBytes);
            hub_.drop(now);
            constexpr unsigned kMemoryCycles = 20;
            waiting_.emplace_back(now + kMemoryCycles, a);
            wake_at(now + kMemoryCycles);
            progress = true;
        }
        if (!waiting_.empty() && waiting_.front().first <= now &&
            cp_.hub_response().can_push(now)) {
            cp_.hub_response().push(now, waiting_.front().second);
            waiting_.pop_front();
            progress = true;
        }
        if (!host_.empty() && cp_.register_request().can_push(now)) {
            cp_.register_request().push(now, host_.front());
            host_.pop_front();
            progress = true;
        } else if (bus_.can_pop(now)) {
            const RegRequest& q = bus_.front();
            if (!is_cp_register(q.offset)) {
                bench_.registers[q.offset / 4 % kRegisterDwords] = q.value;
                bus_.drop(now);
                progress = true;
            } else if (cp_.register_request().can_push(now)) {
                cp_.register_request().push(now, bus_.pop(now));
                progress = true;
            }
        }
        return progress;
    }

  private:
    void host_write(uint32_t offset, uint32_t value) {
        RegRequest request;
        request.offset = offset;
        request.value = value;
        request.write = true;
        host_.push_back(request);
        wake_at(0);
        scheduler_.run(kNever - 1);
    }
    Bench bench_;
    Scheduler scheduler_;
    cp::CpCore cp_;
    Channel<MemRequest> hub_, l2_;
    Channel<RegRequest> bus_;
    Channel<RegResponse> answer_;
    Channel<CacheAction> caches_;
    EventLink<Interrupt> interrupt_;
    std::deque<std::pair<Cycle, MemResponse>> waiting_;
    std::deque<RegRequest> host_;
};

// Only in the thread of the host, inside Machine::run().
class WholeChip : public Subject {
  public:
    WholeChip(Machine& machine, const Stream& stream)
        : machine_(machine),
          driver_(machine),
          stream_(stream),
          buffer_(machine.allocate(uint64_t{kBufferDwords} * 4)) {
        machine.memory().write(buffer_, stream.dwords.data(), stream.dwords.size() * 4);
        driver_.bring_up();
    }
    void submit(unsigned times) override {
        for (; times != 0; --times)
            driver_.submit_ib(0, buffer_, static_cast<uint32_t>(stream_.dwords.size()),
                              stream_.vmid);
        driver_.fence_and_wait(0);
    }
    uint64_t cycles() const override { return machine_.chip().cycles(); }

  private:
    Machine& machine_;
    GpuDriver driver_;
    const Stream& stream_;
    uint64_t buffer_;
};

// ---- measuring ----------------------------------------------------------------------------------

// Instructions this process retires; -1 where the host does not say.
class InstructionCount {
  public:
    InstructionCount() {
        perf_event_attr attr{};
        attr.type = PERF_TYPE_HARDWARE;
        attr.size = sizeof attr;
        attr.config = PERF_COUNT_HW_INSTRUCTIONS;
        attr.exclude_kernel = 1;
        file_ = static_cast<int>(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
    }
    ~InstructionCount() {
        if (file_ >= 0)
            close(file_);
    }
    InstructionCount(const InstructionCount&) = delete;
    InstructionCount& operator=(const InstructionCount&) = delete;
    double read_count() const {
        uint64_t n = 0;
        return file_ >= 0 && read(file_, &n, sizeof n) == sizeof n ? static_cast<double>(n) : -1;
    }

  private:
    int file_ = -1;
};

struct Options {
    double seconds = 1;
    uint64_t packets = 0;
    std::vector<std::string> rows;
};

double cpu_seconds() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void measure(const std::string& name, Subject& subject, const Stream& stream,
             const Options& options) {
    subject.submit(1);
    if (options.packets != 0) {
        const uint64_t times = (options.packets + stream.packets - 1) / stream.packets;
        subject.submit(static_cast<unsigned>(times));
        const unsigned long long packets = times * stream.packets;
        std::printf("%-20s %llu packets\n", name.c_str(), packets);
        return;
    }
    const InstructionCount counter;
    double best = std::numeric_limits<double>::max();
    double sum = 0;
    uint64_t rounds = 0;
    const double instructions = counter.read_count();
    const uint64_t cycles = subject.cycles();
    while (sum < options.seconds) {
        const double start = cpu_seconds();
        subject.submit(1);
        const double took = cpu_seconds() - start;
        best = std::min(best, took);
        sum += took;
        ++rounds;
    }
    const auto packets = static_cast<double>(stream.packets);
    const double all = packets * static_cast<double>(rounds);
    std::printf("%-20s %9.2f %9.1f", name.c_str(), packets / best * 1e-6, best * 1e9 / packets);
    if (instructions >= 0)
        std::printf(" %9.1f", (counter.read_count() - instructions) / all);
    else
        std::printf(" %9s", "-");
    if (subject.cycles() != 0)
        std::printf(" %9.2f\n", static_cast<double>(subject.cycles() - cycles) / all);
    else
        std::printf(" %9s\n", "-");
    std::fflush(stdout);
}

void measure_chip(const std::string& name, asic::Mode mode, const Stream& stream,
                  const Options& options) {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    const auto chip = asic::load_chip("tahiti", {});
    MachineOptions machine_options;
    machine_options.chip.mode = mode;
    Machine machine("bench", *chip, machine_options);
    machine.run([&] {
        WholeChip subject(machine, stream);
        measure(name, subject, stream, options);
    });
}

void measure_row(const std::string& name, const Options& options) {
    const auto named = [&](const char* part) { return name.find(part) != std::string::npos; };
    const Stream stream = register_stream(named("vmid") ? 1 : 0);
    if (named("chip")) {
        measure_chip(name, named("cycle") ? asic::Mode::Cycle : asic::Mode::Functional, stream,
                     options);
    } else if (named("cycle")) {
        CycleCp subject(asic::load_chip("tahiti", {})->spec<gcn::ChipConfig>()->cp, stream);
        measure(name, subject, stream, options);
    } else {
        FunctionalCp subject(asic::load_chip("tahiti", {})->spec<gcn::ChipConfig>()->cp, stream);
        measure(name, subject, stream, options);
    }
}

// In a process of its own; false when it failed.
bool measure_apart(const std::string& name, const Options& options) {
    const auto measure = [&](const ChildPipe&) {
        try {
            measure_row(name, options);
        } catch (const std::exception& e) {
            throw std::runtime_error(name + ": " + e.what());
        }
        return 0;
    };
    return run_in_child(measure).succeeded();
}

int run(int argc, char** argv) {
    static const char* const kRows[] = {
        "cp-functional",      "cp-cycle",      "chip-functional",      "chip-cycle",
        "cp-functional-vmid", "cp-cycle-vmid", "chip-functional-vmid", "chip-cycle-vmid"};
    Options options;
    CLI::App app{"how fast packets that set registers are executed", "archipelago_packet_speed"};
    app.add_option("--seconds", options.seconds, "of simulation for each row")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--packets", options.packets, "so many, and no time taken")
        ->check(command_line::check_count);
    app.add_option("rows", options.rows, "of the table; all when none is named")
        ->check(CLI::IsMember(std::vector<std::string>(std::begin(kRows), std::end(kRows))));
    if (const auto status = command_line::parse(app, argc, argv))
        return *status;
    if (options.rows.empty())
        options.rows.assign(std::begin(kRows), std::end(kRows));
    // A profiler follows one process best.
    if (options.packets != 0 && options.rows.size() == 1) {
        measure_row(options.rows.front(), options);
        std::fflush(nullptr);
        _exit(0);
    }
    const Stream stream = register_stream(0);
    std::printf("%llu packets in a buffer, %.2f dwords and %.2f registers each\n",
                static_cast<unsigned long long>(stream.packets),
                static_cast<double>(stream.dwords.size()) / static_cast<double>(stream.packets),
                static_cast<double>(stream.registers) / static_cast<double>(stream.packets));
    std::printf("%-20s %9s %9s %9s %9s\n", "", "M pkt/s", "ns/pkt", "instr/pkt", "cyc/pkt");
    bool good = true;
    for (const std::string& row : options.rows)
        good &= measure_apart(row, options);
    return good ? 0 : 1;
}

}  // namespace
}  // namespace archipelago::host

int sc_main(int argc, char** argv) {
    try {
        return archipelago::host::run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "archipelago_packet_speed: %s\n", e.what());
        return 1;
    }
}
