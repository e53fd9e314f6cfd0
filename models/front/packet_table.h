// SPDX-License-Identifier: Apache-2.0
// The packets of a generation: its rows, by name. A family's table derives from it and finds them
// by header.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/common/invariant.h"

namespace archipelago::front {

template <class Row>
class PacketTable {
  public:
    PacketTable(const char* generation, std::vector<Row> rows)
        : generation_(generation), rows_(std::move(rows)) {}

    const char* generation() const { return generation_; }
    const Row* find_by_name(const std::string& name) const {
        return find_if([&](const Row& row) { return name == row.name; });
    }
    const Row* begin() const { return rows_.data(); }
    const Row* end() const { return rows_.data() + rows_.size(); }
    size_t size() const { return rows_.size(); }

  protected:
    // Two rows that one header fits, by `shares(row, other)`, break an invariant.
    template <class Shares>
    void check_headers(const Shares& shares) const {
        for (const Row* row = begin(); row != end(); ++row)
            for (const Row* other = row + 1; other != end(); ++other)
                if (shares(*row, *other))
                    invariant(false, std::string(row->name) + " and " + other->name,
                              "no header fits two packets");
    }
    // The first row of which this holds, or null.
    template <class Holds>
    const Row* find_if(const Holds& holds) const {
        const Row* const found = std::find_if(begin(), end(), holds);
        return found != end() ? found : nullptr;
    }

  private:
    const char* generation_;
    std::vector<Row> rows_;
};

}  // namespace archipelago::front
