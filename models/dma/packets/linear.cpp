// SPDX-License-Identifier: Apache-2.0
// Packets between linear places: WRITE_LINEAR, COPY_LINEAR, CONSTANT_FILL, WRITE_PTE. Document
// "Async DMA": r6xx/r7xx 1, 3, 10; evergreen/ni/si 1, 3 to 6, 20; cik 1, 2, 10, 12, 18.
#include "models/dma/packets/field_values.h"
#include "models/dma/packets/packets.h"
#include "models/dma/packets/transfers.h"

namespace archipelago::dma {

// ---- WRITE_LINEAR ------------------------------------------------------------------------------

namespace write_linear {
enum f : uint8_t { kCount, kAddressLo, kAddressHi, kSwap };
constexpr PacketField kFieldsR600[] = {
    {"COUNT", 1, 0, 15},        {"DST_LO", 2, 2, 31, &kAddress},        {"DST_HI", 3, 0, 7},
    {"SWAP", 3, 8, 9, &kSwaps}, PacketField{"DATA", 4, 0, 31}.every(1),
};
constexpr PacketField kFieldsEg[] = {
    {"COUNT", 1, 0, 19},        {"DST_LO", 2, 2, 31, &kAddress},        {"DST_HI", 3, 0, 7},
    {"SWAP", 3, 8, 9, &kSwaps}, PacketField{"DATA", 4, 0, 31}.every(1),
};
constexpr PacketField kFieldsCik[] = {
    {"COUNT", 4, 0, 19},          {"DST_LO", 2, 2, 31, &kAddress},        {"DST_HI", 3, 0, 31},
    {"SWAP", 4, 24, 25, &kSwaps}, PacketField{"DATA", 5, 0, 31}.every(1),
};

// A line's worth of dwords at a time.
bool run(ProgramState& p, MicroOp& op) {
    enum : uint32_t { kStart, kTake, kWrite };
    if (p.step == kStart) {
        Transfer& t = prepare(p);
        t.source = Source::Packet;
        p.address = p.wide(kAddressLo, kAddressHi);
        p.count = p[kCount];
        t.swap_mask[0] = p.swap_mask(p[kSwap]) ^ (p.control->data_swap ? 3 : 0);
        p.check_swap(t.swap_mask[0], p.address, 4 * p.count);
        p.step = kTake;
    }
    if (p.step == kTake) {
        if (p.index == p.count)
            return false;
        p.step = kWrite;
        return take(op, static_cast<uint8_t>(std::min<uint64_t>(16, p.count - p.index)));
    }
    const uint64_t dwords = std::min<uint64_t>(16, p.count - p.index);
    p.transfer.data = p.result.data;
    place_bytes(p.transfer.to[0], p.address + 4 * p.index);
    take_row(p.transfer.region, 4 * dwords);
    p.index += dwords;
    p.step = kTake;
    return issue(op, OpKind::Transfer);
}
}  // namespace write_linear

constexpr PacketInfo kWriteLinearR600 =
    packet("WRITE_LINEAR", 0x20000000, 0xF0800000)
        .program(3, write_linear::kFieldsR600, write_linear::run)
        .carries(write_linear::kFieldsR600[0]);
constexpr PacketInfo kWriteLinearEg = packet("WRITE_LINEAR", 0x20000000, 0xFFF00000)
                                          .program(3, write_linear::kFieldsEg, write_linear::run)
                                          .carries(write_linear::kFieldsEg[0]);
constexpr PacketInfo kWriteLinearCik = packet("WRITE_LINEAR", 0x0002, 0xFFFF)
                                           .program(4, write_linear::kFieldsCik, write_linear::run)
                                           .carries(write_linear::kFieldsCik[0]);

// ---- COPY_LINEAR -------------------------------------------------------------------------------

namespace copy_linear {
enum f : uint8_t { kCount, kToLo, kToHi, kToSwap, kFromLo, kFromHi, kFromSwap };
constexpr PacketField kFieldsR600[] = {
    {"COUNT", 1, 0, 15},
    {"DST_LO", 2, 2, 31, &kAddress},
    {"DST_HI", 4, 16, 23},
    {"DST_SWAP", 4, 24, 25, &kSwaps},
    {"SRC_LO", 3, 2, 31, &kAddress},
    {"SRC_HI", 4, 0, 7},
    {"SRC_SWAP", 4, 8, 9, &kSwaps},
};
constexpr PacketField kFieldsR700[] = {
    {"COUNT", 1, 0, 15},
    {"DST_LO", 2, 2, 31, &kAddress},
    {"DST_HI", 4, 0, 7},
    {"DST_SWAP", 4, 8, 9, &kSwaps},
    {"SRC_LO", 3, 2, 31, &kAddress},
    {"SRC_HI", 5, 0, 7},
    {"SRC_SWAP", 5, 8, 9, &kSwaps},
};
constexpr PacketField kFieldsEg[] = {
    {"COUNT", 1, 0, 19},
    {"DST_LO", 2, 2, 31, &kAddress},
    {"DST_HI", 4, 0, 7},
    {"DST_SWAP", 4, 8, 9, &kSwaps},
    {"SRC_LO", 3, 2, 31, &kAddress},
    {"SRC_HI", 5, 0, 7},
    {"SRC_SWAP", 5, 8, 9, &kSwaps},
};
constexpr PacketField kFieldsByte[] = {
    {"COUNT", 1, 0, 19},
    {"DST_LO", 2, 0, 31},
    {"DST_HI", 4, 0, 7},
    {"DST_SWAP", 4, 8, 9, &kSwaps},
    {"SRC_LO", 3, 0, 31},
    {"SRC_HI", 5, 0, 7},
    {"SRC_SWAP", 5, 8, 9, &kSwaps},
};
constexpr PacketField kFieldsCik[] = {
    {"COUNT", 2, 0, 21},
    {"DST_LO", 6, 0, 31},
    {"DST_HI", 7, 0, 31},
    {"DST_SWAP", 3, 16, 17, &kSwaps},
    {"SRC_LO", 4, 0, 31},
    {"SRC_HI", 5, 0, 31},
    {"SRC_SWAP", 3, 24, 25, &kSwaps},
};

// `unit`: bytes that COUNT counts.
bool copy(ProgramState& p, MicroOp& op, uint64_t unit) {
    if (p.step++ != 0)
        return false;
    const uint64_t bytes = unit * p[kCount];
    if (bytes == 0)
        return false;
    Transfer& t = prepare(p);
    const uint64_t from = p.wide(kFromLo, kFromHi);
    const uint64_t to = p.wide(kToLo, kToHi);
    t.swap_mask[0] = p.swap_mask(p[kFromSwap]) ^ p.swap_mask(p[kToSwap]);
    p.check_swap(t.swap_mask[0], from | to, bytes);
    place_bytes(t.from, from);
    place_bytes(t.to[0], to);
    take_row(t.region, bytes);
    return issue(op, OpKind::Transfer);
}
bool run_dwords(ProgramState& p, MicroOp& op) {
    return copy(p, op, 4);
}
bool run_bytes(ProgramState& p, MicroOp& op) {
    return copy(p, op, 1);
}
bool run_even_dwords(ProgramState& p, MicroOp& op) {
    if (p[kCount] % 2 != 0)
        p.bad("COUNT " + std::to_string(p[kCount]) + " is odd");
    return copy(p, op, 4);
}
}  // namespace copy_linear

constexpr PacketInfo kCopyLinearR600 =
    packet("COPY_LINEAR", 0x30000000, 0xF0800000)
        .program(4, copy_linear::kFieldsR600, copy_linear::run_even_dwords);
constexpr PacketInfo kCopyLinearR700 =
    packet("COPY_LINEAR", 0x30000000, 0xF0800000)
        .program(5, copy_linear::kFieldsR700, copy_linear::run_dwords);
constexpr PacketInfo kCopyLinearEg =
    packet("COPY_LINEAR", 0x30000000, 0xFFF00000)
        .program(5, copy_linear::kFieldsEg, copy_linear::run_dwords);
constexpr PacketInfo kCopyLinearByte =
    packet("COPY_LINEAR_BYTE", 0x34000000, 0xFFF00000)
        .program(5, copy_linear::kFieldsByte, copy_linear::run_bytes);
constexpr PacketInfo kCopyLinearCik =
    packet("COPY_LINEAR", 0x0001, 0xFFFFFFFF)
        .program(7, copy_linear::kFieldsCik, copy_linear::run_bytes);

namespace copy_broadcast {
enum f : uint8_t {
    kCount,
    kTo1Lo,
    kTo1Hi,
    kTo1Swap,
    kTo2Lo,
    kTo2Hi,
    kTo2Swap,
    kFromLo,
    kFromHi,
    kFromSwap
};
constexpr PacketField kFieldsEg[] = {
    {"COUNT", 1, 0, 19},
    {"DST1_LO", 2, 2, 31, &kAddress},
    {"DST1_HI", 5, 0, 7},
    {"DST1_SWAP", 5, 8, 9, &kSwaps},
    {"DST2_LO", 3, 2, 31, &kAddress},
    {"DST2_HI", 6, 0, 7},
    {"DST2_SWAP", 6, 8, 9, &kSwaps},
    {"SRC_LO", 4, 2, 31, &kAddress},
    {"SRC_HI", 7, 0, 7},
    {"SRC_SWAP", 7, 8, 9, &kSwaps},
};
constexpr PacketField kFieldsCik[] = {
    {"COUNT", 2, 0, 21},
    {"DST1_LO", 6, 0, 31},
    {"DST1_HI", 7, 0, 31},
    {"DST1_SWAP", 3, 16, 17, &kSwaps},
    {"DST2_LO", 8, 0, 31},
    {"DST2_HI", 9, 0, 31},
    {"DST2_SWAP", 3, 8, 9, &kSwaps},
    {"SRC_LO", 4, 0, 31},
    {"SRC_HI", 5, 0, 31},
    {"SRC_SWAP", 3, 24, 25, &kSwaps},
};

bool copy(ProgramState& p, MicroOp& op, uint64_t unit) {
    if (p.step++ != 0)
        return false;
    const uint64_t bytes = unit * p[kCount];
    if (bytes == 0)
        return false;
    Transfer& t = prepare(p);
    t.targets = Targets::Both;
    const uint64_t from = p.wide(kFromLo, kFromHi);
    const uint64_t to[] = {p.wide(kTo1Lo, kTo1Hi), p.wide(kTo2Lo, kTo2Hi)};
    const uint8_t source_mask = p.swap_mask(p[kFromSwap]);
    t.swap_mask = {static_cast<uint8_t>(source_mask ^ p.swap_mask(p[kTo1Swap])),
                   static_cast<uint8_t>(source_mask ^ p.swap_mask(p[kTo2Swap]))};
    place_bytes(t.from, from);
    for (unsigned i = 0; i < 2; ++i) {
        p.check_swap(t.swap_mask[i], from | to[i], bytes);
        place_bytes(t.to[i], to[i]);
    }
    take_row(t.region, bytes);
    return issue(op, OpKind::Transfer);
}
bool run_dwords(ProgramState& p, MicroOp& op) {
    return copy(p, op, 4);
}
bool run_bytes(ProgramState& p, MicroOp& op) {
    if (((p[kTo1Lo] ^ p[kTo2Lo]) & 0x1F) != 0)
        p.bad("DST1 and DST2 differ in their low five bits");
    return copy(p, op, 1);
}
}  // namespace copy_broadcast

constexpr PacketInfo kCopyLinearBroadcastEg =
    packet("COPY_LINEAR_BROADCAST", 0x34400000, 0xFFF00000)
        .program(7, copy_broadcast::kFieldsEg, copy_broadcast::run_dwords);
constexpr PacketInfo kCopyLinearBroadcastCik =
    packet("COPY_LINEAR_BROADCAST", 0x08000001, 0xFFFFFFFF)
        .program(9, copy_broadcast::kFieldsCik, copy_broadcast::run_bytes);

// ---- CONSTANT_FILL -----------------------------------------------------------------------------

namespace constant_fill {
enum f : uint8_t { kCount, kToLo, kToHi, kData, kSwap, kSize };
constexpr PacketField kFieldsR700[] = {{"COUNT", 1, 0, 15},
                                       {"DST_LO", 2, 2, 31, &kAddress},
                                       {"DST_HI", 4, 16, 23},
                                       {"DATA", 3, 0, 31}};
constexpr PacketField kFieldsEg[] = {{"COUNT", 1, 0, 19},
                                     {"DST_LO", 2, 2, 31, &kAddress},
                                     {"DST_HI", 4, 16, 23},
                                     {"DATA", 3, 0, 31}};
constexpr ValueName kFillNames[] = {{0, "BYTES"}, {2, "DWORDS"}};
constexpr front::FieldMeaning kFills = front::value_names(kFillNames);
constexpr PacketField kFieldsCik[] = {
    {"COUNT", 5, 0, 21}, {"DST_LO", 2, 0, 31},         {"DST_HI", 3, 0, 31},
    {"DATA", 4, 0, 31},  {"SWAP", 1, 16, 17, &kSwaps}, {"FILL_SIZE", 1, 30, 31, &kFills}};

bool fill(ProgramState& p, MicroOp& op, uint64_t bytes, uint32_t pattern) {
    if (p.step++ != 0 || bytes == 0)
        return false;
    Transfer& t = prepare(p);
    t.source = Source::Pattern;
    t.pattern = pattern;
    place_bytes(t.to[0], p.wide(kToLo, kToHi));
    take_row(t.region, bytes);
    return issue(op, OpKind::Transfer);
}
bool run(ProgramState& p, MicroOp& op) {
    return fill(p, op, 4 * uint64_t{p[kCount]}, p[kData]);
}
// COUNT is in bytes for both sizes; a byte fill repeats the lowest byte of DATA.
bool run_cik(ProgramState& p, MicroOp& op) {
    if (p[kSize] == 0)
        return fill(p, op, p[kCount], (p[kData] & 0xFF) * 0x01010101);
    if (p[kSize] != 2)
        p.bad("reserved FILL_SIZE " + std::to_string(p[kSize]));
    if (p[kToLo] % 4 != 0 || p[kCount] % 4 != 0)
        p.bad("a fill of dwords whose address or COUNT is no multiple of 4");
    const uint8_t mask = p.swap_mask(p[kSwap], 2);
    uint32_t pattern = 0;
    for (unsigned i = 0; i < 4; ++i)
        pattern |= (p[kData] >> 8 * (i ^ mask) & 0xFF) << 8 * i;
    return fill(p, op, p[kCount], pattern);
}
}  // namespace constant_fill

constexpr PacketInfo kConstantFillR700 =
    packet("CONSTANT_FILL", 0xD0000000, 0xF0800000)
        .program(4, constant_fill::kFieldsR700, constant_fill::run);
constexpr PacketInfo kConstantFillEg =
    packet("CONSTANT_FILL", 0xD0000000, 0xF0800000)
        .program(4, constant_fill::kFieldsEg, constant_fill::run);
constexpr PacketInfo kConstantFillCik =
    packet("CONSTANT_FILL", 0x000B, 0xFFFF)
        .program(5, constant_fill::kFieldsCik, constant_fill::run_cik);

// ---- WRITE_PTE ---------------------------------------------------------------------------------

namespace write_pte {
enum f : uint8_t {
    kCount,
    kToLo,
    kToHi,
    kMaskLo,
    kMaskHi,
    kValueLo,
    kValueHi,
    kIncrementLo,
    kIncrementHi
};
constexpr PacketField kFieldsNi[] = {
    {"COUNT", 1, 0, 19},    {"DST_LO", 2, 2, 31, &kAddress}, {"DST_HI", 3, 0, 7},
    {"MASK_LO", 4, 0, 31},  {"MASK_HI", 5, 0, 31},           {"VALUE_LO", 6, 0, 31},
    {"VALUE_HI", 7, 0, 31}, {"INCREMENT_LO", 8, 0, 31},      {"INCREMENT_HI", 9, 0, 31}};
constexpr PacketField kFieldsCik[] = {
    {"COUNT", 10, 0, 18},   {"DST_LO", 2, 0, 31},       {"DST_HI", 3, 0, 31},
    {"MASK_LO", 4, 0, 31},  {"MASK_HI", 5, 0, 31},      {"VALUE_LO", 6, 0, 31},
    {"VALUE_HI", 7, 0, 31}, {"INCREMENT_LO", 8, 0, 31}, {"INCREMENT_HI", 9, 0, 31}};

bool entries(ProgramState& p, MicroOp& op, uint64_t count) {
    if (p.step++ != 0 || count == 0)
        return false;
    Transfer& t = prepare(p);
    const uint64_t to = p.wide(kToLo, kToHi);
    if (to % 8 != 0)
        p.bad("DST " + hex(to) + " is not qword aligned");
    t.source = Source::Entries;
    t.entries = {p.wide(kValueLo, kValueHi), p.wide(kIncrementLo, kIncrementHi),
                 p.wide(kMaskLo, kMaskHi)};
    place_bytes(t.to[0], to);
    take_row(t.region, 8 * count);
    return issue(op, OpKind::Transfer);
}
bool run_dwords(ProgramState& p, MicroOp& op) {
    if (p[kCount] % 2 != 0)
        p.bad("COUNT " + std::to_string(p[kCount]) + " is odd: an entry has two dwords");
    return entries(p, op, p[kCount] / 2);
}
bool run_entries(ProgramState& p, MicroOp& op) {
    return entries(p, op, p[kCount]);
}
}  // namespace write_pte

constexpr PacketInfo kWritePteNi = packet("WRITE_PTE", 0x24200000, 0xFFF00000)
                                       .program(9, write_pte::kFieldsNi, write_pte::run_dwords);
constexpr PacketInfo kWritePteCik =
    packet("WRITE_PTE", 0x000C, 0xFFFF).program(10, write_pte::kFieldsCik, write_pte::run_entries);

}  // namespace archipelago::dma
