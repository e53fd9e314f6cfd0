// SPDX-License-Identifier: Apache-2.0
// The address spaces of a GPU's clients, by VMID: between a client and memory, in both modes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "models/common/memory_message.h"

namespace archipelago {

constexpr unsigned kAddressSpaces = 16;  // VMIDs 0 to 15

// Addresses of a VMID whose bytes lie one after the other in memory, too. Whole pages.
struct MappedRange {
    uint64_t first = 0;
    uint64_t last = 0;    // inclusive
    uint64_t memory = 0;  // where `first` lies

    bool covers(uint64_t address) const { return address >= first && address <= last; }
    uint64_t in_memory(uint64_t address) const { return memory + (address - first); }
    bool operator==(const MappedRange& o) const {
        return first == o.first && last == o.last && memory == o.memory;
    }
};
// Of a VMID without a space of its own: addresses are those of memory.
constexpr MappedRange kUntranslated{0, ~uint64_t{0}, 0};

// A chip that is given none does not ask: its clients' addresses are those of memory. Caches and
// host pointers keep what an earlier translation led to, as a GPU's caches do.
class AddressSpaces {
  public:
    virtual ~AddressSpaces() = default;
    // The range that `address` of `vmid` lies in; nothing: it is not mapped.
    virtual std::optional<MappedRange> find(uint8_t vmid, uint64_t address) const = 0;
    // Whether the VMID has a space of its own.
    virtual bool translates(uint8_t vmid) const = 0;
    // The address in memory; nothing: not mapped.
    std::optional<uint64_t> translate(uint8_t vmid, uint64_t address) const {
        const std::optional<MappedRange> range = find(vmid, address);
        return range ? std::optional<uint64_t>(range->in_memory(address)) : std::nullopt;
    }
};

// Spaces as lists of ranges. A VMID that open() has not named is not translated.
class RangeMap final : public AddressSpaces {
  public:
    // Gives the VMID a space of its own, in which nothing is mapped yet; one that it has, it keeps.
    void open(uint8_t vmid);
    // Opens the space, too. Throws std::invalid_argument when the range is not made of whole pages,
    // runs over the end of an address space, or overlaps another of this VMID.
    void map(uint8_t vmid, const MappedRange& range);
    // The range of the VMID that has any of these addresses, the lowest of them.
    std::optional<MappedRange> overlap(uint8_t vmid, uint64_t first, uint64_t last) const;
    // Whole ranges that were mapped, by their first address. False: there is none.
    bool unmap(uint8_t vmid, uint64_t first);
    // The VMID is not translated any more.
    void close(uint8_t vmid);

    // Calls fn(VMID, range) for each range, by VMID and address.
    template <class Fn>
    void for_each(const Fn& fn) const {
        for (uint8_t vmid = 0; vmid < kAddressSpaces; ++vmid)
            if (spaces_[vmid])
                for (const auto& [first, range] : *spaces_[vmid])
                    fn(vmid, range);
    }

    std::optional<MappedRange> find(uint8_t vmid, uint64_t address) const override;
    bool translates(uint8_t vmid) const override;

  private:
    using Space = std::map<uint64_t, MappedRange>;  // by first address
    const Space* space(uint8_t vmid) const;
    Space* space(uint8_t vmid);
    std::array<std::optional<Space>, kAddressSpaces> spaces_;
};

// " of VMID 3", after an address that has not been found; empty for VMID 0.
std::string of_space(uint8_t vmid);
// "unmapped address 0x40 of VMID 3": why memory refused an access.
std::string refused_address(MemStatus status, uint64_t address, uint8_t vmid);

}  // namespace archipelago
