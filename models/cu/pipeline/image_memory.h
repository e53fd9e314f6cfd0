// SPDX-License-Identifier: Apache-2.0
// Image instructions that read texels: line requests of the address unit, and what filtering
// costs. Pure, like coalescer.h.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/memory_message.h"
#include "models/cu/isa/image_op.h"
#include "models/cu/pipeline/coalescer.h"
#include "models/cu/pipeline/cu_spec.h"

namespace archipelago::cu {

struct ImageRates {
    unsigned quad = 1;
    // A wave beyond its quads, when each lane has one texel, of which it gets two components.
    unsigned pair = 0;
};

// Fills `out` with the requests for the texels of `lanes` in the order they leave; returns the
// cycles the address unit is occupied. A quad of lanes takes `rates.quad` for each footprint of up
// to four texels its lanes need; it requests each line once, and not again a line of the quad
// before.
unsigned coalesce_image(const isa::ImageOp& image, uint64_t lanes, const ImageRates& rates,
                        std::vector<LineAccess>& out);

// Bytes of the line that belong to texels of `lane`: calls visit(texel, byte_in_element,
// byte_in_line, count).
template <class Visit>
inline void visit_texels(const isa::ImageOp& image, unsigned lane, uint64_t line, Visit&& visit) {
    for (unsigned t = 0; t < image.count[lane]; ++t) {
        if (!image.in_memory(lane, t))
            continue;
        const uint64_t first = image.addr[lane][t];
        const unsigned size = image.size(lane, t);
        if (first >= line && first + size <= line + kLineBytes && first + size > first) {
            visit(t, 0u, static_cast<unsigned>(first - line), size);
            continue;
        }
        for (unsigned b = 0; b < size; ++b)
            if (line_of(first + b) == line)
                visit(t, b, static_cast<unsigned>(first + b - line), 1u);
    }
}

// Bytes of the line that `access` needs, as a mask.
uint64_t image_bytes(const isa::ImageOp& image, const LineAccess& access);
// Takes the texels of a returned line.
void scatter_image(const LineAccess& access, const Line& data, isa::ImageOp& image);

// Cycles the return path works on the texels of `lanes`.
unsigned image_return_cycles(const isa::ImageOp& image, uint64_t lanes, const CuSpec& spec);

}  // namespace archipelago::cu
