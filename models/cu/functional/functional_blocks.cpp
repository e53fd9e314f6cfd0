// SPDX-License-Identifier: Apache-2.0
// Functional mode's inner loop: decoded blocks, one after the other.
#include "models/cu/functional/functional_cu.h"

namespace archipelago::cu {
namespace {

bool holds(Block::Condition condition, const isa::WaveState& regs) {
    switch (condition) {
        case Block::Condition::Always:
            return true;
        case Block::Condition::Scc0:
            return !regs.scc;
        case Block::Condition::Scc1:
            return regs.scc;
        case Block::Condition::Vccz:
            return regs.vcc() == 0;
        case Block::Condition::Vccnz:
            return regs.vcc() != 0;
        case Block::Condition::Execz:
            return regs.exec() == 0;
        case Block::Condition::Execnz:
            return regs.exec() != 0;
    }
    return false;
}

// Whether the block has instructions, not more than are left of the turn, and the wave their
// registers.
[[gnu::always_inline]] inline bool may_run(const Block& block, uint64_t left,
                                           const isa::WaveState& regs) {
    return block.instructions != 0 && block.instructions <= left && block.vgprs <= regs.num_vgprs &&
           block.sgprs <= regs.num_sgprs;
}

}  // namespace

void FunctionalCu::execute(Run& run, const Block& block) {
    isa::WaveState& regs = run.wave.regs;
    const auto pc_of = [&run](const BlockOp& op) {
        return run.base + 4u * (op.next - uint64_t{op.decoded->dwords});
    };
    for (const BlockOp& op : block.ops) {
        switch (op.kind) {
            case BlockOp::Kind::Execute:
                op.exec(op.decoded->inst, regs);
                break;
            case BlockOp::Kind::ExecutePc:
                regs.pc = run.base + 4u * uint64_t{op.next};
                op.exec(op.decoded->inst, regs);
                break;
            case BlockOp::Kind::Lanes:
                run.lanes += uint64_t{op.count} * lane_count(regs.exec());
                break;
            case BlockOp::Kind::ScalarLoad:
                if (scalar_load(regs, op))
                    break;
                [[fallthrough]];
            case BlockOp::Kind::ScalarMem:
                scalar_mem(run.wave, pc_of(op), *op.decoded,
                           clock_ + (run.turn - run.left - block.instructions) + op.before);
                break;
            case BlockOp::Kind::VectorAccess:
                if (vector_access(regs, op, run.work))
                    break;
                [[fallthrough]];
            case BlockOp::Kind::VectorMem:
                vector_mem(run.wave, pc_of(op), *op.decoded, run.work);
                break;
            case BlockOp::Kind::LdsAccess:
                if (lds_access(regs, op, block.lds[op.count]))
                    break;
                [[fallthrough]];
            case BlockOp::Kind::Lds:
                lds(run.wave, *op.decoded);
                break;
            case BlockOp::Kind::SetPriority:
                regs.priority = op.decoded->inst.simm16 & 3;
                break;
        }
    }
}

// The block that starts at run.at, which is in the page.
[[gnu::always_inline]] inline Block* FunctionalCu::block_at(const Run& run) {
    Block* const known = run.page->blocks[run.at];
    return known != nullptr ? known : code_.build(*run.page, run.at);
}

// The block that run goes on with, regardless of where it is.
Block* FunctionalCu::enter(Run& run) {
    if (run.at >= CodeCache::kPageDwords)
        go(run, run.pc());
    return block_at(run);
}

// All of the block but what its ending does.
[[gnu::always_inline]] inline void FunctionalCu::run_block(Run& run, const Block& block) {
    if (ports_.accesses != nullptr)
        ports_.accesses->fetched(run.pc(), run.base + 4 * uint64_t{block.end},
                                 run.wave.launch->vmid);
    run.left -= block.instructions;
    for (size_t c = 0; c < run.executed.size(); ++c)
        run.executed[c] += block.classes[c];
    execute(run, block);
    run.at = block.end;
}

// The block that its jump leads to.
[[gnu::always_inline]] inline Block* FunctionalCu::jump(Run& run, Block& block) {
    // A branch to the next instruction does not count as taken.
    run.work.branches_taken += block.target != block.end ? 1 : 0;
    if (block.taken != nullptr) {
        run.at = static_cast<unsigned>(block.target);
        return block.taken;
    }
    if (block.target >= 0 && block.target < static_cast<int32_t>(CodeCache::kPageDwords)) {
        run.at = static_cast<unsigned>(block.target);
        return block.taken = block_at(run);
    }
    go(run, static_cast<uint64_t>(static_cast<int64_t>(run.base) + int64_t{block.target} * 4));
    return enter(run);
}

// The block after it.
[[gnu::always_inline]] inline Block* FunctionalCu::fall(Run& run, Block& block) {
    if (block.fall != nullptr)
        return block.fall;
    if (run.at >= CodeCache::kPageDwords)
        return enter(run);
    return block.fall = block_at(run);
}

// The branch, whose target is computed. False: it goes on after itself.
[[gnu::always_inline]] inline bool FunctionalCu::takes_branch(Run& run, const Decoded& d) {
    isa::WaveState& regs = run.wave.regs;
    const uint64_t next = run.pc();
    regs.pc = next;
    d.inst.exec(d.inst, regs);
    if (regs.pc == next)
        return false;
    branch(run, d, next - 4u * d.dwords);
    return true;
}

// False: there is no other wave to wait for.
[[gnu::always_inline]] inline bool FunctionalCu::waits_at_barrier(Run& run) {
    ++run.work.barriers;
    if (waves_.size() <= 1)
        return false;
    run.wave.regs.pc = run.pc();
    run.wave.status = Status::AtBarrier;
    leave(run);
    return true;
}

FunctionalCu::After FunctionalCu::run_blocks(Run& run) {
    const isa::WaveState& regs = run.wave.regs;
    Block* block = enter(run);
    while (may_run(*block, run.left, regs)) {
        run_block(run, *block);
        if (block->ending == Block::End::Jump && holds(block->condition, regs))
            block = jump(run, *block);
        else if (block->ending == Block::End::Branch && takes_branch(run, *block->last))
            block = enter(run);
        else if (block->ending == Block::End::Barrier && waits_at_barrier(run))
            return After::Left;
        else
            block = fall(run, *block);
    }
    return After::Step;
}

}  // namespace archipelago::cu
