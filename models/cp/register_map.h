// SPDX-License-Identifier: Apache-2.0
// The registers with which CP does more than to write and read them: facts of a family, in
// cp/registers/<family>. Offsets in bytes. "Radeon Southern Islands Acceleration" 1.2.1.6, 2.4.2,
// 2.4.4, 2.8.10.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/context_registers.h"
#include "models/cp/pm4/parse_fault.h"

namespace archipelago::cp {

struct Spec;
class RegisterFile;

// Units of CP that have a busy bit in its status registers.
enum class StatusUnit : uint8_t {
    RingFetch,
    Pfp,
    Me,
    Ce,
    CeFetch,
    EndOfPipe,
    Dma,
    Coherency,
    kCount
};

// Values of the event initiator.
struct PipeEvents {
    uint8_t context_done = 0;
    uint8_t zpass_done = 0, sample_pipelinestat = 0;
    uint8_t streamout_flush = 0;
    uint8_t (*type_of)(uint32_t value) = nullptr;  // that a write of the initiator posts
    std::string (*name)(uint8_t type) = nullptr;
    bool (*counts)(uint8_t type) = nullptr;   // starts, stops or samples performance counters
    bool (*samples)(uint8_t type) = nullptr;  // comes with a place in memory for counters
};

// What a family states.
struct RegisterFacts {
    // A base address of a surface that contexts draw to, in units of 256 bytes, and its enable bit
    // in the control word of SURFACE_SYNC.
    struct Destination {
        uint32_t offset;
        uint8_t enable;
    };
    unsigned contexts = kContexts;                // render contexts: 4 or 8
    uint32_t context_start = 0, context_end = 0;  // of each render context; end exclusive
    std::vector<uint32_t> single;                 // among them: there once
    uint32_t copy_state = 0;          // copies the registers of context `value` to those of another
    uint32_t compute_copy_state = 0;  // the same for compute
    uint32_t draw_initiator = 0, dispatch_initiator = 0;
    uint32_t event_initiator = 0;
    std::vector<std::vector<uint32_t>> ring_set_up;  // by ring: where and how it is read
    PipeEvents events;
    std::vector<Destination> destinations;  // at most kMaxDestinations, all of contexts

    // Bits of the interrupt status register of a ring of the fault; 0: none.
    uint32_t (*error_status)(ParseFault) = nullptr;
    std::unique_ptr<RegisterFile> (*make_register_file)(const Spec&) = nullptr;
};

class RegisterMap : public RegisterFacts {
  public:
    static constexpr unsigned kMaxDestinations = 16;

    explicit RegisterMap(const RegisterFacts& facts);

    bool in_context_window(uint32_t offset) const {
        return offset - context_start < context_end - context_start;
    }
    // There is one for each render context.
    bool of_context(uint32_t offset) const { return at(offset).of_context; }
    // Starts or copies something, or sets up a ring: packets do not write it like others.
    bool acts(uint32_t offset) const {
        return at(offset).acts || offset - ring_first_ <= ring_span_;
    }
    bool sets_up_ring(uint32_t offset, unsigned ring) const;
    // A write of it begins a draw or a dispatch.
    bool begins_work(uint32_t offset) const {
        return offset == draw_initiator || offset == dispatch_initiator;
    }
    // Place in `destinations`; -1: none.
    int destination(uint32_t offset) const { return at(offset).destination; }
    // From `offset` on: how many registers, at most 255, neither act nor are destinations.
    unsigned plain_run(uint32_t offset) const { return at(offset).plain_run; }

  private:
    struct Entry {
        bool of_context = false;
        bool acts = false;
        int8_t destination = -1;
        uint8_t plain_run = 0;
    };
    size_t index(uint32_t offset) const { return (offset - context_start) / 4; }
    const Entry& at(uint32_t offset) const {
        static constexpr Entry kElsewhere;
        return in_context_window(offset) ? entries_[index(offset)] : kElsewhere;
    }
    std::vector<Entry> entries_;               // of the window of the context registers
    uint32_t ring_first_ = 0, ring_span_ = 0;  // all of ring_set_up lies between them
};

}  // namespace archipelago::cp
