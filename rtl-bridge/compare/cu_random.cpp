// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/cu_random.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/cu/pins/cu_pin_core.h"
#include "models/mc/surface/tile_mode.h"
#include "rtl-bridge/compare/cu_program.h"
#include "rtl-bridge/compare/cu_retire_coverage.h"
#include "rtl-bridge/compare/cu_spec_choice.h"
#include "rtl-bridge/compare/cu_surroundings.h"

namespace archipelago::rtl {
namespace {

using Pins = CuPins;
using In = Pins::In;
using Out = Pins::Out;
using Accident = CuProgram::Accident;
using Wrong = CuSurroundings::Wrong;

constexpr uint8_t kCompute = 6;  // ShaderStage of launch_stage

// ---- places for waves

struct Range {
    unsigned first = 0, count = 0;
    bool meets(const Range& r) const {
        return first < r.first + r.count && r.first < first + count;
    }
};

// A range of `count` of `all` that meets none of those in use.
std::optional<Range> free_range(Random& random, const std::vector<Range>& used, unsigned all,
                                unsigned count, unsigned align) {
    if (count > all)
        return std::nullopt;
    const auto is_free = [&](const Range& r) {
        return r.first + r.count <= all &&
               std::none_of(used.begin(), used.end(), [&](const Range& u) { return u.meets(r); });
    };
    for (unsigned n = 0; n < 4; ++n) {
        const Range r{random.below((all - count) / align + 1) * align, count};
        if (is_free(r))
            return r;
    }
    for (const Range& u : used) {
        const Range r{(u.first + u.count + align - 1) / align * align, count};
        if (is_free(r))
            return r;
    }
    return std::nullopt;
}

// ---- the stimulus

class CuRandomStimulus final : public Stimulus<Pins> {
  public:
    explicit CuRandomStimulus(uint64_t seed) : random_(seed) { add_bins(); }

    void next(In& in) override {
        if (reset_next_ || age_ >= life_) {
            begin();
        } else {
            now_.rst = 0;
            ++age_;
            pass_time();
            plan_groups();
            around_.drive(now_, random_);
            offer_launch();
            offer_tiling();
        }
        in = now_;
    }

    void observe(const In& in, const Out& out) override {
        if (in.rst != 0)
            return;
        count(in, out);
        retired_.count(in, out, resident());
        if (out.stop_valid != 0) {
            count_stop(in, out);
            reset_next_ = true;
            return;
        }
        around_.observe(in, out, random_);
        if (in.init_valid != 0 && out.init_ready != 0)
            rows_.pop_front();
        if (in.launch_valid != 0 && out.launch_ready != 0)
            launched();
        if (out.done_valid != 0)
            ended(out.done_wave);
    }

    const Coverage& coverage() const override { return coverage_; }

  private:
    struct Group {
        unsigned left = 0;                         // waves that have not ended
        std::unique_ptr<const CuProgram> program;  // null: free
        Range lds;
        bool several = false;
    };
    struct Wave {
        bool resident = false;
        bool lone = false;  // no other wave has been on its SIMD
        unsigned group = 0;
        Range vgprs, sgprs;
        // what it has fetched and loaded
        uint32_t tag = 0;
        unsigned fetches = 0, loads = 0;
    };

    unsigned simds() const { return now_.cfg.simds; }
    unsigned slots() const { return now_.cfg.slots; }

    // ---- resets

    void begin() {
        if (age_ > 0)
            coverage_.hit(unit_, kResetAmidWaves, resident() != 0);
        static constexpr uint64_t kLives[] = {400, 1500, 3000, 3000, 6000, 12000};
        now_ = In{};
        now_.rst = 1;
        now_.cfg = CuSpecChoice(random_).config();
        now_.cycle = cycle_ =
            random_.one_in(3) ? random_.bits() >> (1 + random_.below(50)) : cycle_;
        reset_next_ = random_.one_in(10);
        age_ = 0;
        life_ = random_.pick(kLives);
        around_.begin(random_);
        retired_.begin();
        for (Group& group : groups_)
            group = {};
        waves_.fill({});
        to_launch_.clear();
        rows_.clear();
        rows_known_ = false;
        lds_set_.clear();
        vector_.clear();
        gds_open_ = 0;
        pause_left_ = 0;
        next_tiling_ = 0;
        tiling_ = {};
        choose_load();
        choose_accident();
    }
    // How many waves there are, and of what size.
    void choose_load() {
        static constexpr unsigned kMax[] = {1, 2, 4, 10, 20, 64, 64};
        static constexpr unsigned kGap[] = {1, 1, 4, 40};
        most_waves_ = random_.pick(kMax);
        launch_gap_ = random_.pick(kGap);
        pauses_ = random_.one_in(4);
        retire_ = !random_.one_in(3);
        small_ = random_.one_in(2);
    }
    void choose_accident() {
        accident_ = Accident::None;
        wrong_launch_at_ = wrong_at_ = ~uint64_t{0};
        if (random_.one_in(4))
            return;
        const uint64_t at = 1 + random_.below(static_cast<uint32_t>(life_));
        static constexpr Accident kAccidents[] = {Accident::NoInstruction,
                                                  Accident::Unimplemented,
                                                  Accident::Unimplemented,
                                                  Accident::BeyondRegisters,
                                                  Accident::BeyondRegisters,
                                                  Accident::OddJump,
                                                  Accident::NoMessage,
                                                  Accident::Misaligned,
                                                  Accident::ScalarFault,
                                                  Accident::ScalarFault,
                                                  Accident::VectorFault,
                                                  Accident::FetchFault,
                                                  Accident::Halt};
        switch (random_.below(7)) {
            case 0:
                wrong_launch_at_ = at;
                break;
            case 1:
                wrong_at_ = at;
                break;
            default:
                accident_ = random_.pick(kAccidents);
                break;
        }
        accident_at_ = at / 4;
    }

    void pass_time() {
        ++cycle_;
        // A chip's clock stands still only while no wave is there.
        if (resident() == 0 && random_.one_in(3)) {
            cycle_ += random_.one_in(20) ? random_.bits() >> (24 + random_.below(30))
                                         : random_.below(300);
            coverage_.hit(unit_, kCycleJump);
        }
        now_.cycle = cycle_;
        if (pause_left_ > 0)
            --pause_left_;
        else if (pauses_ && random_.one_in(150))
            pause_left_ = 1 + random_.below(60);
        now_.pause = pause_left_ > 0 ? 1 : 0;
        // It counts when no wave is there; amid waves it changes nothing before that.
        if (random_.one_in(resident() == 0 ? 100 : 5000))
            retire_ = !retire_;
        now_.retire = retire_ ? 1 : 0;
        if (age_ == wrong_at_)
            around_.plan(Wrong{static_cast<uint8_t>(1 + random_.below(6))});
    }

    // ---- launches

    unsigned resident() const {
        return static_cast<unsigned>(
            std::count_if(waves_.begin(), waves_.end(), [](const Wave& w) { return w.resident; }));
    }
    unsigned on_simd(unsigned simd) const {
        unsigned n = 0;
        for (unsigned slot = 0; slot < slots(); ++slot)
            n += waves_[16 * simd + slot].resident ? 1 : 0;
        return n;
    }
    template <class Get>
    std::vector<Range> in_use(unsigned simd, const Get& get) const {
        std::vector<Range> used;
        for (unsigned slot = 0; slot < slots(); ++slot)
            if (waves_[16 * simd + slot].resident)
                used.push_back(get(waves_[16 * simd + slot]));
        return used;
    }

    void plan_groups() {
        if (!tiling_is_known() || !to_launch_.empty() || !random_.one_in(launch_gap_) ||
            resident() >= most_waves_)
            return;
        const unsigned slot = random_.below(now_.cfg.groups);
        if (groups_[slot].left == 0)
            plan_group(slot);
    }

    // A group whose waves all have a place; none when they have not.
    void plan_group(unsigned slot) {
        CuProgram::Shape shape;
        choose_registers(shape);
        const unsigned room = std::min(most_waves_ - resident(), 16u);
        shape.waves = random_.one_in(2) ? 1 : 1 + random_.below(room);
        shape.pc = around_.place_of_code(slot, random_);
        shape.data = around_.data();
        shape.tiling = &tiling_;
        if (age_ >= accident_at_)
            shape.accident = accident_;
        Pins::Launch launch;
        if (!choose_lds(slot, launch))
            return;
        std::vector<Pins::Launch> planned;
        for (unsigned n = 0; n < shape.waves; ++n) {
            if (!place_wave(shape, launch))
                break;
            launch.wave_in_group = static_cast<uint8_t>(planned.size());
            planned.push_back(launch);
            waves_[launch.wave].group = slot;
        }
        if (planned.empty())
            return;
        if (shape.accident != Accident::None)
            accident_ = Accident::None;
        Group& group = groups_[slot];
        group.left = static_cast<unsigned>(planned.size());
        group.several = group.left > 1;
        group.program = std::make_unique<CuProgram>(random_, shape);
        around_.put_code(slot, shape.pc, *group.program, random_.one_in(4));
        if (shape.accident == Accident::Halt)
            life_ = std::min(life_, age_ + 1500);
        choose_state(slot, shape, planned);
    }
    void choose_registers(CuProgram::Shape& shape) {
        static constexpr unsigned kSmall[] = {8, 12, 16, 24};
        const unsigned vgprs = now_.cfg.vgprs, sgprs = now_.cfg.sgprs;
        shape.vgprs =
            small_ ? random_.pick(kSmall) : 8 + random_.below(random_.one_in(4) ? 249 : 60);
        shape.sgprs = small_ ? 32 + 8 * random_.below(3) : 32 + random_.below(73);
        shape.vgprs = std::min(shape.vgprs, vgprs);
        shape.sgprs = std::min(shape.sgprs, sgprs);
    }
    bool choose_lds(unsigned slot, Pins::Launch& launch) {
        static constexpr unsigned kSizes[] = {0, 256, 256, 512, 1024, 4096, 20};
        Range lds;
        lds.count =
            random_.one_in(20) ? random_.below(now_.cfg.lds / 4 + 1) * 4 : random_.pick(kSizes);
        std::vector<Range> used;
        for (const Group& group : groups_)
            if (group.left != 0)
                used.push_back(group.lds);
        const auto place = free_range(random_, used, now_.cfg.lds, lds.count, 256);
        if (!place)
            return false;
        lds = *place;
        launch.keeps_lds = 0;
        // What is kept has been set since the reset.
        if (!lds_set_.empty() && random_.one_in(8)) {
            const Range& old = lds_set_[random_.below(static_cast<uint32_t>(lds_set_.size()))];
            if (std::none_of(used.begin(), used.end(),
                             [&](const Range& u) { return u.meets(old); })) {
                lds = old;
                launch.keeps_lds = 1;
            }
        }
        groups_[slot].lds = lds;
        launch.lds_base = lds.first;
        launch.lds_bytes = lds.count;
        return true;
    }
    bool place_wave(const CuProgram::Shape& shape, Pins::Launch& launch) {
        const unsigned simd = random_.below(simds());
        const unsigned first = random_.below(slots());
        unsigned slot = slots();
        for (unsigned n = 0; n < slots() && slot == slots(); ++n)
            if (!waves_[16 * simd + (first + n) % slots()].resident)
                slot = (first + n) % slots();
        if (slot == slots())
            return false;
        const auto vgprs = free_range(random_, in_use(simd, [](const Wave& w) { return w.vgprs; }),
                                      now_.cfg.vgprs, shape.vgprs, random_.one_in(8) ? 1 : 4);
        const auto sgprs = free_range(random_, in_use(simd, [](const Wave& w) { return w.sgprs; }),
                                      now_.cfg.sgprs, shape.sgprs, 8);
        if (!vgprs || !sgprs)
            return false;
        Wave& wave = waves_[16 * simd + slot];
        wave = {};
        wave.resident = true;
        wave.vgprs = *vgprs;
        wave.sgprs = *sgprs;
        wave.lone = on_simd(simd) == 1;
        if (!wave.lone)
            for (unsigned n = 0; n < slots(); ++n)
                waves_[16 * simd + n].lone = false;
        launch.wave = static_cast<uint8_t>(16 * simd + slot);
        launch.vgpr_base = static_cast<uint8_t>(vgprs->first);
        launch.vgprs = static_cast<uint16_t>(vgprs->count);
        launch.sgpr_base = static_cast<uint16_t>(sgprs->first);
        launch.sgprs = static_cast<uint8_t>(sgprs->count);
        return true;
    }
    // Everything but places.
    void choose_state(unsigned slot, const CuProgram::Shape& shape,
                      std::vector<Pins::Launch>& planned) {
        static constexpr uint8_t kModes[] = {0xc0, 0xf0, 0x00, 0xcf, 0xc5};
        const CuProgram& program = *groups_[slot].program;
        Pins::Launch common;
        common.dispatch = ++dispatch_;
        common.group = random_.word();
        common.vmid = static_cast<uint8_t>(random_.below(random_.one_in(4) ? 256 : 16));
        common.priority = static_cast<uint8_t>(random_.below(4));
        common.float_mode =
            random_.one_in(4) ? static_cast<uint8_t>(random_.below(256)) : random_.pick(kModes);
        common.dx10_clamp = random_.below(2) != 0;
        common.ieee = random_.below(2) != 0;
        common.exceptions = random_.one_in(4) ? static_cast<uint8_t>(random_.below(128)) : 0;
        common.trap = random_.below(2) != 0;
        common.ids = static_cast<uint8_t>(random_.below(4));
        for (Pins::Launch& l : planned) {
            l.dispatch = common.dispatch;
            l.group = common.group;
            l.group_slot = static_cast<uint8_t>(slot);
            l.waves_in_group = static_cast<uint8_t>(planned.size());
            l.vmid = common.vmid;
            l.priority = common.priority;
            l.stage = kCompute;
            l.pc = shape.pc;
            l.exec = random_.one_in(8) ? random_.bits() : ~uint64_t{0};
            l.float_mode = common.float_mode;
            l.dx10_clamp = common.dx10_clamp;
            l.ieee = common.ieee;
            l.exceptions = common.exceptions;
            l.trap = common.trap;
            l.tba = program.handler();
            l.tma = random_.bits();
            l.sgpr_count = static_cast<uint8_t>(program.user_sgprs().size());
            std::copy(program.user_sgprs().begin(), program.user_sgprs().end(), l.sgpr.begin());
            l.ids = common.ids;
            choose_ids(l);
            to_launch_.push_back(l);
        }
    }
    void choose_ids(Pins::Launch& l) {
        const bool numbers = random_.one_in(3);
        for (unsigned lane = 0; lane < Pins::kLanes; ++lane) {
            l.v0[lane] = numbers ? random_.word() : lane;
            l.v1[lane] = numbers ? 0x3f000000 + random_.below(0x2000000) : l.wave_in_group;
            l.v2[lane] = random_.below(256);
        }
    }

    void offer_launch() {
        now_.init_valid = now_.launch_valid = 0;
        if (!to_launch_.empty() && !random_.one_in(20)) {
            if (!rows_known_)
                choose_rows(to_launch_.front());
            now_.init_valid = rows_.empty() ? 0 : 1;
            if (now_.init_valid != 0)
                now_.init = rows_.front();
            // The last row may come with the launch.
            now_.launch_valid = rows_.empty() || (rows_.size() == 1 && random_.one_in(2)) ? 1 : 0;
        }
        if (now_.launch_valid != 0)
            now_.launch = to_launch_.front();
        if (age_ < wrong_launch_at_)
            return;
        now_.launch_valid = 1;
        make_wrong(now_.launch);
        wrong_launch_at_ = ~uint64_t{0};
    }
    // What the wave finds that is launched next: VGPRs, and in LDS dwords, some beyond its part.
    void choose_rows(const Pins::Launch& l) {
        rows_known_ = true;
        if (!random_.one_in(3))
            return;
        for (unsigned n = random_.below(random_.one_in(4) ? 27 : 5); n != 0; --n)
            add_row(l, false, random_.below(27));
        const unsigned rows = l.lds_bytes / 256 + 1;
        for (unsigned n = random_.below(4); n != 0; --n)
            add_row(l, true, random_.one_in(8) ? random_.below(256) : random_.below(rows));
    }
    void add_row(const Pins::Launch& l, bool lds, unsigned number) {
        Pins::Init row;
        row.wave = l.wave;
        row.lds = lds ? 1 : 0;
        row.row = static_cast<uint8_t>(number);
        row.lanes = random_.one_in(2) ? ~uint64_t{0} : random_.bits();
        for (uint32_t& value : row.data)
            value = random_.word();
        rows_.push_back(row);
    }

    // A launch that asks for what the unit has not.
    void make_wrong(Pins::Launch& l) {
        // Nothing else is wrong with it, if there is a free place.
        for (unsigned n = 0; n < simds() * slots(); ++n)
            if (const unsigned wave = 16 * (n / slots()) + n % slots(); !waves_[wave].resident)
                l.wave = static_cast<uint8_t>(wave);
        l.vgpr_base = 0;
        l.sgpr_base = 0;
        l.vgprs = l.sgprs = 8;
        switch (random_.below(6)) {
            case 0:
                l.wave = static_cast<uint8_t>(simds() < 4 ? 16 * simds() : random_.below(64));
                break;
            case 1:
                l.wave = static_cast<uint8_t>(slots() < 16 ? slots() : random_.below(64));
                break;
            case 2:
                l.pc += 1 + random_.below(3);
                break;
            case 3:
                l.vgpr_base = static_cast<uint8_t>(now_.cfg.vgprs - 4);
                break;
            case 4:
                l.lds_base = 65536;
                l.lds_bytes = 4;
                break;
            default:
                l.group_slot = 63;
                break;
        }
    }
    void launched() {
        if (to_launch_.empty())
            return;  // a wrong one that was not
        const Pins::Launch& l = to_launch_.front();
        if (l.keeps_lds == 0 && l.lds_bytes != 0 && lds_set_.size() < 16)
            lds_set_.push_back({l.lds_base, l.lds_bytes});
        to_launch_.pop_front();
        rows_known_ = false;
    }

    void ended(unsigned number) {
        Wave& wave = waves_[number];
        if (!wave.resident)
            return;
        Group& group = groups_[wave.group];
        if (group.program != nullptr)
            count_program(*group.program, group, wave);
        wave = {};
        if (--group.left == 0)
            group.program.reset();
    }

    // ---- registers of address calculation of images

    // All of them after a reset, before the first wave. Later the table of border colours moves
    // often, which every image takes; another mode may be one that an image does not, and stops the
    // unit.
    void offer_tiling() {
        now_.tiling_valid = 0;
        if (next_tiling_ <= surface::TilingWrite::kBorderColors)
            write_tiling(next_tiling_++);
        else if (random_.one_in(500))
            write_tiling(surface::TilingWrite::kBorderColors);
        else if (random_.one_in(20000))
            write_tiling(static_cast<uint8_t>(random_.below(33)));
    }
    bool tiling_is_known() const { return next_tiling_ > surface::TilingWrite::kBorderColors; }
    void write_tiling(uint8_t index) {
        now_.tiling_valid = 1;
        now_.tiling_index = index;
        now_.tiling_value = index == 0 ? any_address_config()
                            : index == surface::TilingWrite::kBorderColors
                                ? static_cast<uint32_t>(around_.data() >> 8) + random_.below(64)
                                : any_tile_mode();
        tiling_.write({index, now_.tiling_value});
    }
    uint32_t any_address_config() {
        surface::AddressConfig config;
        config.pipes = 1u << random_.below(5);
        config.pipe_interleave = 256u << random_.below(2);
        config.row_bytes = 1024u << random_.below(3);
        config.shader_engines = 1u << random_.below(3);
        return surface::encode_address_config(config);
    }
    uint32_t any_tile_mode() {
        surface::TileMode mode;
        static constexpr uint8_t kPipes[] = {0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17};
        mode.array = static_cast<surface::ArrayMode>(random_.one_in(2) ? random_.below(5)
                                                                       : random_.below(16));
        mode.micro = static_cast<surface::MicroTileMode>(random_.below(4));
        mode.pipe = static_cast<surface::PipeConfig>(random_.pick(kPipes));
        mode.tile_split = static_cast<uint16_t>(64u << random_.below(7));
        mode.bank_width = static_cast<uint8_t>(1u << random_.below(4));
        mode.bank_height = static_cast<uint8_t>(1u << random_.below(4));
        mode.macro_aspect = static_cast<uint8_t>(1u << random_.below(4));
        mode.banks = static_cast<uint8_t>(2u << random_.below(4));
        return surface::encode_si_tile_mode(mode);
    }

    // ---- coverage

    enum UnitBin : unsigned {
        kLaunch,
        kLaunchWaits,
        kEnd,
        kLoneEnd,
        kSlot15,
        kPause,
        kCycleJump,
        kResetAmidWaves,
        kVgprRow,
        kLdsRow,
        kRowWithLaunch,
    };
    enum PortBin : unsigned {
        kFetch,
        kNewFetch,
        kJumpAmidFetches,
        kFetchFault,
        kScalar,
        kScalarInvalidate,
        kScalarFull,
        kWaveScalarsFull,
        kTwoRequests,
        kFourRequests,
        kFourAnswers,
        kRead,
        kWrite,
        kAtomic,
        kAtomicReturns,
        kUnmappedStatus,
        kVectorFull,
        kInvalidate,
        kInstructionInvalidate,
        kGds,
        kGdsReturns,
        kGdsTwoElements,
        kGdsFull,
        kExport,
        kCompressedExport,
        kLastExport,
        kInterrupt,
        kGraphicsMessage,
        kExportsSent,
    };
    // After the uses of a program.
    enum ImageBin : unsigned { kManyRequests = CuProgram::kImageUses, kTilingAmidWaves };

    void add_bins() {
        unit_ = coverage_.add_group(
            "unit", {"launch", "launch waits", "wave ends", "lone wave ends",
                     "wave in slot 15 ends", "pause amid waves", "cycles passed over",
                     "reset amid waves", "row of a VGPR", "row of LDS", "row with the launch"});
        port_ = coverage_.add_group("ports", {"fetch",
                                              "fetch from another place",
                                              "jump amid fetches",
                                              "fetch of nothing mapped",
                                              "scalar load",
                                              "scalar invalidation",
                                              "all scalar operations in flight",
                                              "a wave's scalar loads at its counter's limit",
                                              "two requests",
                                              "four requests",
                                              "four answers",
                                              "read",
                                              "write",
                                              "atomic",
                                              "atomic that returns",
                                              "answer: nothing mapped",
                                              "all vector operations in flight",
                                              "L1 invalidation",
                                              "instruction cache invalidation",
                                              "GDS",
                                              "GDS that returns",
                                              "GDS, two elements",
                                              "all GDS operations in flight",
                                              "export",
                                              "compressed export",
                                              "last export",
                                              "interrupt",
                                              "message to graphics",
                                              "end of a wave that has exported"});
        executed_ =
            coverage_.add_group("a wave has executed", {"vector ALU",
                                                        "scalar ALU",
                                                        "branch",
                                                        "scalar memory",
                                                        "vector memory",
                                                        "LDS",
                                                        "control",
                                                        "s_nop",
                                                        "s_waitcnt",
                                                        "s_barrier of several waves",
                                                        "s_endpgm",
                                                        "s_sleep",
                                                        "s_setprio",
                                                        "s_icache_inv",
                                                        "mark",
                                                        "GDS",
                                                        "export",
                                                        "message",
                                                        "skipped vector instruction",
                                                        "operand from LDS",
                                                        "interpolation",
                                                        "load to LDS",
                                                        "instruction in two blocks",
                                                        "the same alone",
                                                        "loop",
                                                        "the same alone",
                                                        "more vector memory than vmcnt counts",
                                                        "more stores than expcnt counts",
                                                        "buffer of 2 blocks",
                                                        "buffer of 4 blocks",
                                                        "buffer of 8 blocks",
                                                        "one SIMD",
                                                        "two SIMDs",
                                                        "three SIMDs",
                                                        "four SIMDs",
                                                        "load into what vector instructions write",
                                                        "GDS into what vector instructions write",
                                                        "scalar load into what they write"});
        images_ = coverage_.add_group(
            "image instructions",
            {"load", "store", "atomic", "atomic that returns", "sample", "gather",
             "image_get_resinfo", "image_get_lod", "status register", "resource of 128 bits",
             "linear", "micro tiles", "macro tiles", "3D", "cube", "array", "several samples",
             "more than 64 requests", "register written amid waves"});
        stops_ = coverage_.add_group(
            "stops", {"not implemented", "fault of a scalar load", "fault of an answer",
                      "other fault", "wrong use", "protocol broken"});
    }

    void count(const In& in, const Out& out) {
        const bool launch = in.launch_valid != 0;
        coverage_.hit(unit_, kLaunch, launch && out.launch_ready != 0);
        coverage_.hit(unit_, kLaunchWaits, launch && out.launch_ready == 0 && out.stop_valid == 0);
        coverage_.hit(images_, kTilingAmidWaves, in.tiling_valid != 0 && resident() != 0);
        coverage_.hit(unit_, kPause, in.pause != 0 && resident() != 0);
        if (in.init_valid != 0 && out.init_ready != 0) {
            coverage_.hit(unit_, in.init.lds != 0 ? kLdsRow : kVgprRow);
            coverage_.hit(unit_, kRowWithLaunch, launch && out.launch_ready != 0);
        }
        count_fetch(in, out);
        count_scalar(in, out);
        count_vector(in, out);
        coverage_.hit(port_, kInvalidate, out.invalidate_valid != 0);
        coverage_.hit(port_, kInstructionInvalidate, out.icache_valid != 0);
        count_outside(in, out);
    }
    void count_outside(const In& in, const Out& out) {
        if (in.gdsdata_valid != 0 && out.gdsdata_ready != 0)
            gds_open_ &= ~(uint64_t{1} << (in.gdsdata_tag & 63));
        if (out.gds_valid != 0) {
            gds_open_ |= uint64_t{1} << (out.gds.tag & 63);
            coverage_.hit(port_, kGds);
            coverage_.hit(port_, kGdsReturns, out.gds.returns != 0);
            coverage_.hit(port_, kGdsTwoElements, out.gds.elements == 2);
            coverage_.hit(port_, kGdsFull,
                          std::bitset<64>(gds_open_).count() >= in.cfg.gds_outstanding);
        }
        if (out.export_valid != 0) {
            coverage_.hit(port_, kExport);
            coverage_.hit(port_, kCompressedExport, out.exp.compressed != 0);
            coverage_.hit(port_, kLastExport, out.exp.done != 0);
        }
        if (out.message_valid != 0)
            coverage_.hit(port_, out.message.kind == 1 ? kInterrupt : kGraphicsMessage);
        coverage_.hit(port_, kExportsSent, out.done_valid != 0 && out.done_exports != 0);
    }
    void count_fetch(const In& in, const Out& out) {
        if (in.fetched_valid != 0 && out.fetched_ready != 0) {
            unsigned& fetches = waves_[in.fetched.wave].fetches;
            fetches -= fetches != 0 ? 1 : 0;
            coverage_.hit(port_, kFetchFault, in.fetched.fault != 0);
        }
        if (out.fetch_valid == 0)
            return;
        Wave& wave = waves_[out.fetch_wave];
        coverage_.hit(port_, kFetch);
        coverage_.hit(port_, kNewFetch, wave.tag != out.fetch_tag);
        coverage_.hit(port_, kJumpAmidFetches, wave.tag != out.fetch_tag && wave.fetches != 0);
        wave.tag = out.fetch_tag;
        ++wave.fetches;
    }
    void count_scalar(const In& in, const Out& out) {
        if (in.loaded_valid != 0 && out.loaded_ready != 0) {
            unsigned& loads = waves_[in.loaded.wave].loads;
            loads -= loads != 0 ? 1 : 0;
        }
        if (out.scalar_valid == 0)
            return;
        ++waves_[out.scalar_wave].loads;
        unsigned all = 0;
        for (const Wave& wave : waves_)
            all += wave.loads;
        coverage_.hit(port_, kScalar);
        coverage_.hit(port_, kScalarInvalidate, out.scalar_invalidate != 0);
        coverage_.hit(port_, kScalarFull, all >= in.cfg.smem_outstanding);
        coverage_.hit(port_, kWaveScalarsFull, waves_[out.scalar_wave].loads >= in.cfg.lgkm_max);
    }
    void count_vector(const In& in, const Out& out) {
        for (unsigned i = 0; i < Pins::kRequests && out.answer_ready[i] != 0; ++i) {
            auto& open = vector_[in.answer[i].tag >> 16 & 63];
            open -= open != 0 ? 1 : 0;
            coverage_.hit(port_, kFourAnswers, i == 3);
            coverage_.hit(port_, kUnmappedStatus, in.answer[i].status != 0);
        }
        for (unsigned i = 0; i < Pins::kRequests && out.request_valid[i] != 0; ++i) {
            const Pins::Request& r = out.request[i];
            ++vector_[r.tag >> 16 & 63];
            coverage_.hit(images_, kManyRequests, (r.tag & 0xffff) >= 64 && r.command == 0);
            coverage_.hit(port_, kTwoRequests, i == 1);
            coverage_.hit(port_, kFourRequests, i == 3);
            coverage_.hit(port_, kRead + std::min<unsigned>(r.command, 2));
            coverage_.hit(port_, kAtomicReturns, r.command == 2 && r.returns != 0);
        }
        if (out.request_valid[0] != 0)
            coverage_.hit(port_, kVectorFull, vector_.open() >= in.cfg.vmem_outstanding);
    }
    void count_program(const CuProgram& program, const Group& group, const Wave& wave) {
        using cu::Action;
        static constexpr Action kActions[] = {Action::Valu,        Action::Scalar,
                                              Action::Branch,      Action::ScalarMem,
                                              Action::VectorMem,   Action::Lds,
                                              Action::Control,     Action::Nop,
                                              Action::Wait,        Action::Barrier,
                                              Action::End,         Action::Sleep,
                                              Action::SetPriority, Action::InvalidateInst,
                                              Action::Mark,        Action::Gds,
                                              Action::Export,      Action::Message,
                                              Action::NoEffect,    Action::LdsDirect,
                                              Action::Interpolate};
        unsigned bin = 0;
        for (const Action action : kActions) {
            const bool counts = action != Action::Barrier || group.several;
            coverage_.hit(executed_, bin++, counts && program.executes(action));
        }
        coverage_.hit(executed_, bin++, program.loads_to_lds());
        for (const bool there : {program.crosses(), program.loops()}) {
            coverage_.hit(executed_, bin++, there);
            coverage_.hit(executed_, bin++, there && wave.lone);
        }
        coverage_.hit(executed_, bin++, program.vectors_in_a_row() > now_.cfg.vm_max);
        coverage_.hit(executed_, bin++, program.stores_in_a_row() > now_.cfg.exp_max);
        for (const unsigned blocks : {2u, 4u, 8u})
            coverage_.hit(executed_, bin++, now_.cfg.fetch_blocks == blocks);
        for (const unsigned n : {1u, 2u, 3u, 4u})
            coverage_.hit(executed_, bin++, simds() == n);
        for (unsigned n = 0; n < CuProgram::kRaces; ++n)
            coverage_.hit(executed_, bin++, program.executes(static_cast<CuProgram::Race>(n)));
        for (unsigned use = 0; use < CuProgram::kImageUses; ++use)
            coverage_.hit(images_, use, program.executes(static_cast<CuProgram::ImageUse>(use)));
        coverage_.hit(unit_, kEnd);
        coverage_.hit(unit_, kLoneEnd, wave.lone);
        coverage_.hit(unit_, kSlot15, (&wave - waves_.data()) % 16 == 15);
    }
    void count_stop(const In& in, const Out& out) {
        bool refused = false;
        for (unsigned i = 0; i < Pins::kRequests; ++i)
            refused |= in.answer_valid[i] != 0 && in.answer[i].status != 0;
        switch (out.stop_reason) {
            case Pins::kNotImplemented:
                coverage_.hit(stops_, 0);
                break;
            case Pins::kFault:
                coverage_.hit(stops_, in.loaded_valid != 0 && in.loaded.fault != 0 ? 1
                                      : refused                                    ? 2
                                                                                   : 3);
                break;
            case Pins::kBadInput:
                coverage_.hit(stops_, 4);
                break;
            default:
                coverage_.hit(stops_, 5);
                break;
        }
    }

    // Requests on their way, by vector memory operation.
    class VectorOperations {
      public:
        void clear() { open_ = {}; }
        unsigned& operator[](unsigned op) { return open_[op]; }
        unsigned open() const {
            return static_cast<unsigned>(
                std::count_if(open_.begin(), open_.end(), [](unsigned n) { return n != 0; }));
        }

      private:
        std::array<unsigned, 64> open_{};
    };

    Random random_;
    CuSurroundings around_;
    In now_;
    bool reset_next_ = true;
    uint64_t age_ = 0, life_ = 0;  // cycles since the reset, and until the next
    uint64_t cycle_ = 0;
    unsigned pause_left_ = 0;
    unsigned most_waves_ = 1, launch_gap_ = 1;
    bool pauses_ = false, small_ = false;
    bool retire_ = false;
    Accident accident_ = Accident::None;
    uint64_t accident_at_ = 0, wrong_launch_at_ = 0, wrong_at_ = 0;
    uint32_t dispatch_ = 0;
    uint8_t next_tiling_ = 0;  // register that is to be written after the reset
    surface::TilingRegisters tiling_;
    std::array<Group, 64> groups_;
    std::array<Wave, Pins::kWaves> waves_;
    std::deque<Pins::Launch> to_launch_;
    std::deque<Pins::Init> rows_;  // in front of the first of these
    bool rows_known_ = false;
    std::vector<Range> lds_set_;  // parts of LDS that groups have had since the reset
    VectorOperations vector_;
    uint64_t gds_open_ = 0;  // operations on their way
    Coverage coverage_;
    CuRetireCoverage retired_{coverage_};
    size_t unit_ = 0, port_ = 0, executed_ = 0, images_ = 0, stops_ = 0;
};

}  // namespace

std::unique_ptr<Stimulus<CuPins>> make_cu_random(uint64_t seed) {
    return std::make_unique<CuRandomStimulus>(seed);
}

}  // namespace archipelago::rtl
