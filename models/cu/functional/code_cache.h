// SPDX-License-Identifier: Apache-2.0
// Decoded programs for functional mode, by page of the program's address space.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>

#include "models/common/page.h"
#include "models/cu/functional/block.h"
#include "models/cu/pipeline/decoded.h"

namespace archipelago::cu {

using isa::HostWindow;

// Gives host access to the address spaces programs run in. DMI: what is written through the
// pointers is memory's contents at once; they are valid until the memory takes them back, which it
// may do while another is looked up.
class FunctionalMemory {
  public:
    virtual ~FunctionalMemory() = default;
    // Host address of the byte, valid to the end of its page; null when unmapped.
    virtual uint8_t* page(uint64_t address, uint8_t vmid) = 0;
    // Whole pages around the address: any number that lie in one host range.
    virtual HostWindow window(uint64_t address, uint8_t vmid) {
        const uint64_t first = address / kPageBytes * kPageBytes;
        uint8_t* host = page(first, vmid);
        return {first, host != nullptr ? kPageBytes : 0, host};
    }
};

// Like an instruction cache, it does not see stores to lines of a running program;
// new_generation() makes it compare them with memory again.
class CodeCache {
  public:
    static constexpr unsigned kPageDwords = kPageBytes / 4;
    // The unit of reads from memory and of later comparisons with it.
    static constexpr unsigned kLineDwords = 64;

    struct Page {
        uint64_t number = ~uint64_t{0};
        uint8_t vmid = 0;
        uint64_t generation = 0;
        const uint8_t* host = nullptr;  // null: not looked up yet
        uint32_t lines = 0;             // of words, that have been read
        std::array<uint32_t, kPageDwords> words{};
        // Instruction that starts at each dword; null when not decoded yet.
        std::array<const Decoded*, kPageDwords> code{};
        // Block that starts at each dword; null when not built yet.
        std::array<Block*, kPageDwords> blocks{};
        std::deque<Block> storage;
    };

    explicit CodeCache(FunctionalMemory& memory) : memory_(memory) {}

    // Null when the page is unmapped. Valid until the next call.
    Page* page(uint64_t address) {
        Page* found = pages_[address / kPageBytes % kWays].get();
        if (found != nullptr && found->number == address / kPageBytes && found->vmid == vmid_ &&
            found->generation == generation_)
            return found;
        return refresh(address);
    }
    // Fills code[index] of the page; null when the second dword of the instruction is unmapped.
    const Decoded* decode(Page& page, unsigned index);
    // Fills blocks[index] of the page. The block may be empty: its first instruction is one that
    // has to be executed by itself.
    Block* build(Page& page, unsigned index);
    void new_generation() { ++generation_; }
    // Programs of this VMID from here on.
    void use_space(uint8_t vmid) { vmid_ = vmid; }
    // Host pointers are valid no more; what has been read remains.
    void drop_host_pointers();

  private:
    static constexpr unsigned kWays = 64;
    Page* refresh(uint64_t address);
    // Reads the line of words[index]; false when it is unmapped.
    bool read_line(Page& page, unsigned index);

    FunctionalMemory& memory_;
    DecodeCache decode_;
    std::array<std::unique_ptr<Page>, kWays> pages_;
    uint64_t generation_ = 1;
    uint8_t vmid_ = 0;
};

}  // namespace archipelago::cu
