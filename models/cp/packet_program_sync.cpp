// SPDX-License-Identifier: Apache-2.0
// Events and waits: 2.8 of "Radeon Southern Islands Acceleration".
#include <algorithm>

#include "models/cp/packet_program.h"
#include "models/cp/si_packet_fields.h"
#include "registers/si_cp.h"

namespace archipelago::cp {

namespace {

constexpr uint8_t kSampleEvents[] = {1, 2, 3, 21, 30, 32};
constexpr uint8_t kPartialFlushEvents[] = {7, 15, 16};
constexpr uint8_t kCacheFlushEvents[] = {6, 22};
constexpr uint8_t kEndOfPipeEvents[] = {4, 20, 40, 43, 45};
constexpr uint8_t kEndOfShaderEvents[] = {47, 48};

template <size_t N>
bool one_of(uint8_t type, const uint8_t (&list)[N]) {
    return std::find(list, list + N, type) != list + N;
}

}  // namespace

bool coherency_action(uint32_t control, uint32_t size, uint32_t base, CacheAction& action) {
    const regs::si::typed::CP_COHER_CNTL bits{control};
    action = {};
    action.invalidate_l1 = bits.TCL1_ACTION_ENA() != 0 || bits.TCL1_VOL_ACTION_ENA() != 0;
    action.invalidate_scalar =
        bits.SH_KCACHE_ACTION_ENA() != 0 || bits.SH_KCACHE_VOL_ACTION_ENA() != 0;
    action.invalidate_inst = bits.SH_ICACHE_ACTION_ENA() != 0;
    action.invalidate_l2 = bits.TC_ACTION_ENA() != 0 || bits.TC_VOL_ACTION_ENA() != 0;
    action.writeback_l2 = action.invalidate_l2 || bits.TC_WB_ACTION_ENA() != 0;
    action.base = uint64_t{base} << 8;
    action.size = size == ~0u ? ~uint64_t{0} : uint64_t{size} << 8;
    return action.invalidate_l1 || action.invalidate_scalar || action.invalidate_inst ||
           action.writeback_l2;
}

// ---- events ------------------------------------------------------------------------------------

bool PacketProgram::event_write(MicroOp& op) {
    namespace f = fields::event_write;
    const auto type = static_cast<uint8_t>(f::kType.in(body_.data()));
    const uint32_t index = f::kIndex.in(body_.data());
    if (step_ == 0) {
        const bool sample = one_of(type, kSampleEvents);
        if (!event_is_defined(type))
            bad("reserved EVENT_TYPE " + std::to_string(type));
        if (index == 5 || index == 6 || index > 7)
            bad("EVENT_INDEX " + std::to_string(index) + " is not one of EVENT_WRITE");
        if (body_dwords() != (sample ? 3u : 1u))
            bad(event_name(type) + " has " + std::to_string(body_dwords()) +
                " body dwords, must have " + (sample ? "3" : "1"));
        const bool fits = index == 0 || (index <= 3 && sample) ||
                          (index == 4 && one_of(type, kPartialFlushEvents)) ||
                          (index == 7 && one_of(type, kCacheFlushEvents));
        if (!fits)
            bad("EVENT_INDEX " + std::to_string(index) + " does not go with " + event_name(type));
        if (sample)
            missing("with " + event_name(type));
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
    if (data_sel == 4)
        missing("with DATA_SEL 4 (CP_PERFCOUNTER)");
    if (data_sel > 4)
        bad("reserved DATA_SEL " + std::to_string(data_sel));
    if (int_sel == 3)
        bad("reserved INT_SEL 3");
    if (int_sel == 1 && data_sel != 0)
        bad("INT_SEL 1 (interrupt only) with DATA_SEL " + std::to_string(data_sel));
    op.kind = OpKind::Eop;
    op.eop = {};
    op.eop.location = location_;
    op.eop.event_type = type;
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
    if (command == 1)
        return store_gds_at_end_of_shader(op, type);
    if (command != 2)
        bad("reserved CMD " + std::to_string(command));
    op.kind = OpKind::Eop;
    op.eop = {};
    op.eop.location = location_;
    op.eop.event_type = type;
    op.eop.data_sel = EopData::Low32;
    op.eop.address = dword_address(f::kAddressLo.in(body_.data()), f::kAddressHi.in(body_.data()));
    op.eop.data = f::kData.in(body_.data());
    return true;
}

// ---- synchronisation ---------------------------------------------------------------------------

bool PacketProgram::surface_sync(MicroOp& op) {
    namespace f = fields::surface_sync;
    switch (step_) {
        case 0:
            op.kind = OpKind::WaitWrites;
            step_ = 1;
            return true;
        case 1:
            if (!coherency_action(f::kControl.in(body_.data()), f::kSize.in(body_.data()),
                                  f::kBase.in(body_.data()), op.action))
                return false;
            op.kind = OpKind::CacheStart;
            step_ = 2;
            return true;
        case 2:
            op.kind = OpKind::CachePoll;
            step_ = 3;
            return true;
        default:
            if (result.value != 0)
                return false;
            op.kind = OpKind::Delay;
            op.cycles = poll_cycles(f::kInterval.in(body_.data()));
            step_ = 2;
            return true;
    }
}

void PacketProgram::poll_op(MicroOp& op, bool memory, const PacketField& lo,
                            const PacketField& hi) const {
    const uint32_t low = lo.in(body_.data());
    if (!memory) {
        op.kind = OpKind::RegRead;
        op.offset = 4 * (low & 0xFFFF);
        return;
    }
    op.kind = OpKind::MemRead;
    op.address = uint64_t{hi.in(body_.data())} << 32 | (low & ~3u);
    op.swap = static_cast<uint8_t>(low & 3);
    if (op.swap > kMaxDwordSwap)
        bad("reserved swap code 3");
}

bool PacketProgram::wait_reg_mem(MicroOp& op) {
    namespace f = fields::wait_reg_mem;
    const uint32_t* body = body_.data();
    const uint32_t function = f::kFunction.in(body);
    const bool memory = f::kMemSpace.in(body) != 0;
    if (step_ == 0) {
        if (function == 7)
            bad("reserved FUNCTION 7");
        if (engine_ == ProgramEngine::Pfp && !memory)
            bad("ENGINE PFP polls memory only");
        if (engine_ == ProgramEngine::Pfp && function != 5)
            bad("ENGINE PFP knows only FUNCTION 5 (>=), not " + std::to_string(function));
        step_ = 1;
    }
    if (step_ == 1) {
        poll_op(op, memory, f::kAddressLo, f::kAddressHi);
        step_ = 2;
        return true;
    }
    if (compare(function, static_cast<uint32_t>(result.value), f::kMask.in(body),
                f::kReference.in(body)))
        return false;
    op.kind = OpKind::Delay;
    op.cycles = poll_cycles(f::kInterval.in(body));
    step_ = 1;
    return true;
}

std::string describe_wait(const PacketProgram& program, uint32_t last_read) {
    static const char* const kFunctions[] = {"always", "<", "<=", "==", "!=", ">=", ">", "?"};
    const uint32_t* body = program.body();
    std::string text = program.info().name;
    if (program.info().id == PacketId::EventWrite)
        text += " " + event_name(static_cast<uint8_t>(fields::event_write::kType.in(body)));
    if (program.info().id != PacketId::WaitRegMem)
        return text;
    namespace f = fields::wait_reg_mem;
    const bool memory = f::kMemSpace.in(body) != 0;
    const uint64_t address =
        memory ? uint64_t{f::kAddressHi.in(body)} << 32 | (f::kAddressLo.in(body) & ~3u)
               : 4 * (f::kAddressLo.in(body)&0xFFFF);
    text += (memory ? " memory " : " register ") + PacketProgram::hex(address);
    if (f::kMask.in(body) != ~0u)
        text += " & " + PacketProgram::hex(f::kMask.in(body));
    return text + " " + kFunctions[f::kFunction.in(body)] + " " +
           PacketProgram::hex(f::kReference.in(body)) + " (last " + PacketProgram::hex(last_read) +
           ")";
}

}  // namespace archipelago::cp
