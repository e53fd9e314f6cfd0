// SPDX-License-Identifier: Apache-2.0
// Source lines of a code object's instructions, by its DWARF line tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace archipelago::host {

struct SourceLine {
    std::string file;
    unsigned line = 0;
};

// Addresses count from the start of the image.
class LineTable {
  public:
    // Empty without debug information. `link_base`: linked address of image byte 0. Throws
    // CodeObjectError when libdw refuses what is there; `name` is how it calls the object.
    static LineTable read(const std::vector<uint8_t>& elf, uint64_t link_base,
                          const std::string& name);

    bool empty() const { return rows_.empty(); }
    // Of the instruction at this address; none where the table has no line.
    std::optional<SourceLine> find(uint64_t address) const;

  private:
    struct Row {
        uint64_t address = 0;
        uint32_t file = 0;  // in files_
        unsigned line = 0;  // 0: no line from here on
    };
    void add_unit(void* unit, uint64_t link_base, const std::string& name);

    std::vector<std::string> files_;
    std::vector<Row> rows_;  // by address; each reaches to the next
};

}  // namespace archipelago::host
