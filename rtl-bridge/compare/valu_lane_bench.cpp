// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of one lane of the vector ALU.
#include <array>
#include <cstdio>

#include "models/asic/chip_options.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/lane/lane_unit.h"
#include "models/cu/lane/valu_lane_core.h"
#include "pins/valu_lane_pins.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/numbers.h"
#include "rtl-bridge/compare/pipe_stimulus.h"

namespace archipelago::rtl {
namespace {

using Operation = ValuLanePins::Operation;
using In = ValuLanePins::In;
using Out = ValuLanePins::Out;

class ValuLaneRecording : public RecordingOf<Operation>, public cu::ValuUnit {
  public:
    using RecordingOf::RecordingOf;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<cu::ValuUnit>(*this);
    }
    bool execute(const isa::Inst& inst, isa::WaveState& wave) override {
        operations_.clear();
        cu::lane_operations(inst, wave, operations_);
        for (const Operation& operation : operations_)
            add(operation);
        return false;
    }

  private:
    std::vector<Operation> operations_;  // of one instruction
};

class ValuLaneStimulus final : public PipeStimulus<ValuLanePins, Operation> {
  public:
    explicit ValuLaneStimulus(const CosimOptions& options)
        : PipeStimulus(options, cu::ValuLaneState::kStages) {
        std::vector<std::string> ops;
        index_.fill(0);
        for (const uint16_t op : cu::valu_lane_opcodes()) {
            index_[op] = ops.size();
            ops.emplace_back(isa::op_info(isa::op_from_number(isa::Format::Vop3, op)).name);
        }
        std::vector<std::string> pairs;
        for (const std::string& op : ops)
            for (const char* a : kClassNames)
                for (const char* b : kClassNames)
                    pairs.push_back(op + " of " + a + " and " + b);
        ops.emplace_back("unknown opcode");
        opcode_ = bins_.add_group("opcode", ops);
        classes_ = bins_.add_group("opcode by sources", pairs);
        std::vector<std::string> modes;
        for (unsigned m = 0; m < 64; ++m)
            modes.push_back("round " + std::to_string(m & 3) + " denormals " +
                            std::to_string(m >> 2 & 3) + " dx10 " + std::to_string(m >> 4 & 1) +
                            " ieee " + std::to_string(m >> 5));
        mode_ = bins_.add_group("mode", modes);
        std::vector<std::string> modifiers;
        for (unsigned m = 0; m < 512; ++m) {
            char text[48];
            std::snprintf(text, sizeof text, "neg %u abs %u omod %u clamp %u", m & 7, m >> 3 & 7,
                          m >> 6 & 3, m >> 8);
            modifiers.emplace_back(text);
        }
        modifier_ = bins_.add_group("modifiers", modifiers);
    }

  private:
    void choose(Operation& o) override {
        const std::vector<uint16_t>& ops = cu::valu_lane_opcodes();
        if (random_.one_in(64)) {
            o.op = static_cast<uint16_t>(random_.below(512));
        } else if (random_.one_in(4)) {  // the arithmetic has most to get wrong
            static constexpr uint16_t kArithmetic[] = {259, 260, 261, 262, 263, 264,
                                                       287, 320, 321, 271, 272, 343};
            o.op = random_.pick(kArithmetic);
        } else {
            o.op = ops[random_.below(static_cast<uint32_t>(ops.size()))];
        }
        const uint32_t how = random_.below(4);
        if (how == 0) {
            numbers_.related(o.a, o.b, o.c);
        } else {
            for (uint32_t* x : {&o.a, &o.b, &o.c})
                *x = how == 1 ? numbers_.integer()
                              : numbers_.of_class(random_.below(kNumberClasses));
            if (random_.one_in(8))
                o.b = o.a;
        }
        o.carry = static_cast<uint8_t>(random_.below(2));
        const bool plain = random_.percent(30);
        o.neg = plain ? 0 : static_cast<uint8_t>(random_.below(8));
        o.abs = plain ? 0 : static_cast<uint8_t>(random_.below(8));
        o.omod = plain ? 0 : static_cast<uint8_t>(random_.below(4));
        o.clamp = plain ? 0 : static_cast<uint8_t>(random_.below(2));
        o.round = static_cast<uint8_t>(random_.below(4));
        o.denorm = static_cast<uint8_t>(random_.below(4));
        o.dx10 = static_cast<uint8_t>(random_.below(2));
        o.ieee = static_cast<uint8_t>(random_.below(2));
    }

    void disturb(Operation& o) override {
        o.op = static_cast<uint16_t>(random_.below(512));
        o.a = random_.word();
        o.b = random_.word();
        o.c = random_.word();
        o.omod = static_cast<uint8_t>(random_.below(4));
    }
    void count_message(const Operation& o) override {
        const size_t known = cu::valu_lane_opcodes().size();
        if (cu::valu_lane_has(o.op)) {
            const size_t index = index_[o.op];
            bins_.hit(opcode_, index);
            bins_.hit(classes_,
                      (index * kNumberClasses + class_of(o.a)) * kNumberClasses + class_of(o.b));
        } else {
            bins_.hit(opcode_, known);
        }
        bins_.hit(mode_, o.round | o.denorm << 2 | o.dx10 << 4 | o.ieee << 5);
        bins_.hit(modifier_, o.neg | o.abs << 3 | o.omod << 6 | o.clamp << 8);
    }

    Numbers numbers_{random_};
    size_t opcode_ = 0, classes_ = 0, mode_ = 0, modifier_ = 0;
    std::array<size_t, 512> index_{};
};

struct Parts {
    using Pins = ValuLanePins;
    using Core = cu::ValuLaneCore;
    using Stimulus = ValuLaneStimulus;
    using Recording = ValuLaneRecording;
    using Unit = cu::LaneUnit;
    static constexpr const char* kDescription = "one lane of the vector ALU";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<cu::ValuUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
