// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/cp/debug_registers.h"

#include <algorithm>

#include "models/afuc/engine/levels.h"

namespace archipelago::afuc {
namespace {

constexpr uint32_t kLineDwords = 16;
constexpr uint32_t kQuad = 4;  // dwords, the unit of CP_ROQ_THRESHOLDS

}  // namespace

const std::vector<DebugRegister>& debug_registers() {
    static const std::vector<DebugRegister> kRegisters = {
        {"CP_SQE_STAT_DATA", "CP_SQE_STAT_ADDR", Role::Main, Shown::Status},
        {"CP_BV_SQE_STAT_DATA", "CP_BV_SQE_STAT_ADDR", Role::Bv, Shown::Status},
        {"CP_SQE_AC_STAT_DATA", "CP_SQE_AC_STAT_ADDR", Role::Lpac, Shown::Status},
        {"CP_PFP_STAT_DATA", "CP_PFP_STAT_ADDR", Role::Pfp, Shown::Status},
        {"CP_ME_STAT_DATA", "CP_ME_STAT_ADDR", Role::Me, Shown::Status},
        {"CP_SQE_UCODE_DBG_DATA", "CP_SQE_UCODE_DBG_ADDR", Role::Main, Shown::Microcode},
        {"CP_BV_SQE_UCODE_DBG_DATA", "CP_BV_SQE_UCODE_DBG_ADDR", Role::Bv, Shown::Microcode},
        {"CP_SQE_AC_UCODE_DBG_DATA", "CP_SQE_AC_UCODE_DBG_ADDR", Role::Lpac, Shown::Microcode},
        {"CP_PFP_UCODE_DBG_DATA", "CP_PFP_UCODE_DBG_ADDR", Role::Pfp, Shown::Microcode},
        {"CP_ME_UCODE_DBG_DATA", "CP_ME_UCODE_DBG_ADDR", Role::Me, Shown::Microcode},
        {"CP_ROQ_DBG_DATA", "CP_ROQ_DBG_ADDR", Role::Main, Shown::Roq},
        {"CP_BV_ROQ_DBG_DATA", "CP_BV_ROQ_DBG_ADDR", Role::Bv, Shown::Roq},
        {"CP_LPAC_ROQ_DBG_DATA", "CP_LPAC_ROQ_DBG_ADDR", Role::Lpac, Shown::Roq},
        {"CP_ROQ_DBG_DATA", "CP_ROQ_DBG_ADDR", Role::Pfp, Shown::Roq},
        {"CP_MEQ_DBG_DATA", "CP_MEQ_DBG_ADDR", Role::Me, Shown::Meq},
        {"CP_DRAW_STATE_DATA", "CP_DRAW_STATE_ADDR", Role::Main, Shown::DrawStates},
        {"CP_BV_DRAW_STATE_DATA", "CP_BV_DRAW_STATE_ADDR", Role::Bv, Shown::DrawStates},
        {"CP_LPAC_DRAW_STATE_DATA", "CP_LPAC_DRAW_STATE_ADDR", Role::Lpac, Shown::DrawStates},
        {"CP_MEM_POOL_DBG_DATA", "CP_MEM_POOL_DBG_ADDR", Role::Main, Shown::Pool},
        {"CP_BV_MEM_POOL_DBG_DATA", "CP_BV_MEM_POOL_DBG_ADDR", Role::Bv, Shown::Pool},
        {"CP_DRAW_STATE_DATA", "CP_DRAW_STATE_ADDR", Role::Pfp, Shown::NotPublic},
        {"CP_MERCIU_DBG_DATA_1", "CP_MERCIU_DBG_ADDR", Role::Me, Shown::NotPublic},
        {"CP_MERCIU_DBG_DATA_2", "CP_MERCIU_DBG_ADDR", Role::Me, Shown::NotPublic},
        {"CP_RESOURCE_TBL_DBG_DATA", "CP_RESOURCE_TBL_DBG_ADDR", Role::Main, Shown::NotPublic},
        {"CP_LPAC_FIFO_DBG_DATA", "CP_LPAC_FIFO_DBG_ADDR", Role::Lpac, Shown::NotPublic},
        {"CP_AQE_ROQ_DBG_DATA_0", "CP_AQE_ROQ_DBG_ADDR_0", Role::Main, Shown::NotPublic},
        {"CP_AQE_ROQ_DBG_DATA_1", "CP_AQE_ROQ_DBG_ADDR_1", Role::Main, Shown::NotPublic},
        {"CP_AQE_UCODE_DBG_DATA_0", "CP_AQE_UCODE_DBG_ADDR_0", Role::Main, Shown::NotPublic},
        {"CP_AQE_UCODE_DBG_DATA_1", "CP_AQE_UCODE_DBG_ADDR_1", Role::Main, Shown::NotPublic},
        {"CP_AQE_STAT_DATA_0", "CP_AQE_STAT_ADDR_0", Role::Main, Shown::NotPublic},
        {"CP_AQE_STAT_DATA_1", "CP_AQE_STAT_ADDR_1", Role::Main, Shown::NotPublic},
        {"CP_IB1_BASE", nullptr, Role::Main, Shown::Base, Stream::Ib1},
        {"CP_IB2_BASE", nullptr, Role::Main, Shown::Base, Stream::Ib2},
        {"CP_SDS_BASE", nullptr, Role::Main, Shown::Base, Stream::Sds},
        {"CP_MRB_BASE", nullptr, Role::Main, Shown::Base, Stream::Mrb},
        {"CP_IB1_DWORDS", nullptr, Role::Main, Shown::Size, Stream::Ib1},
        {"CP_IB2_DWORDS", nullptr, Role::Main, Shown::Size, Stream::Ib2},
        {"CP_SDS_DWORDS", nullptr, Role::Main, Shown::Size, Stream::Sds},
        {"CP_IB1_BASE", nullptr, Role::Pfp, Shown::Base, Stream::Ib1},
        {"CP_IB2_BASE", nullptr, Role::Pfp, Shown::Base, Stream::Ib2},
        {"CP_IB1_BUFSZ", nullptr, Role::Pfp, Shown::NotTaken, Stream::Ib1},
        {"CP_IB2_BUFSZ", nullptr, Role::Pfp, Shown::NotTaken, Stream::Ib2},
        {"CP_IB1_REM_SIZE", nullptr, Role::Main, Shown::NotFetched, Stream::Ib1},
        {"CP_IB2_REM_SIZE", nullptr, Role::Main, Shown::NotFetched, Stream::Ib2},
        {"CP_SDS_REM_SIZE", nullptr, Role::Main, Shown::NotFetched, Stream::Sds},
        {"CP_MRB_REM_SIZE", nullptr, Role::Main, Shown::NotFetched, Stream::Mrb},
        {"CP_ROQ_AVAIL_RB", nullptr, Role::Main, Shown::Queued, Stream::Ring},
        {"CP_ROQ_AVAIL_IB1", nullptr, Role::Main, Shown::Queued, Stream::Ib1},
        {"CP_ROQ_AVAIL_IB2", nullptr, Role::Main, Shown::Queued, Stream::Ib2},
        {"CP_ROQ_AVAIL_SDS", nullptr, Role::Main, Shown::Queued, Stream::Sds},
        {"CP_ROQ_AVAIL_MRB", nullptr, Role::Main, Shown::Queued, Stream::Mrb},
        {"CP_ROQ_RB_STAT", nullptr, Role::Main, Shown::QueuePointers, Stream::Ring},
        {"CP_ROQ_IB1_STAT", nullptr, Role::Main, Shown::QueuePointers, Stream::Ib1},
        {"CP_ROQ_IB2_STAT", nullptr, Role::Main, Shown::QueuePointers, Stream::Ib2},
        {"CP_ROQ_SDS_STAT", nullptr, Role::Main, Shown::QueuePointers, Stream::Sds},
        {"CP_ROQ_MRB_STAT", nullptr, Role::Main, Shown::QueuePointers, Stream::Mrb},
    };
    return kRegisters;
}

std::optional<unsigned> level_of(Names names, Stream stream) {
    const unsigned draw_states = draw_state_level(names);
    switch (stream) {
        case Stream::Ring:
            return 0;
        case Stream::Ib1:
            return 1;
        case Stream::Ib2:
            return 2;
        case Stream::Ib3:
            return draw_states == 4 ? std::optional(3u) : std::nullopt;
        case Stream::Sds:
            return draw_states < kMaxLevels ? std::optional(draw_states) : std::nullopt;
        default:
            return std::nullopt;
    }
}

std::optional<unsigned> engine_of(const CpSpec& cp, Role role) {
    for (unsigned i = 0; i < cp.processors.size(); ++i)
        if (cp.processors[i].role == role)
            return i;
    return std::nullopt;
}

// MRB and VSD share what the ring leaves of a part as large as IB1's. IB3 comes last.
RoqLayout::RoqLayout(const CpSpec& cp) {
    const auto part = [&](Stream stream) -> Part& { return parts_[static_cast<size_t>(stream)]; };
    const auto place = [&](Stream stream, uint32_t first) {
        const std::optional<unsigned> level = level_of(cp.generation->names, stream);
        const uint32_t dwords = level ? kLineDwords * cp.roq_lines[*level] : 0;
        part(stream) = {first, dwords};
        return first + dwords;
    };
    const uint32_t ring = place(Stream::Ring, 0);
    const uint32_t mrb = kLineDwords * cp.read_lines;
    const uint32_t front = kLineDwords * cp.roq_lines[1];
    const uint32_t space = std::max(mrb, front > ring ? (front - ring) / 2 : 0);
    part(Stream::Mrb) = {ring, mrb};
    part(Stream::Vsd) = {ring + space, 0};
    uint32_t next = std::max(front, ring + space);
    for (const Stream stream : {Stream::Ib1, Stream::Ib2, Stream::Sds, Stream::Ib3})
        next = place(stream, next);
    dwords_ = next;
}

std::optional<Stream> RoqLayout::at(uint32_t place) const {
    for (size_t i = 0; i < parts_.size(); ++i)
        if (place - parts_[i].first < parts_[i].dwords)
            return static_cast<Stream>(i);
    return std::nullopt;
}

std::array<uint32_t, 2> RoqLayout::thresholds(Names names) const {
    const auto quads = [&](Stream stream) { return part(stream).first / kQuad; };
    const unsigned size_at = names == Names::A5xx ? 24 : names == Names::A6xx ? 16 : 20;
    return {quads(Stream::Mrb) | quads(Stream::Vsd) << 8 | quads(Stream::Ib1) << 16 |
                quads(Stream::Ib2) << 24,
            quads(Stream::Sds) | dwords_ / kQuad << size_at};
}

std::optional<Stream> stream_of(const RoqLayout& layout, const DebugRead& read) {
    switch (read.reg->shown) {
        case Shown::NotFetched:
        case Shown::Queued:
        case Shown::QueuePointers:
        case Shown::Meq:
            return read.reg->stream;
        case Shown::Roq:
            return layout.at(read.at);
        default:
            return std::nullopt;
    }
}

}  // namespace archipelago::afuc
