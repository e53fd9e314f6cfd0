// SPDX-License-Identifier: Apache-2.0
// Where messages pass, and when. The time they spend between two points is the difference of the
// sums, regardless of the order they pass in, so that nothing has to be kept for each of them.
#pragma once

#include <cstdint>
#include <type_traits>

namespace archipelago {

struct CycleTap {
    uint64_t count = 0;
    uint64_t sum = 0;  // of the cycles in which they passed, modulo 2^64
    void pass(uint64_t now) {
        ++count;
        sum += now;
    }
};

// Beginning and end of a stay somewhere.
struct Stay {
    CycleTap in, out;
};

// Whether channels count when messages of a type pass; specialised where the message is declared.
template <class T>
struct IsTransaction : std::false_type {};

}  // namespace archipelago
