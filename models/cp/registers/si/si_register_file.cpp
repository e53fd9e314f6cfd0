// SPDX-License-Identifier: Apache-2.0
#include "models/cp/registers/si/si_register_file.h"

#include <string>

#include "models/common/error.h"
#include "models/cp/micro_op.h"
#include "models/cp/pm4/packet_program.h"
#include "models/cp/registers/si/coherency.h"
#include "models/gcn/interrupt_source.h"
#include "registers/si_cp.h"
#include "registers/si_names.h"

namespace archipelago::cp {

namespace reg = regs::si;
namespace typed = regs::si::typed;

namespace {

// The registers of one ring; the three sets lie at irregular places.
struct RingRegisters {
    uint32_t base, cntl, rptr_addr, rptr_addr_hi, wptr, rptr;
};
constexpr RingRegisters kRingRegisters[] = {
    {reg::CP_RB0_BASE, reg::CP_RB0_CNTL, reg::CP_RB0_RPTR_ADDR, reg::CP_RB0_RPTR_ADDR_HI,
     reg::CP_RB0_WPTR, reg::CP_RB0_RPTR},
    {reg::CP_RB1_BASE, reg::CP_RB1_CNTL, reg::CP_RB1_RPTR_ADDR, reg::CP_RB1_RPTR_ADDR_HI,
     reg::CP_RB1_WPTR, reg::CP_RB1_RPTR},
    {reg::CP_RB2_BASE, reg::CP_RB2_CNTL, reg::CP_RB2_RPTR_ADDR, reg::CP_RB2_RPTR_ADDR_HI,
     reg::CP_RB2_WPTR, reg::CP_RB2_RPTR},
};
constexpr uint32_t kPointerMask = 0xFFFFF;  // RB_RPTR and RB_WPTR have 20 bits
constexpr unsigned kMaxBufSize = 19;        // 2^19 qwords fill the pointers
constexpr uint32_t kScratchCount = 8;

}  // namespace

SiRegisterFile::SiRegisterFile(const Spec& spec) : RegisterFile(spec.rings), spec_(spec) {
    reset();
}

void SiRegisterFile::reset() {
    rings_.assign(spec_.rings, {});
    halts_ = {};
    coherency_busy_ = false;
    state_ = {};
    for (unsigned ring = 0; ring < spec_.rings; ++ring) {
        *slot(reg::CP_INT_CNTL_RING0 + 4 * ring) = spec_.int_cntl_reset;
        configure(ring);
    }
    *slot(reg::CP_QUEUE_THRESHOLDS) = spec_.roq_ib1_start | spec_.roq_ib2_start << 8;
    *slot(reg::CP_MEQ_THRESHOLDS) = spec_.meq1_start | spec_.meq2_start << 8;
}

void SiRegisterFile::announce() {
    effects_->halt_changed(halts_.pfp, halts_.me, halts_.ce);
    effects_->limits_changed(at(reg::CP_WAIT_REG_MEM_TIMEOUT), at(reg::CP_SEM_WAIT_TIMER));
    for (unsigned ring = 0; ring < spec_.rings; ++ring)
        configure_changed(ring, true);
}

uint32_t* SiRegisterFile::slot(uint32_t offset) {
    const auto find = [offset](uint32_t start, auto& words) -> uint32_t* {
        return offset >= start && offset < start + 4 * words.size() ? &words[(offset - start) / 4]
                                                                    : nullptr;
    };
    if (uint32_t* word = find(State::kConfigStart, state_.config))
        return word;
    if (uint32_t* word = find(State::kRingStart, state_.ring))
        return word;
    return find(State::kContextStart, state_.context);
}

// Works out what the registers say of the ring.
void SiRegisterFile::configure(unsigned ring) {
    const RingRegisters& r = kRingRegisters[ring];
    const typed::CP_RB0_CNTL cntl{at(r.cntl)};
    RingConfig& config = rings_[ring].config;
    config.base = uint64_t{at(r.base)} << 8;
    config.dwords = cntl.RB_BUFSZ() <= kMaxBufSize ? 2u << cntl.RB_BUFSZ() : 0;
    config.vmid = at(reg::CP_RB_VMID) >> (8 * ring) & 0xF;
    // Only ring 0 has BUF_SWAP; the bits are absent in the other two.
    config.swap = ring == 0 ? static_cast<uint8_t>(cntl.BUF_SWAP()) : 0;
    config.enabled = cntl.RB_RPTR_WR_ENA() == 0;
}

void SiRegisterFile::configure_changed(unsigned ring, bool reset) {
    configure(ring);
    if (effects_ != nullptr)
        effects_->ring_changed(ring, reset);
}

void SiRegisterFile::mirror_scratch(unsigned index) {
    const typed::SCRATCH_UMSK mask{at(reg::SCRATCH_UMSK)};
    if ((mask.raw >> index & 1) == 0 || effects_ == nullptr)
        return;
    const uint32_t value = at(reg::SCRATCH_REG0 + 4 * index);
    effects_->write_back((uint64_t{at(reg::SCRATCH_ADDR)} << 8) + 4 * index,
                         swap_dword(value, mask.raw >> 16 & 3));
}

// False: the offset is none of the ring's pointers, base or control.
bool SiRegisterFile::write_ring_register(unsigned ring, uint32_t offset, uint32_t value) {
    const RingRegisters& r = kRingRegisters[ring];
    const auto refuse = [ring](const std::string& reason) {
        throw MachineStop(StopKind::BadInput, std::string("ring ") + ring_name(ring), reason);
    };
    if (offset == r.rptr)
        return true;  // read only
    if (offset == r.wptr) {
        const uint32_t pointer = value & kPointerMask;
        const uint32_t size = rings_[ring].config.dwords;
        if (pointer >= size)
            refuse("write pointer " + std::to_string(pointer) + " is beyond the ring of " +
                   std::to_string(size) + " dwords");
        *slot(offset) = pointer;
        rings_[ring].write_pointer = pointer;
        configure_changed(ring, false);
        return true;
    }
    if (offset != r.base && offset != r.cntl)
        return false;
    *slot(offset) = value;
    const typed::CP_RB0_CNTL cntl{at(r.cntl)};
    if (cntl.RB_BUFSZ() > kMaxBufSize)
        refuse("RB_BUFSZ " + std::to_string(cntl.RB_BUFSZ()) + " is beyond the 20-bit pointers");
    if (ring == 0 && cntl.BUF_SWAP() > kMaxDwordSwap)
        refuse("reserved BUF_SWAP 3");
    const bool reset = offset == r.cntl && cntl.RB_RPTR_WR_ENA() != 0;
    if (reset)
        rings_[ring].read_pointer = rings_[ring].mirrored = 0;
    configure_changed(ring, reset);
    return true;
}

// What CP_COHER_CNTL, just written, asks for.
void SiRegisterFile::start_coherency() {
    CacheAction action;
    if (!coherency_action(at(reg::CP_COHER_CNTL), at(reg::CP_COHER_SIZE), at(reg::CP_COHER_BASE),
                          action) ||
        effects_ == nullptr)
        return;
    coherency_busy_ = true;
    effects_->start_coherency(action);
}

bool SiRegisterFile::write_register(const RegRequest& request) {
    const uint32_t offset = request.offset;
    uint32_t* word = slot(offset);
    if (word == nullptr || offset % 4 != 0)
        return false;
    if (offset >= reg::SCRATCH_REG0 && offset < reg::SCRATCH_REG0 + 4 * kScratchCount) {
        *word = request.value;
        mirror_scratch((offset - reg::SCRATCH_REG0) / 4);
        return true;
    }
    for (unsigned ring = 0; ring < spec_.rings; ++ring)
        if (write_ring_register(ring, offset, request.value))
            return true;
    if (offset >= reg::CP_INT_STATUS_RING0 && offset < reg::CP_INT_STATUS_RING0 + 4 * spec_.rings) {
        *word &= ~request.value;  // write one to clear
        return true;
    }
    switch (offset) {
        case reg::CP_STAT:
        case reg::CP_BUSY_STAT:
        case reg::CP_COHER_STATUS:
        case reg::CP_INT_STATUS:
            return true;  // read only
        case reg::CP_RB_VMID:
            *word = request.value;
            for (unsigned ring = 0; ring < spec_.rings; ++ring)
                configure_changed(ring, false);
            return true;
        case reg::CP_ME_CNTL: {
            const typed::CP_ME_CNTL control{* word = request.value};
            halts_ = {control.PFP_HALT() != 0, control.ME_HALT() != 0, control.CE_HALT() != 0};
            if (effects_ != nullptr)
                effects_->halt_changed(halts_.pfp, halts_.me, halts_.ce);
            return true;
        }
        case reg::CP_COHER_CNTL:
            *word = request.value;
            start_coherency();
            return true;
        case reg::CP_PFP_UCODE_DATA:
        case reg::CP_CE_UCODE_DATA:
            // The image is accepted and not kept; the address counts as the hardware's does.
            *slot(offset - 4) = (*slot(offset - 4) + 1) & 0xFFF;
            return true;
        case reg::CP_SCRATCH_DATA:
            state_.scratch_ram[at(reg::CP_SCRATCH_INDEX) & 0xFF] = request.value;
            return true;
        case reg::CP_ME_RAM_DATA:
            *slot(reg::CP_ME_RAM_WADDR) = (*slot(reg::CP_ME_RAM_WADDR) + 1) & 0xFFF;
            return true;
        default:
            break;
    }
    *word = request.value;
    if ((offset == reg::CP_WAIT_REG_MEM_TIMEOUT || offset == reg::CP_SEM_WAIT_TIMER) &&
        effects_ != nullptr)
        effects_->limits_changed(at(reg::CP_WAIT_REG_MEM_TIMEOUT), at(reg::CP_SEM_WAIT_TIMER));
    return true;
}

bool SiRegisterFile::read_register(const RegRequest& request, uint32_t& value) {
    const uint32_t offset = request.offset;
    const uint32_t* word = slot(offset);
    if (word == nullptr || offset % 4 != 0)
        return false;
    value = *word;
    for (unsigned ring = 0; ring < spec_.rings; ++ring)
        if (offset == kRingRegisters[ring].rptr)
            value = rings_[ring].read_pointer;
    if (offset == reg::CP_SCRATCH_DATA)
        value = state_.scratch_ram[at(reg::CP_SCRATCH_INDEX) & 0xFF];
    if (offset == reg::CP_STAT || offset == reg::CP_BUSY_STAT)
        value = status(offset);
    else if (offset == reg::CP_COHER_STATUS)
        value = typed::CP_COHER_STATUS{}
                    .set_STATUS(coherency_busy_ || (effects_ != nullptr &&
                                                    effects_->unit_busy(StatusUnit::Coherency))
                                    ? 1
                                    : 0)
                    .raw;
    return true;
}

// CP_STAT or CP_BUSY_STAT.
uint32_t SiRegisterFile::status(uint32_t offset) const {
    using Stat = typed::CP_STAT;
    using Busy = typed::CP_BUSY_STAT;
    struct Row {
        StatusUnit unit;
        uint32_t stat, busy;
    };
    static const Row kRows[] = {
        {StatusUnit::RingFetch, Stat{}.set_ROQ_RING_BUSY(1).raw, 0},
        {StatusUnit::Pfp, Stat{}.set_PFP_BUSY(1).raw, Busy{}.set_PFP_PARSING_PACKETS(1).raw},
        {StatusUnit::Me, Stat{}.set_ME_BUSY(1).raw, Busy{}.set_ME_PARSING_PACKETS(1).raw},
        {StatusUnit::Ce, Stat{}.set_CE_BUSY(1).raw, Busy{}.set_CE_PARSING_PACKETS(1).raw},
        {StatusUnit::CeFetch, Stat{}.set_ROQ_CE_INDIRECT1_BUSY(1).raw, 0},
        {StatusUnit::EndOfPipe, 0, Busy{}.set_EOP_DONE_BUSY(1).raw},
        {StatusUnit::Dma, Stat{}.set_DMA_BUSY(1).raw, 0},
        {StatusUnit::Coherency, Stat{}.set_SURFACE_SYNC_BUSY(1).raw,
         Busy{}.set_COHER_CNT_NEQ_ZERO(1).raw},
    };
    uint32_t stat = 0, busy = 0;
    for (const Row& row : kRows) {
        if (effects_ == nullptr || !effects_->unit_busy(row.unit))
            continue;
        stat |= row.stat;
        busy |= row.busy;
    }
    if (offset == reg::CP_BUSY_STAT)
        return busy;
    return stat != 0 ? Stat{stat}.set_CP_BUSY(1).raw : 0;
}

void SiRegisterFile::advance_read_pointer(unsigned ring, uint32_t pointer) {
    rings_[ring].read_pointer = pointer;
    const RingRegisters& r = kRingRegisters[ring];
    const typed::CP_RB0_CNTL cntl{at(r.cntl)};
    if (cntl.RB_NO_UPDATE() != 0 || effects_ == nullptr)
        return;
    const uint32_t block = cntl.RB_BLKSZ() <= kMaxBufSize ? 2u << cntl.RB_BLKSZ() : ~0u;
    const bool passed = pointer / block != rings_[ring].mirrored / block;
    if (!passed && pointer != rings_[ring].write_pointer)
        return;
    const typed::CP_RB0_RPTR_ADDR low{at(r.rptr_addr)};
    const uint64_t address =
        uint64_t{at(r.rptr_addr_hi) & 0xFF} << 32 | uint64_t{low.RB_RPTR_ADDR()} << 2;
    if (address == 0)
        return;  // never set up
    rings_[ring].mirrored = pointer;
    effects_->write_back(address, swap_dword(pointer, low.RB_RPTR_SWAP()));
}

uint32_t SiRegisterFile::interrupt_control(unsigned ring) const {
    return at(reg::CP_INT_CNTL_RING0 + 4 * ring);
}

void SiRegisterFile::privilege_fault(const PrivilegeFault& fault) {
    const unsigned ring = fault.location.ring;
    const uint32_t bit = typed::CP_INT_STATUS_RING0{}.set_PRIV_REG_INT_STAT(1).raw;
    if ((at(reg::CP_INT_CNTL_RING0 + 4 * ring) & bit) == 0)
        throw MachineStop(StopKind::BadInput, to_string(fault.location),
                          std::string("packet ") + fault.packet + ": writes privileged register " +
                              describe_register(fault.offset, fault.value, spec_.register_namer) +
                              " from address space " + std::to_string(fault.location.vmid) +
                              " (PRIV_REG_INT_ENABLE is off)");
    interrupt(ring, bit, interrupt_source::kPrivilegedRegister, fault.location.vmid);
}

void SiRegisterFile::fence_written(uint64_t data) {
    *slot(reg::CP_EOP_LAST_FENCE_LO) = static_cast<uint32_t>(data);
    *slot(reg::CP_EOP_LAST_FENCE_HI) = static_cast<uint32_t>(data >> 32);
}

// Status and enable bits lie at the same places.
void SiRegisterFile::interrupt(unsigned ring, uint32_t bit, uint8_t source, uint8_t vmid) {
    *slot(reg::CP_INT_STATUS_RING0 + 4 * ring) |= bit;
    if ((at(reg::CP_INT_CNTL_RING0 + 4 * ring) & bit) == 0 || effects_ == nullptr)
        return;
    Interrupt message;
    message.source_id = source;
    message.ring = static_cast<uint8_t>(ring);
    message.vmid = vmid;
    effects_->raise(message);
}

void SiRegisterFile::end_of_pipe_interrupt(unsigned ring, uint8_t vmid) {
    interrupt(ring, typed::CP_INT_STATUS_RING0{}.set_TIME_STAMP_INT_STAT(1).raw,
              interrupt_source::kEndOfPipe, vmid);
}

void SiRegisterFile::ring_error(unsigned ring, uint32_t bits, uint8_t vmid) {
    interrupt(ring, bits, static_cast<uint8_t>(interrupt_source::kCommandProcessor + ring), vmid);
}

void SiRegisterFile::poll_timeout(unsigned ring, uint8_t vmid) {
    ring_error(ring, typed::CP_INT_STATUS_RING0{}.set_WRM_POLL_TIMEOUT_INT_STAT(1).raw, vmid);
}

void SiRegisterFile::streamout_flushed() {
    *slot(reg::CP_STRMOUT_CNTL) = typed::CP_STRMOUT_CNTL{}.set_OFFSET_UPDATE_DONE(1).raw;
}

}  // namespace archipelago::cp
