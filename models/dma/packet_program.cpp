// SPDX-License-Identifier: Apache-2.0
#include "models/dma/packet_program.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/dma/register_file.h"
#include "models/front/swap.h"

namespace archipelago::dma {

void ProgramState::bad(const std::string& reason) const {
    throw MachineStop(StopKind::BadInput, to_string(location, *settings.names),
                      std::string("packet ") + info->name + ": " + reason);
}

uint8_t ProgramState::swap_mask(unsigned code, unsigned most) const {
    if (code > most)
        bad("reserved swap code " + std::to_string(code));
    return static_cast<uint8_t>(front::swap_mask(code));
}

void ProgramState::check_swap(uint8_t mask, uint64_t address, uint64_t bytes) const {
    if (mask == 0)
        return;
    const unsigned unit = swap_unit(mask);
    if (address % unit != 0 || bytes % unit != 0)
        bad("byte swap needs addresses and sizes in multiples of " + std::to_string(unit));
}

void PacketProgram::start(const PacketInfo& row, const uint32_t* words, const Location& at,
                          const Generation& of, const EngineControl& registers,
                          const ProgramSettings& chip) {
    static_cast<Progress&>(*this) = Progress();
    ProgramState::info = &row;
    generation = &of;
    ProgramState::control = &registers;
    std::copy_n(words, row.fixed, ProgramState::dwords.begin());
    ProgramState::location = at;
    ProgramState::settings = chip;
}

bool PacketProgram::next(MicroOp& op) {
    op.stream = false;
    op.dwords = 1;
    op.swap = 0;
    op.path = front::MemPath::Hub;
    op.byte_enable = 0xF;
    op.packet = info().name;
    op.field = nullptr;
    if (info().run == nullptr || !info().run(*this, op))
        return false;
    if (op.kind == OpKind::RegWrite || op.kind == OpKind::RegRead)
        check_register(op);
    return true;
}

// A buffer of a process reaches no register, and no packet moves the ring that it is in.
void PacketProgram::check_register(const MicroOp& op) const {
    if (op.offset % 4 != 0)
        bad("register " + hex(op.offset) + " is no dword's");
    if (location().vmid != 0)
        bad("reaches register " + hex(op.offset) + " from a buffer of VMID " +
            std::to_string(location().vmid));
    if (op.kind == OpKind::RegWrite && settings.owns(op.offset) &&
        register_map_of(*generation).moves_ring(op.offset - settings.own_registers))
        bad("writes register " + hex(op.offset) + " of its own engine, which moves its ring");
}

}  // namespace archipelago::dma
