// SPDX-License-Identifier: Apache-2.0
#include "models/tc/cache_on_pins.h"

#include "models/common/error.h"
#include "models/common/verilog_mark.h"

namespace archipelago::tc {

std::string text_of(const PinsWait& wait) {
    const bool idle = wait.inputs_empty && wait.holds_nothing;
    if (idle && wait.owed == 0)
        return {};
    const std::string mark(kVerilogMark);
    if (wait.paused)
        return mark + "paused";
    const std::string owed = mark + std::to_string(wait.owed) + " requests not answered";
    if (!wait.below.empty())
        return owed + ", " + wait.below;
    if (idle)
        return owed + ", and it says that it holds nothing";
    return owed +
           (wait.holds_nothing ? ", a request to be looked up" : ", what is inside to leave");
}

void require_completion(bool connected, const std::string& name) {
    if (!connected)
        throw MachineStop(StopKind::Protocol, name,
                          "a cache action arrived but its completion channel is not connected");
}

}  // namespace archipelago::tc
