// SPDX-License-Identifier: Apache-2.0
// Verilog that may replace parts of the CTM memory controller in cycle mode.
#pragma once

#include "models/ctm/mc/address_spec.h"
#include "pins/ctm_mc_address_pins.h"

namespace archipelago::ctm {

// Gives each address unit of the controller a block on pins.
class AddressFactory {
  public:
    virtual ~AddressFactory() = default;
    // Of unit `number`, which counts from 0. Throws std::invalid_argument for a spec that it does
    // not take. What it returns outlives the controller.
    virtual rtl::PinBlock<rtl::CtmMcAddressPins>& address_unit(const AddressSpec& spec,
                                                               unsigned number) = 0;
};

// Null: the controller's own.
struct Units {
    AddressFactory* addresses = nullptr;
};

// Throws std::invalid_argument for what the Verilog twin does not take.
void check_twin(const AddressSpec& spec);

}  // namespace archipelago::ctm
