// SPDX-License-Identifier: Apache-2.0
// An initiator core and a target core back to back, a checker on the wires and a reference memory
// downstream of the target.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "rtl-bridge/adapters/axi_checker_core.h"
#include "rtl-bridge/adapters/axi_initiator_core.h"
#include "rtl-bridge/adapters/axi_target_core.h"

namespace archipelago::adapters {

// Serves requests after random delays and in random order.
struct ReferenceMemory {
    std::vector<uint8_t> bytes;
    AdapterRandom random;
    unsigned max_delay;
    uint64_t error_from = ~uint64_t{0};         // addresses from here on answer Error,
    uint64_t decode_error_from = ~uint64_t{0};  // from here on AddressError
    bool silent = false;                        // answers nothing

    struct Pending {
        BusResponse response;
        unsigned delay;
    };
    std::vector<Pending> pending;
    std::vector<BusRequest> log;  // when keep_log
    bool keep_log = false;

    ReferenceMemory(size_t size, uint64_t seed, unsigned delay)
        : bytes(size), random(seed), max_delay(delay) {}

    void serve(const BusRequest& r) {
        BusResponse response;
        response.tag = r.tag;
        response.write = r.write;
        if (r.address >= decode_error_from)
            response.status = BusStatus::AddressError;
        else if (r.address >= error_from ||
                 r.address + (r.streaming != 0 ? r.streaming : r.length) > bytes.size())
            response.status = BusStatus::Error;
        if (!r.write)
            response.data.assign(r.length, 0);
        if (response.status == BusStatus::Ok)
            for (uint32_t i = 0; i < r.length; ++i) {
                uint8_t& byte = bytes[r.address + (r.streaming != 0 ? i % r.streaming : i)];
                if (!r.write)
                    response.data[i] = byte;
                else if (r.enable.empty() || r.enable[i] != 0)
                    byte = r.data[i];
            }
        pending.push_back({std::move(response), random.below(max_delay + 1)});
    }

    void step(AxiTargetCore& target) {
        while (target.has_request()) {
            BusRequest r = target.pop();
            if (keep_log)
                log.push_back(r);
            if (!silent)
                serve(r);
        }
        for (size_t i = 0; i < pending.size();) {
            if (pending[i].delay-- == 0) {
                target.complete(pending[i].response);
                pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(i));
            } else {
                ++i;
            }
        }
    }
};

struct AxiBench {
    AxiSpec spec;
    AxiInitiatorCore initiator;
    AxiTargetCore target;
    AxiCheckerCore checker;
    ReferenceMemory memory;
    std::vector<std::string> violations;
    std::map<uint64_t, BusResponse> responses;
    std::vector<uint64_t> order;  // tags, as answered
    uint64_t cycle = 0;
    // What the traffic reached.
    std::map<std::string, uint64_t> seen;
    std::deque<uint32_t> r_ids;  // of each transfer of read data
    bool w_before_aw = false;
    bool quiet_target = false;  // its pins are dead
    int64_t ahead_ = 0;         // W bursts begun less AWs taken

    explicit AxiBench(const AxiSpec& s, size_t memory_bytes = 1 << 16, unsigned delay = 20)
        : spec(s),
          initiator(s),
          target(seeded(s)),
          checker(s),
          memory(memory_bytes, s.seed + 7, delay) {
        cycle_once(true);
        cycle_once(true);
    }
    static AxiSpec seeded(AxiSpec s) {
        s.seed += 1000;
        return s;
    }

    void cycle_once(bool in_reset = false) {
        const AxiInitiatorPins i = initiator.pins();
        const AxiTargetPins t = quiet_target ? AxiTargetPins{} : target.pins();
        for (const AxiViolation& v : checker.edge(i, t, in_reset))
            violations.push_back(v.text);
        observe(i, t);
        initiator.edge(t, in_reset);
        target.edge(quiet_target ? AxiInitiatorPins{} : i, in_reset);
        memory.step(target);
        while (initiator.has_response()) {
            BusResponse r = initiator.pop();
            order.push_back(r.tag);
            responses[r.tag] = std::move(r);
        }
        ++cycle;
    }
    void observe(const AxiInitiatorPins& i, const AxiTargetPins& t) {
        if (i.w.valid && t.wready && i.w.last)
            ++ahead_;
        if (i.aw.valid && t.awready)
            --ahead_;
        w_before_aw = w_before_aw || ahead_ > 0;
        for (const AxiAddressPins* a : {&i.aw, &i.ar}) {
            const bool write = a == &i.aw;
            if (!a->valid || !(write ? t.awready : t.arready))
                continue;
            const AxiBurstShape s(*a);
            const std::string side = write ? "write " : "read ";
            ++seen[side + "burst " + std::to_string(static_cast<int>(s.burst))];
            ++seen[side + "size " + std::to_string(s.size)];
            ++seen[side + "beats " + std::to_string(s.beats)];
            if (s.address != s.aligned())
                ++seen[side + "unaligned"];
        }
        if (t.r.valid && i.rready) {
            r_ids.push_back(t.r.id);
            if (!t.r.last)
                ++seen["r not last"];
        }
    }
    // Runs until nothing is on the way; false at the limit.
    bool drain(uint64_t limit = 200000) {
        for (uint64_t n = 0; n < limit; ++n) {
            if (initiator.idle())
                return true;
            cycle_once();
        }
        return initiator.idle();
    }
    BusResponse run(BusRequest r) {
        const uint64_t tag = r.tag;
        initiator.push(std::move(r));
        EXPECT_TRUE(drain());
        return responses.at(tag);
    }
    std::string first_violation() const { return violations.empty() ? "" : violations.front(); }
};

inline BusRequest read_of(uint64_t tag, uint64_t address, uint32_t length) {
    BusRequest r;
    r.tag = tag;
    r.address = address;
    r.length = length;
    return r;
}
inline BusRequest write_of(uint64_t tag, uint64_t address, std::vector<uint8_t> data) {
    BusRequest r = read_of(tag, address, static_cast<uint32_t>(data.size()));
    r.write = true;
    r.data = std::move(data);
    return r;
}

}  // namespace archipelago::adapters
