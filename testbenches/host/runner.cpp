// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/runner.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "models/common/error.h"
#include "models/common/register_info.h"
#include "models/config/suggest.h"
#include "models/cp/pm4/text.h"
#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/code_object.h"
#include "testbenches/host/code_object/dispatch.h"

namespace archipelago::host {
namespace {

constexpr uint64_t kInterruptCycles = 10000;  // more than any takes to arrive

[[noreturn]] void fail(const Source& source, const std::string& what) {
    throw std::runtime_error(source.to_string() + ": " + what);
}

uint32_t register_offset(const asic::ChipDescription& chip, const RegisterExpectation& e,
                         const Source& source) {
    const auto* database = chip.spec<regs::RegisterDatabase>();
    if (database == nullptr)
        fail(source, chip.identity().name + " has no registers by name");
    if (const auto* info = database->find_by_name(e.name))
        return info->offset;
    std::vector<std::string> names;
    for (const auto& info : database->registers)
        names.emplace_back(info.name);
    const auto near = config::closest(e.name, names);
    fail(source, "unknown register " + e.name + (near ? ", did you mean " + *near + "?" : ""));
}

// Source id of an interrupt a workload names.
uint8_t interrupt_source(const asic::ChipDescription& chip, const std::string& name,
                         const Source& source) {
    const std::vector<asic::InterruptSource> known = chip.interrupts();
    std::string list;
    for (size_t i = 0; i < known.size(); ++i) {
        if (known[i].name == name)
            return known[i].id;
        list += (i == 0 ? "" : i + 1 == known.size() ? " or " : ", ") + known[i].name;
    }
    fail(source, "unknown interrupt \"" + name + "\", expected " + list);
}

// Adds the time it lives to a sum.
class Stopwatch {
  public:
    explicit Stopwatch(double& sum) : sum_(sum) {}
    ~Stopwatch() {
        sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

  private:
    double& sum_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::string hex(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

}  // namespace

WorkloadChip workload_chip(const asic::ChipDescription& chip) {
    WorkloadChip out;
    for (const asic::Ring& ring : chip.rings())
        out.rings.push_back({ring.name, ring.packets});
    out.packets = chip.spec<cp::Pm4Language>();
    return out;
}

ChipOfWorkload always(const asic::ChipDescription& chip) {
    return [&chip](const std::optional<std::string>&) { return workload_chip(chip); };
}

// A kernel that has been compiled and checked, before anything runs.
struct Runner::Prepared {
    CodeObject object;
    const Kernel* kernel = nullptr;
    LaunchGeometry geometry;
};

Runner::Runner(const Workload& workload, Machine& machine, const RingDriverKinds& kinds)
    : workload_(workload), machine_(machine), driver_(machine, kinds) {
    machine_.reserve(named_ranges(workload));
    const asic::ChipDescription& chip = machine.chip().description();
    const auto check_expectation = [&](const Expectation& e) {
        if (const auto* r = std::get_if<RegisterExpectation>(&e.what))
            register_offset(chip, *r, e.source);
        if (const auto* i = std::get_if<InterruptExpectation>(&e.what))
            interrupt_source(chip, i->name, e.source);
    };
    for (const Expectation& e : workload_.expect)
        check_expectation(e);
    for (const Step& step : workload_.steps)
        if (const auto* e = std::get_if<Expectation>(&step.what))
            check_expectation(*e);
    if (!workload_.kernel)
        return;
    const KernelSpec& spec = *workload_.kernel;
    if (driver_.rings() == 0)
        fail(spec.source, chip.identity().name + " has no ring that runs kernels");
    prepared_ = std::make_unique<Prepared>();
    std::string diagnostics;
    prepared_->object = load_code_object_file(spec.code, &diagnostics);
    if (!diagnostics.empty())
        std::fputs(diagnostics.c_str(), stderr);
    prepared_->kernel = &prepared_->object.kernel(spec.name);
    LaunchGeometry& g = prepared_->geometry;
    g.global_size = spec.global_size;
    g.dimensions = 0;  // the highest whose size is not 1: global_size is written with three numbers
    if (spec.local_size) {
        g.local_size = *spec.local_size;
    } else if (const auto& required = prepared_->kernel->metadata.reqd_workgroup_size) {
        g.local_size = *required;
    } else {
        // The largest power of two up to 256 that divides the first dimension.
        uint32_t size = 256;
        while (size > 1 && g.global_size[0] % size != 0)
            size /= 2;
        g.local_size = {size, 1, 1};
    }
}

Runner::~Runner() = default;

RunOutcome Runner::run() {
    machine_.run([this] { program(); });
    return outcome_;
}

void Runner::program() {
    for (const MemorySpec& m : workload_.memory)
        map_memory(m);
    driver_.bring_up();
    if (workload_.interrupt_ring) {
        const InterruptRing& ring = *workload_.interrupt_ring;
        machine_.memory().map(ring.address, ring.size);
        driver_.set_up_interrupt_ring(ring.address, ring.size);
    }
    const uint64_t start = machine_.chip().cycles();
    loading_seconds_ = 0;
    {
        const Stopwatch whole(outcome_.host_seconds);
        if (workload_.kernel)
            run_kernel();
        for (const Step& step : workload_.steps)
            run_step(step);
        for (unsigned ring = 0; ring < driver_.rings(); ++ring)
            if (driver_.pending(ring))
                driver_.fence_and_wait(ring);
    }
    outcome_.host_seconds -= loading_seconds_;
    outcome_.cycles = machine_.chip().cycles() - start;
    for (const Expectation& e : workload_.expect)
        check(e);
    for (const DumpSpec& d : workload_.dump)
        dump(d.address, d.size, d.file);
}

void Runner::write_data(uint64_t address, const DataSource& data) {
    const Stopwatch loading(loading_seconds_);
    uint64_t at = address;
    for_each_piece(data, [&](const uint8_t* bytes, size_t count) {
        machine_.memory().write(at, bytes, count);
        at += count;
    });
}

void Runner::map_memory(const MemorySpec& m) {
    // Fresh pages are zero; filling mapped ones with zero is still a write.
    MemoryImage& memory = machine_.memory();
    const uint64_t before = memory.mapped_bytes();
    memory.map(m.address, m.data.size());
    const uint64_t last = m.address + std::max<uint64_t>(m.data.size(), 1) - 1;
    const uint64_t pages = last / MemoryImage::kPageBytes - m.address / MemoryImage::kPageBytes + 1;
    const bool fresh = memory.mapped_bytes() - before == pages * MemoryImage::kPageBytes;
    if (fresh && m.data.uniform_byte() == uint8_t{0} && m.data.size() > (1u << 20))
        return;
    write_data(m.address, m.data);
}

void Runner::run_step(const Step& step) {
    if (const auto* memory = std::get_if<MemorySpec>(&step.what)) {
        map_memory(*memory);
    } else if (const auto* wait = std::get_if<WaitStep>(&step.what)) {
        driver_.fence_and_wait(wait->ring);
    } else if (const auto* expectation = std::get_if<Expectation>(&step.what)) {
        check(*expectation);
    } else if (const auto* ring = std::get_if<RingStep>(&step.what)) {
        if (const auto* ib = std::get_if<IndirectBuffer>(&ring->what)) {
            driver_.submit_ib(ring->ring, ib->address, ib->dwords, ib->vmid);
        } else {
            const std::vector<uint8_t> bytes = read_bytes(std::get<DataSource>(ring->what));
            std::vector<uint32_t> dwords(bytes.size() / 4);
            for (size_t i = 0; i < dwords.size(); ++i)
                dwords[i] = static_cast<uint32_t>(load_le(&bytes[4 * i], 4));
            driver_.submit(ring->ring, dwords);
        }
    }
}

void Runner::run_kernel() {
    const KernelSpec& spec = *workload_.kernel;
    const Kernel& kernel = *prepared_->kernel;
    std::vector<ArgValue> values;
    std::vector<uint64_t> addresses;
    for (const Arg& arg : spec.args) {
        uint64_t address = 0;
        if (const auto* buffer = std::get_if<BufferSpec>(&arg.value)) {
            address = machine_.allocate(buffer->data.size());
            if (buffer->data.uniform_byte() != uint8_t{0})
                write_data(address, buffer->data);
            values.emplace_back(BufferArg{address});
        } else if (const auto* scalar = std::get_if<ScalarSpec>(&arg.value)) {
            values.emplace_back(ScalarArg{scalar->bytes});
        } else {
            values.emplace_back(LocalArg{std::get<LocalSpec>(arg.value).bytes});
        }
        addresses.push_back(address);
    }
    HiddenAddresses hidden;
    hidden.queue = machine_.allocate(4096);
    hidden.printf_buffer = machine_.allocate(4096);
    const DispatchPlan plan =
        plan_dispatch(prepared_->object, kernel, values, prepared_->geometry, hidden);

    const uint64_t image = machine_.allocate(prepared_->object.image.bytes.size(), kImageAlign);
    const std::vector<uint8_t> code = prepared_->object.image_at(image);
    machine_.memory().write(image, code.data(), code.size());
    const uint64_t kernarg =
        machine_.allocate(std::max<size_t>(plan.kernarg.size(), 64), plan.kernarg_align);
    machine_.memory().write(kernarg, plan.kernarg.data(), plan.kernarg.size());
    const uint64_t packet = machine_.allocate(kDispatchPacketBytes);
    const auto aql = make_dispatch_packet(plan, image, kernarg);
    machine_.memory().write(packet, aql.data(), aql.size());

    KernelLaunch launch;
    launch.code = image + plan.entry_offset;
    launch.rsrc1 = plan.pgm_rsrc1;
    launch.rsrc2 = plan.pgm_rsrc2;
    launch.groups = plan.group_count;
    launch.local_size = plan.geometry.local_size;
    launch.partial_size = plan.partial_size;
    DispatchAddresses where;
    where.kernarg = kernarg;
    where.packet = packet;
    where.queue = hidden.queue;
    if (plan.scratch_bytes_per_wave != 0) {
        // Mesa's default: 32 waves per CU may hold scratch; the register counts up to 4095.
        // All of it must be within reach of a 32-bit offset.
        launch.scratch_waves =
            std::min(32 * machine_.chip().description().identity().compute_units, 0xFFFu);
        launch.scratch_waves = static_cast<uint32_t>(std::min<uint64_t>(
            launch.scratch_waves, (uint64_t{1} << 32) / plan.scratch_bytes_per_wave));
        launch.scratch_bytes_per_wave = plan.scratch_bytes_per_wave;
        where.scratch =
            machine_.allocate(uint64_t{launch.scratch_waves} * plan.scratch_bytes_per_wave);
    }
    launch.user_sgprs = make_user_sgprs(plan, where);

    driver_.launch(0, launch, spec.repeat);
    driver_.fence_and_wait(0);

    for (size_t i = 0; i < spec.args.size(); ++i) {
        const auto* buffer = std::get_if<BufferSpec>(&spec.args[i].value);
        if (buffer == nullptr)
            continue;
        if (buffer->expect)
            check_memory(addresses[i], buffer->expect->expected, buffer->expect->compare,
                         spec.args[i].source, "argument " + std::to_string(i));
        if (buffer->dump)
            dump(addresses[i], buffer->data.size(), *buffer->dump);
    }
}

void Runner::check_memory(uint64_t address, const DataSource& expected, const CompareSpec& spec,
                          const Source& source, const std::string& what) {
    const Stopwatch loading(loading_seconds_);
    ++outcome_.expectations;
    Comparison comparison(spec, expected.size());
    uint64_t at = address;
    bool mapped = true;
    std::vector<uint8_t> got;
    for_each_piece(expected, [&](const uint8_t* bytes, size_t count) {
        got.resize(count);
        mapped = mapped && machine_.memory().read(at, got.data(), count);
        if (mapped)
            comparison.add(bytes, got.data(), count);
        at += count;
    });
    if (!mapped)
        outcome_.failures.push_back(source.to_string() + ": " + what + " at " + hex(address) +
                                    ": memory there is not mapped");
    else if (!comparison.result().equal())
        outcome_.failures.push_back(source.to_string() + ": " +
                                    describe_mismatch(comparison.result(), address, what));
}

void Runner::check(const Expectation& e) {
    const asic::ChipDescription& chip = machine_.chip().description();
    if (const auto* memory = std::get_if<MemoryExpectation>(&e.what)) {
        check_memory(memory->address, memory->expected, memory->compare, e.source, "expect");
    } else if (const auto* reg = std::get_if<RegisterExpectation>(&e.what)) {
        ++outcome_.expectations;
        const uint32_t got = machine_.read_register(register_offset(chip, *reg, e.source));
        if ((got & reg->mask) != (reg->value & reg->mask))
            outcome_.failures.push_back(e.source.to_string() + ": register " + reg->name +
                                        ": expected " + hex(reg->value & reg->mask) + ", got " +
                                        hex(got & reg->mask) + " (mask " + hex(reg->mask) + ")");
    } else {
        ++outcome_.expectations;
        const auto& interrupt = std::get<InterruptExpectation>(e.what);
        // The value of a fence can be seen before its interrupt arrives.
        const uint8_t id = interrupt_source(chip, interrupt.name, e.source);
        const auto count = [&] { return machine_.interrupt_count(id); };
        const uint64_t fences = driver_.fences(interrupt.name);
        // Entries of an interrupt ring arrive one after the other.
        const uint64_t least = fences + interrupt.count;
        machine_.wait_at_most(kInterruptCycles, [&] { return count() >= least; });
        const uint64_t got = count() - std::min(count(), fences);
        if (got != interrupt.count)
            outcome_.failures.push_back(e.source.to_string() + ": interrupt " + interrupt.name +
                                        ": expected " + std::to_string(interrupt.count) + ", got " +
                                        std::to_string(got));
    }
}

void Runner::dump(uint64_t address, uint64_t size, const DumpFile& file) {
    const Stopwatch loading(loading_seconds_);
    std::vector<uint8_t> bytes(size);
    if (!machine_.memory().read(address, bytes.data(), size))
        fail(file.source, "memory at " + hex(address) + " is not mapped, nothing to dump");
    std::ofstream out(file.path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
    if (!out)
        fail(file.source, "cannot write " + file.path);
}

}  // namespace archipelago::host
