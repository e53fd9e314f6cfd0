// SPDX-License-Identifier: Apache-2.0
// Basic blocks of a program for functional mode, decoded once. A block starts at any dword of a
// page, ends with the first instruction that may branch or make the wave wait, and does not cross
// its page.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/cu/isa/buffer_wave.h"
#include "models/cu/isa/lane_memory.h"
#include "models/cu/pipeline/decoded.h"

namespace archipelago::cu {

// One instruction of a block, or the lane count before a sequence of vector instructions.
// Instructions without effect in functional mode (s_waitcnt, s_nop) are counted and left out.
struct BlockOp {
    enum class Kind : uint8_t {
        Execute,    // by `exec` alone
        ExecutePc,  // likewise; reads the program counter
        Lanes,      // `count` VALU instructions follow, none before the next Lanes writes EXEC
        ScalarLoad,
        ScalarMem,     // any other SMRD
        VectorAccess,  // what BufferWave may do
        VectorMem,     // any other vector memory instruction
        LdsAccess,     // a plain read or write of dwords: entry `count` of Block::lds
        Lds,           // any other DS instruction
        SetPriority,
    };
    void (*exec)(const isa::Inst&, isa::WaveState&) = nullptr;
    const Decoded* decoded = nullptr;
    uint16_t next = 0;    // dword of the page after the instruction
    uint16_t before = 0;  // instructions of the block before this one
    uint16_t count = 0;
    Kind kind = Kind::Execute;
    bool is_store = false;           // LdsAccess
    uint8_t dwords = 0;              // LdsAccess: per lane and place; ScalarLoad
    isa::BufferWave::Form buffer{};  // VectorAccess
    mutable uint8_t window = 0;      // host window of its last access
};

struct Block {
    enum class End : uint8_t {
        Fall,    // the next instruction is executed by itself, or starts another block
        Jump,    // to a fixed target, when the condition holds
        Branch,  // to a target computed at run time
        Barrier,
    };
    enum class Condition : uint8_t { Always, Scc0, Scc1, Vccz, Vccnz, Execz, Execnz };

    std::vector<BlockOp> ops;
    std::vector<isa::LaneAccess> lds;  // without pointers, limit and EXEC
    // Instructions by class; the last entries are always 0.
    alignas(16) std::array<uint32_t, 12> classes{};
    uint32_t instructions = 0;
    uint16_t vgprs = 0, sgprs = 0;  // registers needed
    uint16_t end = 0;               // dword of the page after the block
    End ending = End::Fall;
    Condition condition = Condition::Always;
    const Decoded* last = nullptr;  // the branch
    int32_t target = 0;             // Jump: dword relative to the page's start
    Block* fall = nullptr;          // successors in the same page; null: not known yet
    Block* taken = nullptr;
};
static_assert(kClasses <= 12, "Block::classes has room for every class");

class BlockBuilder {
  public:
    explicit BlockBuilder(Block& block) : block_(block) {}
    // Appends the instruction that ends before dword `next` of its page. False: the block is
    // complete, with the instruction or before it (then block.end is not `next`).
    bool append(const Decoded& decoded, unsigned next);

  private:
    static constexpr size_t kNone = ~size_t{0};
    void count(const Decoded& decoded, unsigned next);
    void count_lanes();
    bool plan(BlockOp& op, const isa::OpInfo& info);
    void end(const Decoded& decoded, unsigned next);
    void push(const BlockOp& op, unsigned next) {
        block_.ops.push_back(op);
        count(*op.decoded, next);
    }
    bool room() const;

    Block& block_;
    size_t lanes_ = kNone;  // the Lanes entry in force; none since EXEC was written
};

}  // namespace archipelago::cu
