// SPDX-License-Identifier: Apache-2.0
// What the conformance test of the Control contract runs over: a block with what it is linked to.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "models/common/channel.h"
#include "models/common/clocked.h"
#include "models/common/control.h"

namespace archipelago::control_test {

// A block with its outputs connected to channels that are never read, and a way to give it work
// that it cannot finish for lack of an answer; `finishes`: it needs no answer and finishes at once.
struct Subject {
    std::string name;
    std::vector<Clocked*> units;
    Control* control = nullptr;
    std::function<void(Cycle)> give_work;
    std::function<bool()> work_taken;  // the input channel is empty again
    std::shared_ptr<void> keep;
    bool finishes = false;
};

// A subject that is one core, all->core: its work comes by `input`.
template <class All, class T>
Subject one_core(const char* name, const std::shared_ptr<All>& all, Channel<T>& input,
                 std::function<void(Cycle)> give_work) {
    return {
        name, {&all->core}, &all->core, std::move(give_work), [&input] { return input.empty(); },
        all};
}
template <class All, class T>
Subject one_core(const char* name, const std::shared_ptr<All>& all, Channel<T>& input, T work) {
    return one_core(name, all, input, [&input, work](Cycle now) { input.push(now, work); });
}

using Maker = Subject (*)();
struct Block {
    const char* name;
    Maker make;
};
// Test names must be the same in every build.
inline void PrintTo(const Block& block, std::ostream* os) {
    *os << block.name;
}

// By family of chips.
std::vector<Block> gcn_blocks();
std::vector<Block> gcn_blocks_on_pins();
std::vector<Block> adreno_blocks();
std::vector<Block> ctm_blocks();

}  // namespace archipelago::control_test
