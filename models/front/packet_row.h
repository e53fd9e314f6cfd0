// SPDX-License-Identifier: Apache-2.0
// A row of a packet: shape, dwords its program starts with, and the program. A family's row derives
// from ProgramRow and adds what only its packets have; its builder derives from RowBuilder, so that
// rows read packet("FENCE", ...).fields(kFields).runs(run), and a row of another generation is
// PacketRow(kFence) with what differs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "models/front/packet_field.h"

namespace archipelago::front {

// Row: the family's. Program, Op: what its programs work on, and the operations they emit.
template <class Row, class Program, class Op>
struct ProgramRow : PacketShape {
    using Run = bool (*)(Program& p, Op& op);
    using Wait = std::string (*)(const Row& row, const uint32_t* dwords, uint32_t last_read);

    // Dwords that must be there before the packet starts; the rest streams through.
    uint8_t fixed = 0;
    // The next operation of the packet, or false when it is done. Throws MachineStop. Null: nothing
    // to do.
    Run run = nullptr;
    // The condition an unfinished packet waits for, after its name; `last_read` did not meet it.
    Wait describe_wait = nullptr;

    // "WAIT_REG_MEM memory 0x1000 >= 0x1 (last 0x0)", for hang reports.
    std::string wait_text(const uint32_t* dwords, uint32_t last_read) const {
        std::string text = name;
        if (describe_wait != nullptr)
            text += describe_wait(static_cast<const Row&>(*this), dwords, last_read);
        return text;
    }
};

template <class Builder, class Row>
class RowBuilder {
  protected:
    // Before its users: they are constant expressions.
    template <class Change>
    constexpr Builder with(const Change& change) const {
        Row row = row_;
        change(row);
        return Builder(row);
    }

  public:
    constexpr explicit RowBuilder(const Row& row) : row_(row) {}
    constexpr operator Row() const { return row_; }  // NOLINT(google-explicit-constructor)

    template <class List>
    constexpr Builder fields(const List& list) const {
        return with([&](Row& row) { row.fields = field_list(list); });
    }
    template <class List>
    constexpr Builder fields(const List& list, size_t shown) const {
        return with([&](Row& row) { row.fields = field_list(list, shown); });
    }
    constexpr Builder sizes(uint32_t min, uint32_t max) const {
        return with([&](Row& row) { row.min_dwords = min, row.max_dwords = max; });
    }
    template <class Run>
    constexpr Builder runs(Run run) const {
        return with([&](Row& row) { row.run = run; });
    }
    template <class Wait>
    constexpr Builder waits(Wait describe) const {
        return with([&](Row& row) { row.describe_wait = describe; });
    }

  private:
    Row row_;
};

}  // namespace archipelago::front
