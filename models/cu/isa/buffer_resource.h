// SPDX-License-Identifier: Apache-2.0
// The buffer resource descriptor (SQ_BUF_RSRC_WORD0..3) and typed buffer formats; private to
// models/cu/isa.
#pragma once

#include <cstdint>

#include "models/cu/isa/format_lanes.h"

namespace archipelago::isa {

struct BufferResource {
    uint64_t base = 0;         // byte address, 48 bits
    uint32_t stride = 0;       // bytes, 14 bits
    uint32_t num_records = 0;  // bytes when stride is 0, else records
    bool swizzle = false;
    bool add_tid = false;      // the lane number is added to the index
    uint8_t element_size = 4;  // bytes, swizzled addressing: 2, 4, 8, 16
    uint8_t index_stride = 8;  // records, swizzled addressing: 8, 16, 32, 64
    uint8_t dfmt = 0, nfmt = 0;
    uint16_t dst_sel = 0;  // 3 bits for each of x, y, z, w
    uint8_t type = 0;      // 0: buffer

    static BufferResource decode(const uint32_t words[4]) {
        BufferResource r;
        r.base = words[0] | static_cast<uint64_t>(words[1] & 0xffff) << 32;
        r.stride = words[1] >> 16 & 0x3fff;
        r.swizzle = words[1] >> 31 != 0;
        r.num_records = words[2];
        r.dst_sel = words[3] & 0xfff;
        r.nfmt = words[3] >> 12 & 7;
        r.dfmt = words[3] >> 15 & 15;
        r.element_size = static_cast<uint8_t>(2u << (words[3] >> 19 & 3));
        r.index_stride = static_cast<uint8_t>(8u << (words[3] >> 21 & 3));
        r.add_tid = (words[3] >> 23 & 1) != 0;
        r.type = static_cast<uint8_t>(words[3] >> 30);
        return r;
    }
};

// DST_SEL with every component in its place.
constexpr uint16_t kIdentitySelect = 4 | 5 << 3 | 6 << 6 | 7 << 9;

// Whether a component's selector is 2 or 3.
constexpr bool reserved_select(unsigned dst_sel) {
    return (dst_sel >> 1 & ~(dst_sel >> 2) & 0x249) != 0;
}

// Layout of one element of a data format: component widths in bits, lowest bits first.
struct DataFormat {
    uint8_t bytes = 0;  // 0: not a format
    uint8_t components = 0;
    uint8_t bits[4] = {};
};

// BUF_DATA_FORMAT to layout; bytes == 0 for numbers without one (0 and 15).
const DataFormat& data_format(unsigned dfmt);

// Null when loads (stores) in this format are executed, else why they are not.
const char* unsupported_load(unsigned dfmt, unsigned nfmt);
const char* unsupported_store(unsigned dfmt, unsigned nfmt);

// How lanes convert it. Not usable where unsupported_load() gives a reason, and without a format.
const LaneFormat& buffer_lane_format(unsigned dfmt, unsigned nfmt);

// What a typed access moves between elements in memory, raw[dword][lane], and registers.
struct TypedElements {
    const LaneFormat* format;
    uint16_t dst_sel;
    uint8_t registers;  // of the instruction

    // Selector DST_SEL_c of component c.
    unsigned selector(unsigned c) const { return dst_sel >> (3 * c) & 7; }
    // The first `count` registers are the first dwords of the element as they lie in memory.
    bool moves_dwords(unsigned count) const {
        const unsigned selectors = (1u << (3 * count)) - 1;
        return format->moves_dwords && count <= format->components && count <= registers &&
               ((dst_sel ^ kIdentitySelect) & selectors) == 0;
    }
    // Writes the lanes in `inside`, and those in `outside` as if their elements held 0s.
    void load(const FormatLanes& lanes, const VReg* raw, uint64_t inside, uint64_t outside,
              VReg* to) const;
    void store(const FormatLanes& lanes, const VReg* from, VReg* raw) const;
};

}  // namespace archipelago::isa
