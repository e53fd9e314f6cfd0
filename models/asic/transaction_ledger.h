// SPDX-License-Identifier: Apache-2.0
// Where memory transactions spend their time. A chip's builder names the taps at which they begin,
// move from one place to the next, and end; nothing is kept for each transaction, and nothing is
// done while the chip runs but counting at the taps. What leaves a place enters the next at the
// same tap, so that the times of all places are those of all transactions.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/common/cycle_tap.h"

namespace archipelago::asic {

enum class Place : uint8_t {
    L1,
    ScalarCache,
    InstructionCache,
    Merged,
    FabricRequest,
    L2Queue,
    L2,
    L2Wait,
    DramQueue,
    Dram,
    DramReturn,
    FabricResponse,
    HubRequest,
    HubResponse,
    kCount,
};
constexpr size_t kPlaces = static_cast<size_t>(Place::kCount);

struct PlaceRow {
    const char* name;
    const char* meaning;
};
inline constexpr std::array<PlaceRow, kPlaces> kPlaceRows{{
    {"l1", "in a vector L1, or between it and its compute unit"},
    {"scalar_cache", "in a scalar cache, or between it and its compute units"},
    {"instruction_cache", "in an instruction cache, or between it and its compute units"},
    {"merged", "waiting in L1 (vector, scalar, instruction) on another miss of the same line"},
    {"fabric_request", "in the fabric, to an L2 channel"},
    {"l2_queue", "queued for an L2 channel, the link to it included"},
    {"l2", "in an L2 channel"},
    {"l2_wait", "waiting in L2 on another miss of the same line"},
    {"dram_queue", "from L2 or the hub to the column command of the memory channel"},
    {"dram", "from the column command until the answer leaves the memory channel"},
    {"dram_return", "from the memory channel back to L2"},
    {"fabric_response", "in the fabric, from an L2 channel"},
    {"hub_request", "in the hub, to a memory channel"},
    {"hub_response", "from the memory channel back through the hub"},
}};

struct TransactionTimes {
    std::array<uint64_t, kPlaces> places{};  // fs
    std::vector<std::pair<std::string, uint64_t>> clients;
    uint64_t total = 0;         // of the clients
    uint64_t transactions = 0;  // begun
    uint64_t open = 0;          // not ended yet
};

class TransactionLedger {
  public:
    // Transactions of `client` begin at a place, and end there, when they pass `tap`, which counts
    // cycles of `period_fs`. The tap must outlive this.
    void begin(const std::string& client, Place at, const CycleTap& tap, uint64_t period_fs);
    void end(const std::string& client, Place at, const CycleTap& tap, uint64_t period_fs);
    void move(Place from, Place to, const CycleTap& tap, uint64_t period_fs);
    // Transactions that are at `outer` spend a stay at `inner`.
    void stay(Place outer, Place inner, const Stay& stay, uint64_t period_fs) {
        move(outer, inner, stay.in, period_fs);
        move(inner, outer, stay.out, period_fs);
    }

    // Up to `now_fs`, which no tap is ahead of.
    TransactionTimes times(uint64_t now_fs) const;
    // Calls fn(place, tap, period_fs, leaves) for every way into a place and out of it.
    template <class Fn>
    void for_each_passage(const Fn& fn) const {
        for (size_t i = 0; i < kPlaces; ++i)
            for (const Passage& p : places_[i])
                fn(static_cast<Place>(i), *p.tap, p.period_fs, p.leaves);
    }

  private:
    // A transaction that passes the tap enters or leaves the place it is listed under.
    struct Passage {
        const CycleTap* tap;
        uint64_t period_fs;
        bool leaves;
    };
    using Passages = std::vector<Passage>;
    static uint64_t time(const Passages& passages, uint64_t now_fs);
    Passages& client(const std::string& name);
    Passages& place(Place at) { return places_[static_cast<size_t>(at)]; }

    std::array<Passages, kPlaces> places_;
    std::vector<std::pair<std::string, Passages>> clients_;
};

}  // namespace archipelago::asic
