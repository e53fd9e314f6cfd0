// SPDX-License-Identifier: Apache-2.0
// Packets that set registers and state: 2.1.1, 2.2 and 2.4 of "Radeon Southern Islands
// Acceleration".
#include <algorithm>
#include <string>

#include "models/cp/packet_program.h"
#include "models/cp/register_run.h"
#include "models/cp/si_packet_fields.h"
#include "registers/si_names.h"

namespace archipelago::cp {

namespace {

constexpr uint8_t kWaitForIdleEvent = 16;  // PS_PARTIAL_FLUSH: behind all graphics work
constexpr uint8_t kMaxSwap = kMaxDwordSwap;

// The bits of CONTEXT_CONTROL's dwords as a mask of RegisterSpace.
uint8_t space_mask(uint32_t dword) {
    namespace f = fields::context_control;
    return static_cast<uint8_t>(((dword & f::kConfig) != 0 ? 1u << kConfigRegisters : 0u) |
                                ((dword & f::kContext) != 0 ? 1u << kContextRegisters : 0u) |
                                ((dword & f::kGfxSh) != 0 ? 1u << kGfxShRegisters : 0u) |
                                ((dword & f::kComputeSh) != 0 ? 1u << kComputeShRegisters : 0u));
}

}  // namespace

bool PacketProgram::names_registers() const {
    switch (info_->id) {
        case PacketId::Type0:
        case PacketId::OneRegWrite:
        case PacketId::RegRmw:
        case PacketId::SetConfigReg:
        case PacketId::SetContextReg:
        case PacketId::SetContextRegIndirect:
        case PacketId::SetShReg:
        case PacketId::SetShRegOffset:
        case PacketId::LoadConfigReg:
        case PacketId::LoadContextReg:
        case PacketId::LoadShReg:
        case PacketId::WriteData:
        case PacketId::CopyData:
        case PacketId::CopyDw:
        case PacketId::MeWrite:
        case PacketId::CondWrite:
            return true;
        default:
            return false;
    }
}

void PacketProgram::check_special_write(uint32_t offset) const {
    if (offset < kContextRegistersStart || offset >= kContextRegistersEnd)
        return;
    const char* const engine =
        engine_ == ProgramEngine::Pfp ? "the prefetch parser" : "the constant engine";
    if (offset == kGfxCopyState || offset == regs::si::CS_COPY_STATE) {
        if (info_->id != PacketId::ClearState && info_->id != PacketId::MeInitialize)
            bad("writes register " + hex(offset) + ", with which CP itself copies contexts");
    } else if (offset == Contexts::kDrawInitiator) {
        if (location_.ring != 0)
            bad("starts a draw on a compute ring");
        if (engine_ != ProgramEngine::Me)
            bad(std::string("starts a draw at ") + engine);
    } else if (engine_ != ProgramEngine::Me && offset == regs::si::VGT_EVENT_INITIATOR) {
        bad(std::string("starts an event at ") + engine);
    } else if (engine_ != ProgramEngine::Me && is_context_register(offset)) {
        bad("writes context register " + hex(offset) + " at " + engine +
            ", past draws that still use it");
    }
}

// ---- registers ---------------------------------------------------------------------------------

// Byte offset of the first of `count` registers at `offset` dwords of the packet's window.
uint32_t PacketProgram::register_start(uint32_t offset, uint32_t count) const {
    const RegisterSpace space = space_of(info_->id, header_);
    const RegisterWindow& window = kRegisterWindows[space];
    uint32_t start = 0;
    const NameFault fault = find_registers(space, location_.ring, offset, count, start);
    if (fault == NameFault::Outside)
        bad("registers " + hex(start) + ".." + hex(start + 4 * (uint64_t{count} - 1)) +
            " are outside the window " + hex(window.start) + ".." + hex(window.end - 1));
    if (fault == NameFault::GraphicsStage)
        bad("register " + hex(start) + " of a graphics stage on a compute ring");
    return start;
}

// Whether the registers that follow go to memory too.
bool PacketProgram::begin_shadow(uint32_t offset) {
    const RegisterSpace space = space_of(info_->id, header_);
    const DeState::Ring& ring = state_->rings[location_.ring];
    line_have_ = 0;
    if (!shadows(ring, space))
        return false;
    if (!ring.register_base_set[space])
        bad("is to be shadowed, but no LOAD packet has said where");
    memory_ = ring.register_base[space] + 4 * uint64_t{offset};
    return true;
}

// A register was written with `value`. True: `op` now writes what has gathered of a line.
bool PacketProgram::shadow(MicroOp& op, uint32_t value, bool last) {
    line_[line_have_++] = value;
    memory_ += 4;
    if (!last && memory_ % kLineBytes != 0)
        return false;
    op.kind = OpKind::MemWrite;
    op.address = memory_ - 4 * uint64_t{line_have_};
    op.dwords = static_cast<uint8_t>(line_have_);
    op.swap = state_->external_swap;
    std::copy_n(line_.begin(), line_have_, op.data.begin());
    line_have_ = 0;
    return true;
}

bool PacketProgram::set_registers(MicroOp& op) {
    if (step_ == 0) {
        step_ = 1;
        count_ = body_dwords() - 1;
        const uint32_t offset = fields::set_reg::kOffset.in(body_.data());
        if (const uint32_t reserved = reserved_bits(info_->id, body_[0]))
            bad("reserved bits " + hex(reserved) + " of REG_OFFSET");
        address_ = register_start(offset, count_);
        shadowing_ = begin_shadow(offset);
        in_run_ = !shadowing_;
    }
    if (shadowing_ && index_ > 0 && step_ == 2) {
        step_ = 1;
        if (shadow(op, static_cast<uint32_t>(result.value), index_ == count_))
            return true;
    }
    if (index_ == count_)
        return false;
    op.kind = OpKind::RegWrite;
    op.stream = true;
    op.offset = static_cast<uint32_t>(address_) + 4 * index_++;
    step_ = 2;
    return true;
}

bool PacketProgram::set_context_indirect(MicroOp& op) {
    namespace f = fields::set_context_reg_indirect;
    const DeState::Ring& ring = state_->rings[location_.ring];
    const uint32_t offset = f::kOffset.in(body_.data());
    switch (step_++) {
        case 0:
            address_ = register_start(offset, 1);
            if (!ring.base_set[0])
                bad("no SET_BASE has said where the patch table is");
            op.kind = OpKind::MemRead;
            op.address = ring.base[0] + 4 * uint64_t{f::kIndex.in(body_.data())};
            return true;
        case 1:
            shadowing_ = begin_shadow(offset);
            op.kind = OpKind::RegWrite;
            op.offset = static_cast<uint32_t>(address_);
            op.value = result.data[0];
            return true;
        case 2:
            return shadowing_ && shadow(op, static_cast<uint32_t>(result.value), true);
        default:
            return false;
    }
}

// An address inside the buffer the packet stands in goes to two registers, the driver's 16 bits
// above it. The offset is in bytes, as Mesa's radeonsi of 2012 sent it to these chips; its 22 bits
// are those of the largest buffer.
bool PacketProgram::set_sh_offset(MicroOp& op) {
    namespace f = fields::set_sh_reg_offset;
    const uint32_t* body = body_.data();
    enum : uint32_t { kStart, kShadowLow, kHigh, kShadowHigh, kEnd };
    const uint32_t first = f::kOffset.in(body);
    const uint64_t target = location_.base + f::kBufferOffset.in(body);
    const auto high =
        static_cast<uint32_t>(f::kDriverData.in(body) << 16 | (target >> 32 & 0xFFFF));
    switch (step_++) {
        case kStart:
            if (body[0] >> 16 != 0 || body[1] >> 22 != 0 || (body[2] & 0xFFFF) != 0)
                bad("reserved bits are not zero");
            if (f::kBufferOffset.in(body) % 4 != 0)
                bad("IB_OFFSET " + hex(f::kBufferOffset.in(body)) + " is not dword aligned");
            if (location_.level == 0)
                bad("is in no indirect buffer");
            address_ = register_start(first, 2);
            shadowing_ = begin_shadow(first);
            op.kind = OpKind::RegWrite;
            op.offset = static_cast<uint32_t>(address_);
            op.value = static_cast<uint32_t>(target);
            return true;
        case kShadowLow:
            if (shadowing_ && shadow(op, static_cast<uint32_t>(target), false))
                return true;
            [[fallthrough]];
        case kHigh:
            op.kind = OpKind::RegWrite;
            op.offset = static_cast<uint32_t>(address_) + 4;
            op.value = high;
            step_ = kShadowHigh;
            return true;
        case kShadowHigh:
            return shadowing_ && shadow(op, high, true);
        default:
            return false;
    }
}

bool PacketProgram::type0(MicroOp& op) {
    if (step_ == 0) {
        step_ = 1;
        count_ = body_dwords();
        address_ = uint64_t{header_ & 0xFFFF} * 4;
        check_register_end(address_ + 4 * uint64_t{count_});
    }
    if (index_ == count_)
        return false;
    op.kind = OpKind::RegWrite;
    op.stream = true;
    op.offset = static_cast<uint32_t>(address_) + 4 * index_++;
    return true;
}

// A LOAD_* packet is discarded unless CONTEXT_CONTROL enabled its kind (2.4.1). It reads memory
// only when everything the ring's SET_* packets have shadowed is there.
bool PacketProgram::load_registers(MicroOp& op) {
    namespace f = fields::load_reg;
    enum : uint32_t { kBegin, kIdle, kPair, kRange, kRead, kLine };
    const RegisterSpace space = space_of(info_->id, header_);
    DeState::Ring& ring = state_->rings[location_.ring];
    if (step_ == kBegin) {
        if ((ring.load_enable >> space & 1) == 0)
            return false;
        if (body_dwords() % 2 != 0)
            bad("has " + std::to_string(body_dwords()) +
                " body dwords: a base and pairs of offset and count are an even number");
        if (body_[0] % 4 != 0)
            bad("base address " + hex(body_[0]) + " is not dword aligned");
        const bool wait = f::kWaitForIdle.in(body_.data()) != 0;
        if ((wait && space != kConfigRegisters) || (body_[1] & 0x7FFF0000u) != 0)
            bad("reserved bits " + hex(body_[1] & 0xFFFF0000u) + " beside BASE_ADDR_HI");
        ring.register_base[space] = uint64_t{f::kBaseHi.in(body_.data())} << 32 | body_[0];
        ring.register_base_set[space] = true;
        index_ = 2;
        step_ = kIdle;
        if (wait) {
            op.kind = OpKind::Event;
            op.event_type = kWaitForIdleEvent;
            op.wait = true;
            return true;
        }
    }
    for (;;) {
        switch (step_) {
            case kIdle:
                step_ = kPair;
                op.kind = OpKind::WaitWrites;
                return true;
            case kPair:
                if (index_ == body_dwords())
                    return false;
                index_ += 2;
                op.kind = OpKind::Take;
                op.stream = true;
                op.dwords = 2;
                step_ = kRange;
                return true;
            case kRange: {
                const uint32_t offset = result.data[0];
                count_ = result.data[1];
                if (offset >> 16 != 0 || count_ >> 14 != 0)
                    bad("reserved bits in REG_OFFSET " + hex(offset) + " or NUM_DWORDS " +
                        hex(count_));
                step_ = count_ == 0 ? kPair : kRead;
                if (count_ == 0)
                    break;
                address_ = register_start(offset, count_);
                memory_ = ring.register_base[space] + 4 * uint64_t{offset};
                break;
            }
            case kRead: {
                const auto in_line = static_cast<uint32_t>(kLineBytes - memory_ % kLineBytes) / 4;
                op.kind = OpKind::MemRead;
                op.address = memory_;
                op.dwords = static_cast<uint8_t>(std::min(in_line, count_));
                op.swap = state_->external_swap;
                line_have_ = 0;
                words_[0] = op.dwords;
                words_[1] = 1;  // not yet copied
                memory_ += 4 * uint64_t{op.dwords};
                step_ = kLine;
                return true;
            }
            default:
                if (words_[1] != 0) {
                    line_ = result.data;
                    words_[1] = 0;
                }
                op.kind = OpKind::RegWrite;
                op.offset = static_cast<uint32_t>(address_);
                op.value = line_[line_have_++];
                address_ += 4;
                --count_;
                if (line_have_ == words_[0])
                    step_ = count_ == 0 ? kPair : kRead;
                return true;
        }
    }
}

// ---- state -------------------------------------------------------------------------------------

// The clear state is context 0's, which the driver's preamble wrote. Compute state (SHADER_TYPE 1)
// has no hardware context to clear.
bool PacketProgram::clear_state(MicroOp& op) {
    if (header_is_compute(header_) || step_++ != 0)
        return false;
    op.kind = OpKind::RegWrite;
    op.offset = kGfxCopyState;
    op.value = 0;
    return true;
}

bool PacketProgram::set_base() {
    namespace f = fields::set_base;
    DeState::Ring& ring = state_->rings[location_.ring];
    if (body_[0] >> 4 != 0)
        bad("reserved bits beside BASE_INDEX in " + hex(body_[0]));
    const uint32_t index = f::kBaseIndex.in(body_.data());
    const uint32_t word0 = f::kAddress0.in(body_.data());
    const uint32_t word1 = f::kAddress1.in(body_.data());
    if (index > 3)
        bad("reserved BASE_INDEX " + std::to_string(index));
    if (body_[2] >> 16 != 0)
        bad("reserved bits of ADDRESS1 " + hex(body_[2]));
    if (index < 2) {
        const uint64_t address = uint64_t{word1} << 32 | word0;
        if (word0 % 8 != 0)
            bad("address " + hex(address) + " is not qword aligned");
        ring.base[index] = address;
        ring.base_set[index] = true;
        return false;
    }
    if (word0 >> 16 != 0)
        bad("reserved bits of ADDRESS0 " + hex(word0));
    if (word0 % 64 != 0 || word1 % 64 != 0)
        bad("partition index is not a multiple of 64");
    if (word0 > word1)
        bad("partitions of the " + std::string(index == 2 ? "GDS" : "constant engine") +
            " are not in order");
    if (index == 2)
        set_gds_partitions(word0, word1);
    else
        ring.ce_partition = {word0, word1};
    return false;
}

bool PacketProgram::context_control() {
    namespace f = fields::context_control;
    constexpr uint32_t kKnown = f::kConfig | f::kContext | f::kGfxSh | f::kComputeSh | 0x80000000u;
    const uint32_t load = f::kLoadControl.in(body_.data());
    const uint32_t shadow = f::kShadowEnable.in(body_.data());
    if ((load & ~kKnown) != 0)
        bad("reserved bits " + hex(load & ~kKnown) + " of LOAD_CONTROL");
    if ((shadow & ~kKnown) != 0)
        bad("reserved bits " + hex(shadow & ~kKnown) + " of SHADOW_ENABLE");
    DeState::Ring& ring = state_->rings[location_.ring];
    if (f::kLoadUpdate.of(load) != 0)
        ring.load_enable = space_mask(load);
    if (f::kShadowUpdate.of(shadow) != 0)
        ring.shadow_enable = space_mask(shadow);
    return false;
}

// Contexts change hands when none is in the pipe. DEFAULT_RESET_CONTROL also forgets what packets
// have left behind for later ones on all rings.
bool PacketProgram::me_initialize(MicroOp& op) {
    namespace f = fields::me_initialize;
    const uint32_t* body = body_.data();
    const uint32_t contexts = f::kMaxContext.in(body);
    Contexts& c = state_->contexts;
    const bool reset = f::kReset.in(body) != 0;
    if (step_ == 0) {
        if (body[0] >> 1 != 0 || body[1] != 0 || body[2] >> 3 != 0 ||
            (body[3] & 0xFF00FFFCu) != 0 || (body[4] & 0xC) != 0 || (body[5] >> 30 & 1) != 0)
            bad("reserved bits are not zero");
        if (contexts == 0)
            bad("MAX_CONTEXT 0");
        const uint32_t device = f::kDevice.in(body);
        if (device == 0 || (device & (device - 1)) != 0)
            bad("DEVICE_ID " + hex(device) + " is not one-hot");
        if (f::kSwap.in(body) > kMaxSwap || f::kDumpSwap.in(body) > kMaxSwap)
            bad("reserved swap code 3");
        if (f::kHeaderDump.in(body) != 0 && f::kDumpSize.in(body) == 0)
            bad("HEADER_DUMP_SIZE 0");
        step_ = 1;
        if (reset || contexts != c.max) {
            op.kind = OpKind::ContextsIdle;
            return true;
        }
    }
    if (step_ != 1)
        return false;
    step_ = 2;
    DeState::HeaderDump& dump = state_->header_dump;
    state_->initialized = true;
    state_->device_id = static_cast<uint8_t>(f::kDevice.in(body));
    state_->external_swap = static_cast<uint8_t>(f::kSwap.in(body));
    dump.enabled = f::kHeaderDump.in(body) != 0;
    dump.base = uint64_t{f::kDumpBase.in(body)} << 12;
    dump.dwords = f::kDumpSize.in(body);
    dump.next = 0;
    // The swap of headers has a field of its own; 0 leaves it to the one for all transactions.
    dump.swap = static_cast<uint8_t>(f::kDumpSwap.in(body) != 0 ? f::kDumpSwap.in(body)
                                                                : f::kSwap.in(body));
    c.max = static_cast<uint8_t>(contexts);
    const uint8_t from = reset ? 0 : c.current;
    if (reset) {
        for (DeState::Ring& ring : state_->rings) {
            ring.base = {};
            ring.base_set = {};
            ring.load_enable = ring.shadow_enable = 0;
            ring.register_base = {};
            ring.register_base_set = {};
        }
    } else if (c.current <= c.max) {
        return false;
    }
    c.current = 1;
    c.drawn = c.closed = c.preamble = false;
    op.kind = OpKind::RegWrite;
    op.offset = kGfxCopyState;
    op.value = from;
    return true;
}

bool PacketProgram::preamble_control() {
    const uint32_t command = fields::preamble_cntl::kCommand.in(body_.data());
    if ((body_[0] & 0x0FFFFFFFu) != 0)
        bad("reserved bits beside COMMAND in " + hex(body_[0]));
    if (command > 3)
        bad("reserved COMMAND " + std::to_string(command));
    bool& open = state_->contexts.preamble;
    if (command >= 2 && open == (command == 2))
        bad(open ? "begins a clear state inside a clear state"
                 : "ends a clear state that has not begun");
    if (command >= 2)
        open = command == 2;
    return false;
}

// The header of each packet that ME executes goes to a ring in the kernel's memory.
bool PacketProgram::dump_header(MicroOp& op) {
    DeState::HeaderDump& dump = state_->header_dump;
    dump_header_ = false;
    op.kind = OpKind::MemWrite;
    op.kernel = true;
    op.address = dump.base + 4 * uint64_t{dump.next};
    op.swap = dump.swap;
    op.data[0] = header_;
    dump.next = dump.next + 1 == dump.dwords ? 0 : dump.next + 1;
    return true;
}

}  // namespace archipelago::cp
