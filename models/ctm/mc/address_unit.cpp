// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/mc/address_unit.h"

#include <stdexcept>

#include "models/common/archive.h"

namespace archipelago::ctm {

using rtl::CtmMcAddressPins;

void check_twin(const AddressSpec& spec) {
    if (spec.latency != CtmMcAddressPins::kLatency)
        throw std::invalid_argument("ctm.mc.address.latency is " + std::to_string(spec.latency) +
                                    ", the Verilog is built with " +
                                    std::to_string(CtmMcAddressPins::kLatency));
}

AddressUnit::AddressUnit(const McSpec& spec, const Units& units, unsigned number,
                         const std::string& name)
    : answers_(spec.addresses, name + ".answers") {
    answers_.set_consumer(nullptr, first_answer_);
    if (units.addresses == nullptr) {
        core_ = std::make_unique<McAddressCore>(spec.address, name);
        core_->to_responses.connect(answers_);
        requests_ = &core_->requests;
        commands_ = &core_->commands;
        return;
    }
    pins_ = &units.addresses->address_unit(spec.address, number);
    outside_ = std::make_unique<Outside>(
        Outside{Channel<AddressRequest>(spec.address.requests, name + ".requests"),
                Channel<AddressCommand>(spec.address.commands, name + ".commands"),
                {},
                {}});
    requests_ = &outside_->requests;
    commands_ = &outside_->commands;
    reset_block(*pins_);
}

void AddressUnit::step_pins(Cycle now) {
    CtmMcAddressPins::In& in = outside_->in;
    CtmMcAddressPins::Out& out = outside_->out;
    in.in_valid = requests_->can_pop(now) ? 1 : 0;
    if (in.in_valid != 0) {
        const AddressRequest& r = requests_->front();
        in.in = {r.client, r.x, r.y, r.tag};
    }
    in.cmd_valid = commands_->can_pop(now) ? 1 : 0;
    if (in.cmd_valid != 0) {
        const AddressCommand& c = commands_->front();
        in.cmd = {c.opcode, c.parameters[0], c.parameters[1], c.parameters[2]};
    }
    in.out_ready = answers_.can_push(now) ? 1 : 0;
    pins_->step(in, out);
    if (in.in_valid != 0 && out.in_ready != 0)
        requests_->drop(now);
    if (in.cmd_valid != 0 && out.cmd_ready != 0)
        commands_->drop(now);
    if (out.out_valid != 0 && in.out_ready != 0)
        answers_.push(now, {{out.out_c0, out.out_c1, out.out_c2, out.out_c3},
                            out.out_superfine != 0,
                            out.out_log2_bytes,
                            static_cast<AddressStatus>(out.out_status),
                            out.out_tag});
}

void AddressUnit::reset() {
    if (core_ != nullptr) {
        core_->reset();
    } else {
        requests_->clear();
        commands_->clear();
        reset_block(*pins_);
    }
    answers_.clear();
}

void AddressUnit::take_over(const std::array<Surface, kClients>& surfaces) {
    if (core_ != nullptr)  // a twin is refused by archive()
        core_->take_over(surfaces);
}

void AddressUnit::archive(Archive& a) {
    a.at_rest(core_ != nullptr, "its address units are Verilog twins");
    core_->archive(a);
    answers_.archive(a);
}

}  // namespace archipelago::ctm
