// SPDX-License-Identifier: Apache-2.0
// Parameters of the system register bus manager: the address map of the register aperture, its
// queues, and what registers of blocks that have no model answer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/register_info.h"

namespace archipelago::srbm {

// Where a range of the aperture leads. kSelf: SRBM's own registers, and storage for those of blocks
// that have no model.
// kIh: the interrupt handler of chips without a graphics register bus, which has it elsewhere.
enum Port : uint8_t { kSelf, kGrbm, kDma0, kDma1, kIh, kPorts };
// Who asks.
enum Source : uint8_t { kHost, kDma0Engine, kDma1Engine, kCp, kSources };

struct Range {
    std::string name;
    uint32_t start = 0;  // bytes
    uint32_t end = 0;    // bytes, inclusive
    uint8_t port = kSelf;
};

// What a register of kSelf does besides keeping its value.
enum class Answer : uint8_t {
    Levels,     // reads the busy wires of register `other` and the bits `value`; writes are lost
    Ready,      // the bits `value` are always set, the others are kept
    AtOnce,     // what is asked for is done at once: reads 0, the bits written get set in `other`
    SoftReset,  // kept, and shown to the blocks
    Translate,  // kept; the bits `value` ask for page tables, which nothing walks
};
struct Rule {
    uint32_t offset = 0;  // bytes, as `other`
    Answer answer = Answer::Ready;
    uint32_t value = 0;
    uint32_t other = regs::kNoOffset;
};

// A register that does not start at 0.
struct ResetValue {
    uint32_t offset = 0;  // bytes
    uint32_t value = 0;
};

struct Spec {
    // Facts of the chip's family.
    std::vector<Range> ranges;
    std::vector<Rule> rules;
    std::vector<ResetValue> resets;  // of this chip
    // Names for logs; also tells registers from holes. May be null.
    const regs::RegisterDatabase* database = nullptr;

    unsigned requests_per_cycle = 1;
    unsigned reads_in_flight = 8;  // of each source
    ChannelSpec request{4, 1};     // host, engine or CP -> SRBM
    ChannelSpec response{4, 1};    // port -> SRBM

    // What is wrong, one sentence each.
    std::vector<std::string> problems() const;
};

}  // namespace archipelago::srbm
