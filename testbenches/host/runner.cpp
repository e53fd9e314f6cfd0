// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "models/common/error.h"
#include "models/common/files.h"
#include "models/common/invariant.h"
#include "models/common/page.h"
#include "models/common/register_info.h"
#include "models/config/suggest.h"
#include "models/cu/access_fault.h"
#include "models/cu/pipeline/cu_spec.h"
#include "models/front/text/packet_language.h"
#include "testbenches/host/chip_names.h"
#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/elf_image.h"
#include "testbenches/host/image/bound_surface.h"
#include "testbenches/host/stopped_by_user.h"
#include "testbenches/host/surface_host.h"

namespace archipelago::host {
namespace {

constexpr uint64_t kInterruptCycles = 10000;  // more than any takes to arrive
constexpr uint64_t kBackgroundCycles = 1000;  // between two inspections of what no fence waits for

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

}  // namespace

WorkloadChip workload_chip(const asic::ChipDescription& chip) {
    WorkloadChip out;
    for (const asic::Ring& ring : chip.rings()) {
        if (ring.program_info)
            out.program_ring = static_cast<unsigned>(out.rings.size());
        out.rings.push_back({ring.name, ring.packets, ring.program_info});
        out.address_spaces |= ring.names_vmid;
    }
    out.packets = chip.spec<front::PacketLanguage>();
    out.surfaces = {chip.spec<surface::ChipTiling>(), has_render_targets(chip)};
    out.waves = chip.spec<cu::CuSpec>() != nullptr && !out.rings.empty();
    return out;
}

ChipOfWorkload always(const asic::ChipDescription& chip) {
    return [&chip](const std::optional<std::string>&) { return workload_chip(chip); };
}

Runner::Runner(const Workload& workload, Machine& machine, const RingDriverKinds& kinds)
    : workload_(workload),
      machine_(machine),
      own_driver_(std::make_unique<GpuDriver>(machine, kinds)),
      driver_(*own_driver_),
      names_(workload_chip(machine.chip().description())),
      words_(workload.steps, names_.rings) {
    machine_.reserve(named_ranges(workload));
    prepare();
}

Runner::Runner(const Workload& workload, Machine& machine, GpuDriver& driver)
    : workload_(workload),
      machine_(machine),
      driver_(driver),
      names_(workload_chip(machine.chip().description())),
      words_(workload.steps, names_.rings) {
    machine_.reserve_more(named_ranges(workload));
    prepare();
}

void Runner::prepare() {
    invariant(!workload_.address_spaces || machine_.chip().options().address_spaces != nullptr,
              "host", "the chip was not built for address spaces");
    const asic::ChipDescription& chip = machine_.chip().description();
    const auto check_expectation = [&](const Expectation& e) {
        if (const auto* r = std::get_if<RegisterExpectation>(&e.what))
            register_offset(chip, *r, e.source);
        if (const auto* i = std::get_if<InterruptExpectation>(&e.what))
            interrupt_source(chip, i->name, e.source);
        if (const auto* s = std::get_if<SurfaceExpectation>(&e.what))
            check_reference(*s, e.source);
    };
    for (const Expectation& e : workload_.expect)
        check_expectation(e);
    for (const Step& step : workload_.steps)
        if (const auto* e = std::get_if<Expectation>(&step.what))
            check_expectation(*e);
    if (!workload_.kernels().empty())
        kernels_.emplace(workload_, machine_, driver_);
    if (const auto ring = names_.program_ring)
        programs_.emplace(workload_, *ring, machine_, driver_, progress_.places);
}

RunOutcome Runner::run() {
    try {
        machine_.run([this] { program(); });
        trace();
    } catch (const StoppedByUser&) {
        trace();
        outcome_.cycles = machine_.chip().cycles() - std::max(begun_, progress_.start);
        throw;
    } catch (const MachineStop& stop) {
        trace();
        look_after_stop();
        const std::string near = nearest_buffer(stop);
        if (!plan_.at && near.empty())
            throw;
        if (!plan_.at)
            throw MachineStop(stop, near);
        const std::string_view text = stop.what();
        const bool line_ended = !text.empty() && text.back() == '\n';
        throw MachineStop(stop, near + (line_ended ? "" : "\n") + not_reached());
    }
    return outcome_;
}

void Runner::trace() const {
    TraceSink* const sink = machine_.chip().options().trace;
    if (sink == nullptr)
        return;
    const TrackId row =
        sink->track("host", machine_.chip().description().identity().clock_period_fs);
    if (progress_.start > begun_)
        sink->slice(row, begun_, progress_.start, "bring-up", 0,
                    "the host sets up rings before " + name() +
                        ", whose cycles count from the end of this");
    sink->slice(row, std::max(begun_, progress_.start), machine_.chip().cycles(), name());
}

std::string Runner::name() const {
    return workload_.name;
}

std::string Runner::not_reached() const {
    const bool in_workload = workload_.kernel && !progress_.kernel_done;
    Point here{Point::Where::Step, progress_.step};
    if (in_workload || progress_.dispatched != 0)
        here = {Point::Where::Kernel,
                progress_.dispatched +
                    kernels_->dispatches_before(in_workload ? 0 : kernels_->at_step(here.number))};
    return fmt::format("  {} was not reached: {}", plan_.option,
                       here == *plan_.at ? "what is submitted before it does not end"
                                         : "the run stands at " + to_string(here));
}

// Of an access of a kernel to an address that nothing maps: what stands next to it.
std::string Runner::nearest_buffer(const MachineStop& stop) const {
    const auto* const fault = dynamic_cast<const cu::AccessFault*>(&stop);
    if (fault == nullptr || fault->vmid != 0 || !kernels_ ||
        machine_.memory().is_mapped(fault->address, 1))
        return "";
    return kernels_->describe(*fault);
}

// The one that runs, or has run last.
size_t Runner::kernel_at_stop() const {
    size_t last = 0;
    for (uint64_t step = 0; step <= progress_.step && step < workload_.steps.size(); ++step)
        if (std::holds_alternative<KernelSpec>(workload_.steps[step].what))
            last = kernels_->at_step(step);
    return workload_.kernel && !progress_.kernel_done ? 0 : last;
}

// Nothing moves any more: what a step would have waited for does not come.
void Runner::look_after_stop() {
    stopped_ = true;
    if (kernels_ && kernels_->placed())
        show_printed(kernel_at_stop());
    for (const Expectation& e : workload_.expect)
        check(e);
    outcome_.failures = progress_.failures;
    outcome_.expectations = progress_.expectations;
}

void Runner::program() {
    begun_ = machine_.chip().cycles();
    machine_.begin_progress(name(), {});
    if (plan_.restored.empty())
        begin();
    else
        restore();
    if (!plan_.restored.empty())
        begun_ = machine_.chip().cycles();
    loading_seconds_ = 0;
    {
        const Stopwatch whole(outcome_.host_seconds);
        run_workload();
    }
    outcome_.host_seconds -= loading_seconds_;
    outcome_.cycles = machine_.chip().cycles() - progress_.start;
    outcome_.start = progress_.start;
    if (!ended_) {
        // No fence is after what the constant engine does, and it may wait for ever; nor after
        // the read pointer that an async DMA engine writes to memory after its last TRAP.
        machine_.wait_until([this] { return machine_.chip().background_idle(); },
                            "the constant engine to end its buffers, compute units to say what has "
                            "retired and async DMA engines to write their read pointers",
                            kBackgroundCycles);
        check_kernels_at_the_end();
        for (const Expectation& e : workload_.expect)
            check(e);
        for (const DumpSpec& d : workload_.dump)
            dump(d);
    }
    outcome_.failures = progress_.failures;
    outcome_.expectations = progress_.expectations;
}

void Runner::begin() {
    for (const MemorySpec& m : workload_.memory)
        map_memory(m);
    if (driver_.is_up()) {
        machine_.restart_limit();
        note_interrupts();
    } else {
        driver_.bring_up();
    }
    if (workload_.interrupt_ring) {
        const InterruptRing& ring = *workload_.interrupt_ring;
        machine_.memory().map(ring.address, ring.size);
        driver_.set_up_interrupt_ring(ring.address, ring.size);
    }
    if (kernels_)
        kernels_->place();
    progress_.start = machine_.chip().cycles();
}

void Runner::note_interrupts() {
    for (const asic::InterruptSource& of : machine_.chip().description().interrupts())
        interrupts_before_[of.name] =
            static_cast<int64_t>(machine_.interrupt_count(of.id, of.ring)) -
            static_cast<int64_t>(driver_.fences(of.name));
}

// From where `progress_` says.
void Runner::run_workload() {
    if (workload_.kernel && !progress_.kernel_done) {
        ended_ = run_kernel(0);
        if (!ended_) {
            driver_.fence_and_wait(kKernelRing);
            progress_.kernel_done = true;
            check_kernel(0);
        }
    }
    for (; !ended_ && progress_.wave < workload_.waves.size(); ++progress_.wave)
        run_wave(workload_.waves[progress_.wave]);
    while (!ended_ && progress_.step < workload_.steps.size()) {
        ended_ = (progress_.dispatched == 0 && reach({Point::Where::Step, progress_.step})) ||
                 run_step(progress_.step);
        if (!ended_)
            ++progress_.step;
    }
    if (ended_)
        return;
    driver_.drain();
    ended_ = reach({Point::Where::Step, progress_.step});
}

// ---- checkpoints -------------------------------------------------------------------------------

bool Runner::reach(const Point& point) {
    if (!plan_.at || !(*plan_.at == point))
        return false;
    if (!plan_.warm)
        driver_.drain();
    machine_.settle();
    plan_.at.reset();  // a run that goes on from here does not come here again
    Archive a;
    archive(a);
    const Stopwatch loading(loading_seconds_);
    write_archive(plan_.file, a.bytes());
    return plan_.ends;
}

void Runner::archive(Archive& a) {
    const asic::Mode mode = machine_.chip().options().mode;
    const asic::Mode written =
        archive_identity(a, machine_.chip().description(), mode, workload_, plan_.version);
    machine_.archive(a);
    a.block("workload", [&] {
        a(progress_);
        if (kernels_)
            kernels_->archive(a);
        driver_.archive(a);
    });
    if (written != mode)  // what came before took no time
        progress_.start = machine_.chip().cycles();
}

void Runner::restore() {
    Archive a(read_archive(plan_.restored), plan_.restored);
    archive(a);
    // The functional machine's own block has nothing for a machine with time.
    const std::vector<std::string> rest = a.unvisited();
    if (!rest.empty() && !a.has("functional machine"))
        throw ArchiveError(plan_.restored + ": block " + rest.front() + " is none of this chip");
}

void Runner::write_data(uint64_t address, const DataSource& data) {
    const Stopwatch loading(loading_seconds_);
    host::write_data(machine_.memory(), address, data);
}

void Runner::map_memory(const MemorySpec& m) {
    // Fresh pages are zero; filling mapped ones with zero is still a write.
    MemoryImage& memory = machine_.memory();
    const uint64_t before = memory.mapped_bytes();
    memory.map(m.address, m.data.size());
    const uint64_t last = m.address + std::max<uint64_t>(m.data.size(), 1) - 1;
    const uint64_t pages = last / kPageBytes - m.address / kPageBytes + 1;
    const bool fresh = memory.mapped_bytes() - before == pages * kPageBytes;
    if (fresh && m.data.uniform_byte() == uint8_t{0} && m.data.size() > (1u << 20))
        return;
    write_data(m.address, m.data);
}

bool Runner::run_step(uint64_t number) {
    const Step& step = workload_.steps[number];
    if (std::holds_alternative<KernelSpec>(step.what)) {
        const size_t kernel = kernels_->at_step(number);
        if (run_kernel(kernel))
            return true;
        end_kernel_step(kernel);
    } else if (const auto* memory = std::get_if<MemorySpec>(&step.what)) {
        map_memory(*memory);
    } else if (const auto* wait = std::get_if<WaitStep>(&step.what)) {
        driver_.fence_and_wait(wait->ring);
    } else if (const auto* expectation = std::get_if<Expectation>(&step.what)) {
        check(*expectation);
    } else if (const auto* program = std::get_if<ProgramSpec>(&step.what)) {
        run_program(*program);
    } else if (const auto* ring = std::get_if<RingStep>(&step.what)) {
        run_ring_step(number, *ring);
    }
    return false;
}

void Runner::run_ring_step(uint64_t number, const RingStep& ring) {
    if (ring.program_info)
        driver_.set_program_info(ring.ring, *ring.program_info);
    if (const auto* ib = std::get_if<IndirectBuffer>(&ring.what)) {
        try {
            driver_.submit_ib(ring.ring, ib->address, ib->dwords, ib->vmid);
        } catch (const std::invalid_argument& refused) {
            fail(workload_.steps[number].source, refused.what());
        }
    } else if (const std::vector<uint32_t> words = words_.of(number); !words.empty()) {
        driver_.submit(ring.ring, words);
    }
}

void Runner::run_program(const ProgramSpec& program) {
    programs_->run(program);
    const auto check_all = [&](const std::vector<SurfaceUse>& uses, const std::string& what) {
        for (size_t i = 0; i < uses.size(); ++i)
            check_surface(uses[i], what + std::to_string(i));
    };
    check_all(program.inputs, "input ");
    check_all(program.outputs, "output ");
    if (program.condition)
        check_surface(program.condition->use, "condition");
}

void Runner::check_surface(const SurfaceUse& use, const std::string& what) {
    if (!use.expect && !use.dump)
        return;
    const Stopwatch loading(loading_seconds_);
    const std::vector<uint8_t> got = programs_->rows(use.surface);
    if (use.dump)
        write_file(got, *use.dump);
    if (!use.expect)
        return;
    ++progress_.expectations;
    const std::vector<uint8_t> expected = read_bytes(use.expect->expected);
    const CompareResult result =
        compare(use.expect->compare, expected,
                {got.begin(), got.begin() + static_cast<std::ptrdiff_t>(expected.size())});
    if (result.equal())
        return;
    const SurfaceSpec& s = workload_.surfaces[use.surface];
    const uint64_t element = result.offset >> s.log2_bytes();
    miss(use.source, fmt::format("{}, element ({}, {}): {}: expected {}, got {} ({} of {} differ)",
                                 what, element % s.width, element / s.width, result.element_name,
                                 result.expected, result.got, result.mismatches, result.elements));
}

// ---- kernels -----------------------------------------------------------------------------------

LoadedKernels Runner::kernels() const {
    return kernels_ ? kernels_->loaded() : LoadedKernels();
}

// From this kernel's next repetition on, when nothing else of the workload starts waves.
std::optional<uint64_t> Runner::waves_to_come(size_t kernel) const {
    const bool others =
        std::any_of(workload_.steps.begin(), workload_.steps.end(), [](const Step& step) {
            return std::holds_alternative<RingStep>(step.what) ||
                   std::holds_alternative<ProgramSpec>(step.what);
        });
    if (others || !workload_.waves.empty() || !plan_.groups.everything() ||
        !progress_.left.everything())
        return {};
    uint64_t waves = 0;
    for (size_t i = kernel; i < kernels_->count(); ++i)
        waves += kernels_->waves(i) *
                 (kernels_->spec(i).repeat - (i == kernel ? progress_.dispatched : 0));
    return waves;
}

// The next repetitions.
void Runner::launch(size_t kernel, uint32_t count) {
    if (!std::exchange(launched_, true))
        machine_.begin_progress(name(), waves_to_come(kernel));
    kernels_->launch(kernel, progress_.dispatched, count);
    progress_.dispatched += count;
}

// The first part of a dispatch: its groups that are not chosen. The run ends with a checkpoint.
bool Runner::run_others(size_t kernel) {
    Progress& p = progress_;
    GroupSelection groups = plan_.groups;
    const uint64_t all = kernels_->groups(kernel);
    if (groups.ranges.back().last >= all)
        throw std::invalid_argument(fmt::format(
            "--groups: the last is {}, but the kernel's dispatch has {} groups, numbered from 0",
            groups.ranges.back().last, all));
    p.left = groups;
    groups.others = true;
    machine_.chip().choose_groups(groups);
    const uint32_t before = p.dispatched;
    launch(kernel, 1);
    p.dispatched = before;
    return reach({Point::Where::Kernel, kernels_->dispatches_before(kernel) + before});
}

void Runner::run_left(size_t kernel) {
    Progress& p = progress_;
    machine_.chip().choose_groups(p.left);
    p.left = {};
    kernels_->launch_rest(kernel);
    ++p.dispatched;
}

bool Runner::run_kernel(size_t kernel) {
    Progress& p = progress_;
    const uint32_t repeat = kernels_->spec(kernel).repeat;
    const uint64_t before = kernels_->dispatches_before(kernel);
    if (!p.left.everything())
        run_left(kernel);
    const bool parts = !plan_.groups.everything();
    // All that are left, or those up to the checkpoint first.
    const uint64_t next = before + p.dispatched + (parts ? 0 : 1);
    const uint64_t end = before + repeat + (parts ? 0 : 1);
    if (plan_.at && plan_.at->where == Point::Where::Kernel && plan_.at->number >= next &&
        plan_.at->number < end) {
        const Point point = *plan_.at;
        launch(kernel, static_cast<uint32_t>(point.number - before) - p.dispatched);
        if (parts ? run_others(kernel) : reach(point))
            return true;
    }
    launch(kernel, repeat - p.dispatched);
    p.dispatched = 0;
    return false;
}

// Kernels that print have to, so that what they print is in their order.
bool Runner::has_to_end(size_t kernel) const {
    if (kernels_->prints(kernel))
        return true;
    for (const Arg& arg : kernels_->spec(kernel).args)
        if (const auto* use = std::get_if<BufferUse>(&arg.value))
            if ((use->expect || use->dump) && kernels_->is_used_after(kernel, use->buffer))
                return true;
    return false;
}

void Runner::end_kernel_step(size_t kernel) {
    if (!has_to_end(kernel))
        return;
    driver_.fence_and_wait(kKernelRing);
    check_kernel(kernel);
}

void Runner::check_kernels_at_the_end() {
    for (size_t kernel = workload_.kernel ? 1 : 0; kernels_ && kernel < kernels_->count(); ++kernel)
        if (!has_to_end(kernel))
            check_kernel(kernel);
}

void Runner::show_printed(size_t kernel) {
    if (!machine_.show_printed() || !kernels_->prints(kernel))
        return;
    machine_.clear_progress();
    fmt::print("{}", kernels_->printed(kernel));
}

void Runner::check_beyond(const Arg& arg, const std::string& name, unsigned buffer) {
    const std::optional<uint64_t> byte = kernels_->written_beyond(buffer);
    if (!byte)
        return;
    ++progress_.expectations;
    miss(arg.source,
         fmt::format("{}: the kernel has written beyond its {} bytes: byte {}, at {:#x}", name,
                     workload_.buffers[buffer].data.size(), *byte,
                     kernels_->address(buffer) + *byte));
}

void Runner::check_kernel(size_t kernel) {
    show_printed(kernel);
    const std::vector<Arg>& args = kernels_->spec(kernel).args;
    for (size_t i = 0; i < args.size(); ++i) {
        const auto* use = std::get_if<BufferUse>(&args[i].value);
        if (use == nullptr)
            continue;
        const uint64_t address = kernels_->address(use->buffer);
        if (kernels_->is_last_use(kernel, i))
            check_beyond(args[i], kernels_->argument(kernel, i), use->buffer);
        if (use->expect)
            check_memory(address, use->expect->expected, use->expect->compare, args[i].source,
                         "argument " + std::to_string(i));
        if (use->dump)
            dump(address, workload_.buffers[use->buffer].data.size(), *use->dump);
    }
}

void Runner::check_buffer(const BufferContents& contents, const Source& source) {
    if (!kernels_->placed()) {
        ++progress_.expectations;
        return miss(source, "buffer " + workload_.buffers[contents.buffer].name +
                                ": the machine has stopped before it was in memory");
    }
    if (!stopped_ && driver_.pending(kKernelRing))
        driver_.fence_and_wait(kKernelRing);
    check_memory(kernels_->address(contents.buffer), contents.expected, contents.compare, source,
                 "buffer " + workload_.buffers[contents.buffer].name);
}

// ---- waves -------------------------------------------------------------------------------------

// The probe sets what the wave starts with.
void Runner::run_wave(const WaveSpec& spec) {
    if (probe_ == nullptr)
        fail(spec.source, "nobody watches waves here, so none can be given registers");
    const size_t bytes = spec.code.size() * 4;
    const uint64_t code = machine_.allocate(bytes, kImageAlign);
    machine_.memory().write(code, reinterpret_cast<const uint8_t*>(spec.code.data()), bytes);
    const std::unique_ptr<KernelLaunch> launch = driver_.wave_launch(kKernelRing, spec, code);
    launch->waits = driver_.pending(kKernelRing);
    probe_->expect(code, spec);
    driver_.launch(kKernelRing, *launch, 1);
    driver_.fence_and_wait(kKernelRing);
    const WaveProbe::End* const end = probe_->end_of(code);
    if (end == nullptr)
        fail(spec.source, "the wave has not ended");
    for (const WaveMiss& m : compare_wave(spec, *end))
        miss(m.source, m.text);
    progress_.expectations += spec.expect.size();
    const std::string registers = spec.dump ? dump_wave(*end) : std::string();
    if (spec.dump)
        write_file({registers.begin(), registers.end()}, *spec.dump);
}

// ---- expectations ------------------------------------------------------------------------------

void Runner::check_memory(uint64_t address, const DataSource& expected, const CompareSpec& spec,
                          const Source& source, const std::string& what) {
    const Stopwatch loading(loading_seconds_);
    ++progress_.expectations;
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
        miss(source, fmt::format("{} at {:#x}: memory there is not mapped", what, address));
    else if (!comparison.result().equal())
        miss(source, describe_mismatch(comparison.result(), address, what));
}

void Runner::check_register(const RegisterExpectation& e, const Source& source) {
    const asic::ChipDescription& chip = machine_.chip().description();
    const uint32_t offset = register_offset(chip, e, source);
    const std::optional<uint32_t> value =
        stopped_ ? machine_.inspect_register(offset) : machine_.read_register(offset);
    if (!value)
        return miss(source,
                    fmt::format("register {}: cannot be read, the machine has stopped", e.name));
    const uint32_t got = *value & e.mask;
    const uint32_t expected = e.value & e.mask;
    if (got != expected)
        miss(source, fmt::format("register {}: expected {:#x}, got {:#x} (mask {:#x})", e.name,
                                 expected, got, e.mask));
}

void Runner::check_interrupt(const InterruptExpectation& e, const Source& source) {
    const asic::InterruptSource of =
        interrupt_source(machine_.chip().description(), e.name, source);
    const auto count = [&] { return machine_.interrupt_count(of.id, of.ring); };
    const auto others = static_cast<uint64_t>(static_cast<int64_t>(driver_.fences(e.name)) +
                                              interrupts_before_[e.name]);
    // The value of a fence can be seen before its interrupt arrives; entries of an interrupt ring
    // arrive one after the other.
    if (!stopped_)
        machine_.wait_at_most(kInterruptCycles, [&] { return count() >= others + e.count; });
    const uint64_t got = count() - std::min(count(), others);
    if (got != e.count)
        miss(source, fmt::format("interrupt {}: expected {}, got {}", e.name, e.count, got));
}

void Runner::check(const Expectation& e) {
    if (const auto* memory = std::get_if<MemoryExpectation>(&e.what))
        return check_memory(memory->address, memory->expected, memory->compare, e.source, "expect");
    if (const auto* buffer = std::get_if<BufferContents>(&e.what))
        return check_buffer(*buffer, e.source);
    if (const auto* surface = std::get_if<SurfaceExpectation>(&e.what))
        return check_surface(*surface, e.source);
    ++progress_.expectations;
    if (const auto* reg = std::get_if<RegisterExpectation>(&e.what))
        check_register(*reg, e.source);
    else
        check_interrupt(std::get<InterruptExpectation>(e.what), e.source);
}

void Runner::check_surface(const SurfaceExpectation& e, const Source& source) {
    const Stopwatch loading(loading_seconds_);
    ++progress_.expectations;
    if (const auto why = compare_surface(machine_, e))
        miss(source, *why);
}

void Runner::dump(const DumpSpec& d) {
    if (!d.surface)
        return dump(d.buffer ? kernels_->address(*d.buffer) : d.address, d.size, d.file);
    const Stopwatch loading(loading_seconds_);
    try {
        const std::string image = image_text(d.file.path, picture_of(machine_, *d.surface));
        write_file({image.begin(), image.end()}, d.file);
    } catch (const ImageError& error) {
        fail(d.source, std::string("surface: ") + error.what());
    }
}

void Runner::dump(uint64_t address, uint64_t size, const DumpFile& file) {
    const Stopwatch loading(loading_seconds_);
    std::vector<uint8_t> bytes(size);
    if (!machine_.memory().read(address, bytes.data(), size))
        fail(file.source, fmt::format("memory at {:#x} is not mapped, nothing to dump", address));
    write_file(bytes, file);
}

void Runner::write_file(const std::vector<uint8_t>& bytes, const DumpFile& file) {
    try {
        OutputFile out(file.path);
        out.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        out.complete();
    } catch (const FileError& error) {
        fail(file.source, std::string("cannot write ") + error.what());
    }
}

}  // namespace archipelago::host
