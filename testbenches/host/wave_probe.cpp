// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/wave_probe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/cu/isa/effects.h"

namespace archipelago::host {
namespace {

using File = WaveRegister::File;

// Operand code of a scalar register; SCC has none.
unsigned code_of(const WaveRegister& r) {
    switch (r.file) {
        case File::Exec:
            return isa::kExecLo + r.number;
        case File::Vcc:
            return isa::kVccLo + r.number;
        case File::M0:
            return isa::kM0;
        default:
            return r.number;
    }
}

// EXEC the wave starts with.
uint64_t lanes_of(const WaveSpec& spec) {
    uint64_t exec = ~uint64_t{0};
    for (const WaveRegister& r : spec.set)
        if (r.file == File::Exec) {
            exec &= ~(uint64_t{0xffffffff} << (32 * r.number));
            exec |= uint64_t{r.values[0]} << (32 * r.number);
        }
    return exec;
}

std::string lane_misses(const WaveRegister& r, const uint32_t* got, uint64_t exec) {
    unsigned differ = 0, first = 0, lanes = 0;
    const auto expected = [&](unsigned lane) { return r.values[r.every_lane ? 0 : lane]; };
    for (unsigned lane = 0; lane < (r.every_lane ? isa::kLanes : r.values.size()); ++lane) {
        if (r.every_lane && (exec >> lane & 1) == 0)
            continue;
        ++lanes;
        if (got[lane] != expected(lane) && differ++ == 0)
            first = lane;
    }
    return differ == 0 ? std::string()
                       : fmt::format(
                             "v{} lane {}: expected 0x{:08x}, got 0x{:08x} ({} of {} "
                             "lanes differ)",
                             r.number, first, expected(first), got[first], differ, lanes);
}

std::string scalar_miss(const WaveRegister& r, const WaveProbe::End& end) {
    const bool scc = r.file == File::Scc;
    const uint32_t got = scc ? end.scc : end.scalars[code_of(r)];
    return got == r.values[0]
               ? std::string()
               : fmt::format("{}: expected 0x{:08x}, got 0x{:08x}",
                             scc ? "scc" : isa::scalar_register_name(code_of(r)), r.values[0], got);
}

}  // namespace

bool WaveProbe::starts(const cu::RetiredWave& wave, isa::WaveState& regs) {
    const bool wanted = next_ != nullptr && next_->starts(wave, regs);
    const auto found = expected_.find(wave.launch.pc);
    if (found == expected_.end())
        return wanted;
    std::fill_n(regs.v[0], isa::kLanes, 0u);  // SPI has put lane numbers there
    for (const WaveRegister& r : found->second->set) {
        if (r.file == File::Scc)
            regs.scc = r.values[0] != 0;
        else if (r.file != File::Vector)
            regs.s[code_of(r)] = r.values[0];
        else if (r.every_lane)
            std::fill_n(regs.v[r.number], isa::kLanes, r.values[0]);
        else
            std::copy(r.values.begin(), r.values.end(), regs.v[r.number]);
    }
    return wanted;
}

void WaveProbe::ends(const cu::RetiredWave& wave, const isa::WaveState& regs) {
    if (next_ != nullptr)
        next_->ends(wave, regs);
    if (expected_.find(wave.launch.pc) == expected_.end())
        return;
    End& end = ends_[wave.launch.pc];
    std::copy(std::begin(regs.s), std::end(regs.s), end.scalars.begin());
    end.scc = regs.scc;
    end.vectors.resize(regs.num_vgprs);
    for (unsigned n = 0; n < regs.num_vgprs; ++n)
        std::copy_n(regs.v[n], isa::kLanes, end.vectors[n].begin());
}

std::vector<WaveMiss> compare_wave(const WaveSpec& spec, const WaveProbe::End& end) {
    std::vector<WaveMiss> misses;
    for (const WaveRegister& r : spec.expect) {
        std::string text = r.file == File::Vector
                               ? lane_misses(r, end.vectors[r.number].data(), lanes_of(spec))
                               : scalar_miss(r, end);
        if (!text.empty())
            misses.push_back({r.source, std::move(text)});
    }
    return misses;
}

std::string dump_wave(const WaveProbe::End& end) {
    std::string out;
    const auto scalar = [&](unsigned code) {
        out += fmt::format("{} {:08x}\n", isa::scalar_register_name(code), end.scalars[code]);
    };
    for (unsigned code = isa::kSgprFirst; code <= isa::kSgprLast; ++code)
        scalar(code);
    for (const unsigned code : {isa::kVccLo, isa::kVccHi, isa::kExecLo, isa::kExecHi, isa::kM0})
        scalar(code);
    out += fmt::format("scc {}\n", end.scc ? 1 : 0);
    for (size_t n = 0; n < end.vectors.size(); ++n) {
        out += fmt::format("v{}", n);
        for (const uint32_t lane : end.vectors[n])
            out += fmt::format(" {:08x}", lane);
        out += '\n';
    }
    return out;
}

}  // namespace archipelago::host
