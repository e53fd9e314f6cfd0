// SPDX-License-Identifier: Apache-2.0
// The device interface of the CTM guide over a machine in a thread of its own, where SystemC lives
// from the first connection to the end of the process: a kernel does not start twice.
#include <amDeviceManaged.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <systemc>
#include <thread>
#include <utility>
#include <vector>

#include "models/asic/board_memory.h"
#include "models/asic/description.h"
#include "models/asic/families.h"
#include "models/common/error.h"
#include "models/ctm/mc/mc_spec.h"
#include "models/ctm/pe/registers.h"
#include "models/report/statistics.h"
#include "models/report/stats_json.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/rings/ctm_buffers.h"

struct AMmanagedDeviceRec {};

// libsystemc has a main() that calls this; a program's own takes precedence.
int sc_main(int, char**) {
    return 0;
}

namespace archipelago::host {
namespace {

constexpr uint64_t kPollCycles = 100'000;    // a question whether a buffer has been consumed
constexpr uint64_t kHangCycles = 2'000'000;  // without anything that completes
constexpr uint32_t kFirstLocal = 0x0010'0000;
constexpr uint64_t kUncachedPart = 4;  // the share of the host's memory that is not cached

struct Settings {
    std::string chip;
    std::string mode;
    std::vector<std::string> set;
    std::string stats;
};

std::string environment(const char* name, const char* otherwise) {
    const char* const value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : otherwise;
}

// A device's path names no chip.
std::string chip_of(const char* device) {
    const std::string name = device != nullptr ? device : "";
    return name.empty() || name.rfind("/dev/", 0) == 0 ? environment("ARCHIPELAGO_CTM_CHIP", "r580")
                                                       : name;
}

Settings read_settings(const std::string& chip) {
    Settings out;
    out.chip = chip;
    out.mode = environment("ARCHIPELAGO_CTM_MODE", "cycle");
    if (out.mode != "cycle" && out.mode != "functional")
        throw std::invalid_argument("ARCHIPELAGO_CTM_MODE is \"" + out.mode +
                                    "\", expected cycle or functional");
    out.stats = environment("ARCHIPELAGO_CTM_STATS", "");
    const std::string set = environment("ARCHIPELAGO_CTM_SET", "");
    for (size_t at = 0; at < set.size();) {
        const size_t end = std::min(set.find(';', at), set.size());
        if (end != at)
            out.set.push_back(set.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

// The chips that were installed with this library, regardless of where that is now.
std::string packaged_configs() {
    Dl_info here{};
    if (dladdr(reinterpret_cast<void*>(&amOpenManagedConnection), &here) == 0)
        return {};
    std::error_code error;
    const auto library = std::filesystem::canonical(here.dli_fname, error);
    return error ? std::string() : (library.parent_path() / ARCHIPELAGO_LIB_TO_CONFIGS).string();
}

class Device {
  public:
    explicit Device(Settings settings) : settings_(std::move(settings)) {
        thread_ = std::thread([this] { simulate(); });
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return ready_ || ended_; });
    }
    const std::string& chip() const { return settings_.chip; }
    bool ended() {
        const std::lock_guard lock(mutex_);
        return ended_;
    }
    const AMmanagedDeviceInfo& info() const { return info_; }

    // Each throws or returns nothing once the machine has stopped, which has been said.
    std::optional<uint32_t> submit(uint32_t address, uint32_t bytes);
    std::optional<bool> consumed(uint32_t number);
    void write_statistics();
    // The end of the process: takes the machine down.
    void finish();

  private:
    using Work = std::function<void(Machine&, CtmRing&)>;

    // Lets the simulation's thread do it; false: the machine has stopped.
    bool run(const Work& work);
    // ---- in that thread
    void simulate();
    void build_and_run();
    void serve(Machine& machine);
    void map_arenas(Machine& machine);
    void look_for_hang(Machine& machine, uint32_t number);

    const Settings settings_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool ready_ = false;
    bool ending_ = false;
    bool ended_ = false;  // there is no machine
    std::thread thread_;
    std::unique_ptr<CtmRing> ring_;  // not of the stack of serve(), which a stop leaves behind
    const Work* work_ = nullptr;
    AMmanagedDeviceInfo info_{};
    uint64_t progress_ = 0;  // when it was looked at last
    uint64_t since_ = 0;     // the cycle it was another
};

bool Device::run(const Work& work) {
    std::unique_lock lock(mutex_);
    if (ended_)
        return false;
    work_ = &work;
    changed_.notify_all();
    changed_.wait(lock, [this] { return work_ == nullptr || ended_; });
    return work_ == nullptr;
}

void Device::simulate() {
    try {
        build_and_run();
    } catch (const MachineStop& stop) {
        fmt::print(stderr, "archipelago: the machine stopped ({}): {}\n", to_string(stop.kind()),
                   stop.what());
    } catch (const std::exception& error) {
        fmt::print(stderr, "archipelago: {}\n", error.what());
    }
    std::fflush(stderr);
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
}

void Device::finish() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        changed_.notify_all();
    }
    thread_.join();
}

void Device::build_and_run() {
    sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
    sc_core::sc_report_handler::set_actions("/OSCI/SystemC", sc_core::SC_DO_NOTHING);
    const std::unique_ptr<asic::ChipDescription> chip =
        asic::load_chip(settings_.chip, settings_.set, asic::config_folder(packaged_configs()));
    if (chip->spec<ctm::McSpec>() == nullptr)
        throw std::invalid_argument(settings_.chip + " runs no command buffers of CTM");
    MachineOptions options;
    options.chip.mode = settings_.mode == "cycle" ? asic::Mode::Cycle : asic::Mode::Functional;
    options.hang_cycles = kHangCycles;
    Machine machine("ctm", *chip, options);
    map_arenas(machine);
    machine.run([&] { serve(machine); });
}

void Device::serve(Machine& machine) {
    ring_ = make_ctm_ring(machine, 1);
    ring_->bring_up();
    std::unique_lock lock(mutex_);
    ready_ = true;
    changed_.notify_all();
    for (;;) {
        changed_.wait(lock, [this] { return work_ != nullptr || ending_; });
        if (ending_)
            return;
        // Not held meanwhile: work that stops the machine does not come back here.
        const Work& work = *work_;
        lock.unlock();
        work(machine, *ring_);
        lock.lock();
        work_ = nullptr;
        changed_.notify_all();
    }
}

// Local memory but for what is the host's own; host's memory in two parts.
void Device::map_arenas(Machine& machine) {
    const asic::ChipDescription& chip = machine.chip().description();
    const asic::HostMemory own = chip.host_memory();
    const ctm::SystemSpec& system = chip.spec<ctm::McSpec>()->system;
    const uint64_t vram = chip.spec<asic::BoardMemory>()->vram_bytes;
    const uint64_t end_of_local = system.size == 0 ? vram : std::min<uint64_t>(vram, system.base);
    info_.baseAddressGPU = kFirstLocal;
    info_.arenaSizeGPU = static_cast<AMuint32>(std::min(end_of_local, own.first) - kFirstLocal);
    if (end_of_local > own.end) {
        info_.baseAddressGPUb = static_cast<AMuint32>(own.end);
        info_.arenaSizeGPUb = static_cast<AMuint32>(end_of_local - own.end);
    }
    const auto uncached = static_cast<AMuint32>(system.size / kUncachedPart) & ~AMuint32{0xfff};
    info_.baseAddressSYS = system.base;
    info_.arenaSizeSYS = uncached;
    info_.baseAddressSYSc = system.base + uncached;
    info_.arenaSizeSYSc = static_cast<AMuint32>(system.size) - uncached;
    MemoryImage& memory = machine.memory();
    memory.map(info_.baseAddressGPU, info_.arenaSizeGPU);
    memory.map(info_.baseAddressGPUb, info_.arenaSizeGPUb);
    // One range is in one piece in the process too.
    memory.map(system.base, system.size);
    if (system.size != 0) {
        info_.baseAddressCPU = memory.page_pointer(info_.baseAddressSYS);
        info_.baseAddressCPUc = memory.page_pointer(info_.baseAddressSYSc);
    }
}

std::optional<uint32_t> Device::submit(uint32_t address, uint32_t bytes) {
    uint32_t number = 0;
    const Work work = [&](Machine& machine, CtmRing& ring) {
        ring.submit_ib(0, address, bytes / 4, 0);
        number = ring.submitted();
        progress_ = machine.chip().progress();
        since_ = machine.chip().cycles();
    };
    return run(work) ? std::optional<uint32_t>(number) : std::nullopt;
}

std::optional<bool> Device::consumed(uint32_t number) {
    bool done = false, known = false;
    const Work work = [&](Machine& machine, CtmRing& ring) {
        known = number != 0 && number <= ring.submitted();
        const auto is_done = [&] { return machine.read_register(ctm::kCbConsumed) >= number; };
        if (!known)
            return;
        machine.wait_at_most(kPollCycles, is_done);
        done = is_done();
        if (!done)
            look_for_hang(machine, number);
    };
    if (!run(work))
        return std::nullopt;
    if (!known)
        throw std::invalid_argument(fmt::format("there is no command buffer {}", number));
    return done;
}

void Device::look_for_hang(Machine& machine, uint32_t number) {
    const uint64_t now = machine.chip().progress();
    const uint64_t cycles = machine.chip().cycles();
    if (now != progress_ && settings_.mode == "cycle") {
        progress_ = now;
        since_ = cycles;
    } else if (settings_.mode != "cycle" ||
               cycles - since_ >= machine.chip().cycles_of_every_clock(kHangCycles)) {
        throw MachineStop(StopKind::Hang, "host",
                          fmt::format("command buffer {} is not consumed, and nothing moves\n{}",
                                      number, machine.chip().waiting_for()));
    }
}

void Device::write_statistics() {
    if (settings_.stats.empty())
        return;
    std::string text;
    const Work work = [&](Machine& machine, CtmRing&) {
        text = report::statistics(machine.chip());
    };
    if (run(work))
        report::write_stats(settings_.stats, text);
}

// ---- the process's only one, and its connection -------------------------------------------------

struct Process {
    std::mutex mutex;  // one call at a time
    std::unique_ptr<Device> device;
    AMmanagedDevice open = nullptr;  // the connection
    // So far. Kept: a closed one is not taken for a later one.
    std::vector<std::unique_ptr<AMmanagedDeviceRec>> connections;
};
Process& process() {
    static auto* const one = new Process;
    return *one;
}

void complain(const char* function, const std::string& reason) {
    fmt::print(stderr, "archipelago: {}: {}\n", function, reason);
    std::fflush(stderr);
}

// Runs `call` of an open connection; `failed` with the reason said otherwise.
template <class Result, class Call>
Result guarded(const char* function, AMmanagedDevice connection, Result failed, const Call& call) {
    Process& p = process();
    const std::lock_guard lock(p.mutex);
    try {
        if (connection == nullptr || connection != p.open)
            throw std::invalid_argument("this is no open connection");
        return call(*p.device);
    } catch (const std::exception& error) {
        complain(function, error.what());
        return failed;
    }
}

// A call that another thread is in keeps the machine alive, and the process ends with both.
void end_process() {
    Process& p = process();
    const std::unique_lock lock(p.mutex, std::try_to_lock);
    if (!lock.owns_lock())
        return;
    p.device->finish();
    p.device.reset();
    p.open = nullptr;
}

AMmanagedDevice open_connection(const char* name, AMmanagedDeviceInfo& info) {
    Process& p = process();
    if (p.open != nullptr)
        throw std::invalid_argument("a connection is open already");
    const std::string chip = chip_of(name);
    if (p.device == nullptr) {
        p.device = std::make_unique<Device>(read_settings(chip));
        std::atexit(end_process);
    } else if (p.device->chip() != chip) {
        throw std::invalid_argument(
            fmt::format("this process has a {} already, and no {} beside", p.device->chip(), chip));
    }
    if (p.device->ended())
        throw std::invalid_argument("there is no machine, as was said");
    info = p.device->info();
    p.connections.push_back(std::make_unique<AMmanagedDeviceRec>());
    p.open = p.connections.back().get();
    return p.open;
}

}  // namespace
}  // namespace archipelago::host

using archipelago::host::Device;

extern "C" {

AMmanagedDevice amOpenManagedConnection(const char* device, AMmanagedDeviceInfo* info) {
    using namespace archipelago::host;
    const std::lock_guard lock(process().mutex);
    try {
        if (info == nullptr)
            throw std::invalid_argument("no AMmanagedDeviceInfo to fill in");
        return open_connection(device, *info);
    } catch (const std::exception& error) {
        complain("amOpenManagedConnection", error.what());
        return nullptr;
    }
}

AMuint32 amSubmitCommandBuffer(AMmanagedDevice connection, AMuint32 address, AMuint32 size) {
    return archipelago::host::guarded(
        "amSubmitCommandBuffer", connection, AMuint32{0}, [&](Device& device) {
            if (size == 0 || size % 4 != 0 || address % 4 != 0)
                throw std::invalid_argument(
                    fmt::format("{} bytes at 0x{:x}, expected whole words", size, address));
            return device.submit(address, size).value_or(0);
        });
}

int amCommandBufferConsumed(AMmanagedDevice connection, AMuint32 number) {
    return archipelago::host::guarded("amCommandBufferConsumed", connection, -1,
                                      [&](Device& device) {
                                          const std::optional<bool> done = device.consumed(number);
                                          return done ? static_cast<int>(*done) : -1;
                                      });
}

void amCloseManagedConnection(AMmanagedDevice connection) {
    archipelago::host::guarded("amCloseManagedConnection", connection, 0, [&](Device& device) {
        archipelago::host::process().open = nullptr;
        device.write_statistics();
        return 0;
    });
}

}  // extern "C"
