// SPDX-License-Identifier: Apache-2.0
// Interrupts that shaders ask for (s_sendmsg INTERRUPT).
#pragma once

#include <vector>

#include "models/common/interrupt.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/gcn/export_message.h"

namespace archipelago::gcn {

// `data` is laid out as SQ_INTERRUPT_WORD_WAVE: user data 7:0, VMID 13:10, wave slot 17:14, SIMD
// 19:18, CU 23:20, array 24, engine 25.
Interrupt shader_interrupt(const ShaderMessage& message);

// Takes the messages of the compute units and raises them, one per cycle and unit.
class ShaderInterrupts : public Unit {
  public:
    ShaderInterrupts(unsigned units, const ChannelSpec& spec);

    // While it is high nothing is raised.
    void connect_hold(const Wire<bool>& hold) {
        hold_ = &hold;
        hold.listen(this);
    }
    Channel<ShaderMessage>& from_cu(unsigned cu) { return from_cu_[cu]; }
    OutputEvent<Interrupt> to_interrupts{this};
    bool tick(Cycle now) override;

    void archive(Archive& a) override { Unit::archive(a); }
    bool idle() const override;
    std::string waiting_for() const override;

  private:
    std::vector<Channel<ShaderMessage>> from_cu_;
    const Wire<bool>* hold_ = nullptr;
};

}  // namespace archipelago::gcn
