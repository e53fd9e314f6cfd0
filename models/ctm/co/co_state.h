// SPDX-License-Identifier: Apache-2.0
// All that changes in the CO. Plain and serialisable.
#pragma once

#include <cstdint>
#include <deque>

#include "models/common/arbiter.h"
#include "models/common/clocked.h"
#include "models/ctm/co/condition.h"

namespace archipelago::ctm {

struct CoState {
    struct Test {
        enum class Phase : uint8_t {
            ToRead,
            Reading,
            ToWrite,
            Writing,
            Done,
        };
        uint8_t client = 0;  // array, or the PE after them
        Phase phase = Phase::ToRead;
        uint8_t passed = 0;
        Cycle ready = 0;  // of Done: first cycle its result may leave in
        ConditionRequest request;
    };
    struct Counters {
        uint64_t tests = 0;
        uint64_t lanes = 0;
        uint64_t passed = 0;
        uint64_t reads = 0;
        uint64_t writes = 0;
        uint64_t commands = 0;
        uint64_t stall_memory = 0;
    };
    ConditionSettings settings;
    std::deque<Test> tests;  // oldest first; results leave in this order
    uint32_t first = 0;      // number of the oldest: tag of its accesses
    RoundRobin turn;
    Cycle memory_since = kNever;  // an access is not taken
    Counters counters;
};

}  // namespace archipelago::ctm
