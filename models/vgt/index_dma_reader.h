// SPDX-License-Identifier: Apache-2.0
// The index DMA unit in functional mode: the same groups, zeros and stops.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "models/common/memory_message.h"
#include "models/vgt/index_dma_decode.h"
#include "models/vgt/index_dma_message.h"

namespace archipelago::vgt {

// Reads the bytes of `byte_mask` of the line at byte address `line`.
using ReadLine = std::function<MemStatus(uint64_t line, uint64_t byte_mask, uint8_t vmid, Line&)>;

class IndexReader {
  public:
    // Groups of `most` indices at most, 1 to 8. Throws MachineStop BadInput as the unit does;
    // `where()` is the place it names.
    IndexReader(
        const IndexCommand& command, unsigned most, ReadLine read,
        std::function<std::string()> where = [] { return "vgt.index_dma"; });
    // False after the last group. Throws MachineStop Fault.
    bool next(IndexGroup& group);

  private:
    IndexWalk walk_;
    unsigned most_;
    uint8_t vmid_;
    ReadLine read_;
    std::function<std::string()> where_;
    LineWords line_{};
    bool have_line_ = false;
    bool done_ = false;
};

}  // namespace archipelago::vgt
