// SPDX-License-Identifier: Apache-2.0
// Kernels as ring drivers launch them. Each family has a form of its own, made from the kernel of a
// workload file: rings/gcn_kernel.h has GCN's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testbenches/host/code_object/dispatch.h"
#include "testbenches/host/kernel_sync.h"
#include "testbenches/host/loaded_kernels.h"

namespace archipelago {
class Archive;
}

namespace archipelago::host {

// What a launch of any family has. Code and arguments are in memory already.
struct KernelLaunch {
    virtual ~KernelLaunch() = default;
    uint64_t code = 0;  // address of the first instruction
    std::array<uint32_t, 3> groups{1, 1, 1};
    std::array<uint32_t, 3> local_size{1, 1, 1};
    KernelSync first = KernelSync::All;  // in front of the first dispatch
    KernelSync sync = KernelSync::All;   // in front of its repetitions
    bool waits = false;                  // the first dispatch waits for what ran before
};

// A kernel of a workload file, for the chips of one family: compiled and checked before anything
// runs.
class HostKernel {
  public:
    virtual ~HostKernel() = default;
    // Puts code and arguments into memory; those that are buffers have their addresses.
    virtual void place(const std::vector<ArgValue>& arguments) = 0;
    // Of the kernel as it was placed.
    virtual KernelLaunch& launch() = 0;
    virtual const KernelLaunch& launch() const = 0;
    virtual LoadedKernel loaded() const = 0;
    // As the source has it, by its number from 0; empty where that is not known.
    virtual std::string argument_name(size_t) const { return {}; }
    // Of the instruction at an address of the placed code; none where that is not known.
    virtual std::optional<archipelago::SourceLine> source_line(uint64_t) const { return {}; }
    // Whether it calls printf.
    virtual bool prints() const { return false; }
    // What dispatches that have ended printed since the last call, of all kernels of the same file.
    virtual std::string printed() { return {}; }
    virtual void archive(Archive& a) = 0;
};

}  // namespace archipelago::host
