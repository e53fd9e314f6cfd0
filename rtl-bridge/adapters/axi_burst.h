// SPDX-License-Identifier: Apache-2.0
// Where the bytes of an AXI burst lie: the equations of IHI 0022, A3.4.1 and A3.4.2.
#pragma once

#include <cstdint>

#include "rtl-bridge/adapters/axi_pins.h"

namespace archipelago::adapters {

constexpr uint64_t kBurstBoundary = 4096;  // no burst crosses it (A3.4.1)
constexpr unsigned kMaxFixedBeats = 16;    // FIXED and WRAP (A3.4.1)

// One transfer: `count` bytes from byte address `address`, on the lanes from `lane` on.
struct AxiBeat {
    uint64_t address;
    unsigned lane;
    unsigned count;
};

struct AxiBurstShape {
    uint64_t address = 0;
    unsigned beats = 1;
    unsigned size = 0;  // as AxSIZE
    AxiBurst burst = AxiBurst::Incr;

    AxiBurstShape() = default;
    AxiBurstShape(uint64_t at, unsigned count, unsigned log2_bytes, AxiBurst kind)
        : address(at), beats(count), size(log2_bytes), burst(kind) {}
    explicit AxiBurstShape(const AxiAddressPins& a)
        : address(a.addr), beats(a.len + 1u), size(a.size), burst(a.burst) {}

    unsigned beat_bytes() const { return 1u << size; }
    uint64_t aligned() const { return address & ~uint64_t{beat_bytes() - 1u}; }
    // Bytes of each transfer of a FIXED burst, of the first transfer of any.
    unsigned first_bytes() const {
        return beat_bytes() - static_cast<unsigned>(address - aligned());
    }
    uint64_t wrap_bytes() const { return uint64_t{beat_bytes()} * beats; }
    uint64_t wrap_base() const { return address & ~(wrap_bytes() - 1); }

    AxiBeat beat(unsigned n, unsigned bus_bytes) const {
        uint64_t at = address;
        unsigned count = first_bytes();
        if (n != 0 && burst != AxiBurst::Fixed) {
            at = aligned() + uint64_t{n} * beat_bytes();
            count = beat_bytes();
            if (burst == AxiBurst::Wrap && at >= wrap_base() + wrap_bytes())
                at -= wrap_bytes();
        }
        return {at, static_cast<unsigned>(at & (bus_bytes - 1u)), count};
    }

    // The contiguous bytes it touches: [first_byte, first_byte + span).
    uint64_t first_byte() const { return burst == AxiBurst::Wrap ? wrap_base() : address; }
    uint64_t span() const {
        if (burst == AxiBurst::Fixed)
            return first_bytes();
        if (burst == AxiBurst::Wrap)
            return wrap_bytes();
        return aligned() + wrap_bytes() - address;
    }
};

// Why no target can serve the burst; null when one can.
inline const char* burst_problem(const AxiBurstShape& b, unsigned bus_bytes) {
    if (b.burst == AxiBurst::Reserved)
        return "AxBURST is reserved (A3.4.1)";
    if (b.beat_bytes() > bus_bytes)
        return "AxSIZE is wider than the data bus (A3.4.1)";
    if (b.burst == AxiBurst::Fixed && b.beats > kMaxFixedBeats)
        return "a FIXED burst of more than 16 beats (A3.4.1)";
    if (b.burst == AxiBurst::Wrap) {
        if (b.beats != 2 && b.beats != 4 && b.beats != 8 && b.beats != 16)
            return "a WRAP burst of other than 2, 4, 8 or 16 beats (A3.4.1)";
        if (b.address != b.aligned())
            return "a WRAP burst with an unaligned start (A3.4.1)";
    }
    if (b.burst == AxiBurst::Incr &&
        (b.address / kBurstBoundary) != (b.aligned() + b.wrap_bytes() - 1) / kBurstBoundary)
        return "a burst across a 4 KiB boundary (A3.4.1)";
    return nullptr;
}

}  // namespace archipelago::adapters
