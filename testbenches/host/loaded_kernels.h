// SPDX-License-Identifier: Apache-2.0
// The kernels that the host has loaded, as statistics name them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "models/common/programs.h"
#include "testbenches/host/code_object/line_table.h"

namespace archipelago::host {

struct LoadedKernel {
    std::string name;
    uint64_t base = 0;  // where the image lies
    LineTable lines;
};

class LoadedKernels : public Programs {
  public:
    // `program`: address of its first instruction.
    void add(uint64_t program, LoadedKernel kernel) { kernels_[program] = std::move(kernel); }
    void add(const LoadedKernels& others) {
        kernels_.insert(others.kernels_.begin(), others.kernels_.end());
    }
    std::string name(uint64_t program) const override {
        const auto found = kernels_.find(program);
        return found != kernels_.end() ? found->second.name : std::string();
    }
    std::optional<archipelago::SourceLine> source(uint64_t program, uint64_t pc) const override {
        const auto found = kernels_.find(program);
        if (found == kernels_.end())
            return {};
        const auto line = found->second.lines.find(pc - found->second.base);
        return line ? std::optional(archipelago::SourceLine{line->file, line->line}) : std::nullopt;
    }

  private:
    std::map<uint64_t, LoadedKernel> kernels_;
};

}  // namespace archipelago::host
