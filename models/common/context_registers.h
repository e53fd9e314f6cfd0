// SPDX-License-Identifier: Apache-2.0
// Registers that exist once for each render context. The family says which these are, and which
// register's write copies a set. "Radeon Southern Islands Acceleration" 1.2.1.6 and 2.4.4.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/common/memory_message.h"

namespace archipelago {

constexpr unsigned kContexts = 8;  // sets of context registers that a family may have

// Where a family has its context registers. Bytes, end exclusive.
struct ContextWindow {
    uint32_t start = 0, end = 0;
    std::vector<uint32_t> single;   // in the window, but one for all contexts
    unsigned contexts = kContexts;  // a power of two: 4 or 8

    bool of_context(uint32_t offset) const {
        return offset - start < end - start &&
               std::find(single.begin(), single.end(), offset) == single.end();
    }
};

// A write of the copying register copies the context registers of context SRC_STATE_ID (the low
// bits of the value) to those of RegRequest::context. Sent by ME before the first write to a new
// context.
constexpr unsigned copy_source(const RegRequest& request, unsigned contexts = kContexts) {
    return request.value & (contexts - 1);
}

// A block's context registers in [start, end), bytes: a set for each context, all 0 at first.
// `copy_state`: the copying register.
class ContextRegisters {
  public:
    ContextRegisters(uint32_t start, uint32_t end, uint32_t copy_state,
                     unsigned contexts = kContexts)
        : start_(start),
          copy_state_(copy_state),
          dwords_((end - start) / 4),
          contexts_(contexts),
          values_(size_t{contexts} * ((end - start) / 4), 0) {}
    ContextRegisters(const ContextWindow& window, uint32_t copy_state)
        : ContextRegisters(window.start, window.end, copy_state, window.contexts) {}

    bool has(uint32_t offset) const { return offset >= start_ && offset - start_ < 4 * dwords_; }
    // Of a register among those of one context.
    size_t index(uint32_t offset) const { return (offset - start_) / 4; }
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
            copy(copy_source(request, contexts_), request.context & (contexts_ - 1));
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
        return size_t{context & (contexts_ - 1)} * dwords_ + index(offset);
    }
    uint32_t start_;
    uint32_t copy_state_;
    uint32_t dwords_;
    unsigned contexts_;
    std::vector<uint32_t> values_;
};

}  // namespace archipelago
