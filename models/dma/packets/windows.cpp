// SPDX-License-Identifier: Apache-2.0
// Packets between linear places with strides: COPY_LINEAR_PARTIAL, which CIK calls a sub-window,
// and COPY_STRUCTURED. Document "Async DMA": evergreen/ni/si 7; cik 3, 9.
#include "models/dma/packets/field_values.h"
#include "models/dma/packets/packets.h"
#include "models/dma/packets/transfers.h"

namespace archipelago::dma {

// ---- COPY_LINEAR_PARTIAL -----------------------------------------------------------------------

namespace copy_partial {
enum f : uint8_t {
    kFromLo,
    kFromHi,
    kFromPitch,
    kFromSlice,
    kFromSwap,
    kToLo,
    kToHi,
    kToPitch,
    kToSlice,
    kToSwap,
    kWidth,
    kHeight,
    kDepth,
    kSize,
    kFromX,
    kFromY,
    kFromZ,
    kToX,
    kToY,
    kToZ
};
constexpr PacketField kFieldsNi[] = {
    {"SRC_LO", 2, 2, 31, &kAddress},
    {"SRC_HI", 3, 0, 7},
    {"SRC_PITCH", 3, 13, 31},
    {"SRC_SLICE_PITCH", 4, 0, 31},
    {"SRC_SWAP", 3, 8, 9, &kSwaps},
    {"DST_LO", 5, 2, 31, &kAddress},
    {"DST_HI", 6, 0, 7},
    {"DST_PITCH", 6, 13, 31},
    {"DST_SLICE_PITCH", 7, 0, 31},
    {"DST_SWAP", 6, 8, 9, &kSwaps},
    {"DX", 8, 0, 13},
    {"DY", 8, 16, 29},
    {"DZ", 9, 0, 10},
    {"SIZE", 9, 29, 31, &kSizes},
};
constexpr PacketField kFieldsCik[] = {
    {"SRC_LO", 2, 0, 31},
    {"SRC_HI", 3, 0, 31},
    {"SRC_PITCH", 5, 16, 29},
    {"SRC_SLICE_PITCH", 6, 0, 27},
    {"SRC_SWAP", 13, 24, 25, &kSwaps},
    {"DST_LO", 7, 0, 31},
    {"DST_HI", 8, 0, 31},
    {"DST_PITCH", 10, 16, 29},
    {"DST_SLICE_PITCH", 11, 0, 27},
    {"DST_SWAP", 13, 16, 17, &kSwaps},
    {"RECT_X", 12, 0, 13},
    {"RECT_Y", 12, 16, 29},
    {"RECT_Z", 13, 0, 11},
    {"SIZE", 1, 29, 31, &kSizes},
    {"SRC_X", 4, 0, 13},
    {"SRC_Y", 4, 16, 29},
    {"SRC_Z", 5, 0, 11},
    {"DST_X", 9, 0, 13},
    {"DST_Y", 9, 16, 29},
    {"DST_Z", 10, 0, 11},
};

uint8_t element_bytes(const ProgramState& p) {
    if (p[kSize] > 4)
        p.bad("reserved SIZE " + std::to_string(p[kSize]));
    return static_cast<uint8_t>(1u << p[kSize]);
}

bool copy(ProgramState& p, MicroOp& op, const Side& from, const Side& to, uint32_t depth) {
    Transfer& t = prepare(p);
    t.element_bytes = element_bytes(p);
    t.from = from;
    t.to[0] = to;
    t.swap_mask[0] = p.swap_mask(p[kFromSwap]) ^ p.swap_mask(p[kToSwap]);
    t.region = {p[kWidth], p[kHeight], depth, p[kWidth], 1};
    p.check_swap(t.swap_mask[0], from.address | to.address, uint64_t{p[kWidth]} * t.element_bytes);
    if (t.region.elements() == 0)
        return false;
    check_rows(p);
    return issue(op, OpKind::Transfer);
}

// Pitches in bytes.
bool run_ni(ProgramState& p, MicroOp& op) {
    if (p.step++ != 0)
        return false;
    const auto side = [&](unsigned lo, unsigned hi, unsigned pitch, unsigned slice) {
        Side s;
        s.address = p.wide(lo, hi);
        s.column = element_bytes(p);
        s.row = p[pitch];
        s.slice = p[slice];
        return s;
    };
    return copy(p, op, side(kFromLo, kFromHi, kFromPitch, kFromSlice),
                side(kToLo, kToHi, kToPitch, kToSlice), p[kDepth]);
}

// Pitches in elements, less one. RECT_Z counts slices, of which there are at least `kFewest`.
template <uint32_t kFewest>
bool run_cik(ProgramState& p, MicroOp& op) {
    if (p.step++ != 0)
        return false;
    const auto side = [&](unsigned lo, unsigned hi, unsigned pitch, unsigned slice, unsigned x) {
        Side s;
        s.address = p.wide(lo, hi);
        s.column = element_bytes(p);
        s.row = s.column * (uint64_t{p[pitch]} + 1);
        s.slice = s.column * (uint64_t{p[slice]} + 1);
        s.x = p[x];
        s.y = p[x + 1];
        s.z = p[x + 2];
        if (s.x + p[kWidth] > p[pitch] + 1)
            p.bad("RECT_X goes beyond the pitch");
        return s;
    };
    return copy(p, op, side(kFromLo, kFromHi, kFromPitch, kFromSlice, kFromX),
                side(kToLo, kToHi, kToPitch, kToSlice, kToX), std::max(kFewest, p[kDepth]));
}
}  // namespace copy_partial

constexpr PacketInfo kCopyLinearPartialNi =
    packet("COPY_LINEAR_PARTIAL", 0x34100000, 0xFFF00000)
        .program(9, copy_partial::kFieldsNi, copy_partial::run_ni);
constexpr PacketInfo kCopyLinearPartialCik =
    packet("COPY_LINEAR_SUB_WINDOW", 0x0401, 0xFFFF)
        .program(13, copy_partial::kFieldsCik, copy_partial::run_cik<1>);
constexpr PacketInfo kCopyLinearPartialCikDocument =
    PacketRow(kCopyLinearPartialCik).runs(copy_partial::run_cik<0>);

// ---- COPY_STRUCTURED ---------------------------------------------------------------------------

namespace copy_structured {
constexpr ValueName kDirectionNames[] = {{0, "LINEAR_TO_STRUCTURED"}, {1, "STRUCTURED_TO_LINEAR"}};
constexpr front::FieldMeaning kDirections = front::value_names(kDirectionNames);
enum f : uint8_t {
    kDirection,
    kBufferLo,
    kBufferHi,
    kStart,
    kCount,
    kBufferSwap,
    kLinearSwap,
    kStride,
    kLinearLo,
    kLinearHi
};
constexpr PacketField kFields[] = {
    {"DIRECTION", 1, 31, 31, &kDirections},
    {"BUFFER_LO", 2, 2, 31, &kAddress},
    {"BUFFER_HI", 3, 0, 31},
    {"START_INDEX", 4, 0, 31},
    {"COUNT", 5, 0, 31},
    {"BUFFER_SWAP", 6, 24, 25, &kSwaps},
    {"LINEAR_SWAP", 6, 16, 17, &kSwaps},
    {"STRIDE", 6, 0, 10},
    {"LINEAR_LO", 7, 2, 31, &kAddress},
    {"LINEAR_HI", 8, 0, 31},
};

// The buffer is an array of structures of STRIDE dwords, the linear place a structure of arrays:
// all first dwords, then all second ones.
bool run(ProgramState& p, MicroOp& op) {
    if (p.step++ != 0)
        return false;
    const uint64_t stride = p[kStride];
    const uint32_t count = std::max(1u, p[kCount]);
    if (stride == 0)
        p.bad("STRIDE is 0");
    if (count * stride > uint64_t{1} << 30)
        p.bad("moves more than 2^30 dwords");
    Transfer& t = prepare(p);
    t.element_bytes = 4;
    Side buffer;
    buffer.address = p.wide(kBufferLo, kBufferHi) + 4 * stride * p[kStart];
    buffer.column = 4 * stride;
    buffer.row = 4;
    Side linear;
    linear.address = p.wide(kLinearLo, kLinearHi);
    linear.column = 4;
    linear.row = uint64_t{4} * count;
    const bool to_linear = p[kDirection] != 0;
    t.from = to_linear ? buffer : linear;
    t.to[0] = to_linear ? linear : buffer;
    t.swap_mask[0] = p.swap_mask(p[kBufferSwap], 2) ^ p.swap_mask(p[kLinearSwap], 2);
    t.region = {count, static_cast<uint32_t>(stride), 1, count, 1};
    return issue(op, OpKind::Transfer);
}
}  // namespace copy_structured

constexpr PacketInfo kCopyStructured =
    packet("COPY_STRUCTURED", 0x0301, 0xFFFF)
        .program(8, copy_structured::kFields, copy_structured::run);

}  // namespace archipelago::dma
