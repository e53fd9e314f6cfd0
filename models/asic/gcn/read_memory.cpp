// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "models/asic/gcn/read_blocks.h"
#include "registers/si_bif.h"
#include "registers/si_mc.h"

namespace archipelago::gcn {

using asic::kAtLeastOne;
using asic::read_channel;
using config::range;
using config::Reader;
using config::Unit;

namespace {

void read_geometry(Reader& r, tc::CacheGeometry& g) {
    const uint64_t size =
        r.required_quantity("size", Unit::Byte, range(256u, 16u << 20), "capacity");
    const unsigned ways = r.required("ways", range(1u, 64u), "associativity");
    const uint64_t lines = size / kLineBytes;
    if (!r.ok())
        return;
    const uint64_t sets = lines / ways;
    if (r.check(sets != 0 && sets * ways * kLineBytes == size && (sets & (sets - 1)) == 0, "size",
                std::to_string(size) + " bytes in " + std::to_string(ways) +
                    " ways of 64-byte lines do not give a power of two of sets"))
        g = tc::CacheGeometry{static_cast<uint32_t>(sets), ways};
}

void read_set_hash(Reader& r, tc::CacheGeometry& g) {
    g.set_hash = r.optional("set_hash", 0u, config::Bounds<unsigned>(range(0u, 63u)),
                            "address bit from which bits are XORed onto the set; 0: none");
    if (!r.check(g.set_hash == 0 || g.set_hash > 6, "set_hash",
                 "expected 0, or an address bit from 7 to 63"))
        g.set_hash = 0;
}

// What the L1 caches have alike. `requests`: what comes from the compute units.
template <class Spec>
void read_l1(Reader& r, Spec& s, const char* requests) {
    read_geometry(r, s.geometry);
    s.mshrs = r.required("mshrs", range(1u, 1024u), "MSHRs: lines being fetched");
    s.hit_latency =
        r.timing("hit_latency", kAtLeastOne, "cycles from a lookup that hits to the answer");
    s.fill_latency = r.timing("fill_latency", kAtLeastOne,
                              "cycles from the arrival of a missed line to the answer");
    s.invalidate_cycles = r.timing("invalidate_cycles", kAtLeastOne,
                                   "cycles from a cache action to tags that are cleared");
    s.from_cu = read_channel(r, "from_cu", requests);
    s.from_l2 = read_channel(r, "from_l2", "answers of L2");
    s.actions = read_channel(r, "actions", "cache actions");
}

template <class Spec>
void read_lookups(Reader& r, Spec& s) {
    s.lookups_per_cycle =
        r.required("lookups_per_cycle", range(1u, 16u), "lines looked up per cycle");
}

void read_tcp(Reader& root, ChipConfig& chip) {
    Reader r = root.map("tcp");
    read_l1(r, chip.tcp, "line requests");
    read_set_hash(r, chip.tcp.geometry);
    read_lookups(r, chip.tcp);
    chip.tcp.order_entries =
        r.required("order_entries", range(1u, 4096u), "requests not yet answered");
    chip.tcp.ack_latency = r.timing("ack_latency", kAtLeastOne,
                                    "cycles from L2's answer to a write or atomic to the answer");
}

void read_sqc_inst(Reader& root, ChipConfig& chip) {
    Reader r = root.map("sqc_inst");
    read_l1(r, chip.sqc_inst, "fetches");
    chip.sqc_inst.banks =
        r.required("banks", range(1u, 16u), "banks; each serves a fetch per cycle");
    chip.sqc_inst.outstanding = r.required("outstanding", range(1u, 4096u), "fetches per CU");
}

void read_sqc_data(Reader& root, ChipConfig& chip) {
    Reader r = root.map("sqc_data");
    read_l1(r, chip.sqc_data, "scalar loads");
    read_lookups(r, chip.sqc_data);
    chip.sqc_data.outstanding = r.required("outstanding", range(1u, 4096u), "loads per CU");
    chip.sqc_data.return_bytes =
        r.required("return_bytes", range(1u, 64u), "bytes returned per cycle and compute unit");
}

void read_tcc(Reader& root, ChipConfig& chip) {
    Reader r = root.map("tcc");
    tc::TccSpec& s = chip.tcc;
    read_geometry(r, s.geometry);
    read_set_hash(r, s.geometry);
    s.mshrs = r.required("mshrs", range(1u, 1024u), "MSHRs: lines being fetched");
    s.waiting_requests = r.required("waiting_requests", range(1u, 4096u),
                                    "requests that wait for a line being fetched");
    s.response_entries = r.required("response_entries", range(1u, 4096u),
                                    "answers on their way through the data pipeline");
    s.memory_entries =
        r.required("memory_entries", range(2u, 4096u), "fetches and writes queued for memory");
    s.write_through_entries = r.required("write_through_entries", range(1u, 4096u),
                                         "write-throughs that memory has not answered");
    s.hit_latency =
        r.timing("hit_latency", kAtLeastOne, "cycles from a lookup that hits to the answer");
    s.fill_latency =
        r.timing("fill_latency", kAtLeastOne, "cycles from a fetched line's lookup to the answer");
    s.ack_latency = r.timing("ack_latency", kAtLeastOne,
                             "cycles from memory's answer to a write-through to the answer");
    s.atomic_cycles =
        r.timing("atomic_cycles", kAtLeastOne, "cycles that an atomic keeps the pipeline busy");
    s.walk_lines_per_cycle = r.required("walk_lines_per_cycle", range(1u, 4096u),
                                        "tags that a cache action reads per cycle");
    s.from_fabric = read_channel(r, "from_fabric", "requests");
    s.from_memory = read_channel(r, "from_memory", "answers of memory");
    s.actions = read_channel(r, "actions", "cache actions");
}

// A field of two bits: log2 of how often `least` is in the value.
uint32_t doublings(unsigned value, unsigned least) {
    uint32_t code = 0;
    while (code < 3 && least << (code + 1) <= value)
        ++code;
    return code;
}

void read_cache_actions(Reader& root, ChipConfig& chip) {
    tc::CacheActionBroadcasterSpec& s = chip.cache_actions;
    Reader r = root.map("cache_actions");
    s.from_cp = read_channel(r, "from_cp", "cache actions of CP");
    s.from_cu = read_channel(r, "from_cu", "invalidations of the L1 by its compute unit");
    s.done = read_channel(r, "done", "answers of a cache");
}

}  // namespace

void read_caches(Reader& root, ChipConfig& chip) {
    read_tcp(root, chip);
    read_sqc_inst(root, chip);
    read_sqc_data(root, chip);
    read_tcc(root, chip);
    read_cache_actions(root, chip);
}

// What drivers learn of the memory from registers, in the codes of Linux radeon si.c (si_mc_init,
// si_gpu_init). The firmware of a board writes them.
void report_memory(ChipConfig& chip) {
    using namespace regs::si::typed;
    constexpr unsigned kChannels[] = {1, 2, 4, 8, 3, 6, 10, 12, 16};  // by code
    const unsigned channels = chip.channel_map.channels;
    const auto code = std::find(std::begin(kChannels), std::end(kChannels), channels);
    const unsigned width = chip.bus_bits / std::max(1u, channels);
    const MC_SHARED_CHMAP map = MC_SHARED_CHMAP{}.set_NOOFCHAN(
        code != std::end(kChannels) ? static_cast<uint32_t>(code - kChannels) : 0);
    const MC_ARB_RAMCFG ram = MC_ARB_RAMCFG{}
                                  .set_NOOFBANK(doublings(chip.mc.geometry.banks, 4))
                                  .set_NOOFCOLS(doublings(chip.mc.geometry.row_bytes, 1024))
                                  .set_CHANSIZE(width == 64 ? 1 : 0)
                                  .set_CHANSIZE_OVERRIDE(width == 16 ? 1 : 0);
    chip.srbm.resets.push_back({MC_SHARED_CHMAP::kOffset, map.raw});
    chip.srbm.resets.push_back({MC_ARB_RAMCFG::kOffset, ram.raw});
    chip.srbm.resets.push_back(
        {CONFIG_MEMSIZE::kOffset, static_cast<uint32_t>(chip.vram_bytes >> 20)});
}

void read_links(Reader& root, ChipConfig& chip) {
    Reader r = asic::read_links(root);
    chip.link_l1 = asic::read_link(r, "l1");
    chip.link_l2 = asic::read_link(r, "l2");
    chip.link_mc = asic::read_link(r, "mc");
    asic::read_hub_links(r, chip);
    chip.link_register = asic::read_link(r, "registers");
    chip.link_host = asic::read_link(r, "host_registers");
    asic::read_crossbar(r, "fabric", chip.fabric);
}

}  // namespace archipelago::gcn
