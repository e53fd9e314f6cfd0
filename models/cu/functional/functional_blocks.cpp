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

FunctionalCu::After FunctionalCu::run_blocks(Run& run) {
    isa::WaveState& regs = run.wave.regs;
    Block* block = nullptr;
    for (;;) {
        if (block == nullptr) {
            if (run.at >= CodeCache::kPageDwords)
                go(run, run.pc());
            block = run.page->blocks[run.at];
            if (block == nullptr)
                block = code_.build(*run.page, run.at);
        }
        if (block->instructions == 0 || block->instructions > run.left ||
            block->vgprs > regs.num_vgprs || block->sgprs > regs.num_sgprs) {
            return After::Step;
        }
        if (ports_.accesses != nullptr)
            ports_.accesses->fetched(run.pc(), run.base + 4 * uint64_t{block->end},
                                     run.wave.launch->vmid);
        run.left -= block->instructions;
        for (size_t c = 0; c < run.executed.size(); ++c)
            run.executed[c] += block->classes[c];
        execute(run, *block);
        run.at = block->end;
        switch (block->ending) {
            case Block::End::Fall:
                break;
            case Block::End::Jump: {
                if (!holds(block->condition, regs))
                    break;
                // A branch to the next instruction does not count as taken.
                run.work.branches_taken += block->target != block->end ? 1 : 0;
                if (block->taken != nullptr) {
                    run.at = static_cast<unsigned>(block->target);
                    block = block->taken;
                    continue;
                }
                const auto target = static_cast<uint64_t>(static_cast<int64_t>(run.base) +
                                                          int64_t{block->target} * 4);
                if (block->target >= 0 &&
                    block->target < static_cast<int32_t>(CodeCache::kPageDwords)) {
                    run.at = static_cast<unsigned>(block->target);
                    Block* next = run.page->blocks[run.at];
                    if (next == nullptr)
                        next = code_.build(*run.page, run.at);
                    block = block->taken = next;
                    continue;
                }
                go(run, target);
                block = nullptr;
                continue;
            }
            case Block::End::Branch: {
                const Decoded& d = *block->last;
                const uint64_t next = run.pc();
                regs.pc = next;
                d.inst.exec(d.inst, regs);
                if (regs.pc != next) {
                    branch(run, d, next - 4u * d.dwords);
                    block = nullptr;
                    continue;
                }
                break;
            }
            case Block::End::Barrier:
                ++run.work.barriers;
                if (waves_.size() > 1) {
                    regs.pc = run.pc();
                    run.wave.status = Status::AtBarrier;
                    leave(run);
                    return After::Left;
                }
                break;
        }
        if (block->fall == nullptr && run.at < CodeCache::kPageDwords) {
            Block* next = run.page->blocks[run.at];
            block->fall = next != nullptr ? next : code_.build(*run.page, run.at);
        }
        block = block->fall;
    }
}

}  // namespace archipelago::cu
