// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/cp/gpu_registers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "models/afuc/engine/nrt.h"
#include "models/afuc/isa/names.h"
#include "models/afuc/pm4/registers.h"
#include "models/common/text.h"

namespace archipelago::afuc {
namespace {

struct CpRegisterName {
    CpRegister reg;
    const char* name;
    uint32_t count;  // indices
};
// In the names of all generations: a name that one has not is not there.
constexpr CpRegisterName kNamed[] = {
    {CpRegister::RingBase, "CP_RB_BASE", 2},
    {CpRegister::RingControl, "CP_RB_CNTL", 1},
    {CpRegister::ReadPointerAddress, "CP_RB_RPTR_ADDR", 2},
    {CpRegister::ReadPointer, "CP_RB_RPTR", 1},
    {CpRegister::WritePointer, "CP_RB_WPTR", 1},
    {CpRegister::Start, "CP_SQE_CNTL", 1},
    {CpRegister::Start, "CP_PFP_ME_CNTL", 1},
    {CpRegister::MainBase, "CP_SQE_INSTR_BASE", 2},
    {CpRegister::PfpBase, "CP_PFP_INSTR_BASE_LO", 2},
    {CpRegister::MeBase, "CP_ME_INSTR_BASE_LO", 2},
    {CpRegister::LpacStart, "CP_LPAC_SQE_CNTL", 1},
    {CpRegister::LpacBase, "CP_LPAC_SQE_INSTR_BASE", 2},
    {CpRegister::BvReadPointerAddress, "CP_BV_RB_RPTR_ADDR", 2},
    {CpRegister::ProtectControl, "CP_PROTECT_CNTL", 1},
    {CpRegister::ProtectStatus, "CP_PROTECT_STATUS", 1},
    {CpRegister::BvProtectStatus, "CP_BV_PROTECT_STATUS", 1},
    {CpRegister::CpInterruptStatus, "CP_INTERRUPT_STATUS", 1},
    {CpRegister::HardwareFault, "CP_HW_FAULT", 1},
    {CpRegister::AlwaysOn, "CP_ALWAYS_ON_COUNTER", 2},
    {CpRegister::Status, "RBBM_STATUS", 1},
    {CpRegister::InterruptStatus, "RBBM_INT_0_STATUS", 1},
    {CpRegister::InterruptClear, "RBBM_INT_CLEAR_CMD", 1},
    {CpRegister::InterruptMask, "RBBM_INT_0_MASK", 1},
    {CpRegister::TrustControl, "RBBM_SECVID_TRUST_CNTL", 1},
    {CpRegister::TrustedBase, "RBBM_SECVID_TSB_TRUSTED_BASE", 2},
    {CpRegister::TrustedBase, "RBBM_SECVID_TSB_TRUSTED_BASE_LO", 2},
    {CpRegister::TrustedSize, "RBBM_SECVID_TSB_TRUSTED_SIZE", 1},
    {CpRegister::TrustStatus, "RBBM_SECVID_TSB_STATUS", 2},
    {CpRegister::ContextSwitch, "CP_CONTEXT_SWITCH_CNTL", 1},
    {CpRegister::PoolSize, "CP_MEM_POOL_SIZE", 1},
    {CpRegister::SoftReset, "RBBM_SW_RESET_CMD", 1},
    {CpRegister::PerfControl, "RBBM_PERFCTR_CNTL", 1},
    {CpRegister::PerfLoad, "RBBM_PERFCTR_LOAD_CMD0", 1},
    {CpRegister::PerfLoadValue, "RBBM_PERFCTR_LOAD_VALUE_LO", 2},
    {CpRegister::PerfSelect, "CP_PERFCTR_CP_SEL_0", 8},
    {CpRegister::PerfCount, "RBBM_PERFCTR_CP_0_LO", 16},
};
// Rows of registers, as many as the generation has of the name.
constexpr std::pair<CpRegister, const char*> kRows[] = {
    {CpRegister::Protect, "CP_PROTECT"},
    {CpRegister::PerfSelect, "CP_PERFCTR_CP_SEL"},
    {CpRegister::PerfCount, "RBBM_PERFCTR_CP"},
    {CpRegister::BvPerfSelect, "CP_BV_PERFCTR_CP_SEL"},
    {CpRegister::BvPerfCount, "RBBM_PERFCTR2_CP"},
};
constexpr uint32_t kStatusCpBusy = 1u << 2;  // RBBM_STATUS
// CP_PROTECT_CNTL.
constexpr uint32_t kProtectionEnabled = 1, kViolationFaults = 2, kLastSpanInfinite = 8;
// Control of the ring: the logarithm of its size in 8 bytes; no read pointer in memory.
constexpr uint32_t kRingSizeMask = 0x3F, kRingNoUpdate = 1u << 27;

struct Span {
    uint32_t first, count;
};
// CP_PROTECT[n]: registers that packets may not write.
Span span_of(Names names, uint32_t entry) {
    if (names == Names::A5xx)
        return {entry & 0x1FFFF, (entry >> 29 & 1) != 0 ? 1u << (entry >> 24 & 0x1F) : 0};
    return {entry & 0x3FFFF, entry != 0 ? (entry >> 18 & 0x1FFF) + 1 : 0};
}

// Of an engine; a660's LPAC has none of its own.
struct ErrorBits {
    CpError error;
    const char* name;
    unsigned common, lpac_a7xx, bv;
    bool a5xx;  // it has the bit
};
constexpr ErrorBits kErrors[] = {
    {CpError::Opcode, "CP_OPCODE_ERROR", 0, 8, 13, true},
    {CpError::Microcode, "CP_UCODE_ERROR", 1, 9, 14, false},
    {CpError::Hardware, "CP_HW_FAULT_ERROR", 2, 10, 15, true},
    {CpError::Protection, "CP_REGISTER_PROTECTION_ERROR", 4, 11, 16, true},
    {CpError::IllegalInstruction, "CP_ILLEGAL_INSTR_ERROR", 7, 12, 17, false},
};

struct ErrorBit {
    uint32_t mask = 0;  // of CP_INTERRUPT_STATUS; 0: the generation has no bit for it
    std::string name;
};
ErrorBit error_bit(Names names, Role role, CpError error) {
    const ErrorBits& bits = kErrors[static_cast<size_t>(error)];
    if (names == Names::A5xx && !bits.a5xx)
        return {};
    if (role == Role::Bv)
        return {1u << bits.bv, bits.name + std::string("_BV")};
    if (role == Role::Lpac && names == Names::A7xx)
        return {1u << bits.lpac_a7xx, bits.name + std::string("_LPAC")};
    return {1u << bits.common, bits.name};
}

// What a stop is to a driver. None: the model's own, for which the hardware has no error.
std::optional<CpError> error_of(StopKind kind, EngineFault fault) {
    switch (fault) {
        case EngineFault::Opcode:
            return CpError::Opcode;
        case EngineFault::Microcode:
            return CpError::Microcode;
        case EngineFault::IllegalInstruction:
            return CpError::IllegalInstruction;
        default:
            return kind == StopKind::Fault ? std::optional(CpError::Hardware) : std::nullopt;
    }
}

bool is_computed(CpRegister reg) {
    switch (reg) {
        case CpRegister::ReadPointer:
        case CpRegister::AlwaysOn:
        case CpRegister::Debug:
        case CpRegister::Status:
        case CpRegister::PerfCount:
        case CpRegister::BvPerfCount:
            return true;
        default:
            return false;
    }
}

}  // namespace

uint32_t index_by_name(Names names, const char* name) {
    const regs::RegisterInfo* found = gpu_registers(names).find_by_name(name);
    return found != nullptr ? found->offset / 4 : CpRegisterMap::kNowhere;
}

uint32_t view_value(const EngineView& view, CpRegister reg) {
    if (reg == CpRegister::ReadPointer)
        return view.read_pointer;
    return view.busy ? kStatusCpBusy : 0;
}

const char* fault_name(EngineFault fault) {
    constexpr const char* kNames[] = {"no fault", "an opcode error", "a microcode error",
                                      "an illegal instruction", "what is not modelled"};
    return kNames[static_cast<size_t>(fault)];
}

std::string untrusted_write(uint64_t address) {
    return "secure mode: write to " + hex(address) + ", which is not trusted";
}

CpRegisterMap::CpRegisterMap(Names names) : kinds_(2 * kKnown, CpRegister::None) {
    first_.fill(kNowhere);
    for (const CpRegisterName& r : kNamed)
        note(r.reg, index_by_name(names, r.name), r.count);
    for (const auto& [reg, name] : kRows)
        if (const RegisterName* row = find_register(names, Space::Gpu, name))
            note(reg, row->first, row->count);
    for (const DebugRegister& reg : debug_registers()) {
        const uint32_t index = index_by_name(names, reg.name);
        if (index == kNowhere || !reg.is_of(names))
            continue;
        note(CpRegister::Debug, index, reg.indices());
        debug_.push_back(
            {&reg, index, reg.address != nullptr ? index_by_name(names, reg.address) : kNowhere});
    }
}

const DebugPlace& CpRegisterMap::debug_at(uint32_t index) const {
    return *std::find_if(debug_.begin(), debug_.end(), [index](const DebugPlace& place) {
        return index - place.first < place.reg->indices();
    });
}

void CpRegisterMap::note(CpRegister reg, uint32_t index, uint32_t count) {
    if (index == kNowhere)
        return;
    first_[static_cast<size_t>(reg)] = index;
    counts_[static_cast<size_t>(reg)] = count;
    for (uint32_t i = 0; i < count; ++i)
        kinds_[index + i - (index >= kSecond ? kSecond - kKnown : 0)] = reg;
}

GpuRegisters::GpuRegisters(const Generation& generation, uint32_t pool_blocks, const RoqLayout& roq)
    : names_(generation.names),
      map_(names_),
      pool_blocks_(pool_blocks),
      roq_(roq),
      pool_size_index_(map_.index_of(CpRegister::PoolSize) % kGpuRegisters),
      values_(kGpuRegisters) {
    reset();
}

void GpuRegisters::reset() {
    std::fill(values_.begin(), values_.end(), 0);
    // The engines of a5xx are halted until the host writes 0.
    if (names_ == Names::A5xx)
        value(CpRegister::Start) = UINT32_MAX;
    else
        value(CpRegister::PoolSize) = pool_blocks_;
    const std::array<uint32_t, 2> thresholds = roq_.thresholds(names_);
    values_[index_by_name(names_, "CP_ROQ_THRESHOLDS_1")] = thresholds[0];
    values_[index_by_name(names_, "CP_ROQ_THRESHOLDS_2")] = thresholds[1];
    protection_known_ = false;
}

DebugRead GpuRegisters::debug_read(uint32_t index) const {
    const DebugPlace& place = map_.debug_at(index);
    const bool window = place.address != CpRegisterMap::kNowhere;
    return {place.reg, window ? values_[place.address] : index - place.first};
}

DebugRead GpuRegisters::next_debug_read(uint32_t index) {
    const DebugRead read = debug_read(index);
    if (const uint32_t address = map_.debug_at(index).address; address != CpRegisterMap::kNowhere)
        ++values_[address];
    return read;
}

uint32_t GpuRegisters::read(uint32_t index, RegisterStatus& status) {
    if (map_.at(index) == CpRegister::Debug)
        return status.value_of(next_debug_read(index));
    return inspect(index, status);
}

uint32_t GpuRegisters::inspect(uint32_t index, RegisterStatus& status) const {
    const CpRegister reg = map_.at(index);
    if (reg == CpRegister::Debug)
        return status.value_of(debug_read(index));
    return is_computed(reg) ? status.value_of(reg, index - map_.index_of(reg)) : values_[index];
}

uint64_t GpuRegisters::stored_64(CpRegister reg) const {
    const uint32_t index = map_.index_of(reg);
    return index == CpRegisterMap::kNowhere ? 0
                                            : uint64_t{values_[index + 1]} << 32 | values_[index];
}

CpRegister GpuRegisters::write_known(CpRegister reg, uint32_t index, uint32_t new_value) {
    if (is_computed(reg) && reg != CpRegister::ReadPointer)
        return reg;
    if (reg == CpRegister::InterruptClear) {
        value(CpRegister::InterruptStatus) &= ~new_value;
        return reg;
    }
    values_[index] = new_value;
    if (reg == CpRegister::Protect || reg == CpRegister::ProtectControl)
        protection_known_ = false;
    return reg;
}

bool GpuRegisters::describes_ring(CpRegister written, bool by_engine) {
    if (by_engine || written == CpRegister::ReadPointer)
        return by_engine && written == CpRegister::ReadPointer;
    return (written >= CpRegister::RingBase && written <= CpRegister::WritePointer) ||
           written == CpRegister::BvReadPointerAddress;
}

std::vector<EngineStart> GpuRegisters::starts(CpRegister written) const {
    if (written != CpRegister::Start && written != CpRegister::LpacStart)
        return {};
    const uint32_t value = values_[map_.index_of(written)];
    if (names_ == Names::A5xx)
        return value != 0 ? std::vector<EngineStart>()
                          : std::vector<EngineStart>{{Role::Pfp, CpRegister::PfpBase},
                                                     {Role::Me, CpRegister::MeBase}};
    if ((value & 1) == 0)
        return {};
    if (written == CpRegister::LpacStart)
        return {{Role::Lpac, CpRegister::LpacBase}};
    return {{Role::Main, CpRegister::MainBase}};
}

RingSettings GpuRegisters::ring(bool by_engine) const {
    RingSettings s;
    s.moves = by_engine;
    s.read_pointer = stored(map_.index_of(CpRegister::ReadPointer));
    const uint32_t control = values_[map_.index_of(CpRegister::RingControl)];
    s.base = dword_at(stored_64(CpRegister::RingBase));
    s.dwords = s.base != 0 ? 2u << (control & kRingSizeMask & 31) : 0;
    s.write_pointer = values_[map_.index_of(CpRegister::WritePointer)];
    if ((control & kRingNoUpdate) == 0) {
        s.read_pointer_address = dword_at(stored_64(CpRegister::ReadPointerAddress));
        s.bv_read_pointer_address = dword_at(stored_64(CpRegister::BvReadPointerAddress));
    }
    return s;
}

Trust GpuRegisters::trust() const {
    return {secure(), stored_64(CpRegister::TrustedBase),
            values_[map_.index_of(CpRegister::TrustedSize)]};
}

bool GpuRegisters::set_secure(bool on) {
    if (on && trust().bytes == 0)
        return false;
    value(CpRegister::TrustControl) = on ? 1 : 0;
    return true;
}

bool GpuRegisters::note_untrusted(uint64_t address) {
    if (map_.index_of(CpRegister::TrustStatus) != CpRegisterMap::kNowhere) {
        uint32_t* const status = &value(CpRegister::TrustStatus);
        status[0] = static_cast<uint32_t>(address);
        status[1] = static_cast<uint32_t>(address >> 32);
    }
    return names_ != Names::A5xx;
}

MachineStop GpuRegisters::note_stop(const MachineStop& stop, Role role, EngineFault fault) {
    const std::optional<CpError> error = error_of(stop.kind(), fault);
    const ErrorBit bit = error ? error_bit(names_, role, *error) : ErrorBit{};
    if (bit.mask == 0)
        return stop;
    value(CpRegister::CpInterruptStatus) |= bit.mask;
    raise(kInterruptCpError);
    return {stop.kind(), stop.what(), "CP_INTERRUPT_STATUS " + hex(bit.mask) + ", " + bit.name};
}

bool GpuRegisters::raise(uint32_t bit) {
    value(CpRegister::InterruptStatus) |= 1u << bit;
    return (value(CpRegister::InterruptMask) >> bit & 1) != 0;
}

void GpuRegisters::work_out_protection() {
    protected_.assign(kGpuRegisters, false);
    const uint32_t control = value(CpRegister::ProtectControl);
    const uint32_t first = map_.index_of(CpRegister::Protect);
    const uint32_t protections = map_.count_of(CpRegister::Protect);
    for (uint32_t i = 0; i < protections && (control & kProtectionEnabled) != 0; ++i) {
        Span s = span_of(names_, values_[first + i]);
        if (i + 1 == protections && s.count != 0 && (control & kLastSpanInfinite) != 0)
            s.count = kGpuRegisters;
        const uint32_t end = std::min(kGpuRegisters, s.first + s.count);
        for (uint32_t r = s.first; r < end; ++r)
            protected_[r] = true;
    }
    protects_ = (control & kProtectionEnabled) != 0;
    protection_known_ = true;
}

bool GpuRegisters::is_allowed(uint32_t index, Role role) {
    if (!protection_known_)
        work_out_protection();
    if (!protected_[index])
        return true;
    // A write: of a5xx its bit is set, later ones have one for a read.
    if (names_ == Names::A5xx)
        value(CpRegister::ProtectStatus) = index << 2 | 1u << 24;
    else
        value(role == Role::Bv ? CpRegister::BvProtectStatus : CpRegister::ProtectStatus) = index;
    value(CpRegister::CpInterruptStatus) |= error_bit(names_, role, CpError::Protection).mask;
    return false;
}

bool GpuRegisters::violation_stops() const {
    return (values_[map_.index_of(CpRegister::ProtectControl)] & kViolationFaults) != 0;
}

}  // namespace archipelago::afuc
