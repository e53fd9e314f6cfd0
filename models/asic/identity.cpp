// SPDX-License-Identifier: Apache-2.0
#include "models/asic/identity.h"

namespace archipelago::asic {

constexpr uint64_t kFemtosecondsPerSecond = 1'000'000'000'000'000;

Identity read_identity(config::Reader& root) {
    Identity id;
    id.hash = config::config_hash(root.node());
    id.name = root.required<std::string>("name", "what the chip is called");
    id.generation = root.required<std::string>("generation", "names the family");
    id.product = root.optional<std::string>("product", "", "a board that carried it");
    return id;
}

uint64_t period_of(uint64_t hz) {
    return hz == 0 ? 1 : (kFemtosecondsPerSecond + hz / 2) / hz;
}

}  // namespace archipelago::asic
