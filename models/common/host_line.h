// SPDX-License-Identifier: Apache-2.0
// Vectors that begin with a cache line of the host. Much of what a chip holds is in lines of 64
// bytes: each would touch two of the host's lines if the vector began at any other place.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace archipelago {

constexpr size_t kHostLine = 64;  // bytes; where the host has others it is only slower

template <class T>
struct HostLineAllocator {
    using value_type = T;
    HostLineAllocator() = default;
    template <class U>
    HostLineAllocator(const HostLineAllocator<U>&) {}  // NOLINT: as the standard asks for
    T* allocate(size_t count) {
        return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{kAlignment}));
    }
    void deallocate(T* at, size_t) { ::operator delete (at, std::align_val_t{kAlignment}); }

  private:
    static constexpr size_t kAlignment = alignof(T) > kHostLine ? alignof(T) : kHostLine;
};
template <class T, class U>
bool operator==(const HostLineAllocator<T>&, const HostLineAllocator<U>&) {
    return true;
}
template <class T, class U>
bool operator!=(const HostLineAllocator<T>&, const HostLineAllocator<U>&) {
    return false;
}

template <class T>
using HostLineVector = std::vector<T, HostLineAllocator<T>>;

}  // namespace archipelago
