// SPDX-License-Identifier: Apache-2.0
#include "models/asic/socket_memory.h"

#include <algorithm>
#include <cstring>

#include "models/common/error.h"
#include "models/common/page.h"
#include "tlm/transaction_text.h"

namespace archipelago::asic {

uint8_t* SocketMemory::page(uint64_t address) {
    if (uint8_t* host = in_range(address))
        return host;
    const uint64_t number = address / kPageBytes;
    if (const auto it = shadow_.find(number); it != shadow_.end())
        return it->second.bytes.data() + address % kPageBytes;
    tlm::tlm_generic_payload gp;
    tlm::tlm_dmi dmi;
    gp.set_command(tlm::TLM_READ_COMMAND);
    gp.set_address(address);
    if (socket_->get_direct_mem_ptr(gp, dmi) && dmi.is_read_write_allowed() &&
        dmi.get_dmi_ptr() != nullptr) {
        const Range range{dmi.get_start_address(), dmi.get_end_address(), dmi.get_dmi_ptr()};
        if (range.covers(address)) {
            add(range);
            return in_range(address);
        }
    }
    std::vector<uint8_t> bytes(kPageBytes);
    if (!transfer(tlm::TLM_READ_COMMAND, number, bytes.data()))
        return nullptr;
    Shadow& shadow = shadow_[number];
    shadow.before = bytes;
    shadow.bytes = std::move(bytes);
    return shadow.bytes.data() + address % kPageBytes;
}

cu::HostWindow SocketMemory::window(uint64_t address) {
    const uint64_t start = address / kPageBytes * kPageBytes;
    uint8_t* host = page(start);
    if (host == nullptr)
        return {};
    if (in_range(start) == nullptr)
        return {start, kPageBytes, host};
    // Whole pages of what was granted; one where all 2^64 bytes were, a size without a number.
    const Range& range = ranges_[last_];
    const uint64_t first = (range.first + kPageBytes - 1) / kPageBytes * kPageBytes;
    const uint64_t bytes = (range.last - first + 1) / kPageBytes * kPageBytes;
    if (bytes == 0)
        return {start, kPageBytes, host};
    return {first, bytes, range.host + (first - range.first)};
}

uint8_t* SocketMemory::page(uint64_t address, uint8_t vmid) {
    if (spaces_ == nullptr)
        return page(address);
    const std::optional<uint64_t> in_memory = spaces_->translate(vmid, address);
    return in_memory ? page(*in_memory) : nullptr;
}

// What one host range has of the range that the VMID maps.
cu::HostWindow SocketMemory::window(uint64_t address, uint8_t vmid) {
    if (spaces_ == nullptr)
        return window(address);
    const std::optional<MappedRange> range = spaces_->find(vmid, address);
    if (!range)
        return {};
    const cu::HostWindow there = window(range->in_memory(address));
    if (there.bytes == 0)
        return {};
    const uint64_t first = std::max(there.first, range->memory);
    const uint64_t last = std::min(there.first + (there.bytes - 1), range->in_memory(range->last));
    return {range->first + (first - range->memory), last - first + 1,
            there.host + (first - there.first)};
}

uint8_t* SocketMemory::in_range(uint64_t address) {
    if (last_ < ranges_.size() && ranges_[last_].covers(address))
        return ranges_[last_].host + (address - ranges_[last_].first);
    const auto after =
        std::upper_bound(ranges_.begin(), ranges_.end(), address,
                         [](uint64_t value, const Range& r) { return value < r.first; });
    if (after == ranges_.begin() || !(after - 1)->covers(address))
        return nullptr;
    last_ = static_cast<size_t>(after - 1 - ranges_.begin());
    return ranges_[last_].host + (address - ranges_[last_].first);
}

// A memory may say otherwise than before: the newest word replaces what it overlaps.
void SocketMemory::add(const Range& range) {
    ranges_.erase(std::remove_if(ranges_.begin(), ranges_.end(),
                                 [&](const Range& r) {
                                     return r.first <= range.last && range.first <= r.last;
                                 }),
                  ranges_.end());
    ranges_.insert(
        std::upper_bound(ranges_.begin(), ranges_.end(), range,
                         [](const Range& a, const Range& b) { return a.first < b.first; }),
        range);
}

// A page, through debug accesses; through blocking ones when the memory has none.
bool SocketMemory::transfer(tlm::tlm_command command, uint64_t page, uint8_t* bytes) {
    tlm::tlm_generic_payload gp;
    gp.set_command(command);
    gp.set_address(page * kPageBytes);
    gp.set_data_ptr(bytes);
    gp.set_data_length(kPageBytes);
    gp.set_streaming_width(kPageBytes);
    if (socket_->transport_dbg(gp) == kPageBytes)
        return true;
    if (gp.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        socket_->b_transport(gp, delay);
        if (gp.is_response_ok())
            return true;
    }
    if (gp.is_write())
        refusal_ = tlm_shell::answer_in_words(gp);
    return false;
}

bool SocketMemory::read(uint64_t address, void* to, size_t bytes, uint8_t vmid) {
    auto* out = static_cast<uint8_t*>(to);
    while (bytes != 0) {
        const size_t n = std::min<size_t>(bytes, kPageBytes - address % kPageBytes);
        const uint8_t* from = page(address, vmid);
        if (from == nullptr)
            return false;
        std::memcpy(out, from, n);
        out += n;
        address += n;
        bytes -= n;
    }
    return true;
}

const uint8_t* SocketMemory::view(uint64_t address, size_t& bytes) {
    if (last_ < ranges_.size()) {
        const Range& range = ranges_[last_];
        if (range.covers(address)) {
            // Whole pages only: the rest of one that was granted in part is in shadow_.
            bytes = std::min<uint64_t>(bytes, (range.last + 1) / kPageBytes * kPageBytes - address);
            return range.host + (address - range.first);
        }
    }
    bytes = std::min<size_t>(bytes, kPageBytes - address % kPageBytes);
    return page(address);
}

const uint8_t* SocketMemory::view(uint64_t address, size_t& bytes, uint8_t vmid) {
    if (spaces_ == nullptr)
        return view(address, bytes);
    const std::optional<MappedRange> range = spaces_->find(vmid, address);
    if (!range)
        return nullptr;
    if (range->last - address < bytes)
        bytes = range->last - address + 1;
    return view(range->in_memory(address), bytes);
}

bool SocketMemory::write(uint64_t address, const void* from, size_t bytes, uint8_t vmid) {
    const auto* in = static_cast<const uint8_t*>(from);
    while (bytes != 0) {
        const size_t n = std::min<size_t>(bytes, kPageBytes - address % kPageBytes);
        uint8_t* to = page(address, vmid);
        if (to == nullptr)
            return false;
        std::memcpy(to, in, n);
        in += n;
        address += n;
        bytes -= n;
    }
    return true;
}

void SocketMemory::flush() {
    std::map<uint64_t, Shadow> pages;
    pages.swap(shadow_);
    for (auto& [number, page] : pages)
        if (page.bytes != page.before &&
            !transfer(tlm::TLM_WRITE_COMMAND, number, page.bytes.data()))
            throw MachineStop(StopKind::Fault, "memory", "refuses to be written: " + refusal_);
}

void SocketMemory::forget(uint64_t first, uint64_t last) {
    ranges_.erase(
        std::remove_if(ranges_.begin(), ranges_.end(),
                       [&](const Range& r) { return r.first <= last && first <= r.last; }),
        ranges_.end());
}

}  // namespace archipelago::asic
