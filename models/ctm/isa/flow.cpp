// SPDX-License-Identifier: Apache-2.0
// FC: who jumps, branch counters, the loop and address stacks. A lane that is off waits either for
// its branch (its counter says how many levels out) or for a loop that it has left.
#include "models/ctm/isa/step.h"

namespace archipelago::ctm::isa {
namespace {

struct Depths {
    unsigned branch, loop, address;
};
constexpr Depths kFull{32, 4, 4}, kPartial{4, 1, 1};

class FlowStep {
  public:
    FlowStep(const Instruction& instruction, const ProgramMode& mode,
             const ConstantValues& constants, Thread& thread)
        : instruction_(instruction),
          flow_(instruction.flow),
          depths_(mode.full_flow_control ? kFull : kPartial),
          constants_(constants),
          thread_(thread) {}
    void run();

  private:
    LaneMask wanting() const;
    LaneMask branch_inactive() const;
    LaneMask considered(LaneMask lanes) const {
        return flow_.ignores_uncovered ? lanes & thread_.covered : lanes;
    }
    bool decided() const;
    bool decide();
    bool enter_loop();
    bool end_iteration();
    bool leave_loop();
    bool leave_iteration();
    void pop_loop();
    LoopStackEntry& innermost();
    void switch_branches();
    void change_counters(bool jump);
    void increment_counters(LaneMask disagreeing);
    void decrement_counters();
    void go(bool jump);

    const Instruction& instruction_;
    const FlowControl& flow_;
    const Depths depths_;
    const ConstantValues& constants_;
    Thread& thread_;
    LaneMask wants_ = 0;
};

LaneMask FlowStep::wanting() const {
    const LaneMask predicate = predicate_lanes(instruction_.alu.rgb, thread_, 0);
    LaneMask lanes = 0;
    for (unsigned entry = 0; entry < 8; ++entry) {
        if ((flow_.jump_function >> entry & 1) != 0 && ((entry & 1) != 0) == constants_.boolean) {
            lanes |= ((entry & 4) != 0 ? thread_.alu_result : ~thread_.alu_result) &
                     ((entry & 2) != 0 ? predicate : ~predicate);
        }
    }
    // Where the boolean does not matter needs() has not asked for it, and either entry serves.
    return lanes & all_lanes(thread_);
}

LaneMask FlowStep::branch_inactive() const {
    LaneMask off = all_lanes(thread_) & ~thread_.active;
    for (const LoopStackEntry& loop : thread_.loop_stack) {
        off &= ~(loop.broken | loop.continued);
    }
    return off;
}

bool FlowStep::decided() const {
    const LaneMask lanes = considered(thread_.active);
    return flow_.jump_any ? (lanes & wants_) != 0 : (lanes & ~wants_) == 0;
}

LoopStackEntry& FlowStep::innermost() {
    if (thread_.loop_stack.empty()) {
        refuse(instruction_, thread_, "underflow of the loop stack");
    }
    return thread_.loop_stack.back();
}

bool FlowStep::enter_loop() {
    const unsigned iterations = constants_.integer[0];
    if (iterations == 0 || decided()) {
        return true;
    }
    if (thread_.loop_stack.size() == depths_.loop) {
        refuse(instruction_, thread_,
               "overflow of the loop stack: it holds " + std::to_string(depths_.loop));
    }
    thread_.loop_stack.push_back(
        {static_cast<uint16_t>(iterations), thread_.al, thread_.active, 0, 0});
    if (flow_.op == FlowOp::Loop) {
        thread_.al = constants_.integer[1];
    }
    return false;
}

void FlowStep::pop_loop() {
    const LoopStackEntry& loop = thread_.loop_stack.back();
    thread_.active |= loop.broken | loop.continued;
    thread_.al = loop.al;
    thread_.loop_stack.pop_back();
}

bool FlowStep::end_iteration() {
    LoopStackEntry& loop = innermost();
    thread_.active |= loop.continued;
    loop.continued = 0;
    --loop.iterations_left;
    if (loop.iterations_left == 0 || !decided()) {
        pop_loop();
        return false;
    }
    if (flow_.op == FlowOp::EndLoop) {
        thread_.al = static_cast<int16_t>(thread_.al + static_cast<int8_t>(constants_.integer[2]));
    }
    return true;
}

bool FlowStep::leave_loop() {
    LoopStackEntry& loop = innermost();
    loop.broken |= thread_.active & wants_;
    thread_.active &= ~wants_;
    if (considered(loop.active & ~loop.broken) != 0) {
        return false;
    }
    pop_loop();
    return true;
}

bool FlowStep::leave_iteration() {
    LoopStackEntry& loop = innermost();
    loop.continued |= thread_.active & wants_;
    thread_.active &= ~wants_;
    return considered(loop.active & ~loop.broken & ~loop.continued) == 0;
}

bool FlowStep::decide() {
    switch (flow_.op) {
        case FlowOp::Loop:
        case FlowOp::Rep:
            return enter_loop();
        case FlowOp::EndLoop:
        case FlowOp::EndRep:
            return end_iteration();
        case FlowOp::BreakLoop:
        case FlowOp::BreakRep:
            return leave_loop();
        case FlowOp::Continue:
            return leave_iteration();
        case FlowOp::Jump:
            break;
    }
    return decided();
}

// B_ELSE: lanes that the innermost branch turned off change places with those that are on.
void FlowStep::switch_branches() {
    const LaneMask off = branch_inactive();
    LaneMask innermost = 0;
    for (unsigned l = 0; l < thread_.lanes(); ++l) {
        if ((off >> l & 1) != 0 && thread_.branch_counter[l] == 0) {
            innermost |= LaneMask{1} << l;
        } else if ((thread_.active >> l & 1) != 0) {
            thread_.branch_counter[l] = 0;
        }
    }
    thread_.active = innermost;
}

void FlowStep::increment_counters(LaneMask disagreeing) {
    const LaneMask off = branch_inactive();
    for (unsigned l = 0; l < thread_.lanes(); ++l) {
        uint8_t& counter = thread_.branch_counter[l];
        if ((disagreeing >> l & 1) != 0) {
            counter = 0;
        } else if ((off >> l & 1) != 0 && ++counter == depths_.branch) {
            refuse(instruction_, thread_,
                   "overflow of the branch counters: they count " + std::to_string(depths_.branch) +
                       " levels");
        }
    }
    thread_.active &= ~disagreeing;
}

void FlowStep::decrement_counters() {
    const LaneMask off = branch_inactive();
    for (unsigned l = 0; l < thread_.lanes(); ++l) {
        if ((off >> l & 1) == 0) {
            continue;
        }
        uint8_t& counter = thread_.branch_counter[l];
        if (counter < flow_.branch_pop_count) {
            counter = 0;
            thread_.active |= LaneMask{1} << l;
        } else {
            counter = static_cast<uint8_t>(counter - flow_.branch_pop_count);
        }
    }
}

void FlowStep::change_counters(bool jump) {
    switch (jump ? flow_.if_jump : flow_.if_stay) {
        case BranchOp::None:
            break;
        case BranchOp::Decrement:
            decrement_counters();
            break;
        case BranchOp::Increment:
            increment_counters(thread_.active & (jump ? ~wants_ : wants_));
            break;
    }
}

void FlowStep::go(bool jump) {
    if (!jump) {
        advance(instruction_, thread_);
        return;
    }
    uint16_t target = flow_.jump_address;
    std::vector<AddressStackEntry>& stack = thread_.address_stack;
    if (flow_.address_op == AddressStackOp::Pop) {
        if (stack.empty()) {
            refuse(instruction_, thread_, "underflow of the address stack");
        }
        target = stack.back().pc;
        stack.pop_back();
    } else if (flow_.address_op == AddressStackOp::Push) {
        if (stack.size() == depths_.address) {
            refuse(instruction_, thread_,
                   "overflow of the address stack: it holds " + std::to_string(depths_.address));
        }
        stack.push_back({static_cast<uint16_t>(thread_.pc + 1)});
    }
    thread_.pc = target;
}

void FlowStep::run() {
    if (flow_.branch_else) {
        switch_branches();
    }
    wants_ = wanting();
    const bool jump = decide();
    change_counters(jump);
    go(jump);
    thread_.alu_result = 0;  // it serves one flow control instruction
}

}  // namespace

void execute_flow(const Instruction& instruction, const ProgramMode& mode,
                  const ConstantValues& constants, Thread& thread) {
    FlowStep(instruction, mode, constants, thread).run();
}

}  // namespace archipelago::ctm::isa
