// SPDX-License-Identifier: Apache-2.0
#include "models/asic/soft_reset.h"

#include <algorithm>

namespace archipelago::asic {

SoftReset::SoftReset(const sc_core::sc_module_name& name, tlm_shell::ClockDomain& clock,
                     const Wire<uint32_t>& bits)
    : sc_core::sc_module(name), clock_(clock), bits_(bits) {
    SC_HAS_PROCESS(SoftReset);
    SC_METHOD(apply);
    sensitive << apply_;
    dont_initialize();
    bits_.listen(this);
}

void SoftReset::add(uint32_t bits, Control& block, const std::vector<Clocked*>& units,
                    RegisterPort registers) {
    blocks_.emplace_back();
    Block& b = blocks_.back();
    b.bits = bits;
    b.control = &block;
    b.units = units;
    b.registers = registers;
    for (size_t i = 0; i < units.size(); ++i) {
        b.stand_ins.push_back(std::make_unique<StandIn>());
        b.stand_ins.back()->owner = this;
        b.stand_ins.back()->block = &b;
    }
}

bool SoftReset::StandIn::tick(Cycle) {
    block->dirty = true;
    owner->wake_at(0);
    return false;
}

bool SoftReset::tick(Cycle now) {
    const bool work = std::any_of(blocks_.begin(), blocks_.end(),
                                  [](const Block& b) { return b.held && b.dirty; });
    if (bits_.get(now) != level_ || work)
        clock_.control().notify(apply_, sc_core::SC_ZERO_TIME);
    return false;
}

// Reads return 0, writes are lost. False while an access is on its way or an answer finds no room.
bool SoftReset::answer_registers(const Block& block, Cycle now) {
    Channel<RegRequest>* const in = block.registers.requests;
    if (in == nullptr)
        return true;
    while (in->can_pop(now)) {
        if (!in->front().write && !block.registers.answers->can_push(now))
            break;
        const RegRequest request = in->pop(now);
        if (request.write)
            continue;
        RegResponse answer;
        answer.tag = request.tag;
        answer.port = request.port;
        block.registers.answers->push(now, answer);
    }
    return in->empty();
}

void SoftReset::exchange(Block& block, bool hold) {
    block.held = hold;
    for (size_t i = 0; i < block.units.size(); ++i)
        clock_.scheduler().replace(
            *block.units[i], hold ? static_cast<Clocked&>(*block.stand_ins[i]) : *block.units[i]);
}

void SoftReset::apply() {
    const Cycle now = clock_.now();
    level_ = bits_.latest();
    stopped_ &= ~level_;
    bool again = false;
    for (Block& block : blocks_) {
        const bool set = ((level_ | stopped_) & block.bits) != 0;
        if (set && !block.held) {
            exchange(block, true);
            block.dirty = true;
        }
        // A reset would lose accesses that are on their way.
        if (block.held && block.dirty && answer_registers(block, now)) {
            block.control->reset();
            block.dirty = false;
        }
        if (block.held && !set && !block.dirty)
            exchange(block, false);
        again = again || (block.held && block.dirty);
    }
    if (again)
        wake_at(now + 1);
}

void SoftReset::hold() {
    stopped_ = ~uint32_t{0};
    apply();
}

void SoftReset::reset(uint32_t bits) {
    for (const Block& block : blocks_)
        if ((bits & block.bits) != 0)
            block.control->reset();
}

}  // namespace archipelago::asic
