// SPDX-License-Identifier: Apache-2.0
// Everything in the instruction and scalar data caches that changes.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/control.h"
#include "models/common/ring.h"
#include "models/gcn/sqc_message.h"
#include "models/tc/invalidation.h"
#include "models/tc/miss_table.h"
#include "models/tc/sqc_spec.h"
#include "models/tc/stall_clock.h"

namespace archipelago::tc {

enum class SqcStall : uint8_t { Mshr, Outstanding, Downstream, kCount };

struct SqcCounters {
    uint64_t requests = 0;
    uint64_t lookups = 0;
    uint64_t hits = 0;
    uint64_t misses = 0;
    uint64_t merged = 0;
    uint64_t evictions = 0;
    uint64_t dropped_fills = 0;
    uint64_t invalidated_lines = 0;
    uint64_t cache_actions = 0;
    uint64_t faults = 0;
    uint64_t bytes_returned = 0;
};

constexpr unsigned kMaxSqcCus = 16;

// What shows whether a tick has anything to do. A channel or an answer that is not due is not
// touched.
struct alignas(64) SqcAgenda {
    // First cycle in which a channel has an entry, kNever: it is empty.
    Cycle from_l2 = kNever;
    Cycle actions = kNever;
    Cycle first_answer = kNever;  // the least of `answer`
    uint64_t asking = 0;          // CUs whose channel is not empty
    uint64_t answering = 0;       // CUs with answers
    std::array<Cycle, kMaxSqcCus> from_cu = never();
    // Of the CUs in `answering`: the cycle from which their first answer can leave.
    std::array<Cycle, kMaxSqcCus> answer{};

    // CUs with a request that can be taken in cycle `at`.
    uint64_t requests(Cycle at) const {
        uint64_t due = 0;
        for (uint64_t m = asking; m != 0; m &= m - 1)
            if (from_cu[static_cast<unsigned>(__builtin_ctzll(m))] <= at)
                due |= m & (0 - m);
        return due;
    }
    // The first answer of a CU, now the only one it has, can leave from cycle `ready` on.
    void add_answer(unsigned cu, Cycle ready) {
        answering |= uint64_t{1} << cu;
        answer[cu] = ready;
        first_answer = std::min(first_answer, ready);
    }
    // Lets leave(cu) send each first answer that is due; it returns whether it could, and names the
    // next by add_answer(). Whether any was sent; `later` becomes the cycle in which the first of
    // those to come is due. What is due and cannot leave is woken by its channel.
    template <class Leave>
    bool send_answers(Cycle now, Cycle& later, const Leave& leave) {
        bool progress = false;
        first_answer = later = kNever;
        for (uint64_t m = answering; m != 0; m &= m - 1) {
            const auto cu = static_cast<unsigned>(__builtin_ctzll(m));
            if (answer[cu] <= now && leave(cu))
                progress = true;
            if ((answering >> cu & 1) == 0)
                continue;
            first_answer = std::min(first_answer, answer[cu]);
            if (answer[cu] > now)
                later = std::min(later, answer[cu]);
        }
        return progress;
    }
    void answer_left(unsigned cu) { answering &= ~(uint64_t{1} << cu); }

    bool due(Cycle at) const {
        return from_l2 <= at || actions <= at || first_answer <= at || requests(at) != 0;
    }

  private:
    static std::array<Cycle, kMaxSqcCus> never() {
        std::array<Cycle, kMaxSqcCus> cycles{};
        cycles.fill(kNever);
        return cycles;
    }
};

// What both caches hold besides their clients' requests.
template <class Waiter>
struct SqcStore {
    SqcStore(const CacheGeometry& geometry, unsigned mshrs, unsigned waiters,
             const std::string& where)
        : array(geometry, where), misses(mshrs, waiters), miss_since(mshrs, 0) {}
    CacheArray array;
    MissTable<Waiter> misses;
    std::vector<Cycle> miss_since;
    Invalidation action;
    static constexpr size_t kFields = 4;
};

struct SqcInstState {
    struct Answer {
        Cycle ready = 0;
        FetchResponse response;
    };
    struct Cu {
        explicit Cu(unsigned outstanding) : answers(outstanding) {}
        bool has_open() const { return open != 0; }
        Ring<Answer> answers;
        unsigned open = 0;  // accepted and not yet answered
        StallClock<SqcStall> stall;
        static constexpr size_t kFields = 3;
    };
    explicit SqcInstState(const SqcInstSpec& spec)
        : turns(spec.banks, RoundRobin(spec.cus)),
          store(spec.geometry, spec.mshrs, spec.cus * spec.outstanding, "sqc.inst"),
          cus(spec.cus, Cu(spec.outstanding)) {}
    SqcAgenda agenda;
    std::vector<RoundRobin> turns;  // by bank
    SqcStore<FetchRequest> store;
    std::vector<Cu> cus;
    SqcCounters count;
    static constexpr size_t kFields = 5;
};

struct SqcDataState {
    // One scalar load: at most two lines.
    struct Load {
        ScalarRequest request;
        ScalarResponse response;
        uint64_t next_line = 0;  // the next to look up
        unsigned lookups_left = 0;
        unsigned lines_left = 0;     // not delivered yet
        unsigned lines_waiting = 0;  // of these, on their way from L2
        Cycle ready = 0;
        bool in_use = false;
    };
    struct Waiter {
        uint16_t cu = 0;
        uint16_t load = 0;
    };
    struct Cu {
        explicit Cu(unsigned outstanding) : loads(outstanding), answers(outstanding) {}
        bool has_open() const {
            return std::any_of(loads.begin(), loads.end(), [](const Load& l) { return l.in_use; });
        }
        std::vector<Load> loads;
        int looking = -1;        // load with lookups left; see SqcDataState::looking
        Ring<uint16_t> answers;  // complete loads in order of completion
        bool sending = false;    // the first answer is on its way
        StallClock<SqcStall> stall;
        static constexpr size_t kFields = 5;
    };
    explicit SqcDataState(const SqcDataSpec& spec)
        : turn(spec.cus),
          store(spec.geometry, spec.mshrs, 2 * spec.cus * spec.outstanding, "sqc.data"),
          cus(spec.cus, Cu(spec.outstanding)) {}
    SqcAgenda agenda;
    uint64_t looking = 0;  // CUs with a load that has lookups left
    RoundRobin turn;
    SqcStore<Waiter> store;
    std::vector<Cu> cus;
    SqcCounters count;
    static constexpr size_t kFields = 6;
};

}  // namespace archipelago::tc
