// SPDX-License-Identifier: Apache-2.0
// A runtime's part for the kernels of a workload: buffers, code and arguments into memory, the
// dispatches, and which buffer lies next to an address.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/cu/access_fault.h"
#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/kernel_launch.h"
#include "testbenches/host/loaded_kernels.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/workload.h"

namespace archipelago {
class Archive;
}

namespace archipelago::host {

class KernelHost {
  public:
    // Reads and compiles the kernels; code that several have is read once. All arguments must
    // outlive this. Throws CodeObjectError.
    KernelHost(const Workload& workload, Machine& machine, GpuDriver& driver);

    // In the order in which they run.
    size_t count() const { return kernels_.size(); }
    const KernelSpec& spec(size_t kernel) const { return *specs_.at(kernel); }
    // The number of the kernel of a step.
    size_t at_step(uint64_t step) const { return of_step_.at(step); }
    // Dispatches of all kernels before this one.
    uint64_t dispatches_before(size_t kernel) const;

    // Puts buffers, code and arguments of all kernels into memory. Throws std::runtime_error with
    // the place of an argument that does not fit its parameter, or of the kernel.
    void place();
    bool placed() const { return placed_; }
    uint64_t address(unsigned buffer) const { return addresses_.at(buffer); }
    // Groups of a dispatch, and their waves.
    uint64_t groups(size_t kernel) const;
    uint64_t waves(size_t kernel) const;

    // Dispatches a kernel `times` times; `done` dispatches of it have been submitted.
    void launch(size_t kernel, uint32_t done, uint32_t times);
    // The second part of a dispatch whose other groups have run: nothing is invalidated between.
    void launch_rest(size_t kernel);

    // Whether an argument of a later kernel is this buffer.
    bool is_used_after(size_t kernel, unsigned buffer) const;
    // Whether nothing uses the buffer of this argument after it.
    bool is_last_use(size_t kernel, size_t argument) const {
        return last_use_.at(
                   std::get<BufferUse>(specs_.at(kernel)->args.at(argument).value).buffer) ==
               std::pair(kernel, argument);
    }
    // Bytes from the end of the buffer to that of its last page, which are not as the host left
    // them: the first, counted from the start of the buffer. Nothing: none.
    std::optional<uint64_t> written_beyond(unsigned buffer) const;

    bool prints(size_t kernel) const { return kernels_.at(kernel)->prints(); }
    // What it printed since the last call, each line after the kernel's name; once it has ended.
    std::string printed(size_t kernel);

    LoadedKernels loaded() const;
    // What is known of an access that nothing maps: the argument of the kernel that is nearest, the
    // work-item, the line of the source. Begins with "; "; empty for a kernel of somebody else's.
    std::string describe(const cu::AccessFault& fault) const;
    // "argument 2 `c`"
    std::string argument(size_t kernel, size_t number) const;
    void archive(Archive& a);

  private:
    std::string work_item(size_t kernel, uint32_t group, uint32_t item) const;
    void place_buffers(const KernelSpec& spec);
    // Values of the arguments; descriptors are put into memory.
    std::vector<ArgValue> values_of(const KernelSpec& spec) const;
    template <size_t N>
    uint64_t place_words(const std::array<uint32_t, N>& words) const;

    const Workload& workload_;
    Machine& machine_;
    GpuDriver& driver_;
    std::vector<const KernelSpec*> specs_;
    std::vector<std::unique_ptr<HostKernel>> kernels_;
    std::map<uint64_t, size_t> of_step_;
    std::vector<std::pair<size_t, size_t>> last_use_;  // of a buffer: kernel and argument
    std::vector<uint64_t> addresses_;                  // of buffers
    bool placed_ = false;
};

// What of memory a workload gives.
void write_data(MemoryImage& memory, uint64_t address, const DataSource& data);

}  // namespace archipelago::host
