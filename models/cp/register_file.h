// SPDX-License-Identifier: Apache-2.0
// CP's own registers and what writing them does, in functional mode. The timed register unit and
// the functional processor share it; both receive the side effects through RegisterEffects. A
// family's file (cp/registers/<family>) knows the offsets and the fields.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/archive.h"
#include "models/common/interrupt.h"
#include "models/common/memory_message.h"
#include "models/cp/cp_location.h"
#include "models/cp/register_map.h"
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
    virtual bool unit_busy(StatusUnit) const { return false; }
};

struct CpReport;
struct DeState;
class RegisterFile;
// Pointers of the rings and render contexts.
void report_registers(const RegisterFile& file, const DeState& de, CpReport& report);

class RegisterFile : public RegisterTarget {
  public:
    explicit RegisterFile(unsigned rings) : rings_(rings) {}
    void set_effects(RegisterEffects* effects) { effects_ = effects; }
    RegisterEffects* effects() const { return effects_; }

    // False for offsets that are not CP's. Throws MachineStop for values a ring cannot have.
    bool write_register(const RegRequest& request) override = 0;
    bool read_register(const RegRequest& request, uint32_t& value) override = 0;

    unsigned rings() const { return static_cast<unsigned>(rings_.size()); }
    const RingConfig& ring(unsigned ring) const { return rings_[ring].config; }
    uint32_t read_pointer(unsigned ring) const { return rings_[ring].read_pointer; }
    uint32_t write_pointer(unsigned ring) const { return rings_[ring].write_pointer; }
    bool pfp_halted() const { return halts_.pfp; }
    bool me_halted() const { return halts_.me; }
    bool ce_halted() const { return halts_.ce; }
    bool halted() const { return halts_.pfp || halts_.me; }

    // The ring was read up to here: its read pointer, and the pointer's copy in memory when it is
    // due.
    virtual void advance_read_pointer(unsigned ring, uint32_t pointer) = 0;
    // A coherency action that a register write started runs; it has ended.
    bool coherency_busy() const { return coherency_busy_; }
    void coherency_done() { coherency_busy_ = false; }
    // End of pipe: last fence, interrupt status, and the interrupt itself when enabled.
    void end_of_pipe(unsigned ring, bool wrote, uint64_t data, bool interrupt, uint8_t vmid);
    // An illegal packet of the ring: sets interrupt status `bits`, and raises the interrupt when
    // enabled.
    virtual void ring_error(unsigned ring, uint32_t bits, uint8_t vmid) = 0;
    // Enable bits of the ring's interrupts, at the places of the status bits.
    virtual uint32_t interrupt_control(unsigned ring) const = 0;
    // A privileged write of a user's packet, which has not been executed: interrupt status, and
    // the interrupt when enabled; otherwise the machine stops.
    virtual void privilege_fault(const PrivilegeFault& fault) = 0;
    // A WAIT_REG_MEM of the ring has polled for too long: interrupt status, and the interrupt
    // itself when enabled.
    virtual void poll_timeout(unsigned ring, uint8_t vmid) = 0;
    // The offsets of streamout are where SO_VGTSTREAMOUT_FLUSH was to bring them.
    virtual void streamout_flushed() = 0;

    virtual void reset() = 0;
    // Sets off again what the registers as they are have set off: rings with their read pointers,
    // halts, limits of polls. For engines that have seen nothing of it.
    virtual void announce() = 0;
    // As Control::archive(), for what the family's file adds.
    virtual void archive(Archive& a) = 0;

  protected:
    virtual void fence_written(uint64_t data) = 0;
    virtual void end_of_pipe_interrupt(unsigned ring, uint8_t vmid) = 0;

    struct Ring {
        RingConfig config;
        uint32_t read_pointer = 0;   // dwords
        uint32_t write_pointer = 0;  // dwords
        uint32_t mirrored = 0;       // read pointer last written to memory
    };
    struct Halts {
        bool pfp = false, me = false, ce = false;
    };
    std::vector<Ring> rings_;
    Halts halts_;
    bool coherency_busy_ = false;
    RegisterEffects* effects_ = nullptr;
};

inline void RegisterFile::archive(Archive& a) {
    a(rings_, halts_, coherency_busy_);
}

}  // namespace archipelago::cp
