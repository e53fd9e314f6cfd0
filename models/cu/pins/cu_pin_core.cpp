// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pins/cu_pin_core.h"

#include <algorithm>

#include "models/common/pins/twin_limits.h"
#include "models/cu/pipeline/wave_stop.h"

namespace archipelago::cu {
namespace {

// The Spec that the pins have, with the links of `spec`.
CuSpec spec_of_pins(CuSpec spec, const CuPins::Config& c) {
    spec.simds = c.simds;
    spec.wave_slots = c.slots;
    spec.vgprs = c.vgprs;
    spec.sgprs = c.sgprs;
    spec.lds_bytes = c.lds;
    spec.group_slots = c.groups;
#define NUMBER(field, bits) spec.field = c.field;
#define LIST(field, elements, bits) std::copy(c.field.begin(), c.field.end(), spec.field.begin());
    ARCHIPELAGO_CU_TIMES(NUMBER, LIST)
#undef NUMBER
#undef LIST
    return spec;
}

bool same(const CuPins::Config& a, const CuPins::Config& b) {
    bool equal = true;
    CuPins::In x, y;
    x.cfg = a;
    y.cfg = b;
    CuPins::inputs([&](auto pin) { equal &= pin.member(x) == pin.member(y); });
    return equal;
}

// The ports whose pins the shell of a chip treats by itself.
template <class Pass>
void each_other_port(Pass& pass, CuCore& core) {
    auto& in = pass.in;
    auto& out = pass.out;
    pass.output(core.to_wave_done, in.done_ready, out.done_valid, [&](auto, auto& done) {
        out.done_wave = wave_number(done.simd, done.slot);
        out.done_exports = done.exports;
    });
    for (const OutputChannel<ShaderMessage>* to : {&core.to_interrupts, &core.to_graphics})
        pass.output(*to, in.message_ready, out.message_valid,
                    [&](auto m, auto& r) { map_message(m, r, out.message); });
}

CuPins::Stop reason_of(StopKind kind) {
    switch (kind) {
        case StopKind::Unimplemented:
            return CuPins::kNotImplemented;
        case StopKind::Fault:
            return CuPins::kFault;
        case StopKind::BadInput:
            return CuPins::kBadInput;
        default:
            return CuPins::kProtocol;
    }
}

}  // namespace

CuPins::Config config_to_pins(const CuSpec& spec, const CuPosition& position) {
    const auto number = [](unsigned bits, const char* key, unsigned value) {
        return static_cast<uint16_t>(rtl::in_range<CuPins>(0, (1u << bits) - 1, key, value));
    };
    rtl::in_range<CuPins>(1, CuPins::kRequests, "cu.ta_requests_per_cycle",
                          spec.ta_requests_per_cycle);
    rtl::in_range<CuPins>(1, CuPins::kRequests, "cu.td_responses_per_cycle",
                          spec.td_responses_per_cycle);
    rtl::in_range<CuPins>(3, 4095, "cu.ta_latency", spec.ta_latency);
    // Sixteen lanes take a vector instruction in four steps.
    for (unsigned rate = 0; rate < static_cast<unsigned>(isa::Rate::Scalar); ++rate)
        rtl::in_range<CuPins>(4, 4095, "cu.issue.valu_cycles", spec.rate_cycles[rate]);
    CuPins::Config c;
    c.simds = static_cast<uint8_t>(spec.simds);
    c.slots = static_cast<uint8_t>(spec.wave_slots);
    c.vgprs = static_cast<uint16_t>(rtl::in_range<CuPins>(1, 256, "cu.vgprs", spec.vgprs));
    c.sgprs = static_cast<uint16_t>(rtl::in_range<CuPins>(1, 512, "cu.sgprs", spec.sgprs));
    c.lds = rtl::in_range<CuPins>(0, 65536, "cu.lds_bytes", spec.lds_bytes);
    c.groups =
        static_cast<uint8_t>(rtl::in_range<CuPins>(1, 64, "cu.group_slots", spec.group_slots));
    c.engine = position.se;
    c.array = position.sh;
    c.unit = position.cu;
#define NUMBER(field, bits) c.field = number(bits, "cu." #field, spec.field);
#define LIST(field, elements, bits)           \
    for (unsigned i = 0; i < (elements); ++i) \
        c.field[i] = number(bits, "cu." #field, spec.field[i]);
    ARCHIPELAGO_CU_TIMES(NUMBER, LIST)
#undef NUMBER
#undef LIST
    return c;
}

CuPinCore::CuPinCore(const CuSpec& links) : links_(links) {
    rebuild(config_to_pins(links, {}));
}
CuPinCore::~CuPinCore() {
    if (core_ != nullptr)
        core_->use_retire(nullptr);
}

void CuPinCore::rebuild(const CuPins::Config& config) {
    config_ = config;
    CuIdentity identity;
    identity.position = {config.engine, config.array, config.unit};
    core_ = std::make_unique<CuCore>(spec_of_pins(links_, config), identity);
    core_->to_wave_done.connect(done_);
    core_->to_fetch.connect(fetch_);
    core_->to_scalar.connect(scalar_);
    core_->to_memory.connect(memory_);
    core_->to_l1_action.connect(invalidate_);
    core_->to_inst_action.connect(icache_);
    core_->to_gds.connect(gds_);
    core_->to_export.connect(export_);
    core_->to_interrupts.connect(interrupts_);
    core_->to_graphics.connect(graphics_);
    core_->connect_tiling(tiling_);
}

void CuPinCore::reset(const CuPins::Config& config) {
    core_->use_retire(nullptr);  // which hands over what has not finished
    retiring_ = false;
    tiling_.clear();
    // Nothing is on the pins yet.
    if (config.simds == 0 || same(config, config_))
        core_->reset();
    else
        rebuild(config);
    beats_.clear();
    rows_ = {};
    given_ = {};
}

void CuPinCore::step(const In& in, Out& out) {
    out = Out{};
    out.retires = 1;
    if (in.rst != 0) {
        now_ = in.cycle;
        ++steps_;
        reset(in.cfg);
        return;
    }
    if (in.hold != 0) {
        step_held(in, out);
        return;
    }
    now_ = std::max(now_ + 1, in.cycle);
    ++steps_;
    give_beat(out);
    core_->launch_in.clear();  // what was not taken may have gone from the pins
    if ((in.retire != 0) != retiring_ && core_->idle()) {
        retiring_ = in.retire != 0;
        core_->use_retire(retiring_ ? this : nullptr);
    }
    try {
        apply(in, out);
        core_->tick(now_);
        present(in, out);
    } catch (const MachineStop& stop) {
        out.stop_valid = 1;
        out.stop_reason = reason_of(stop.kind());  // a reset comes next
        if (const auto* wave = dynamic_cast<const WaveStop*>(&stop)) {
            out.stop_wave = wave_number(wave->at().simd, wave->at().slot);
            out.stop_pc = wave->at().pc;
            out.stop_words = wave->at().words;
        }
    }
}

// A cycle that the chip does not have.
void CuPinCore::step_held(const In& in, Out& out) {
    if (in.tiling_valid != 0) {
        surface::TilingRegisters tiling = core_->tiling();
        tiling.write({in.tiling_index, in.tiling_value});
        core_->take_tiling(tiling);
    }
    out.init_ready = in.init_valid;
    if (in.init_valid != 0)
        take_row(in.init);
}

// A row of a wave's registers or of its group's LDS, kept until the wave is launched.
void CuPinCore::take_row(const CuPins::Init& row) {
    if (rows_[row.wave] == nullptr)
        rows_[row.wave] = std::make_unique<LaunchData>();
    LaunchData* const data = rows_[row.wave].get();
    if (row.lds != 0) {
        const size_t first = size_t{row.row} * CuPins::kLanes;
        for (unsigned i = 0; i < CuPins::kLanes; ++i) {
            if ((row.lanes >> i & 1) == 0)
                continue;
            data->lds.resize(std::max(data->lds.size(), first + i + 1));
            data->lds[first + i] = row.data[i];
        }
    } else if (row.row < LaunchData::kVgprs) {
        data->written |= 1u << row.row;
        for (unsigned i = 0; i < CuPins::kLanes; ++i)
            if ((row.lanes >> i & 1) != 0)
                data->vgpr[row.row][i] = row.data[i];
    }
}

void CuPinCore::offer_launch(const CuPins::Launch& pins) {
    const auto& rows = rows_[pins.wave];
    auto data = std::make_unique<LaunchData>(rows != nullptr ? *rows : LaunchData{});
    WaveLaunch launch;
    from_pins(pins, launch, *data);
    core_->launch_in.push_at(now_ - 1, now_, launch);
    offered_ = std::move(data);
}

// Puts on the core's channels what the pins bring.
void CuPinCore::apply(const In& in, const Out& out) {
    if (in.tiling_valid != 0)
        tiling_.send(now_ - 1, {in.tiling_index, in.tiling_value});
    if (in.init_valid != 0)
        take_row(in.init);
    if (in.launch_valid != 0)
        offer_launch(in.launch);
    const pins::ApplyInputs pass{now_, in, out};
    each_port(pass, *core_, CuPins::kRequests, CuPins::kRequests);
    each_other_port(pass, *core_);
    if (in.pause != 0)
        core_->pause();
    else
        core_->resume();
}

void CuPinCore::present(const In& in, Out& out) {
    const pins::PresentOutputs pass{now_, in, out};
    each_port(pass, *core_, CuPins::kRequests, CuPins::kRequests);
    each_other_port(pass, *core_);
    out.init_ready = in.init_valid;
    out.launch_ready = in.launch_valid != 0 && core_->launch_in.empty();
    if (out.launch_ready != 0) {
        given_[in.launch.wave] = std::move(offered_);
        rows_[in.launch.wave].reset();
    }
    if (out.done_valid == 0 || !retiring_)
        return;
    CuPins::Retire end;
    end.wave = out.done_wave;
    end.end = 1;
    add_beat(end);
    out.busy = 1;
}

// ---- retire ------------------------------------------------------------------------------------

void CuPinCore::retired(const RetiredWave& wave, const Retired& r) {
    if (!r.finished)
        return;  // the machine has stopped
    CuPins::Retire beat;
    beat.wave = wave_number(wave.launch.simd, wave.launch.slot);
    beat.pc = r.pc;
    beat.words = words_of(*r.decoded);
    beat.exec = r.exec;
    beat.vcc = r.vcc;
    beat.scc = r.scc;
    beat.m0 = r.m0;
    const size_t beats = std::max<size_t>({r.scalars.size(), r.vectors.size(), 1});
    for (size_t i = 0; i < beats; ++i) {
        CuPins::Retire b = beat;
        b.last = i + 1 == beats;
        if (i < r.scalars.size()) {
            b.scalar = 1;
            b.code = static_cast<uint8_t>(r.scalars[i].code);
            b.value = r.scalars[i].value;
        }
        if (i < r.vectors.size()) {
            b.vector = 1;
            b.vgpr = static_cast<uint8_t>(r.vectors[i].vgpr);
            b.lanes = r.vectors[i].lanes;
            const auto& row = r.values[r.vectors[i].row];
            for (unsigned lane = 0; lane < CuPins::kLanes; ++lane)
                b.data[lane] = (b.lanes >> lane & 1) != 0 ? row[lane] : 0;
        }
        add_beat(b);
    }
}

void CuPinCore::add_beat(const CuPins::Retire& beat) {
    beats_.push_back({steps_ + kRetireSteps, beat});
}

// `busy` says that more may follow when no wave is there: transfers that are held back, and the end
// of a wave, whose own transfer is the last to be left.
void CuPinCore::give_beat(Out& out) {
    if (beats_.empty())
        return;
    out.busy = 1;
    if (beats_.front().from > steps_)
        return;
    out.retire_valid = 1;
    out.retire = beats_.front().beat;
    beats_.pop_front();
}

}  // namespace archipelago::cu
