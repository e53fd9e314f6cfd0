// SPDX-License-Identifier: Apache-2.0
// Everything in a crossbar that changes.
#pragma once

#include <vector>

#include "models/common/arbiter.h"
#include "models/common/cycle_tap.h"
#include "models/common/host_line.h"
#include "models/common/memory_message.h"
#include "tlm/crossbar_spec.h"

namespace archipelago::crossbar {

// One direction: a queue between every input and every output.
template <class Message>
struct Network {
    struct alignas(kHostLine) Output {
        uint64_t wanted_by = 0;  // inputs with a message in their queue for it
        Cycle free_at = 0;       // the link carries a message until then
        RoundRobin turn;
        uint64_t messages = 0;
        uint64_t busy_cycles = 0;
        uint64_t conflicts = 0;
    };
    struct alignas(kHostLine) Slot {
        Message message;
    };
    struct Queue {
        unsigned head = 0;
        unsigned count = 0;
    };
    Network(unsigned inputs, unsigned output_count, unsigned queue_depth)
        : depth(queue_depth),
          columns(output_count),
          input_free_at(inputs, 0),
          outputs(output_count),
          queues(size_t{inputs} * output_count),
          slots(queues.size() * queue_depth) {
        for (Output& output : outputs)
            output.turn = RoundRobin(inputs);
    }
    bool empty() const { return wanted == 0; }
    bool full(unsigned input, unsigned output) const {
        return queues[queue_index(input, output)].count == depth;
    }
    // Room for one more message, to be written by the caller.
    Message& push(unsigned input, unsigned output) {
        const size_t q = queue_index(input, output);
        Queue& queue = queues[q];
        const unsigned at = queue.head + queue.count++;
        outputs[output].wanted_by |= uint64_t{1} << input;
        wanted |= uint64_t{1} << output;
        return slots[q * depth + (at < depth ? at : at - depth)].message;
    }
    const Message& front(unsigned input, unsigned output) const {
        const size_t q = queue_index(input, output);
        return slots[q * depth + queues[q].head].message;
    }
    void drop(unsigned input, unsigned output) {
        Queue& queue = queues[queue_index(input, output)];
        queue.head = queue.head + 1 == depth ? 0 : queue.head + 1;
        blocked &= ~(uint64_t{1} << input);
        if (--queue.count == 0) {
            queue.head = 0;  // few places of the host's memory, used over and over
            outputs[output].wanted_by &= ~(uint64_t{1} << input);
            if (outputs[output].wanted_by == 0)
                wanted &= ~(uint64_t{1} << output);
        }
    }

    unsigned depth;
    unsigned columns;
    uint64_t wanted = 0;   // outputs some input wants
    uint64_t blocked = 0;  // inputs whose next message found its queue full; one of theirs must go
    std::vector<Cycle> input_free_at;
    std::vector<Output> outputs;
    HostLineVector<Queue> queues;
    std::vector<Slot> slots;
    static constexpr size_t kFields = 8;

  private:
    size_t queue_index(unsigned input, unsigned output) const {
        return size_t{input} * columns + output;
    }
};

struct CrossbarState {
    explicit CrossbarState(const CrossbarSpec& spec)
        : request(spec.sources, spec.destinations, spec.queue_depth),
          response(spec.destinations, spec.sources, spec.queue_depth) {}
    Network<MemRequest> request;
    Network<MemResponse> response;
    CycleTap refused;  // requests without an address in memory
    static constexpr size_t kFields = 3;
};

}  // namespace archipelago::crossbar
