// SPDX-License-Identifier: Apache-2.0
#include "models/afuc/engine/engine_unit.h"

#include <algorithm>

#include "models/common/error.h"

namespace archipelago::afuc {

static_assert(kIssueWords == rtl::AfucEnginePins::kWords);

void EngineUnit::begin(const Pins::Start& start) {
    engine_.state() = {};
    engine_.begin(start.words);
    running_ = true;
    error_ = nullptr;
    const ControlRegister own =
        start.role == 1 ? ControlRegister::BvBase : ControlRegister::LpacBase;
    if (start.role != 0)
        engine_.set_base(own, start.base);
}

// What is written from outside takes effect after the issue cycle.
inline void EngineUnit::take_writes(const In& in) {
    const unsigned any = in.start_valid | in.line_valid | in.table_valid | in.wfi_done |
                         in.query_done | in.cache_done;
    if (any != 0)
        take_any_write(in);
}

void EngineUnit::take_any_write(const In& in) {
    if (in.start_valid != 0)
        begin(in.start);
    if (in.line_valid != 0) {
        const uint32_t words = engine_.section_words();
        if (in.line_address < words)
            engine_.place(in.line_address, in.line_words.data(),
                          std::min(words - in.line_address, kFetchWords));
    }
    if (in.table_valid != 0)
        engine_.state().packet_table[in.table_entry] = in.table_value;
    if (in.wfi_done != 0)
        engine_.count(ControlRegister::WfiPendCounter, -1);
    if (in.query_done != 0)
        engine_.count(ControlRegister::QueryPendCounter, -1);
    if (in.cache_done != 0)
        engine_.count(ControlRegister::CachePendCounter, -1);
}

inline void EngineUnit::issue(const In& in, Out& out) {
    if (error_ != nullptr)
        out.fault = static_cast<uint8_t>(engine_.fault());
    else if (!running_)
        out.wait = Pins::kNotRunning;
    else if (in.room == 0)
        out.wait = Pins::kRoom;
    if (out.wait != 0 || out.fault != 0)
        return;
    const uint64_t packets = engine_.state().packets;
    try {
        const bool moved = engine_.step();
        out.issue = moved && out.preempted == 0 ? 1 : 0;
        out.packet = engine_.state().packets != packets ? 1 : 0;
    } catch (const MachineStop&) {
        error_ = std::current_exception();
        const uint32_t pc = out.pc;
        out = {};
        out.pc = pc;
        out.fault = static_cast<uint8_t>(engine_.fault());
    }
}

void EngineUnit::step(const In& in, Out& out) {
    out = {};
    if (in.rst != 0) {
        engine_.state() = {};
        engine_.begin(0);
        running_ = false;
        error_ = nullptr;
        return;
    }
    in_ = &in;
    out_ = &out;
    out.pc = engine_.state().pc;
    issue(in, out);
    out.header = engine_.state().header;
    take_writes(in);
}

inline EngineUnit::Pins::Wait EngineUnit::waits_for(const Needs& needs) {
    if (needs.data > in_->data_count) {
        out_->data_header = engine_.state().leads == Leads::Packet ? 1 : 0;
        return Pins::kData;
    }
    if (needs.memory > in_->memory_count)
        return Pins::kMemory;
    if (needs.registers > in_->register_count) {
        out_->register_index = needs.index;
        return Pins::kRegisters;
    }
    if (needs.load && in_->load_valid == 0) {
        out_->load_valid = 1;
        out_->load_address = needs.address;
        return Pins::kLoad;
    }
    if (needs.live && in_->live_valid == 0) {
        out_->live_valid = 1;
        out_->live_index = static_cast<uint16_t>(needs.address);
        return Pins::kLive;
    }
    if (needs.secure && in_->secure_valid == 0) {
        out_->secure_valid = 1;
        out_->secure_on = needs.address != 0 ? 1 : 0;
        return Pins::kSecure;
    }
    return Pins::kNothing;
}

bool EngineUnit::ready(const Needs& needs) {
    out_->wait = waits_for(needs);
    return out_->wait == Pins::kNothing;
}

const uint32_t* EngineUnit::data(unsigned words, bool take) {
    if (take) {
        out_->data_header = engine_.state().leads == Leads::Packet ? 1 : 0;
        out_->data_taken = static_cast<uint8_t>(words);
    }
    return in_->data_words.data();
}

void EngineUnit::write(Pins::Kind kind, uint32_t index, uint32_t value) {
    const unsigned n = out_->write_count++;
    out_->write_kind[n] = kind;
    out_->write_index[n] = index;
    out_->write_value[n] = value;
}

void EngineUnit::write_memory(uint64_t address, uint32_t value) {
    out_->store_valid = 1;
    out_->store_address = address;
    out_->store_value = value;
}

void EngineUnit::write_gpu_register(uint32_t index, uint32_t value, RegisterPath path) {
    if (path != RegisterPath::Direct)
        return write(path == RegisterPath::Packet ? Pins::kPacket : Pins::kInternal, index, value);
    out_->direct_valid = 1;
    out_->direct_index = index;
    out_->direct_value = value;
}

void EngineUnit::arm(unsigned level, uint64_t base, uint32_t dwords) {
    out_->arm_valid = 1;
    out_->arm_level = static_cast<uint8_t>(level);
    out_->arm_base = base;
    out_->arm_dwords = dwords;
}

void EngineUnit::boot(bool bv, uint64_t base) {
    out_->boot_valid = 1;
    out_->boot_bv = bv ? 1 : 0;
    out_->boot_base = base;
}

void EngineUnit::wrote_control(uint32_t index, uint32_t value) {
    out_->control_valid = 1;
    out_->control_index = static_cast<uint16_t>(index);
    out_->control_value = value;
}

}  // namespace archipelago::afuc
