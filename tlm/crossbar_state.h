// SPDX-License-Identifier: Apache-2.0
// Everything in a crossbar that changes.
#pragma once

#include <vector>

#include "models/common/arbiter.h"
#include "models/common/control.h"
#include "models/common/memory_message.h"
#include "tlm/crossbar_spec.h"

namespace archipelago::crossbar {

// One direction: inputs whose first message waits are known by the output they want.
struct NetworkState {
    struct Output {
        uint64_t wanted_by = 0;  // inputs
        Cycle free_at = 0;       // the link carries a message until then
        RoundRobin turn;
        unsigned last_input = 0;
        unsigned in_a_row = 0;  // messages from it
        uint64_t messages = 0;
        uint64_t busy_cycles = 0;
        uint64_t conflicts = 0;
    };
    NetworkState(unsigned inputs, unsigned output_count)
        : input_free_at(inputs, 0), outputs(output_count) {
        for (Output& output : outputs)
            output.turn = RoundRobin(inputs);
    }
    uint64_t routed = 0;  // inputs whose first message is in some wanted_by
    uint64_t wanted = 0;  // outputs some input wants
    std::vector<Cycle> input_free_at;
    std::vector<Output> outputs;
};

struct CrossbarState {
    explicit CrossbarState(const CrossbarSpec& spec)
        : request(spec.sources, spec.destinations), response(spec.destinations, spec.sources) {}
    NetworkState request;
    NetworkState response;
    RunState run = RunState::Running;
};

}  // namespace archipelago::crossbar
