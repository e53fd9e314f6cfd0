// SPDX-License-Identifier: Apache-2.0
// The register bus of Southern Islands, which most tests are with.
#pragma once

#include "models/gcn/si/front_end.h"

namespace archipelago::grbm {

namespace bus = gcn::si::bus;

// Every offset of the map is a register.
inline Spec without_names() {
    Spec spec = gcn::si::grbm_spec();
    spec.database = nullptr;
    return spec;
}

}  // namespace archipelago::grbm
