// SPDX-License-Identifier: Apache-2.0
// All that changes in the CTM memory controller but its address units.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/stall_cycles.h"
#include "models/ctm/mc/cache_unit.h"
#include "models/ctm/mc/located.h"
#include "models/ctm/mc/mc_spec.h"

namespace archipelago::ctm {

// A quad's request from the address units to its answer.
struct ElementSlot {
    ElementRequest request;  // of a read without values
    LocatedQuad quad;
    ElementResponse answer;
    uint16_t found = 0;     // pieces that have addresses
    unsigned count = 0;     // of them
    uint8_t asked = 0;      // units, of the lanes
    uint16_t awaiting = 0;  // lines, acknowledgements
    Cycle ready = 0;        // once nothing is awaited

    Pieces& pieces() { return quad.pieces; }
    bool write() const { return request.write; }
    Origin origin(unsigned piece) const { return {request.client, request.index[piece / 4]}; }
    uint64_t bytes_of(unsigned these) const { return quad.bytes_of_all(these); }
    void take(unsigned these, const Line& line) { quad.take(these, line, answer); }
    unsigned answer_bytes() const {
        if (request.write)
            return 0;
        return count << quad.log2_bytes;
    }
};

// An instruction's or a constant's.
struct WordsSlot {
    WordsRequest request;
    LocatedWords words;
    WordsResponse answer;
    uint16_t found = 0;
    unsigned count = 0;
    uint8_t asked = 0;
    uint16_t awaiting = 0;
    Cycle ready = 0;

    Pieces& pieces() { return words.pieces; }
    bool write() const { return false; }
    Origin origin(unsigned) const { return {request.client, {request.index, 0}}; }
    uint64_t bytes_of(unsigned these) const { return words.bytes_of_all(these); }
    void take(unsigned these, const Line& line) { words.take(these, line, answer); }
    unsigned answer_bytes() const { return 0; }
};

// Requests of a port in the order they came, each in one of three stages: waiting for addresses,
// being looked up, waiting for its answer to leave. Entries keep their places.
template <class Slot>
class PortQueue {
  public:
    explicit PortQueue(unsigned capacity) : capacity_(capacity) {
        unsigned places = 1;
        while (places < capacity)
            places *= 2;
        slots_.resize(places);
        mask_ = places - 1;
    }
    bool full() const { return tail_ - answer_ >= capacity_; }
    bool empty() const { return tail_ == answer_; }
    // The newest; its place may hold an old one.
    Slot& add() { return slots_[tail_++ & mask_]; }

    bool any_to_locate() const { return locate_ != tail_; }
    Slot& to_locate() { return slots_[locate_ & mask_]; }
    void located() { ++locate_; }
    // The oldest one needs no address.
    bool locates_without_units() const {
        return locate_ != tail_ && slots_[locate_ & mask_].asked == 0;
    }
    bool any_to_look_up() const { return look_up_ != locate_; }
    Slot& to_look_up() { return slots_[look_up_ & mask_]; }
    unsigned place_to_look_up() const { return look_up_ & mask_; }
    void looked_up() { ++look_up_; }
    bool any_to_answer() const { return answer_ != look_up_; }
    Slot& to_answer() { return slots_[answer_ & mask_]; }
    void answered() { ++answer_; }

    Slot& at(unsigned place) { return slots_[place]; }
    unsigned size() const { return tail_ - answer_; }
    void clear() { answer_ = look_up_ = locate_ = tail_ = 0; }
    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(empty(), "requests are inside");
        a(answer_);
        look_up_ = locate_ = tail_ = answer_;
    }

  private:
    uint32_t answer_ = 0, look_up_ = 0, locate_ = 0, tail_ = 0;
    uint32_t mask_ = 0;
    uint32_t capacity_;
    HostLineVector<Slot> slots_;
};

template <class Slot>
struct Port {
    explicit Port(unsigned capacity) : queue(capacity) {}
    PortQueue<Slot> queue;
    Cycle free_from = 0;  // of the way back: cycles in which an answer may leave
    StallCycles<PortStall> stall;
    uint64_t requests = 0;
    uint64_t pieces = 0;  // elements, or parts of words in one line
    uint64_t lines = 0;   // looked up
    uint64_t answer_cycles = 0;
    static constexpr size_t kFields = 7;
};

struct McState {
    // The command that is being executed.
    struct InHand {
        bool active = false;
        bool walking = false;   // its cache is not looked up
        bool dropping = false;  // an invalidation's cycles have begun
        uint8_t opcode = 0;
        CacheEffect effect;
        uint32_t entry = 0;  // of a flush: those before are clean
        Cycle finish = 0;    // not before
    };
    struct Traffic {
        uint64_t reads = 0, writes = 0;  // requests
        uint64_t bytes_read = 0, bytes_written = 0;
    };
    McRegisters registers;
    std::vector<Port<ElementSlot>> elements;  // inputs, outputs, then the conditional output
    std::vector<Port<WordsSlot>> words;
    std::vector<CacheUnit> caches;
    uint64_t busy = 0;                          // a bit per port with requests inside
    std::array<unsigned, kCaches> next_port{};  // whose turn it is at a cache
    Cycle setting_until = 0;                    // address units have commands
    InHand command;
    std::vector<RoundRobin> turns;       // by way to memory
    Cycle system_free = 0;               // the link to the host's memory
    uint64_t pe_waits = 0;               // a bit per number of a request of the PE, not answered
    std::array<uint32_t, 64> pe_tags{};  // its own, by number
    // counters
    uint64_t commands = 0;
    uint64_t flush_cycles = 0;
    uint64_t invalidations = 0;
    Cycle began = 0;  // the command in hand
    Traffic local, system;
    uint64_t system_wait_cycles = 0;
    Cycle system_waits_since = kNever;
};

}  // namespace archipelago::ctm
