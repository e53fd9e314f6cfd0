// SPDX-License-Identifier: Apache-2.0
// How the PE divides a domain among threads: quads in an order, twelve to a thread. The guide
// leaves both open (section 2.1.2); the order is configuration.
#pragma once

#include <cstdint>

#include "models/ctm/messages.h"

namespace archipelago::ctm {

// set_domain: all index pairs with i0 <= i <= i1 and j0 <= j <= j1; 12 bits each.
struct Domain {
    uint16_t i0 = 0, j0 = 0, i1 = 0, j1 = 0;
    bool empty() const { return i1 < i0 || j1 < j0; }
};

enum class WalkOrder : uint8_t {
    Rows,     // a row of quads after the other
    Columns,  // a column of quads after the other
    Tiles,    // tiles of quads row by row, and row by row in each
};

struct WalkSpec {
    WalkOrder order = WalkOrder::Tiles;
    unsigned tile_columns = 4, tile_rows = 4;  // quads; of Tiles
    unsigned quads = isa::kMaxQuads;           // of a thread
};

struct WalkQuad {
    Point origin;       // even indices
    uint8_t lanes = 0;  // in the domain
};

// Where a walk stands; plain. A quad is (i & ~1, j & ~1) to (i | 1, j | 1).
struct DomainWalk {
    Domain domain;
    uint16_t x = 0, y = 0;  // of the next quad, quads
    bool ended = true;

    void start(const Domain& d);
    // The quad at hand, and the next one from now on; not once it has ended.
    WalkQuad next(const WalkSpec& spec);
};

// A start_program: what it takes of the PE's settings.
struct ProgramStart {
    Domain domain;
    uint32_t number = 0;              // of the start_program
    uint32_t conditional = 0;         // set_cond_val's
    bool tests = false;               // the PE asks the CO, quad by quad
    bool conditional_output = false;  // the threads do
    isa::ProgramMode mode;
    uint8_t temporaries = isa::kTemporaries;
};

// Threads of one start as they are put together.
struct ThreadBuilder {
    ProgramStart start;
    ThreadLaunch thread;
    uint32_t threads = 0;  // put together so far

    void begin(const ProgramStart& s);
    // Those lanes of a quad that run; none: the quad is left out.
    void add(const WalkQuad& quad, uint8_t lanes);
    bool full(const WalkSpec& spec) const { return thread.quads == spec.quads; }
    bool empty() const { return thread.quads == 0; }
    // The thread at hand, and an empty one from now on.
    ThreadLaunch take();
};

// The test of a quad that the PE sends to the CO.
ConditionRequest condition_request(const ProgramStart& start, const WalkQuad& quad, uint32_t tag);

// A whole start in functional mode. `test(ConditionRequest) -> lanes`, `launch(ThreadLaunch)`.
template <class Test, class Launch>
void distribute(const ProgramStart& start, const WalkSpec& spec, const Test& test,
                const Launch& launch) {
    DomainWalk walk;
    ThreadBuilder builder;
    builder.begin(start);
    walk.start(start.domain);
    while (!walk.ended) {
        const WalkQuad quad = walk.next(spec);
        builder.add(quad, start.tests ? test(condition_request(start, quad, 0)) : quad.lanes);
        if (builder.full(spec))
            launch(builder.take());
    }
    if (!builder.empty())
        launch(builder.take());
}

}  // namespace archipelago::ctm
