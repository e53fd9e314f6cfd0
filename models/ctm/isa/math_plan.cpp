// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/isa/math_plan.h"

#include <algorithm>

#include "models/ctm/isa/instruction.h"

namespace archipelago::ctm::isa {
namespace {

Kernel kernel_of(RgbOp op) {
    switch (op) {
        case RgbOp::Mad:
        case RgbOp::Mdh:
        case RgbOp::Mdv:
            return Kernel::Mad;
        case RgbOp::Dp3:
            return Kernel::Dp3;
        case RgbOp::Dp4:
            return Kernel::Dp4;
        case RgbOp::D2a:
            return Kernel::D2a;
        case RgbOp::Min:
            return Kernel::Min;
        case RgbOp::Max:
            return Kernel::Max;
        case RgbOp::Cnd:
            return Kernel::Cnd;
        case RgbOp::Cmp:
            return Kernel::Cmp;
        case RgbOp::Frc:
            return Kernel::Frc;
        case RgbOp::Sop:
            break;
    }
    return Kernel::Pass;
}
Kernel kernel_of(AlphaOp op) {
    switch (op) {
        case AlphaOp::Mad:
        case AlphaOp::Mdh:
        case AlphaOp::Mdv:
            return Kernel::Mad;
        case AlphaOp::Min:
            return Kernel::Min;
        case AlphaOp::Max:
            return Kernel::Max;
        case AlphaOp::Cnd:
            return Kernel::Cnd;
        case AlphaOp::Cmp:
            return Kernel::Cmp;
        case AlphaOp::Frc:
            return Kernel::Frc;
        default:
            return Kernel::Pass;
    }
}
unsigned operand_count(Kernel kernel) {
    switch (kernel) {
        case Kernel::Pass:
        case Kernel::Frc:
            return 1;
        case Kernel::Min:
        case Kernel::Max:
            return 2;
        default:
            return 3;
    }
}
Finish finish_of(const AluHalf& half) {
    if (half.output_modifier == OutputModifier::Disabled) {
        return Finish::Bits;
    }
    if (half.clamp) {
        return Finish::ScaleClamp;
    }
    return half.output_modifier == OutputModifier::U1 ? Finish::One : Finish::Scale;
}

// The quad's lanes that MDH and MDV take source 0 of.
constexpr uint8_t kTopLeft = 0, kTopRight = 1, kBottomLeft = 2;

class Planner {
  public:
    explicit Planner(Instruction& instruction)
        : instruction_(instruction), alu_(instruction.alu), plan_(instruction.alu.plan) {}
    void run();

  private:
    void find_wanted();
    const AluHalf& half_of(unsigned channel) const { return channel < 3 ? alu_.rgb : alu_.alpha; }
    void use(uint8_t value) { used_ |= 1u << value; }
    uint8_t made(MathPlan::Make make, uint8_t from, uint8_t modifier, uint8_t lane);
    uint8_t operand(unsigned which, unsigned channel);
    uint8_t of_quad(unsigned which, unsigned channel, uint8_t lane);
    void presubtract();
    void make_dot();
    void make_transcendental();
    void add_shared(uint8_t value, uint8_t channels);
    void add_result(unsigned channel);
    void find_sources();
    void add_source(unsigned select, const SourceAddress& address, unsigned channels);
    void find_places();
    void find_straight();
    uint16_t place_of(uint8_t value) const;
    bool read_later(unsigned result, unsigned channel) const;

    Instruction& instruction_;
    const Alu& alu_;
    MathPlan& plan_;
    unsigned wanted_ = 0;  // channels whose result something is written from
    uint32_t used_ = 0;    // sources
    uint8_t next_ = MathPlan::kMade;
};

void Planner::find_wanted() {
    plan_.temporaries = static_cast<uint8_t>(alu_.rgb.write_mask | alu_.alpha.write_mask << 3);
    plan_.outputs = static_cast<uint8_t>(alu_.rgb.output_mask | alu_.alpha.output_mask << 3);
    plan_.predicated = alu_.rgb.predicate != PredicateSelect::None ||
                       alu_.alpha.predicate != PredicateSelect::None;
    plan_.more = alu_.predicate_write != 0 || alu_.writes_alu_result || alu_.writes_conditional;
    wanted_ = plan_.temporaries | plan_.outputs | alu_.predicate_write;
    wanted_ |= alu_.writes_conditional ? 8u : 0u;
    if (alu_.writes_alu_result) {
        wanted_ |= alu_.alu_result_of_alpha ? 8u : 1u;
    }
}

// A value made by such a step, the one before where there is one.
uint8_t Planner::made(MathPlan::Make make, uint8_t from, uint8_t modifier, uint8_t lane) {
    for (unsigned i = 0; i < plan_.step_count; ++i) {
        const MathPlan::Step& s = plan_.steps[i];
        if (s.make == make && s.from == from && s.modifier == modifier && s.lane == lane) {
            return s.to;
        }
    }
    plan_.steps[plan_.step_count++] = {make, from, next_, modifier, lane};
    return next_++;
}

uint8_t Planner::operand(unsigned which, unsigned channel) {
    const Operand& o = half_of(channel).operand[which];
    const Swizzle swizzle = o.swizzle[channel % 3];
    uint8_t value;
    if (swizzle <= Swizzle::A) {
        value = static_cast<uint8_t>(4 * static_cast<unsigned>(o.select) +
                                     static_cast<unsigned>(swizzle));
        use(value);
    } else {
        value = static_cast<uint8_t>(MathPlan::kNumbers + static_cast<unsigned>(swizzle) -
                                     static_cast<unsigned>(Swizzle::Zero));
    }
    return o.modifier == InputModifier::None
               ? value
               : made(MathPlan::Make::Modify, value, static_cast<uint8_t>(o.modifier), 0);
}

// Source 0 of a lane of the quad, as A and C of MDH and MDV are.
uint8_t Planner::of_quad(unsigned which, unsigned channel, uint8_t lane) {
    const auto value = static_cast<uint8_t>(channel);
    use(value);
    return made(MathPlan::Make::Spread, value,
                static_cast<uint8_t>(half_of(channel).operand[which].modifier), lane);
}

void Planner::make_dot() {
    plan_.dot_kernel = kernel_of(alu_.rgb_op);
    const bool d2a = alu_.rgb_op == RgbOp::D2a;
    unsigned n = 0;
    for (unsigned c = 0; c < (d2a ? 2u : 3u); ++c) {
        plan_.dot[n++] = operand(0, c);
        plan_.dot[n++] = operand(1, c);
    }
    if (d2a) {
        plan_.dot[n] = operand(2, 2);
    } else if (alu_.rgb_op == RgbOp::Dp4) {
        plan_.dot[n++] = operand(0, 3);
        plan_.dot[n] = operand(1, 3);
    }
    const uint8_t value = made(MathPlan::Make::Dot, 0, 0, 0);
    if ((wanted_ & 7) != 0) {
        add_shared(value, wanted_ & 7);
    }
    if (alu_.alpha_op == AlphaOp::Dp && (wanted_ & 8) != 0) {
        add_shared(value, 8);
    }
}

void Planner::make_transcendental() {
    const uint8_t value =
        made(MathPlan::Make::Transcendental, operand(0, 3), static_cast<uint8_t>(alu_.alpha_op), 0);
    if (alu_.rgb_op == RgbOp::Sop && (wanted_ & 7) != 0) {
        add_shared(value, wanted_ & 7);
    }
    if ((wanted_ & 8) != 0) {
        add_shared(value, 8);
    }
}

// One result for the channels of a half.
void Planner::add_shared(uint8_t value, uint8_t channels) {
    const AluHalf& half = half_of(channels == 8 ? 3 : 0);
    MathPlan::Result r;
    r.channels = channels;
    r.channel = static_cast<uint8_t>(__builtin_ctz(channels));
    r.finish = finish_of(half);
    r.factor = static_cast<uint8_t>(half.output_modifier);
    r.from[0] = value;
    plan_.results[plan_.result_count++] = r;
    wanted_ &= ~static_cast<unsigned>(channels);
}

void Planner::add_result(unsigned channel) {
    MathPlan::Result r;
    r.channels = static_cast<uint8_t>(1u << channel);
    r.channel = static_cast<uint8_t>(channel);
    r.kernel = channel < 3 ? kernel_of(alu_.rgb_op) : kernel_of(alu_.alpha_op);
    const AluHalf& half = half_of(channel);
    r.finish = finish_of(half);
    r.factor = static_cast<uint8_t>(half.output_modifier);
    const bool horizontal = channel < 3 ? alu_.rgb_op == RgbOp::Mdh : alu_.alpha_op == AlphaOp::Mdh;
    const bool vertical = channel < 3 ? alu_.rgb_op == RgbOp::Mdv : alu_.alpha_op == AlphaOp::Mdv;
    if (horizontal || vertical) {
        r.from = {of_quad(0, channel, kTopLeft), operand(1, channel),
                  of_quad(2, channel, horizontal ? kTopRight : kBottomLeft)};
    } else {
        for (unsigned which = 0; which < operand_count(r.kernel); ++which) {
            r.from[which] = operand(which, channel);
        }
    }
    plan_.results[plan_.result_count++] = r;
}

// Presubtracted sources come first: the later steps read them.
void Planner::presubtract() {
    constexpr unsigned kSource1 = 4, kPresubtracted = 12;
    std::array<MathPlan::Step, 4> steps{};
    unsigned count = 0;
    for (unsigned c = 0; c < 4; ++c) {
        if ((used_ >> (kPresubtracted + c) & 1) == 0) {
            continue;
        }
        const Presubtract operation = half_of(c).presubtract;
        const auto value = static_cast<uint8_t>(c);
        use(value);
        if (operation == Presubtract::Sub || operation == Presubtract::Add) {
            use(static_cast<uint8_t>(kSource1 + c));
        }
        steps[count++] = {MathPlan::Make::Presubtract, value,
                          static_cast<uint8_t>(kPresubtracted + c), static_cast<uint8_t>(operation),
                          0};
    }
    const auto end = plan_.steps.begin() + plan_.step_count;
    std::move_backward(plan_.steps.begin(), end, end + count);
    std::copy_n(steps.begin(), count, plan_.steps.begin());
    plan_.step_count = static_cast<uint8_t>(plan_.step_count + count);
}

void Planner::add_source(unsigned select, const SourceAddress& address, unsigned channels) {
    MathPlan::Source source;
    source.kind = address.kind;
    source.first = static_cast<uint8_t>(4 * select);
    source.channels = static_cast<uint8_t>(channels);
    source.index = address.index;
    source.relative = address.relative;
    source.number = address.value;
    if (address.kind == SourceAddress::Kind::Temporary) {
        instruction_.names_temporary(address.index, address.relative);
    } else if (address.kind == SourceAddress::Kind::Constant) {
        plan_.relative_constants |= address.relative;
        const auto end = plan_.constants.begin() + plan_.constant_count;
        const auto at = std::find(plan_.constants.begin(), end, address.index);
        source.slot = static_cast<uint8_t>(at - plan_.constants.begin());
        if (at == end) {
            plan_.constants[plan_.constant_count++] = address.index;
        }
    }
    plan_.sources[plan_.source_count++] = source;
}

void Planner::find_sources() {
    for (unsigned select = 0; select < 3; ++select) {
        const unsigned channels = used_ >> (4 * select) & 0xf;
        const SourceAddress& rgb = alu_.rgb.source[select];
        const SourceAddress& alpha = alu_.alpha.source[select];
        const bool same =
            rgb.kind == alpha.kind && rgb.index == alpha.index && rgb.relative == alpha.relative;
        if (channels > 8 && same) {
            add_source(select, rgb, channels);
            continue;
        }
        if ((channels & 7) != 0) {
            add_source(select, rgb, channels & 7);
        }
        if ((channels & 8) != 0) {
            add_source(select, alpha, 8);
        }
    }
}

// Whether a result that is computed later reads the register of this one's channel, or one that
// moves with aL. The result itself may: it reads a lane before it writes it.
bool Planner::read_later(unsigned result, unsigned channel) const {
    for (unsigned later = result + 1; later < plan_.result_count; ++later) {
        for (const uint8_t value : plan_.results[later].from) {
            if (value < 12 && value % 4 == channel) {
                const SourceAddress& source = half_of(channel).source[value / 4];
                if (source.kind == SourceAddress::Kind::Temporary &&
                    (source.relative || source.index == half_of(channel).destination)) {
                    return true;
                }
            }
        }
    }
    return false;
}

void Planner::find_places() {
    for (unsigned i = 0; i < plan_.result_count; ++i) {
        MathPlan::Result& r = plan_.results[i];
        for (unsigned c = 0; c < 4; ++c) {
            if (r.channels == 1u << c) {
                r.in_place = (plan_.temporaries & r.channels) != 0 &&
                             !half_of(c).destination_relative && !read_later(i, c);
            }
        }
    }
}

uint16_t Planner::place_of(uint8_t value) const {
    if (value < 12) {
        const SourceAddress& source = half_of(value % 4).source[value / 4];
        if (source.kind == SourceAddress::Kind::Temporary) {
            return static_cast<uint16_t>(4 * source.index + value % 4);
        }
    }
    return static_cast<uint16_t>(MathPlan::kPlaces + value);
}

void Planner::find_straight() {
    plan_.straight =
        plan_.step_count == 0 && plan_.outputs == 0 && !plan_.more && !plan_.predicated;
    for (unsigned i = 0; i < plan_.source_count; ++i) {
        plan_.straight &= !plan_.sources[i].relative;
    }
    for (unsigned i = 0; i < plan_.result_count; ++i) {
        MathPlan::Result& r = plan_.results[i];
        plan_.straight &= r.in_place;
        r.destination = static_cast<uint16_t>(4 * half_of(r.channel).destination + r.channel);
        for (unsigned which = 0; which < r.from.size(); ++which) {
            r.place[which] = place_of(r.from[which]);
        }
    }
}

void Planner::run() {
    find_wanted();
    const bool dot = is_dot(alu_.rgb_op) &&
                     ((wanted_ & 7) != 0 || (alu_.alpha_op == AlphaOp::Dp && (wanted_ & 8) != 0));
    if (dot) {
        make_dot();
    }
    if (is_transcendental(alu_.alpha_op) &&
        ((wanted_ & 8) != 0 || (alu_.rgb_op == RgbOp::Sop && (wanted_ & 7) != 0))) {
        make_transcendental();
    }
    for (unsigned c = 0; c < 4; ++c) {
        if ((wanted_ >> c & 1) != 0) {
            add_result(c);
        }
    }
    presubtract();
    find_sources();
    find_places();
    find_straight();
}

}  // namespace

void plan_math(Instruction& instruction) {
    Planner(instruction).run();
}

}  // namespace archipelago::ctm::isa
