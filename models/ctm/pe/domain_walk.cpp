// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/pe/domain_walk.h"

#include <algorithm>

namespace archipelago::ctm {
namespace {

// More quads than a row or a column of the index space has.
constexpr unsigned kWhole = (kMaxIndex + 1) / 2;

// Every order is one of tiles: rows are one tile, columns are tiles one quad wide.
unsigned tile_columns(const WalkSpec& spec) {
    return spec.order == WalkOrder::Tiles     ? spec.tile_columns
           : spec.order == WalkOrder::Columns ? 1
                                              : kWhole;
}
unsigned tile_rows(const WalkSpec& spec) {
    return spec.order == WalkOrder::Tiles ? spec.tile_rows : kWhole;
}

uint8_t covered(const Domain& domain, const Point& origin) {
    uint8_t lanes = 0;
    for (unsigned lane = 0; lane < 4; ++lane) {
        const unsigned i = origin.x + (lane & 1), j = origin.y + (lane >> 1);
        if (i >= domain.i0 && i <= domain.i1 && j >= domain.j0 && j <= domain.j1)
            lanes |= static_cast<uint8_t>(1u << lane);
    }
    return lanes;
}

}  // namespace

void DomainWalk::start(const Domain& d) {
    domain = d;
    ended = d.empty();
    x = static_cast<uint16_t>(d.i0 / 2);
    y = static_cast<uint16_t>(d.j0 / 2);
}

WalkQuad DomainWalk::next(const WalkSpec& spec) {
    WalkQuad quad;
    quad.origin = {static_cast<uint16_t>(2 * x), static_cast<uint16_t>(2 * y)};
    quad.lanes = covered(domain, quad.origin);
    const unsigned left = domain.i0 / 2, right = domain.i1 / 2;
    const unsigned top = domain.j0 / 2, bottom = domain.j1 / 2;
    const unsigned columns = tile_columns(spec), rows = tile_rows(spec);
    const unsigned tile_left = x / columns * columns, tile_top = y / rows * rows;
    unsigned next_x = x + 1u, next_y = y;
    if (next_x > std::min(tile_left + columns - 1, right)) {
        next_x = std::max(tile_left, left);
        ++next_y;
    }
    if (next_y > std::min(tile_top + rows - 1, bottom)) {
        next_x = tile_left + columns;
        next_y = std::max(tile_top, top);
        if (next_x > right) {
            next_x = left;
            next_y = tile_top + rows;
        }
        ended = next_y > bottom;
    }
    x = static_cast<uint16_t>(next_x);
    y = static_cast<uint16_t>(next_y);
    return quad;
}

void ThreadBuilder::begin(const ProgramStart& s) {
    start = s;
    thread = {};
    threads = 0;
}

void ThreadBuilder::add(const WalkQuad& quad, uint8_t lanes) {
    if (lanes == 0)
        return;
    thread.origin[thread.quads] = quad.origin;
    thread.covered |= isa::LaneMask{lanes} << 4 * thread.quads;
    ++thread.quads;
}

ThreadLaunch ThreadBuilder::take() {
    ThreadLaunch launch = thread;
    launch.conditional = start.conditional;
    launch.number = threads++;
    launch.program = start.number;
    launch.conditional_output = start.conditional_output;
    launch.mode = start.mode;
    launch.temporaries = start.temporaries;
    thread = {};
    return launch;
}

ConditionRequest condition_request(const ProgramStart& start, const WalkQuad& quad, uint32_t tag) {
    ConditionRequest request;
    request.origin = quad.origin;
    request.lanes = quad.lanes;
    request.value.fill(start.conditional);
    request.tag = tag;
    return request;
}

}  // namespace archipelago::ctm
