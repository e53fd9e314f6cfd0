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
constexpr int kHeap = 16 << 20;

uintptr_t end_of_heap() {
    return reinterpret_cast<uintptr_t>(sbrk(0));
}

}  // namespace

void prefer_large_pages() {
    // They also end malloc's own choice of what is mapped by itself: all blocks of 128 KiB and
    // more.
    mallopt(M_TOP_PAD, kHeap);
    mallopt(M_TRIM_THRESHOLD, 2 * kHeap);
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t begin = (end_of_heap() + page - 1) / page * page;
    // More than is left of what the heap begins with, so that it grows.
    void* volatile block = std::malloc(size_t{127} << 10);
    const uintptr_t end = end_of_heap() / page * page;
    std::free(block);
    if (end > begin)
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace archipelago::host
