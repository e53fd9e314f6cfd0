// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/engine/control_map.h"

namespace archipelago::afuc {
namespace {

struct ControlName {
    ControlRegister control;
    const char* name;
};
constexpr ControlName kControls[] = {
    {ControlRegister::PacketTableWriteAddress, "PACKET_TABLE_WRITE_ADDR"},
    {ControlRegister::PacketTableWrite, "PACKET_TABLE_WRITE"},
    {ControlRegister::RegisterWriteAddress, "REG_WRITE_ADDR"},
    {ControlRegister::RegisterWrite, "REG_WRITE"},
    {ControlRegister::RegisterReadAddress, "REG_READ_ADDR"},
    {ControlRegister::RegisterReadDwords, "REG_READ_DWORDS"},
    {ControlRegister::MemoryReadAddress, "MEM_READ_ADDR"},
    {ControlRegister::MemoryReadDwords, "MEM_READ_DWORDS"},
    {ControlRegister::MemoryReadHighPrivileged, "MEM_READ_ADDR_HI_PRIVILEGED"},
    {ControlRegister::LoadStoreHigh, "LOAD_STORE_HI"},
    {ControlRegister::LoadStoreHigh, "STORE_HI"},
    {ControlRegister::DrawStateSetHeader, "DRAW_STATE_SET_HDR"},
    {ControlRegister::DrawStateSelect, "DRAW_STATE_SEL"},
    {ControlRegister::DrawStateHeader, "DRAW_STATE_HDR"},
    {ControlRegister::DrawStateBase, "DRAW_STATE_BASE"},
    {ControlRegister::DrawStateActive, "DRAW_STATE_ACTIVE_BITMASK"},
    {ControlRegister::SdsBase, "SDS_BASE"},
    {ControlRegister::SdsDwords, "SDS_DWORDS"},
    {ControlRegister::SecureMode, "SECURE_MODE"},
    {ControlRegister::PreemptEnable, "PREEMPT_ENABLE"},
    {ControlRegister::PreemptTrigger, "PREEMPT_TRIGGER"},
    {ControlRegister::ThreadSync, "THREAD_SYNC"},
    {ControlRegister::IbLevel, "IB_LEVEL"},
    {ControlRegister::Ib1Dwords, "IB1_DWORDS"},
    {ControlRegister::Ib2Dwords, "IB2_DWORDS"},
    {ControlRegister::Ib3Dwords, "IB3_DWORDS"},
    {ControlRegister::WfiPendIncrement, "WFI_PEND_INCR"},
    {ControlRegister::QueryPendIncrement, "QUERY_PEND_INCR"},
    {ControlRegister::CachePendIncrement, "CACHE_FLUSH_PEND_INCR"},
    {ControlRegister::CachePendIncrement, "CACHE_CLEAN_PEND_INCR"},
    {ControlRegister::WfiPendCounter, "WFI_PEND_CTR"},
    {ControlRegister::QueryPendCounter, "QUERY_PEND_CTR"},
    {ControlRegister::CachePendCounter, "CACHE_FLUSH_PEND_CTR"},
    {ControlRegister::CachePendCounter, "CACHE_CLEAN_PEND_CTR"},
    {ControlRegister::RingReadPointer, "RB_RPTR"},
    {ControlRegister::GlobalTimestamp, "GLOBAL_TIMESTAMP"},
    {ControlRegister::LocalTimestamp, "LOCAL_TIMESTAMP"},
    {ControlRegister::BvBase, "BV_INSTR_BASE"},
    {ControlRegister::BvControl, "BV_CNTL"},
    {ControlRegister::LpacBase, "LPAC_INSTR_BASE"},
    {ControlRegister::LpacControl, "LPAC_CNTL"},
    {ControlRegister::CoprocessorLock, "COPROCESSOR_LOCK"},
};

}  // namespace

ControlMap::ControlMap(const Generation& generation)
    : kinds_(kControlRegisters, ControlRegister::Plain) {
    first_.fill(kNowhere);
    if (generation.coprocessors)
        for (uint32_t i = 0; i < kSharedControls; ++i)
            kinds_[kSharedControl + i] = ControlRegister::Shared;
    for (const ControlName& c : kControls)
        if (const RegisterName* found = find_register(generation.names, Space::Control, c.name)) {
            kinds_[found->first] = c.control;
            first_[static_cast<size_t>(c.control)] = found->first;
        }
}

bool ControlMap::is_live(uint32_t index) const {
    switch (kinds_[index]) {
        case ControlRegister::ThreadSync:
        case ControlRegister::Shared:
        case ControlRegister::CoprocessorLock:
        case ControlRegister::RingReadPointer:
        case ControlRegister::GlobalTimestamp:
        case ControlRegister::LocalTimestamp:
            return true;
        default:
            return false;
    }
}

}  // namespace archipelago::afuc
