// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>

#include "models/asic/ctm_config.h"
#include "testbenches/host/command/command.h"
#include "testbenches/host/command/instruction_sets.h"
#include "testbenches/host/text_log.h"
#include "testbenches/host/workload.h"

namespace archipelago::host {
namespace {

std::string bytes(uint64_t n) {
    if (n >= (1u << 30) && n % (1u << 30) == 0)
        return fmt::format("{} GiB", n >> 30);
    if (n >= (1u << 20) && n % (1u << 20) == 0)
        return fmt::format("{} MiB", n >> 20);
    if (n >= 1024 && n % 1024 == 0)
        return fmt::format("{} KiB", n >> 10);
    return fmt::format("{} B", n);
}

std::string megahertz(uint64_t hz) {
    return fmt::format("{:g} MHz", static_cast<double>(hz) / 1e6);
}

void diagram(const asic::ChipConfig& c) {
    const unsigned channels = c.channel_map.channels;
    const double dram = static_cast<double>(c.memory_hz) * 4 * c.bus_bits / 8 / 1e9;
    const double l2 = static_cast<double>(c.engine_hz) * channels * kLineBytes / 1e9;
    fmt::print("{} ({}), generation {}, configuration {}\n", c.name, c.product, c.generation,
               c.hash);
    fmt::print("clocks: engine {}, memory {}\n\n", megahertz(c.engine_hz), megahertz(c.memory_hz));
    fmt::print("  host\n");
    fmt::print("   |  registers                                     interrupts ^\n");
    fmt::print("   v                                                           |\n");
    fmt::print(" GRBM ---------------+                                         |\n");
    fmt::print("   |                 |                                         |\n");
    fmt::print("   v                 v                                         |\n");
    fmt::print(" CP  rings gfx, compute0, compute1                             |\n");
    fmt::print("     fetch -> ROQ ({} dwords a ring: {} ring, {} IB1, {} IB2)\n",
               c.cp.roq_units * c.cp.roq_unit_dwords, c.cp.roq_lines(0) * 16,
               c.cp.roq_lines(1) * 16, c.cp.roq_lines(2) * 16);
    fmt::print("     PFP -> MEQ ({} dwords: {}, {}, {}) -> ME -> EOP, DMA, coherency\n",
               c.cp.meq_dwords, c.cp.meq_size(0), c.cp.meq_size(1), c.cp.meq_size(2));
    fmt::print("   |                             |\n");
    fmt::print("   v dispatches, events          | memory hub, L2\n");
    fmt::print(" SPI {} SE x {} SH x {} CU = {} CUs\n", c.shader_engines, c.sh_per_se, c.cu_per_sh,
               c.cus());
    fmt::print("   |\n");
    for (unsigned se = 0; se < c.shader_engines; ++se)
        for (unsigned sh = 0; sh < c.sh_per_se; ++sh) {
            fmt::print("   +- SE{} SH{}: CU", se, sh);
            for (unsigned cu = 0; cu < c.cu_per_sh; ++cu)
                fmt::print(" {}", cu);
            fmt::print("  ({} x instruction cache {}, scalar cache {})\n", c.sqcs_per_sh(),
                       bytes(c.sqc_inst.geometry.bytes()), bytes(c.sqc_data.geometry.bytes()));
        }
    fmt::print("   |\n");
    fmt::print(" CU  {} SIMDs x {} waves, {} VGPRs x 64 lanes and {} SGPRs a SIMD, LDS {}\n",
               c.cu.simds, c.cu.wave_slots, c.cu.vgprs, c.cu.sgprs, bytes(c.cu.lds_bytes));
    fmt::print("     vector L1 {}, {} ways\n", bytes(c.tcp.geometry.bytes()), c.tcp.geometry.ways);
    fmt::print("   |\n");
    fmt::print(" fabric {} clients x {} L2 channels, {} B per cycle and link\n", c.fabric.sources,
               c.fabric.destinations, c.fabric.response_bytes);
    fmt::print("   |\n");
    fmt::print(" L2  {} channels x {} = {}, {} ways, {:.0f} GB/s, interleave {}\n", channels,
               bytes(c.tcc.geometry.bytes()), bytes(uint64_t{c.tcc.geometry.bytes()} * channels),
               c.tcc.geometry.ways, l2, bytes(c.channel_map.interleave_bytes));
    fmt::print("   |                             | hub\n");
    fmt::print(" MC  {} channels, {}-bit bus, {} banks each, rows of {}, {:.0f} GB/s\n", channels,
               c.bus_bits, c.mc.geometry.banks, bytes(c.mc.geometry.row_bytes), dram);
    fmt::print("   |\n");
    fmt::print(" memory socket (board: {})\n", bytes(c.vram_bytes));
}

void diagram(const asic::CtmConfig& c) {
    fmt::print("{} ({}), generation {}, configuration {}\n\n", c.name, c.product, c.generation,
               c.hash);
    fmt::print("  set_*_fmt commands          16 inputs, 4 outputs, conditional output,\n");
    fmt::print("   | {:2} queued                 3 kinds of constants, instructions\n",
               c.address.commands.capacity);
    fmt::print("   v                           | {:2} queued\n", c.address.requests.capacity);
    fmt::print("  surfaces of 25 clients       v index pairs\n");
    fmt::print(
        "   |                          MC address translation, {} cycles, one request each\n",
        c.address.latency);
    fmt::print("   +------------------------>  |\n");
    fmt::print("                               v byte addresses (archipelago map)\n\n");
    fmt::print("not modelled: PE, CO, DPP, caches and memory of the MC; no workload runs\n");
}

template <class Loaded>
int describe(const Loaded& chip, const DescribeArguments& a) {
    if (a.tree) {
        fmt::print("{}", config::dump(chip.tree));
        return kDone;
    }
    if (a.fields) {
        fmt::print("{}", chip.records.fields.format());
        return kDone;
    }
    if (a.timings) {
        fmt::print("{}", chip.records.timings.format_table());
        fmt::print("{}\n", chip.records.timings.summary());
        return kDone;
    }
    diagram(chip.config);
    fmt::print("\n{} (describe --timings lists them)\n", chip.records.timings.summary());
    return kDone;
}

}  // namespace

int describe_command(const DescribeArguments& a) {
    return std::visit([&](const auto& chip) { return describe(chip, a); },
                      asic::load_any(a.asic, a.set));
}

int list_command() {
    fmt::print("chips ({}/asics):\n", asic::config_folder());
    for (const std::string& name : asic::chip_names()) {
        const auto any = asic::load_any(name, {});
        if (const auto* ctm = std::get_if<asic::LoadedCtm>(&any)) {
            fmt::print("  {:10} {:10} CTM: addresses of the memory controller only\n", name,
                       ctm->config.product);
            continue;
        }
        const asic::ChipConfig& chip = std::get<asic::LoadedChip>(any).config;
        fmt::print("  {:10} {:10} {:2} CUs, {:2} L2 channels, {}\n", name, chip.product, chip.cus(),
                   chip.channel_map.channels, megahertz(chip.engine_hz));
    }
    fmt::print("rings:\n  gfx compute0 compute1\n");
    fmt::print("modes:\n  cycle functional\n");
    fmt::print("instruction sets (asm, disasm):\n");
    for (const InstructionSet& set : instruction_sets())
        fmt::print("  {:10} {}\n", set.name, set.meaning);
    fmt::print("log categories:\n ");
    for (const std::string& name : log_category_names())
        fmt::print(" {}", name);
    fmt::print("\n");
    return kDone;
}

}  // namespace archipelago::host
