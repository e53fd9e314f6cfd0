// SPDX-License-Identifier: Apache-2.0
#include "models/cu/functional/code_cache.h"

#include <cstring>

namespace archipelago::cu {

CodeCache::Page* CodeCache::refresh(uint64_t address) {
    const uint64_t number = address / kPageBytes;
    const uint8_t* host = memory_.page(number * kPageBytes);
    if (host == nullptr)
        return nullptr;
    std::unique_ptr<Page>& slot = pages_[number % kWays];
    if (slot == nullptr)
        slot = std::make_unique<Page>();
    Page& page = *slot;
    if (page.number != number || std::memcmp(page.words.data(), host, kPageBytes) != 0) {
        page.number = number;
        std::memcpy(page.words.data(), host, kPageBytes);
        page.code.fill(nullptr);
        page.blocks.fill(nullptr);
        page.storage.clear();
    } else if (page.code[kPageDwords - 1] != nullptr && page.code[kPageDwords - 1]->dwords == 2) {
        page.code[kPageDwords - 1] = nullptr;  // its second dword is on the next page
    }
    page.generation = generation_;
    return &page;
}

const Decoded* CodeCache::decode(Page& page, unsigned index) {
    const uint32_t first = page.words[index];
    uint32_t second = 0;
    if (decode_.length(first) == 2) {
        if (index + 1 < kPageDwords) {
            second = page.words[index + 1];
        } else {
            const uint8_t* host = memory_.page((page.number + 1) * kPageBytes);
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
