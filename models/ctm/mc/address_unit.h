// SPDX-License-Identifier: Apache-2.0
// One address unit of the memory controller with the queues around it: McAddressCore, or a block
// behind pins in its place. The same cycles either way.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "models/ctm/mc/mc_address_core.h"
#include "models/ctm/mc/mc_spec.h"
#include "models/ctm/mc/units.h"

namespace archipelago::ctm {

class AddressUnit {
  public:
    AddressUnit(const McSpec& spec, const Units& units, unsigned number, const std::string& name);

    bool can_ask(Cycle now) { return requests_->can_push(now); }
    void ask(Cycle now, const AddressRequest& request) { requests_->push(now, request); }
    bool can_set(Cycle now) { return commands_->can_push(now); }
    void set(Cycle now, const AddressCommand& command) { commands_->push(now, command); }
    bool answered(Cycle now) const { return answers_.can_pop(now); }
    const AddressResponse& answer() { return answers_.front(); }
    void drop(Cycle now) { answers_.drop(now); }

    // Once in every cycle in which anything is inside.
    void tick(Cycle now) {
        if (core_ != nullptr)
            core_->tick(now);
        else
            step_pins(now);
    }

    void reset();
    void archive(Archive& a);
    void take_over(const std::array<Surface, kClients>& surfaces);
    // Null of a block behind pins.
    const McAddressCore* core() const { return core_.get(); }

  private:
    // Around pins.
    struct Outside {
        Channel<AddressRequest> requests;
        Channel<AddressCommand> commands;
        rtl::CtmMcAddressPins::In in;
        rtl::CtmMcAddressPins::Out out;
    };
    void step_pins(Cycle now);

    std::unique_ptr<McAddressCore> core_;
    rtl::PinBlock<rtl::CtmMcAddressPins>* pins_ = nullptr;
    std::unique_ptr<Outside> outside_;
    Channel<AddressRequest>* requests_;
    Channel<AddressCommand>* commands_;
    Channel<AddressResponse> answers_;
};

}  // namespace archipelago::ctm
