// SPDX-License-Identifier: Apache-2.0
// Loads and stores, control and SQE registers, and what a write of a control register starts.
#include "models/afuc/engine/engine.h"
#include "models/afuc/engine/levels.h"
#include "models/common/text.h"

namespace archipelago::afuc {

// Register and base together; "!" keeps the sum.
uint32_t Engine::place_of(const Decoded& d) {
    const uint32_t place = read(d.second) + d.value;
    if (d.pre_increment)
        write(d.second, place);
    return place;
}

void Engine::place_access(const Decoded& d) {
    const bool writes = d.op == Op::CWrite || d.op == Op::SWrite || d.op == Op::Store;
    const uint32_t value = writes ? read(d.first) : 0;
    const uint32_t place = place_of(d);
    const bool memory = d.op == Op::Load || d.op == Op::Store;
    const bool sqe = d.op == Op::SRead || d.op == Op::SWrite;
    const uint64_t address =
        uint64_t{memory ? control(ControlRegister::LoadStoreHigh) : 0} << 32 | place;
    if (memory && place % 4 != 0)
        bad("address " + hex(address) + " is not a multiple of 4");
    if (!memory && place >= (sqe ? kSqeRegisters : kControlRegisters))
        bad(std::string(sqe ? "SQE" : "control") + " register " + hex(place) + " is not there");
    switch (d.op) {
        case Op::Load:
            return write(d.destination, ports_.load(address));
        case Op::Store:
            return ports_.write_memory(address, value);
        case Op::CRead:
            return write(d.destination,
                         map_.live(place) ? ports_.live_control(place) : state_.control[place]);
        case Op::SRead:
            return write(d.destination, state_.sqe[place]);
        case Op::SWrite:
            state_.sqe[place] = value;
            return ports_.wrote_sqe(place, value);
        default:
            write_control(place, value);
            extra_reads(d, place);
    }
}

void Engine::write_control(uint32_t index, uint32_t value) {
    state_.control[index] = value;
    ports_.wrote_control(index, value);
    switch (map_.at(index)) {
        case ControlRegister::PacketTableWrite: {
            uint32_t& entry = control(ControlRegister::PacketTableWriteAddress);
            if (entry >= kTableWords)
                bad("entry " + std::to_string(entry) + " of the packet table, which has 128");
            state_.packet_table[entry++] = value;
            return;
        }
        case ControlRegister::RegisterWrite: {
            // The upper half of the address is flags, which stay.
            uint32_t& address = control(ControlRegister::RegisterWriteAddress);
            const uint32_t reg = address & 0xFFFF;
            address = (address & 0xFFFF0000) | ((address + 1) & 0xFFFF);
            return ports_.write_gpu_register(reg, value, RegisterPath::Direct);
        }
        case ControlRegister::DrawStateSetHeader:
            set_draw_state(value);
            return;
        case ControlRegister::DrawStateSelect:
            return select_draw_state(value);
        case ControlRegister::Ib1Dwords:
            return arm(1, index);
        case ControlRegister::Ib2Dwords:
            return arm(2, index);
        case ControlRegister::Ib3Dwords:
            return arm(3, index);
        case ControlRegister::SdsDwords:
            return arm(draw_state_level(spec_.generation->names), index);
        case ControlRegister::BvControl:
        case ControlRegister::LpacControl:
            return boot(map_.at(index) == ControlRegister::BvControl, value);
        case ControlRegister::WfiPendIncrement:
            return count(ControlRegister::WfiPendCounter, 1);
        case ControlRegister::QueryPendIncrement:
            return count(ControlRegister::QueryPendCounter, 1);
        case ControlRegister::CachePendIncrement:
            return count(ControlRegister::CachePendCounter, 1);
        default:
            return;
    }
}

// A buffer's base stands before its size.
void Engine::arm(unsigned level, uint32_t dwords_index) {
    const uint64_t base =
        uint64_t{state_.control[dwords_index - 1]} << 32 | state_.control[dwords_index - 2];
    if (base % 4 != 0)
        bad("a buffer at " + hex(base) + ", which is not a multiple of 4");
    ports_.arm(level, base, state_.control[dwords_index]);
}

void Engine::boot(bool bv, uint32_t value) {
    const uint32_t* base = &control(bv ? ControlRegister::BvBase : ControlRegister::LpacBase);
    if ((value & 1) != 0)
        ports_.boot(bv, uint64_t{base[1]} << 32 | base[0]);
}

void Engine::set_base(ControlRegister base, uint64_t address) {
    const uint32_t at = map_.index_of(base);
    if (at == ControlMap::kNowhere)
        return;
    state_.control[at] = static_cast<uint32_t>(address);
    state_.control[at + 1] = static_cast<uint32_t>(address >> 32);
}

void Engine::count(ControlRegister counter, int32_t by) {
    if (map_.index_of(counter) != ControlMap::kNowhere)
        control(counter) += static_cast<uint32_t>(by);
}

// (sdsN): reads the source again. Words after a DRAW_STATE_SET_HDR are the base of its group.
void Engine::extra_reads(const Decoded& d, uint32_t index) {
    const bool base = map_.at(index) == ControlRegister::DrawStateSetHeader;
    const uint32_t group = state_.control[index] >> 24 & (kDrawStates - 1);
    for (unsigned i = 0; i < d.extra_reads; ++i) {
        const uint32_t value = read(d.first);
        if (base && i < 2)
            state_.draw_states[group].base[i] = value;
    }
}

void Engine::set_draw_state(uint32_t header) {
    const uint32_t group = header >> 24 & (kDrawStates - 1);
    state_.draw_states[group].header = (header >> 20 & 7) << 16 | (header & 0xFFFF);
    control(ControlRegister::DrawStateActive) |= 1u << group;
}

// The control registers show the group; how far another was read is kept with that one.
void Engine::select_draw_state(uint32_t group) {
    if (group >= kDrawStates)
        bad("draw state " + std::to_string(group) + ", there are 32");
    uint32_t* const sds_base = &control(ControlRegister::SdsBase);
    DrawState& before = state_.draw_states[state_.selected_draw_state];
    before.sds_base = {sds_base[0], sds_base[1]};
    before.sds_dwords = control(ControlRegister::SdsDwords);
    const DrawState& now = state_.draw_states[group];
    state_.selected_draw_state = static_cast<uint8_t>(group);
    control(ControlRegister::DrawStateHeader) = now.header;
    uint32_t* const base = &control(ControlRegister::DrawStateBase);
    for (unsigned i = 0; i < 2; ++i) {
        base[i] = now.base[i];
        sds_base[i] = now.sds_base[i];
    }
    control(ControlRegister::SdsDwords) = now.sds_dwords;
}

}  // namespace archipelago::afuc
