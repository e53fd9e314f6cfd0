// SPDX-License-Identifier: Apache-2.0
// Events: 2.8.3, 2.8.4 and 2.8.5 of "Radeon Southern Islands Acceleration".
#include <algorithm>

#include "models/common/error.h"
#include "models/cp/packet_program.h"
#include "models/cp/si_packet_fields.h"

namespace archipelago::cp {

namespace {

// VGT_EVENT_TYPE
constexpr uint8_t kCsDone = 47;
constexpr uint8_t kPartialFlushEvents[] = {7, 15, 16};
constexpr uint8_t kCacheFlushEvents[] = {6, 22};
constexpr uint8_t kEndOfPipeEvents[] = {4, 20, 40, 43, 45};
constexpr uint8_t kEndOfShaderEvents[] = {47, 48};

template <size_t N>
bool one_of(uint8_t type, const uint8_t (&list)[N]) {
    return std::find(list, list + N, type) != list + N;
}

// EVENT_INDEX of a sample event.
uint32_t sample_index(uint8_t type) {
    return type == kZpassDone ? 1 : type == kSamplePipelineStat ? 2 : 3;
}

}  // namespace

bool is_draw(PacketId id) {
    switch (id) {
        case PacketId::DrawIndirect:
        case PacketId::DrawIndexIndirect:
        case PacketId::DrawIndex2:
        case PacketId::DrawIndexOffset:
        case PacketId::DrawIndex:
        case PacketId::DrawIndirectMulti:
        case PacketId::DrawIndexAuto:
        case PacketId::DrawIndexImmed:
        case PacketId::DrawIndexMultiAuto:
        case PacketId::DrawIndexOffset2:
        case PacketId::DrawIndexMultiElement:
        case PacketId::DrawIndexIndirectMulti:
        case PacketId::MpegIndex:
            return true;
        default:
            return false;
    }
}
bool is_dispatch(PacketId id) {
    return id == PacketId::DispatchDirect || id == PacketId::DispatchIndirect;
}

void refuse_sample(const Location& location, const PacketInfo& info, uint32_t type) {
    if (is_sample_event(static_cast<uint8_t>(type)))
        throw MachineStop(StopKind::Unimplemented, to_string(location),
                          std::string("packet ") + info.name + " writes " +
                              event_name(static_cast<uint8_t>(type)) +
                              " to the event initiator, which is not implemented");
}

void no_perfcounter(const EopCommand& command) {
    throw MachineStop(StopKind::Unimplemented, to_string(command.location),
                      "packet EVENT_WRITE_EOP with DATA_SEL 4 (CP_PERFCOUNTER) is not "
                      "implemented");
}

void sample_image(const SampleCounts& counts, unsigned depth_blocks, EopImage& image) {
    constexpr uint64_t kValid = uint64_t{1} << 63;
    if (counts.event_type == kZpassDone) {
        image.count = static_cast<uint8_t>(depth_blocks);
        image.stride = 16;
        image.values.fill(kValid);
    } else if (counts.event_type == kSamplePipelineStat) {
        image.count = SampleCounts::kPipelineCounters;
        image.values = counts.counts;
    } else {
        image.count = SampleCounts::kStreamoutCounters;
        for (unsigned i = 0; i < image.count; ++i)
            image.values[i] = counts.counts[i] | kValid;
    }
}

// ---- events ------------------------------------------------------------------------------------

void PacketProgram::end_of_pipe(MicroOp& op, uint8_t event_type) const {
    op.kind = OpKind::Eop;
    op.eop = {};
    op.eop.location = location_;
    op.eop.event_type = event_type;
}

bool PacketProgram::event_write(MicroOp& op) {
    namespace f = fields::event_write;
    const auto type = static_cast<uint8_t>(f::kType.in(body_.data()));
    const uint32_t index = f::kIndex.in(body_.data());
    if (step_ == 0) {
        const bool sample = is_sample_event(type);
        if (!event_is_defined(type))
            bad("reserved EVENT_TYPE " + std::to_string(type));
        if (index == 5 || index == 6 || index > 7)
            bad("EVENT_INDEX " + std::to_string(index) + " is not one of EVENT_WRITE");
        if (body_dwords() != (sample ? 3u : 1u))
            bad(event_name(type) + " has " + std::to_string(body_dwords()) +
                " body dwords, must have " + (sample ? "3" : "1"));
        if (one_of(type, kEndOfPipeEvents) || one_of(type, kEndOfShaderEvents))
            bad(event_name(type) + " is for EVENT_WRITE_EOP or EVENT_WRITE_EOS");
        const bool fits = sample
                              ? index == sample_index(type)
                              : index == 0 || (index == 4 && one_of(type, kPartialFlushEvents)) ||
                                    (index == 7 && one_of(type, kCacheFlushEvents));
        if (!fits)
            bad("EVENT_INDEX " + std::to_string(index) + " does not go with " + event_name(type));
        if (sample) {
            op.kind = OpKind::Take;
            op.stream = true;
            op.dwords = 2;
            step_ = 5;
            return true;
        }
        const bool write_back = index == 7 && f::kInvalidateL2.in(body_.data()) != 0;
        op.kind = OpKind::Event;
        op.event_type = type;
        op.wait = index == 4 || write_back;
        step_ = write_back ? 1 : 4;
        return true;
    }
    switch (step_) {
        case 1:
            op.kind = OpKind::CacheStart;
            op.action = {};
            op.action.writeback_l2 = op.action.invalidate_l2 = true;
            step_ = 2;
            return true;
        case 2:
            op.kind = OpKind::CachePoll;
            step_ = 3;
            return true;
        case 3:
            if (result.value != 0)
                return false;
            op.kind = OpKind::Delay;
            op.cycles = poll_cycles(0);
            step_ = 2;
            return true;
        case 5:
            end_of_pipe(op, type);
            op.eop.data_sel = EopData::Counters;
            op.eop.address = uint64_t{result.data[1] & 0xFFFF} << 32 | result.data[0];
            if (op.eop.address % 8 != 0)
                bad("address " + hex(op.eop.address) + " is not qword aligned");
            step_ = 4;
            return true;
        default:
            return false;
    }
}

bool PacketProgram::event_write_eop(MicroOp& op) {
    namespace f = fields::event_write_eop;
    if (step_++ != 0)
        return false;
    const auto type = static_cast<uint8_t>(fields::event_write::kType.in(body_.data()));
    const uint32_t index = fields::event_write::kIndex.in(body_.data());
    const uint32_t data_sel = f::kDataSel.in(body_.data());
    const uint32_t int_sel = f::kIntSel.in(body_.data());
    if (index != 5)
        bad("EVENT_INDEX " + std::to_string(index) + ", must be 5");
    if (!one_of(type, kEndOfPipeEvents))
        bad(event_name(type) + " is not an end-of-pipe event");
    if (data_sel > 4)
        bad("reserved DATA_SEL " + std::to_string(data_sel));
    if (int_sel == 3)
        bad("reserved INT_SEL 3");
    if (int_sel == 1 && data_sel != 0)
        bad("INT_SEL 1 (interrupt only) with DATA_SEL " + std::to_string(data_sel));
    end_of_pipe(op, type);
    op.eop.data_sel = static_cast<EopData>(data_sel);
    op.eop.interrupt = static_cast<EopInterrupt>(int_sel);
    op.eop.invalidate_l2 = fields::event_write::kInvalidateL2.in(body_.data()) != 0;
    op.eop.address =
        uint64_t{f::kAddressHi.in(body_.data())} << 32 | f::kAddressLo.in(body_.data());
    op.eop.data = uint64_t{f::kDataHi.in(body_.data())} << 32 | f::kDataLo.in(body_.data());
    if (data_sel == 1 && op.eop.address % 4 != 0)
        bad("address " + hex(op.eop.address) + " is not dword aligned");
    if (data_sel > 1 && op.eop.address % 8 != 0)
        bad("address " + hex(op.eop.address) + " is not qword aligned");
    return true;
}

bool PacketProgram::event_write_eos(MicroOp& op) {
    namespace f = fields::event_write_eos;
    if (step_++ != 0)
        return false;
    const auto type = static_cast<uint8_t>(fields::event_write::kType.in(body_.data()));
    const uint32_t index = fields::event_write::kIndex.in(body_.data());
    const uint32_t command = f::kCommand.in(body_.data());
    if (index != 6)
        bad("EVENT_INDEX " + std::to_string(index) + ", must be 6");
    if (!one_of(type, kEndOfShaderEvents))
        bad(event_name(type) + " is not an end-of-shader event");
    if (command != 1 && command != 2)
        bad("reserved CMD " + std::to_string(command));
    // 2.1.5, and more than one may follow. A compute ring knows compute shaders only, and on the
    // graphics ring the header says whose end is meant.
    const bool of_cs = type == kCsDone;
    if (location_.ring != 0 && !of_cs)
        bad(event_name(type) + " on a compute ring");
    if (location_.ring == 0 && of_cs != header_is_compute(header_))
        bad(event_name(type) + " does not go with SHADER_TYPE " + (of_cs ? "0" : "1"));
    if (of_cs ? !is_dispatch(previous_) : !is_draw(previous_))
        bad(std::string("must directly follow ") + (of_cs ? "a dispatch" : "a draw"));
    if (command == 1)
        return store_gds_at_end_of_shader(op, type);
    end_of_pipe(op, type);
    op.eop.data_sel = EopData::Low32;
    op.eop.address = dword_address(f::kAddressLo.in(body_.data()), f::kAddressHi.in(body_.data()));
    op.eop.data = f::kData.in(body_.data());
    return true;
}

}  // namespace archipelago::cp
