// SPDX-License-Identifier: Apache-2.0
// The global data share: ALLOC_GDS, WRITE_GDS_RAM and ATOMIC_GDS (2.8.2, 2.9.1, 2.9.3), and what
// other packets do with it.
#include <algorithm>

#include "models/common/gds_atom.h"
#include "models/cp/gds_access.h"
#include "models/cp/packet_program.h"
#include "models/cp/si_packet_fields.h"
#include "registers/si_cp.h"
#include "registers/si_names.h"

namespace archipelago::cp {

GdsPartition DeState::gds_partition(unsigned ring) const {
    if (!gds_partitioned)
        return {0, kGdsBytes};
    const uint32_t start[] = {0, gds_start[0], gds_start[1], kGdsBytes};
    return {start[ring], start[ring + 1] - start[ring]};
}

void PacketProgram::set_gds_partitions(uint32_t cs1, uint32_t cs2) {
    state_->gds_partitioned = true;
    state_->gds_start = {cs1, cs2};
}

// Where `bytes` bytes from `offset` of the ring's partition lie.
uint32_t PacketProgram::gds_address(uint64_t offset, uint64_t bytes) const {
    const GdsPartition partition = state_->gds_partition(location_.ring);
    if (offset + bytes > partition.bytes)
        bad("GDS offset " + hex(offset) + " and " + std::to_string(bytes) +
            " bytes reach beyond the ring's partition of " + std::to_string(partition.bytes) +
            " bytes");
    return partition.start + static_cast<uint32_t>(offset);
}

uint32_t PacketProgram::gds_dwords(uint32_t offset, uint64_t dwords) const {
    if (offset % 4 != 0)
        bad("GDS offset " + hex(offset) + " is not dword aligned");
    return gds_address(offset, 4 * dwords);
}

bool PacketProgram::alloc_gds(MicroOp& op) {
    const uint32_t size = fields::alloc_gds::kSize.in(body_.data());
    switch (step_++) {
        case 0:
            op.kind = OpKind::WaitGdsStore;
            return true;
        case 1:
            if (size <= state_->gds_partition(location_.ring).bytes)
                return false;
            op.kind = OpKind::RingError;
            op.value =
                regs::si::typed::CP_INT_STATUS_RING0{}.set_RESERVED_BIT_ERROR_INT_STAT(1).raw;
            return true;
        default:
            return false;
    }
}

bool PacketProgram::write_gds_ram(MicroOp& op) {
    if (step_ == 0) {
        step_ = 1;
        count_ = body_dwords() - 1;
        address_ = gds_dwords(fields::write_gds_ram::kIndex.in(body_.data()), count_);
    }
    if (write_gds_stream(op, false))
        return true;
    // There is no bit to ask for confirmation: what follows finds the data there.
    op.kind = OpKind::WaitGds;
    return step_++ == 1;
}

// The next dwords of the packet to address_, count_ in all.
bool PacketProgram::write_gds_stream(MicroOp& op, bool one_address) {
    if (index_ == count_)
        return false;
    op.kind = OpKind::GdsWrite;
    op.stream = true;
    op.address = address_ + (one_address ? 0 : 4 * uint64_t{index_});
    op.dwords = static_cast<uint8_t>(
        one_address ? 1
                    : std::min<uint32_t>(count_ - index_, static_cast<uint32_t>(op.data.size())));
    index_ += op.dwords;
    return true;
}

bool PacketProgram::write_data_gds(MicroOp& op) {
    namespace f = fields::write_data;
    const bool one_address = f::kOneAddress.in(body_.data()) != 0;
    if (step_ == 0) {
        step_ = 1;
        if (engine_ == ProgramEngine::Pfp)
            bad("ENGINE_SEL PFP writes registers and memory (sync) only, not DST_SEL 3");
        count_ = body_dwords() - 3;
        address_ = gds_dwords(f::kAddressLo.in(body_.data()) & 0xFFFF, one_address ? 1 : count_);
    }
    if (write_gds_stream(op, one_address))
        return true;
    if (step_ == 2 || f::kConfirm.in(body_.data()) == 0)
        return false;
    step_ = 2;
    confirm_gds(op, address_ + (one_address ? 0 : 4 * uint64_t{count_ - 1}));
    return true;
}

// A write is confirmed by reading its last dword (2.9.2, 2.9.4).
void PacketProgram::confirm_gds(MicroOp& op, uint64_t address) const {
    op.kind = OpKind::GdsRead;
    op.address = address;
    op.dwords = 1;
}

// The register COPY_DATA reads for SRC_SEL 0, 7 and 8; `dword` is that of SRC_SEL 0.
uint32_t PacketProgram::copy_source_register(uint32_t source, uint32_t dword) {
    return source == 7   ? regs::si::CP_GDS_ATOMIC0_PREOP_LO
           : source == 8 ? regs::si::CP_GDS_ATOMIC1_PREOP_LO
                         : 4 * (dword & 0xFFFF);
}

bool PacketProgram::atomic_gds(MicroOp& op) {
    namespace f = fields::atomic_gds;
    const uint32_t* body = body_.data();
    const bool loop = f::kCompareSwap.in(body) != 0;
    const bool complete = f::kComplete.in(body) != 0;
    const bool read = f::kRead.in(body) != 0;
    const uint32_t control = f::kReadControl.in(body);  // two values in bit 0, 64 bits in bit 1
    const uint32_t number = f::kOp.in(body);
    GdsOpcode opcode;
    enum : uint32_t { kIssue, kFound, kStore, kAgain };
    if (step_ == kIssue) {
        if (!gds_opcode(number, opcode))
            bad("ATOM_OP " + std::to_string(number) + " is not an operation of one lane on memory");
        if (complete && read)
            bad("ATOM_COMPLETE and ATOM_READ are both set");
        if (loop) {
            if (!compares(opcode.atomic) || !opcode.returns)
                bad("ATOM_CMP_SWAP with ATOM_OP " + std::to_string(number) +
                    ", which is not a compare-and-swap that returns");
            if (!read)
                bad("ATOM_CMP_SWAP without ATOM_READ");
            if (control != (opcode.bytes == 8 ? 2u : 0u))
                bad("ATOM_CMP_SWAP with ATOM_RD_CNTL " + std::to_string(control) + " and " +
                    std::to_string(8 * opcode.bytes) + " bits");
        }
        if (read && !opcode.returns)
            bad("ATOM_READ with ATOM_OP " + std::to_string(number) + ", which returns nothing");
        if (f::kControl.in(body) >> 6 & 3)
            bad("reserved bits of ATOM_CNTL");
    }
    gds_opcode(number, opcode);
    GdsAtom atom;
    atom.op = number;
    atom.cntl = f::kControl.in(body);
    atom.offset0 = f::kOffset0.in(body);
    atom.offset1 = f::kOffset1.in(body);
    atom.dst = f::kDestination.in(body);
    atom.src0 = f::kSource0.in(body);
    atom.src0_u = f::kSource0Hi.in(body);
    atom.src1 = f::kSource1.in(body);
    atom.src1_u = f::kSource1Hi.in(body);
    switch (step_) {
        case kAgain:
        case kIssue: {
            const uint32_t base = f::kBase.in(body);
            atom.base = gds_address(base, 0);
            // Clamping never begins behind the ring's partition.
            atom.size =
                std::min(f::kSize.in(body), state_->gds_partition(location_.ring).bytes - base);
            op.kind = OpKind::GdsAtomic;
            op.atom = atom;
            op.wait = read;
            step_ = kFound;
            return true;
        }
        case kFound:
            if (!read) {
                op.kind = OpKind::WaitGds;
                step_ = kStore;
                index_ = 4;
                return complete;
            }
            if (loop && !gds_compare_passed(atom, opcode, result.value)) {
                op.kind = OpKind::Delay;
                op.cycles = poll_cycles(0);
                step_ = kAgain;
                return true;
            }
            std::copy_n(result.data.begin(), 4, found_.begin());
            step_ = kStore;
            break;
        default:
            break;
    }
    // 0 and 2 are the lower halves of the two values, 1 and 3 the upper ones.
    while (index_ < 4) {
        const uint32_t i = index_++;
        if ((i >= 2 && (control & 1) == 0) || (i % 2 != 0 && (control & 2) == 0))
            continue;
        op.kind = OpKind::RegWrite;
        op.offset = regs::si::CP_GDS_ATOMIC0_PREOP_LO + 4 * i;
        op.value = found_[i];
        return true;
    }
    return false;
}

bool PacketProgram::store_gds_at_end_of_shader(MicroOp& op, uint8_t event_type) {
    namespace f = fields::event_write_eos;
    const uint32_t dwords = f::kSize.in(body_.data());
    if (dwords == 0)
        bad("SIZE 0 with CMD 1");
    op.kind = OpKind::Eop;
    op.eop = {};
    op.eop.location = location_;
    op.eop.event_type = event_type;
    op.eop.address = dword_address(f::kAddressLo.in(body_.data()), f::kAddressHi.in(body_.data()));
    op.eop.gds_from = gds_dwords(f::kGdsIndex.in(body_.data()), dwords);
    op.eop.gds_dwords = dwords;
    return true;
}

// Addresses of a copy in the GDS have 16 bits, from the start of the ring's partition.
void PacketProgram::gds_dma(DmaCommand& dma, bool from, bool to) const {
    if (from)
        dma.source = gds_address(dma.source & 0xFFFF, dma.bytes);
    if (to)
        dma.destination = gds_address(dma.destination & 0xFFFF, dma.bytes);
    dma.from_gds = from;
    dma.to_gds = to;
}

std::string describe_gds_wait(const uint32_t* body, uint32_t last_read) {
    namespace f = fields::atomic_gds;
    if (f::kCompareSwap.in(body) == 0)
        return {};
    const uint32_t place = f::kBase.in(body) + f::kDestination.in(body) + f::kOffset0.in(body);
    return " until " + PacketProgram::hex(f::kSource0.in(body)) + " is at GDS " +
           PacketProgram::hex(place) + " (last " + PacketProgram::hex(last_read) + ")";
}

}  // namespace archipelago::cp
