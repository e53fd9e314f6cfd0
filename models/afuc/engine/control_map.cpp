// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/engine/control_map.h"

namespace archipelago::afuc {
namespace {

struct ControlName {
    Control control;
    const char* name;
};
constexpr ControlName kControls[] = {
    {Control::PacketTableWriteAddress, "PACKET_TABLE_WRITE_ADDR"},
    {Control::PacketTableWrite, "PACKET_TABLE_WRITE"},
    {Control::RegisterWriteAddress, "REG_WRITE_ADDR"},
    {Control::RegisterWrite, "REG_WRITE"},
    {Control::RegisterReadAddress, "REG_READ_ADDR"},
    {Control::RegisterReadDwords, "REG_READ_DWORDS"},
    {Control::MemoryReadAddress, "MEM_READ_ADDR"},
    {Control::MemoryReadDwords, "MEM_READ_DWORDS"},
    {Control::MemoryReadHighPrivileged, "MEM_READ_ADDR_HI_PRIVILEGED"},
    {Control::LoadStoreHigh, "LOAD_STORE_HI"},
    {Control::LoadStoreHigh, "STORE_HI"},
    {Control::DrawStateSetHeader, "DRAW_STATE_SET_HDR"},
    {Control::DrawStateSelect, "DRAW_STATE_SEL"},
    {Control::DrawStateHeader, "DRAW_STATE_HDR"},
    {Control::DrawStateBase, "DRAW_STATE_BASE"},
    {Control::DrawStateActive, "DRAW_STATE_ACTIVE_BITMASK"},
    {Control::SdsBase, "SDS_BASE"},
    {Control::SdsDwords, "SDS_DWORDS"},
    {Control::ThreadSync, "THREAD_SYNC"},
};

}  // namespace

ControlMap::ControlMap(Names names) : kinds_(kControlRegisters, Control::Plain) {
    first_.fill(kNowhere);
    for (const ControlName& c : kControls)
        if (const RegisterName* found = find_register(names, Space::Control, c.name)) {
            kinds_[found->first] = c.control;
            first_[static_cast<size_t>(c.control)] = found->first;
        }
}

}  // namespace archipelago::afuc
