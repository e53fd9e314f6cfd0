// SPDX-License-Identifier: Apache-2.0
// Registers that exist once for each render context. "Radeon Southern Islands Acceleration" 1.2.1.6
// and 2.4.4; the copying register is GFX_COPY_STATE of the public register headers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "models/common/draw_message.h"
#include "models/common/memory_message.h"

namespace archipelago {

constexpr uint32_t kContextRegistersStart = 0x28000;  // bytes
constexpr uint32_t kContextRegistersEnd = 0x30000;    // exclusive

// A write to it copies the context registers of context SRC_STATE_ID (bits 2:0 of the value) to
// those of RegRequest::context. Sent by ME before the first write to a new context.
constexpr uint32_t kGfxCopyState = 0x287D0;
constexpr unsigned copy_source(const RegRequest& request) {
    return request.value % kContexts;
}

// Registers among the context registers' addresses that start or describe one draw or event, or
// copy contexts: there is one of each, and writing it does not change a context.
constexpr bool is_context_register(uint32_t offset) {
    if (offset < kContextRegistersStart || offset >= kContextRegistersEnd)
        return false;
    switch (offset) {
        case 0x287CC:        // CS_COPY_STATE
        case kGfxCopyState:  //
        case 0x287E4:        // VGT_DMA_BASE_HI
        case 0x287E8:        // VGT_DMA_BASE
        case 0x287F0:        // VGT_DRAW_INITIATOR
        case 0x287F4:        // VGT_IMMED_DATA
        case 0x287F8:        // VGT_EVENT_ADDRESS_REG
        case 0x28A74:        // VGT_DMA_SIZE
        case 0x28A78:        // VGT_DMA_MAX_SIZE
        case 0x28A7C:        // VGT_DMA_INDEX_TYPE
        case 0x28A88:        // VGT_DMA_NUM_INSTANCES
        case 0x28A90:        // VGT_EVENT_INITIATOR
            return false;
        default:
            return true;
    }
}

// A block's context registers in [start, end), bytes: kContexts sets, all 0 at first.
class ContextRegisters {
  public:
    ContextRegisters(uint32_t start, uint32_t end)
        : start_(start),
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
    void copy(unsigned from, unsigned to) {
        if (from != to)
            std::copy_n(values_.begin() + set_of(from), dwords_, values_.begin() + set_of(to));
    }
    // A write of one of the registers, or of GFX_COPY_STATE; false: neither.
    bool write(const RegRequest& request) {
        if (request.offset == kGfxCopyState) {
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
    uint32_t dwords_;
    std::vector<uint32_t> values_;
};

}  // namespace archipelago
