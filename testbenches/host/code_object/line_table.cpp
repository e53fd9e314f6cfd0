// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/line_table.h"

#include <elfutils/libdw.h>

#include <algorithm>
#include <memory>

#include "testbenches/host/code_object/refuse.h"

namespace archipelago::host {
namespace {

struct CloseElf {
    void operator()(Elf* elf) const { elf_end(elf); }
};
struct CloseDwarf {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

// The number of a file in the list; compilers name few, one after the other.
uint32_t number_of(std::vector<std::string>& files, const char* file) {
    const auto known = std::find(files.rbegin(), files.rend(), file);
    if (known != files.rend())
        return static_cast<uint32_t>(files.rend() - known - 1);
    files.emplace_back(file);
    return static_cast<uint32_t>(files.size() - 1);
}

}  // namespace

LineTable LineTable::read(const std::vector<uint8_t>& elf, uint64_t link_base,
                          const std::string& name) {
    LineTable table;
    elf_version(EV_CURRENT);
    std::vector<char> bytes(elf.begin(), elf.end());
    const std::unique_ptr<Elf, CloseElf> file(elf_memory(bytes.data(), bytes.size()));
    const std::unique_ptr<Dwarf, CloseDwarf> dwarf(
        file ? dwarf_begin_elf(file.get(), DWARF_C_READ, nullptr) : nullptr);
    if (!dwarf)
        return table;
    Dwarf_Off offset = 0, next = 0;
    size_t header = 0;
    while (dwarf_nextcu(dwarf.get(), offset, &next, &header, nullptr, nullptr, nullptr) == 0) {
        Dwarf_Die unit;
        if (dwarf_offdie(dwarf.get(), offset + header, &unit) == nullptr)
            refuse(name, "debug information: {}", dwarf_errmsg(-1));
        table.add_unit(&unit, link_base, name);
        offset = next;
    }
    std::stable_sort(table.rows_.begin(), table.rows_.end(),
                     [](const Row& a, const Row& b) { return a.address < b.address; });
    return table;
}

void LineTable::add_unit(void* unit, uint64_t link_base, const std::string& name) {
    Dwarf_Lines* lines = nullptr;
    size_t count = 0;
    if (dwarf_getsrclines(static_cast<Dwarf_Die*>(unit), &lines, &count) != 0)
        refuse(name, "line table: {}", dwarf_errmsg(-1));
    for (size_t i = 0; i < count; ++i) {
        Dwarf_Line* const line = dwarf_onesrcline(lines, i);
        Dwarf_Addr address = 0;
        int number = 0;
        bool ends = false;
        const char* const file = dwarf_linesrc(line, nullptr, nullptr);
        if (file == nullptr || dwarf_lineaddr(line, &address) != 0 ||
            dwarf_lineno(line, &number) != 0 || dwarf_lineendsequence(line, &ends) != 0)
            refuse(name, "line table: {}", dwarf_errmsg(-1));
        rows_.push_back({address - link_base, number_of(files_, file),
                         ends ? 0u : static_cast<unsigned>(number)});
    }
}

std::optional<SourceLine> LineTable::find(uint64_t address) const {
    const auto after = std::upper_bound(rows_.begin(), rows_.end(), address,
                                        [](uint64_t a, const Row& row) { return a < row.address; });
    if (after == rows_.begin())
        return {};
    const Row& row = *(after - 1);
    if (row.line == 0)
        return {};
    return SourceLine{files_[row.file], row.line};
}

}  // namespace archipelago::host
