// SPDX-License-Identifier: Apache-2.0
// The blocks at the register bus that need no other link of the chip. Each brings what a chip needs
// of it in its own folder, models/<block>/<block>_block.h: Spec, core, name, its reader and its
// row of statistics. A row here adds it: it is then read, built, ticked, linked, counted, reset and
// found by its Spec.
#pragma once

#include <tuple>
#include <utility>

#include "models/common/register_info.h"
#include "models/gb/gb_block.h"
#include "models/gcn/si/front_end.h"
#include "models/perf/perf_block.h"
#include "models/raster/raster_block.h"

namespace archipelago::gcn {

// The database that blocks find their registers in, by name.
const regs::RegisterDatabase& family_registers();

// The Spec of a block that needs no more of the family than its registers' names.
template <class Block>
typename Block::Spec spec_by_name() {
    typename Block::Spec spec;
    spec.map = {&family_registers()};
    return spec;
}

// `port`: of configs/registers/si_bus.yaml; `spec_of`: makes the Spec that the reader completes.
template <class BlockOf, unsigned port, typename BlockOf::Spec (*spec_of)() = spec_by_name<BlockOf>>
struct AtPort {
    using Block = BlockOf;
    static constexpr unsigned kPort = port;
    static typename Block::Spec spec() { return spec_of(); }
};

template <class... Rows>
struct RegisterBlockList {
    using Specs = std::tuple<typename Rows::Block::Spec...>;
    using Cores = std::tuple<typename Rows::Block::Core...>;

    // visit(AtPort<...>{}) for each.
    template <class Visit>
    static void each(const Visit& visit) {
        (visit(Rows{}), ...);
    }
    static Specs specs() { return {Rows::spec()...}; }
    static Cores build(const Specs& specs) {
        return std::apply([](const auto&... spec) { return Cores(spec...); }, specs);
    }
};

using RegisterBlocks =
    RegisterBlockList<AtPort<gb::GbBlock, si::bus::kGb, si::gb_spec>,
                      AtPort<perf::PerfBlock, si::bus::kPerf, si::perf_spec>,
                      AtPort<raster::RasterBlock, si::bus::kRaster, si::raster_spec>>;

// The block of a row, in RegisterBlocks::each().
template <class Row>
using BlockOf = typename Row::Block;

}  // namespace archipelago::gcn
