// SPDX-License-Identifier: Apache-2.0
// Stand-ins for the compute units and the register bus around SPI.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "models/spi/spi_core.h"

namespace archipelago::spi {

// Stands for a compute unit: keeps each wave `life` cycles, checks that nothing is allocated twice.
struct FakeCu : Clocked {
    Channel<WaveLaunch> in{{4, 1}};
    Channel<WaveDone>* out = nullptr;
    unsigned life = 20;
    std::multimap<Cycle, WaveLaunch> running;
    std::vector<std::pair<Cycle, WaveLaunch>> seen;
    unsigned most = 0;
    FakeCu() { in.set_consumer(this); }
    virtual unsigned exports_of(const WaveLaunch&) { return 0; }
    static bool overlap(unsigned a, unsigned na, unsigned b, unsigned nb) {
        return a < b + nb && b < a + na;
    }
    bool tick(Cycle now) override {
        bool progress = false;
        while (in.can_pop(now)) {
            const WaveLaunch w = in.pop(now);
            for (const auto& [end, o] : running) {
                if (o.simd == w.simd) {
                    EXPECT_NE(o.slot, w.slot);
                    EXPECT_FALSE(overlap(o.vgpr_base, o.vgpr_count, w.vgpr_base, w.vgpr_count));
                    EXPECT_FALSE(overlap(o.sgpr_base, o.sgpr_count, w.sgpr_base, w.sgpr_count));
                }
                if (o.group_slot != w.group_slot && w.lds_bytes != 0) {
                    EXPECT_FALSE(overlap(o.lds_base, o.lds_bytes, w.lds_base, w.lds_bytes));
                }
                if (o.group_slot == w.group_slot && w.stage == ShaderStage::Cs) {
                    EXPECT_EQ(o.group, w.group);
                }
            }
            EXPECT_LE(w.vgpr_base + w.vgpr_count, 256);
            EXPECT_LE(w.sgpr_base + w.sgpr_count, 512);
            EXPECT_LE(w.lds_base + w.lds_bytes, 65536u);
            running.emplace(now + life, w);
            seen.emplace_back(now, w);
            most = std::max<unsigned>(most, static_cast<unsigned>(running.size()));
            wake_at(now + life);
            progress = true;
        }
        while (!running.empty() && running.begin()->first <= now && out->can_push(now)) {
            const WaveLaunch& w = running.begin()->second;
            out->push(now,
                      WaveDone{w.dispatch, w.group, w.group_slot, w.simd, w.slot, exports_of(w)});
            running.erase(running.begin());
            progress = true;
        }
        return progress;
    }
};

struct Writer : Clocked {
    Channel<RegRequest>* out = nullptr;
    Channel<RegResponse> in{{4, 1}};
    Channel<EventDone> events{{4, 1}};
    std::vector<RegRequest> todo;
    size_t next = 0;
    std::vector<std::pair<Cycle, EventDone>> done;
    Writer() {
        in.set_consumer(this);
        events.set_consumer(this);
    }
    void write(uint32_t offset, uint32_t value, uint8_t ring = 0) {
        RegRequest q;
        q.offset = offset;
        q.value = value;
        q.write = true;
        q.ring = ring;
        todo.push_back(q);
    }
    bool tick(Cycle now) override {
        bool progress = false;
        while (in.can_pop(now)) {
            EXPECT_EQ(in.pop(now).status, RegStatus::Ok);
            progress = true;
        }
        while (events.can_pop(now)) {
            done.emplace_back(now, events.pop(now));
            progress = true;
        }
        if (next < todo.size() && out->can_push(now)) {
            out->push(now, todo[next++]);
            progress = true;
        }
        return progress;
    }
};

}  // namespace archipelago::spi
