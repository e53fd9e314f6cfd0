// SPDX-License-Identifier: Apache-2.0
// Events: EVENT_WRITE, EVENT_WRITE_EOP, EVENT_WRITE_EOS. "Radeon Southern Islands Acceleration"
// 2.8.3, 2.8.4, 2.8.5.
#include <algorithm>

#include "models/cp/packets/si/end_of_pipe.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/gds.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "models/gcn/vgt_event.h"

namespace archipelago::cp::si {

namespace {
using namespace vgt_event;

constexpr uint8_t kPartialFlushEvents[] = {kCsPartialFlush, kVsPartialFlush, kPsPartialFlush};
constexpr uint8_t kCacheFlushEvents[] = {kCacheFlush, kCacheFlushAndInvEvent};
constexpr uint8_t kEndOfPipeEvents[] = {kCacheFlushTs, kCacheFlushAndInvTsEvent, kBottomOfPipeTs,
                                        kFlushAndInvDbDataTs, kFlushAndInvCbDataTs};
constexpr uint8_t kEndOfShaderEvents[] = {kCsDone, kPsDone};

template <size_t N>
bool one_of(uint8_t type, const uint8_t (&list)[N]) {
    return std::find(list, list + N, type) != list + N;
}

// EVENT_INDEX of a sample event.
uint32_t sample_index(uint8_t type) {
    return type == kZpassDone ? 1 : type == kSamplePipelinestat ? 2 : 3;
}

constexpr ValueName kEosCommandsNames[] = {{1, "STORE_GDS"}, {2, "FENCE"}};
constexpr FieldMeaning kEosCommands = value_names(kEosCommandsNames);
constexpr ValueName kIntSelectsNames[] = {{0, "NONE"}, {1, "ONLY"}, {2, "ON_CONFIRM"}};
constexpr FieldMeaning kIntSelects = value_names(kIntSelectsNames);
constexpr ValueName kDataSelectsNames[] = {
    {0, "NONE"}, {1, "DATA32"}, {2, "DATA64"}, {3, "CLOCK"}, {4, "PERFCOUNTER"}};
constexpr FieldMeaning kDataSelects = value_names(kDataSelectsNames);

}  // namespace

namespace event_write {
enum f : uint8_t { kInvalidateL2, kIndex, kType, kAddressLo, kAddressHi };
constexpr PacketField kFields[] = {
    {"INV_L2", 1, 20, 20},
    {"EVENT_INDEX", 1, 8, 11},
    {"EVENT_TYPE", 1, 0, 5, &kEvents},
    {"ADDRESS_LO", 2, 3, 31, &kAddress},
    {"ADDRESS_HI", 3, 0, 15},
};

bool run(ProgramState& p, MicroOp& op) {
    const auto type = static_cast<uint8_t>(p[f::kType]);
    const uint32_t index = p[f::kIndex];
    if (p.step == 0) {
        const bool sample = is_sample_event(type);
        if (!event_is_defined(type))
            p.bad("reserved EVENT_TYPE " + std::to_string(type));
        if (index == 5 || index == 6 || index > 7)
            p.bad("EVENT_INDEX " + std::to_string(index) + " is not one of EVENT_WRITE");
        if (p.body_dwords() != (sample ? 3u : 1u))
            p.bad(event_name(type) + " has " + std::to_string(p.body_dwords()) +
                  " body dwords, must have " + (sample ? "3" : "1"));
        if (one_of(type, kEndOfPipeEvents) || one_of(type, kEndOfShaderEvents))
            p.bad(event_name(type) + " is for EVENT_WRITE_EOP or EVENT_WRITE_EOS");
        const bool fits = sample
                              ? index == sample_index(type)
                              : index == 0 || (index == 4 && one_of(type, kPartialFlushEvents)) ||
                                    (index == 7 && one_of(type, kCacheFlushEvents));
        if (!fits)
            p.bad("EVENT_INDEX " + std::to_string(index) + " does not go with " + event_name(type));
        if (sample) {
            p.step = 5;
            return take(op, 2);
        }
        const bool write_back = index == 7 && p[f::kInvalidateL2] != 0;
        op.kind = OpKind::Event;
        op.event_type = type;
        op.wait = index == 4 || write_back;
        p.step = write_back ? 1 : 4;
        return true;
    }
    switch (p.step) {
        case 1:
            op.kind = OpKind::CacheStart;
            op.action = {};
            op.action.writeback_l2 = op.action.invalidate_l2 = true;
            p.step = 2;
            return true;
        case 2:
            p.step = 3;
            return issue(op, OpKind::CachePoll);
        case 3:
            if (p.result.value != 0)
                return false;
            p.step = 2;
            return delay(op, p.poll_cycles(0));
        case 5:
            end_of_pipe(p, op, type);
            op.eop.data_sel = EopData::Counters;
            op.eop.address = uint64_t{p.result.data[1] & 0xFFFF} << 32 | p.result.data[0];
            if (op.eop.address % 8 != 0)
                p.bad("address " + hex(op.eop.address) + " is not qword aligned");
            p.step = 4;
            return true;
        default:
            return false;
    }
}
std::string describe_wait(const PacketInfo& info, const uint32_t* body, uint32_t) {
    return " " + event_name(static_cast<uint8_t>(info.fields[f::kType].in(body)));
}
}  // namespace event_write
constexpr PacketInfo kEventWrite = packet("EVENT_WRITE", 0x46, PacketClass::Event)
                                       .body(1, 3, 1)
                                       .fields(event_write::kFields)
                                       .waits(event_write::describe_wait)
                                       .runs(event_write::run);

namespace event_write_eop {
enum f : uint8_t {
    kInvalidateL2,
    kIndex,
    kType,
    kAddressLo,
    kDataSel,
    kIntSel,
    kAddressHi,
    kDataLo,
    kDataHi
};
constexpr PacketField kFields[] = {
    {"INV_L2", 1, 20, 20},
    {"EVENT_INDEX", 1, 8, 11},
    {"EVENT_TYPE", 1, 0, 5, &kEvents},
    {"ADDRESS_LO", 2, 0, 31},
    {"DATA_SEL", 3, 29, 31, &kDataSelects},
    {"INT_SEL", 3, 24, 25, &kIntSelects},
    {"ADDRESS_HI", 3, 0, 15},
    {"DATA_LO", 4, 0, 31},
    {"DATA_HI", 5, 0, 31},
};

bool run(ProgramState& p, MicroOp& op) {
    if (p.step++ != 0)
        return false;
    const auto type = static_cast<uint8_t>(p[f::kType]);
    const uint32_t index = p[f::kIndex];
    const uint32_t data_sel = p[f::kDataSel];
    const uint32_t int_sel = p[f::kIntSel];
    if (index != 5)
        p.bad("EVENT_INDEX " + std::to_string(index) + ", must be 5");
    if (!one_of(type, kEndOfPipeEvents))
        p.bad(event_name(type) + " is not an end-of-pipe event");
    if (data_sel > 4)
        p.bad("reserved DATA_SEL " + std::to_string(data_sel));
    if (int_sel == 3)
        p.bad("reserved INT_SEL 3");
    if (int_sel == 1 && data_sel != 0)
        p.bad("INT_SEL 1 (interrupt only) with DATA_SEL " + std::to_string(data_sel));
    end_of_pipe(p, op, type);
    op.eop.data_sel = static_cast<EopData>(data_sel);
    op.eop.interrupt = static_cast<EopInterrupt>(int_sel);
    op.eop.invalidate_l2 = p[f::kInvalidateL2] != 0;
    op.eop.address = p.wide(f::kAddressLo, f::kAddressHi);
    op.eop.data = p.wide(f::kDataLo, f::kDataHi);
    if (data_sel == 1 && op.eop.address % 4 != 0)
        p.bad("address " + hex(op.eop.address) + " is not dword aligned");
    if (data_sel > 1 && op.eop.address % 8 != 0)
        p.bad("address " + hex(op.eop.address) + " is not qword aligned");
    return true;
}
}  // namespace event_write_eop
constexpr PacketInfo kEventWriteEop = packet("EVENT_WRITE_EOP", 0x47, PacketClass::Event)
                                          .body(5)
                                          .program(event_write_eop::kFields, event_write_eop::run);

namespace event_write_eos {
enum f : uint8_t {
    kIndex,
    kType,
    kAddressLo,
    kCommand,
    kAddressHi,
    kFence,
    kSize,
    kGdsIndex,
    kData
};
constexpr FieldCondition kStores = when({"CMD", 3, 29, 31}, {1});
constexpr FieldCondition kFences = unless({"CMD", 3, 29, 31}, {1});
constexpr PacketField kFields[] = {
    {"EVENT_INDEX", 1, 8, 11},
    {"EVENT_TYPE", 1, 0, 5, &kEvents},
    {"ADDRESS_LO", 2, 0, 31},
    {"CMD", 3, 29, 31, &kEosCommands},
    {"ADDRESS_HI", 3, 0, 15},
    PacketField{"DATA", 4, 0, 31}.when(kFences),
    PacketField{"SIZE", 4, 16, 31}.when(kStores),
    PacketField{"GDS_INDEX", 4, 0, 15}.when(kStores),
    {"DATA_INFO", 4, 0, 31},
};
constexpr size_t kShown = 8;  // after them: whole dwords, for the program

bool store_gds_at_end_of_shader(ProgramState& p, MicroOp& op, uint8_t event_type) {
    const uint32_t dwords = p[f::kSize];
    if (dwords == 0)
        p.bad("SIZE 0 with CMD 1");
    op.kind = OpKind::Eop;
    op.eop = {};
    op.eop.location = p.location;
    op.eop.event_type = event_type;
    op.eop.address = p.dword_address(p[f::kAddressLo], p[f::kAddressHi]);
    op.eop.gds_from = gds_dwords(p, 4 * p[f::kGdsIndex], dwords);
    op.eop.gds_dwords = dwords;
    return true;
}

bool run(ProgramState& p, MicroOp& op) {
    if (p.step++ != 0)
        return false;
    const auto type = static_cast<uint8_t>(p[f::kType]);
    const uint32_t index = p[f::kIndex];
    const uint32_t command = p[f::kCommand];
    if (index != 6)
        p.bad("EVENT_INDEX " + std::to_string(index) + ", must be 6");
    if (!one_of(type, kEndOfShaderEvents))
        p.bad(event_name(type) + " is not an end-of-shader event");
    if (command != 1 && command != 2)
        p.bad("reserved CMD " + std::to_string(command));
    // 2.1.5, and more than one may follow. A compute ring knows compute shaders only, and on the
    // graphics ring the header says whose end is meant.
    const bool of_cs = type == kCsDone;
    if (p.location.ring != 0 && !of_cs)
        p.bad(event_name(type) + " on a compute ring");
    if (p.location.ring == 0 && of_cs != header_is_compute(p.header))
        p.bad(event_name(type) + " does not go with SHADER_TYPE " + (of_cs ? "0" : "1"));
    if ((p.previous & (of_cs ? kStartsDispatch : kStartsDraw)) == 0)
        p.warn(Warning::EosApart,
               std::string("must directly follow ") + (of_cs ? "a dispatch" : "a draw"));
    if (command == 1)
        return store_gds_at_end_of_shader(p, op, type);
    end_of_pipe(p, op, type);
    op.eop.data_sel = EopData::Low32;
    op.eop.address = p.dword_address(p[f::kAddressLo], p[f::kAddressHi]);
    op.eop.data = p[f::kData];
    return true;
}
}  // namespace event_write_eos
constexpr PacketInfo kEventWriteEos = packet("EVENT_WRITE_EOS", 0x48, PacketClass::Event)
                                          .body(4)
                                          .flags(kEndsShader)
                                          .fields(event_write_eos::kFields, event_write_eos::kShown)
                                          .runs(event_write_eos::run);

}  // namespace archipelago::cp::si
