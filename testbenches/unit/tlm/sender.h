// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "models/common/channel.h"
#include "models/common/memory_message.h"

namespace archipelago::tlm_shell {

// Sends `count` writes and then reads of the same lines; checks every answer.
struct Sender : Clocked {
    Channel<MemRequest>* out = nullptr;
    Channel<MemResponse> in{{4, 1}};
    unsigned base = 0, count = 0, sent = 0, answered = 0;
    Cycle first_sent = 0, first_answer = 0, last_answer = 0;
    std::vector<bool> seen;
    explicit Sender(unsigned n) : count(n), seen(2 * n) { in.set_consumer(this); }
    uint8_t value(unsigned i, unsigned byte) const {
        return static_cast<uint8_t>(base * 31 + i * 7 + byte);
    }
    bool tick(Cycle now) override {
        bool progress = false;
        while (in.can_pop(now)) {
            const MemResponse r = in.pop(now);
            EXPECT_EQ(r.status, MemStatus::Ok);
            EXPECT_FALSE(seen.at(r.tag)) << "answered twice";
            seen.at(r.tag) = true;
            for (unsigned b = 0; r.tag >= count && b < kLineBytes; ++b) {
                EXPECT_EQ(r.data[b], value(r.tag - count, b));
            }
            if (answered++ == 0)
                first_answer = now;
            last_answer = now;
            progress = true;
        }
        // Reads start when all writes are answered.
        const bool may = sent < count || (sent < 2 * count && answered >= count);
        if (may && out->can_push(now)) {
            MemRequest r;
            const unsigned i = sent % count;
            r.command = sent < count ? MemCommand::Write : MemCommand::Read;
            r.line = (base * 1000 + i) * kLineBytes;
            r.byte_mask = ~uint64_t{0};
            r.tag = sent;
            for (unsigned b = 0; b < kLineBytes; ++b)
                r.data[b] = value(i, b);
            if (sent++ == 0)
                first_sent = now;
            out->push(now, r);
            progress = true;
        }
        return progress;
    }
    bool done() const { return answered == 2 * count; }
};

}  // namespace archipelago::tlm_shell
