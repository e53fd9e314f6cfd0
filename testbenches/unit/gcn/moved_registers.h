// SPDX-License-Identifier: Apache-2.0
// A family made for tests: Southern Islands' registers, all of them at other offsets, and some with
// their fields at other bits.
#pragma once

#include <deque>
#include <set>
#include <string_view>
#include <vector>

#include "models/common/register_info.h"

namespace archipelago::gcn {

class MovedRegisters {
  public:
    static constexpr uint32_t kDistance = 0x40000;  // bytes

    // Registers named in `rearranged` have their fields at the upper end of the word.
    MovedRegisters(const regs::RegisterDatabase& from, const std::set<std::string_view>& rearranged)
        : from_(from), database_(from), registers_(from.registers.begin(), from.registers.end()) {
        for (regs::RegisterInfo& r : registers_) {
            r.offset += kDistance;
            if (rearranged.count(r.name) == 0)
                continue;
            fields_.emplace_back(r.fields.begin(), r.fields.end());
            const auto distance = static_cast<uint8_t>(31 - fields_.back().back().msb);
            for (regs::FieldInfo& field : fields_.back()) {
                field.lsb = static_cast<uint8_t>(field.lsb + distance);
                field.msb = static_cast<uint8_t>(field.msb + distance);
            }
            r.fields = {fields_.back().data(), fields_.back().size()};
        }
        database_.registers = {registers_.data(), registers_.size()};
    }
    MovedRegisters(const MovedRegisters&) = delete;
    MovedRegisters& operator=(const MovedRegisters&) = delete;

    const regs::RegisterDatabase& database() const { return database_; }
    // What has to be written in this family for `value` of a register of the other.
    uint32_t value(uint32_t offset, uint32_t value) const {
        const regs::RegisterInfo* there = from_.find(offset);
        const regs::RegisterInfo* here = database_.find(offset + kDistance);
        if (there == nullptr || here == nullptr || there->fields.empty() ||
            there->fields[0].lsb == here->fields[0].lsb)
            return value;
        uint32_t word = 0;
        for (size_t i = 0; i < there->fields.size(); ++i)
            word = here->fields[i].set(word, there->fields[i].get(value));
        return word;
    }

  private:
    const regs::RegisterDatabase& from_;
    regs::RegisterDatabase database_;
    std::vector<regs::RegisterInfo> registers_;
    std::deque<std::vector<regs::FieldInfo>> fields_;
};

}  // namespace archipelago::gcn
