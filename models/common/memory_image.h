// SPDX-License-Identifier: Apache-2.0
// Contents of a GPU address space: sparse, mapped in pages, zero-filled. Holds no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/common/page.h"

namespace archipelago {

class Archive;

class MemoryImage {
  public:
    // Maps all pages that touch [address, address + size). Pages mapped before keep their bytes.
    // Throws std::length_error when the range wraps or the total would exceed `limit_bytes`.
    void map(uint64_t address, uint64_t size);
    bool is_mapped(uint64_t address, uint64_t size) const;
    void set_limit(uint64_t bytes) { limit_ = bytes; }

    // False, with nothing done, when any byte is unmapped.
    bool read(uint64_t address, void* to, size_t size) const;
    bool write(uint64_t address, const void* from, size_t size);

    // Host address of the byte, valid up to the end of its page; null when unmapped. Stays valid.
    uint8_t* page_pointer(uint64_t address) const {
        const uint64_t page = address / kPageBytes;
        Cached& c = cache_[page % kCache];
        if (c.page == page)
            return c.bytes + address % kPageBytes;
        return find(page, address % kPageBytes);
    }

    // Largest mapped, host-contiguous range around `address`; false when unmapped. For DMI.
    bool contiguous_range(uint64_t address, uint64_t& first, uint64_t& last, uint8_t*& host) const;

    uint64_t mapped_bytes() const { return mapped_; }
    // The pages mapped and their bytes, into an image with nothing mapped.
    void archive(Archive& a);

    // Contents that live elsewhere (a memory in Verilog). read() and write() of mapped bytes in
    // whole pages [first, last] go there, piece by piece within a page; page_pointer() and
    // contiguous_range() know nothing of it. Must outlive the image.
    class Elsewhere {
      public:
        virtual ~Elsewhere() = default;
        virtual void read(uint64_t address, uint8_t* to, size_t size) = 0;
        virtual void write(uint64_t address, const uint8_t* from, size_t size) = 0;
    };
    void put_elsewhere(uint64_t first, uint64_t last, Elsewhere& there) {
        elsewhere_.push_back({first, last, &there});
    }

  private:
    struct Away {
        uint64_t first, last;
        Elsewhere* there;
    };
    Elsewhere* elsewhere(uint64_t address) const {
        for (const Away& a : elsewhere_)
            if (address >= a.first && address <= a.last)
                return a.there;
        return nullptr;
    }
    struct Region {
        uint64_t first_page;
        uint64_t pages;
        uint8_t* bytes;
    };
    struct Cached {
        uint64_t page = ~uint64_t{0};
        uint8_t* bytes = nullptr;
    };
    static constexpr size_t kCache = 1024;
    uint8_t* find(uint64_t page, uint64_t offset) const;
    const Region* region_of(uint64_t page) const;

    struct Free {
        void operator()(uint8_t* p) const;
    };
    std::vector<std::unique_ptr<uint8_t, Free>> storage_;
    std::vector<Region> regions_;  // sorted by first_page, disjoint
    mutable std::vector<Cached> cache_ = std::vector<Cached>(kCache);
    std::vector<Away> elsewhere_;
    uint64_t mapped_ = 0;
    uint64_t limit_ = uint64_t{16} << 30;
};

}  // namespace archipelago
