// SPDX-License-Identifier: Apache-2.0
#include "models/tc/cache_on_pins.h"

#include <algorithm>

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
    // Nothing can come from below, so a clock that has stopped does not start again.
    const std::string stopped = wait.inputs_empty && wait.clock_stops
                                    ? "; it has let its clock stop with work inside (state_waits)"
                                    : "";
    if (idle)
        return owed + ", and it says that it holds nothing" + stopped;
    return owed +
           (wait.holds_nothing ? ", a request to be looked up" : ", what is inside to leave") +
           stopped;
}

void RefusalWatch::note(Cycle now, bool refuses, const std::string& name) {
    if (!refuses)
        since_ = kNever;
    else if (since_ == kNever)
        since_ = now;
    if (since_ == kNever || now < since_ + kLimit)
        return;
    throw MachineStop(StopKind::Hang, name,
                      std::string(kVerilogMark) +
                          "takes nothing of what is offered to it since cycle " +
                          std::to_string(since_) + ", and holds no request");
}

void OpenBelow::reset() {
    fills_ = others_ = 0;
    std::fill(since_.begin(), since_.end(), kNever);
}

void OpenBelow::arrived(uint32_t mshr, Cycle now, const MemResponse& response) {
    if (since_[mshr] != kNever && rows_.shown())  // asked() has been called
        rows_.arrived(mshr, since_[mshr], now, response.uid, "address " + hex(response.line));
    since_[mshr] = kNever;
}

std::string OpenBelow::text(const char* others, const char* level) const {
    if (fills_ == 0 && others_ == 0)
        return {};
    return std::to_string(fills_) + " fills and " + std::to_string(others_) + ' ' + others +
           " in " + level;
}

void require_completion(bool connected, const std::string& name) {
    if (!connected)
        throw MachineStop(StopKind::Protocol, name,
                          "a cache action arrived but its completion channel is not connected");
}

}  // namespace archipelago::tc
