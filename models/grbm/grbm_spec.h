// SPDX-License-Identifier: Apache-2.0
// Parameters of the graphics register bus manager: the address map of the register aperture, its
// queues, and the registers it keeps itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/common/channel.h"
#include "models/common/register_info.h"
#include "models/grbm/register_copies.h"
#include "models/grbm/register_map.h"

namespace archipelago::grbm {

// Where a range of the aperture leads: kSelf, GRBM's own registers; kStore, plain storage for
// registers whose block does not exist yet or answers no reads; from kFirstBlock on, the blocks of
// the family.
enum Port : uint8_t { kSelf, kStore, kFirstBlock };

struct Range {
    std::string name;
    uint32_t start = 0;  // bytes
    uint32_t end = 0;    // bytes, inclusive
    uint8_t port = kStore;
    uint32_t also = 0;  // blocks that get the writes too, in the same cycle: a bit each, by port
};

// A register that starts something its block would have to do. Writing it stops by name while the
// block does not exist, and says why.
struct SideEffect {
    uint32_t offset = 0;  // bytes
    std::string name;
    std::string why = "what this register starts is not implemented";
};

// Stored registers there are several of.
struct CopiedRange {
    uint32_t start = 0;  // bytes
    uint32_t end = 0;    // bytes, inclusive
    uint8_t by = 0;      // CopiedBy
};
// How many at most, by kind of copy: shader engines, arrays of one, units of an array. Powers of
// two, and not more than RegisterCopies::kMaxCopies together.
struct CopyCounts {
    unsigned se = 1, sh = 1, instance = 1;
};

bool reaches(const std::vector<Range>& ranges, uint32_t offset);

struct Spec {
    // Facts of the chip's family.
    RegisterMap map;
    std::vector<Range> ranges;
    std::vector<SideEffect> side_effects;
    std::vector<CopiedRange> copied;
    CopyCounts most;
    unsigned ports = kFirstBlock;  // kSelf and kStore among them
    uint8_t system_port = kSelf;   // to SRBM, which logs these accesses itself; kSelf: none
    // Names for logs; also tells registers from holes within kSelf and kStore. May be null.
    const regs::RegisterDatabase* database = nullptr;

    unsigned requests_per_cycle = 1;
    unsigned reads_in_flight = 8;
    ChannelSpec request{4, 1};   // host or CP -> GRBM
    ChannelSpec response{4, 1};  // block -> GRBM

    uint32_t gfx_index_reset = 0xE0000000;  // broadcast to all
    uint32_t status_constant = 0x3000;      // GRBM_STATUS DB_CLEAN, CB_CLEAN: nothing to clean
    uint32_t status_se_constant = 0x6;      // GRBM_STATUS_SEn likewise

    // What is wrong, one sentence each: overlapping or empty ranges, unknown ports.
    std::vector<std::string> problems() const;
};

}  // namespace archipelago::grbm
