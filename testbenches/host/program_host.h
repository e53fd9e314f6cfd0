// SPDX-License-Identifier: Apache-2.0
// A loader's and a library's part for programs of CTM chips: surfaces, code and constants into
// memory, the commands that run the program.
#pragma once

#include <cstdint>
#include <vector>

#include "testbenches/host/gpu_driver.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/workload.h"

namespace archipelago::host {

// Addresses of what the host has put into memory, which a checkpoint keeps. 0: not there yet.
struct ProgramPlaces {
    std::vector<uint64_t> surfaces;
    uint64_t area = 0;  // code and constants of the program that runs
};

class ProgramHost {
  public:
    // All arguments must outlive this.
    ProgramHost(const Workload& workload, unsigned ring, Machine& machine, GpuDriver& driver,
                ProgramPlaces& places)
        : workload_(workload), ring_(ring), machine_(machine), driver_(driver), places_(places) {}

    // Returns when the program has ended and its outputs are in memory.
    void run(const ProgramSpec& program);
    // The elements of a surface row by row, as memory has them.
    std::vector<uint8_t> rows(unsigned surface) const;

  private:
    void place(unsigned surface);
    void place_area(const ProgramSpec& program);
    ctm::Surface surface_at(unsigned surface) const;
    std::vector<uint32_t> commands(const ProgramSpec& program);

    const Workload& workload_;
    const unsigned ring_;
    Machine& machine_;
    GpuDriver& driver_;
    ProgramPlaces& places_;
};

}  // namespace archipelago::host
