// SPDX-License-Identifier: Apache-2.0
// The GPU registers of an Adreno as its command processor and the host see them, in both modes.
// Some registers of CP and RBBM have an effect; the others keep what is written to them.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "models/afuc/cp/cp_spec.h"
#include "models/afuc/cp/debug_registers.h"
#include "models/afuc/engine/engine.h"
#include "models/common/clocked.h"
#include "models/common/error.h"

namespace archipelago::afuc {

inline constexpr uint32_t kGpuRegisters = 0x40000;  // 18 bits of index

// Registers of the CP and of RBBM that do something, or show something. Those of 64 bits: the lower
// half, the upper is after it.
enum class CpRegister : uint8_t {
    None,
    RingBase,
    RingControl,
    ReadPointerAddress,
    ReadPointer,
    WritePointer,
    Start,  // CP_SQE_CNTL, CP_PFP_ME_CNTL
    MainBase,
    PfpBase,
    MeBase,
    LpacStart,
    LpacBase,
    BvReadPointerAddress,
    Protect,  // the first of them
    ProtectControl,
    ProtectStatus,
    BvProtectStatus,
    CpInterruptStatus,
    HardwareFault,
    AlwaysOn,
    Debug,  // all of debug_registers()
    Status,
    InterruptStatus,
    InterruptClear,
    InterruptMask,
    TrustControl,
    TrustedBase,
    TrustedSize,
    TrustStatus,
    ContextSwitch,
    PoolSize,
    SoftReset,  // RBBM_SW_RESET_CMD: asic::ResetRegister serves the host's accesses
    PerfControl,
    PerfLoad,  // which counters take PerfLoadValue
    PerfLoadValue,
    PerfSelect,  // the first of each
    PerfCount,
    BvPerfSelect,
    BvPerfCount,
    kCount
};

// RBBM_INT_0_STATUS: what raises an interrupt of the host.
enum : uint32_t {
    kInterruptSoftware = 8,
    kInterruptCpError = 9,
    kInterruptCacheFlush = 20,
    kInterruptTrust = 28
};
// RBBM_SW_RESET_CMD: while it is set, all is held in reset.
inline constexpr uint32_t kSoftResetBit = 1;
// What CP_INTERRUPT_STATUS tells apart; where its bit is, is the generation's and the engine's.
enum class CpError : uint8_t { Opcode, Microcode, Hardware, Protection, IllegalInstruction };

// "a microcode error"
const char* fault_name(EngineFault fault);

struct RingSettings {
    uint64_t base = 0;    // bytes
    uint32_t dwords = 0;  // size
    uint32_t write_pointer = 0;
    uint64_t read_pointer_address = 0;  // its shadow in memory; 0: none
    uint64_t bv_read_pointer_address = 0;
    bool moves = false;         // an engine puts another ring in place of this one,
    uint32_t read_pointer = 0;  // which is read from here on
};

// Secure mode, and the memory that may be written in it.
struct Trust {
    bool secure = false;
    uint64_t base = 0, bytes = 0;

    bool may_write(uint64_t address, unsigned count) const {
        return !secure || (address >= base && address - base + count <= bytes);
    }
};

std::string untrusted_write(uint64_t address);

// What the registers are always told of an engine.
struct EngineView {
    uint32_t read_pointer = 0;
    bool busy = false;
    bool operator==(const EngineView& o) const {
        return read_pointer == o.read_pointer && busy == o.busy;
    }
};
// Cycles in which an engine has had nothing to do.
struct IdleTime {
    uint64_t ended = 0;
    Cycle since = 0;  // those not in `ended`; kNever: there are none
    bool operator==(const IdleTime& o) const { return ended == o.ended && since == o.since; }
    uint64_t total(Cycle now) const { return ended + (since < now ? now - since : 0); }
};
uint32_t view_value(const EngineView& view, CpRegister reg);

// An engine that a register write starts, and the register with its base.
struct EngineStart {
    Role role;
    CpRegister base;
};

// What a register shows that is not in storage.
class RegisterStatus {
  public:
    virtual ~RegisterStatus() = default;
    // `offset`: 1 for the upper half of 64 bits.
    virtual uint32_t value_of(CpRegister reg, uint32_t offset) = 0;
    // CpRegister::Debug.
    virtual uint32_t value_of(const DebugRead& read) = 0;
};

// Where a generation has one of debug_registers().
struct DebugPlace {
    const DebugRegister* reg;
    uint32_t first;
    uint32_t address;  // CpRegisterMap::kNowhere: it is no window
};

// Where a generation has the registers of the CP.
class CpRegisterMap {
  public:
    explicit CpRegisterMap(Names names);
    CpRegister at(uint32_t index) const {
        if (index < kKnown)
            return kinds_[index];
        return index - kSecond < kKnown ? kinds_[index - kSecond + kKnown] : CpRegister::None;
    }
    // The first of it; kNowhere: the generation has none.
    uint32_t index_of(CpRegister reg) const { return first_[static_cast<size_t>(reg)]; }
    static constexpr uint32_t kNowhere = kGpuRegisters;
    // Indices of it and those of its row; 0: the generation has none.
    uint32_t count_of(CpRegister reg) const { return counts_[static_cast<size_t>(reg)]; }
    // Of CpRegister::Debug.
    const DebugPlace& debug_at(uint32_t index) const;

  private:
    // Those that do something are below kKnown or from kSecond on, as many.
    static constexpr uint32_t kKnown = 0x1000, kSecond = 0xF000;
    void note(CpRegister reg, uint32_t index, uint32_t count);

    std::vector<CpRegister> kinds_;  // by index, the second part after the first
    std::array<uint32_t, static_cast<size_t>(CpRegister::kCount)> first_{}, counts_{};
    std::vector<DebugPlace> debug_;
};

// CpRegisterMap::kNowhere: the generation has none of this name.
uint32_t index_by_name(Names names, const char* name);

class GpuRegisters {
  public:
    // `pool_blocks`: CP_MEM_POOL_SIZE after reset. `roq`: what CP_ROQ_THRESHOLDS say then.
    explicit GpuRegisters(const Generation& generation, uint32_t pool_blocks = 0,
                          const RoqLayout& roq = {});

    const CpRegisterMap& map() const { return map_; }
    uint32_t read(uint32_t index, RegisterStatus& status);
    // The value that a read would give; the address of a window does not go on.
    uint32_t inspect(uint32_t index, RegisterStatus& status) const;
    // What a read of CpRegister::Debug asks for; the address of a window goes on with it.
    DebugRead next_debug_read(uint32_t index);
    // A read, at where(), of one whose contents no public source has stops the machine.
    template <class Where>
    void stop_if_not_public(uint32_t index, const Where& where) const {
        const DebugRegister& reg = *map_.debug_at(index).reg;
        if (reg.shown == Shown::NotPublic)
            throw MachineStop(
                StopKind::Unimplemented, where(),
                std::string("a read of ") + reg.name + ": what it shows is not public");
    }
    // A packet, at where(), that resets the chip it runs on: no driver does that.
    template <class Where>
    static void stop_if_reset(CpRegister written, const Where& where) {
        if (written == CpRegister::SoftReset)
            throw MachineStop(StopKind::Unimplemented, where(),
                              "a write of RBBM_SW_RESET_CMD by microcode");
    }
    uint32_t stored(uint32_t index) const { return values_[index]; }
    uint64_t stored_64(CpRegister reg) const;
    // Keeps the value, but of registers that only show something. Returns what others have to look
    // at.
    CpRegister write(uint32_t index, uint32_t value) {
        const CpRegister reg = map_.at(index);
        if (reg != CpRegister::None)
            return write_known(reg, index, value);
        values_[index] = value;
        return reg;
    }

    // CP_CONTEXT_SWITCH_CNTL asks for preemption.
    bool wants_preemption() const {
        return (stored(map_.index_of(CpRegister::ContextSwitch)) & 1) != 0;
    }
    // What others have to do after write() of a register. Registers of the ring that an engine
    // writes take effect together, with the read pointer.
    std::vector<EngineStart> starts(CpRegister written) const;
    static bool describes_ring(CpRegister written, bool by_engine);
    RingSettings ring(bool by_engine) const;
    static bool counts(CpRegister written) { return written >= CpRegister::PerfControl; }
    static bool describes_trust(CpRegister written) {
        return written >= CpRegister::TrustControl && written <= CpRegister::TrustedSize;
    }
    bool secure() const { return (stored(map_.index_of(CpRegister::TrustControl)) & 1) != 0; }
    Trust trust() const;
    // setsecure; false: refused, for no memory is trusted.
    bool set_secure(bool on);
    // A write in secure mode that is not to trusted memory has been dropped. False: the generation
    // has no way to tell.
    bool note_untrusted(uint64_t address);
    // An engine stops the machine: a fault of its own, or memory that refuses it (StopKind::Fault).
    // CP_INTERRUPT_STATUS and RBBM_INT_0_STATUS keep what tells a driver of it, where the
    // generation has a bit for it, and the message names the bit. Both modes' one way to stop.
    MachineStop note_stop(const MachineStop& stop, Role role, EngineFault fault);
    // Of RBBM_INT_0_STATUS; true: the host is to hear of it.
    bool raise(uint32_t bit);
    // Whether CP_PROTECT lets a packet of an engine write a register; notes a violation.
    bool may_write(uint32_t index, Role role) {
        return (protection_known_ && !protects_) || is_allowed(index, role);
    }
    bool violation_stops() const;
    // Blocks of the pool of register writes that may be in use.
    uint32_t pool_size() const { return values_[pool_size_index_]; }

    void reset();
    template <class Archive>
    void archive(Archive& a) {
        a(values_);
        protection_known_ = false;
    }

  private:
    bool is_allowed(uint32_t index, Role role);
    DebugRead debug_read(uint32_t index) const;
    void work_out_protection();
    CpRegister write_known(CpRegister reg, uint32_t index, uint32_t new_value);
    uint32_t& value(CpRegister reg) { return values_[map_.index_of(reg)]; }

    const Names names_;
    const CpRegisterMap map_;
    const uint32_t pool_blocks_;
    const RoqLayout roq_;
    const uint32_t pool_size_index_;
    std::vector<uint32_t> values_;
    // Registers that packets may not write, worked out when CP_PROTECT has changed.
    bool protection_known_ = false;
    bool protects_ = false;  // any
    std::vector<bool> protected_;
};

}  // namespace archipelago::afuc
