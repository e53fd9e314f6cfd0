// SPDX-License-Identifier: Apache-2.0
// CTM chips as `describe` and `list` show them.
#include "models/asic/description.h"

#include <fmt/format.h>

#include <utility>

#include "models/asic/ctm/chip_config.h"

namespace archipelago::ctm {
namespace {

class Description : public asic::ChipDescription {
  public:
    Description(config::Node tree, config::Diagnostics& diagnostics)
        : ChipDescription(std::move(tree)), config_(read_chip(tree_, diagnostics, records_)) {}

    const asic::Identity& identity() const override { return config_.identity; }
    std::string summary() const override {
        return fmt::format("{:10} CTM: addresses of the memory controller only",
                           identity().product);
    }
    std::string diagram() const override {
        const asic::Identity& id = identity();
        return fmt::format(
            "{} ({}), generation {}, configuration {}\n\n"
            "  set_*_fmt commands          16 inputs, 4 outputs, conditional output,\n"
            "   | {:2} queued                 3 kinds of constants, instructions\n"
            "   v                           | {:2} queued\n"
            "  surfaces of 25 clients       v index pairs\n"
            "   |                          MC address translation, {} cycles, one request each\n"
            "   +------------------------>  |\n"
            "                               v byte addresses (archipelago map)\n\n"
            "not modelled: PE, CO, DPP, caches and memory of the MC; no workload runs\n",
            id.name, id.product, id.generation, id.hash, config_.address.commands.capacity,
            config_.address.requests.capacity, config_.address.latency);
    }

  private:
    const void* find_spec(const std::type_info& type) const override {
        return type == typeid(AddressSpec) ? &config_.address : nullptr;
    }
    std::string instead_of_a_chip() const override {
        return "the memory controller's address translation is modelled (archipelago map)";
    }

    const ChipConfig config_;
};

}  // namespace

std::unique_ptr<asic::ChipDescription> read_description(config::Node tree,
                                                        config::Diagnostics& diagnostics) {
    return std::make_unique<Description>(std::move(tree), diagnostics);
}

}  // namespace archipelago::ctm
