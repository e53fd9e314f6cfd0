// SPDX-License-Identifier: Apache-2.0
// CP's own registers and what writing them does, without time. The timed register unit and the
// functional processor share it; both receive the side effects through RegisterEffects.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/common/compute_message.h"
#include "models/common/memory_message.h"
#include "models/cp/cp_location.h"
#include "models/cp/cp_spec.h"
#include "models/front/ring_message.h"

namespace archipelago::cp {

using front::RingConfig;

// ME, PFP -> registers: a packet of a user address space wanted to write a privileged register.
struct PrivilegeFault {
    Location location;
    const char* packet = "";
    uint32_t offset = 0;
    uint32_t value = 0;
};

// What a register write sets off.
class RegisterEffects {
  public:
    virtual ~RegisterEffects() = default;
    // Base, size, VMID or write pointer of a ring changed; `reset`: the read pointer is now 0.
    virtual void ring_changed(unsigned ring, bool reset) = 0;
    virtual void halt_changed(bool pfp_halted, bool me_halted, bool ce_halted) = 0;
    // Mirror of a scratch register or a read pointer.
    virtual void write_back(uint64_t address, uint32_t value) = 0;
    virtual void start_coherency(const CacheAction& action) = 0;
    virtual void raise(const Interrupt& interrupt) = 0;
    // CP_WAIT_REG_MEM_TIMEOUT or CP_SEM_WAIT_TIMER was written.
    virtual void limits_changed(uint32_t /*wait_reg_mem*/, uint32_t /*semaphore*/) {}
    // An action that is not one of the registers' is under way.
    virtual bool coherency_busy() const { return false; }
    // Current CP_STAT and CP_BUSY_STAT.
    virtual uint32_t status() const = 0;
    virtual uint32_t busy_status() const = 0;
};

struct RegisterState {
    static constexpr uint32_t kConfigStart = 0x8400, kConfigDwords = 0x100;
    static constexpr uint32_t kRingStart = 0xC100, kRingDwords = 0x40;
    static constexpr uint32_t kContextStart = 0x28360, kContextDwords = 3;
    std::array<uint32_t, kConfigDwords> config{};
    std::array<uint32_t, kRingDwords> ring{};
    std::array<uint32_t, kContextDwords> context{};
    std::array<uint32_t, 256> scratch_ram{};  // CP_SCRATCH_INDEX, CP_SCRATCH_DATA
    std::vector<uint32_t> read_pointer;       // dwords, by ring
    std::vector<uint32_t> write_pointer;      // dwords
    std::vector<uint32_t> mirrored;           // read pointer last written to memory
    bool coherency_busy = false;
};

struct CpReport;
struct DeState;
class RegisterFile;
// Pointers of the rings and render contexts.
void report_registers(const RegisterFile& file, const DeState& de, CpReport& report);

class RegisterFile : public RegisterTarget {
  public:
    explicit RegisterFile(const Spec& spec);
    void set_effects(RegisterEffects* effects) { effects_ = effects; }
    RegisterEffects* effects() const { return effects_; }

    // False for offsets that are not CP's. Throws MachineStop for values a ring cannot have.
    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest& request, uint32_t& value) override;

    RingConfig ring(unsigned ring) const;
    uint32_t read_pointer(unsigned ring) const { return state_.read_pointer[ring]; }
    uint32_t write_pointer(unsigned ring) const { return state_.write_pointer[ring]; }
    bool pfp_halted() const;
    bool me_halted() const;
    bool ce_halted() const;
    bool halted() const;  // either

    // The ring was read up to here: CP_RBn_RPTR, and its mirror in memory when a block of
    // 2^RB_BLKSZ qwords is passed or the ring is empty, unless RB_NO_UPDATE.
    void advance_read_pointer(unsigned ring, uint32_t pointer);
    // A coherency action that a register write started has ended.
    void coherency_done() { state_.coherency_busy = false; }
    // End of pipe: last fence, interrupt status, and the interrupt itself when enabled.
    void end_of_pipe(unsigned ring, bool wrote, uint64_t data, bool interrupt, uint8_t vmid);
    // A packet of the ring asks for what cannot be: interrupt status `bits`, and the interrupt
    // itself when enabled.
    void ring_error(unsigned ring, uint32_t bits, uint8_t vmid);

    // CP_INT_CNTL_RINGn.
    uint32_t interrupt_control(unsigned ring) const;

    // A privileged write of a user's packet, which has not been carried out: PRIV_REG_INT_STAT and
    // the interrupt when CP_INT_CNTL_RINGn enables it; otherwise the machine stops.
    void privilege_fault(const PrivilegeFault& fault);

    // A WAIT_REG_MEM of the ring has polled for too long: interrupt status, and the interrupt
    // itself when enabled.
    void poll_timeout(unsigned ring, uint8_t vmid);
    // The offsets of streamout are where SO_VGTSTREAMOUT_FLUSH was to bring them: CP_STRMOUT_CNTL.
    void streamout_flushed();
    uint32_t wait_reg_mem_timeout() const;
    uint32_t semaphore_wait_timer() const;

    const RegisterState& state() const { return state_; }
    void reset();

  private:
    uint32_t* slot(uint32_t offset);
    uint32_t at(uint32_t offset) const { return *const_cast<RegisterFile*>(this)->slot(offset); }
    void mirror_scratch(unsigned index);
    void interrupt(unsigned ring, uint32_t bit, uint8_t source, uint8_t vmid);

    const Spec spec_;
    RegisterState state_;
    RegisterEffects* effects_ = nullptr;
};

}  // namespace archipelago::cp
