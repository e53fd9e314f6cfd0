// SPDX-License-Identifier: Apache-2.0
#include "models/common/memory_image.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>

#include "models/common/archive.h"
#include "models/common/page.h"

namespace archipelago {

void MemoryImage::Free::operator()(uint8_t* p) const {
    std::free(p);
}

void MemoryImage::map(uint64_t address, uint64_t size) {
    if (size == 0)
        return;
    if (address + size - 1 < address)
        throw std::length_error("memory range wraps around the address space");
    const uint64_t first = address / kPageBytes;
    const uint64_t last = (address + size - 1) / kPageBytes;
    // Fill the gaps between regions that exist.
    for (uint64_t page = first; page <= last;) {
        const auto next =
            std::upper_bound(regions_.begin(), regions_.end(), page,
                             [](uint64_t p, const Region& r) { return p < r.first_page; });
        if (next != regions_.begin()) {
            const Region& before = *(next - 1);
            if (page < before.first_page + before.pages) {
                page = before.first_page + before.pages;
                continue;
            }
        }
        uint64_t end = last + 1;
        if (next != regions_.end())
            end = std::min(end, next->first_page);
        const uint64_t pages = end - page;
        if (pages > (limit_ - mapped_) / kPageBytes)
            throw std::length_error("mapped memory would exceed the limit of " +
                                    std::to_string(limit_ >> 20) + " MiB");
        if (pages == 0)
            break;
        // calloc leaves untouched pages to the operating system: large zero maps are cheap.
        auto* bytes = static_cast<uint8_t*>(std::calloc(pages, kPageBytes));
        if (bytes == nullptr)
            throw std::bad_alloc();
        storage_.emplace_back(bytes);
        regions_.insert(next, Region{page, pages, bytes});
        mapped_ += pages * kPageBytes;
        page = end;
    }
}

void MemoryImage::archive(Archive& a) {
    a.at_rest(elsewhere_.empty(), "a part of the memory is in Verilog");
    using Page = std::array<uint64_t, kPageBytes / sizeof(uint64_t)>;
    static const Page zeros{};
    uint64_t count = regions_.size();
    a(count);
    for (uint64_t i = 0; i < count; ++i) {
        Region region = a.saving() ? regions_[i] : Region{0, 0, nullptr};
        a(region.first_page, region.pages);
        if (!a.saving()) {
            map(region.first_page * kPageBytes, region.pages * kPageBytes);
            const Region* const mapped = region_of(region.first_page);
            if (mapped == nullptr)
                throw ArchiveError("checkpoint: memory without pages");
            region = *mapped;
        }
        // Pages of zeros, of which there are many, take a byte.
        for (uint64_t page = 0; page < region.pages; ++page) {
            uint8_t* const bytes = region.bytes + page * kPageBytes;
            bool written = std::memcmp(bytes, zeros.data(), kPageBytes) != 0;
            a(written);
            if (!written)
                continue;
            Page copy;
            std::memcpy(copy.data(), bytes, kPageBytes);
            a(copy);
            std::memcpy(bytes, copy.data(), kPageBytes);
        }
    }
}

const MemoryImage::Region* MemoryImage::region_of(uint64_t page) const {
    const auto next =
        std::upper_bound(regions_.begin(), regions_.end(), page,
                         [](uint64_t p, const Region& r) { return p < r.first_page; });
    if (next == regions_.begin())
        return nullptr;
    const Region& r = *(next - 1);
    return page < r.first_page + r.pages ? &r : nullptr;
}

uint8_t* MemoryImage::find(uint64_t page, uint64_t offset) const {
    const Region* r = region_of(page);
    if (r == nullptr)
        return nullptr;
    Cached& c = cache_[page % kCache];
    c.page = page;
    c.bytes = r->bytes + (page - r->first_page) * kPageBytes;
    return c.bytes + offset;
}

bool MemoryImage::is_mapped(uint64_t address, uint64_t size) const {
    if (size == 0)
        return true;
    if (address + size - 1 < address)
        return false;
    for (uint64_t page = address / kPageBytes; page <= (address + size - 1) / kPageBytes;) {
        const Region* r = region_of(page);
        if (r == nullptr)
            return false;
        page = r->first_page + r->pages;
    }
    return true;
}

bool MemoryImage::read(uint64_t address, void* to, size_t size) const {
    if (!is_mapped(address, size))
        return false;
    auto* out = static_cast<uint8_t*>(to);
    while (size != 0) {
        const size_t n = std::min<size_t>(size, kPageBytes - address % kPageBytes);
        if (Elsewhere* there = elsewhere(address))
            there->read(address, out, n);
        else
            std::memcpy(out, page_pointer(address), n);
        out += n;
        address += n;
        size -= n;
    }
    return true;
}

bool MemoryImage::write(uint64_t address, const void* from, size_t size) {
    if (!is_mapped(address, size))
        return false;
    const auto* in = static_cast<const uint8_t*>(from);
    while (size != 0) {
        const size_t n = std::min<size_t>(size, kPageBytes - address % kPageBytes);
        if (Elsewhere* there = elsewhere(address))
            there->write(address, in, n);
        else
            std::memcpy(page_pointer(address), in, n);
        in += n;
        address += n;
        size -= n;
    }
    return true;
}

bool MemoryImage::contiguous_range(uint64_t address, uint64_t& first, uint64_t& last,
                                   uint8_t*& host) const {
    const Region* r = region_of(address / kPageBytes);
    if (r == nullptr)
        return false;
    first = r->first_page * kPageBytes;
    last = first + r->pages * kPageBytes - 1;
    host = r->bytes;
    return true;
}

}  // namespace archipelago
