// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/packet_text.h"

#include "models/config/suggest.h"
#include "models/cp/pm4_text.h"

namespace archipelago::host {

AssembledText assemble_packets(std::string_view text) {
    cp::Pm4Assembly assembly = cp::assemble_pm4(cp::si_pm4(), text);
    AssembledText result;
    result.bytes = std::move(assembly.bytes);
    for (cp::Pm4Error& error : assembly.errors)
        result.errors.push_back(
            {error.line, error.column,
             std::move(error.message) + config::did_you_mean(error.unknown, error.known)});
    return result;
}

}  // namespace archipelago::host
