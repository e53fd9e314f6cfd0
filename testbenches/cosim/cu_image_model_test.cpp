// SPDX-License-Identifier: Apache-2.0
// What the Verilog compute unit takes from the model for image instructions, against the model:
// from what it is told of four lanes, all cycles must follow.
#include "rtl-bridge/verilated/cu_image_model.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "models/cu/isa/encoding.h"
#include "models/cu/isa/image_op.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/image_memory.h"
#include "models/mc/surface/tile_mode.h"
#include "pins/cu_pins.h"
#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {
namespace {

namespace enc = isa::enc;
using isa::Op;
using Words = CuImageWords;

constexpr unsigned kResource = 8, kSampler = 16, kVaddr = 4, kVdata = 20, kVgprs = 32;
constexpr unsigned kWaveWords = 155, kVgprsWord = 130;
constexpr uint32_t kXyzw = 4 | 5 << 3 | 6 << 6 | 7 << 9;
constexpr uint32_t kDim2 = 9, kDim3 = 10;
constexpr uint32_t kMicroTiled = 1, kMacroTiled = 2;  // tile modes; 0 is linear

// ---- an instruction, as the Verilog passes it and as the model sees it

struct Given {
    std::array<uint32_t, 2> words{};
    std::array<uint32_t, kWaveWords> wave{};
    std::array<uint32_t, Words::kTilingWords> tiling{};
    std::array<isa::VReg, 264> rows{};

    const uint32_t* address_rows() const { return rows[kVaddr]; }
    const uint32_t* data_rows() const { return rows[kVdata]; }
};

std::unique_ptr<Given> given(Random& random, Op op, uint32_t dmask, bool status = false) {
    auto g = std::make_unique<Given>();
    const uint64_t bits =
        enc::mimg::kId.put(enc::mimg::kIdValue) | enc::mimg::kOp.put(isa::op_info(op).number) |
        enc::mimg::kDmask.put(dmask) | enc::mimg::kTfe.put(status ? 1 : 0) |
        enc::mimg::kLwe.put(1) | enc::mimg::kGlc.put(1) | enc::mimg::kVaddr.put(kVaddr) |
        enc::mimg::kVdata.put(kVdata) | enc::mimg::kSrsrcQuad.put(kResource / 4) |
        enc::mimg::kSsampQuad.put(kSampler / 4);
    g->words = {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
    const uint64_t exec = random.one_in(2) ? ~uint64_t{0} : random.bits();
    std::memcpy(&g->wave[isa::kExecLo], &exec, sizeof exec);
    g->wave[kVgprsWord] = kVgprs;
    surface::TileMode mode;
    mode.array = surface::ArrayMode::LinearAligned;
    g->tiling[1] = surface::encode_si_tile_mode(mode);
    mode.array = surface::ArrayMode::Tiled1dThin;
    g->tiling[1 + kMicroTiled] = surface::encode_si_tile_mode(mode);
    mode.array = surface::ArrayMode::Tiled2dThin;
    g->tiling[1 + kMacroTiled] = surface::encode_si_tile_mode(mode);
    g->tiling[surface::TilingWrite::kBorderColors] = 0x4000;
    return g;
}

void put_resource(Given& g, uint32_t type, uint32_t dfmt, uint32_t nfmt, uint32_t mode,
                  uint32_t levels = 1) {
    const uint32_t words[8] = {0x1000,
                               0x80u << 8 | dfmt << 20 | nfmt << 26,
                               63 | 63 << 14,
                               kXyzw | (levels - 1) << 16 | mode << 20 | type << 28,
                               (type == kDim3 ? 7u : 0u) | 63 << 13,
                               0,
                               0x180,
                               0};
    std::copy(std::begin(words), std::end(words), &g.wave[kResource]);
}

void put_sampler(Given& g, bool linear) {
    g.wave[kSampler] = 6;  // x: border
    g.wave[kSampler + 1] = 0xfff000;
    g.wave[kSampler + 2] = linear ? 1u << 20 | 1u << 22 | 2u << 24 | 2u << 26 : 1u << 26;
    g.wave[kSampler + 3] = 3u << 30;  // from the table
}

void put_coordinates(Given& g, Random& random, bool floats) {
    for (unsigned v = kVaddr; v < kVaddr + Words::kAddressRows; ++v)
        for (uint32_t& lane : g.rows[v]) {
            const float near = static_cast<float>(random.below(1000)) / 500.0f;
            lane = random.below(random.one_in(8) ? 200 : 64);
            if (floats)
                std::memcpy(&lane, &near, sizeof near);
        }
    for (unsigned v = kVdata; v < kVdata + Words::kDataRows; ++v)
        for (uint32_t& lane : g.rows[v])
            lane = random.word();
}

// One of each kind that reads texels, over formats of each width.
std::unique_ptr<Given> any_reading(Random& random) {
    struct Kind {
        Op op;
        uint32_t dmask;
        bool floats;
    };
    static constexpr Kind kKinds[] = {
        {Op::IMAGE_LOAD, 15, false},        {Op::IMAGE_LOAD, 3, false},
        {Op::IMAGE_LOAD_MIP, 1, false},     {Op::IMAGE_LOAD_PCK, 5, false},
        {Op::IMAGE_SAMPLE, 7, true},        {Op::IMAGE_SAMPLE_L, 15, true},
        {Op::IMAGE_SAMPLE_D, 3, true},      {Op::IMAGE_GATHER4, 2, true},
        {Op::IMAGE_GET_RESINFO, 15, false}, {Op::IMAGE_GET_LOD, 3, true}};
    static constexpr uint32_t kFormats[] = {1, 4, 11, 13, 14, 10, 35, 37};  // UINT or UNORM
    const Kind& kind = random.pick(kKinds);
    auto g = given(random, kind.op, kind.dmask, random.one_in(3));
    const uint32_t dfmt = random.pick(kFormats);
    const bool wide = dfmt == 4 || (dfmt >= 11 && dfmt <= 14);
    const bool flat = kind.op == Op::IMAGE_GATHER4 || random.one_in(2);
    put_resource(*g, flat ? kDim2 : kDim3, dfmt,
                 !wide              ? 0
                 : random.one_in(2) ? 4
                                    : 7,
                 dfmt == 13 ? 0 : random.below(2), dfmt == 13 ? 1 : 3);
    put_sampler(*g, !random.one_in(3));
    put_coordinates(*g, random, kind.floats);
    return g;
}

struct Model {
    isa::VectorMemOp op;
    isa::ImageOp image;
    isa::ImageUnit layouts;
    surface::TilingRegisters tiling;

    void run(Given& g) {
        for (uint8_t i = 0; i < Words::kTilingWords; ++i)
            tiling.write({i, g.tiling[i]});
        isa::WaveState w;
        std::copy(g.wave.begin(), g.wave.begin() + 128, w.s);
        w.num_vgprs = kVgprs;
        w.v = g.rows.data();
        isa::image_mem(isa::decode(g.words.data(), 2), w, tiling, layouts, op, image);
    }
};

struct Described {
    int reason = 0;
    std::array<uint32_t, Words::kCount> op{};
    std::array<uint64_t, isa::kLanes> addresses{};
    std::array<isa::VReg, Words::kDataRows> data{};

    explicit Described(const Given& g) {
        reason = cu_image_describe(g.words.data(), g.wave.data(), g.tiling.data(), g.address_rows(),
                                   g.data_rows(), op.data(),
                                   reinterpret_cast<uint32_t*>(addresses.data()), data[0]);
    }
    uint64_t wide(unsigned word) const { return op[word] | uint64_t{op[word + 1]} << 32; }
    unsigned footprints(unsigned quad) const { return op[Words::kQuads + quad] & 0xff; }
    unsigned lines(unsigned quad) const {
        return op[Words::kQuads + quad] >> Words::kLinesShift & 0xff;
    }
    bool single(unsigned quad) const {
        return (op[Words::kQuads + quad] >> Words::kSingleShift & 1) != 0;
    }
    bool reads(unsigned quad) const { return (wide(Words::kLanes) >> (4 * quad) & 15) != 0; }
};

struct Requests {
    std::array<uint64_t, 4> lanes{}, addresses{}, masks{};
    std::array<uint32_t, 4> footprints{};
    uint32_t last = 0;

    Requests(void* images, unsigned op, unsigned first) {
        const auto words = [](auto& a) { return reinterpret_cast<uint32_t*>(a.data()); };
        cu_image_requests(images, 0, static_cast<int>(op), static_cast<int>(first), words(lanes),
                          words(addresses), words(masks), footprints.data(), &last);
    }
};

class CuImageModel : public ::testing::Test {
  protected:
    CuImageModel() : images_(cu_images_new()) {}
    ~CuImageModel() override { cu_images_delete(images_); }

    void issue(const Given& g, unsigned op) {
        cu_image_issue(images_, static_cast<int>(op), g.words.data(), g.wave.data(),
                       g.tiling.data(), g.address_rows());
    }
    std::array<isa::VReg, Words::kDataRows> result(unsigned op) {
        std::array<isa::VReg, Words::kDataRows> rows{};
        cu_image_result(images_, 0, static_cast<int>(op), rows[0]);
        return rows;
    }

    Random random_{41};
    Model model_;
    void* images_;
};

// Memory that holds the same at every address for ever.
Line line_at(uint64_t address) {
    Line line;
    Random random(address * 0x9e3779b97f4a7c15u + 1);
    for (uint8_t& byte : line)
        byte = static_cast<uint8_t>(random.word());
    return line;
}

TEST_F(CuImageModel, GivesWhatCyclesFollowFrom) {
    cu::CuSpec spec;
    spec.image_load_cycles = {3, 5, 7};
    spec.image_scattered_cycles = {11, 13, 17};
    spec.image_filter_cycles = {19, 23, 29};
    unsigned paired = 0, scattered = 0, filtered = 0;
    for (unsigned n = 0; n < 600; ++n) {
        const auto g = any_reading(random_);
        model_.run(*g);
        ASSERT_EQ(model_.op.unsupported, nullptr) << model_.op.unsupported;
        const Described d(*g);
        ASSERT_EQ(d.reason, 0);
        EXPECT_NE(d.op[Words::kTexels], 0u);
        EXPECT_EQ(d.wide(Words::kLanes), model_.op.lanes);
        EXPECT_EQ(d.wide(Words::kZeroLanes), model_.op.zero_lanes);
        EXPECT_EQ(d.wide(Words::kWarned), model_.image.lod_warn);
        EXPECT_EQ(d.op[Words::kDwords], model_.op.dwords);
        EXPECT_EQ(d.op[Words::kRegisters] + d.op[Words::kStatus], model_.op.dwords);

        const cu::ImageRates rates{6, 9};
        std::vector<cu::LineAccess> requests;
        const unsigned busy = cu::coalesce_image(model_.image, model_.op.lanes, rates, requests);
        unsigned cycles = 0, returning = 0;
        bool single = model_.op.lanes != 0;
        const unsigned wide = d.op[Words::kWide];
        for (unsigned q = 0; q < 16; ++q) {
            if (!d.reads(q))
                continue;
            cycles += d.footprints(q) * rates.quad;
            single = single && d.single(q);
            const bool apart = d.lines(q) > spec.linear_lines;
            returning += !d.single(q) ? d.footprints(q) * spec.image_filter_cycles[wide]
                         : apart      ? spec.image_scattered_cycles[wide]
                                      : spec.image_load_cycles[wide];
            scattered += d.single(q) && apart ? 1 : 0;
            filtered += d.single(q) ? 0 : 1;
        }
        const bool pair = single && d.op[Words::kRegisters] == 2;
        paired += pair ? 1 : 0;
        EXPECT_EQ(busy, std::max(1u, cycles + (pair ? rates.pair : 0)));
        EXPECT_EQ(cu::image_return_cycles(model_.image, model_.op.lanes, spec),
                  d.op[Words::kDirect] != 0 ? 0 : (returning + 15) / 16);

        issue(*g, n % 64);
        for (unsigned i = 0; i <= requests.size(); ++i) {
            const Requests shown(images_, n % 64, i);
            EXPECT_EQ(shown.last & 1, i + 1 == requests.size() ? 1u : 0u);
            if (i == requests.size()) {
                EXPECT_EQ(shown.lanes[0], 0u);
                break;
            }
            EXPECT_EQ(shown.lanes[0], requests[i].lanes);
            EXPECT_EQ(shown.addresses[0], requests[i].line);
            EXPECT_EQ(shown.masks[0], cu::image_bytes(model_.image, requests[i]));
            EXPECT_EQ(shown.footprints[0] * rates.quad, requests[i].cycle);
        }
    }
    EXPECT_GT(paired, 10u);
    EXPECT_GT(scattered, 100u);
    EXPECT_GT(filtered, 100u);
}

// Four of them are shown from any number on, and showing them changes nothing.
TEST_F(CuImageModel, ShowsFourRequests) {
    auto g = given(random_, Op::IMAGE_LOAD, 1);
    put_resource(*g, kDim2, 4, 4, 0);
    put_coordinates(*g, random_, false);
    issue(*g, 63);
    const Requests first(images_, 63, 0), later(images_, 63, 2), again(images_, 63, 0);
    EXPECT_EQ(first.addresses, again.addresses);
    EXPECT_EQ(first.lanes, again.lanes);
    EXPECT_EQ(first.addresses[2], later.addresses[0]);
    EXPECT_EQ(first.addresses[3], later.addresses[1]);
    EXPECT_NE(first.lanes[3], 0u);
    EXPECT_EQ(first.last, 0u);
}

// Instructions on their way beside each other, answered from the last request to the first.
TEST_F(CuImageModel, BringsTexelsToRegisters) {
    constexpr unsigned kFlights = 64;
    std::array<std::array<isa::VReg, Words::kDataRows>, kFlights> expected{};
    std::array<unsigned, kFlights> written{};
    for (unsigned op = 0; op < kFlights; ++op) {
        const auto g = any_reading(random_);
        model_.run(*g);
        issue(*g, op);
        std::vector<cu::LineAccess> requests;
        cu::coalesce_image(model_.image, model_.op.lanes, {}, requests);
        for (const cu::LineAccess& access : requests)
            cu::scatter_image(access, line_at(access.line), model_.image);
        std::array<isa::VReg, 264> rows{};
        isa::WaveState w;
        w.v = rows.data();
        isa::image_complete(model_.op, model_.image, w);
        written[op] = model_.image.registers;
        for (unsigned k = 0; k < written[op]; ++k)
            std::memcpy(expected[op][k], rows[kVdata + k], sizeof(isa::VReg));
    }
    for (unsigned op = 0; op < kFlights; ++op) {
        std::vector<uint64_t> lines;
        while (Requests(images_, op, static_cast<unsigned>(lines.size())).lanes[0] != 0)
            lines.push_back(
                Requests(images_, op, static_cast<unsigned>(lines.size())).addresses[0]);
        for (size_t n = lines.size(); n-- > 0;) {
            const Line line = line_at(lines[n]);
            std::array<uint32_t, 16> words;
            std::memcpy(words.data(), line.data(), sizeof words);
            cu_image_answer(images_, static_cast<int>(op), static_cast<int>(n), words.data());
        }
    }
    for (unsigned op = 0; op < kFlights; ++op) {
        const auto rows = result(op);
        for (unsigned k = 0; k < Words::kDataRows; ++k)
            EXPECT_EQ(std::memcmp(rows[k], expected[op][k], sizeof(isa::VReg)), 0)
                << op << ", register " << k;
    }
}

TEST_F(CuImageModel, GivesStoresAndAtomicsAddressesAndData) {
    for (const Op op : {Op::IMAGE_STORE, Op::IMAGE_STORE_PCK, Op::IMAGE_ATOMIC_ADD}) {
        auto g = given(random_, op, op == Op::IMAGE_STORE ? 15 : 1);
        put_resource(*g, kDim2, op == Op::IMAGE_STORE ? 14 : 4, 4, kMacroTiled);
        put_coordinates(*g, random_, false);
        model_.run(*g);
        const Described d(*g);
        ASSERT_EQ(d.reason, 0);
        EXPECT_EQ(d.op[Words::kTexels], 0u);
        EXPECT_EQ(d.op[Words::kKind], static_cast<uint32_t>(model_.op.kind));
        EXPECT_EQ(d.op[Words::kBytes], model_.op.bytes);
        EXPECT_EQ(d.op[Words::kDwords], model_.op.dwords);
        EXPECT_EQ(d.op[Words::kReturns], op == Op::IMAGE_ATOMIC_ADD ? 1u : 0u);
        EXPECT_EQ(d.wide(Words::kLanes), model_.op.lanes);
        EXPECT_NE(model_.op.lanes, 0u);
        for (uint64_t m = model_.op.lanes; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            EXPECT_EQ(d.addresses[lane], model_.op.addr[0][lane]);
            for (unsigned k = 0; k < model_.op.dwords; ++k)
                EXPECT_EQ(d.data[k][lane], model_.op.data[k][lane]);
        }
    }
}

TEST_F(CuImageModel, SaysWhyAUnitStops) {
    auto g = given(random_, Op::IMAGE_LOAD, 1);
    put_resource(*g, 0, 4, 4, 0);  // a buffer's
    EXPECT_EQ(Described(*g).reason, CuPins::kNotImplemented);
    put_resource(*g, kDim2, 4, 4, 0);
    EXPECT_EQ(Described(*g).reason, 0);
    g->wave[kVgprsWord] = kVaddr + 1;
    EXPECT_EQ(Described(*g).reason, CuPins::kBadInput);
    // Another value of a register is seen at once.
    g->wave[kVgprsWord] = kVgprs;
    g->tiling[0] = 7;  // NUM_PIPES
    EXPECT_EQ(Described(*g).reason, CuPins::kNotImplemented);
}

}  // namespace
}  // namespace archipelago::rtl
