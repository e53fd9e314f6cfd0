// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the format conversion of a compute unit.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/cu/isa/buffer_resource.h"
#include "models/cu/pipeline/ta_format_core.h"
#include "pins/ta_format_pins.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/numbers.h"
#include "rtl-bridge/compare/pipe_stimulus.h"

namespace archipelago::rtl {
namespace {

using Query = TaFormatPins::Query;
using In = TaFormatPins::In;
using Out = TaFormatPins::Out;

constexpr unsigned kLanes = TaFormatPins::kLanes;
constexpr unsigned kIdentity = isa::kIdentitySelect;
enum NumberFormat : unsigned { kUnorm, kSnorm, kUscaled, kSscaled, kUint, kSint, kOgl, kFloat };
constexpr const char* kNumberFormats[] = {"UNORM", "SNORM", "USCALED",   "SSCALED",
                                          "UINT",  "SINT",  "SNORM_OGL", "FLOAT"};

class TaFormatRecording : public RecordingOf<Query>, public cu::FormatUnit {
  public:
    using RecordingOf::RecordingOf;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<cu::FormatUnit>(*this);
    }
    bool store(const isa::Inst& inst, const isa::WaveState& wave, isa::VectorMemOp& op) override {
        if (op.kind != isa::VectorMemOp::Kind::Load && op.lanes != 0) {
            Query query;
            cu::store_query(inst, wave, op, query);
            add(query);
        }
        return false;
    }
    bool load(const isa::VectorMemOp& op, isa::WaveState&) override {
        if (op.returns) {
            Query query;
            cu::load_query(op, query);
            add(query);
        }
        return false;
    }
};

struct Format {
    uint8_t dfmt, nfmt;
};

// All that can be loaded, or stored. Without a format: INVALID, of each number format.
std::vector<Format> formats(bool stored) {
    std::vector<Format> r;
    for (uint8_t dfmt = 0; dfmt < 15; ++dfmt)
        for (uint8_t nfmt = 0; nfmt < 8; ++nfmt)
            if ((stored ? isa::unsupported_store(dfmt, nfmt) : isa::unsupported_load(dfmt, nfmt)) ==
                    nullptr &&
                !(stored && dfmt == 0))
                r.push_back({dfmt, nfmt});
    return r;
}

// What matters to one of the block's rules, in its own proportions.
class Choice {
  public:
    explicit Choice(Random& random)
        : random_(random), numbers_(random_), loaded_(formats(false)), stored_(formats(true)) {}
    const std::vector<Format>& loaded() const { return loaded_; }
    const std::vector<Format>& stored() const { return stored_; }

    void query(Query& q) {
        q.store = random_.one_in(2) ? 1 : 0;
        q.typed = random_.one_in(6) ? 0 : 1;
        static constexpr uint8_t kBytes[] = {1, 2, 4, 8, 12, 16};
        q.bytes = random_.pick(kBytes);
        q.sign_extend = random_.one_in(2) ? 1 : 0;
        q.dwords = static_cast<uint8_t>(1 + random_.below(4));
        const std::vector<Format>& known = q.store != 0 ? stored_ : loaded_;
        const Format format = known[random_.below(static_cast<uint32_t>(known.size()))];
        q.dfmt = format.dfmt;
        q.nfmt = format.nfmt;
        q.dst_sel = select();
        lanes(q);
        const bool floats = q.store != 0 && q.nfmt != kUint && q.nfmt != kSint;
        for (uint32_t& x : q.data)
            x = floats ? stored_float(q) : random_.one_in(8) ? loaded_halves() : numbers_.integer();
    }

  private:
    uint16_t select() {
        if (random_.one_in(2))
            return kIdentity;
        unsigned r = 0;
        for (unsigned c = 0; c < 4; ++c) {
            static constexpr unsigned kSelectors[] = {0, 1, 4, 5, 6, 7, 4, 5, 6, 7};
            r |= random_.pick(kSelectors) << (3 * c);
        }
        return static_cast<uint16_t>(random_.one_in(64) ? random_.below(4096) : r);
    }
    uint64_t mask() {
        switch (random_.below(4)) {
            case 0:
                return ~uint64_t{0};
            case 1:
                return 0;
            case 2:
                return ~(random_.bits() & random_.bits() & random_.bits());
            default:
                return random_.bits();
        }
    }
    void lanes(Query& q) {
        q.written = mask() | mask();
        q.dword_lanes[0] = q.written & (mask() | mask());
        for (unsigned k = 1; k < TaFormatPins::kDwords; ++k)
            q.dword_lanes[k] = random_.one_in(2) ? q.dword_lanes[0] : q.written & mask();
    }
    uint32_t float_bits(float x) {
        uint32_t r;
        std::memcpy(&r, &x, sizeof r);
        return r;
    }
    // Special numbers of half precision.
    uint32_t loaded_halves() {
        static constexpr uint32_t kHalves[] = {0x7c00, 0xfc00, 0x7e00, 0xfc01,
                                               0x7bff, 0x0001, 0x83ff, 0x8000};
        return random_.pick(kHalves) | random_.pick(kHalves) << 16;
    }
    // Of a number of up to seven bits of mantissa.
    uint32_t halfway(uint32_t sign) {
        const uint32_t exponent = 103 + random_.below(41);
        const uint32_t mantissa = (random_.word() & 0x7f) << (16 + random_.below(2));
        return sign | ((exponent << 23 | mantissa) + random_.below(3) - 1);
    }
    // Around halfway between two numbers of the format, and around their ends.
    uint32_t stored_float(const Query& q) {
        static constexpr unsigned kWidths[] = {1, 2, 7, 8, 9, 10, 11, 15, 16, 31, 32};
        const uint32_t sign = random_.one_in(4) ? 0x80000000 : 0;
        switch (random_.below(q.nfmt == kFloat ? 3 : 5)) {
            case 0:
                return numbers_.of_class(random_.below(kNumberClasses));
            case 1: {  // what half precision and less can hold, and its places
                const uint32_t exponent = 86 + random_.below(62);
                const uint32_t places = random_.one_in(2) ? 10 + random_.below(14) : 23;
                const uint32_t mantissa = random_.word() & 0x7fffff & ~((1u << (23 - places)) - 1);
                return sign | exponent << 23 | mantissa;
            }
            case 2:  // halfway, and what is next to it
                return halfway(sign);
            case 3: {
                const unsigned width = random_.pick(kWidths);
                const double top = static_cast<double>((uint64_t{1} << width) - 1);
                const uint32_t step = random_.below(width < 20 ? 1u << width : 1u << 20);
                const double x = (step + (random_.one_in(4) ? 0.0 : 0.5)) / top;
                return sign | (float_bits(static_cast<float>(x)) + random_.below(3) - 1);
            }
            default: {  // at one and a half, and beside them: the product has all its bits there
                const uint32_t around = random_.one_in(2) ? 0x3f800000 : 0x3f000000;
                const uint32_t reach = 1u << (4 * random_.below(6));
                return sign | (around + random_.below(2 * reach) - reach);
            }
        }
    }

    Random& random_;
    Numbers numbers_;
    std::vector<Format> loaded_, stored_;
};

std::vector<std::string> names(const std::vector<Format>& formats) {
    std::vector<std::string> r;
    r.reserve(formats.size());
    for (const Format& f : formats)
        r.push_back(std::to_string(f.dfmt) + " " + kNumberFormats[f.nfmt]);
    return r;
}

class TaFormatCoverage {
  public:
    TaFormatCoverage(Coverage& bins, const Choice& choice) : bins_(bins) {
        loaded_ = bins_.add_group("loaded", names(choice.loaded()));
        stored_ = bins_.add_group("stored", names(choice.stored()));
        index(choice.loaded(), loaded_index_);
        index(choice.stored(), stored_index_);
        select_ = bins_.add_group(
            "selected", {"loaded 0", "loaded 1", "loaded x", "loaded y", "loaded z", "loaded w",
                         "loaded w that is lacking", "stored 0", "stored 1", "stored x", "stored y",
                         "stored z", "stored w", "stored nothing"});
        plain_ = bins_.add_group("plain", {"byte extended", "short extended", "byte as it is",
                                           "dwords", "dwords of some lanes", "stored"});
        lane_ = bins_.add_group(
            "lanes", {"all", "none", "some", "of memory all", "of memory none", "of memory some"});
        std::vector<std::string> values;
        for (const char* format : {"UNORM", "SNORM", "FLOAT of 16, 11, 10 bits"})
            for (const char* what : {"NaN", "infinity", "denormal", "zero", "negative", "above one",
                                     "between 0 and 1"})
                values.push_back(std::string(format) + ", " + what);
        value_ = bins_.add_group("stored value", values);
        read_ = bins_.add_group("loaded value",
                                {"UNORM 0", "UNORM 1", "SNORM lowest", "SNORM 0", "SNORM_OGL of -1",
                                 "32 bits, rounded", "16 bits, denormal", "16 bits, infinity",
                                 "16 bits, NaN", "11 bits, denormal", "10 bits, denormal"});
    }

    void count(const Query& q) {
        if (q.store == 0)
            count_lanes(q);
        if (q.typed == 0) {
            count_plain(q);
            return;
        }
        const size_t format = 8u * q.dfmt + q.nfmt;
        if (q.store != 0)
            bins_.hit(stored_, stored_index_[format]);
        else
            bins_.hit(loaded_, loaded_index_[format]);
        const isa::DataFormat& f = isa::data_format(q.dfmt);
        count_selects(q, f);
        for (unsigned lane = 0; lane < kLanes; ++lane)
            if (q.store != 0)
                count_stored(q, f, lane);
            else if ((q.dword_lanes[0] >> lane & 1) != 0)
                count_loaded(q, f, lane);
    }

  private:
    using ByFormat = std::array<size_t, 128>;
    static void index(const std::vector<Format>& known, ByFormat& to) {
        for (size_t i = 0; i < known.size(); ++i)
            to[8u * known[i].dfmt + known[i].nfmt] = i;
    }
    void count_lanes(const Query& q) {
        bins_.hit(lane_, ~q.written == 0 ? 0 : q.written == 0 ? 1 : 2);
        if (q.written != 0)
            bins_.hit(lane_, q.dword_lanes[0] == q.written ? 3 : q.dword_lanes[0] == 0 ? 4 : 5);
    }
    void count_plain(const Query& q) {
        if (q.store != 0) {
            bins_.hit(plain_, 5);
            return;
        }
        bins_.hit(plain_, 0, q.sign_extend != 0 && q.bytes == 1);
        bins_.hit(plain_, 1, q.sign_extend != 0 && q.bytes == 2);
        bins_.hit(plain_, 2, q.sign_extend == 0 && q.bytes == 1);
        bins_.hit(plain_, 3, q.dwords > 1 && q.dword_lanes[1] == q.dword_lanes[0]);
        bins_.hit(plain_, 4, q.dwords > 1 && q.dword_lanes[1] != q.dword_lanes[0]);
    }
    void count_selects(const Query& q, const isa::DataFormat& f) {
        const unsigned count = q.store != 0 ? f.components : q.dwords;
        const size_t first = q.store != 0 ? 7 : 0;
        for (unsigned c = 0; c < count; ++c) {
            const unsigned s = q.dst_sel >> (3 * c) & 7;
            bins_.hit(select_, first + (s < 2 ? s : s - 2), s < 2 || s >= 4);
            bins_.hit(select_, 6, q.store == 0 && s == 7 && f.components < 4);
            bins_.hit(select_, 13, q.store != 0 && s >= 4u + q.dwords);
        }
    }
    void count_stored(const Query& q, const isa::DataFormat& f, unsigned lane) {
        const bool small = q.nfmt == kFloat && f.bits[0] != 32;
        if ((q.nfmt != kUnorm && q.nfmt != kSnorm && !small) || q.dst_sel != kIdentity)
            return;
        const uint32_t x = q.data[lane];
        const size_t first = small ? 14 : 7 * q.nfmt;
        const NumberClass c = class_of(x);
        bins_.hit(value_, first + c, c != kNormal);
        bins_.hit(value_, first + 4, x >> 31 != 0);
        bins_.hit(value_, first + 5, c == kNormal && x >> 31 == 0 && x > 0x3f800000);
        bins_.hit(value_, first + 6, c == kNormal && x >> 31 == 0 && x < 0x3f800000);
    }
    void count_loaded(const Query& q, const isa::DataFormat& f, unsigned lane) {
        if (f.components == 0)
            return;
        const unsigned bits = f.bits[0];
        const uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
        const uint32_t v = q.data[lane] & mask;
        bins_.hit(read_, 0, q.nfmt == kUnorm && v == 0);
        bins_.hit(read_, 1, q.nfmt == kUnorm && v == mask);
        bins_.hit(read_, 2, q.nfmt == kSnorm && v == 1u << (bits - 1));
        bins_.hit(read_, 3, q.nfmt == kSnorm && v == 0);
        bins_.hit(read_, 4, q.nfmt == kOgl && v == mask);
        bins_.hit(read_, 5, q.nfmt < kUint && bits == 32 && v >> 24 != 0 && (v & 0xff) != 0);
        if (q.nfmt != kFloat || bits == 32)
            return;
        const unsigned places = bits == 16 ? 10 : bits - 5;
        const unsigned exponent = v >> places & 31;
        const bool fraction = (v & ((1u << places) - 1)) != 0;
        bins_.hit(read_, bits == 16 ? 6 : bits == 11 ? 9 : 10, exponent == 0 && fraction);
        bins_.hit(read_, 7, bits == 16 && exponent == 31 && !fraction);
        bins_.hit(read_, 8, bits == 16 && exponent == 31 && fraction);
    }

    Coverage& bins_;
    size_t loaded_ = 0, stored_ = 0, select_ = 0, plain_ = 0, lane_ = 0, value_ = 0, read_ = 0;
    ByFormat loaded_index_{}, stored_index_{};
};

class TaFormatStimulus final : public PipeStimulus<TaFormatPins, Query> {
  public:
    explicit TaFormatStimulus(const CosimOptions& options) : PipeStimulus(options, 1) {}

  private:
    void choose(Query& q) override { choice_.query(q); }
    void disturb(Query& q) override {
        q.written = random_.bits();
        q.data[random_.below(TaFormatPins::kDwords * kLanes)] = random_.word();
    }
    void count_message(const Query& q) override { coverage_.count(q); }

    Choice choice_{random_};
    TaFormatCoverage coverage_{bins_, choice_};
};

struct Parts {
    using Pins = TaFormatPins;
    using Core = cu::TaFormatCore;
    using Stimulus = TaFormatStimulus;
    using Recording = TaFormatRecording;
    using Unit = cu::PinFormatUnit;
    static constexpr const char* kDescription = "format conversion of a compute unit";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<cu::FormatUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
