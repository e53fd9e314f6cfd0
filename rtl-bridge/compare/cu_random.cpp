// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/cu_random.h"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/cu/pins/cu_pin_core.h"
#include "models/mc/surface/tile_mode.h"
#include "rtl-bridge/compare/cu_coverage.h"
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
    explicit CuRandomStimulus(uint64_t seed) : random_(seed) {}

    void next(In& in) override {
        if (reset_next_ || age_ >= life_) {
            begin();
        } else {
            now_.rst = 0;
            ++age_;
            now_.hold = is_held() ? 1 : 0;
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
        seen_.count(in, out, resident());
        retired_.count(in, out, resident());
        if (out.stop_valid != 0) {
            seen_.stopped(in, out);
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
    };

    unsigned simds() const { return now_.cfg.simds; }
    unsigned slots() const { return now_.cfg.slots; }

    // ---- resets

    void begin() {
        if (age_ > 0)
            seen_.reset(resident());
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

    // As a chip does while rows come, and now and then; not in a cycle whose input is wrong for
    // this cycle only.
    bool is_held() {
        if (age_ >= wrong_launch_at_ || age_ == wrong_at_)
            return false;
        return random_.one_in(rows_.empty() && tiling_is_known() ? 64 : 2);
    }
    void pass_time() {
        if (now_.hold == 0)
            ++cycle_;
        // A chip's clock stands still only while no wave is there.
        if (now_.hold == 0 && resident() == 0 && random_.one_in(3)) {
            cycle_ += random_.one_in(20) ? random_.bits() >> (24 + random_.below(30))
                                         : random_.below(300);
            seen_.passed_over();
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
        seen_.clear_wave(16 * simd + slot);
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
            seen_.ended(number, group.several, wave.lone, *group.program, now_.cfg);
        seen_.clear_wave(number);
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
    Coverage coverage_;
    CuRetireCoverage retired_{coverage_};
    CuCoverage seen_{coverage_};
};

}  // namespace

std::unique_ptr<Stimulus<CuPins>> make_cu_random(uint64_t seed) {
    return std::make_unique<CuRandomStimulus>(seed);
}

}  // namespace archipelago::rtl
