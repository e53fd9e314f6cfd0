// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/shader_interrupts.h"

#include "models/gcn/interrupt_source.h"

namespace archipelago::gcn {

Interrupt shader_interrupt(const ShaderMessage& message) {
    const uint32_t hw = message.wave.hw_id;
    Interrupt interrupt;
    interrupt.source_id = interrupt_source::kShader;
    interrupt.vmid = message.wave.vmid;
    interrupt.data = (message.m0 & 0xff) | uint32_t{message.wave.vmid} << 10 | (hw & 0xf) << 14 |
                     (hw >> 4 & 3) << 18 | (hw >> 8 & 0xf) << 20 | (hw >> 12 & 1) << 24 |
                     (hw >> 13 & 1) << 25;
    return interrupt;
}

ShaderInterrupts::ShaderInterrupts(unsigned units, const ChannelSpec& spec) {
    from_cu_.reserve(units);
    for (unsigned i = 0; i < units; ++i) {
        from_cu_.emplace_back(spec, "message_from_cu" + std::to_string(i));
        add_input(from_cu_.back());
    }
}

bool ShaderInterrupts::tick(Cycle now) {
    bool moved = false;
    if (run_ == RunState::Paused || (hold_ != nullptr && hold_->get(now)))
        return false;
    for (Channel<ShaderMessage>& channel : from_cu_) {
        if (channel.empty() || !channel.can_pop(now))
            continue;
        to_interrupts->send(now, shader_interrupt(channel.pop(now)));
        moved = true;
    }
    return moved;
}

bool ShaderInterrupts::idle() const {
    return run_ == RunState::Draining || inputs_empty();
}

std::string ShaderInterrupts::waiting_for() const {
    return idle() ? std::string() : "shader interrupts have messages to raise";
}

}  // namespace archipelago::gcn
