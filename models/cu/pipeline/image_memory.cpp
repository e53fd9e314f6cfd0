// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/image_memory.h"

#include <algorithm>
#include <cstring>

#include "models/common/error.h"
#include "models/cu/pipeline/cu_core.h"

namespace archipelago::cu {
namespace {

constexpr unsigned kQuad = 4;
constexpr unsigned kQuads = isa::kLanes / kQuad;

void add(std::vector<LineAccess>& out, size_t window, uint64_t line, unsigned lane,
         uint32_t cycle) {
    for (size_t i = out.size(); i > window; --i) {
        LineAccess& access = out[i - 1];
        if (access.line == line) {
            access.lanes |= uint64_t{1} << lane;
            access.cycle = cycle;
            return;
        }
    }
    out.push_back({line, uint64_t{1} << lane, cycle});
}

// Lines that the lanes of a quad touch.
unsigned quad_lines(const isa::ImageOp& image, uint64_t quad) {
    uint64_t seen[kQuad * isa::ImageOp::kTexels];
    unsigned count = 0;
    for (; quad != 0; quad &= quad - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(quad));
        for (unsigned t = 0; t < image.count[lane]; ++t) {
            if (!image.in_memory(lane, t))
                continue;
            const uint64_t line = line_of(image.addr[lane][t]);
            if (std::find(seen, seen + count, line) == seen + count)
                seen[count++] = line;
        }
    }
    return count;
}

}  // namespace

unsigned coalesce_image(const isa::ImageOp& image, uint64_t lanes, const ImageRates& rates,
                        std::vector<LineAccess>& out) {
    out.clear();
    uint32_t cycle = 0;
    bool single = lanes != 0;  // a texel for each lane
    size_t window = 0;
    for (unsigned first = 0; first < isa::kLanes; first += kQuad) {
        uint64_t quad = lanes & uint64_t{15} << first;
        if (quad == 0)
            continue;
        unsigned passes = 1;
        const size_t own = out.size();
        for (; quad != 0; quad &= quad - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(quad));
            passes = std::max<unsigned>(passes, image.passes[lane]);
            single = single && image.count[lane] <= 1;
            for (unsigned t = 0; t < image.count[lane]; ++t) {
                if (!image.in_memory(lane, t))
                    continue;
                const uint64_t at = image.addr[lane][t];
                const uint64_t end = at + image.size(lane, t) - 1;
                add(out, window, line_of(at), lane, cycle);
                if (line_of(end) != line_of(at))
                    add(out, window, line_of(end), lane, cycle);
            }
        }
        window = own;
        cycle += passes * rates.quad;
    }
    if (single && image.registers == 2)
        cycle += rates.pair;
    // A request that waited for a later quad leaves with it: keep the order of leaving.
    for (size_t i = 1; i < out.size(); ++i)
        for (size_t k = i; k > 0 && out[k - 1].cycle > out[k].cycle; --k)
            std::swap(out[k - 1], out[k]);
    return std::max(cycle, 1u);
}

uint64_t image_bytes(const isa::ImageOp& image, const LineAccess& access) {
    uint64_t mask = 0;
    for (uint64_t m = access.lanes; m != 0; m &= m - 1)
        visit_texels(image, static_cast<unsigned>(__builtin_ctzll(m)), access.line,
                     [&](unsigned, unsigned, unsigned at, unsigned count) {
                         mask |= ((uint64_t{1} << count) - 1) << at;
                     });
    return mask;
}

void scatter_image(const LineAccess& access, const Line& data, isa::ImageOp& image) {
    for (uint64_t m = access.lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        visit_texels(image, lane, access.line,
                     [&](unsigned t, unsigned byte, unsigned at, unsigned count) {
                         std::memcpy(&image.data[lane][t][byte], &data[at], count);
                     });
    }
}

unsigned image_return_cycles(const isa::ImageOp& image, uint64_t lanes, const CuSpec& spec) {
    if (image.result == isa::ImageOp::Result::Direct)
        return 0;
    const unsigned wide = image.texel_bytes > 8 ? 2 : image.texel_bytes > 4 ? 1 : 0;
    uint64_t sum = 0;  // cycles times the quads of a wave
    for (unsigned first = 0; first < isa::kLanes; first += kQuad) {
        const uint64_t quad = lanes & uint64_t{15} << first;
        if (quad == 0)
            continue;
        unsigned passes = 1;
        bool single = true;
        for (uint64_t m = quad; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            passes = std::max<unsigned>(passes, image.passes[lane]);
            single = single && image.count[lane] <= 1;
        }
        if (!single) {
            sum += uint64_t{passes} * spec.image_filter_cycles[wide];
        } else {
            const bool scattered = quad_lines(image, quad) > spec.linear_lines;
            sum += (scattered ? spec.image_scattered_cycles : spec.image_load_cycles)[wide];
        }
    }
    return static_cast<unsigned>((sum + kQuads - 1) / kQuads);
}

void CuCore::describe_image(VmemOp& v, const Wave& wave, const Decoded& d, unsigned simd,
                            unsigned slot) {
    if (state_.image_free.empty()) {
        state_.image_free.push_back(static_cast<uint8_t>(state_.image_ops.size()));
        state_.image_ops.emplace_back();
    }
    const uint8_t index = state_.image_free.back();
    isa::ImageOp& image = state_.image_ops[index];
    isa::image_mem(d.inst, wave.regs, tiling_, image_unit_, v.op, image);
    if (v.op.unsupported != nullptr)
        stop(image.bad_input ? StopKind::BadInput : StopKind::Unimplemented, simd, slot,
             wave.regs.pc, &d, v.op.unsupported);
    if (v.op.image) {
        v.image = index;
        state_.image_free.pop_back();
    }
}

void CuCore::finish_image(const VmemOp& v, isa::WaveState& regs) {
    isa::image_complete(v.op, state_.image_ops[v.image], regs);
    state_.image_free.push_back(v.image);
}

}  // namespace archipelago::cu
