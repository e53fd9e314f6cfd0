// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/ctm_streams.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

#include "models/ctm/command/command.h"
#include "models/ctm/isa/instruction.h"
#include "models/ctm/mc/address.h"
#include "models/ctm/mc/address_message.h"
#include "testbenches/fuzz/ctm_programs.h"

namespace archipelago::fuzz {
namespace {

using ctm::Format;
using ctm::Surface;
using ctm::Tiling;

// ---- memory ------------------------------------------------------------------------------------

constexpr uint32_t kCode = 0x100000, kCodeBytes = 0x3000;
constexpr uint32_t kFloats = 0x140000, kIntegers = 0x148000, kBooleans = 0x14C000;
constexpr uint32_t kConstantSets = 2;  // that programs take in turns
constexpr uint32_t kCounters = 0x160000;
constexpr uint32_t kSurfacesAt = 0x200000, kStride = 0x40000, kSurfaces = 8,
                   kConditional = kSurfaces;
constexpr uint32_t kSurfaceBytes =
    0x28000;  // what 64 x 64 elements of 16 bytes take, and a row more
constexpr uint32_t kHostMemory = 0x20000000;    // the chip's `ctm.mc.system.base`
constexpr uint32_t kBands = 5, kBandRows = 12;  // domains that do not overlap

// Numbers that programs work on: small ones, and a few of every special kind.
const std::vector<uint32_t>& noise() {
    static const std::vector<uint32_t> words = [] {
        constexpr uint32_t kSpecial[] = {0x7f800000, 0xff800000, 0x7fc00001, 0x00000001,
                                         0x80000000, 0x7f7fffff, 0x3f7fffff, 0xffffffff};
        std::vector<uint32_t> made(2 * kSurfaceBytes / 4);
        Random random(4);
        for (uint32_t& word : made) {
            const float value = static_cast<float>(random.below(512)) * 0.03125F - 8.0F;
            std::memcpy(&word, &value, sizeof word);
            if (random.one_in(32))
                word = random.one_in(2) ? random.word() : kSpecial[random.below(8)];
        }
        return made;
    }();
    return words;
}

// ---- scenarios ---------------------------------------------------------------------------------

class ScenarioMaker {
  public:
    ScenarioMaker(Random& random, bool corrupted) : r_(random) {
        scenario_.corrupted = corrupted;
        small_ = r_.one_in(4);
        for (uint32_t i = 0; i <= kSurfaces; ++i)
            base_[i] = kSurfacesAt + i * kStride + (small_ ? i * 0x800 : 0) +
                       (r_.one_in(4) ? kHostMemory : 0);
    }

    CtmScenario make() {
        memory();
        for (unsigned buffers = 1 + r_.below(3); buffers > 0; --buffers)
            buffer();
        words().clear();
        put("wait_for_idle");
        clear_caches();
        scenario_.buffers.push_back({{}, std::move(words_)});
        if (scenario_.corrupted)
            corrupt();
        return std::move(scenario_);
    }

  private:
    std::vector<uint32_t>& words() { return words_; }
    void put(const char* name, const std::vector<uint32_t>& parameters = {0}) {
        const ctm::CommandInfo* row = ctm::commands().find_by_name(name);
        require(row != nullptr && row->parameters == parameters.size(), "a command of the table");
        words_.push_back(row->header);
        words_.insert(words_.end(), parameters.begin(), parameters.end());
        ++scenario_.commands;
    }

    // ---- what is in memory before
    void memory() {
        for (uint32_t i = 0; i <= kSurfaces; ++i) {
            const auto from = noise().begin() + r_.below(kSurfaceBytes / 4);
            scenario_.memory.push_back({base_[i], {from, from + kSurfaceBytes / 4}});
        }
        for (uint32_t set = 0; set < kConstantSets; ++set)
            constants(set);
    }
    void constants(uint32_t set) {
        std::vector<uint32_t> floats(4 * 32), integers, booleans;
        for (uint32_t& word : floats)
            word = r_.pick(noise());
        const float square = small_ ? 14.0F : 60.0F;
        const std::array<float, 8> last = {square, square, 0, 0, 0, 0, 2, 2};
        std::memcpy(&floats[4 * kScaleConstant], last.data(), sizeof last);
        static_assert(kAddConstant == kScaleConstant + 1);
        for (unsigned i = 0; i < 4; ++i) {  // iterations, start of aL, step
            integers.push_back(r_.below(4) | r_.below(3) << 8 | 1u << 16);
            booleans.push_back(r_.below(2));
        }
        scenario_.memory.push_back({kFloats + set * 0x1000, floats});
        scenario_.memory.push_back({kIntegers + set * 0x800, integers});
        scenario_.memory.push_back({kBooleans + set * 0x800, booleans});
    }

    // ---- surfaces
    Surface some_surface(uint32_t number, bool input) {
        constexpr Format kFormats[] = {Format::Uint16x1, Format::Uint8x4,   Format::Float32x1,
                                       Format::OneByte,  Format::Float32x2, Format::Float32x4};
        Surface s;
        s.base = base_[number];
        s.format = kFormats[r_.below(small_ ? 3 : 6)];
        s.pitch = static_cast<uint16_t>(small_ ? 32 : r_.one_in(2) ? 64 : 128);
        s.tiling =
            static_cast<Tiling>(r_.below(input && ctm::format_info(s.format).one_channel ? 4 : 2));
        return s;
    }
    uint32_t height() const { return small_ ? 16 : 64; }
    // Four outputs, and inputs that are none of them.
    void surfaces() {
        std::vector<uint32_t> order(kSurfaces);
        for (uint32_t i = 0; i < kSurfaces; ++i)
            order[i] = i;
        for (uint32_t i = kSurfaces - 1; i > 0; --i)
            std::swap(order[i], order[r_.below(i + 1)]);
        for (uint32_t i = 0; i < ctm::kOutputs; ++i) {
            const Surface s = some_surface(order[i], false);
            put("set_out_fmt", {i, s.base | r_.below(0x800), ctm::format_word(s), height()});
        }
        inputs_.clear();
        const uint32_t first = r_.below(ctm::kInputs);
        for (uint32_t i = ctm::kOutputs; i < kSurfaces; ++i) {
            inputs_.push_back((first + i) % ctm::kInputs);
            const Surface s = some_surface(small_ && r_.one_in(8) ? kConditional : order[i], true);
            put("set_inp_fmt", {inputs_.back(), s.base, ctm::format_word(s), height()});
        }
    }
    void clear_caches() {
        put("flush_out_cache");
        put("flush_cond_out_cache");
        for (const char* name : {"inv_inp_cache", "inv_cond_out_cache", "inv_inst_cache",
                                 "inv_constf_cache", "inv_consti_cache", "inv_constb_cache"})
            put(name);
    }
    // Where nothing has to leave a cache, old data and data that is not there yet is the same in
    // both modes.
    void some_caches() {
        for (const char* name : {"flush_out_cache", "flush_cond_out_cache", "inv_inp_cache"})
            if (r_.one_in(2))
                put(name);
    }
    static uint32_t row_format(Format format) {
        return ctm::format_word({0, 1024, Tiling::Linear, format});
    }

    // ---- tests
    void condition() {
        if (r_.one_in(2)) {
            put("set_cond_test", {7});
            put("set_cond_out_mask", {0});  // the buffer may be narrower than the domains
            conditional_ = false;
            return;
        }
        const Surface s = some_surface(kConditional, false);
        put("set_cond_out_fmt", {s.base, ctm::format_word(s), height()});
        put("set_cond_out_mask", {r_.below(2)});
        put("set_cond_loc", {r_.below(2)});
        put("set_cond_test", {r_.below(8)});
        put("set_cond_val", {r_.pick(noise())});
        conditional_ = true;
    }

    // ---- programs
    void program(bool uncached, bool full) {
        CtmProgramSpec spec;
        spec.uncached = uncached;
        spec.full_flow_control = full;
        spec.transposed = r_.one_in(2);
        spec.inputs = inputs_;
        spec.length = 2 + r_.below(24);
        const auto program = make_ctm_program(r_, spec);
        std::vector<uint32_t> code;
        for (const auto& instruction : program) {
            code.insert(code.end(), instruction.begin(), instruction.end());
            named_ = std::max<unsigned>(named_, ctm::isa::decode(instruction).temporaries);
        }
        const uint32_t at = kCode + kCodeBytes * scenario_.programs;
        const uint32_t set = r_.below(kConstantSets);
        scenario_.memory.push_back({at, code});
        scenario_.instructions += static_cast<unsigned>(program.size());
        ++scenario_.programs;
        put("set_inst_fmt", {at, row_format(Format::Float32x1)});
        put("set_constf_fmt", {kFloats + set * 0x1000, row_format(Format::Float32x4)});
        put("set_consti_fmt", {kIntegers + set * 0x800, row_format(Format::Uint8x4)});
        put("set_constb_fmt", {kBooleans + set * 0x800, row_format(Format::Float32x1)});
        put("inv_inst_cache");
    }
    // In one of the bands, so that starts that follow may run at once.
    void domain(uint32_t band) {
        const uint32_t across = small_ ? 16 : 64, rows = small_ ? 3 : kBandRows;
        const uint32_t i0 = r_.below(across), j0 = band * rows + r_.below(rows);
        uint32_t i1 = i0 + r_.below(across - i0), j1 = j0 + r_.below((band + 1) * rows - j0);
        if (r_.one_in(16))
            std::swap(j1, i1);
        if (i1 >= across || j1 >= (band + 1) * rows)
            i1 = i0, j1 = j0;
        put("set_domain", {i0 | r_.word() << 12, j0, i1, j1});
    }
    // Commands of pipelines: what programs started before do not see.
    void between_starts(uint32_t& band) {
        if (r_.one_in(3))
            put("set_cond_val", {r_.pick(noise())});
        if (r_.one_in(3)) {  // waits for those before: places may be the same again
            put("set_out_mask", {r_.below(16)});
            band = r_.below(kBands);
        }
        if (conditional_ && r_.one_in(3))
            put("set_cond_test", {r_.below(8)});
    }
    void starts() {
        uint32_t band = 0;
        for (unsigned n = 1 + r_.below(3); n > 0 && band < kBands; --n, ++band) {
            domain(band);
            put("start_program");
            ++scenario_.starts;
            between_starts(band);
        }
    }
    void buffer() {
        words().clear();
        CtmBuffer b;
        b.info.full_flow_control = !r_.one_in(3);
        b.info.uncached_outputs = r_.one_in(4);
        named_ = 0;
        for (unsigned n = 1 + r_.below(2); n > 0; --n) {
            put("wait_for_idle");
            if (r_.one_in(4))
                counters();
            surfaces();
            if (small_)
                some_caches();
            else
                clear_caches();
            put("set_out_mask", {r_.one_in(2) ? 15 : r_.below(16)});
            condition();
            program(b.info.uncached_outputs, b.info.full_flow_control);
            starts();
        }
        if (r_.one_in(2))  // else all, of which few threads are resident
            b.info.temporaries = static_cast<uint8_t>(named_);
        b.words = words();
        scenario_.buffers.push_back(std::move(b));
    }
    // What they count depends on time, and lies where nobody compares.
    void counters() {
        put("init_perf_counters", {1, 0});
        put("start_perf_counters");
        if (r_.one_in(2))
            put("stop_perf_counters");
        put("read_perf_counters", {kCounters, 0});
    }
    void corrupt() {
        const auto change = [&](std::vector<uint32_t>& words) {
            uint32_t& word = words[r_.below(static_cast<uint32_t>(words.size()))];
            word = r_.one_in(3) ? r_.word() : word ^ 1u << r_.below(32);
        };
        if (r_.one_in(2))
            change(
                scenario_.buffers[r_.below(static_cast<uint32_t>(scenario_.buffers.size()))].words);
        else
            change(scenario_.memory.back().words);  // of a program
    }

    Random& r_;
    CtmScenario scenario_;
    bool small_ = false;  // nothing has to leave a cache
    bool conditional_ = false;
    std::array<uint32_t, kSurfaces + 1> base_{};
    std::vector<unsigned> inputs_;
    unsigned named_ = 0;  // temporaries, by the programs of a buffer
    std::vector<uint32_t> words_;
};

}  // namespace

std::vector<std::pair<uint64_t, uint64_t>> ctm_ranges() {
    const uint64_t bytes = (kSurfaces + 1) * uint64_t{kStride} + kStride;
    return {{kCode, kSurfacesAt + bytes - kCode}, {kHostMemory + kSurfacesAt, bytes}};
}

std::vector<std::pair<uint64_t, uint64_t>> ctm_surfaces() {
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    for (const uint64_t base : {0u, kHostMemory})
        for (uint32_t i = 0; i <= kSurfaces; ++i)
            ranges.emplace_back(base + kSurfacesAt + uint64_t{i} * kStride, kStride);
    return ranges;
}

std::string ctm_surface_name(size_t index) {
    const size_t number = index % (kSurfaces + 1);
    return std::string(index > kSurfaces ? "the host's " : "the local ") +
           (number == kConditional ? "conditional buffer" : "surface " + std::to_string(number));
}

bool is_code(const CtmMemory& memory) {
    return memory.address >= kCode && memory.address < kFloats;
}

CtmScenario make_ctm_scenario(Random& random, bool corrupted) {
    return ScenarioMaker(random, corrupted).make();
}

}  // namespace archipelago::fuzz
