// SPDX-License-Identifier: Apache-2.0
// CP_DMA, as Mesa's packet database (pkt3.json) lays it out.
#include <algorithm>

#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/gds.h"
#include "models/cp/packets/si/route_rule.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

constexpr ValueName kDmaSourcesNames[] = {{0, "ADDRESS"}, {1, "GDS"}, {2, "DATA"}};
constexpr FieldMeaning kDmaSources = value_names(kDmaSourcesNames);
constexpr ValueName kDmaDestinationsNames[] = {{0, "ADDRESS"}, {1, "GDS"}};
constexpr FieldMeaning kDmaDestinations = value_names(kDmaDestinationsNames);
namespace cp_dma {
enum f : uint8_t {
    kSourceAddressLo,
    kFill,
    kSourceHi,
    kDestination,
    kEngine,
    kSource,
    kSync,
    kAddressLo,
    kAddressHi,
    kBytes,
    kNoConfirm,
    kSourceSwap,
    kDestinationSwap,
    kSas,
    kDas,
    kSaic,
    kDaic,
    kRawWait,
    kSourceLo
};
constexpr FieldCondition kFromPacket = when({"SRC_SEL", 2, 29, 30}, {2});
constexpr FieldCondition kFromAddress = unless({"SRC_SEL", 2, 29, 30}, {2});
constexpr PacketField kFields[] = {
    PacketField{"SRC_ADDR_LO", 1, 0, 31}.when(kFromAddress),
    PacketField{"DATA", 1, 0, 31}.when(kFromPacket),
    {"SRC_ADDR_HI", 2, 0, 15},
    {"DST_SEL", 2, 20, 21, &kDmaDestinations},
    {"ENGINE", 2, 27, 27, &kMeOrPfp},
    {"SRC_SEL", 2, 29, 30, &kDmaSources},
    {"CP_SYNC", 2, 31, 31},
    {"DST_ADDR_LO", 3, 0, 31},
    {"DST_ADDR_HI", 4, 0, 15},
    {"BYTE_COUNT", 5, 0, 20},
    {"DISABLE_WR_CONFIRM", 5, 21, 21},
    {"SRC_SWAP", 5, 22, 23, &kSwaps},
    {"DST_SWAP", 5, 24, 25, &kSwaps},
    {"SAS", 5, 26, 26},
    {"DAS", 5, 27, 27},
    {"SAIC", 5, 28, 28},
    {"DAIC", 5, 29, 29},
    {"RAW_WAIT", 5, 30, 30},
    {"SRC_ADDR_LO", 1, 0, 31},
};
constexpr size_t kShown = 18;  // after them: whole dwords, for the program

// Addresses of a copy in the GDS have 16 bits, from the start of the ring's partition.
void gds_dma(const ProgramState& p, DmaCommand& dma, bool from, bool to) {
    if (from)
        dma.source = gds_address(p, dma.source & 0xFFFF, dma.bytes);
    if (to)
        dma.destination = gds_address(p, dma.destination & 0xFFFF, dma.bytes);
    dma.from_gds = from;
    dma.to_gds = to;
}

// What cp_dma_dwords() cannot move.
void check_dwords(const ProgramState& p) {
    const bool fill = p[f::kSource] == 2;
    const uint32_t count = p[f::kBytes] / 4;
    if (p[f::kBytes] % 4 != 0)
        p.bad("BYTE_COUNT " + std::to_string(p[f::kBytes]) +
              " with register space or a fixed address is not a multiple of 4");
    if (p[f::kSourceSwap] > kMaxDwordSwap || p[f::kDestinationSwap] > kMaxDwordSwap)
        p.bad("swap code 3 (8-in-64) with register space or a fixed address");
    if (!fill && p[f::kSas] != 0)
        p.check_register_end(4 * uint64_t{p[f::kSourceLo] & 0xFFFF} +
                             4 * uint64_t{p[f::kSaic] != 0 ? 1 : count});
    else if (!fill)
        p.dword_address(p[f::kSourceLo], p[f::kSourceHi]);
    if (p[f::kDas] == 0) {
        p.dword_address(p[f::kAddressLo], p[f::kAddressHi]);
        return;
    }
    const uint64_t first = 4 * uint64_t{p[f::kAddressLo] & 0xFFFF};
    const uint64_t end = first + 4 * uint64_t{p[f::kDaic] != 0 ? 1 : count};
    const uint64_t event = regs::si::VGT_EVENT_INITIATOR;
    p.check_register_end(end);
    if (p.engine == ProgramEngine::Pfp && first <= event && event < end)
        p.bad("events are posted by ME, not by ENGINE PFP");
}

// Register space and fixed addresses are not for the DMA engine: the engine of the
// packet moves the dwords itself, one by one. Registers are counted in dwords, as the Linux driver
// checks them.
bool cp_dma_dwords(ProgramState& p, MicroOp& op) {
    const bool fill = p[f::kSource] == 2;
    const bool from_register = !fill && p[f::kSas] != 0;
    const bool to_register = p[f::kDas] != 0;
    const auto source_swap = static_cast<uint8_t>(p[f::kSourceSwap]);
    const auto destination_swap = static_cast<uint8_t>(p[f::kDestinationSwap]);
    enum : uint32_t { kStart = 3, kDmaDone, kRead, kWrite, kConfirm, kEnd };
    if (p.step == kStart) {
        check_dwords(p);
        p.count = p[f::kBytes] / 4;
        p.step = kRead;
        if (p[f::kRawWait] != 0) {
            op.kind = OpKind::WaitDma;
            op.wait = true;
            p.step = kDmaDone;
            return true;
        }
    }
    if (p.step == kDmaDone) {
        p.step = kRead;
        return issue(op, OpKind::WaitWrites);
    }
    if (p.step == kRead && p.index < p.count) {
        const uint64_t at = p[f::kSaic] != 0 ? 0 : p.index;
        p.step = kWrite;
        if (from_register)
            return read_register(op, 4 * ((p[f::kSourceLo] & 0xFFFF) + static_cast<uint32_t>(at)));
        if (!fill) {
            p.address_in(f::kSourceAddressLo, op);
            return read_memory(op, (p.wide(f::kSourceLo, f::kSourceHi)) + 4 * at);
        }
        p.result.value = p[f::kSourceLo];
    }
    if (p.step == kWrite) {
        const uint64_t at = p[f::kDaic] != 0 ? 0 : p.index;
        const uint32_t value = swap_dword(
            swap_dword(static_cast<uint32_t>(p.result.value), source_swap), destination_swap);
        if (to_register) {
            write_register(op, 4 * ((p[f::kAddressLo] & 0xFFFF) + static_cast<uint32_t>(at)),
                           value);
        } else {
            p.address_in(f::kAddressLo, op);
            write_dword(op, (p.wide(f::kAddressLo, f::kAddressHi)) + 4 * at, value);
        }
        ++p.index;
        p.step = kRead;
        return true;
    }
    if (p.step == kRead && p[f::kSync] != 0 && p[f::kNoConfirm] == 0) {
        p.step = kEnd;
        return issue(op, OpKind::WaitWrites);
    }
    return false;
}

Route route(const PacketInfo& info, const uint32_t* body, const Location&) {
    return info.fields[f::kEngine].in(body) != 0 ? Route::Pfp : Route::Me;
}
constexpr Routing kRouting{kRuleCpDma, Route::Me, route, 2};

bool run(ProgramState& p, MicroOp& op) {
    const uint32_t source = p[f::kSource];
    const uint32_t bytes = p[f::kBytes];
    constexpr uint32_t kDwords = 3;  // and the steps from there on
    if (p.step >= kDwords)
        return cp_dma_dwords(p, op);
    if (p.step == 0) {
        if (source == 3)
            p.bad("reserved SRC_SEL 3");
        const bool to_gds = p[f::kDestination] == 1;
        if (p[f::kDestination] > 1)
            p.bad("reserved DST_SEL " + std::to_string(p[f::kDestination]));
        const bool gds = source == 1 || to_gds;  // the drivers set SAS and DAS for it too
        if (gds && p.engine == ProgramEngine::Pfp)
            p.missing("with GDS and ENGINE PFP");
        if (gds && p[f::kSas] != 0 && source == 0)
            p.missing("with SAS (register source) and GDS");
        if (gds && p[f::kDas] != 0 && !to_gds)
            p.missing("with DAS (register destination) and GDS");
        if (gds && p[f::kSaic] != 0 && source < 2)
            p.missing("with SAIC (source not incremented) and GDS");
        if (gds && p[f::kDaic] != 0)
            p.missing("with DAIC (destination not incremented) and GDS");
        if (!gds && ((source == 0 && (p[f::kSas] != 0 || p[f::kSaic] != 0)) || p[f::kDas] != 0 ||
                     p[f::kDaic] != 0)) {
            p.step = kDwords;
            return cp_dma_dwords(p, op);
        }
        p.step = p[f::kSync] != 0 ? 1 : 2;
        DmaCommand& dma = op.dma;
        dma = {};
        dma.location = p.location;
        dma.fill = source == 2;
        dma.raw_wait = p[f::kRawWait] != 0;
        dma.posted = p[f::kNoConfirm] != 0;
        dma.bytes = bytes;
        dma.destination = p.wide(f::kAddressLo, f::kAddressHi);
        if (dma.fill)
            dma.fill_data = p[f::kSourceLo];
        else
            dma.source = p.wide(f::kSourceLo, f::kSourceHi);
        gds_dma(p, dma, source == 1, to_gds);
        const unsigned source_swap = p[f::kSourceSwap];
        const unsigned destination_swap = p[f::kDestinationSwap];
        dma.swap_mask = static_cast<uint8_t>(swap_mask(source_swap) ^ swap_mask(destination_swap));
        const uint64_t unit = std::max(source_swap, destination_swap) == 3 ? 8 : 4;
        if (dma.swap_mask != 0 &&
            (dma.source % unit != 0 || dma.destination % unit != 0 || bytes % unit != 0))
            p.bad("byte swap needs addresses and size in multiples of " + std::to_string(unit));
        if (bytes != 0)
            return issue(op, OpKind::Dma);
    }
    op.kind = OpKind::WaitDma;
    op.wait = p[f::kNoConfirm] == 0;
    return p.step++ == 1;
}
}  // namespace cp_dma
constexpr PacketInfo kCpDma = packet("CP_DMA", 0x41, PacketClass::Data)
                                  .body(5)
                                  .routed(cp_dma::kRouting)
                                  .fields(cp_dma::kFields, cp_dma::kShown)
                                  .runs(cp_dma::run);

}  // namespace archipelago::cp::si
