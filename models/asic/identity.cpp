// SPDX-License-Identifier: Apache-2.0
#include "models/asic/identity.h"

namespace archipelago::asic {

constexpr uint64_t kFemtosecondsPerSecond = 1'000'000'000'000'000;

Identity read_identity(config::Reader& root) {
    Identity id;
    id.hash = config::config_hash(root.node());
    id.name = root.required<std::string>("name", "name of the chip");
    id.generation =
        root.required<std::string>("generation", "generation, which selects the family");
    id.product = root.optional<std::string>("product", "", "a board with this chip");
    return id;
}

void add_to_hash(Identity& identity, const std::vector<uint32_t>& words) {
    std::string text = identity.hash;
    for (const uint32_t word : words)
        text += ' ' + std::to_string(word);
    identity.hash = config::hash_text(text);
}

uint64_t period_of(uint64_t hz) {
    return hz == 0 ? 1 : (kFemtosecondsPerSecond + hz / 2) / hz;
}

}  // namespace archipelago::asic
