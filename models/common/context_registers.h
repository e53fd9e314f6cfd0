// SPDX-License-Identifier: Apache-2.0
// Registers that exist once for each render context. The family says which these are, and which
// register's write copies a set. "Radeon Southern Islands Acceleration" 1.2.1.6 and 2.4.4.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/common/memory_message.h"

namespace archipelago {

constexpr unsigned kContexts = 8;  // sets of context registers

// A write of the copying register copies the context registers of context SRC_STATE_ID (bits 2:0 of
// the value) to those of RegRequest::context. Sent by ME before the first write to a new context.
constexpr unsigned copy_source(const RegRequest& request) {
    return request.value % kContexts;
}

// A block's context registers in [start, end), bytes: kContexts sets, all 0 at first. `copy_state`:
// the copying register.
class ContextRegisters {
  public:
    ContextRegisters(uint32_t start, uint32_t end, uint32_t copy_state)
        : start_(start),
          copy_state_(copy_state),
          dwords_((end - start) / 4),
          values_(size_t{kContexts} * ((end - start) / 4), 0) {}

    bool has(uint32_t offset) const { return offset >= start_ && offset - start_ < 4 * dwords_; }
    uint32_t get(uint32_t offset, unsigned context) const {
        return values_[place(offset, context)];
    }
    // Those of one context lie one after another.
    uint32_t* from(uint32_t offset, unsigned context) { return &values_[place(offset, context)]; }
    void set(uint32_t offset, unsigned context, uint32_t value) {
        values_[place(offset, context)] = value;
    }
    template <class Archive>
    void archive(Archive& a) {
        a(values_);
    }
    void copy(unsigned from, unsigned to) {
        if (from != to)
            std::copy_n(values_.begin() + set_of(from), dwords_, values_.begin() + set_of(to));
    }
    // A write of one of the registers, or of the copying one; false: neither.
    bool write(const RegRequest& request) {
        if (request.offset == copy_state_) {
            copy(copy_source(request), request.context % kContexts);
            return true;
        }
        if (!has(request.offset))
            return false;
        set(request.offset, request.context, request.value);
        return true;
    }

  private:
    std::ptrdiff_t set_of(unsigned context) const {
        return static_cast<std::ptrdiff_t>(size_t{context} * dwords_);
    }
    size_t place(uint32_t offset, unsigned context) const {
        return size_t{context % kContexts} * dwords_ + (offset - start_) / 4;
    }
    uint32_t start_;
    uint32_t copy_state_;
    uint32_t dwords_;
    std::vector<uint32_t> values_;
};

}  // namespace archipelago
