// SPDX-License-Identifier: Apache-2.0
// A memory controller channel between two clients and a store, for its tests.
#pragma once

#include "models/mc/mc_core.h"
#include "models/mc/mc_schedule_pins.h"
#include "testbenches/unit/mc/memory_parts.h"

namespace archipelago::mc {

using test::MemClient;
using test::Random;
using test::read_of;
using test::Store;
using test::write_of;

// Values in the order of magnitude of GDDR5 at 1375 MHz; all different, so that a test notices
// when one stands in for another.
inline DramTiming gddr5() {
    DramTiming t;
    t.burst = 4;
    t.ccd_long = 6;
    t.cl = 18;
    t.wl = 7;
    t.rcd_read = 17;
    t.rcd_write = 13;
    t.rp = 16;
    t.ras = 39;
    t.rc = 55;
    t.rrd = 8;
    t.faw = 0;
    t.rtp = 3;
    t.wr = 19;
    t.wtr = 9;
    t.rtw = 2;
    t.refi = 0;
    t.rfc = 90;
    return t;
}

inline McSpec spec_of(const DramTiming& t = gddr5()) {
    McSpec s;
    s.timing = t;
    s.store_entries = 32;
    return s;
}

inline constexpr uint64_t kMapped = 16 << 20;

// Byte address of a bank's row and column block in a machine of one channel.
inline uint64_t at(unsigned bank, uint64_t row, unsigned offset = 0) {
    return row * 16 * 2048 + bank * 256 + offset;
}

struct Bench {
    // `scheduler_on_pins`: in place of the channel's own; null: none.
    explicit Bench(const McSpec& spec = spec_of(),
                   rtl::PinBlock<rtl::McSchedulePins>* scheduler_on_pins = nullptr)
        : channel(make_channel(spec, scheduler_on_pins)),
          mc(*channel),
          l2(mc.from_l2),
          hub(mc.from_hub),
          store(image) {
        image.map(0, kMapped);
        mc.to_l2.connect(l2.answers_in);
        mc.to_hub.connect(hub.answers_in);
        mc.to_store.connect(store.requests);
        store.connect(mc.from_store);
        scheduler.add(mc);
        scheduler.add(l2);
        scheduler.add(hub);
        scheduler.add(store);
    }
    static std::unique_ptr<McUnit> make_channel(const McSpec& spec,
                                                rtl::PinBlock<rtl::McSchedulePins>* on_pins) {
        if (on_pins != nullptr)
            return std::make_unique<McOnPins>(*on_pins, spec, ChannelMap{});
        return std::make_unique<McCore>(spec, ChannelMap{});
    }
    // Of the model.
    const ScheduleState& waiting() const { return static_cast<const McCore&>(mc).waiting(); }
    void run(Cycle limit = 10'000'000) { scheduler.run(limit); }
    // Cycle in which the store took the n-th access: one after the data crossed the pins.
    Cycle served(size_t n) const { return store.served.at(n).at; }

    MemoryImage image;
    std::unique_ptr<McUnit> channel;
    McUnit& mc;
    MemClient l2, hub;
    Store store;
    Scheduler scheduler;
};

// A request sent in cycle s is accepted in s + 1, its first command given in the same cycle; the
// store sees it one cycle after the end of its data.
inline constexpr Cycle kAccept = 1;
inline constexpr Cycle kToStore = 1;

}  // namespace archipelago::mc
