// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/packet_streams.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_writer.h"
#include "testbenches/fuzz/packet_places.h"

namespace archipelago::fuzz {
namespace {

using namespace cp::test;
using cp::PacketInfo;
using Words = std::vector<uint32_t>;

// Writers: writes of one kind are in order; nothing orders those of two kinds.
enum Writer : uint32_t {
    kByMe,
    kByPfp,
    kByEop,
    kByAtomics,
    kByDma,
    kByShadow,
    kByQuery,
    kByStrmout,
    kByCe,
    kWriters
};
constexpr uint32_t kWriterBytes = 0x880, kLongestWrite = 0x280;
static_assert(kTo + kWriters * kWriterBytes <= kHeaders);

std::set<std::string> made;

// A packet of the table, field by field.
class Make : public cp::PacketWriter {
  public:
    explicit Make(const char* name, uint32_t least_dwords = 1)
        : PacketWriter(cp::si_packet_table()) {
        made.insert(name);
        packet(name).dwords(least_dwords);
    }
};

uint32_t any_word(Random& r) {
    return r.one_in(3) ? r.word() : r.below(64);
}
Words any_words(Random& r, uint32_t count) {
    Words words(count);
    for (uint32_t& word : words)
        word = any_word(r);
    return words;
}
uint64_t to_address(Random& r, Writer writer, uint32_t align = 4) {
    return kTo + writer * kWriterBytes + align * r.below((kWriterBytes - kLongestWrite) / align);
}
uint64_t number_address(Random& r, uint32_t align = 4) {
    return kNumbers + align * r.below(0x3000 / align);
}
uint64_t zero_address(Random& r) {
    return kZeroes + 4 * r.below(0xF00);
}
// A register that means nothing to anybody here.
uint32_t plain_register(Random& r) {
    return 0x9508 / 4 + r.below(8);
}
uint32_t user_data(Random& r) {
    return (si::SPI_SHADER_USER_DATA_VS_0 - 0xB000) / 4 + r.below(14);
}

// Sources of indices in DRAW_INITIATOR.
constexpr uint32_t kFetched = 0, kImmediate = 1, kAutomatic = 2;

Words draw_immediate(Random& r) {
    const uint32_t dwords = 1 + r.below(8);
    return Words(Make("INDEX_TYPE")) + Words(Make("DRAW_INDEX_IMMD")
                                                 .data(any_words(r, dwords))
                                                 .set("INDEX_COUNT", 2 * dwords - r.below(2))
                                                 .set("DRAW_INITIATOR", kImmediate));
}
Words draw_multi_auto(Random& r) {
    const uint32_t primitives = 1 + r.below(6);
    return Make("DRAW_INDEX_MULTI_AUTO")
        .data(any_words(r, primitives))
        .set("PRIMCOUNT", primitives)
        .set("DRAW_INITIATOR", kAutomatic);
}
Words mpeg_index(Random& r) {
    const uint32_t rectangles = 1 + r.below(5);
    return Words(Make("INDEX_TYPE").set("INDEX_TYPE", 1)) +
           Words(Make("MPEG_INDEX")
                     .data(any_words(r, rectangles))
                     .set("NUM_INDICES", 3 * rectangles)
                     .set("DRAW_INITIATOR", kImmediate));
}
Words draw_indirect(Random& r) {
    return Words(Make("SET_BASE").set("BASE_INDEX", 1).address("ADDRESS", number_address(r, 8))) +
           Words(Make("DRAW_INDIRECT")
                     .set("DATA_OFFSET", 4 * r.below(20))
                     .set("BASE_VTX_LOC", user_data(r))
                     .set("START_INST_LOC", user_data(r))
                     .set("DRAW_INITIATOR", kAutomatic));
}
Words draw_index_indirect(Random& r, uint64_t indices) {
    const bool wide = r.one_in(2);
    Make draw("DRAW_INDEX_INDIRECT", wide ? 4 : 3);
    draw.set("DATA_OFFSET", 4 * r.below(20)).set("BASE_VTX_LOC", user_data(r));
    if (wide)
        draw.set("START_INST_LOC", user_data(r));
    return Words(Make("SET_BASE").set("BASE_INDEX", 1).address("ADDRESS", number_address(r, 8))) +
           Words(Make("INDEX_BASE").address("INDEX_BASE", indices)) +
           Words(Make("INDEX_BUFFER_SIZE").set("INDEX_BUFFER_SIZE", r.below(500))) + Words(draw);
}
Words draw_multi_indirect(Random& r, uint64_t indices) {
    const bool indexed = r.one_in(2);
    const bool counted = r.one_in(2);
    const uint64_t count = number_address(r);
    Make draw(indexed ? "DRAW_INDEX_INDIRECT_MULTI" : "DRAW_INDIRECT_MULTI");
    draw.set("DATA_OFFSET", 4 * r.below(20))
        .set("BASE_VTX_LOC", user_data(r))
        .set("START_INST_LOC", user_data(r))
        .set("DRAW_INDEX_LOC", user_data(r))
        .set("DRAW_INDEX_ENABLE", r.below(2))
        .set("COUNT_INDIRECT_ENABLE", counted)
        .set("COUNT", r.below(6))
        .address("COUNT_ADDR", counted ? count : 0)
        .set("STRIDE", 4 * r.below(20))
        .set("DRAW_INITIATOR", indexed ? kFetched : kAutomatic);
    return Words(Make("SET_BASE").set("BASE_INDEX", 1).address("ADDRESS", number_address(r, 8))) +
           Words(Make("INDEX_BASE").address("INDEX_BASE", indices)) +
           Words(Make("INDEX_BUFFER_SIZE").set("INDEX_BUFFER_SIZE", r.below(500))) + Words(draw);
}

Words any_draw(Random& r) {
    const uint64_t indices = number_address(r);
    switch (r.below(15)) {
        case 0:
            return Make("INDEX_BASE").address("INDEX_BASE", indices);
        case 1:
            return Make("INDEX_BUFFER_SIZE").set("INDEX_BUFFER_SIZE", r.below(500));
        case 2:
            return Make("INDEX_TYPE").set("SWAP_MODE", r.below(3));
        case 3:
            return Make("NUM_INSTANCES").set("NUM_INSTANCES", r.below(9));
        case 4:
            return Make("DRAW_INDEX_AUTO")
                .set("INDEX_COUNT", r.below(99))
                .set("DRAW_INITIATOR", kAutomatic);
        case 5:
            return Make("DRAW_INDEX_2")
                .set("MAX_SIZE", r.below(300))
                .address("INDEX_BASE", indices)
                .set("INDEX_COUNT", r.below(99))
                .set("DRAW_INITIATOR", kFetched);
        case 6:
            return Make("DRAW_INDEX")
                .address("INDEX_BASE", indices)
                .set("INDEX_COUNT", r.below(99))
                .set("DRAW_INITIATOR", kFetched);
        case 7:
            return Words(Make("INDEX_BASE").address("INDEX_BASE", indices)) +
                   Words(Make("DRAW_INDEX_OFFSET")
                             .set("INDEX_OFFSET", r.below(50))
                             .set("INDEX_COUNT", r.below(99))
                             .set("DRAW_INITIATOR", kFetched));
        case 8:
            return Words(Make("INDEX_BASE").address("INDEX_BASE", indices)) +
                   Words(Make("DRAW_INDEX_OFFSET_2")
                             .set("MAX_SIZE", r.below(500))
                             .set("INDEX_OFFSET", r.below(50))
                             .set("INDEX_COUNT", r.below(99))
                             .set("DRAW_INITIATOR", kFetched));
        case 9:
            return draw_immediate(r);
        case 10:
            return draw_multi_auto(r);
        case 11:
            return mpeg_index(r);
        case 12:
            return draw_indirect(r);
        case 13:
            return draw_multi_indirect(r, indices);
        default:
            return draw_index_indirect(r, indices);
    }
}

Words any_state(Random& r, unsigned ring) {
    const auto registers = [&](const char* name, uint32_t first, uint32_t count) {
        return Make(name).data(any_words(r, count)).set("REG_OFFSET", first);
    };
    const uint64_t shadow = kTo + kByShadow * kWriterBytes;
    const auto load = [&](const char* name, uint32_t first) {
        return Make(name, 4)
            .address("BASE_ADDR", shadow)
            .set("REG_OFFSET", first)
            .set("NUM_DWORDS", r.below(8));
    };
    switch (r.below(18)) {
        case 0:
        case 1:
            return registers("SET_CONFIG_REG", 0x542, 1 + r.below(5));
        case 2:
        case 3:
            return registers("SET_CONTEXT_REG", r.below(3), 1 + r.below(12));
        case 4:
        case 5:
            return registers("SET_SH_REG", 0x240 + r.below(8), 1 + r.below(8)).compute();
        case 6:
            return Make("ONE_REG_WRITE").set("REG_OFFSET", plain_register(r)).set("DATA", r.word());
        case 7:
            return Make("REG_RMW")
                .set("MOD_ADRS", plain_register(r))
                .set("AND_MASK", r.word())
                .set("OR_MASK", r.below(64));
        case 8:
            return Words{cp::make_type0_header(4 * plain_register(r), 2), r.word(), r.word()};
        case 9:
            return Make("CLEAR_STATE").set("DUMMY", any_word(r));
        case 17:
            return Make("SCRATCH_RAM_WRITE")
                .set("SCRATCH_ADDR", r.below(256))
                .set("SCRATCH_DATA", r.word());
        case 10:
            return Make("PREAMBLE_CNTL").set("COMMAND", r.below(2));
        case 11:
            return Words(Make("SET_BASE")
                             .set("BASE_INDEX", 0)
                             .address("ADDRESS", number_address(r, 8))) +
                   Words(Make("SET_CONTEXT_REG_INDIRECT")
                             .set("REG_OFFSET", r.below(40))
                             .set("REG_INDEX", r.below(200)));
        case 12: {
            // Loads say where the registers are before anything is shadowed.
            const uint32_t bits = 1u << 31 | 1 | 2 | 1u << 24;
            return Words(Make("CONTEXT_CONTROL")
                             .set("LOAD_CONTROL", bits)
                             .set("SHADOW_ENABLE", 1u << 31)) +
                   (ring == 0 ? Words(load("LOAD_CONFIG_REG", 0x542)) : Words()) +
                   Words(load("LOAD_CONTEXT_REG", 2)) +
                   Words(load("LOAD_SH_REG", 0x240).compute()) +
                   Words(Make("CONTEXT_CONTROL")
                             .set("SHADOW_ENABLE", 1u << 31 | (r.one_in(2) && ring == 0 ? 1 : 0) |
                                                       (r.one_in(2) ? 2 : 0) |
                                                       (r.one_in(2) ? 1u << 24 : 0)));
        }
        case 13:
        case 14:
            return Make("SET_BASE")
                .set("BASE_INDEX", 2 + r.below(2))
                .set("CS1_INDEX", 0x4000 + 64 * r.below(64))
                .set("CS2_INDEX", 0xA000 + 64 * r.below(64));
        case 15:
            if (ring != 0)
                return Make("NOP").data(any_words(r, 1 + r.below(20)));
            if (r.one_in(3))
                return Make("ME_INITIALIZE")
                    .set("MAX_CONTEXT", 7)
                    .set("DEVICE_ID", 1)
                    .set("HEADER_DUMP_BASE", kHeaders >> 12)
                    .set("HEADER_DUMP_ENABLE", r.below(2))
                    .set("HEADER_DUMP_SIZE", 1 + r.below(60));
            return Make("ME_INITIALIZE")
                .set("DEFAULT_RESET_CONTROL", r.below(2))
                .set("MAX_CONTEXT", 1 + r.below(7))
                .set("DEVICE_ID", 1u << r.below(8));
        default:
            return {0x80000000u | r.word() >> 2};
    }
}

// Packets that follow are skipped or not: whole ones.
Words any_packet(Random& r, unsigned ring, bool& shows_time);

Words any_predication(Random& r, unsigned ring, bool& shows_time) {
    switch (r.below(6)) {
        case 0: {
            const Words next = any_packet(r, ring, shows_time);
            return Words(
                       Make("COND_EXEC", 3 + r.below(2))
                           .address("BOOL_ADDR", r.one_in(2) ? zero_address(r) : number_address(r))
                           .set("EXEC_COUNT", static_cast<uint32_t>(next.size()))) +
                   next;
        }
        case 1: {
            const Words next = any_packet(r, ring, shows_time);
            return Words(Make("PRED_EXEC")
                             .set("DEVICE_SELECT", r.below(256))
                             .set("EXEC_COUNT", static_cast<uint32_t>(next.size()))) +
                   next;
        }
        case 2:
            return Make("COND_WRITE")
                .set("WRITE_SPACE", 1)
                .set("POLL_SPACE", 1)
                .set("FUNCTION", r.below(7))
                .address("POLL_ADDRESS", number_address(r))
                .set("REFERENCE", r.below(0x2000))
                .set("MASK", ~0u)
                .address("WRITE_ADDRESS", to_address(r, kByMe))
                .set("WRITE_DATA", r.word());
        case 3:
            return Make("COND_WRITE")
                .set("FUNCTION", r.below(7))
                .set("POLL_REGISTER", plain_register(r))
                .set("REFERENCE", r.word())
                .set("MASK", r.word())
                .set("WRITE_REGISTER", plain_register(r))
                .set("WRITE_DATA", r.word());
        case 4: {
            Words words = Make("SET_PREDICATION")
                              .address("START_ADDR", kCounters)
                              .set("PREDICATION_BOOLEAN", r.below(2))
                              .set("HINT", r.below(2))
                              .set("PRED_OP", r.below(3));
            Words next = any_packet(r, ring, shows_time);
            if (next[0] >> 30 == 3)
                next[0] |= 1;
            return words + next + Words(Make("SET_PREDICATION"));
        }
        default:
            return Make("OCCLUSION_QUERY")
                .address("START_ADDR", kCounters)
                .address("QUERY_ADDR", to_address(r, kByQuery, 8));
    }
}

Words plain_event(Random& r) {
    static const std::vector<uint32_t> kEvents = {7, 15, 16, 23, 24, 25, 26, 27, 33, 36};
    return Make("EVENT_WRITE").set("EVENT_TYPE", r.pick(kEvents));
}
Words sample_event(Random& r) {
    static const std::vector<uint32_t> kSamples = {1, 2, 3, 21, 30, 32};
    const uint32_t type = r.pick(kSamples);
    return Make("EVENT_WRITE", 3)
        .set("EVENT_TYPE", type)
        .set("EVENT_INDEX", type == 21   ? 1
                            : type == 30 ? 2
                                         : 3)
        .address("ADDRESS", to_address(r, kByEop, 16));
}
Words event_write_eop(Random& r, bool& shows_time) {
    static const std::vector<uint32_t> kEop = {4, 20, 40, 43, 45};
    const uint32_t select = r.one_in(16) ? 3 : r.below(3);
    shows_time = shows_time || select == 3;
    return Make("EVENT_WRITE_EOP")
        .set("EVENT_TYPE", r.pick(kEop))
        .set("EVENT_INDEX", 5)
        .set("INV_L2", r.below(2))
        .address("ADDRESS", to_address(r, kByEop, 8))
        .set("DATA_SEL", select)
        .set("INT_SEL", 2 * r.below(2))
        .set("DATA_LO", r.word());
}
// Directly after the work whose end it is.
Words event_write_eos(Random& r, unsigned ring, bool& shows_time) {
    const bool draw = ring == 0 && r.one_in(2);
    const Words work =
        draw ? Words(
                   Make("DRAW_INDEX_AUTO").set("INDEX_COUNT", r.below(99)).set("DRAW_INITIATOR", 2))
             : Words(Make("DISPATCH_DIRECT")
                         .compute()
                         .set("DIM_X", 1 + r.below(9))
                         .set("DIM_Y", 1)
                         .set("DIM_Z", 1)
                         .set("DISPATCH_INITIATOR", 1));
    Make eos("EVENT_WRITE_EOS");
    if (!draw)
        eos.compute();
    eos.set("EVENT_TYPE", draw ? 48 : 47)
        .set("EVENT_INDEX", 6)
        .address("ADDRESS", to_address(r, kByEop));
    const bool fence = !r.one_in(6);
    shows_time = shows_time || !fence;  // of what is in GDS by then
    if (fence)
        eos.set("CMD", 2).set("DATA", r.word());
    else
        eos.set("CMD", 1).set("SIZE", 1 + r.below(40)).set("GDS_INDEX", r.below(100));
    return work + Words(eos);
}
Words wait_for_memory(Random& r) {
    return Make("WAIT_REG_MEM")
        .set("ENGINE", r.below(2))
        .set("MEM_SPACE", 1)
        .set("FUNCTION", 5)
        .address("POLL_ADDRESS", zero_address(r))
        .set("MASK", r.word())
        .set("REFERENCE", r.one_in(200) ? 1 : 0)
        .set("POLL_INTERVAL", r.below(12));
}
Words atomic(Random& r) {
    static const std::vector<uint32_t> kAtomics = {0x07, 0x0F, 0x10, 0x11, 0x12, 0x13,
                                                   0x14, 0x15, 0x16, 0x17, 0x18, 0x19};
    return Make("ATOMIC")
        .set("OP", r.pick(kAtomics))
        .address("ADDR", to_address(r, kByAtomics, 8))
        .set("SRC_DATA_LO", r.word());
}
Words atomic_gds(Random& r) {
    static const std::vector<uint32_t> kOps = {0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 13};
    return Make("ATOMIC_GDS")
        .set("ATOM_OP", r.pick(kOps))
        .set("ATOM_COMPLETE", r.below(2))
        .set("ATOM_SIZE", 0xFFFC)
        .set("ATOM_OFFSET0", 4 * r.below(60))
        .set("ATOM_SRC0", r.word());
}
Words strmout_buffer_update(Random& r) {
    return Make("STRMOUT_BUFFER_UPDATE")
        .set("BUFFER_SELECT", r.below(4))
        .set("SOURCE_SELECT", r.below(2))
        .set("UPDATE_MEMORY", r.below(2))
        .address("DST_ADDRESS", to_address(r, kByStrmout))
        .set("BUFFER_OFFSET", r.below(100));
}

Words any_sync(Random& r, unsigned ring, bool& shows_time) {
    switch (r.below(17)) {
        case 0:
            return plain_event(r);
        case 1:
            return Make("EVENT_WRITE").set("EVENT_TYPE", 7 + 8 * r.below(2)).set("EVENT_INDEX", 4);
        case 2:
            return Make("EVENT_WRITE")
                .set("EVENT_TYPE", r.one_in(2) ? 6 : 22)
                .set("EVENT_INDEX", 7)
                .set("INV_L2", r.below(2));
        case 3:
            return event_write_eop(r, shows_time);
        case 4:
        case 5:
            return event_write_eos(r, ring, shows_time);
        case 6:
            return Make("MEM_SEMAPHORE")
                .address("ADDRESS", kSemaphores + 8 * r.below(16))
                .set("SEM_SEL", 6 + r.below(2))
                .set("CLIENT_CODE", r.below(3));
        case 7:
            return Make("PFP_SYNC_ME").set("DUMMY", any_word(r));
        case 8:
            return Make("SURFACE_SYNC")
                .set("ENGINE", r.below(2))
                .set("COHER_CNTL", 1u << (22 + r.below(2)))
                .set("COHER_SIZE", ~0u)
                .set("POLL_INTERVAL", r.below(12));
        case 9:
            return wait_for_memory(r);
        case 10:
            return atomic(r);
        case 11:
            return atomic_gds(r);
        case 12:
            return ring == 0 ? strmout_buffer_update(r) : Words(Make("INCREMENT_DE_COUNTER"));
        case 13:
            // Few constants are made, so most waits have no end.
            if (!r.one_in(40))
                return Make("SWITCH_BUFFER");
            return Make(r.one_in(2) ? "WAIT_ON_CE_COUNTER" : "WAIT_ON_AVAIL_BUFFER");
        case 14:
            return sample_event(r);
        default:
            return Make("INCREMENT_DE_COUNTER");
    }
}

Words write_data_by_me(Random& r) {
    return Make("WRITE_DATA")
        .data(any_words(r, 1 + r.below(40)))
        .set("DST_SEL", r.one_in(2) ? 5 : 1)
        .set("WR_CONFIRM", r.below(2))
        .set("WR_ONE_ADDR", r.one_in(8))
        .address("DST_ADDR", to_address(r, kByMe));
}
Words write_data_by_pfp(Random& r) {
    return Make("WRITE_DATA")
        .data(any_words(r, 1 + r.below(8)))
        .set("ENGINE_SEL", 1)
        .set("DST_SEL", 1)
        .set("WR_CONFIRM", 1)
        .address("DST_ADDR", to_address(r, kByPfp));
}
Words copy_memory(Random& r) {
    return Make("COPY_DATA")
        .set("SRC_SEL", 1)
        .set("DST_SEL", 5)
        .set("WR_CONFIRM", r.below(2))
        .set("COUNT_SEL", r.below(2))
        .address("SRC_ADDR", number_address(r, 8))
        .address("DST_ADDR", to_address(r, kByMe, 8));
}
Words mem_write(Random& r, bool& shows_time) {
    const bool clock = r.one_in(16);
    shows_time = shows_time || clock;
    return Make("MEM_WRITE")
        .address("ADDRESS", to_address(r, kByMe, 8))
        .set("CNTR_SEL", clock)
        .set("WR_CONFIRM", r.below(2))
        .set("DATA32", !clock)
        .set("DATA_LO", r.word());
}
Words dma_dwords(Random& r) {
    return Make("CP_DMA")
        .set("SRC_ADDR_LO", static_cast<uint32_t>(number_address(r)))
        .set("CP_SYNC", 1)
        .set("DST_ADDR_LO", static_cast<uint32_t>(to_address(r, kByDma)))
        .set("BYTE_COUNT", 4 + 4 * r.below(20))
        .set("SAIC", r.below(2))
        .set("DAIC", r.below(2));
}
Words dma_bytes(Random& r) {
    return Make("CP_DMA")
        .set("SRC_ADDR_LO", static_cast<uint32_t>(number_address(r, 1)))
        .set("CP_SYNC", 1)
        .set("DST_ADDR_LO", static_cast<uint32_t>(to_address(r, kByDma, 1)))
        .set("BYTE_COUNT", 1 + r.below(600))
        .set("RAW_WAIT", r.below(2));
}
Words dma_fill(Random& r) {
    return Make("CP_DMA")
        .set("SRC_ADDR_LO", r.word())
        .set("SRC_SEL", 2)
        .set("CP_SYNC", 1)
        .set("DST_ADDR_LO", static_cast<uint32_t>(to_address(r, kByDma)))
        .set("BYTE_COUNT", 4 + 4 * r.below(150));
}

Words any_data(Random& r, bool& shows_time) {
    switch (r.below(15)) {
        case 0:
            return Make("NOP").data(any_words(r, 1 + r.below(20)));
        case 1:
            return write_data_by_me(r);
        case 2:
            return Make("WRITE_DATA")
                .data(any_words(r, 1 + r.below(4)))
                .set("WR_CONFIRM", r.below(2))
                .set("DST_ADDR_LO", plain_register(r));
        case 3:
            return write_data_by_pfp(r);
        case 4:
            return Make("WRITE_DATA")
                .data(any_words(r, 1 + r.below(8)))
                .set("DST_SEL", 3)
                .set("DST_ADDR_LO", 4 * r.below(200));
        case 5:
            return copy_memory(r);
        case 6:
            return Make("COPY_DATA")
                .set("SRC_SEL", 5)
                .set("SRC_ADDR_LO", r.word())
                .set("DST_ADDR_LO", plain_register(r));
        case 7:
            return Make("COPY_DATA")
                .set("SRC_SEL", 3)
                .set("DST_SEL", 1)
                .set("SRC_ADDR_LO", 4 * r.below(200))
                .address("DST_ADDR", to_address(r, kByMe));
        case 8:
            return mem_write(r, shows_time);
        case 9:
            return dma_bytes(r);
        case 10:
            return dma_fill(r);
        case 11:
            return Make("COPY_DW")
                .set("SRC_SPACE", 1)
                .set("DST_SPACE", 1)
                .address("SRC_ADDR", number_address(r))
                .address("DST_ADDR", to_address(r, kByMe));
        case 12:
            return Make("WRITE_GDS_RAM")
                .data(any_words(r, 1 + r.below(20)))
                .set("GDS_INDEX", 4 * r.below(200));
        case 13:
            return dma_dwords(r);
        default:
            return r.one_in(2) ? Words(Make("ALLOC_GDS").set("SEGMENT_SIZE", 64 * r.below(100)))
                               : Words(Make("ME_WRITE")
                                           .data(any_words(r, 1 + r.below(4)))
                                           .address("ADDR", to_address(r, kByMe)));
    }
}

Words any_dispatch(Random& r) {
    if (r.one_in(2))
        return Make("DISPATCH_DIRECT")
            .compute()
            .set("DIM_X", r.below(9))
            .set("DIM_Y", r.below(9))
            .set("DIM_Z", r.below(9))
            .set("DISPATCH_INITIATOR", 1);
    return Words(Make("SET_BASE").set("BASE_INDEX", 1).address("ADDRESS", number_address(r, 8))) +
           Words(Make("DISPATCH_INDIRECT")
                     .compute()
                     .set("DATA_OFFSET", 4 * r.below(20))
                     .set("DISPATCH_INITIATOR", 1));
}

Words any_packet(Random& r, unsigned ring, bool& shows_time) {
    switch (r.below(ring == 0 ? 10 : 8)) {
        case 0:
        case 1:
            return any_state(r, ring);
        case 2:
            return any_predication(r, ring, shows_time);
        case 3:
        case 4:
            return any_sync(r, ring, shows_time);
        case 5:
        case 6:
            return any_data(r, shows_time);
        case 7:
            return any_dispatch(r);
        default:
            return any_draw(r);
    }
}

Words any_constant(Random& r) {
    const uint32_t offset = 32 * r.below(64);
    switch (r.below(13)) {
        case 0:
        case 1: {
            const uint32_t dwords = 1 + r.below(20);
            return Make(r.one_in(2) ? "WRITE_CONST_RAM" : "WRITE_CONST_RAM_OFFSET")
                .data(any_words(r, dwords))
                .set("OFFSET", offset + 4 * r.below(8));
        }
        case 2:
        case 3:
            return Make("DUMP_CONST_RAM")
                .set("OFFSET", offset)
                .set("NUM_DW", r.below(60))
                .address("ADDR", to_address(r, kByCe));
        case 4:
            return Make("LOAD_CONST_RAM")
                .address("ADDR", number_address(r, 32))
                .set("NUM_DW", 8 * r.below(6))
                .set("OFFSET", offset);
        case 5:
            return Make("INCREMENT_CE_COUNTER");
        case 9:
            return Make("WRITE_DATA")
                .data(any_words(r, 1 + r.below(8)))
                .set("ENGINE_SEL", 2)
                .set("DST_SEL", r.one_in(2) ? 1 : 5)
                .address("DST_ADDR", to_address(r, kByCe));
        case 10:
            return Make("COPY_DATA")
                .set("ENGINE_SEL", 2)
                .set("SRC_SEL", 5)
                .set("DST_SEL", 2)
                .set("SRC_ADDR_LO", r.word())
                .address("DST_ADDR", to_address(r, kByCe));
        case 11:
            return Make("SET_BASE")
                .set("BASE_INDEX", 3)
                .set("CS1_INDEX", 0x4000)
                .set("CS2_INDEX", 0xA000);
        case 6:
            return r.one_in(4) ? Make("SET_CE_DE_COUNTERS").set("COUNTER_LO", r.below(4))
                               : Make("NOP").data(any_words(r, 1));
        case 7:
            return Make("WAIT_ON_DE_COUNTER").set("COUNTER_LO", r.one_in(8) ? r.below(4) : 0);
        case 8:
            return Make("CE_WRITE")
                .data(any_words(r, 1 + r.below(4)))
                .address("ADDR", to_address(r, kByCe));
        default:
            return Make("WAIT_ON_DE_COUNTER_DIFF").set("DIFF", r.one_in(4) ? 1 + r.below(4) : 100);
    }
}

Words call(const char* name, uint64_t base, const Words& buffer) {
    return Make(name).address("IB_BASE", base).set("IB_SIZE", static_cast<uint32_t>(buffer.size()));
}

}  // namespace

std::string packets_never_made() {
    std::string names;
    for (const PacketInfo& info : cp::si_packet_table())
        if (info.implemented() && made.count(info.name) == 0)
            names += (names.empty() ? "" : " ") + std::string(info.name);
    return names;
}

PacketScenario make_scenario(Random& r, const ScenarioOptions& options) {
    PacketScenario s;
    s.stall = r.one_in(6);
    bool shows_time = false;
    const auto fill = [&](Words& words, unsigned ring, unsigned packets) {
        for (; packets > 0 && words.size() < 800; --packets, ++s.packets)
            words = words + any_packet(r, ring, shows_time);
    };
    const unsigned rings = r.one_in(3) ? 7 : 1u << r.below(3);
    const bool constants = r.one_in(3);
    if (constants)
        for (unsigned n = 1 + r.below(12); n > 0; --n, ++s.packets)
            s.constants = s.constants + any_constant(r);
    // What the compute rings may not do is in no buffer that they call.
    const unsigned buffer_ring = rings == 1 ? 0 : 1;
    const auto point_into = [&](Words& buffer) {
        ++s.packets;
        buffer = buffer + Words(Make("SET_SH_REG_OFFSET")
                                    .compute()
                                    .set("REG_OFFSET", 0x240 + r.below(8))
                                    .set("IB_OFFSET", 4 * r.below(64))
                                    .set("DRIVER_DATA", r.below(0x10000)));
    };
    fill(s.ib2, buffer_ring, 1 + r.below(6));
    if (r.one_in(4))
        point_into(s.ib2);
    fill(s.ib1, buffer_ring, r.below(6));
    if (r.one_in(4))
        point_into(s.ib1);
    if (r.one_in(2))
        s.ib1 = s.ib1 + call("INDIRECT_BUFFER", kIb2, s.ib2);
    fill(s.ib1, buffer_ring, 1 + r.below(6));
    unsigned used = 0;
    for (unsigned ring = 0; ring < cp::kSiRings; ++ring) {
        if ((rings >> ring & 1) == 0)
            continue;
        ++used;
        Words& words = s.rings[ring];
        fill(words, ring, options.packets / 2);
        if (constants && r.one_in(2))
            words = words + call("INDIRECT_BUFFER_CONST", kConstants, s.constants);
        if (!r.one_in(3) && words.size() < 800)
            words = words + call("INDIRECT_BUFFER", kIb1, s.ib1);
        fill(words, ring, options.packets / 2);
    }
    s.comparable = used == 1 && !constants && !shows_time;
    if (options.corrupted != 0 && r.one_in(options.corrupted)) {
        Words* lists[] = {&s.rings[0], &s.rings[1], &s.rings[2], &s.ib1, &s.ib2, &s.constants};
        Words& list = *lists[r.below(6)];
        if (!list.empty()) {
            uint32_t& word = list[r.below(static_cast<uint32_t>(list.size()))];
            word = r.one_in(2) ? r.word() : word ^ 1u << r.below(32);
            s.comparable = false;
        }
    }
    return s;
}

Bytes pack(const PacketScenario& s) {
    Bytes bytes = {static_cast<uint8_t>(s.stall)};
    const Words* lists[] = {&s.rings[0], &s.rings[1], &s.rings[2], &s.ib1, &s.ib2, &s.constants};
    for (const Words* list : lists) {
        bytes.push_back(static_cast<uint8_t>(list->size()));
        bytes.push_back(static_cast<uint8_t>(list->size() >> 8));
    }
    bytes.resize(16);
    for (const Words* list : lists)
        for (const uint32_t word : *list)
            for (unsigned i = 0; i < 4; ++i)
                bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
    return bytes;
}

bool unpack(const uint8_t* data, size_t size, PacketScenario& s) {
    if (size < 16)
        return false;
    s = {};
    s.stall = (data[0] & 1) != 0;
    Words* lists[] = {&s.rings[0], &s.rings[1], &s.rings[2], &s.ib1, &s.ib2, &s.constants};
    size_t at = 16;
    for (unsigned k = 0; k < 6; ++k) {
        const size_t limit = k < 3 ? kRingDwords - 1 : kBufferDwords;
        size_t left = std::min<size_t>(data[1 + 2 * k] | size_t{data[2 + 2 * k]} << 8, limit);
        for (; left > 0 && at + 4 <= size; --left, at += 4) {
            uint32_t word = 0;
            std::memcpy(&word, data + at, 4);
            lists[k]->push_back(word);
        }
    }
    return true;
}

}  // namespace archipelago::fuzz
