// SPDX-License-Identifier: Apache-2.0
#include "models/common/address_spaces.h"

#include <stdexcept>
#include <utility>

#include "models/common/page.h"
#include "models/common/text.h"

namespace archipelago {

const RangeMap::Space* RangeMap::space(uint8_t vmid) const {
    return vmid < kAddressSpaces && spaces_[vmid] ? &*spaces_[vmid] : nullptr;
}
RangeMap::Space* RangeMap::space(uint8_t vmid) {
    return const_cast<Space*>(std::as_const(*this).space(vmid));
}

void RangeMap::open(uint8_t vmid) {
    if (vmid >= kAddressSpaces)
        throw std::invalid_argument("there are VMIDs 0 to 15, not " + std::to_string(vmid));
    if (!spaces_[vmid])
        spaces_[vmid].emplace();
}

void RangeMap::close(uint8_t vmid) {
    if (vmid < kAddressSpaces)
        spaces_[vmid].reset();
}

void RangeMap::map(uint8_t vmid, const MappedRange& range) {
    const uint64_t bytes_after = range.last - range.first;
    if (range.first % kPageBytes != 0 || range.last % kPageBytes != kPageBytes - 1 ||
        range.memory % kPageBytes != 0)
        throw std::invalid_argument("a range of VMID " + std::to_string(vmid) + " at " +
                                    hex(range.first) + " is not made of whole pages");
    if (range.last < range.first || range.memory + bytes_after < range.memory)
        throw std::invalid_argument("a range of VMID " + std::to_string(vmid) + " at " +
                                    hex(range.first) + " runs over the end of an address space");
    open(vmid);
    if (const auto other = overlap(vmid, range.first, range.last))
        throw std::invalid_argument("a range of VMID " + std::to_string(vmid) + " at " +
                                    hex(range.first) + " overlaps the one at " + hex(other->first));
    spaces_[vmid]->emplace(range.first, range);
}

bool RangeMap::unmap(uint8_t vmid, uint64_t first) {
    Space* const s = space(vmid);
    return s != nullptr && s->erase(first) != 0;
}

std::optional<MappedRange> RangeMap::overlap(uint8_t vmid, uint64_t first, uint64_t last) const {
    const Space* const s = space(vmid);
    if (s == nullptr)
        return std::nullopt;
    auto it = s->upper_bound(first);
    if (it != s->begin() && std::prev(it)->second.last >= first)
        --it;
    return it != s->end() && it->first <= last ? std::optional<MappedRange>(it->second)
                                               : std::nullopt;
}

std::optional<MappedRange> RangeMap::find(uint8_t vmid, uint64_t address) const {
    return space(vmid) == nullptr ? kUntranslated : overlap(vmid, address, address);
}

bool RangeMap::translates(uint8_t vmid) const {
    return space(vmid) != nullptr;
}

std::string of_space(uint8_t vmid) {
    return vmid != 0 ? " of VMID " + std::to_string(vmid) : std::string();
}

std::string refused_address(MemStatus status, uint64_t address, uint8_t vmid) {
    return refused_address(status, address) + of_space(vmid);
}

}  // namespace archipelago
