// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the address calculation of Southern Islands' surfaces.
#include <algorithm>
#include <array>
#include <string>

#include "models/asic/chip_options.h"
#include "models/mc/tile_address/tile_address_core.h"
#include "models/mc/tile_address/tile_address_unit.h"
#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {
namespace {

using In = SiTileAddressPins::In;
using Out = SiTileAddressPins::Out;
using Surface = SiTileAddressPins::Surface;
using Request = SiTileAddressPins::Request;
using surface::ArrayMode;
using surface::TileMode;

constexpr uint32_t kCoordinateMask = (1u << SiTileAddressPins::kCoordinateBits) - 1;
constexpr uint64_t kAddressMask = (uint64_t{1} << SiTileAddressPins::kAddressBits) - 1;

// What SurfaceLevel::set_up says of a surface that there is not.
constexpr const char* kRefusals[] = {"TILE_SPLIT 7",
                                     "PIPE_CONFIG is not",
                                     "NUM_PIPES is not",
                                     "PIPE_INTERLEAVE_SIZE is not",
                                     "ROW_SIZE is not",
                                     "no such element size",
                                     "samples must be",
                                     "empty",
                                     "larger than any",
                                     "thick tiles have one sample",
                                     "multiples of the 8 x 8 tile",
                                     "multiple of the tile's thickness",
                                     "no such micro tile order",
                                     "is not published",
                                     "smaller than a tile",
                                     " macro tile;",
                                     "two tiles in one place"};
constexpr const char* kPipes[] = {"P2",
                                  "P4_8x16",
                                  "P4_16x16",
                                  "P4_16x32",
                                  "P4_32x32",
                                  "P8_16x32_8x16",
                                  "P8_32x32_8x16",
                                  "P8_16x32_16x16",
                                  "P8_32x32_16x16",
                                  "P8_32x32_16x32",
                                  "P8_32x64_32x32",
                                  "P16_32x32_8x16",
                                  "P16_32x32_16x16"};
constexpr uint8_t kPipeCodes[] = {0, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 16, 17};

class SiTileAddressStimulus : public Stimulus<SiTileAddressPins> {
  public:
    explicit SiTileAddressStimulus(const CosimOptions& options)
        : random_(options.seed), recorded_(recorded_traffic<In>(options)) {
        add_bins();
    }

    void next(In& in) override {
        if (recorded_ != nullptr) {
            in = (*recorded_)[at_++];
            return;
        }
        in = {};
        in.rst = random_.one_in(20'000) ? 1 : 0;
        in.out_ready = out_flow_.next(random_) ? 1 : 0;
        choose(in.reg);
        in.reg_valid = random_.one_in(12) ? 1 : 0;
        choose(in.set);
        in.set_valid = random_.one_in(6) ? 1 : 0;
        const Request* held =
            offer_.in_cycle(in_flow_.next(random_), [&](Request& r) { choose(r); });
        in.in_valid = held != nullptr ? 1 : 0;
        if (held != nullptr)
            in.in = *held;
        else
            choose(in.in);  // must not matter
    }

    void observe(const In& in, const Out& out) override {
        const bool taken = in.in_valid != 0 && out.in_ready != 0;
        const bool given = out.out_valid != 0 && in.out_ready != 0;
        unsigned bin = 0;
        const auto flow = [&](bool when) { coverage_.hit(flow_, bin++, when); };
        flow(in.in_valid != 0 && out.in_ready == 0);
        flow(out.out_valid != 0 && in.out_ready == 0);
        flow(in.in_valid == 0 && out.in_ready != 0);
        flow(out.out_valid == 0);
        flow(inside_ == SiTileAddressPins::kLatency && taken && given);
        flow(taken && in.set_valid != 0 && in.set.number == in.in.surface);
        flow(in.set_valid != 0 && in.reg_valid != 0 && in.reg.index == in.set.tile + 1);
        flow(in.set_valid != 0 && in.reg_valid != 0 && in.reg.index == 0);
        flow(in.rst != 0 && inside_ != 0);
        flow(given && out.out_refused != 0);
        flow(in.reg_valid != 0 && in.reg.index > surface::TilingRegisters::kModes);
        if (taken)
            count(in.in);
        if (in.set_valid != 0)
            set(in.set);
        if (in.reg_valid != 0)
            registers_.write({in.reg.index, in.reg.value});
        inside_ += (taken ? 1 : 0) - (given ? 1 : 0);
        if (taken || in.rst != 0)
            offer_.drop();
        if (in.rst != 0) {
            inside_ = 0;
            registers_ = {};
            known_ = {};
        }
    }

    bool finished() const override { return recorded_ != nullptr && at_ == recorded_->size(); }
    const Coverage& coverage() const override { return coverage_; }

  private:
    struct Known {
        surface::SurfaceLevel level;
        bool good = false;
    };

    void add_bins() {
        std::vector<std::string> bins;
        for (unsigned mode = 0; mode < 16; ++mode)
            bins.emplace_back(name_of(static_cast<ArrayMode>(mode)));
        array_ = coverage_.add_group("array mode", bins);
        pipe_ = coverage_.add_group("pipe configuration", {std::begin(kPipes), std::end(kPipes)});
        bins.clear();
        for (const char* micro : {"display", "thin", "depth", "rotated"})
            for (unsigned bytes = 1; bytes <= 16; bytes *= 2)
                if (micro[0] != 'r' || bytes < 16)
                    bins.push_back(std::string(micro) + ", " + std::to_string(bytes) + " bytes");
        bins.emplace_back("linear, 12 bytes");
        order_ = coverage_.add_group("order of elements", bins);
        bins.clear();
        for (const char* what : {"bank width ", "bank height ", "macro aspect "})
            for (unsigned n = 1; n <= 8; n *= 2)
                bins.push_back(what + std::to_string(n));
        for (unsigned n = 2; n <= 16; n *= 2)
            bins.push_back(std::to_string(n) + " banks");
        for (unsigned n = 1; n <= 16; n *= 2)
            bins.push_back("tile of " + std::to_string(n) + " parts");
        bins.emplace_back("tile of more parts");
        for (unsigned n = 1; n <= 16; n *= 2)
            bins.push_back(std::to_string(n) + " samples");
        bins.emplace_back("interleave of 256");
        bins.emplace_back("interleave of 512");
        shape_ = coverage_.add_group("shape", bins);
        refusal_ = coverage_.add_group("refused", {std::begin(kRefusals), std::end(kRefusals)});
        place_ = coverage_.add_group(
            "place", {"first element", "inside", "beyond the pitch", "beyond the height",
                      "beyond the slices", "beyond the samples", "last coordinate of all",
                      "address beyond 40 bits", "address wraps", "swizzled", "of no surface"});
        flow_ = coverage_.add_group(
            "flow", {"in waits", "out waits", "in idle", "out empty", "full pipeline moves",
                     "surface set with its request", "mode written with its surface",
                     "configuration written with a surface", "reset with requests inside",
                     "refused request leaves", "register of no number"});
    }

    // ---- choices
    uint32_t mode_word() {
        static constexpr uint8_t kNoPipes[] = {1, 3, 8, 15, 18, 31};
        const uint32_t pipe =
            random_.one_in(24) ? random_.pick(kNoPipes) : random_.pick(kPipeCodes);
        const uint32_t split = random_.one_in(40) ? 7 : random_.below(7);
        const uint32_t array = random_.below(16);
        // The wide tables fit few macro tiles: narrow banks more often.
        const uint32_t banks =
            random_.below(4) << 20 | (random_.one_in(2) ? 0 : random_.below(4)) << 18 |
            random_.below(4) << 16 | (random_.one_in(2) ? 0 : random_.below(4)) << 14;
        return banks | split << 11 | pipe << 6 | array << 2 | random_.below(4) |
               (random_.word() & 0xffc00000);
    }
    void choose(SiTileAddressPins::Register& r) {
        if (random_.one_in(8)) {
            r.index = static_cast<uint8_t>(random_.below(64));
        } else {
            r.index = static_cast<uint8_t>(random_.below(33));
        }
        if (r.index != 0) {
            r.value = mode_word();
            return;
        }
        r.value = random_.word() & 0x0fff'f888u;
        r.value |= random_.one_in(30) ? 5 + random_.below(3) : random_.below(5);
        r.value |= (random_.one_in(30) ? 2 + random_.below(6) : random_.below(2)) << 4;
        r.value |= (random_.one_in(30) ? 3 : random_.below(3)) << 28;
    }
    // Elements; mostly a multiple of the macro tile.
    uint32_t side(uint32_t granule) {
        switch (random_.below(48)) {
            case 0:
                return 0;
            case 1:
                return (1u << 18) + 1 + random_.below(1u << 17);
            case 2:
                return random_.below(1u << 19);
            case 3:
                return 1u << 18;
            case 4:
                return granule / 2 + granule * random_.below(4);
            case 5:
                return 8 * (1 + random_.below(64));
            case 6:
                return granule * (1 + random_.below(std::max(1u, (1u << 18) / granule)));
            default:
                return granule * (1 + random_.below(24));
        }
    }
    void choose(Surface& s) {
        s.number = static_cast<uint8_t>(random_.below(SiTileAddressPins::kSurfaces));
        s.tile = static_cast<uint8_t>(random_.below(32));
        const TileMode& mode = registers_.modes[s.tile];
        const bool linear = surface::is_linear(mode.array);
        const uint32_t thick = surface::thickness(mode.array);
        surface::MacroTile tile{8, 8};
        if (surface::is_macro(mode.array) && mode.fault == nullptr)
            tile = surface::macro_tile_of(mode);
        else if (linear)
            tile = {1, 1};
        s.size = static_cast<uint8_t>(random_.one_in(40)            ? random_.below(8)
                                      : linear && random_.one_in(3) ? 5
                                                                    : random_.below(5));
        s.samples = static_cast<uint8_t>(random_.one_in(40) ? random_.below(8)
                                         : thick > 1        ? 0
                                                            : random_.below(5));
        s.pitch = side(std::max(1u, tile.width));
        s.height = side(std::max(1u, tile.height));
        s.slices = random_.one_in(30)   ? (random_.one_in(2) ? 0 : (1u << 18) + random_.below(3))
                   : random_.one_in(30) ? random_.of_any_width(1, (1u << 18) - 1)
                                        : thick * (1 + random_.below(20)) +
                                              (random_.one_in(20) ? random_.below(thick) : 0);
        s.base = random_.one_in(16) ? kAddressMask - random_.below(1u << 20)
                                    : (random_.bits() & 0xff'ffff'ffff) >> random_.below(24);
        s.pipe_swizzle = static_cast<uint8_t>(random_.one_in(2) ? 0 : random_.below(16));
        s.bank_swizzle = static_cast<uint8_t>(random_.one_in(2) ? 0 : random_.below(16));
    }
    uint32_t coordinate(uint32_t end) {
        switch (random_.below(12)) {
            case 0:
                return 0;
            case 1:
                return random_.word() & kCoordinateMask;
            case 2:
                return kCoordinateMask;
            case 3:
                return end & kCoordinateMask;
            case 4:
                return (end - 1) & kCoordinateMask;
            case 5:
                return 1u << random_.below(SiTileAddressPins::kCoordinateBits);
            default:
                return random_.below(std::max(1u, end)) & kCoordinateMask;
        }
    }
    void choose(Request& r) {
        r.surface = static_cast<uint8_t>(random_.below(SiTileAddressPins::kSurfaces));
        const surface::LevelLayout& l = known_[r.surface].level.layout;
        r.x = coordinate(l.pitch);
        r.y = coordinate(l.height);
        r.slice = coordinate(l.slices);
        r.sample = static_cast<uint8_t>(random_.one_in(8) ? random_.below(16)
                                                          : random_.below(std::max(1u, l.samples)));
        r.tag = static_cast<uint8_t>(random_.word());
    }

    // ---- coverage
    void set(const Surface& s) {
        Known& k = known_[s.number];
        std::string error;
        k.good = k.level.set_up(tile_address::layout_of(s, registers_), registers_.address, error);
        for (size_t i = 0; !k.good && i < std::size(kRefusals); ++i)
            coverage_.hit(refusal_, i, (error + ";").find(kRefusals[i]) != std::string::npos);
    }
    void count(const Request& r) {
        const Known& k = known_[r.surface];
        const auto place = [&](size_t bin, bool when) { coverage_.hit(place_, bin, when); };
        place(10, !k.good);
        if (!k.good)
            return;
        const surface::LevelLayout& l = k.level.layout;
        place(0, (r.x | r.y | r.slice | r.sample) == 0);
        place(1, r.x < l.pitch && r.y < l.height && r.slice < l.slices && r.sample < l.samples);
        place(2, r.x >= l.pitch);
        place(3, r.y >= l.height);
        place(4, r.slice >= l.slices);
        place(5, r.sample >= l.samples);
        place(6, r.x == kCoordinateMask && r.y == kCoordinateMask);
        const uint64_t address = surface::byte_address(k.level, r.x, r.y, r.slice, r.sample);
        place(7, address >> 40 != 0);
        place(8, address > kAddressMask);
        place(9, surface::is_macro(l.mode.array) && (l.pipe_swizzle | l.bank_swizzle) != 0);
        count(k.level);
    }
    void count(const surface::SurfaceLevel& level) {
        const surface::LevelLayout& l = level.layout;
        const TileMode& m = l.mode;
        coverage_.hit(array_, static_cast<size_t>(m.array));
        if (surface::is_linear(m.array)) {
            coverage_.hit(order_, 19, l.bits == 96);
            return;
        }
        const auto log2 = [](uint32_t n) { return static_cast<size_t>(__builtin_ctz(n)); };
        coverage_.hit(order_, 5 * static_cast<size_t>(m.micro) + log2(l.bits / 8));
        coverage_.hit(shape_, 22 + log2(l.samples));
        if (!surface::is_macro(m.array))
            return;
        for (size_t i = 0; i < std::size(kPipeCodes); ++i)
            coverage_.hit(pipe_, i, static_cast<uint8_t>(m.pipe) == kPipeCodes[i]);
        coverage_.hit(shape_, log2(m.bank_width));
        coverage_.hit(shape_, 4 + log2(m.bank_height));
        coverage_.hit(shape_, 8 + log2(m.macro_aspect));
        coverage_.hit(shape_, 12 + log2(m.banks) - 1);
        const uint32_t parts =
            std::max(1u, level.split_mask == ~0u ? 1 : level.tile_bytes / (level.split_mask + 1));
        coverage_.hit(shape_, 16 + std::min<size_t>(5, log2(parts)));
        coverage_.hit(shape_, 27 + level.interleave_shift - 8u);
    }

    Random random_;
    const std::vector<In>* recorded_;
    size_t at_ = 0;
    Activity in_flow_, out_flow_;
    Offer<Request> offer_{nullptr};
    unsigned inside_ = 0;
    surface::TilingRegisters registers_;
    std::array<Known, SiTileAddressPins::kSurfaces> known_;
    Coverage coverage_;
    size_t array_ = 0, pipe_ = 0, order_ = 0, shape_ = 0, refusal_ = 0, place_ = 0, flow_ = 0;
};

struct Parts {
    using Pins = SiTileAddressPins;
    using Core = tile_address::TileAddressCore;
    using Stimulus = SiTileAddressStimulus;
    using Recording = StepRecording<Parts>;
    using Unit = tile_address::PinAddressUnit;
    static constexpr const char* kDescription = "addresses of Southern Islands' tiled surfaces";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<surface::AddressUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
