// SPDX-License-Identifier: Apache-2.0
// A recorded kernel from first to last instruction, memory being a plain array.
#include <gtest/gtest.h>

#include <vector>

#include "testbenches/unit/isa/machine.h"

namespace archipelago::isa::program_test {
namespace {

// c[i] = a[i] + b[i] as Mesa's OpenCL compiled it for Tahiti.
// s[4:5] launch sizes, s[6:7] arguments, s8 work-group id, v0 work-item id.
const std::vector<uint32_t> kVectorAdd = {
    0xc0048501, 0xc0050707, 0xc0800700, 0xc0420704, 0xbe8b03ff, 0x0000f000, 0xbf8c007f,
    0x8706ff09, 0x0000ffff, 0x93060806, 0x4a00000a, 0x4a020006, 0x7e000280, 0xd2c60000,
    0x00013d00, 0xbe8a0380, 0xbe880400, 0xe0308000, 0x80020200, 0xbe880402, 0xe0308000,
    0x80020300, 0xbe86040a, 0xbf8c0f70, 0x4a040503, 0xe0708000, 0x80010200, 0xbf810000};

class Memory {
  public:
    explicit Memory(uint64_t base) : base_(base), words_(4096) {}
    uint32_t& operator[](uint64_t address) { return words_.at((address - base_) / 4); }

  private:
    uint64_t base_;
    std::vector<uint32_t> words_;
};

void run_scalar_memory(const Inst& inst, WaveState& w, Memory& memory) {
    const ScalarMemOp op = scalar_mem(inst, w);
    uint32_t data[16] = {};
    for (unsigned i = 0; i < op.valid; ++i) {
        data[i] = memory[op.addr + 4 * i];
    }
    scalar_mem_complete(op, w, data);
}

void run_vector_memory(const Inst& inst, WaveState& w, Memory& memory) {
    VectorMemOp op;
    vector_mem(inst, w, op);
    ASSERT_EQ(op.unsupported, nullptr);
    ASSERT_TRUE(op.contiguous);
    for (unsigned l = 0; l < kLanes; ++l) {
        for (unsigned k = 0; (op.lanes >> l & 1) != 0 && k < op.dwords; ++k) {
            uint32_t& word = memory[op.addr[0][l] + 4 * k];
            if (op.kind == VectorMemOp::Kind::Store) {
                word = op.data[k][l];
            } else {
                op.data[k][l] = word;
            }
        }
    }
    vector_mem_complete(op, w);
}

TEST(Program, RecordedVectorAddComputesItsSums) {
    constexpr uint64_t kMemory = 0x100000000ull;
    constexpr uint64_t kSizes = kMemory, kArguments = kMemory + 0x100;
    constexpr uint64_t kA = kMemory + 0x1000, kB = kMemory + 0x2000, kC = kMemory + 0x3000;
    constexpr uint32_t kLocalSize = 64, kGroup = 2, kOffset = 5;
    Memory memory(kMemory);
    memory[kSizes + 4] = kLocalSize | 1u << 16;
    // Result, then the two inputs; the shader reads its arguments in another order than it uses.
    const uint64_t pointers[] = {kA, kB, kC};
    for (unsigned p = 0; p < 3; ++p) {
        memory[kArguments + 8 * p] = static_cast<uint32_t>(pointers[p]);
        memory[kArguments + 8 * p + 4] = static_cast<uint32_t>(pointers[p] >> 32);
    }
    memory[kArguments + 4 * 7] = kOffset;
    for (unsigned i = 0; i < 512; ++i) {
        memory[kA + 4 * i] = 1000 * i;
        memory[kB + 4 * i] = 7 + i;
    }
    test::Machine m;
    m.w.set_s64(4, kSizes);
    m.w.set_s64(6, kArguments);
    m.w.s[8] = kGroup;
    m.fill(0, [](unsigned l) { return l; });

    unsigned executed = 0;
    for (;; ++executed) {
        ASSERT_LT(executed, 100u);
        const size_t at = m.w.pc / 4;
        ASSERT_LT(at, kVectorAdd.size());
        const Inst inst = decode(&kVectorAdd[at], kVectorAdd.size() - at);
        ASSERT_TRUE(is_implemented(inst)) << disassemble(inst, m.w.pc);
        ASSERT_LE(inst.vgprs_used, 4);
        ASSERT_LE(inst.sgprs_used, 12);
        m.w.pc += inst.dwords * 4u;
        if (inst.op == Op::S_ENDPGM) {
            break;
        }
        switch (inst.cls) {
            case Class::Smem:
                run_scalar_memory(inst, m.w, memory);
                break;
            case Class::Vmem:
                run_vector_memory(inst, m.w, memory);
                break;
            case Class::Internal:
                break;
            default:
                inst.exec(inst, m.w);
                break;
        }
    }
    EXPECT_EQ(executed, 21u);
    for (unsigned i = 0; i < 512; ++i) {
        const unsigned first = kGroup * kLocalSize + kOffset;
        const bool mine = i >= first && i < first + kLanes;
        EXPECT_EQ(memory[kC + 4 * i], mine ? 1001 * i + 7 : 0) << i;
    }
}

}  // namespace
}  // namespace archipelago::isa::program_test
