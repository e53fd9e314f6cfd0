// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/large_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace archipelago::host {
namespace {

// Bytes of addresses, which get memory when they are used. Not much more than a chip takes: what is
// left serves large blocks, which malloc has to clear where it would leave fresh ones to the host.
constexpr int kHeap = 32 << 20;

char* end_of_heap() {
    return static_cast<char*>(sbrk(0));
}

}  // namespace

void prefer_large_pages() {
    // They also end malloc's own choice of what is mapped by itself: all blocks of 128 KiB and
    // more.
    mallopt(M_TOP_PAD, kHeap);
    mallopt(M_TRIM_THRESHOLD, 2 * kHeap);
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    char* const before = end_of_heap();
    char* const begin = before + (page - reinterpret_cast<uintptr_t>(before) % page) % page;
    // More than is left of what the heap begins with, so that it grows.
    void* volatile block = std::malloc(size_t{127} << 10);
    char* const after = end_of_heap();
    char* const end = after - reinterpret_cast<uintptr_t>(after) % page;
    std::free(block);
    if (end > begin)
        madvise(begin, static_cast<size_t>(end - begin), MADV_HUGEPAGE);
}

}  // namespace archipelago::host
