// SPDX-License-Identifier: Apache-2.0
#include "models/cp/register_file.h"

#include <string>

#include "models/common/error.h"
#include "models/common/interrupt_source.h"
#include "models/cp/coherency.h"
#include "models/cp/micro_op.h"
#include "models/cp/pm4/packet_program.h"
#include "models/cp/ring_report.h"
#include "registers/si_cp.h"
#include "registers/si_names.h"

namespace archipelago::cp {

namespace si = regs::si;
namespace typed = regs::si::typed;

namespace {

// The registers of one ring; the three sets lie at irregular places.
struct RingRegisters {
    uint32_t base, cntl, rptr_addr, rptr_addr_hi, wptr, rptr;
};
constexpr RingRegisters kRingRegisters[] = {
    {si::CP_RB0_BASE, si::CP_RB0_CNTL, si::CP_RB0_RPTR_ADDR, si::CP_RB0_RPTR_ADDR_HI,
     si::CP_RB0_WPTR, si::CP_RB0_RPTR},
    {si::CP_RB1_BASE, si::CP_RB1_CNTL, si::CP_RB1_RPTR_ADDR, si::CP_RB1_RPTR_ADDR_HI,
     si::CP_RB1_WPTR, si::CP_RB1_RPTR},
    {si::CP_RB2_BASE, si::CP_RB2_CNTL, si::CP_RB2_RPTR_ADDR, si::CP_RB2_RPTR_ADDR_HI,
     si::CP_RB2_WPTR, si::CP_RB2_RPTR},
};
constexpr uint32_t kPointerMask = 0xFFFFF;  // RB_RPTR and RB_WPTR have 20 bits
constexpr unsigned kMaxBufSize = 19;        // 2^19 qwords fill the pointers
constexpr uint32_t kScratchCount = 8;

}  // namespace

RegisterFile::RegisterFile(const Spec& spec) : spec_(spec) {
    reset();
}

void RegisterFile::reset() {
    state_ = {};
    state_.read_pointer.resize(spec_.rings);
    state_.write_pointer.resize(spec_.rings);
    state_.mirrored.resize(spec_.rings);
    for (unsigned ring = 0; ring < spec_.rings; ++ring)
        *slot(si::CP_INT_CNTL_RING0 + 4 * ring) = spec_.int_cntl_reset;
    *slot(si::CP_QUEUE_THRESHOLDS) = spec_.roq_ib1_start | spec_.roq_ib2_start << 8;
    *slot(si::CP_MEQ_THRESHOLDS) = spec_.meq1_start | spec_.meq2_start << 8;
}

uint32_t* RegisterFile::slot(uint32_t offset) {
    const auto find = [offset](uint32_t start, auto& words) -> uint32_t* {
        return offset >= start && offset < start + 4 * words.size() ? &words[(offset - start) / 4]
                                                                    : nullptr;
    };
    if (uint32_t* word = find(RegisterState::kConfigStart, state_.config))
        return word;
    if (uint32_t* word = find(RegisterState::kRingStart, state_.ring))
        return word;
    return find(RegisterState::kContextStart, state_.context);
}

RingConfig RegisterFile::ring(unsigned ring) const {
    const RingRegisters& r = kRingRegisters[ring];
    const typed::CP_RB0_CNTL cntl{at(r.cntl)};
    RingConfig config;
    config.base = uint64_t{at(r.base)} << 8;
    config.dwords = cntl.RB_BUFSZ() <= kMaxBufSize ? 2u << cntl.RB_BUFSZ() : 0;
    config.vmid = at(si::CP_RB_VMID) >> (8 * ring) & 0xF;
    // Only ring 0 has BUF_SWAP; the bits are absent in the other two.
    config.swap = ring == 0 ? static_cast<uint8_t>(cntl.BUF_SWAP()) : 0;
    config.enabled = cntl.RB_RPTR_WR_ENA() == 0;
    return config;
}

bool RegisterFile::pfp_halted() const {
    return typed::CP_ME_CNTL{at(si::CP_ME_CNTL)}.PFP_HALT() != 0;
}
bool RegisterFile::halted() const {
    const uint32_t raw = state_.config[(si::CP_ME_CNTL - RegisterState::kConfigStart) / 4];
    const typed::CP_ME_CNTL control{raw};
    return control.PFP_HALT() != 0 || control.ME_HALT() != 0;
}
bool RegisterFile::me_halted() const {
    return typed::CP_ME_CNTL{at(si::CP_ME_CNTL)}.ME_HALT() != 0;
}

bool RegisterFile::ce_halted() const {
    return typed::CP_ME_CNTL{at(si::CP_ME_CNTL)}.CE_HALT() != 0;
}

void RegisterFile::mirror_scratch(unsigned index) {
    const typed::SCRATCH_UMSK mask{at(si::SCRATCH_UMSK)};
    if ((mask.raw >> index & 1) == 0 || effects_ == nullptr)
        return;
    const uint32_t value = at(si::SCRATCH_REG0 + 4 * index);
    effects_->write_back((uint64_t{at(si::SCRATCH_ADDR)} << 8) + 4 * index,
                         swap_dword(value, mask.raw >> 16 & 3));
}

bool RegisterFile::write_register(const RegRequest& request) {
    const uint32_t offset = request.offset;
    uint32_t* word = slot(offset);
    if (word == nullptr || offset % 4 != 0)
        return false;
    if (offset >= si::SCRATCH_REG0 && offset < si::SCRATCH_REG0 + 4 * kScratchCount) {
        *word = request.value;
        mirror_scratch((offset - si::SCRATCH_REG0) / 4);
        return true;
    }
    for (unsigned ring = 0; ring < spec_.rings; ++ring) {
        const RingRegisters& r = kRingRegisters[ring];
        if (offset != r.rptr && offset != r.wptr && offset != r.base && offset != r.cntl)
            continue;
        const std::string name = std::string("ring ") + ring_name(ring);
        if (offset == r.rptr)
            return true;  // read only
        if (offset == r.wptr) {
            const uint32_t pointer = request.value & kPointerMask;
            const uint32_t size = this->ring(ring).dwords;
            if (pointer >= size)
                throw MachineStop(StopKind::BadInput, name,
                                  "write pointer " + std::to_string(pointer) +
                                      " is beyond the ring of " + std::to_string(size) + " dwords");
            *word = pointer;
            state_.write_pointer[ring] = pointer;
            if (effects_ != nullptr)
                effects_->ring_changed(ring, false);
            return true;
        }
        if (offset == r.base || offset == r.cntl) {
            *word = request.value;
            const typed::CP_RB0_CNTL cntl{at(r.cntl)};
            if (cntl.RB_BUFSZ() > kMaxBufSize)
                throw MachineStop(StopKind::BadInput, name,
                                  "RB_BUFSZ " + std::to_string(cntl.RB_BUFSZ()) +
                                      " is beyond the 20-bit pointers");
            if (ring == 0 && cntl.BUF_SWAP() > kMaxDwordSwap)
                throw MachineStop(StopKind::BadInput, name, "reserved BUF_SWAP 3");
            const bool reset = offset == r.cntl && cntl.RB_RPTR_WR_ENA() != 0;
            if (reset)
                state_.read_pointer[ring] = state_.mirrored[ring] = 0;
            if (effects_ != nullptr)
                effects_->ring_changed(ring, reset);
            return true;
        }
    }
    if (offset >= si::CP_INT_STATUS_RING0 && offset < si::CP_INT_STATUS_RING0 + 4 * spec_.rings) {
        *word &= ~request.value;  // write one to clear
        return true;
    }
    switch (offset) {
        case si::CP_STAT:
        case si::CP_BUSY_STAT:
        case si::CP_COHER_STATUS:
        case si::CP_INT_STATUS:
            return true;  // read only
        case si::CP_RB_VMID:
            *word = request.value;
            for (unsigned ring = 0; ring < spec_.rings && effects_ != nullptr; ++ring)
                effects_->ring_changed(ring, false);
            return true;
        case si::CP_ME_CNTL:
            *word = request.value;
            if (effects_ != nullptr)
                effects_->halt_changed(pfp_halted(), me_halted(), ce_halted());
            return true;
        case si::CP_COHER_CNTL: {
            *word = request.value;
            CacheAction action;
            if (coherency_action(request.value, at(si::CP_COHER_SIZE), at(si::CP_COHER_BASE),
                                 action) &&
                effects_ != nullptr) {
                state_.coherency_busy = true;
                effects_->start_coherency(action);
            }
            return true;
        }
        case si::CP_PFP_UCODE_DATA:
        case si::CP_CE_UCODE_DATA:
            // The image is accepted and not kept; the address counts as the hardware's does.
            *slot(offset - 4) = (*slot(offset - 4) + 1) & 0xFFF;
            return true;
        case si::CP_SCRATCH_DATA:
            state_.scratch_ram[at(si::CP_SCRATCH_INDEX) & 0xFF] = request.value;
            return true;
        case si::CP_ME_RAM_DATA:
            *slot(si::CP_ME_RAM_WADDR) = (*slot(si::CP_ME_RAM_WADDR) + 1) & 0xFFF;
            return true;
        default:
            break;
    }
    *word = request.value;
    if ((offset == si::CP_WAIT_REG_MEM_TIMEOUT || offset == si::CP_SEM_WAIT_TIMER) &&
        effects_ != nullptr)
        effects_->limits_changed(wait_reg_mem_timeout(), semaphore_wait_timer());
    return true;
}

bool RegisterFile::read_register(const RegRequest& request, uint32_t& value) {
    const uint32_t offset = request.offset;
    const uint32_t* word = slot(offset);
    if (word == nullptr || offset % 4 != 0)
        return false;
    value = *word;
    for (unsigned ring = 0; ring < spec_.rings; ++ring)
        if (offset == kRingRegisters[ring].rptr)
            value = state_.read_pointer[ring];
    if (offset == si::CP_SCRATCH_DATA)
        value = state_.scratch_ram[at(si::CP_SCRATCH_INDEX) & 0xFF];
    if (offset == si::CP_STAT)
        value = effects_ != nullptr ? effects_->status() : 0;
    else if (offset == si::CP_BUSY_STAT)
        value = effects_ != nullptr ? effects_->busy_status() : 0;
    else if (offset == si::CP_COHER_STATUS)
        value = typed::CP_COHER_STATUS{}
                    .set_STATUS(state_.coherency_busy ||
                                        (effects_ != nullptr && effects_->coherency_busy())
                                    ? 1
                                    : 0)
                    .raw;
    return true;
}

void RegisterFile::advance_read_pointer(unsigned ring, uint32_t pointer) {
    state_.read_pointer[ring] = pointer;
    const RingRegisters& r = kRingRegisters[ring];
    const typed::CP_RB0_CNTL cntl{at(r.cntl)};
    if (cntl.RB_NO_UPDATE() != 0 || effects_ == nullptr)
        return;
    const uint32_t block = cntl.RB_BLKSZ() <= kMaxBufSize ? 2u << cntl.RB_BLKSZ() : ~0u;
    const bool passed = pointer / block != state_.mirrored[ring] / block;
    if (!passed && pointer != state_.write_pointer[ring])
        return;
    const typed::CP_RB0_RPTR_ADDR low{at(r.rptr_addr)};
    const uint64_t address =
        uint64_t{at(r.rptr_addr_hi) & 0xFF} << 32 | uint64_t{low.RB_RPTR_ADDR()} << 2;
    if (address == 0)
        return;  // never set up
    state_.mirrored[ring] = pointer;
    effects_->write_back(address, swap_dword(pointer, low.RB_RPTR_SWAP()));
}

uint32_t RegisterFile::interrupt_control(unsigned ring) const {
    return at(si::CP_INT_CNTL_RING0 + 4 * ring);
}

void RegisterFile::privilege_fault(const PrivilegeFault& fault) {
    const unsigned ring = fault.location.ring;
    const uint32_t bit = typed::CP_INT_STATUS_RING0{}.set_PRIV_REG_INT_STAT(1).raw;
    if ((at(si::CP_INT_CNTL_RING0 + 4 * ring) & bit) == 0)
        throw MachineStop(StopKind::BadInput, to_string(fault.location),
                          std::string("packet ") + fault.packet + ": writes privileged register " +
                              describe_register(fault.offset, fault.value, spec_.register_namer) +
                              " from address space " + std::to_string(fault.location.vmid) +
                              " (PRIV_REG_INT_ENABLE is off)");
    *slot(si::CP_INT_STATUS_RING0 + 4 * ring) |= bit;
    if (effects_ == nullptr)
        return;
    Interrupt message;
    message.source_id = interrupt_source::kPrivilegedRegister;
    message.ring = static_cast<uint8_t>(ring);
    message.vmid = fault.location.vmid;
    effects_->raise(message);
}

void RegisterFile::end_of_pipe(unsigned ring, bool wrote, uint64_t data, bool interrupt,
                               uint8_t vmid) {
    if (wrote) {
        *slot(si::CP_EOP_LAST_FENCE_LO) = static_cast<uint32_t>(data);
        *slot(si::CP_EOP_LAST_FENCE_HI) = static_cast<uint32_t>(data >> 32);
    }
    if (!interrupt)
        return;
    this->interrupt(ring, typed::CP_INT_STATUS_RING0{}.set_TIME_STAMP_INT_STAT(1).raw,
                    interrupt_source::kEndOfPipe, vmid);
}

// Status and enable bits lie at the same places.
void RegisterFile::interrupt(unsigned ring, uint32_t bit, uint8_t source, uint8_t vmid) {
    *slot(si::CP_INT_STATUS_RING0 + 4 * ring) |= bit;
    if ((at(si::CP_INT_CNTL_RING0 + 4 * ring) & bit) == 0 || effects_ == nullptr)
        return;
    Interrupt message;
    message.source_id = source;
    message.ring = static_cast<uint8_t>(ring);
    message.vmid = vmid;
    effects_->raise(message);
}

void RegisterFile::ring_error(unsigned ring, uint32_t bits, uint8_t vmid) {
    interrupt(ring, bits, static_cast<uint8_t>(interrupt_source::kCommandProcessor + ring), vmid);
}

void RegisterFile::poll_timeout(unsigned ring, uint8_t vmid) {
    interrupt(ring, typed::CP_INT_STATUS_RING0{}.set_WRM_POLL_TIMEOUT_INT_STAT(1).raw,
              static_cast<uint8_t>(interrupt_source::kCommandProcessor + ring), vmid);
}

void RegisterFile::streamout_flushed() {
    *slot(si::CP_STRMOUT_CNTL) = typed::CP_STRMOUT_CNTL{}.set_OFFSET_UPDATE_DONE(1).raw;
}

uint32_t RegisterFile::wait_reg_mem_timeout() const {
    return at(si::CP_WAIT_REG_MEM_TIMEOUT);
}
uint32_t RegisterFile::semaphore_wait_timer() const {
    return at(si::CP_SEM_WAIT_TIMER);
}

void report_registers(const RegisterFile& file, const DeState& de, CpReport& report) {
    report.rings.resize(file.state().read_pointer.size());
    for (unsigned ring = 0; ring < report.rings.size(); ++ring) {
        RingReport& r = report.rings[ring];
        const RingConfig config = file.ring(ring);
        r.ring = ring_name(ring);
        r.read = file.read_pointer(ring);
        r.write = file.write_pointer(ring);
        r.dwords = config.base != 0 ? config.dwords : 0;
        r.enabled = config.enabled;
    }
    report.context = de.contexts.current;
    for (unsigned i = 0; i < de.contexts.in_pipe.size(); ++i)
        if (de.contexts.in_pipe[i])
            report.contexts.push_back(i);
}

}  // namespace archipelago::cp
