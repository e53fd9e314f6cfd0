// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/coalescer.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <vector>

namespace archipelago::cu {
namespace {

using isa::VectorMemOp;

class Coalescer : public ::testing::Test {
  protected:
    Coalescer() : op(std::make_unique<VectorMemOp>()) {
        op->kind = VectorMemOp::Kind::Load;
        op->lanes = ~uint64_t{0};
        strided(0x1000, 4);
    }
    void strided(uint64_t base, uint64_t stride) {
        for (unsigned lane = 0; lane < 64; ++lane)
            op->addr[0][lane] = base + lane * stride;
    }
    unsigned run() { return coalesce(*op, {1, 1, 2, 1, 3, 5, 7}, accesses, aligned); }
    uint64_t all_lanes() const {
        uint64_t mask = 0;
        for (const LineAccess& a : accesses)
            mask |= a.lanes;
        return mask;
    }
    std::unique_ptr<VectorMemOp> op;
    std::vector<LineAccess> accesses;
    bool aligned = false;
};

TEST_F(Coalescer, ConsecutiveDwordsTakeFourLinesInFourCycles) {
    EXPECT_EQ(run(), 4u);
    ASSERT_EQ(accesses.size(), 4u);
    for (unsigned i = 0; i < 4; ++i) {
        EXPECT_EQ(accesses[i].line, 0x1000u + 64 * i);
        EXPECT_EQ(accesses[i].lanes, 0xFFFFull << (16 * i));
        EXPECT_EQ(accesses[i].cycle, i);
    }
}

TEST_F(Coalescer, ConsecutiveDwordsOffALineTakeFiveLines) {
    strided(0x1010, 4);
    EXPECT_EQ(run(), 4u);
    ASSERT_EQ(accesses.size(), 5u);
    EXPECT_EQ(accesses[0].lanes, 0xFFFull);
    EXPECT_EQ(accesses[1].lanes, 0xFFFFull << 12);
    EXPECT_EQ(accesses[1].cycle, 1u);  // waits for the quarter wave that completes it
    EXPECT_EQ(all_lanes(), ~uint64_t{0});
}

TEST_F(Coalescer, StrideOfALineTakesOneRequestPerLane) {
    strided(0x1000, 64);
    EXPECT_EQ(run(), 16u);
    ASSERT_EQ(accesses.size(), 64u);
    for (unsigned i = 0; i < 64; ++i) {
        EXPECT_EQ(accesses[i].lanes, uint64_t{1} << i);
        EXPECT_EQ(accesses[i].cycle, i / 4);
    }
}

// Elements of less than a dword, and one for all lanes, go by quarter waves as dwords do.
TEST_F(Coalescer, SmallElementsBesideEachOtherTakeFourCycles) {
    for (const uint8_t bytes : {1, 2}) {
        op->bytes = bytes;
        strided(0x1000, bytes);
        EXPECT_EQ(run(), 4u);
        EXPECT_EQ(accesses.size(), bytes);
        EXPECT_EQ(all_lanes(), ~uint64_t{0});
        op->lanes = 0xF0F1;  // lanes may be missing
        EXPECT_EQ(run(), 1u);
        op->lanes = ~uint64_t{0};
        strided(0x1000, 4);  // not beside each other
        EXPECT_EQ(run(), 16u);
        strided(0x1000, bytes);
        op->addr[0][17] += 1;  // one quarter wave by quads
        EXPECT_EQ(run(), 3u + 4);
    }
    op->kind = VectorMemOp::Kind::Store;
    strided(0x1000, 2);
    EXPECT_EQ(run(), 8u);
}

TEST_F(Coalescer, OneAddressForAllLanesTakesOneRequest) {
    strided(0x1000, 0);
    EXPECT_EQ(run(), 4u);
    ASSERT_EQ(accesses.size(), 1u);
    EXPECT_EQ(accesses[0].lanes, ~uint64_t{0});
}

TEST_F(Coalescer, FourDwordsPerLaneTakeOneLinePerQuad) {
    op->bytes = 16;
    strided(0x1000, 16);
    EXPECT_EQ(run(), 16u);
    EXPECT_EQ(accesses.size(), 16u);
}

TEST_F(Coalescer, FourScatteredDwordsPerLaneTakeLonger) {
    op->bytes = 16;
    strided(0x1000, 256);
    EXPECT_EQ(run(), 16u + 5);
    EXPECT_EQ(accesses.size(), 64u);
    op->lanes = 0xF000F;
    EXPECT_EQ(run(), 2u + 5);
    op->lanes = 0x30003;  // no more than two lines a quad
    EXPECT_EQ(run(), 2u);
    op->lanes = 0;
    EXPECT_EQ(run(), 1u);
}

TEST_F(Coalescer, ThreeDwordsPerLaneTakeLongerOnlyScattered) {
    op->bytes = 12;
    strided(0x1000, 12);
    EXPECT_EQ(run(), 16u);
    EXPECT_EQ(accesses.size(), 12u);
    strided(0x1000, 256);
    EXPECT_EQ(run(), 16u + 7);
    op->kind = VectorMemOp::Kind::Store;
    EXPECT_EQ(run(), 8u);
}

TEST_F(Coalescer, TwoDwordsPerLaneDoNotUseTheQuarterWaveRate) {
    op->bytes = 8;
    strided(0x1000, 8);
    EXPECT_EQ(run(), 16u);
    EXPECT_EQ(accesses.size(), 8u);
}

// Regardless of their size in memory.
TEST_F(Coalescer, LoadsOfTwoRegistersTakeLonger) {
    op->dwords = 2;
    for (const uint8_t bytes : {2, 4, 8}) {
        op->bytes = bytes;
        strided(0x1000, bytes);
        EXPECT_EQ(run(), 16u + 3);
    }
    op->kind = VectorMemOp::Kind::Store;
    EXPECT_EQ(run(), 8u);
}

TEST_F(Coalescer, AccessAcrossALineIsInBothRequests) {
    op->bytes = 16;
    op->lanes = 1;
    op->addr[0][0] = 0x1038;
    run();
    ASSERT_EQ(accesses.size(), 2u);
    EXPECT_EQ(accesses[0].line, 0x1000u);
    EXPECT_EQ(accesses[1].line, 0x1040u);
    Line low{};
    Line high{};
    for (unsigned i = 0; i < 64; ++i) {
        low[i] = static_cast<uint8_t>(i);
        high[i] = static_cast<uint8_t>(100 + i);
    }
    scatter_load(accesses[0], low, *op);
    scatter_load(accesses[1], high, *op);
    EXPECT_EQ(op->data[0][0], 0x3B3A3938u);
    EXPECT_EQ(op->data[1][0], 0x3F3E3D3Cu);
    EXPECT_EQ(op->data[2][0], 0x67666564u);
    EXPECT_EQ(op->data[3][0], 0x6B6A6968u);
}

TEST_F(Coalescer, InactiveLanesAskForNothing) {
    op->lanes = 0xF0F0;
    EXPECT_EQ(run(), 1u);
    ASSERT_EQ(accesses.size(), 1u);
    EXPECT_EQ(accesses[0].lanes, 0xF0F0u);
    op->lanes = 0;
    EXPECT_EQ(run(), 1u);
    EXPECT_TRUE(accesses.empty());
}

TEST_F(Coalescer, StoresTakeTwoCyclesPerQuarterWave) {
    op->kind = VectorMemOp::Kind::Store;
    EXPECT_EQ(run(), 8u);
    EXPECT_EQ(accesses.size(), 4u);
    EXPECT_EQ(accesses[3].cycle, 6u);
}

TEST_F(Coalescer, TheHighestLaneWinsWhenStoresOverlap) {
    op->kind = VectorMemOp::Kind::Store;
    strided(0x1000, 0);
    for (unsigned lane = 0; lane < 64; ++lane)
        op->data[0][lane] = lane;
    run();
    ASSERT_EQ(accesses.size(), 1u);
    Line line{};
    EXPECT_EQ(gather_store(accesses[0], *op, line), 0xFu);
    EXPECT_EQ(line[0], 63);
}

TEST_F(Coalescer, AtomicsOnOneLocationAreOneRequestEachInLaneOrder) {
    op->kind = VectorMemOp::Kind::Atomic;
    op->atomic = AtomicOp::Add;
    strided(0x1000, 0);
    run();
    ASSERT_EQ(accesses.size(), 64u);
    for (unsigned lane = 0; lane < 64; ++lane)
        EXPECT_EQ(accesses[lane].lanes, uint64_t{1} << lane);
    EXPECT_TRUE(aligned);
}

TEST_F(Coalescer, NoAtomicRequestHasALocationTwiceAndLanesOfALocationKeepTheirOrder) {
    op->kind = VectorMemOp::Kind::Atomic;
    op->atomic = AtomicOp::Add;
    for (unsigned seed = 1; seed < 50; ++seed) {
        uint32_t x = seed * 2654435761u;
        for (unsigned lane = 0; lane < 64; ++lane) {
            x = x * 1664525 + 1013904223;
            op->addr[0][lane] = 0x1000 + (x >> 20) % 40 * 4;
        }
        run();
        EXPECT_EQ(all_lanes(), ~uint64_t{0});
        std::vector<int> last(64, -1);
        for (const LineAccess& a : accesses) {
            std::set<uint64_t> locations;
            for (unsigned lane = 0; lane < 64; ++lane) {
                if ((a.lanes >> lane & 1) == 0)
                    continue;
                const uint64_t at = op->addr[0][lane];
                EXPECT_EQ(line_of(at), a.line);
                EXPECT_TRUE(locations.insert(at).second) << "location twice in a request";
                int& before = last[(at - 0x1000) / 4];
                EXPECT_GT(static_cast<int>(lane), before);
                before = static_cast<int>(lane);
            }
        }
    }
}

TEST_F(Coalescer, CompareAndSwapIsAloneInItsRequest) {
    op->kind = VectorMemOp::Kind::Atomic;
    op->atomic = AtomicOp::CmpSwap;
    run();
    EXPECT_EQ(accesses.size(), 64u);
}

TEST_F(Coalescer, AMisalignedAtomicIsReported) {
    op->kind = VectorMemOp::Kind::Atomic;
    op->atomic = AtomicOp::Add;
    op->addr[0][5] += 2;
    run();
    EXPECT_FALSE(aligned);
    EXPECT_EQ(accesses.back().lanes, uint64_t{1} << 5);
}

// Rows of neighbouring dwords are moved as a whole: with the same result as lane by lane.
TEST_F(Coalescer, NeighbouringDwordsArriveAsEachAlone) {
    const uint64_t masks[] = {~uint64_t{0}, 0xFFFF,     0x7FFE,           0xF0F0F0F0F0F0F0F0, 1,
                              0x8001,       0x3FFFFFFC, uint64_t{1} << 63};
    unsigned moved_whole = 0;
    for (const uint64_t lanes : masks)
        for (const uint64_t base : {0x1000u, 0x1004u, 0x1020u, 0x103Cu, 0x1002u})
            for (const bool second_half_elsewhere : {false, true})
                for (const auto kind : {VectorMemOp::Kind::Load, VectorMemOp::Kind::Store}) {
                    op->kind = kind;
                    op->lanes = lanes;
                    for (unsigned lane = 0; lane < 64; ++lane) {
                        op->addr[0][lane] =
                            base + 4 * lane + (second_half_elsewhere && lane >= 24 ? 8 : 0);
                        op->data[0][lane] = 0x01010101u * lane;
                    }
                    run();
                    EXPECT_EQ(all_lanes(), lanes);
                    Line memory;
                    for (unsigned i = 0; i < kLineBytes; ++i)
                        memory[i] = static_cast<uint8_t>(i + 77);
                    for (const LineAccess& access : accesses) {
                        LineAccess alone = access;
                        alone.linear = false;
                        moved_whole += access.linear ? 1 : 0;
                        auto other = std::make_unique<VectorMemOp>(*op);
                        EXPECT_EQ(load_bytes(access, *op), load_bytes(alone, *op));
                        Line ours{};
                        Line theirs{};
                        EXPECT_EQ(gather_store(access, *op, ours),
                                  gather_store(alone, *other, theirs));
                        EXPECT_EQ(ours, theirs);
                        scatter_load(access, memory, *op);
                        scatter_load(alone, memory, *other);
                        for (unsigned lane = 0; lane < 64; ++lane)
                            ASSERT_EQ(op->data[0][lane], other->data[0][lane]) << lane;
                    }
                }
    EXPECT_GT(moved_whole, 100u);
}

// The rule of coalescer.h, lane by lane.
std::vector<LineAccess> requests_of(const VectorMemOp& op, const CoalesceRates& rates) {
    std::vector<LineAccess> out;
    uint32_t cycle = 0;
    const auto take_group = [&](unsigned first, unsigned size, unsigned cycles) {
        const size_t window = out.empty() ? 0 : out.size() - 1;
        bool any = false;
        const auto touch = [&](unsigned lane, uint64_t byte) {
            for (size_t i = window; i < out.size(); ++i) {
                if (out[i].line == line_of(byte)) {
                    out[i].lanes |= uint64_t{1} << lane;
                    out[i].cycle = cycle;
                    return;
                }
            }
            out.push_back({line_of(byte), uint64_t{1} << lane, cycle, false});
        };
        for (unsigned lane = first; lane < first + size; ++lane) {
            if ((op.lanes >> lane & 1) == 0)
                continue;
            any = true;
            for (unsigned byte = 0; byte < op.bytes; ++byte)
                touch(lane, op.addr[0][lane] + byte);
        }
        cycle += any ? cycles : 0;
    };
    for (unsigned first = 0; first < 64; first += 16) {
        bool consecutive = op.bytes <= 4, same = op.bytes <= 4;
        for (unsigned a = first; a < first + 16; ++a)
            for (unsigned b = first; b < a; ++b)
                if ((op.lanes >> a & 1) != 0 && (op.lanes >> b & 1) != 0) {
                    consecutive &= op.addr[0][a] == op.addr[0][b] + op.bytes * (a - b);
                    same &= op.addr[0][a] == op.addr[0][b];
                }
        if (op.kind == VectorMemOp::Kind::Store)
            take_group(first, 16, rates.store_quarter);
        else if (consecutive || same)
            take_group(first, 16, rates.load_quarter);
        else
            for (unsigned quad = first; quad < first + 16; quad += 4)
                take_group(quad, 4, rates.load_quad);
    }
    return out;
}

TEST_F(Coalescer, RequestsAreThoseOfTheRule) {
    uint32_t x = 4711;
    const auto random = [&](uint32_t range) {
        return x = x * 1664525 + 1013904223, (x >> 8) % range;
    };
    unsigned linear = 0;
    for (unsigned round = 0; round < 4000; ++round) {
        const unsigned sizes[] = {1, 2, 4, 4, 4, 8, 12, 16};
        op->bytes = static_cast<uint8_t>(sizes[random(8)]);
        op->kind = random(3) == 0 ? VectorMemOp::Kind::Store : VectorMemOp::Kind::Load;
        op->lanes = random(2) == 0 ? ~uint64_t{0}
                                   : ~(uint64_t{1} << random(64) | uint64_t{1} << random(64) |
                                       uint64_t{random(1 << 20)} << random(44));
        // Rows of lanes beside each other, now and then with a step between them.
        const uint32_t steady = 1 + random(30);
        const uint32_t unit = random(4) == 0 ? 1 : 4;
        const uint32_t steps[] = {4, 0, op->bytes, op->bytes};
        const uint32_t step = steps[random(4)];
        uint64_t at = 0x4000 + unit * random(64);
        for (unsigned lane = 0; lane < 64; ++lane) {
            op->addr[0][lane] = at;
            at = random(steady) == 0 ? 0x4000 + unit * random(256) : at + step;
        }
        run();
        const std::vector<LineAccess> expected = requests_of(*op, {1, 1, 2, 1});
        ASSERT_EQ(accesses.size(), expected.size()) << "round " << round;
        for (size_t i = 0; i < expected.size(); ++i) {
            ASSERT_EQ(accesses[i].line, expected[i].line) << "round " << round;
            ASSERT_EQ(accesses[i].lanes, expected[i].lanes) << "round " << round;
            ASSERT_EQ(accesses[i].cycle, expected[i].cycle) << "round " << round;
            if (!accesses[i].linear)
                continue;
            ++linear;
            ASSERT_EQ(op->bytes, 4u);
            const auto lead = static_cast<unsigned>(__builtin_ctzll(accesses[i].lanes));
            for (unsigned lane = lead; lane < 64; ++lane) {
                if ((accesses[i].lanes >> lane & 1) == 0)
                    continue;
                ASSERT_EQ(op->addr[0][lane], op->addr[0][lead] + 4 * (lane - lead));
                ASSERT_EQ(line_of(op->addr[0][lane] + 3), accesses[i].line);
            }
        }
    }
    EXPECT_GT(linear, 1000u);
}

TEST_F(Coalescer, AnyLoadReturnsEveryByteOnce) {
    uint32_t x = 12345;
    const auto random = [&] { return x = x * 1664525 + 1013904223, x >> 8; };
    const auto memory = [](uint64_t at) { return static_cast<uint8_t>(at * 31 + (at >> 8)); };
    for (unsigned round = 0; round < 500; ++round) {
        const unsigned sizes[] = {1, 2, 4, 8, 12, 16};
        op->bytes = static_cast<uint8_t>(sizes[random() % 6]);
        op->contiguous = op->bytes < 8 || random() % 2 == 0;
        op->lanes = uint64_t{random()} << 40 ^ uint64_t { random() } << 20 ^ random();
        for (unsigned lane = 0; lane < 64; ++lane)
            for (unsigned k = 0; k < 4; ++k)
                op->addr[k][lane] = 0x2000 + random() % 700;
        for (unsigned k = 0; k < 4; ++k)
            op->dword_lanes[k] = op->lanes & (uint64_t{random()} << 32 | random() * 3u);
        for (auto& row : op->data)
            for (uint32_t& word : row)
                word = 0;
        run();
        for (const LineAccess& a : accesses) {
            Line line;
            for (unsigned i = 0; i < 64; ++i)
                line[i] = memory(a.line + i);
            scatter_load(a, line, *op);
        }
        for (unsigned lane = 0; lane < 64; ++lane) {
            if ((op->lanes >> lane & 1) == 0)
                continue;
            for (unsigned b = 0; b < op->bytes; ++b) {
                const unsigned k = b / 4;
                const bool loaded = op->contiguous || (op->dword_lanes[k] >> lane & 1) != 0;
                const uint64_t at =
                    op->contiguous ? op->addr[0][lane] + b : op->addr[k][lane] + b % 4;
                ASSERT_EQ(op->data[k][lane] >> (b % 4 * 8) & 0xFF, loaded ? memory(at) : 0u)
                    << "round " << round << " lane " << lane << " byte " << b;
            }
        }
    }
}

}  // namespace
}  // namespace archipelago::cu
