// SPDX-License-Identifier: Apache-2.0
#include "models/cu/functional/block.h"

#include <algorithm>

#include "models/cu/isa/opcodes.h"

namespace archipelago::cu {
namespace {

using isa::MemKind;
using isa::Op;
using isa::OpInfo;

constexpr unsigned kMaxInstructions = 256;

bool in_exec(unsigned code, unsigned dwords) {
    return code <= isa::kExecHi && code + dwords > isa::kExecLo;
}

// Whether an ALU or SMRD instruction may change EXEC.
bool writes_exec(const isa::Inst& inst, const OpInfo& info) {
    if (info.has(isa::kOpExecOut))
        return true;
    switch (inst.op) {
        case Op::S_MOVRELD_B32:  // to where M0 says
        case Op::S_MOVRELD_B64:
            return true;
        default:
            break;
    }
    switch (inst.cls) {
        case isa::Class::Valu:
        case isa::Class::Salu:
        case isa::Class::Smem:
            return in_exec(inst.sdst, std::max<unsigned>(info.dst_dwords, 2));
        default:
            return false;
    }
}

bool jump(Block& block, Op op) {
    using Condition = Block::Condition;
    switch (op) {
        case Op::S_BRANCH:
            block.condition = Condition::Always;
            return true;
        case Op::S_CBRANCH_SCC0:
            block.condition = Condition::Scc0;
            return true;
        case Op::S_CBRANCH_SCC1:
            block.condition = Condition::Scc1;
            return true;
        case Op::S_CBRANCH_VCCZ:
            block.condition = Condition::Vccz;
            return true;
        case Op::S_CBRANCH_VCCNZ:
            block.condition = Condition::Vccnz;
            return true;
        case Op::S_CBRANCH_EXECZ:
            block.condition = Condition::Execz;
            return true;
        case Op::S_CBRANCH_EXECNZ:
            block.condition = Condition::Execnz;
            return true;
        default:
            return false;
    }
}

// Whether the instruction is a plain read or write of LDS dwords; then what of it is known.
bool plan_lds(BlockOp& op, const isa::Inst& inst, const OpInfo& info, isa::LaneAccess& a) {
    if (inst.format != isa::Format::Ds || inst.gds || info.mem_bytes < 4 ||
        (info.mem != MemKind::LdsRead && info.mem != MemKind::LdsWrite))
        return false;
    const unsigned dwords = info.mem_bytes / 4u;
    const unsigned elements = info.mem_pair != 0 ? 2 : 1;
    a.align = info.mem_bytes - 1u;
    a.element = dwords;
    a.count = elements * dwords;
    for (unsigned e = 0; e < elements; ++e) {
        const uint32_t field = inst.offset >> (8 * e) & 0xff;
        const uint32_t offset = elements == 1 ? inst.offset : field * info.mem_pair * 4 * dwords;
        if ((offset & a.align) != 0)
            return false;
        for (unsigned k = 0; k < dwords; ++k)
            a.offset[e * dwords + k] = offset + 4 * k;
    }
    op.is_store = info.mem == MemKind::LdsWrite;
    op.dwords = static_cast<uint8_t>(dwords);
    op.kind = BlockOp::Kind::LdsAccess;
    return true;
}

}  // namespace

void BlockBuilder::count(const Decoded& d, unsigned next) {
    ++block_.classes[static_cast<unsigned>(d.inst.cls)];
    ++block_.instructions;
    block_.vgprs = std::max(block_.vgprs, d.inst.vgprs_used);
    block_.sgprs = std::max(block_.sgprs, d.inst.sgprs_used);
    block_.end = static_cast<uint16_t>(next);
}

bool BlockBuilder::room() const {
    return block_.instructions < kMaxInstructions;
}

// A vector instruction: its lanes are counted with those after which none has written EXEC.
void BlockBuilder::count_lanes() {
    if (lanes_ == kNone) {
        lanes_ = block_.ops.size();
        BlockOp lanes;
        lanes.kind = BlockOp::Kind::Lanes;
        block_.ops.push_back(lanes);
    }
    ++block_.ops[lanes_].count;
}

// How an instruction within a block is executed. False: by itself, outside of any.
bool BlockBuilder::plan(BlockOp& op, const OpInfo& info) {
    const isa::Inst& inst = op.decoded->inst;
    switch (op.decoded->action) {
        case Action::Valu:
            count_lanes();
            return true;
        case Action::Scalar:
            op.kind = inst.op == Op::S_GETPC_B64 || inst.op == Op::S_GETREG_B32 ||
                              inst.op == Op::S_SETREG_B32 || inst.op == Op::S_SETREG_IMM32_B32
                          ? BlockOp::Kind::ExecutePc
                          : BlockOp::Kind::Execute;
            return true;
        case Action::ScalarMem:
            op.kind = BlockOp::Kind::ScalarMem;
            if (info.mem == MemKind::ScalarLoad) {
                op.kind = BlockOp::Kind::ScalarLoad;
                op.dwords = info.dst_dwords;
            }
            return true;
        case Action::VectorMem:
            op.kind = BlockOp::Kind::VectorMem;
            if (const auto form = isa::BufferWave::form(inst)) {
                op.kind = BlockOp::Kind::VectorAccess;
                op.buffer = *form;
            }
            return true;
        case Action::Lds: {
            op.kind = BlockOp::Kind::Lds;
            isa::LaneAccess access;
            if (plan_lds(op, inst, info, access)) {
                op.count = static_cast<uint16_t>(block_.lds.size());
                block_.lds.push_back(access);
            }
            return true;
        }
        case Action::SetPriority:
            op.kind = BlockOp::Kind::SetPriority;
            return true;
        default:
            return false;
    }
}

// The branch or barrier that ends the block.
void BlockBuilder::end(const Decoded& d, unsigned next) {
    count(d, next);
    if (d.action == Action::Barrier) {
        block_.ending = Block::End::Barrier;
        return;
    }
    block_.last = &d;
    block_.ending = Block::End::Branch;
    if (jump(block_, d.inst.op)) {
        block_.ending = Block::End::Jump;
        block_.target = static_cast<int32_t>(next) + d.inst.simm16;
    }
}

bool BlockBuilder::append(const Decoded& d, unsigned next) {
    switch (d.action) {
        case Action::Nop:
        case Action::Wait:
        case Action::NoEffect:
            count(d, next);
            return room();
        case Action::Branch:
        case Action::Barrier:
            end(d, next);
            return false;
        default:
            break;
    }
    BlockOp op;
    op.exec = d.inst.exec;
    op.decoded = &d;
    op.next = static_cast<uint16_t>(next);
    op.before = static_cast<uint16_t>(block_.instructions);
    const OpInfo& info = isa::op_info(d.inst.op);
    if (!plan(op, info))
        return false;
    push(op, next);
    if (writes_exec(d.inst, info))
        lanes_ = kNone;
    return room();
}

}  // namespace archipelago::cu
