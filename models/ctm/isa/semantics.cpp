// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/isa/semantics.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/ctm/isa/step.h"

namespace archipelago::ctm::isa {
namespace {

uint32_t read_mxcsr() {
    uint32_t value;
    __asm__ volatile("stmxcsr %0" : "=m"(value) : : "memory");
    return value;
}
void write_mxcsr(uint32_t value) {
    __asm__ volatile("ldmxcsr %0" : : "m"(value) : "memory");
}

// No exception traps, round to nearest, denormals zero going in and coming out.
constexpr uint32_t kFlushing = 0x9fc0;

void add_constant(ConstantNeeds& n, unsigned index) {
    const auto end = n.floats.begin() + n.float_count;
    if (std::find(n.floats.begin(), end, index) == end) {
        n.floats[n.float_count++] = static_cast<uint8_t>(index);
    }
}

void need_floats(const Instruction& instruction, const Thread& thread, ConstantNeeds& n) {
    const Alu& alu = instruction.alu;
    if (!alu.plan.relative_constants) {
        n.floats = alu.plan.constants;
        n.float_count = alu.plan.constant_count;
        return;
    }
    for (unsigned i = 0; i < alu.plan.source_count; ++i) {
        const MathPlan::Source& source = alu.plan.sources[i];
        if (source.kind == MathPlan::Source::Kind::Constant) {
            add_constant(n, constant_index(instruction, thread, source.index, source.relative));
        }
    }
}

void need_flow(const FlowControl& flow, ConstantNeeds& n) {
    // Entries of the truth table in which the boolean decides.
    n.boolean = ((flow.jump_function ^ flow.jump_function >> 1) & 0x55) != 0;
    n.boolean_index = flow.boolean;
    n.integer = flow.op == FlowOp::Loop || flow.op == FlowOp::Rep || flow.op == FlowOp::EndLoop;
    n.integer_index = flow.integer;
}

}  // namespace

// FloatModes of this host thread that are alive. Constant-initialised: no wrapper is called.
__thread unsigned float_modes __attribute__((tls_model("initial-exec"))) = 0;

FloatMode::FloatMode() : saved_(0) {
    if (float_modes++ == 0) {
        saved_ = read_mxcsr();
        write_mxcsr(kFlushing);
    }
}
FloatMode::~FloatMode() {
    if (--float_modes == 0) {
        write_mxcsr(saved_);
    }
}

std::string place(const Instruction& instruction, const Thread& thread) {
    const Point& at = thread.origin[0];
    return "thread at (" + std::to_string(at.x) + ", " + std::to_string(at.y) + "), pc " +
           std::to_string(thread.pc) + ", " + to_string(instruction.type);
}

void refuse(const Instruction& instruction, const Thread& thread, const std::string& why) {
    throw MachineStop(StopKind::BadInput, place(instruction, thread), why);
}

LaneMask predicate_lanes(const AluHalf& half, const Thread& thread, unsigned channel) {
    unsigned bit = channel;
    switch (half.predicate) {
        case PredicateSelect::None:
            return all_lanes(thread);
        case PredicateSelect::Rgba:
            break;
        default:
            bit = static_cast<unsigned>(half.predicate) -
                  static_cast<unsigned>(PredicateSelect::Rrrr);
    }
    const LaneMask set = thread.predicate[bit];
    return (half.predicate_inverted ? ~set : set) & all_lanes(thread);
}

LaneMask enabled_lanes(const Instruction& instruction, const Thread& thread, unsigned channel) {
    const LaneMask lanes = instruction.write_inactive ? all_lanes(thread) : thread.active;
    const Alu& alu = instruction.alu;
    return lanes & predicate_lanes(channel < 3 ? alu.rgb : alu.alpha, thread, channel);
}

unsigned relative_index(const Instruction& instruction, const Thread& thread, unsigned index,
                        unsigned count, const char* what) {
    const int at = static_cast<int>(index) + thread.al;
    if (at < 0 || at >= static_cast<int>(count)) {
        refuse(instruction, thread,
               std::string(what) + " " + std::to_string(index) + " + aL is " + std::to_string(at) +
                   ", outside 0 to " + std::to_string(count - 1));
    }
    return static_cast<unsigned>(at);
}

void advance(const Instruction& instruction, Thread& thread) {
    const LaneMask unfinished = thread.covered & ~thread.active;
    if (instruction.type == Type::Out && instruction.last && unfinished == 0) {
        thread.ended = true;
    } else if (thread.pc + 1u >= kMaxInstructions) {
        refuse(instruction, thread,
               "the program runs past its 512 instructions without a final OUT with LAST");
    }
    ++thread.pc;
}

ConstantNeeds needs(const Instruction& instruction, const Thread& thread) {
    ConstantNeeds n;
    if (instruction.type == Type::Alu || instruction.type == Type::Out) {
        need_floats(instruction, thread, n);
    } else if (instruction.type == Type::FlowControl) {
        need_flow(instruction.flow, n);
    }
    return n;
}

void start(Thread& thread, const Program& program) {
    thread.active = all_lanes(thread);
    thread.pc = 0;
    thread.ended = false;
    thread.temporaries.assign(std::max(program.temporaries, 1u), Register{});
    Register& r0 = thread.temporaries[0];
    for (unsigned l = 0; l < thread.lanes(); ++l) {
        const Point at = thread.index_of(l);
        r0[0].lane[l] = at.x;
        r0[1].lane[l] = at.y;
    }
    thread.predicate = {};
    thread.alu_result = 0;
    thread.al = 0;
    thread.branch_counter = {};
    thread.address_stack.clear();
    thread.loop_stack.clear();
    thread.output_written = {};
}

void execute(const Instruction& instruction, const ProgramMode& mode,
             const ConstantValues& constants, Thread& thread, Effects& effects) {
    effects.uncached.clear();
    effects.acquires_semaphore = false;
    if (!instruction.error.empty()) {
        refuse(instruction, thread, instruction.error);
    }
    switch (instruction.type) {
        case Type::Alu:
        case Type::Out:
            execute_math(instruction, mode, constants, thread, effects);
            break;
        case Type::FlowControl:
            execute_flow(instruction, mode, constants, thread);
            return;
        case Type::Texture:
            if (is_lookup(instruction)) {
                throw MachineStop(StopKind::Internal, place(instruction, thread),
                                  "a lookup is texture_request() and texture_return()");
            }
            kill(instruction, thread);  // or nothing
            break;
    }
    advance(instruction, thread);
}

LaneMask writing_lanes(const Thread& thread) {
    return thread.covered & all_lanes(thread);
}

}  // namespace archipelago::ctm::isa
