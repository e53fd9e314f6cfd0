// SPDX-License-Identifier: Apache-2.0
// Cycle and functional mode end with the same memory, registers and work counts.
#include <gtest/gtest.h>

#include <string>

#include "models/cu/isa/buffer_resource.h"
#include "models/cu/isa/opcodes.h"
#include "testbenches/unit/cu/compare_modes.h"
#include "testbenches/unit/cu/cu_bench.h"
#include "testbenches/unit/cu/matmul_bench.h"
#include "testbenches/unit/cu/programs.h"

namespace archipelago::cu::test {
namespace {

TEST(CycleVersusFunctional, WrittenProgramsAgree) {
    struct Case {
        const char* name;
        const std::vector<uint32_t>* program;
        unsigned waves;
    };
    const Case cases[] = {
        {"LoadAddStore", &kLoadAddStore, 1},
        {"LoadWide", &kLoadWide, 1},
        {"LoadTwo", &kLoadTwo, 1},
        {"Bytes", &kBytes, 1},
        {"AtomicSame", &kAtomicSame, 1},
        {"AtomicSpread", &kAtomicSpread, 3},
        {"AtomicCompare", &kAtomicCompare, 1},
        {"AtomicWide", &kAtomicWide, 1},
        {"Divergence", &kDivergence, 2},
        {"Exchange", &kExchange, 4},
        {"ValuChain", &kValuChain, 4},
        {"TransChain", &kTransChain, 4},
        {"Reduce", &kReduce, 4},
        {"Invalidate", &kInvalidate, 1},
        {"LdsStride", &kLdsStride, 2},
        {"SetPriority", &kSetPriority, 2},
    };
    for (const Case& c : cases) {
        SCOPED_TRACE(c.name);
        std::vector<WaveLaunch> waves = group_of(c.waves);
        for (WaveLaunch& l : waves)
            l.sgpr_init[4] = c.program == &kLdsStride ? 12 : 0;
        compare(*c.program, waves);
    }
}

TEST(CycleVersusFunctional, PartialWavesAgree) {
    std::vector<WaveLaunch> waves = group_of(2);
    waves[1].exec = 0x1FFFFF;
    compare(kExchange, waves);
    compare(kBytes, {waves[1]});
    waves[0].exec = 0;
    compare(kLoadAddStore, {waves[0]});
}

TEST(CycleVersusFunctional, ACompiledMatrixProductIsRightAndCountsAgree) {
    constexpr unsigned kGroups = 6;
    CuBench cycle;
    const Matmul in_cycle(cycle.memory);
    for (unsigned group = 0; group < kGroups; ++group)
        for (unsigned i = 0; i < Matmul::kWaves; ++i) {
            WaveLaunch l = in_cycle.launch(group, i);
            l.simd = static_cast<uint8_t>(i);
            l.slot = static_cast<uint8_t>(group);
            l.group_slot = static_cast<uint8_t>(group);
            l.vgpr_base = static_cast<uint16_t>(24 * group);
            l.sgpr_base = static_cast<uint16_t>(24 * group);
            l.lds_base = 2048 * group;
            cycle.launch(l);
        }
    cycle.run(1000000);
    ASSERT_EQ(cycle.spi.ended.size(), kGroups * Matmul::kWaves);

    MemoryImage memory;
    const Matmul in_functional(memory);
    ImageMemory view(memory);
    FunctionalCu cu({}, view, CuBench::identity());
    FunctionalStats stats;
    for (unsigned group = 0; group < kGroups; ++group) {
        WaveLaunch waves[Matmul::kWaves];
        for (unsigned i = 0; i < Matmul::kWaves; ++i)
            waves[i] = in_functional.launch(group, i);
        cu.run_group(waves, Matmul::kWaves, stats);
        EXPECT_TRUE(in_cycle.right(group));
        EXPECT_TRUE(in_functional.right(group));
    }
    expect_same_work(cycle.core.state().counters.work, stats.work);
}

// Straight-line programs of random vector and scalar instructions, local data share and memory
// accesses mixed in.
class RandomProgram {
  public:
    explicit RandomProgram(uint64_t seed) : random_(seed) {
        emit_buffer();
        words_.push_back(0xbefc03c1);  // s_mov_b32 m0, -1
        for (unsigned v = 1; v < 16; ++v)
            words_.push_back(0x7e000200 | v << 17 | (128 + random_.below(81)));  // v_mov_b32
        for (unsigned i = 0; i < 60; ++i) {
            switch (random_.below(9)) {
                case 0:
                    emit_lds();
                    break;
                case 1:
                    emit_memory();
                    break;
                case 2:
                    emit_typed();
                    break;
                default:
                    emit_alu();
                    break;
            }
        }
        wait();
        words_.push_back(0xbf810000);
    }
    const std::vector<uint32_t>& words() const { return words_; }

  private:
    void wait() { words_.push_back(0xbf8c0000); }  // s_waitcnt 0
    void s_mov(unsigned code, uint32_t value) {
        words_.push_back(0xbe8003ff | code << 16);
        words_.push_back(value);
    }
    // s[20:23]: the descriptor, which random instructions may have overwritten; exec: all lanes.
    void emit_buffer() {
        words_.push_back(0xbefe04c1);  // s_mov_b64 exec, -1
        s_mov(20, static_cast<uint32_t>(kData));
        s_mov(21, 0);
        s_mov(22, 0x3000);
        s_mov(23, 0x00027FAC);
    }
    void emit_alu() {
        for (;;) {
            uint32_t w[2] = {random_.next() ^ (random_.next() << 16), 0};
            // Keep the registers in the allocation most of the time.
            w[1] = (0x100 + random_.below(16)) | (0x100 + random_.below(16)) << 9 |
                   random_.below(30) << 18;
            const Decoded d = make_decoded(w, 2);
            if ((d.action != Action::Valu && d.action != Action::Scalar) ||
                d.inst.vgprs_used > 16 || d.inst.sgprs_used > 40)
                continue;
            const std::string name = isa::mnemonic(d.inst);
            // Relative moves could leave the allocation, hardware registers hold mode-specific
            // values, and the LDS limit stays open.
            if (name.find("movrel") != std::string::npos || name.find("reg") != std::string::npos ||
                d.inst.sdst == isa::kM0)
                continue;
            words_.push_back(w[0]);
            if (d.dwords == 2)
                words_.push_back(w[1]);
            return;
        }
    }
    void emit_lds() {
        words_.push_back(0xbefc03c1);
        for (;;) {
            const uint32_t w[2] = {0xd8000000u | random_.below(256) << 18 | random_.below(4) * 4,
                                   random_.below(12) | random_.below(12) << 8 |
                                       random_.below(12) << 16 | random_.below(12) << 24};
            const Decoded d = make_decoded(w, 2);
            if (d.action != Action::Lds || d.inst.vgprs_used > 16)
                continue;
            wait();
            words_.push_back(w[0]);
            words_.push_back(w[1]);
            wait();
            return;
        }
    }
    // v1 = v1 & 0xFFF8: offsets in the buffer and beyond
    void emit_offsets() {
        words_.push_back(0x360202ff);  // v_and_b32 v1, literal, v1
        words_.push_back(0x0000fff8);
    }
    // A typed access in any format by some of the lanes.
    void emit_typed() {
        emit_buffer();
        emit_offsets();
        s_mov(isa::kExecLo, random_.next());
        s_mov(isa::kExecHi, random_.below(2) == 0 ? random_.next() : ~0u);
        for (;;) {
            const unsigned op = random_.below(8);
            const unsigned dfmt = 1 + random_.below(14);
            const unsigned nfmt = random_.below(8);
            if ((op < 4 ? isa::unsupported_load(dfmt, nfmt) : isa::unsupported_store(dfmt, nfmt)) !=
                nullptr)
                continue;
            words_.push_back(0xe8001000u | nfmt << 23 | dfmt << 19 | op << 16 |
                             random_.below(64) * 8);
            words_.push_back(1u | (2 + random_.below(10)) << 8 | 5u << 16 | 128u << 24);
            wait();
            return;
        }
    }
    void emit_memory() {
        emit_buffer();
        emit_offsets();
        for (;;) {
            const uint32_t w[2] = {0xe0001000u | random_.below(128) << 18 | random_.below(2) << 14 |
                                       random_.below(64) * 8,
                                   1u | (2 + random_.below(10)) << 8 | 5u << 16 | 128u << 24};
            const Decoded d = make_decoded(w, 2);
            if (d.action != Action::VectorMem || d.inst.vgprs_used > 16 ||
                std::string(isa::mnemonic(d.inst)).find("format") != std::string::npos)
                continue;
            words_.push_back(w[0]);
            words_.push_back(w[1]);
            wait();
            return;
        }
    }

    Random random_;
    std::vector<uint32_t> words_;
};

TEST(CycleVersusFunctional, RandomProgramsAgree) {
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const RandomProgram program(seed);
        compare(program.words(), group_of(1));
        if (::testing::Test::HasFailure())
            return;
    }
}

}  // namespace
}  // namespace archipelago::cu::test
