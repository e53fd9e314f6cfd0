// SPDX-License-Identifier: Apache-2.0
// A command processor's default sizes and latencies, with the packets of Southern Islands.
#pragma once

#include "models/cp/cp_spec.h"
#include "models/cp/packets/si/si_packets.h"

namespace archipelago::cp {

inline Spec si_spec() {
    Spec spec;
    spec.packets = &si_packet_table();
    return spec;
}

}  // namespace archipelago::cp
