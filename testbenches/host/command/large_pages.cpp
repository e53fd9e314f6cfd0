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

// Bytes of addresses, which get memory when they are used: a chip and the vector registers of its
// compute units, 256 KiB each. Larger blocks are mapped by themselves: malloc would have to clear
// what the host clears when it is used.
constexpr int kHeap = 32 << 20;
constexpr int kMappedFrom = 1 << 20;  // bytes

char* end_of_heap() {
    return static_cast<char*>(sbrk(0));
}

}  // namespace

void prefer_large_pages() {
    mallopt(M_TOP_PAD, kHeap);
    mallopt(M_TRIM_THRESHOLD, 2 * kHeap);
    mallopt(M_MMAP_THRESHOLD, kMappedFrom);
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
