// SPDX-License-Identifier: Apache-2.0
#include "models/cu/functional/code_cache.h"

#include <cstring>

#include "models/common/page.h"

namespace archipelago::cu {

CodeCache::Page* CodeCache::refresh(uint64_t address) {
    const uint64_t number = address / kPageBytes;
    const uint8_t* host = memory_.page(number * kPageBytes, vmid_);
    if (host == nullptr)
        return nullptr;
    std::unique_ptr<Page>& slot = pages_[number % kWays];
    if (slot == nullptr)
        slot = std::make_unique<Page>();
    Page& page = *slot;
    bool same = page.number == number && page.vmid == vmid_;
    for (uint32_t lines = page.lines; same && lines != 0; lines &= lines - 1) {
        const unsigned first = static_cast<unsigned>(__builtin_ctz(lines)) * kLineDwords;
        same = std::memcmp(&page.words[first], host + 4 * first, 4 * kLineDwords) == 0;
    }
    page.host = host;
    if (!same) {
        page.number = number;
        page.vmid = vmid_;
        page.lines = 0;
        page.code.fill(nullptr);
        page.blocks.fill(nullptr);
        page.storage.clear();
    } else if (page.code[kPageDwords - 1] != nullptr && page.code[kPageDwords - 1]->dwords == 2) {
        page.code[kPageDwords - 1] = nullptr;  // its second dword is on the next page
    }
    page.generation = generation_;
    return &page;
}

void CodeCache::drop_host_pointers() {
    for (const std::unique_ptr<Page>& page : pages_)
        if (page != nullptr)
            page->host = nullptr;
}

bool CodeCache::read_line(Page& page, unsigned index) {
    const unsigned line = index / kLineDwords;
    if ((page.lines >> line & 1) != 0)
        return true;
    if (page.host == nullptr)
        page.host = memory_.page(page.number * kPageBytes, page.vmid);
    if (page.host == nullptr)
        return false;
    page.lines |= 1U << line;
    std::memcpy(&page.words[line * kLineDwords], page.host + 4 * line * kLineDwords,
                4 * kLineDwords);
    return true;
}

const Decoded* CodeCache::decode(Page& page, unsigned index) {
    if (!read_line(page, index))
        return nullptr;
    const uint32_t first = page.words[index];
    uint32_t second = 0;
    if (decode_.length(first) == 2) {
        if (index + 1 < kPageDwords) {
            if (!read_line(page, index + 1))
                return nullptr;
            second = page.words[index + 1];
        } else {
            const uint8_t* host = memory_.page((page.number + 1) * kPageBytes, page.vmid);
            if (host == nullptr)
                return nullptr;
            std::memcpy(&second, host, 4);
        }
    }
    return page.code[index] = &decode_.get(first, second);
}

Block* CodeCache::build(Page& page, unsigned index) {
    page.storage.emplace_back();
    Block& block = page.storage.back();
    block.end = static_cast<uint16_t>(index);
    BlockBuilder builder(block);
    for (unsigned at = index; at < kPageDwords;) {
        const Decoded* d = page.code[at];
        if (d == nullptr)
            d = decode(page, at);
        // What reaches into the next page is executed by itself: that page may change alone.
        if (d == nullptr || at + d->dwords > kPageDwords)
            break;
        at += d->dwords;
        if (!builder.append(*d, at))
            break;
    }
    return page.blocks[index] = &block;
}

}  // namespace archipelago::cu
