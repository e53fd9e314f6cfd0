// SPDX-License-Identifier: Apache-2.0
// Image instructions in a compute unit: both modes end alike, faults name lane and address, and
// the rates are those of the parameters.
#include <gtest/gtest.h>

#include <map>

#include "models/common/error.h"
#include "testbenches/unit/cu/cu_bench.h"
#include "testbenches/unit/isa/image_bench.h"

namespace archipelago::cu::test {
namespace {

using isa::Op;
using isa::test::Mimg;
using isa::test::Resource;
using isa::test::Sampler;
using Words = std::vector<uint32_t>;

constexpr uint32_t kWaitVm = 0xbf8c0f70;
constexpr uint32_t kEnd = 0xbf810000;

void add(Words& program, const isa::Inst& inst) {
    program.insert(program.end(), inst.words, inst.words + inst.dwords);
}
Mimg operands(unsigned vdata, unsigned vaddr, unsigned dmask) {
    Mimg e;
    e.vdata = vdata;
    e.vaddr = vaddr;
    e.srsrc = 0;
    e.ssamp = 8;
    e.dmask = dmask;
    return e;
}

// v0 = lane; loads, samples, gathers, stores, adds to and queries an image of 8 by 8 texels and
// more.
Words all_kinds() {
    Words p = {
        0x36040087,  // v_and_b32 v2, 7, v0
        0x2c060083,  // v_lshrrev_b32 v3, 3, v0
    };
    Mimg e = operands(4, 2, 15);
    e.unorm = true;
    add(p, isa::test::mimg(Op::IMAGE_LOAD, e));
    p.insert(p.end(), {
                          0x7e100d02,  // v_cvt_f32_u32 v8, v2
                          0x1010100c,  // v_mul_f32 v8, s12, v8
                          0x7e120d03,  // v_cvt_f32_u32 v9, v3
                          0x1012120c,  // v_mul_f32 v9, s12, v9
                      });
    add(p, isa::test::mimg(Op::IMAGE_SAMPLE, operands(10, 8, 15)));
    add(p, isa::test::mimg(Op::IMAGE_GATHER4_LZ, operands(14, 8, 1)));
    p.insert(p.end(), {
                          kWaitVm,
                          0x4a040490,  // v_add_i32 v2, vcc, 16, v2
                          0x06081504,  // v_add_f32 v4, v4, v10
                      });
    add(p, isa::test::mimg(Op::IMAGE_STORE, e));
    p.push_back(0xbf8c0f00);  // s_waitcnt vmcnt(0) expcnt(0)
    Mimg atomic = operands(0, 2, 1);
    atomic.glc = true;
    add(p, isa::test::mimg(Op::IMAGE_ATOMIC_ADD, atomic));
    p.push_back(0x7e240280);  // v_mov_b32 v18, 0
    add(p, isa::test::mimg(Op::IMAGE_GET_RESINFO, operands(19, 18, 15)));
    p.insert(p.end(), {kWaitVm, kEnd});
    return p;
}

WaveLaunch image_launch(const Resource& r, const Sampler& s, unsigned waves = 1,
                        unsigned index = 0) {
    WaveLaunch l = make_launch(waves, index);
    uint32_t words[8];
    r.words(words);
    std::copy(words, words + 8, l.sgpr_init.begin());
    s.words(words);
    std::copy(words, words + 4, l.sgpr_init.begin() + 8);
    const float scale = 0.37f;
    std::memcpy(&l.sgpr_init[12], &scale, 4);
    l.sgpr_init_count = 13;
    return l;
}

Resource small_image() {
    Resource r;
    r.width = 64;
    r.height = 32;
    r.pitch = 128;
    r.base = kData;
    return r;
}

void fill(CuBench& bench) {
    for (unsigned i = 0; i < kDataBytes / 4; ++i)
        bench.set_word(4 * i, ((i * 2654435761u) ^ (i >> 3)) & 0xbfbfbfbfu);
}

// Gives memory in pieces of more than a page, so that whole waves find their texels in one.
class WholeMemory : public ImageMemory {
  public:
    explicit WholeMemory(MemoryImage& image) : ImageMemory(image), image_(image) {}
    HostWindow window(uint64_t address, uint8_t) override {
        HostWindow w;
        uint64_t last = 0;
        if (image_.contiguous_range(address, w.first, last, w.host))
            w.bytes = last - w.first + 1;
        return w;
    }

  private:
    MemoryImage& image_;
};

TEST(CuImage, BothModesEndAlikeForEveryTilingAndFormat) {
    const struct { unsigned dfmt, nfmt; } kFormats[] = {{10, 0}, {10, 4}, {4, 7}, {10, 1}};
    using namespace isa::test;
    for (const unsigned tiling : {unsigned{kLinear}, unsigned{k1dThin}, unsigned{k2dThin}}) {
        for (const auto& format : kFormats) {
            for (unsigned mip = 0; mip < 2; ++mip) {
                SCOPED_TRACE(tiling * 100 + format.dfmt * 10 + format.nfmt);
                Resource r = small_image();
                r.tiling = tiling;
                r.dfmt = format.dfmt;
                r.nfmt = format.nfmt;
                r.last_level = mip != 0 ? 2 : 0;
                r.pow2_pad = mip != 0;
                Sampler s;
                s.mag = s.min = 1;
                s.mip = 2 * mip;
                s.border = 3;
                s.wrap[0] = 6;
                s.border_ptr = 1;
                CuBench cycle;
                CuBench functional;
                surface::TilingRegisters registers = tahiti_tiling();
                registers.cs_border_colors = (kData + 0xf000) / 256;
                for (CuBench* bench : {&cycle, &functional}) {
                    bench->memory.map(kData + kDataBytes, 0x40000);
                    fill(*bench);
                    bench->load(all_kinds());
                }
                const WaveLaunch l = image_launch(r, s);
                cycle.core.set_tiling(registers);
                cycle.launch(l);
                cycle.run();
                ASSERT_EQ(cycle.spi.ended.size(), 1u) << cycle.core.waiting_for();
                const isa::WaveState& x = cycle.core.state().waves[l.simd][l.slot].regs;
                ImageMemory pages(functional.memory);
                WholeMemory whole(functional.memory);
                for (FunctionalMemory* memory : {&pages, static_cast<ImageMemory*>(&whole)}) {
                    fill(functional);
                    FunctionalCu cu({}, *memory, CuBench::identity());
                    cu.set_tiling(registers);
                    FunctionalStats stats;
                    cu.run_group(&l, 1, stats);
                    EXPECT_EQ(cycle.data(), functional.data());
                    EXPECT_EQ(cycle.core.state().counters.work.vmem_lanes, stats.work.vmem_lanes);
                    for (unsigned v = 0; v < 24; ++v)
                        for (unsigned lane = 0; lane < 64; ++lane)
                            ASSERT_EQ(x.v[v][lane], cu.wave(0)->v[v][lane])
                                << "v" << v << " " << lane;
                }
                // Not all the same (smaller levels may lie in unfilled memory), and the size
                // is right.
                EXPECT_TRUE(mip != 0 || x.v[10][1] != x.v[10][40]);
                EXPECT_EQ(x.v[19][0], 64u);
                EXPECT_EQ(x.v[20][0], 32u);
                // The image is as it is stored: check one texel by hand.
                if (tiling == kLinear && format.dfmt == 10 && format.nfmt == 4) {
                    const uint32_t at = (2 * 128 + 3) * 4;  // texel (3, 2): lane 19
                    uint32_t first = ((at / 4 * 2654435761u) ^ (at / 4 >> 3)) & 0xbfbfbfbfu;
                    EXPECT_EQ(x.v[5][19], first >> 8 & 0xff);
                }
                EXPECT_EQ(cycle.core.state().image_free.size(), cycle.core.state().image_ops.size())
                    << "all are given back";
            }
        }
    }
}

std::string stop_text(const std::function<void()>& run) {
    try {
        run();
    } catch (const MachineStop& stop) {
        return stop.what();
    }
    return "ran to its end";
}

// The same wave in both modes; what each stops with.
std::array<std::string, 2> stops(const Words& program, const WaveLaunch& l) {
    const std::string cycle = stop_text([&] {
        CuBench bench;
        bench.core.set_tiling(isa::test::tahiti_tiling());
        bench.load(program);
        bench.launch(l);
        bench.run();
    });
    const std::string functional = stop_text([&] {
        CuBench bench;
        bench.load(program);
        ImageMemory memory(bench.memory);
        FunctionalCu cu({}, memory, CuBench::identity());
        cu.set_tiling(isa::test::tahiti_tiling());
        FunctionalStats stats;
        cu.run_group(&l, 1, stats);
    });
    return {cycle, functional};
}

TEST(CuImage, UnmappedTexelsNameLaneAndAddress) {
    Resource r = small_image();
    r.base = kData + kDataBytes - 0x400;  // two rows of 128 texels are mapped
    for (const Op op : {Op::IMAGE_LOAD, Op::IMAGE_STORE, Op::IMAGE_ATOMIC_ADD}) {
        Words p = {0x36040087, 0x2c060083};  // x = lane & 7, y = lane >> 3
        Mimg e = operands(4, 2, 1);
        add(p, isa::test::mimg(op, e));
        p.insert(p.end(), {kWaitVm, kEnd});
        r.dfmt = 4;
        r.nfmt = 4;
        for (const std::string& text : stops(p, image_launch(r, {}))) {
            // Row 2 starts with lane 16.
            EXPECT_NE(text.find("unmapped address 0x110000"), std::string::npos) << text;
            EXPECT_NE(text.find("lane 16"), std::string::npos) << text;
        }
    }
    Words p = {0x36040087, 0x2c060083, 0x7e100d02, 0x7e120d03};  // v8, v9 = x, y as floats
    Mimg e = operands(10, 8, 1);
    e.unorm = true;
    add(p, isa::test::mimg(Op::IMAGE_SAMPLE_LZ, e));
    p.insert(p.end(), {kWaitVm, kEnd});
    for (const std::string& text : stops(p, image_launch(r, {}))) {
        EXPECT_NE(text.find("read of unmapped address 0x110000"), std::string::npos) << text;
        EXPECT_NE(text.find("lane 16"), std::string::npos) << text;
    }
}

TEST(CuImage, WhatIsRefusedStopsByName) {
    Resource r = small_image();
    r.dfmt = 59;
    Words p;
    add(p, isa::test::mimg(Op::IMAGE_LOAD, operands(4, 2, 1)));
    p.push_back(kEnd);
    for (const std::string& text : stops(p, image_launch(r, {})))
        EXPECT_NE(text.find("image data format 1, 1_REVERSED or 32_AS_*"), std::string::npos)
            << text;
    r = small_image();
    Words q;
    add(q, isa::test::mimg(Op::IMAGE_LOAD, operands(4, 23, 1)));
    q.push_back(kEnd);
    for (const std::string& text : stops(q, image_launch(r, {})))
        EXPECT_NE(text.find("needs more registers than the wave has"), std::string::npos) << text;
}

// Cycles from `count` to twice as many instructions in each of four waves, for each instruction.
double cycles_per_instruction(const isa::Inst& inst, const Words& prologue, const WaveLaunch& one) {
    Cycle took[2];
    constexpr unsigned kCount = 24;
    for (unsigned turn = 0; turn < 2; ++turn) {
        Words p = prologue;
        for (unsigned i = 0; i < kCount * (turn + 1); ++i)
            add(p, inst);
        p.insert(p.end(), {kWaitVm, kEnd});
        CuBench bench;
        bench.core.set_tiling(isa::test::tahiti_tiling());
        fill(bench);
        bench.load(p);
        for (unsigned w = 0; w < 4; ++w) {
            WaveLaunch l = make_launch(4, w);
            l.sgpr_init = one.sgpr_init;
            l.sgpr_init_count = one.sgpr_init_count;
            bench.launch(l);
        }
        took[turn] = bench.run();
        EXPECT_EQ(bench.spi.ended.size(), 4u);
    }
    return static_cast<double>(took[1] - took[0]) / (4.0 * kCount);
}

TEST(CuImage, RatesAreThoseOfTheParameters) {
    // Coordinates of lane: x = lane & 7, y = lane >> 3.
    const Words near = {0x36040087, 0x2c060083, 0x7e100d02, 0x7e120d03};
    // Scattered: y = lane & 31.
    const Words far = {0x7e040280, 0x3606009f};  // v_mov_b32 v2, 0; v_and_b32 v3, 31, v0
    Resource r = small_image();
    Sampler s;
    s.mag = s.min = 1;
    const auto rate = [&](Op op, const Words& where, unsigned vaddr) {
        Mimg e = operands(10, vaddr, 15);
        e.unorm = true;
        return cycles_per_instruction(isa::test::mimg(op, e), where, image_launch(r, s));
    };
    EXPECT_NEAR(rate(Op::IMAGE_LOAD, near, 2), 16, 0.5) << "gcn.ta.rate";
    EXPECT_NEAR(rate(Op::IMAGE_SAMPLE_LZ, near, 8), 16, 0.5) << "gfx.tex";
    EXPECT_NEAR(rate(Op::IMAGE_LOAD, far, 2), 16, 0.5) << "four lines each cycle";
    r.dfmt = 12;  // 16_16_16_16 FLOAT
    r.nfmt = 7;
    EXPECT_NEAR(rate(Op::IMAGE_LOAD, near, 2), 16, 0.5);
    EXPECT_NEAR(rate(Op::IMAGE_LOAD, far, 2), 32, 0.5) << "l1hit.tex_rgba16f_random";
    EXPECT_NEAR(rate(Op::IMAGE_SAMPLE_LZ, near, 8), 32, 0.5);
    r.dfmt = 14;  // 32_32_32_32 FLOAT
    EXPECT_NEAR(rate(Op::IMAGE_LOAD, near, 2), 24, 0.5) << "l1hit.tex_rgba32f_linear";
}

TEST(CuImage, QuadsAskOnceForEachLine) {
    const Words near = {0x36040087, 0x2c060083};
    Resource r = small_image();
    Words p = near;
    add(p, isa::test::mimg(Op::IMAGE_LOAD, operands(4, 2, 15)));
    p.insert(p.end(), {kWaitVm, kEnd});
    CuBench bench;
    bench.core.set_tiling(isa::test::tahiti_tiling());
    bench.load(p);
    bench.launch(image_launch(r, {}));
    bench.run();
    // Eight texels of a row lie in one line: two quads share it.
    EXPECT_EQ(bench.l1.seen.size(), 8u);
    for (const MemRequest& request : bench.l1.seen)
        EXPECT_EQ(__builtin_popcountll(request.byte_mask), 32);
    EXPECT_EQ(bench.core.state().counters.ta_busy_cycles, 16u);
    EXPECT_EQ(bench.core.state().counters.td_busy_cycles, 16u);
}

}  // namespace
}  // namespace archipelago::cu::test
