// SPDX-License-Identifier: Apache-2.0
// Moving data: 2.9 of "Radeon Southern Islands Acceleration", MEM_WRITE, ONE_REG_WRITE, CP_DMA.
#include <algorithm>

#include "models/cp/packet_program.h"
#include "models/cp/si_packet_fields.h"
#include "registers/si_names.h"

namespace archipelago::cp {

bool PacketProgram::one_reg_write(MicroOp& op) {
    op.kind = OpKind::RegWrite;
    op.offset = 4 * fields::one_reg_write::kOffset.in(body_.data());
    op.value = fields::one_reg_write::kData.in(body_.data());
    return step_++ == 0;
}

// The layout is in AMD's PAL. What a microcode keeps there is not modelled, so only the host and
// packets that read CP_SCRATCH_DATA see it.
bool PacketProgram::scratch_ram_write(MicroOp& op) {
    namespace f = fields::scratch_ram_write;
    const uint32_t* body = body_.data();
    if (step_ == 2)
        return false;
    if (f::kEngine.in(body) != 0)
        missing("with ENG_SEL " + std::to_string(f::kEngine.in(body)));
    if ((body[0] & 0x3FFFFF00u) != 0)
        bad("reserved bits beside SCRATCH_ADDR in " + hex(body[0]));
    op.kind = OpKind::RegWrite;
    op.offset = step_ == 0 ? regs::si::CP_SCRATCH_INDEX : regs::si::CP_SCRATCH_DATA;
    op.value = step_ == 0 ? f::kAddress.in(body) : f::kData.in(body);
    ++step_;
    return true;
}

bool PacketProgram::write_data(MicroOp& op) {
    namespace f = fields::write_data;
    const uint32_t* body = body_.data();
    const uint32_t destination = f::kDestination.in(body);
    const bool one_address = f::kOneAddress.in(body) != 0;
    if (destination == 3)
        return write_data_gds(op);
    if (step_ == 0) {
        count_ = body_dwords() - 3;
        if (destination == 4 || destination > 5)
            bad("reserved DST_SEL " + std::to_string(destination));
        if (engine_ == ProgramEngine::Pfp && destination > 1)
            bad("ENGINE_SEL PFP writes registers and memory (sync) only, not DST_SEL " +
                std::to_string(destination));
        if (destination == 3)
            missing("with DST_SEL GDS");
        if (destination == 0) {
            address_ = 4 * (f::kAddressLo.in(body)&0xFFFF);
            check_register_end(address_ + (one_address ? 4 : 4 * uint64_t{count_}));
            const uint64_t event = regs::si::VGT_EVENT_INITIATOR;
            if (engine_ == ProgramEngine::Pfp && address_ <= event &&
                event < address_ + (one_address ? 4 : 4 * uint64_t{count_}))
                bad("events are posted by ME, not by ENGINE_SEL PFP");
        } else {
            address_ = dword_address(f::kAddressLo.in(body), f::kAddressHi.in(body));
        }
        step_ = 1;
    }
    if (index_ < count_) {
        if (destination == 0) {
            op.kind = OpKind::RegWrite;
            op.offset = static_cast<uint32_t>(address_) + (one_address ? 0 : 4 * index_);
            ++index_;
        } else {
            op.kind = OpKind::MemWrite;
            op.path = destination == 2 ? MemPath::L2 : MemPath::Hub;
            op.address = address_ + (one_address ? 0 : 4 * uint64_t{index_});
            const auto to_line_end =
                static_cast<uint32_t>((kLineBytes - op.address % kLineBytes) / 4);
            op.dwords =
                static_cast<uint8_t>(one_address ? 1 : std::min(count_ - index_, to_line_end));
            index_ += op.dwords;
        }
        op.stream = true;
        return true;
    }
    if (step_ == 2 || f::kConfirm.in(body) == 0)
        return false;
    step_ = 2;
    // A register write is confirmed by reading the register.
    op.kind = destination == 0 ? OpKind::RegRead : OpKind::WaitWrites;
    op.offset = static_cast<uint32_t>(address_) + (one_address ? 0 : 4 * (count_ - 1));
    return true;
}

bool PacketProgram::copy_data(MicroOp& op) {
    namespace f = fields::copy_data;
    const uint32_t* body = body_.data();
    const uint32_t source = f::kSource.in(body);
    const uint32_t destination = f::kDestination.in(body);
    const uint32_t dwords = f::kCount.in(body) + 1;
    const auto check_alignment = [&](uint64_t address) {
        if (address % (4 * dwords) != 0)
            bad("address " + hex(address) +
                (dwords == 1 ? " is not dword aligned" : " is not qword aligned"));
        return address;
    };
    enum : uint32_t { kStart, kSecondRead, kRead, kSecondWrite, kConfirm, kEnd };
    if (step_ == kStart) {
        if (destination == 4 || destination > 5)
            bad("reserved DST_SEL " + std::to_string(destination));
        if (source == 4 || source > 9)
            bad("reserved SRC_SEL " + std::to_string(source));
        const uint64_t from =
            uint64_t{f::kSourceHi.in(body)} << 32 | uint64_t{f::kSourceLo.in(body)};
        if (destination == 0)
            check_register_end(4 * (f::kAddressLo.in(body)&0xFFFF) + 4 * uint64_t{dwords});
        else if (destination == 3)
            gds_dwords(f::kAddressLo.in(body)&0xFFFF, dwords);
        else
            check_alignment(uint64_t{f::kAddressHi.in(body)} << 32 | f::kAddressLo.in(body));
        step_ = kRead;
        switch (source) {
            case 3:
                op.kind = OpKind::GdsRead;
                op.address = gds_dwords(f::kSourceLo.in(body)&0xFFFF, dwords);
                op.dwords = static_cast<uint8_t>(dwords);
                return true;
            case 0:
            case 7:
            case 8:
                op.kind = OpKind::RegRead;
                op.offset = copy_source_register(source, f::kSourceLo.in(body));
                check_register_end(op.offset + 4 * uint64_t{dwords});
                step_ = dwords == 2 ? kSecondRead : kRead;
                return true;
            case 1:
            case 2:
                op.kind = OpKind::MemRead;
                op.path = source == 2 ? MemPath::L2 : MemPath::Hub;
                op.address = check_alignment(from);
                op.dwords = static_cast<uint8_t>(dwords);
                return true;
            case 6:  // what this ring's last ATOMIC found
                result.value = state_->rings[location_.ring].atomic_return;
                break;
            case 9:  // as the public drivers use it; the document ends at 8
                op.kind = OpKind::Clock;
                return true;
            default:
                result.value = from;
                break;
        }
    }
    if (step_ == kSecondRead) {
        words_[0] = static_cast<uint32_t>(result.value);
        op.kind = OpKind::RegRead;
        op.offset = copy_source_register(source, f::kSourceLo.in(body)) + 4;
        step_ = kRead;
        return true;
    }
    if (step_ == kRead) {
        const bool two_reads = source == 0 || source == 7 || source == 8;
        if (two_reads && dwords == 2) {
            words_[1] = static_cast<uint32_t>(result.value);
        } else {
            words_[0] = static_cast<uint32_t>(result.value);
            words_[1] = static_cast<uint32_t>(result.value >> 32);
        }
        const bool confirm = f::kConfirm.in(body) != 0;
        if (destination == 0) {
            op.kind = OpKind::RegWrite;
            op.offset = 4 * (f::kAddressLo.in(body)&0xFFFF);
            op.value = words_[0];
            step_ = dwords == 2 ? kSecondWrite : confirm ? kConfirm : kEnd;
        } else if (destination == 3) {
            op.kind = OpKind::GdsWrite;
            op.address = gds_dwords(f::kAddressLo.in(body)&0xFFFF, dwords);
            op.dwords = static_cast<uint8_t>(dwords);
            op.data[0] = words_[0];
            op.data[1] = words_[1];
            step_ = confirm ? kConfirm : kEnd;
        } else {
            op.kind = OpKind::MemWrite;
            op.path = destination == 2 ? MemPath::L2 : MemPath::Hub;
            op.address = uint64_t{f::kAddressHi.in(body)} << 32 | f::kAddressLo.in(body);
            op.dwords = static_cast<uint8_t>(dwords);
            op.data[0] = words_[0];
            op.data[1] = words_[1];
            step_ = confirm ? kConfirm : kEnd;
        }
        return true;
    }
    if (step_ == kSecondWrite) {
        op.kind = OpKind::RegWrite;
        op.offset = 4 * (f::kAddressLo.in(body)&0xFFFF) + 4;
        op.value = words_[1];
        step_ = f::kConfirm.in(body) != 0 ? kConfirm : kEnd;
        return true;
    }
    if (step_ == kConfirm && destination == 3) {
        confirm_gds(op, gds_dwords(f::kAddressLo.in(body)&0xFFFF, dwords) + 4 * (dwords - 1));
        step_ = kEnd;
        return true;
    }
    if (step_ == kConfirm) {
        op.kind = destination == 0 ? OpKind::RegRead : OpKind::WaitWrites;
        op.offset = 4 * (f::kAddressLo.in(body)&0xFFFF) + 4 * (dwords - 1);
        step_ = kEnd;
        return true;
    }
    return false;
}

bool PacketProgram::mem_write(MicroOp& op) {
    namespace f = fields::mem_write;
    const uint32_t* body = body_.data();
    const bool data32 = f::kData32.in(body) != 0;
    if (step_ == 0) {
        address_ = uint64_t{f::kAddressHi.in(body)} << 32 | uint64_t{f::kAddressLo.in(body)} << 2;
        if (!data32 && address_ % 8 != 0)
            bad("address " + hex(address_) + " is not qword aligned");
        if (data32 && f::kSwap.in(body) > kMaxDwordSwap)
            bad("swap code 3 (8-in-64) of a dword");
        result.value = uint64_t{f::kDataHi.in(body)} << 32 | f::kDataLo.in(body);
        step_ = 1;
        if (f::kCounter.in(body) != 0) {
            op.kind = OpKind::Clock;
            return true;
        }
    }
    if (step_ == 1) {
        op.kind = OpKind::MemWrite;
        op.address = address_;
        op.dwords = data32 ? 1 : 2;
        const unsigned swap = f::kSwap.in(body);
        const bool qword_swap = swap > kMaxDwordSwap;  // of bytes in dwords, and of the dwords
        op.swap = static_cast<uint8_t>(qword_swap ? 2 : swap);
        op.data[qword_swap ? 1 : 0] = static_cast<uint32_t>(result.value);
        op.data[qword_swap ? 0 : 1] = static_cast<uint32_t>(result.value >> 32);
        step_ = f::kConfirm.in(body) != 0 ? 2 : 3;
        return true;
    }
    op.kind = OpKind::WaitWrites;
    return step_++ == 2;
}

bool PacketProgram::cp_dma(MicroOp& op) {
    namespace f = fields::cp_dma;
    const uint32_t* body = body_.data();
    const uint32_t source = f::kSource.in(body);
    const uint32_t bytes = f::kBytes.in(body);
    constexpr uint32_t kDwords = 3;  // and the steps from there on
    if (step_ >= kDwords)
        return cp_dma_dwords(op);
    if (step_ == 0) {
        if (source == 3)
            bad("reserved SRC_SEL 3");
        const bool to_gds = f::kDestination.in(body) == 1;
        if (f::kDestination.in(body) > 1)
            bad("reserved DST_SEL " + std::to_string(f::kDestination.in(body)));
        const bool gds = source == 1 || to_gds;  // the drivers set SAS and DAS for it too
        if (gds && engine_ == ProgramEngine::Pfp)
            missing("with GDS and ENGINE PFP");
        if (gds && f::kSas.in(body) != 0 && source == 0)
            missing("with SAS (register source) and GDS");
        if (gds && f::kDas.in(body) != 0 && !to_gds)
            missing("with DAS (register destination) and GDS");
        if (gds && f::kSaic.in(body) != 0 && source < 2)
            missing("with SAIC (source not incremented) and GDS");
        if (gds && f::kDaic.in(body) != 0)
            missing("with DAIC (destination not incremented) and GDS");
        if (!gds && ((source == 0 && (f::kSas.in(body) != 0 || f::kSaic.in(body) != 0)) ||
                     f::kDas.in(body) != 0 || f::kDaic.in(body) != 0)) {
            step_ = kDwords;
            return cp_dma_dwords(op);
        }
        step_ = f::kSync.in(body) != 0 ? 1 : 2;
        DmaCommand& dma = op.dma;
        dma = {};
        dma.location = location_;
        dma.fill = source == 2;
        dma.raw_wait = f::kRawWait.in(body) != 0;
        dma.posted = f::kNoConfirm.in(body) != 0;
        dma.bytes = bytes;
        dma.destination = uint64_t{f::kAddressHi.in(body)} << 32 | f::kAddressLo.in(body);
        if (dma.fill)
            dma.fill_data = f::kSourceLo.in(body);
        else
            dma.source = uint64_t{f::kSourceHi.in(body)} << 32 | f::kSourceLo.in(body);
        gds_dma(dma, source == 1, to_gds);
        const unsigned source_swap = f::kSourceSwap.in(body);
        const unsigned destination_swap = f::kDestinationSwap.in(body);
        dma.swap_mask = static_cast<uint8_t>(swap_mask(source_swap) ^ swap_mask(destination_swap));
        const uint64_t unit = std::max(source_swap, destination_swap) == 3 ? 8 : 4;
        if (dma.swap_mask != 0 &&
            (dma.source % unit != 0 || dma.destination % unit != 0 || bytes % unit != 0))
            bad("byte swap needs addresses and size in multiples of " + std::to_string(unit));
        if (bytes != 0) {
            op.kind = OpKind::Dma;
            return true;
        }
    }
    op.kind = OpKind::WaitDma;
    op.wait = f::kNoConfirm.in(body) == 0;
    return step_++ == 1;
}

// Register space and addresses that stand still are not for the DMA engine: the engine of the
// packet moves the dwords itself, one by one. Registers are counted in dwords, as the Linux driver
// checks them.
bool PacketProgram::cp_dma_dwords(MicroOp& op) {
    namespace f = fields::cp_dma;
    const uint32_t* body = body_.data();
    const bool fill = f::kSource.in(body) == 2;
    const bool from_register = !fill && f::kSas.in(body) != 0;
    const bool to_register = f::kDas.in(body) != 0;
    const auto source_swap = static_cast<uint8_t>(f::kSourceSwap.in(body));
    const auto destination_swap = static_cast<uint8_t>(f::kDestinationSwap.in(body));
    enum : uint32_t { kStart = 3, kDmaDone, kRead, kWrite, kConfirm, kEnd };
    if (step_ == kStart) {
        if (f::kBytes.in(body) % 4 != 0)
            bad("BYTE_COUNT " + std::to_string(f::kBytes.in(body)) +
                " with register space or a fixed address is not a multiple of 4");
        if (source_swap > kMaxDwordSwap || destination_swap > kMaxDwordSwap)
            bad("swap code 3 (8-in-64) with register space or a fixed address");
        count_ = f::kBytes.in(body) / 4;
        if (from_register)
            check_register_end(4 * uint64_t{f::kSourceLo.in(body)&0xFFFF} +
                               4 * uint64_t{f::kSaic.in(body) != 0 ? 1 : count_});
        else if (!fill)
            dword_address(f::kSourceLo.in(body), f::kSourceHi.in(body));
        if (to_register) {
            const uint64_t first = 4 * uint64_t{f::kAddressLo.in(body)&0xFFFF};
            const uint64_t end = first + 4 * uint64_t{f::kDaic.in(body) != 0 ? 1 : count_};
            const uint64_t event = regs::si::VGT_EVENT_INITIATOR;
            check_register_end(end);
            if (engine_ == ProgramEngine::Pfp && first <= event && event < end)
                bad("events are posted by ME, not by ENGINE PFP");
        } else {
            dword_address(f::kAddressLo.in(body), f::kAddressHi.in(body));
        }
        step_ = kRead;
        if (f::kRawWait.in(body) != 0) {
            op.kind = OpKind::WaitDma;
            op.wait = true;
            step_ = kDmaDone;
            return true;
        }
    }
    if (step_ == kDmaDone) {
        op.kind = OpKind::WaitWrites;
        step_ = kRead;
        return true;
    }
    if (step_ == kRead && index_ < count_) {
        const uint64_t at = f::kSaic.in(body) != 0 ? 0 : index_;
        step_ = kWrite;
        if (from_register) {
            op.kind = OpKind::RegRead;
            op.offset = 4 * ((f::kSourceLo.in(body)&0xFFFF) + static_cast<uint32_t>(at));
            return true;
        }
        if (!fill) {
            op.kind = OpKind::MemRead;
            op.address = (uint64_t{f::kSourceHi.in(body)} << 32 | f::kSourceLo.in(body)) + 4 * at;
            return true;
        }
        result.value = f::kSourceLo.in(body);
    }
    if (step_ == kWrite) {
        const uint64_t at = f::kDaic.in(body) != 0 ? 0 : index_;
        const uint32_t value = swap_dword(
            swap_dword(static_cast<uint32_t>(result.value), source_swap), destination_swap);
        if (to_register) {
            op.kind = OpKind::RegWrite;
            op.offset = 4 * ((f::kAddressLo.in(body)&0xFFFF) + static_cast<uint32_t>(at));
            op.value = value;
        } else {
            op.kind = OpKind::MemWrite;
            op.address = (uint64_t{f::kAddressHi.in(body)} << 32 | f::kAddressLo.in(body)) + 4 * at;
            op.data[0] = value;
        }
        ++index_;
        step_ = kRead;
        return true;
    }
    if (step_ == kRead && f::kSync.in(body) != 0 && f::kNoConfirm.in(body) == 0) {
        op.kind = OpKind::WaitWrites;
        step_ = kEnd;
        return true;
    }
    return false;
}

// One dword between memory and registers; older than COPY_DATA.
bool PacketProgram::copy_dw(MicroOp& op) {
    namespace f = fields::copy_dw;
    const uint32_t* body = body_.data();
    if (step_ == 0) {
        if (f::kDestination.in(body) == 0)
            check_register_end(4 * uint64_t{f::kRegister.in(body)} + 4);
        else
            dword_address(body[f::kAddressLo.dword - 1], f::kAddressHi.in(body));
        if (f::kSource.in(body) == 0) {
            op.kind = OpKind::RegRead;
            op.offset = 4 * f::kSourceRegister.in(body);
        } else {
            op.kind = OpKind::MemRead;
            op.address = dword_address(body[f::kSourceLo.dword - 1], f::kSourceHi.in(body));
        }
        step_ = 1;
        return true;
    }
    if (step_++ == 2)
        return false;
    if (f::kDestination.in(body) == 0) {
        op.kind = OpKind::RegWrite;
        op.offset = 4 * f::kRegister.in(body);
        op.value = static_cast<uint32_t>(result.value);
    } else {
        op.kind = OpKind::MemWrite;
        op.address = dword_address(body[f::kAddressLo.dword - 1], f::kAddressHi.in(body));
        op.data[0] = static_cast<uint32_t>(result.value);
    }
    return true;
}

bool PacketProgram::me_write(MicroOp& op) {
    namespace f = fields::me_write;
    if (step_ == 0) {
        address_ = dword_address(body_[f::kAddressLo.dword - 1], f::kAddressHi.in(body_.data()));
        count_ = body_dwords() - 2;
        step_ = 1;
    }
    if (index_ == count_)
        return false;
    op.kind = OpKind::MemWrite;
    op.stream = true;
    op.address = address_ + 4 * uint64_t{index_};
    const auto to_line_end = static_cast<uint32_t>((kLineBytes - op.address % kLineBytes) / 4);
    op.dwords = static_cast<uint8_t>(std::min(count_ - index_, to_line_end));
    index_ += op.dwords;
    return true;
}

// Register <- (register and AND_MASK) or OR_MASK; either mask may be in a register. AMD's PAL
// lays the packet out (si_ci_vi_merged_pm4defs.h).
bool PacketProgram::reg_rmw(MicroOp& op) {
    namespace f = fields::reg_rmw;
    const uint32_t* body = body_.data();
    enum : uint32_t { kStart, kAnd, kOr, kWrite, kEnd };
    const auto read = [&](uint32_t dword_offset) {
        op.kind = OpKind::RegRead;
        op.offset = 4 * dword_offset;
        return true;
    };
    switch (step_) {
        case kStart:
            step_ = kAnd;
            return read(f::kRegister.in(body));
        case kAnd:
            words_[0] = static_cast<uint32_t>(result.value);
            step_ = kOr;
            if (f::kAndSource.in(body) != 0)
                return read(f::kAndAddress.in(body));
            result.value = f::kAndMask.in(body);
            [[fallthrough]];
        case kOr:
            words_[0] &= static_cast<uint32_t>(result.value);
            step_ = kWrite;
            if (f::kOrSource.in(body) != 0)
                return read(f::kOrAddress.in(body));
            result.value = f::kOrMask.in(body);
            [[fallthrough]];
        case kWrite:
            op.kind = OpKind::RegWrite;
            op.offset = 4 * f::kRegister.in(body);
            op.value = words_[0] | static_cast<uint32_t>(result.value);
            step_ = kEnd;
            return true;
        default:
            return false;
    }
}

}  // namespace archipelago::cp
