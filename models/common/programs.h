// SPDX-License-Identifier: Apache-2.0
// What a host knows of the programs that it has loaded, and their chip does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace archipelago {

struct SourceLine {
    std::string file;
    unsigned line = 0;  // the first is 1
};

class Programs {
  public:
    virtual ~Programs() = default;
    // Of the program whose first instruction is at the address `program`; empty: not known.
    virtual std::string name(uint64_t program) const = 0;
    // Of the instruction of it at the address `pc`; none: not known.
    virtual std::optional<SourceLine> source(uint64_t program, uint64_t pc) const = 0;
};

}  // namespace archipelago
