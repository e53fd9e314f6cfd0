// SPDX-License-Identifier: Apache-2.0
// What the steps of a workload put into rings, in whole packets. A driver may write a packet in two
// pieces: a step may end inside a packet where the next that puts words into the same ring goes on
// with it. The packet goes into the ring with that step, so that the machine sees it at once in
// both modes.
//
// What the host puts into a ring itself, a fence or the call of a buffer, would be taken for the
// rest of a packet that nothing goes on with.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "testbenches/host/workload.h"

namespace archipelago::host {

class StepWords {
  public:
    // Reads all of them. Throws std::runtime_error with the place of a step that ends inside a
    // packet. Both arguments must outlive it.
    StepWords(const std::vector<Step>& steps, const std::vector<WorkloadChip::Ring>& rings);

    // The words to put into the ring at steps[number], a RingStep with words. Empty when they go in
    // with a later step.
    std::vector<uint32_t> of(size_t number) const;

  private:
    // The packet in which the words so far end.
    struct Open {
        std::vector<uint32_t> words;  // empty: there is none
        size_t step = 0;              // in which it begins
        size_t dword = 0;             // of that step
    };
    void add(size_t number, unsigned ring, const DataSource& data);
    void close(unsigned ring, const std::string& by) const;

    const std::vector<Step>& steps_;
    const std::vector<WorkloadChip::Ring>& rings_;
    std::vector<Open> open_;                           // by ring
    std::map<size_t, std::vector<uint32_t>> changed_;  // words of steps that are not as written
};

}  // namespace archipelago::host
