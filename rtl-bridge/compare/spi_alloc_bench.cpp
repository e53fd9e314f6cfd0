// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of SPI's wave allocator.
#include <algorithm>
#include <array>
#include <bitset>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/spi/spi_alloc_core.h"
#include "pins/spi_alloc_pins.h"
#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {
namespace {

using Config = SpiAllocPins::Config;
using Free = SpiAllocPins::Free;
using Query = SpiAllocPins::Query;
using In = SpiAllocPins::In;
using Out = SpiAllocPins::Out;
constexpr unsigned kWaves = SpiAllocPins::kWaves;

// A command of SPI to its allocator.
struct Command {
    enum class Kind : uint8_t { Reset, Query, Free };
    Kind kind = Kind::Reset;
    Config cfg;
    Query query;
    Free free;
};

class SpiAllocRecording : public RecordingOf<Command>, public spi::AllocatorUnit {
  public:
    explicit SpiAllocRecording(uint64_t limit) : RecordingOf(limit) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<spi::AllocatorUnit>(*this);
    }

    void reset(const spi::AllocatorShape& shape) override {
        allocator_ = spi::WaveAllocator(shape);
        allocator_.reset(state_);
        In pins;
        spi::shape_to_pins(shape, pins);
        command_ = Command{};
        command_.cfg = pins.cfg;
        add(command_);
    }
    void allocate(const spi::AllocatorQuery& query, spi::AllocatorGrant& grant) override {
        In pins;
        spi::query_to_pins(query, pins);
        command_.kind = Command::Kind::Query;
        command_.query = pins.query;
        add(command_);
        allocator_.allocate(state_, query, grant);
    }
    spi::AllocatorFreed free(unsigned cu, unsigned simd, unsigned slot) override {
        const spi::AllocatorShape& s = allocator_.shape();
        command_.kind = Command::Kind::Free;
        command_.free.engine = static_cast<uint8_t>(cu / (s.cu_per_sh * s.sh_per_se));
        command_.free.array = static_cast<uint8_t>(cu / s.cu_per_sh % s.sh_per_se);
        command_.free.cu = static_cast<uint8_t>(cu % s.cu_per_sh);
        command_.free.simd = static_cast<uint8_t>(simd);
        command_.free.slot = static_cast<uint8_t>(slot);
        add(command_);
        return allocator_.free(state_, cu, simd, slot);
    }

  private:
    Command command_;
    spi::WaveAllocator allocator_{spi::AllocatorShape{}};
    spi::AllocatorState state_;
};

// Granules of which some are taken.
using Granules = std::bitset<256>;
struct Runs {
    unsigned free = 0, longest = 0;
    unsigned lowest = ~0u;  // free granule
};
Runs runs_of(const Granules& used, unsigned size) {
    Runs r;
    unsigned run = 0;
    for (unsigned i = 0; i < size; ++i) {
        run = used[i] ? 0 : run + 1;
        r.free += run != 0 ? 1 : 0;
        r.longest = std::max(r.longest, run);
        if (run != 0)
            r.lowest = std::min(r.lowest, i);
    }
    return r;
}

// Keeps its own account of grants and releases: to choose what to free, to query
// what just fits or just does not, and to count what was reached. It decides nothing.
class SpiAllocStimulus : public Stimulus<SpiAllocPins> {
  public:
    explicit SpiAllocStimulus(const CosimOptions& options)
        : random_(options.seed),
          recorded_(recorded_traffic<Command>(options)),
          queries_(nullptr),
          frees_(nullptr) {
        std::vector<std::string> bins;
        for (unsigned n = 1; n <= kWaves; ++n)
            bins.push_back("placed, waves: " + std::to_string(n));
        for (unsigned n = 1; n <= kWaves; ++n)
            bins.push_back("refused, waves: " + std::to_string(n));
        size_ = coverage_.add_group("group", bins);
        bins.clear();
        for (const char* what : {"engine ", "array "})
            for (unsigned n = 0; n < 2; ++n)
                bins.push_back(what + std::to_string(n));
        for (unsigned n = 0; n < 16; ++n)
            bins.push_back("unit " + std::to_string(n));
        for (unsigned n = 0; n < 4; ++n)
            bins.push_back("first wave on SIMD " + std::to_string(n));
        for (unsigned n = 0; n < 16; ++n)
            bins.push_back("slot " + std::to_string(n));
        for (unsigned n = 0; n < 64; n += 8)
            bins.push_back("group slot from " + std::to_string(n));
        place_ = coverage_.add_group("place", bins);
        bins.clear();
        for (const char* of : {"VGPRs", "SGPRs", "LDS"})
            for (const char* what :
                 {"none asked for", "all there are", "exactly fills a hole", "passes over a hole",
                  "refused for one granule", "refused in fragments", "more than there are"})
                bins.push_back(std::string(of) + " " + what);
        granules_ = coverage_.add_group("granules", bins);
        limit_ =
            coverage_.add_group("refused", {"no slot", "no barrier", "limit of groups",
                                            "limit of waves", "engines launch", "nothing enabled",
                                            "no waves asked for", "more waves than a group has",
                                            "after some of the waves had room", "empty machine"});
        path_ = coverage_.add_group(
            "placed",
            {"on the first unit looked at", "on a later unit", "in a later array",
             "behind a launching engine", "last barrier", "last slot", "up to the limit of waves",
             "up to the limit of groups", "a SIMD passed over", "after more than 32 cycles"});
        flow_ = coverage_.add_group(
            "flow", {"wave freed", "group freed", "freed where none runs", "free waits",
                     "freed with a query", "freed while a grant waits", "query waits",
                     "grant waits", "idle", "reset while looking", "reset with waves live"});
    }

    void next(In& in) override {
        if (recorded_ != nullptr)
            replay(in);
        else
            choose_cycle(in);
    }

    void observe(const In& in, const Out& out) override {
        const bool asked = in.query_valid != 0 && out.query_ready != 0;
        const bool given = out.grant_valid != 0 && in.grant_ready != 0;
        const bool freed = in.free_valid != 0 && out.free_ready != 0;
        coverage_.hit(flow_, 0, freed && out.free_known != 0 && out.free_last == 0);
        coverage_.hit(flow_, 1, freed && out.free_last != 0);
        coverage_.hit(flow_, 2, freed && out.free_known == 0);
        coverage_.hit(flow_, 3, in.free_valid != 0 && out.free_ready == 0);
        coverage_.hit(flow_, 4, freed && out.free_known != 0 && asked);
        coverage_.hit(flow_, 5, freed && out.free_known != 0 && out.grant_valid != 0);
        coverage_.hit(flow_, 6, in.query_valid != 0 && out.query_ready == 0);
        coverage_.hit(flow_, 7, out.grant_valid != 0 && in.grant_ready == 0);
        coverage_.hit(flow_, 8, in.query_valid == 0 && in.free_valid == 0 && out.grant_valid == 0);
        coverage_.hit(flow_, 9, in.rst != 0 && working_);
        coverage_.hit(flow_, 10, in.rst != 0 && !live_.empty());
        if (freed && out.free_known != 0)
            release(in.free, out);
        if (asked) {
            asked_ = in.query;
            working_ = true;
            looked_ = 0;
        } else if (working_ && out.grant_valid == 0) {
            ++looked_;
        }
        // The grant is booked when it first shows: from then on its waves may be freed.
        if (working_ && out.grant_valid != 0) {
            working_ = false;
            count(asked_, out);
            if (out.grant_placed != 0)
                book(asked_, out);
        }
        inside_ = in.rst == 0 && (asked || (inside_ && !given));
        if (asked)
            queries_.drop();
        if (freed)
            frees_.drop();
        taken_ = asked || freed || in.rst != 0;
        if (in.rst != 0) {
            queries_.drop();
            frees_.drop();
            forget();
        }
    }

    bool finished() const override {
        return recorded_ != nullptr && next_ == recorded_->size() && taken_ && !inside_;
    }
    const Coverage& coverage() const override { return coverage_; }

  private:
    struct Simd {
        Granules vgprs, sgprs;
        std::bitset<16> slots;
    };
    struct Unit {
        std::array<Simd, 4> simds;
        Granules lds;
        unsigned waves = 0, groups = 0, barriers = 0;
    };
    struct Live {
        Free at;
        uint8_t group = 0;
        uint8_t vgpr = 0, vgprs = 0, sgpr = 0, sgprs = 0;
        uint8_t lds = 0;
        uint16_t granules = 0;
        bool barrier = false;
    };
    static unsigned unit_of(const Free& at) { return at.engine << 5 | at.array << 4 | at.cu; }

    // ---- what to do

    void replay(In& in) {
        in.grant_ready = grant_flow_.next(random_) ? 1 : 0;
        in.rst = 0;
        in.query_valid = in.free_valid = 0;
        if (taken_ && next_ < recorded_->size()) {
            command_ = (*recorded_)[next_++];
            taken_ = false;
        }
        if (taken_)
            return;
        in.cfg = command_.cfg;
        in.rst = command_.kind == Command::Kind::Reset ? 1 : 0;
        in.query_valid = command_.kind == Command::Kind::Query ? 1 : 0;
        in.free_valid = command_.kind == Command::Kind::Free ? 1 : 0;
        in.query = command_.query;
        in.free = command_.free;
    }

    void choose_cycle(In& in) {
        in.rst = cfg_left_-- == 0 ? 1 : 0;
        if (in.rst != 0) {
            choose_config();
            cfg_left_ = 200 + random_.below(4'000);
        }
        in.cfg = cfg_;
        in.grant_ready = grant_flow_.next(random_) ? 1 : 0;
        const Query* query =
            queries_.in_cycle(query_flow_.next(random_), [&](Query& q) { choose(q); });
        in.query_valid = query != nullptr ? 1 : 0;
        if (query != nullptr)
            in.query = *query;
        else
            choose(in.query);  // must not matter
        if (mood_left_-- == 0) {
            mood_left_ = random_.below(600);
            static constexpr unsigned kMoods[] = {0, 4, 10, 20, 40, 90};
            mood_ = random_.pick(kMoods) / (tiny_ ? 4 : 1);
        }
        const Free* free = frees_.in_cycle(random_.percent(mood_), [&](Free& f) { choose(f); });
        in.free_valid = free != nullptr ? 1 : 0;
        if (free != nullptr)
            in.free = *free;
        else
            choose_any(in.free);
    }

    void choose_config() {
        cfg_ = Config{};
        if (random_.one_in(8))
            return;  // Tahiti
        kinds_left_ = 0;
        tiny_ = random_.one_in(6);
        if (tiny_) {  // as many groups as there are slots
            cfg_.engines = cfg_.arrays = cfg_.cus = 1;
            cfg_.slots = 16;
            return;
        }
        const bool small = !random_.one_in(4);
        cfg_.engines = static_cast<uint8_t>(small ? 1 : 1 + random_.below(2));
        cfg_.arrays = static_cast<uint8_t>(small ? 1 : 1 + random_.below(2));
        static constexpr uint8_t kUnits[] = {1, 1, 1, 2, 3, 5};
        cfg_.cus = small ? random_.pick(kUnits) : static_cast<uint8_t>(1 + random_.below(16));
        cfg_.simds = static_cast<uint8_t>(random_.one_in(3) ? 1 + random_.below(4) : 4);
        cfg_.slots = static_cast<uint8_t>(random_.one_in(3) ? 1 + random_.below(16) : 10);
        if (random_.one_in(4))
            cfg_.slots = 16;
        cfg_.vgprs = static_cast<uint8_t>(random_.one_in(3) ? 1 + random_.below(64) : 64);
        cfg_.sgprs = static_cast<uint8_t>(random_.one_in(3) ? 1 + random_.below(64) : 64);
        cfg_.lds = static_cast<uint16_t>(random_.one_in(3) ? random_.below(257) : 256);
        cfg_.barriers = static_cast<uint8_t>(random_.one_in(3) ? 1 + random_.below(64) : 16);
    }

    // A number of granules out of `of`: mostly few.
    unsigned some(unsigned of) {
        switch (random_.below(8)) {
            case 0:
                return random_.below(of + 1);
            case 1:
                return of / (1 + random_.below(4));
            case 2:
                return 0;
            default:
                return 1 + random_.below(1 + of / 8);
        }
    }
    void choose_kind(Query& q) {
        q = Query{};
        static constexpr unsigned kMax[] = {1, 1, 2, 4, 4, 8, 16, 16};
        q.waves = static_cast<uint8_t>(1 + random_.below(random_.pick(kMax)));
        q.vgprs = static_cast<uint8_t>(some(cfg_.vgprs));
        q.sgprs = static_cast<uint8_t>(some(cfg_.sgprs));
        q.lds = static_cast<uint16_t>(some(cfg_.lds));
        q.enabled = ~uint64_t{0};
        if (tiny_) {
            q.waves = 1;
            q.vgprs = q.sgprs = static_cast<uint8_t>(random_.below(4));
            q.lds = static_cast<uint16_t>(random_.below(4));
            return;
        }
        if (random_.one_in(4))
            q.most_waves = static_cast<uint16_t>(random_.one_in(8)   ? 64 + random_.below(960)
                                                 : random_.one_in(2) ? 16 * random_.below(5)
                                                                     : random_.below(40));
        if (random_.one_in(4))
            q.most_groups = static_cast<uint8_t>(random_.below(16));
        if (random_.one_in(4))
            q.enabled = random_.one_in(4) ? random_.bits() & random_.bits() & random_.bits()
                                          : random_.bits();
    }
    void choose(Query& q) {
        if (kinds_left_-- == 0) {
            kinds_left_ = 20 + random_.below(200);
            for (Query& kind : kinds_)
                choose_kind(kind);
        }
        q = kinds_[random_.below(kinds_.size())];
        q.launching = static_cast<uint8_t>(random_.one_in(4) ? random_.below(4) : 0);
        if (random_.one_in(40))
            q.waves = static_cast<uint8_t>(random_.one_in(2) ? 0 : 17 + random_.below(15));
        if (random_.one_in(60))
            q.enabled = 0;
        if (random_.one_in(60))
            q.vgprs = static_cast<uint8_t>(random_.word() & 127);
        if (random_.one_in(60))
            q.sgprs = static_cast<uint8_t>(random_.word() & 127);
        if (random_.one_in(60))
            q.lds = static_cast<uint16_t>(random_.word() & 511);
        if (random_.one_in(3) && !live_.empty())
            choose_edge(q);
    }
    // What just fits into a unit, or is one granule too much.
    void choose_edge(Query& q) {
        const Unit& unit =
            units_[unit_of(live_[random_.below(static_cast<uint32_t>(live_.size()))].at)];
        const Simd& simd = unit.simds[random_.below(cfg_.simds)];
        q.waves = static_cast<uint8_t>(random_.one_in(3) ? q.waves : 1);
        const unsigned more = random_.below(2);
        switch (random_.below(4)) {
            case 0:
                q.vgprs = static_cast<uint8_t>(runs_of(simd.vgprs, cfg_.vgprs).longest + more);
                break;
            case 1:
                q.sgprs = static_cast<uint8_t>(runs_of(simd.sgprs, cfg_.sgprs).longest + more);
                break;
            case 2:
                q.lds = static_cast<uint16_t>(runs_of(unit.lds, cfg_.lds).longest + more);
                break;
            default:
                q.vgprs = static_cast<uint8_t>(random_.below(2));
                q.sgprs = static_cast<uint8_t>(random_.below(2));
                q.lds = 0;
                break;
        }
    }

    void choose(Free& f) {
        if (live_.empty() || random_.one_in(30)) {
            choose_any(f);
            // It must not end a wave the account still has; in the simplest case none is there.
            if (find(f) == live_.end())
                return;
        }
        f = live_[random_.below(static_cast<uint32_t>(live_.size()))].at;
    }
    void choose_any(Free& f) {
        f.engine = static_cast<uint8_t>(random_.below(2));
        f.array = static_cast<uint8_t>(random_.below(2));
        f.cu = static_cast<uint8_t>(random_.below(random_.one_in(2) ? cfg_.cus : 16));
        f.simd = static_cast<uint8_t>(random_.below(4));
        f.slot = static_cast<uint8_t>(random_.below(16));
    }

    // ---- the account

    std::vector<Live>::iterator find(const Free& at) {
        return std::find_if(live_.begin(), live_.end(), [&](const Live& l) {
            return unit_of(l.at) == unit_of(at) && l.at.simd == at.simd && l.at.slot == at.slot;
        });
    }
    void forget() {
        live_.clear();
        units_.fill(Unit{});
        array_waves_.fill(0);
        working_ = false;
    }
    static void set(Granules& granules, unsigned first, unsigned count, bool value) {
        for (unsigned i = first; i < first + count && i < granules.size(); ++i)
            granules[i] = value;
    }
    void book(const Query& q, const Out& out) {
        Live l;
        l.at.engine = out.grant_engine;
        l.at.array = out.grant_array;
        l.at.cu = out.grant_cu;
        l.group = out.grant_group;
        l.vgprs = q.vgprs;
        l.sgprs = q.sgprs;
        l.lds = out.grant_lds;
        l.granules = q.lds;
        l.barrier = q.waves > 1;
        Unit& unit = units_[unit_of(l.at)];
        for (unsigned w = 0; w < q.waves; ++w) {
            l.at.simd = out.grant_simd[w];
            l.at.slot = out.grant_slot[w];
            l.vgpr = out.grant_vgpr[w];
            l.sgpr = out.grant_sgpr[w];
            Simd& simd = unit.simds[l.at.simd];
            simd.slots[l.at.slot] = true;
            set(simd.vgprs, l.vgpr, l.vgprs, true);
            set(simd.sgprs, l.sgpr, l.sgprs, true);
            live_.push_back(l);
        }
        set(unit.lds, l.lds, l.granules, true);
        unit.waves += q.waves;
        array_waves_[unit_of(l.at) >> 4] += q.waves;
        ++unit.groups;
        unit.barriers += l.barrier ? 1 : 0;
    }
    void release(const Free& at, const Out& out) {
        const auto live = find(at);
        if (live == live_.end())
            return;
        const Live l = *live;
        *live = live_.back();
        live_.pop_back();
        Unit& unit = units_[unit_of(at)];
        Simd& simd = unit.simds[l.at.simd];
        simd.slots[l.at.slot] = false;
        set(simd.vgprs, l.vgpr, l.vgprs, false);
        set(simd.sgprs, l.sgpr, l.sgprs, false);
        --unit.waves;
        --array_waves_[unit_of(at) >> 4];
        if (out.free_last != 0) {
            set(unit.lds, l.lds, l.granules, false);
            --unit.groups;
            unit.barriers -= l.barrier ? 1 : 0;
        }
    }

    // ---- what was reached

    // Of a run of `count` at `first`: it fills a hole, or a hole below was too small.
    void count_run(unsigned resource, const Granules& used, unsigned size, unsigned first,
                   unsigned count) {
        const size_t bin = 7 * resource;
        coverage_.hit(granules_, bin, count == 0);
        if (count == 0)
            return;
        coverage_.hit(granules_, bin + 1, count == size);
        const bool bounded =
            (first == 0 || used[first - 1]) && (first + count == size || used[first + count]);
        coverage_.hit(granules_, bin + 2, bounded && count != size);
        coverage_.hit(granules_, bin + 3, runs_of(used, size).lowest < first);
    }
    void count_short(unsigned resource, const Runs& runs, unsigned size, unsigned need) {
        const size_t bin = 7 * resource;
        coverage_.hit(granules_, bin + 4, runs.longest + 1 == need);
        coverage_.hit(granules_, bin + 5, runs.longest < need && runs.free >= need);
        coverage_.hit(granules_, bin + 6, need > size);
    }

    void count(const Query& q, const Out& out) {
        const bool sized = q.waves >= 1 && q.waves <= kWaves;
        if (out.grant_placed != 0 && sized)
            count_placed(q, out);
        else
            count_refused(q, sized);
    }

    void count_placed(const Query& q, const Out& out) {
        coverage_.hit(size_, q.waves - 1u);
        coverage_.hit(place_, out.grant_engine);
        coverage_.hit(place_, 2u + out.grant_array);
        coverage_.hit(place_, 4u + out.grant_cu);
        coverage_.hit(place_, 20u + out.grant_simd[0]);
        for (unsigned w = 0; w < q.waves; ++w)
            coverage_.hit(place_, 24u + out.grant_slot[w]);
        coverage_.hit(place_, 40u + out.grant_group / 8);
        Free at;
        at.engine = out.grant_engine;
        at.array = out.grant_array;
        at.cu = out.grant_cu;
        const Unit& unit = units_[unit_of(at)];
        const Simd& simd = unit.simds[out.grant_simd[0]];
        count_run(0, simd.vgprs, cfg_of_run().vgprs, out.grant_vgpr[0], q.vgprs);
        count_run(1, simd.sgprs, cfg_of_run().sgprs, out.grant_sgpr[0], q.sgprs);
        count_run(2, unit.lds, cfg_of_run().lds, out.grant_lds, q.lds);
        const unsigned waves = array_waves_[unit_of(at) >> 4];
        const Config& c = cfg_of_run();
        coverage_.hit(path_, 0, looked_ == 1u + q.waves);
        coverage_.hit(path_, 1, looked_ > 1u + q.waves);
        // One wave costs two cycles at most on each unit.
        coverage_.hit(path_, 2, q.waves == 1 && looked_ > 2u * c.cus);
        coverage_.hit(path_, 3, q.launching != 0);
        coverage_.hit(path_, 4, q.waves > 1 && unit.barriers + 1 == c.barriers);
        coverage_.hit(path_, 5, unit.waves + q.waves == unsigned{c.simds} * c.slots);
        coverage_.hit(path_, 6, q.most_waves != 0 && waves + q.waves == q.most_waves);
        coverage_.hit(path_, 7, q.most_groups != 0 && unit.groups + 1 == q.most_groups);
        bool turned = false;
        for (unsigned w = 1; w < q.waves; ++w)
            turned |= (out.grant_simd[w - 1] + 1) % c.simds != out.grant_simd[w];
        coverage_.hit(path_, 8, turned);
        coverage_.hit(path_, 9, looked_ > 32);
    }

    // With one unit to look at, each reason has a bin of its own.
    void count_refused(const Query& q, bool sized) {
        coverage_.hit(limit_, 6, q.waves == 0);
        coverage_.hit(limit_, 7, q.waves > kWaves);
        if (!sized)
            return;
        coverage_.hit(size_, kWaves + q.waves - 1u);
        const Config& c = cfg_of_run();
        const uint64_t engines = (uint64_t{1} << c.engines) - 1;
        coverage_.hit(limit_, 4, (q.launching & engines) == engines);
        coverage_.hit(limit_, 5, q.enabled == 0);
        coverage_.hit(limit_, 9, live_.empty());
        if (c.engines != 1 || c.arrays != 1 || c.cus != 1 || (q.launching & 1) != 0 ||
            (q.enabled & 1) == 0)
            return;
        const Unit& unit = units_[0];
        const bool slots = unit.waves + q.waves <= unsigned{c.simds} * c.slots;
        const bool barrier = q.waves == 1 || unit.barriers < c.barriers;
        const bool groups = q.most_groups == 0 || unit.groups < q.most_groups;
        const bool waves = q.most_waves == 0 || unit.waves + q.waves <= q.most_waves;
        const Runs lds = runs_of(unit.lds, c.lds);
        const bool room = lds.longest >= q.lds;
        const unsigned missing = (slots ? 0 : 1) + (barrier ? 0 : 1) + (groups ? 0 : 1) +
                                 (waves ? 0 : 1) + (room ? 0 : 1);
        if (missing == 1) {
            coverage_.hit(limit_, 0, !slots);
            coverage_.hit(limit_, 1, !barrier);
            coverage_.hit(limit_, 2, !groups);
            coverage_.hit(limit_, 3, !waves);
            if (!room)
                count_short(2, lds, c.lds, q.lds);
        }
        if (missing != 0)
            return;
        coverage_.hit(limit_, 8, looked_ > 2);
        if (q.waves != 1)
            return;
        for (unsigned s = 0; s < c.simds; ++s) {
            const Simd& simd = unit.simds[s];
            bool slot = false;
            for (unsigned i = 0; i < c.slots; ++i)
                slot |= !simd.slots[i];
            const Runs vgprs = runs_of(simd.vgprs, c.vgprs);
            const Runs sgprs = runs_of(simd.sgprs, c.sgprs);
            if (slot && sgprs.longest >= q.sgprs)
                count_short(0, vgprs, c.vgprs, q.vgprs);
            if (slot && vgprs.longest >= q.vgprs)
                count_short(1, sgprs, c.sgprs, q.sgprs);
        }
    }
    const Config& cfg_of_run() const { return recorded_ != nullptr ? command_.cfg : cfg_; }

    Random random_;
    Activity grant_flow_, query_flow_;
    const std::vector<Command>* recorded_;
    size_t next_ = 0;
    Command command_;
    bool taken_ = true;
    Offer<Query> queries_;
    Offer<Free> frees_;
    Config cfg_;
    uint32_t cfg_left_ = 500;
    std::array<Query, 4> kinds_;
    uint32_t kinds_left_ = 0;
    bool tiny_ = false;
    unsigned mood_ = 20;
    uint32_t mood_left_ = 100;
    bool working_ = false;
    bool inside_ = false;
    unsigned looked_ = 0;
    Query asked_;
    std::vector<Live> live_;
    std::array<Unit, 64> units_;
    std::array<unsigned, 4> array_waves_{};
    Coverage coverage_;
    size_t size_ = 0, place_ = 0, granules_ = 0, limit_ = 0, path_ = 0, flow_ = 0;
};

struct Parts {
    using Pins = SpiAllocPins;
    using Core = spi::SpiAllocCore;
    using Stimulus = SpiAllocStimulus;
    using Recording = SpiAllocRecording;
    using Unit = spi::PinAllocatorUnit;
    static constexpr const char* kDescription = "wave allocator of SPI";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<spi::AllocatorUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
