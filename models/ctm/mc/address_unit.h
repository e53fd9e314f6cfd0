// SPDX-License-Identifier: Apache-2.0
// One address unit of the memory controller with the queues around it: McAddressCore, or a block
// on pins in its place. The same cycles either way.
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
    // Field by field: a copy of what has just been put together waits for the host's stores.
    void ask(Cycle now, const AddressRequest& request) {
        requests_->emplace(now, [&](AddressRequest& r) {
            r.client = request.client;
            r.x = request.x;
            r.y = request.y;
            r.tag = request.tag;
        });
    }
    bool can_set(Cycle now) { return commands_->can_push(now); }
    void set(Cycle now, const AddressCommand& command) { commands_->push(now, command); }
    bool answered(Cycle now) const { return answers_.can_pop(now); }
    const AddressResponse& answer() { return answers_.front(); }
    void drop(Cycle now) { answers_.drop(now); }

    // Once in every cycle in which anything is inside, from next() on.
    void tick(Cycle now) {
        if (core_ == nullptr)
            step_pins(now);
        else if (core_->next() <= now)
            core_->tick(now);
    }
    // Nothing changes before, unless something is asked or set. A block on pins has to be
    // stepped in every cycle.
    Cycle next() const {
        if (core_ == nullptr)
            return 0;
        const Cycle inside = core_->next();
        return inside < first_answer_ ? inside : first_answer_;
    }

    void reset();
    void archive(Archive& a);
    void take_over(const std::array<Surface, kClients>& surfaces);
    // Null of a block on pins.
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
    Cycle first_answer_ = kNever;  // kept by the channel
    Channel<AddressResponse> answers_;
};

}  // namespace archipelago::ctm
