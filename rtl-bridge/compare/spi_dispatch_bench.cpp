// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of SPI's dispatcher: dispatches of every shape on four rings, turns, and grants to
// anywhere; scratch slots come back as waves leave.
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/spi/dispatch_pins.h"
#include "pins/spi_dispatch_pins.h"
#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {
namespace {

using Pins = SpiDispatchPins;
using Dispatch = Pins::Dispatch;
using Grant = Pins::Grant;
using Launch = Pins::Launch;
using In = Pins::In;
using Out = Pins::Out;

constexpr auto kNothing = static_cast<uint8_t>(spi::GroupNeeds::Nothing);
constexpr auto kRoom = static_cast<uint8_t>(spi::GroupNeeds::Room);

// ---- traffic recorded in a chip

// What SPI says to its dispatcher.
struct Command {
    enum class Kind : uint8_t { Reset, Dispatch, Turn, Grant, Freed };
    Kind kind = Kind::Reset;
    uint8_t ring = 0;
    uint16_t slot = 0;
    uint32_t dispatch = 0;  // of the recording's
    Grant grant;
};

class DispatchRecording : public RecordingOf<Command>, public spi::DispatchUnit {
  public:
    explicit DispatchRecording(uint64_t limit) : RecordingOf(std::min<uint64_t>(limit, kMax)) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<spi::DispatchUnit>(*this);
    }
    const std::vector<Dispatch>& dispatches() const { return dispatches_; }

    void reset(const spi::SpiSpec& spec) override {
        spec_ = spec;
        core_.reset(spec);
        add({});
    }
    bool start(const spi::Dispatch& d) override {
        Command c;
        c.kind = Command::Kind::Dispatch;
        c.dispatch = static_cast<uint32_t>(dispatches_.size());
        dispatches_.emplace_back();
        spi::dispatch_to_pins(d, spec_.units, dispatches_.back());
        add(c);
        return core_.start(d);
    }
    spi::GroupNeeds ask(unsigned ring, spi::AllocatorQuery& query) override {
        Command c;
        c.kind = Command::Kind::Turn;
        c.ring = static_cast<uint8_t>(ring);
        add(c);
        const spi::GroupNeeds needs = core_.ask(ring, query);
        waves_ = query.waves;
        return needs;
    }
    bool answer(unsigned ring, const spi::AllocatorGrant& grant) override {
        Command c;
        c.kind = Command::Kind::Grant;
        spi::grant_to_pins(grant, waves_, spec_, c.grant);
        add(c);
        return core_.answer(ring, grant);
    }
    const spi::DispatchedWave& front(unsigned engine) override { return core_.front(engine); }
    void launched(unsigned engine) override { core_.launched(engine); }
    bool free_scratch(unsigned ring, uint32_t slot) override {
        Command c;
        c.kind = Command::Kind::Freed;
        c.ring = static_cast<uint8_t>(ring);
        c.slot = static_cast<uint16_t>(slot);
        add(c);
        return core_.free_scratch(ring, slot);
    }

  private:
    static constexpr uint64_t kMax = 60'000;
    spi::SpiSpec spec_;
    spi::DispatchCore core_;
    unsigned waves_ = 0;
    std::vector<Dispatch> dispatches_;
};

// ---- random traffic

class DispatchStimulus : public Stimulus<Pins> {
  public:
    explicit DispatchStimulus(const CosimOptions& options)
        : random_(options.seed),
          recorded_(recorded_traffic<Command>(options)),
          dispatches_(nullptr),
          turns_(nullptr),
          grants_(nullptr),
          frees_(nullptr) {
        if (recorded_ != nullptr)
            recorded_dispatches_ =
                &dynamic_cast<const DispatchRecording&>(*options.recording).dispatches();
        add_bins();
    }

    void next(In& in) override {
        in.rst = 0;
        in.query_ready = query_flow_.next(random_) ? 1 : 0;
        in.walk_ready = walk_flow_.next(random_) ? 1 : 0;
        in.se0_ready = se_flow_[0].next(random_) ? 1 : 0;
        in.se1_ready = se_flow_[1].next(random_) ? 1 : 0;
        if (recorded_ != nullptr)
            replay(in);
        else
            choose_cycle(in);
    }

    void observe(const In& in, const Out& out) override {
        count(in, out);
        follow(in, out);
        if (in.dispatch_valid != 0 && out.dispatch_ready != 0)
            dispatches_.drop();
        if (in.turn_valid != 0 && out.turn_ready != 0)
            turns_.drop();
        if (in.grant_valid != 0 && out.grant_ready != 0)
            grants_.drop();
        if (in.freed_valid != 0 && out.freed_ready != 0)
            frees_.drop();
        taken_ = passed(in, out);
        before_ = out;
        if (in.rst != 0)
            forget();
    }

    bool finished() const override {
        return recorded_ != nullptr && next_ == recorded_->size() && taken_ && turning_ == 0 &&
               before_.se0_valid == 0 && before_.se1_valid == 0 && before_.turn_ready != 0;
    }
    const Coverage& coverage() const override { return coverage_; }

  private:
    static bool passed(const In& in, const Out& out) {
        return (in.dispatch_valid != 0 && out.dispatch_ready != 0) ||
               (in.turn_valid != 0 && out.turn_ready != 0) ||
               (in.grant_valid != 0 && out.grant_ready != 0) ||
               (in.freed_valid != 0 && out.freed_ready != 0) || in.rst != 0 ||
               (in.dispatch_valid == 0 && in.turn_valid == 0 && in.grant_valid == 0 &&
                in.freed_valid == 0);
    }

    // ---- recorded
    void replay(In& in) {
        in.dispatch_valid = in.turn_valid = in.grant_valid = in.freed_valid = 0;
        if (taken_ && next_ < recorded_->size()) {
            // A command follows on what the one before has said.
            if (turning_ != 0 && (*recorded_)[next_].kind != Command::Kind::Grant)
                return;
            command_ = &(*recorded_)[next_++];
            taken_ = false;
        }
        if (taken_)
            return;
        const Command& c = *command_;
        in.rst = c.kind == Command::Kind::Reset ? 1 : 0;
        in.dispatch_valid = c.kind == Command::Kind::Dispatch ? 1 : 0;
        if (in.dispatch_valid != 0)
            in.dispatch = (*recorded_dispatches_)[c.dispatch];
        in.turn_valid = c.kind == Command::Kind::Turn ? 1 : 0;
        in.turn_ring = c.ring;
        in.grant_valid = c.kind == Command::Kind::Grant ? 1 : 0;
        in.grant = c.grant;
        in.freed_valid = c.kind == Command::Kind::Freed ? 1 : 0;
        in.freed_ring = c.ring;
        in.freed_slot = c.slot;
    }

    // ---- chosen
    void choose_cycle(In& in) {
        if (cycles_left_-- == 0) {
            in.rst = 1;
            cycles_left_ = random_.one_in(4) ? random_.below(300) : 2'000 + random_.below(14'000);
            begin_style();
        }
        const Dispatch* d =
            dispatches_.in_cycle(random_.percent(busy_), [&](Dispatch& chosen) { choose(chosen); });
        in.dispatch_valid = d != nullptr ? 1 : 0;
        if (d != nullptr)
            in.dispatch = *d;
        else
            in.dispatch.ring = static_cast<uint8_t>(random_.below(4));
        const uint8_t* turn = turns_.in_cycle(turn_flow_.next(random_), [&](uint8_t& ring) {
            ring = static_cast<uint8_t>(random_.below(rings_));
        });
        in.turn_valid = turn != nullptr ? 1 : 0;
        in.turn_ring = turn != nullptr ? *turn : static_cast<uint8_t>(random_.below(4));
        const Grant* grant =
            grants_.in_cycle(grant_flow_.next(random_), [&](Grant& chosen) { choose(chosen); });
        in.grant_valid = grant != nullptr ? 1 : 0;
        if (grant != nullptr)
            in.grant = *grant;
        else
            in.grant.placed = in.grant.engine = static_cast<uint8_t>(random_.below(2));
        const Slot* freed = frees_.in_cycle(random_.percent(mood_), [&](Slot& s) { choose(s); });
        in.freed_valid = freed != nullptr ? 1 : 0;
        in.freed_ring = freed != nullptr ? freed->ring : static_cast<uint8_t>(random_.below(4));
        in.freed_slot =
            freed != nullptr ? freed->slot : static_cast<uint16_t>(random_.word() & 0xFFF);
        if (mood_left_-- == 0) {
            mood_left_ = random_.below(1'500);
            static constexpr unsigned kMoods[] = {0, 0, 2, 10, 40, 90};
            mood_ = random_.pick(kMoods);
        }
    }

    void begin_style() {
        static constexpr unsigned kBusy[] = {100, 60, 20, 5};
        busy_ = random_.pick(kBusy);
        rings_ = random_.one_in(3) ? 1 : 4;
        scratchy_ = random_.one_in(2);
        large_ = random_.one_in(3);
        walking_ = random_.one_in(3);
        roomy_ = random_.one_in(2);
    }

    uint32_t value() { return random_.one_in(6) ? random_.below(4) : random_.word(); }
    void choose(Dispatch& d) {
        d = {};
        d.ring = static_cast<uint8_t>(random_.below(rings_));
        d.number = number_ += random_.one_in(40) ? random_.of_any_width(1, ~0u) : 1;
        choose_program(d);
        choose_walk(d);
        choose_sizes(d);
        choose_registers(d);
        choose_ranges(d);
        d.most_waves = static_cast<uint16_t>(random_.word() & 0x3FF);
        d.most_groups = static_cast<uint8_t>(random_.word() & 15);
        d.enabled = random_.bits();
    }
    void choose_program(Dispatch& d) {
        constexpr uint64_t kAddress = (uint64_t{1} << 48) - 1;
        const uint64_t bits = random_.bits();
        d.vmid = bits & 15;
        d.priority = bits >> 4 & 3;
        d.vgprs = static_cast<uint8_t>(1 + (bits >> 6 & 63));
        d.sgprs = static_cast<uint8_t>(1 + (bits >> 12 & 63));
        d.lds = static_cast<uint16_t>(random_.one_in(8) ? 256 : bits >> 18 & 255);
        d.float_mode = static_cast<uint8_t>(bits >> 26);
        d.dx10_clamp = bits >> 34 & 1;
        d.ieee = bits >> 35 & 1;
        d.privileged = bits >> 36 & 1;
        d.trap = bits >> 37 & 1;
        d.exceptions = bits >> 38 & 127;
        d.ids = static_cast<uint8_t>(1 + random_.below(3));
        d.pc = random_.bits() & kAddress;
        d.tba = random_.bits() & kAddress;
        d.tma = random_.bits() & kAddress;
    }
    void choose_walk(Dispatch& d) {
        const std::array<uint32_t*, 3> start = {&d.start_x, &d.start_y, &d.start_z};
        const std::array<uint32_t*, 3> end = {&d.end_x, &d.end_y, &d.end_z};
        for (unsigned i = 0; i < 3; ++i) {
            const uint32_t first = random_.one_in(3) ? value() & 0xFFFFFF00 : random_.below(3);
            const uint32_t size = walking_ ? random_.below(3) + 1 : random_.below(6);
            *start[i] = random_.one_in(2) ? 0 : first;
            *end[i] = *start[i] + (random_.one_in(40) ? 200 : size);
            if (random_.one_in(25)) {
                *end[i] = ~0u;
                *start[i] = *end[i] - size;
            } else if (random_.one_in(40)) {
                *end[i] = (1u << 31) + 1;
                *start[i] = *end[i] - size;
            } else if (random_.one_in(30)) {
                *end[i] = random_.below(4);  // after the start: no group
            }
        }
    }
    // At most 1024 threads.
    void choose_sizes(Dispatch& d) {
        const unsigned most = large_ ? Pins::kMaxThreads : random_.one_in(2) ? 64 : 300;
        unsigned left = random_.one_in(5) ? most : 1 + random_.below(most);
        std::array<unsigned, 3> size{};
        const unsigned first = random_.below(3);
        for (unsigned n = 0; n < 3; ++n) {
            unsigned& s = size[(first + n) % 3];
            s = n == 2 || random_.one_in(3) ? left : 1 + random_.below(std::min(left, 40u));
            if (random_.one_in(4))
                s = std::min(1u << random_.below(5), left);
            left /= s;
        }
        if (large_ && random_.one_in(10)) {
            size = {1, 1, 1};
            size[first] = Pins::kMaxThreads;
        }
        d.size_x = d.last_x = static_cast<uint16_t>(size[0]);
        d.size_y = d.last_y = static_cast<uint16_t>(size[1]);
        d.size_z = d.last_z = static_cast<uint16_t>(size[2]);
        if (random_.one_in(2)) {
            d.last_x = static_cast<uint16_t>(1 + random_.below(size[0]));
            d.last_y = static_cast<uint16_t>(1 + random_.below(size[1]));
            d.last_z = static_cast<uint16_t>(1 + random_.below(size[2]));
        }
    }
    void choose_registers(Dispatch& d) {
        for (uint32_t& word : d.user_data)
            word = random_.word();
        d.user_sgprs = static_cast<uint8_t>(random_.one_in(4) ? 16 : random_.below(17));
        const uint32_t flags = random_.one_in(5) ? 0xF : random_.word();
        d.tgid_x = flags & 1;
        d.tgid_y = flags >> 1 & 1;
        d.tgid_z = flags >> 2 & 1;
        d.tg_size = flags >> 3 & 1;
        d.ordered = flags >> 4 & 1;
        d.ordered_by_group = flags >> 5 & 1;
        d.scratch = scratchy_ ? 1 : random_.one_in(4) ? 1 : 0;
        const uint32_t waves = random_.one_in(3) ? random_.below(40) : random_.below(4096);
        d.scratch_waves = static_cast<uint16_t>(waves);
        d.scratch_size = static_cast<uint16_t>(random_.word() & 0x1FFF);
    }
    void choose_ranges(Dispatch& d) {
        d.others = random_.below(2) != 0 ? 1 : 0;
        if (!random_.one_in(3))
            return;
        d.ranges = static_cast<uint8_t>(random_.one_in(4) ? Pins::kRanges : 1 + random_.below(4));
        const auto gap = [&] {
            return random_.one_in(24) ? random_.of_any_width(0, ~0u) : random_.below(4);
        };
        uint32_t at = gap();
        for (unsigned i = 0; i < Pins::kRanges; ++i) {
            d.range_first[i] = at;
            d.range_last[i] = at + (random_.one_in(2) ? 0 : random_.below(6));
            if (random_.one_in(12))
                d.range_last[i] |= 1u << (4 + random_.below(28));
            const uint64_t next = uint64_t{d.range_last[i]} + 1 + gap();
            at = static_cast<uint32_t>(std::min<uint64_t>(next, ~0u - 16));
        }
    }
    void choose(Grant& g) {
        g.placed = roomy_ || random_.one_in(2) ? 1 : 0;
        const uint64_t bits = random_.bits();
        g.engine = bits & 1;
        g.array = bits >> 1 & 1;
        g.cu = bits >> 2 & 15;
        g.group = bits >> 6 & 63;
        g.lds = static_cast<uint8_t>(bits >> 12);
        for (unsigned w = 0; w < Pins::kWaves; ++w) {
            const uint32_t at = random_.word();
            g.simd[w] = at & 3;
            g.slot[w] = at >> 2 & 15;
            g.vgpr[w] = at >> 6 & 63;
            g.sgpr[w] = at >> 12 & 63;
        }
    }
    struct Slot {
        uint8_t ring = 0;
        uint16_t slot = 0;
    };
    void choose(Slot& s) {
        if (live_.empty() || random_.one_in(20)) {
            s = {static_cast<uint8_t>(random_.below(4)),
                 static_cast<uint16_t>(random_.word() & (random_.one_in(2) ? 0xFFF : 0x1F))};
            return;
        }
        const size_t n = random_.one_in(2) ? 0 : random_.below(static_cast<uint32_t>(live_.size()));
        s = live_[n];
        live_[n] = live_.back();
        live_.pop_back();
    }

    // ---- what goes on
    void follow(const In& in, const Out& out) {
        if (in.dispatch_valid != 0 && out.dispatch_ready != 0) {
            walks_[in.dispatch.ring] = in.dispatch;
            ring_of_[in.dispatch.number] = in.dispatch.ring;
            ++turning_;
        }
        if (in.turn_valid != 0 && out.turn_ready != 0)
            ++turning_;
        if (out.query_valid != 0 && in.query_ready != 0)
            --turning_;
        if (in.grant_valid != 0 && out.grant_ready != 0 && in.grant.placed != 0)
            ++turning_;
        if (out.walk_valid != 0 && in.walk_ready != 0)
            --turning_;
        keep_slot(in.se0_ready != 0 && out.se0_valid != 0, out.se0);
        keep_slot(in.se1_ready != 0 && out.se1_valid != 0, out.se1);
    }
    void keep_slot(bool leaves, const Launch& wave) {
        if (!leaves || wave.beat != Pins::kBeats - 1 || recorded_ != nullptr)
            return;
        const uint8_t ring = ring_of_[wave.number];
        if (walks_[ring].scratch != 0 || wave.scratch_slot != 0)
            live_.push_back({ring, wave.scratch_slot});
    }
    void forget() {
        dispatches_.drop();
        turns_.drop();
        grants_.drop();
        frees_.drop();
        live_.clear();
        ring_of_.clear();
        turning_ = 0;
        before_ = {};
    }

    // ---- coverage
    void add_bins() {
        dispatch_ = coverage_.add_group("dispatch", {"ring 0",
                                                     "ring 1",
                                                     "ring 2",
                                                     "ring 3",
                                                     "no group",
                                                     "from an offset",
                                                     "user SGPRs: 0",
                                                     "user SGPRs: 16",
                                                     "21 SGPRs",
                                                     "ids: 1",
                                                     "ids: 2",
                                                     "ids: 3",
                                                     "ordered",
                                                     "ordered by group",
                                                     "scratch",
                                                     "ranges: 8",
                                                     "groups in ranges",
                                                     "groups in none",
                                                     "smaller last group",
                                                     "1024 threads",
                                                     "ends at the last id",
                                                     "all of the LDS"});
        std::vector<std::string> waves;
        for (unsigned n = 1; n <= Pins::kWaves; ++n)
            waves.push_back("waves: " + std::to_string(n));
        group_ = coverage_.add_group("group", waves);
        query_ = coverage_.add_group(
            "turn", {"of a ring that walks none", "scratch slots are missing", "room is missing",
                     "no room", "placed on engine 0", "placed on engine 1", "placed with scratch",
                     "a slot comes back with the grant"});
        walk_ = coverage_.add_group("walk",
                                    {"goes on", "ends", "no group is chosen", "passes over groups",
                                     "groups of one dispatch: more than 20"});
        wave_ = coverage_.add_group(
            "wave", {"first", "last", "64 lanes", "fewer", "engine 0", "engine 1", "both at once",
                     "scratch slot from 1", "from 64", "from 256", "ordered number has wrapped",
                     "lane in the second layer", "beat waits"});
        flow_ = coverage_.add_group(
            "flow", {"dispatch waits for its ring", "dispatch before a turn", "turn waits",
                     "query waits", "grant waits for its engine", "walk waits", "slot is known",
                     "slot is not known", "slot waits", "idle", "reset while a query waits",
                     "reset while a grant is awaited", "reset while waves leave"});
    }
    void count(const In& in, const Out& out) {
        count_flow(in, out);
        if (in.rst != 0)
            return;
        if (in.dispatch_valid != 0 && out.dispatch_ready != 0)
            count_dispatch(in.dispatch);
        count_turn(in, out);
        if (out.walk_valid != 0 && in.walk_ready != 0) {
            const bool ended = out.walk_ended != 0;
            coverage_.hit(walk_, 0, !ended);
            coverage_.hit(walk_, 1, ended);
            coverage_.hit(walk_, 2, ended && placed_[out.walk_ring] == 0 && walked_ > 1);
            coverage_.hit(walk_, 3, walked_ > 3);
            coverage_.hit(walk_, 4, placed_[out.walk_ring] > 20);
        }
        walked_ = before_.query_valid == 0 && out.turn_ready == 0 && out.grant_ready == 0 &&
                          out.walk_valid == 0
                      ? walked_ + 1
                      : 0;
        count_wave(out.se0_valid != 0, in.se0_ready != 0, out.se0, 4);
        count_wave(out.se1_valid != 0, in.se1_ready != 0, out.se1, 5);
        coverage_.hit(
            wave_, 6,
            out.se0_valid != 0 && out.se1_valid != 0 && in.se0_ready != 0 && in.se1_ready != 0);
    }
    void count_dispatch(const Dispatch& d) {
        coverage_.hit(dispatch_, d.ring);
        placed_[d.ring] = 0;
        coverage_.hit(dispatch_, 4,
                      d.end_x <= d.start_x || d.end_y <= d.start_y || d.end_z <= d.start_z);
        coverage_.hit(dispatch_, 5, d.start_x != 0 && d.start_y != 0 && d.start_z != 0);
        coverage_.hit(dispatch_, 6, d.user_sgprs == 0);
        coverage_.hit(dispatch_, 7, d.user_sgprs == 16);
        coverage_.hit(dispatch_, 8,
                      d.user_sgprs + d.tgid_x + d.tgid_y + d.tgid_z + d.tg_size + d.scratch == 21);
        coverage_.hit(dispatch_, 8u + d.ids);
        coverage_.hit(dispatch_, 12, d.ordered != 0 && d.ordered_by_group == 0);
        coverage_.hit(dispatch_, 13, d.ordered != 0 && d.ordered_by_group != 0);
        coverage_.hit(dispatch_, 14, d.scratch != 0);
        coverage_.hit(dispatch_, 15, d.ranges == Pins::kRanges);
        coverage_.hit(dispatch_, 16, d.ranges != 0 && d.others == 0);
        coverage_.hit(dispatch_, 17, d.ranges != 0 && d.others != 0);
        coverage_.hit(dispatch_, 18,
                      d.last_x != d.size_x && d.last_y != d.size_y && d.last_z != d.size_z);
        coverage_.hit(dispatch_, 19, d.size_x * d.size_y * d.size_z == Pins::kMaxThreads);
        coverage_.hit(dispatch_, 20, d.end_x == ~0u && d.start_x != 0);
        coverage_.hit(dispatch_, 21, d.lds == 256);
    }
    void count_turn(const In& in, const Out& out) {
        if (out.query_valid != 0 && in.query_ready != 0) {
            coverage_.hit(query_, out.query.needs);
            if (out.query.needs == kRoom)
                asked_ = out.query;
            if (out.query.needs != kNothing)
                coverage_.hit(group_, out.query.waves - 1u);
        }
        if (in.grant_valid == 0 || out.grant_ready == 0)
            return;
        const bool placed = in.grant.placed != 0;
        coverage_.hit(query_, 3, !placed);
        coverage_.hit(query_, 4, placed && in.grant.engine == 0);
        coverage_.hit(query_, 5, placed && in.grant.engine == 1);
        const uint8_t ring = ring_of_[asked_.number];
        placed_[ring] += placed ? 1 : 0;
        coverage_.hit(query_, 6, placed && walks_[ring].scratch != 0);
        coverage_.hit(
            query_, 7,
            placed && walks_[ring].scratch != 0 && out.freed_known != 0 && in.freed_ring == ring);
    }
    void count_wave(bool valid, bool ready, const Launch& wave, unsigned engine) {
        coverage_.hit(wave_, 12, valid && !ready);
        if (!valid || !ready)
            return;
        coverage_.hit(wave_, 0, wave.wave == 0);
        coverage_.hit(wave_, 1, wave.wave + 1 == wave.waves);
        coverage_.hit(wave_, 2, wave.exec == ~uint64_t{0});
        coverage_.hit(wave_, 3, wave.exec != ~uint64_t{0});
        coverage_.hit(wave_, engine);
        coverage_.hit(wave_, 7, wave.scratch_slot != 0);
        coverage_.hit(wave_, 8, wave.scratch_slot >= 64);
        coverage_.hit(wave_, 9, wave.scratch_slot >= 256);
        const Dispatch& d = walks_[ring_of_[wave.number]];
        if (d.number == wave.number && d.ordered != 0 && d.tg_size != 0) {
            const uint32_t term = wave.sgpr_data[wave.sgpr_count - 1u - d.scratch] >> 6 & 0x7FF;
            coverage_.hit(wave_, 10, term < term_);
            term_ = term;
        }
        coverage_.hit(wave_, 11, wave.id_z[15] != 0 && wave.size_x > 1 && wave.size_y > 1);
    }
    void count_flow(const In& in, const Out& out) {
        coverage_.hit(flow_, 0,
                      in.dispatch_valid != 0 && out.dispatch_ready == 0 && out.turn_ready != 0);
        coverage_.hit(flow_, 1,
                      in.dispatch_valid != 0 && out.dispatch_ready != 0 && in.turn_valid != 0);
        coverage_.hit(flow_, 2, in.turn_valid != 0 && out.turn_ready == 0);
        coverage_.hit(flow_, 3, out.query_valid != 0 && in.query_ready == 0);
        const bool awaited = before_.query_valid != 0 && before_.query.needs == kRoom &&
                             out.query_valid == 0 && in.rst == 0;
        awaiting_ = awaited || (awaiting_ && !granted_);
        granted_ = in.grant_valid != 0 && out.grant_ready != 0;
        coverage_.hit(flow_, 4, awaiting_ && in.grant_valid != 0 && out.grant_ready == 0);
        coverage_.hit(flow_, 5, out.walk_valid != 0 && in.walk_ready == 0);
        coverage_.hit(flow_, 6, out.freed_known != 0);
        coverage_.hit(flow_, 7,
                      in.freed_valid != 0 && out.freed_ready != 0 && out.freed_known == 0);
        coverage_.hit(flow_, 8, in.freed_valid != 0 && out.freed_ready == 0);
        coverage_.hit(flow_, 9, out.turn_ready != 0 && in.turn_valid == 0);
        coverage_.hit(flow_, 10, in.rst != 0 && out.query_valid != 0);
        coverage_.hit(flow_, 11, in.rst != 0 && awaiting_);
        coverage_.hit(flow_, 12, in.rst != 0 && (out.se0_valid != 0 || out.se1_valid != 0));
        if (in.rst != 0)
            awaiting_ = false;
    }

    Random random_;
    const std::vector<Command>* recorded_;
    const std::vector<Dispatch>* recorded_dispatches_ = nullptr;
    size_t next_ = 0;
    const Command* command_ = nullptr;
    bool taken_ = true;
    unsigned turning_ = 0;  // dispatches, turns and grants whose query or walk is to come
    Offer<Dispatch> dispatches_;
    Offer<uint8_t> turns_;
    Offer<Grant> grants_;
    Offer<Slot> frees_;
    Activity query_flow_, walk_flow_, turn_flow_, grant_flow_;
    std::array<Activity, Pins::kEngines> se_flow_;
    uint32_t cycles_left_ = 600, mood_left_ = 100, number_ = 0;
    unsigned mood_ = 10, busy_ = 60, rings_ = 4;  // percent: slots that come back, dispatches
    bool scratchy_ = false, large_ = false, walking_ = false, roomy_ = true;
    std::vector<Slot> live_;
    std::map<uint32_t, uint8_t> ring_of_;  // by dispatch
    std::array<Dispatch, Pins::kRings> walks_;
    std::array<unsigned, Pins::kRings> placed_{};
    Pins::Query asked_;
    Out before_;
    unsigned walked_ = 0;
    uint32_t term_ = 0;
    bool awaiting_ = false, granted_ = false;
    Coverage coverage_;
    size_t dispatch_ = 0, group_ = 0, query_ = 0, walk_ = 0, wave_ = 0, flow_ = 0;
};

struct Parts {
    using Pins = SpiDispatchPins;
    using Core = spi::SpiDispatchCore;
    using Stimulus = DispatchStimulus;
    using Recording = DispatchRecording;
    using Unit = spi::PinDispatchUnit;
    static constexpr const char* kDescription = "dispatcher of SPI";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<spi::DispatchUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
