// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/workload_spaces.h"

#include <fmt/format.h>

#include "models/common/page.h"
#include "testbenches/host/workload_forms.h"

namespace archipelago::host {
namespace {

using config::range;
using config::Reader;

constexpr const char* kKey = "address_spaces";

// `size` bytes from the value of `key` on are whole pages of one space.
void check_pages(Reader& r, const char* key, uint64_t address, uint64_t size) {
    r.check(address % kPageBytes == 0, key,
            fmt::format("{:#x}, expected a multiple of 4 KiB, a page", address));
    r.check(
        size - 1 <= ~uint64_t{0} - address, key,
        fmt::format("{} bytes from {:#x} run over the end of the address space", size, address));
}

void read_range(Reader r, RangeMap& spaces) {
    // VMID 0 is the kernel's: rings, fences and kernels of the host are in it.
    const auto vmid =
        static_cast<uint8_t>(r.required<uint32_t>("vmid", range(1, kAddressSpaces - 1)));
    const auto first = r.required<uint64_t>("address");
    const uint64_t size = required_bytes(r, "size", range(1, ~uint64_t{0}));
    const auto memory = r.required<uint64_t>("memory");
    r.finish();
    if (!r.ok())
        return;
    r.check(size % kPageBytes == 0, "size",
            fmt::format("{} bytes, expected a multiple of 4 KiB, a page", size));
    check_pages(r, "address", first, size);
    check_pages(r, "memory", memory, size);
    if (!r.ok())
        return;
    const MappedRange mapped{first, first + (size - 1), memory};
    const auto other = spaces.overlap(vmid, mapped.first, mapped.last);
    if (r.check(!other, "address",
                fmt::format("{:#x} to {:#x} overlap {:#x} to {:#x}, which VMID {} has mapped",
                            mapped.first, mapped.last, other ? other->first : 0,
                            other ? other->last : 0, vmid)))
        spaces.map(vmid, mapped);
}

}  // namespace

RangeMap read_address_spaces(Reader& r, bool allowed) {
    RangeMap spaces;
    r.check(allowed, kKey, "the chip has no VMIDs: no packet of its rings names one");
    for (const config::Value& item : r.optional_items(kKey))
        read_range(item.map(), spaces);
    return spaces;
}

}  // namespace archipelago::host
