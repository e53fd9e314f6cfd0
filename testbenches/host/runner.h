// SPDX-License-Identifier: Apache-2.0
// Runs a workload on a machine and checks what came out.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "testbenches/host/checkpoint.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/kernel_host.h"
#include "testbenches/host/loaded_kernels.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/program_host.h"
#include "testbenches/host/step_words.h"
#include "testbenches/host/wave_probe.h"
#include "testbenches/host/workload.h"

namespace archipelago::host {

struct RunOutcome {
    std::vector<std::string> failures;  // one line per expectation that did not hold
    uint64_t expectations = 0;          // checked
    uint64_t cycles = 0;                // engine clock, from the first step to the last fence
    uint64_t start = 0;                 // the machine's cycle of that first step
    double host_seconds = 0;  // wall clock of the same, without loading, comparing and dumping
};

// What of a chip a workload may name.
WorkloadChip workload_chip(const asic::ChipDescription& chip);
// Always this chip, regardless of the `asic` that a workload names.
ChipOfWorkload always(const asic::ChipDescription& chip);

// Reads files and compiles kernels before the clock starts; what is wrong with them, or with the
// words of steps (StepWords), is thrown (CodeObjectError, std::runtime_error with the place in the
// workload).
class Runner {
  public:
    Runner(const Workload& workload, Machine& machine,
           const RingDriverKinds& kinds = ring_driver_kinds());
    // For a machine that runs several workloads one after the other: `driver` is that of all their
    // runners, which are all made before the first runs. The machine is to be at rest in between.
    Runner(const Workload& workload, Machine& machine, GpuDriver& driver);
    // Must be called before run().
    void plan(CheckpointPlan plan) { plan_ = std::move(plan); }
    // `probe` must be the sink to which the machine's chip reports waves. For workloads with
    // `waves:`.
    void watch_waves(WaveProbe& probe) { probe_ = &probe; }
    // Runs the workload. When the machine stops, compares the workload's own expectations with
    // memory, registers and interrupts as they are then, and rethrows the MachineStop.
    RunOutcome run();
    // The outcome of a run that has ended or stopped.
    const RunOutcome& outcome() const { return outcome_; }
    // The kernels loaded so far.
    LoadedKernels kernels() const;

  private:
    void prepare();
    // How far the workload has come: what a checkpoint keeps of the run.
    struct Progress {
        uint64_t start = 0;        // cycle of the first step
        uint32_t dispatched = 0;   // of the repetitions of the kernel that runs
        GroupSelection left;       // groups of the next that have not run; empty: it has not begun
        bool kernel_done = false;  // that of the workload itself
        uint64_t wave = 0;         // the next
        uint64_t step = 0;         // the next
        ProgramPlaces places;
        uint64_t expectations = 0;
        std::vector<std::string> failures;
    };
    void program();
    // The host's row of the timeline.
    void trace() const;
    std::string name() const;  // of the workload's file
    std::optional<uint64_t> waves_to_come(size_t kernel) const;
    void look_after_stop();
    // What follows the text of the stop; may be empty.
    std::string nearest_buffer(const MachineStop& stop) const;
    // The message for a machine that has stopped before the planned checkpoint.
    std::string not_reached() const;
    void begin();
    void note_interrupts();
    void run_workload();
    // Writes the checkpoint if it is planned for this point. True: the run ends with it.
    bool reach(const Point& point);
    void archive(Archive& a);
    void restore();
    void map_memory(const MemorySpec& memory);
    void write_data(uint64_t address, const DataSource& data);
    // True: the run ended with a checkpoint.
    bool run_step(uint64_t number);
    void run_ring_step(uint64_t number, const RingStep& ring);
    void run_program(const ProgramSpec& program);
    void check_surface(const SurfaceUse& use, const std::string& what);
    // Submits a kernel. True: the run ended with a checkpoint.
    bool run_kernel(size_t kernel);
    void launch(size_t kernel, uint32_t count);
    bool run_others(size_t kernel);
    void run_left(size_t kernel);
    // Waits for the kernel of a step where what it leaves has to be seen before a later one runs.
    void end_kernel_step(size_t kernel);
    bool has_to_end(size_t kernel) const;
    // What is expected of the buffers of a kernel that has ended.
    void check_kernel(size_t kernel);
    void check_kernels_at_the_end();
    void show_printed(size_t kernel);
    size_t kernel_at_stop() const;
    // Whether a kernel has written beyond the buffer's end.
    void check_beyond(const Arg& arg, const std::string& name, unsigned buffer);
    void check_buffer(const BufferContents& contents, const Source& source);
    void run_wave(const WaveSpec& spec);
    void check(const Expectation& expectation);
    void check_register(const RegisterExpectation& e, const Source& source);
    void check_interrupt(const InterruptExpectation& e, const Source& source);
    void check_memory(uint64_t address, const DataSource& expected, const CompareSpec& compare,
                      const Source& source, const std::string& what);
    void miss(const Source& source, const std::string& what) {
        progress_.failures.push_back(source.to_string() + ": " + what);
    }
    void check_surface(const SurfaceExpectation& e, const Source& source);
    void dump(const DumpSpec& d);
    void dump(uint64_t address, uint64_t size, const DumpFile& file);
    static void write_file(const std::vector<uint8_t>& bytes, const DumpFile& file);

    const Workload& workload_;
    Machine& machine_;
    std::unique_ptr<GpuDriver> own_driver_;  // null: the machine runs several workloads
    GpuDriver& driver_;
    const WorkloadChip names_;
    const StepWords words_;
    std::optional<KernelHost> kernels_;  // none: the workload has no kernel
    CheckpointPlan plan_;
    WaveProbe* probe_ = nullptr;
    Progress progress_;
    // Interrupts before the workload, by name, without those of the driver's own fences.
    std::map<std::string, int64_t> interrupts_before_;
    std::optional<ProgramHost> programs_;  // of a chip that runs such
    bool ended_ = false;                   // with a checkpoint
    bool launched_ = false;                // a kernel has been
    uint64_t begun_ = 0;                   // cycle at which program() began, or continued
    bool stopped_ = false;                 // the machine has
    double loading_seconds_ = 0;
    RunOutcome outcome_;
};

}  // namespace archipelago::host
