// SPDX-License-Identifier: Apache-2.0
// The registers of the global data share of Southern Islands.
#pragma once

#include "models/gcn/si/front_end.h"

namespace archipelago::gds {

inline const RegisterMap& map() {
    static const RegisterMap map = gcn::si::gds_spec().map;
    return map;
}

}  // namespace archipelago::gds
