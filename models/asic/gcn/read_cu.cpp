// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/read_blocks.h"

namespace archipelago::gcn {

using asic::kAtLeastOne;
using asic::read_bytes;
using asic::read_channel;
using config::range;
using config::Reader;

namespace {

const auto kAddressCycles = range(1u, 64u);  // of four or sixteen lanes
const auto kAnyDelay = range(0u, Reader::kMaxCycles);

void read_resources(Reader& r, spi::CuResources& res) {
    Reader q = r.map("resources");
    res.simds = q.required("simds", range(1u, 4u), "SIMDs");
    res.slots_per_simd = q.required("wave_slots", range(1u, 16u), "number per SIMD");
    res.vgprs_per_simd = q.required("vgprs", range(4u, 4096u),
                                    "vector registers per lane and SIMD; a wave uses up to 256");
    res.vgpr_granule =
        q.required("vgpr_granule", range(1u, 64u), "registers that are allocated together");
    res.sgprs_per_simd = q.required("sgprs", range(8u, 2048u), "number per SIMD");
    res.sgpr_granule =
        q.required("sgpr_granule", range(1u, 64u), "registers that are allocated together");
    res.lds_bytes = read_bytes(q, "lds", range(256u, 1u << 20), "local data share");
    res.lds_granule =
        read_bytes(q, "lds_granule", range(64u, 4096u), "bytes that are allocated together");
    res.lds_max_per_group = read_bytes(q, "lds_max_per_group", range(0u, 65536u),
                                       "largest LDS allocation of a work-group");
    res.barriers = q.required("barriers", range(1u, 64u), "groups of more than one wave per CU");
    res.max_group_threads =
        q.required("max_group_threads", range(64u, 2048u), "threads of a work-group");
    if (q.ok()) {
        q.check(res.vgprs_per_simd % res.vgpr_granule == 0 &&
                    res.vgprs_per_simd / res.vgpr_granule <= 256,
                "vgpr_granule", "does not divide vgprs into at most 256 granules");
        q.check(res.sgprs_per_simd % res.sgpr_granule == 0 &&
                    res.sgprs_per_simd / res.sgpr_granule <= 256,
                "sgpr_granule", "does not divide sgprs into at most 256 granules");
        q.check(res.lds_bytes % res.lds_granule == 0 && res.lds_bytes / res.lds_granule <= 256,
                "lds_granule", "does not divide lds into at most 256 granules");
        q.check(res.lds_max_per_group <= res.lds_bytes, "lds_max_per_group", "is more than lds");
    }
}

void read_fetch(Reader& r, cu::CuSpec& s) {
    Reader f = r.map("fetch");
    s.fetch_blocks =
        f.required("blocks", range(2u, 8u), "instruction buffer per wave, 32 bytes each");
    f.check((s.fetch_blocks & (s.fetch_blocks - 1)) == 0, "blocks", "must be a power of two");
    s.fetch_two_dword_penalty = f.timing(
        "two_dword_penalty", kAnyDelay,
        "cycles that a lone wave waits before a two-dword instruction late in its fetch block");
    s.fetch_free_dwords =
        f.required("free_dwords", range(0u, 8u), "dwords of a fetch block without a fetch penalty");
    s.fetch_not_taken_penalty = f.timing("not_taken_penalty", kAnyDelay,
                                         "cycles per dword that a lone wave waits after a branch "
                                         "not taken in the second half of a block");
    s.fetch_jump_penalty =
        f.timing("jump_penalty", kAnyDelay,
                 "cycles per dword beyond jump_free_dwords that a forward jump waits for");
    s.fetch_jump_free_dwords =
        f.required("jump_free_dwords", range(1u, 8u),
                   "dwords of a fetch block that a jump reaches without a penalty");
}

void read_issue(Reader& r, cu::CuSpec& s) {
    Reader i = r.map("issue");
    s.issue_width = i.required("width", range(1u, cu::kClasses), "instructions per cycle");
    Reader v = i.map("valu_cycles");
    static const char* const kNames[] = {"full",  "trans", "mul_lo",  "f64_add", "f64_mul",
                                         "fma32", "cvt",   "div_f32", "div_f64"};
    for (unsigned k = 0; k < 9; ++k)
        s.rate_cycles[k] = v.timing(kNames[k], kAtLeastOne,
                                    "cycles that an instruction of a wave occupies its SIMD");
    v.finish();
    s.salu_cycles = i.timing("salu_cycles", kAtLeastOne,
                             "cycles from a scalar ALU instruction to the wave's next");
    s.salu_long_cycles =
        i.timing("salu_long_cycles", kAtLeastOne, "the same for saveexec and s_setreg");
    s.valu_to_salu_stall = i.timing(
        "valu_to_salu_stall", kAnyDelay,
        "cycles that a SALU instruction or branch waits for a carry or read lane of the VALU");
    s.compare_to_salu_stall =
        i.timing("compare_to_salu_stall", kAnyDelay,
                 "cycles that a SALU instruction or branch waits for a comparison of the VALU");
    s.branch_status_stall =
        i.timing("branch_status_stall", kAnyDelay,
                 "cycles that a branch waits right after the instruction that sets what it tests");
    s.branch_not_taken_cycles =
        i.timing("branch_not_taken_cycles", kAtLeastOne,
                 "cycles from a branch that is not taken to the wave's next instruction");
    s.branch_taken_cycles = i.timing("branch_taken_cycles", kAtLeastOne,
                                     "cycles from a taken branch to the wave's next instruction");
    s.internal_cycles =
        i.timing("internal_cycles", kAtLeastOne,
                 "cycles from s_waitcnt, s_setprio and the like to the wave's next instruction");
    s.nop_cycles = i.timing("nop_cycles", kAtLeastOne, "cycles of a wait state of s_nop");
    s.sleep_unit_cycles = i.timing("sleep_unit_cycles", kAtLeastOne, "cycles of a unit of s_sleep");
    s.barrier_cycles =
        i.timing("barrier_cycles", kAtLeastOne,
                 "cycles from the last arrival at s_barrier to the next instruction of every wave");
    s.vm_max = i.required("vm_max", range(1u, 15u), "largest value of vmcnt");
    s.lgkm_max = i.required("lgkm_max", range(1u, 15u), "largest value of lgkmcnt");
    s.exp_max = i.required("exp_max", range(1u, 7u), "largest value of expcnt");
}

void read_scalar_memory(Reader& r, cu::CuSpec& s) {
    Reader m = r.map("scalar_memory");
    static const char* const kNames[] = {"x1", "x2", "x4", "x8", "x16"};
    Reader c = m.map("issue_cycles");
    for (unsigned k = 0; k < 5; ++k)
        s.smem_issue_cycles[k] =
            c.timing(kNames[k], kAtLeastOne,
                     "cycles from a load of so many dwords to the wave's next instruction");
    s.smem_other_issue_cycles =
        c.timing("other", kAtLeastOne,
                 "cycles from s_memtime or s_dcache_inv to the wave's next instruction");
    c.finish();
    s.smem_queue = m.required("queue", range(1u, 16u), "loads per SIMD queued and not yet sent");
    s.smem_outstanding =
        m.required("outstanding", range(1u, 64u), "accesses in flight per compute unit");
    s.memtime_cycles =
        m.timing("memtime_cycles", kAtLeastOne, "cycles from s_memtime to its result");
}

void read_lds(Reader& r, cu::CuSpec& s) {
    Reader l = r.map("lds");
    s.lds_operand_cycles =
        l.timing("operand_cycles", kAtLeastOne,
                 "cycles to read a VGPR of a wave as an operand of an LDS instruction");
    s.lds_banks = l.required("banks", range(2u, isa::kMaxLdsBanks), "LDS banks, each a dword wide");
    if (l.ok())
        l.check((s.lds_banks & (s.lds_banks - 1)) == 0, "banks", "must be a power of two");
    s.lds_bank_cycles = l.timing("bank_cycles", kAnyDelay,
                                 "cycles of a pass over the LDS banks; 0: conflicts are free");
    s.lds_issue_factor = l.required(
        "issue_factor", range(1u, 16u),
        "cycles to the wave's next instruction, as a multiple of the conflict-free time");
    s.lds_latency =
        l.timing("latency", kAtLeastOne,
                 "cycles from the end of an LDS instruction's passes to the step of lgkmcnt");
    s.lds_queue = l.required("queue", range(1u, cu::kMaxLdsQueue),
                             "instructions per SIMD queued for the LDS");
    s.lds_load_offset = l.required<bool>(
        "load_offset",
        "the offset of a load to LDS counts in LDS as in memory, else in memory only");
}

void read_vector_memory(Reader& r, cu::CuSpec& s) {
    Reader m = r.map("vector_memory");
    s.load_issue_cycles =
        m.timing("load_issue_cycles", kAtLeastOne,
                 "cycles from a load of a dword per lane to the wave's next instruction");
    s.load_wide_issue_cycles =
        m.timing("load_wide_issue_cycles", kAtLeastOne,
                 "cycles from a load of more to the wave's next instruction");
    s.store_issue_cycles = m.timing("store_issue_cycles", kAtLeastOne,
                                    "cycles from a store to the wave's next instruction");
    s.atomic_issue_cycles = m.timing("atomic_issue_cycles", kAtLeastOne,
                                     "cycles from an atomic to the wave's next instruction");
    s.cmpswap_issue_cycles =
        m.timing("cmpswap_issue_cycles", kAtLeastOne,
                 "cycles from a compare-and-swap to the wave's next instruction");
    s.vmem_queue =
        m.required("queue", range(1u, 16u), "instructions per SIMD queued for the address unit");
    s.vmem_outstanding =
        m.required("outstanding", range(1u, 64u), "accesses in flight per compute unit");
    s.ta_latency =
        m.timing("ta_latency", kAtLeastOne, "cycles from issue to the first line request");
    s.ta_load_quad_cycles =
        m.timing("ta_load_quad_cycles", kAddressCycles, "cycles per four lanes of a load");
    s.ta_load_quarter_cycles =
        m.timing("ta_load_quarter_cycles", kAddressCycles,
                 "cycles per sixteen lanes of a load that read consecutive dwords");
    s.ta_load_pair_cycles = m.timing("ta_load_pair_cycles", range(0u, 64u),
                                     "cycles added to loads of two dwords per lane");
    s.ta_load_scattered_cycles =
        m.timing("ta_load_scattered_cycles", range(0u, 64u),
                 "cycles added to loads of 16 bytes per lane that are not linear");
    s.ta_load_scattered_triple_cycles =
        m.timing("ta_load_scattered_triple_cycles", range(0u, 64u),
                 "cycles added to loads of 12 bytes per lane that are not linear");
    s.ta_store_quarter_cycles =
        m.timing("ta_store_quarter_cycles", kAddressCycles, "cycles per sixteen lanes of a store");
    s.ta_atomic_quad_cycles =
        m.timing("ta_atomic_quad_cycles", kAddressCycles, "cycles per four lanes of an atomic");
    s.ta_requests_per_cycle =
        m.required("ta_requests_per_cycle", range(1u, 16u), "line requests to L1");
    s.td_responses_per_cycle =
        m.required("td_responses_per_cycle", range(1u, 16u), "lines taken from L1");
    s.td_bytes_per_cycle = m.required("td_bytes_per_cycle", range(4u, 1024u),
                                      "bytes returned to the registers per cycle");
    s.td_latency = m.timing("td_latency", kAtLeastOne,
                            "cycles from the last byte returned to the step of vmcnt");
    s.ta_image_quad_cycles =
        m.timing("ta_image_quad_cycles", kAddressCycles,
                 "cycles per four lanes of an image instruction and footprint of four texels");
    static const char* const kTexels[] = {"texel4", "texel8", "texel16"};
    Reader i = m.map("image_return_cycles");
    const auto by_texel = [&](const char* name, std::array<unsigned, 3>& cycles) {
        Reader t = i.map(name);
        for (unsigned k = 0; k < 3; ++k)
            cycles[k] = t.timing(kTexels[k], kAtLeastOne, "cycles per wave");
        t.finish();
    };
    by_texel("load", s.image_load_cycles);
    by_texel("scattered", s.image_scattered_cycles);
    by_texel("filter", s.image_filter_cycles);
    i.finish();
    s.linear_lines = m.required("linear_lines", range(1u, 4u),
                                "lines of a quad of lanes that still count as linear");
}

void read_export(Reader& r, cu::CuSpec& s) {
    Reader e = r.map("export");
    s.export_issue_cycles = e.timing("issue_cycles", kAtLeastOne,
                                     "cycles from an export to the wave's next instruction");
    s.export_cycles =
        e.timing("cycles", kAtLeastOne, "cycles to read the registers of a wave for an export");
    s.message_cycles =
        e.timing("message_cycles", kAtLeastOne, "cycles from s_sendmsg to the step of its counter");
    s.interpolate_cycles = e.timing("interpolate_cycles", kAtLeastOne,
                                    "cycles that VINTRP keeps the LDS and its wave busy");
    s.gds_outstanding =
        e.required("gds_outstanding", range(1u, 64u), "accesses in flight per compute unit");
}

}  // namespace

void read_cu(Reader& root, ChipConfig& chip) {
    Reader r = root.map("cu");
    cu::CuSpec& s = chip.cu;
    read_resources(r, chip.spi.cu);
    read_fetch(r, s);
    read_issue(r, s);
    read_scalar_memory(r, s);
    read_lds(r, s);
    read_vector_memory(r, s);
    read_export(r, s);
    Reader ch = r.map("channels");
    s.launch_in = read_channel(ch, "launch", "waves from SPI");
    s.fetch_in = read_channel(ch, "fetch", "blocks from the instruction cache");
    s.scalar_in = read_channel(ch, "scalar", "data from the scalar cache");
    s.mem_in = read_channel(ch, "memory", "lines from L1");
    s.l1_action_done_in = read_channel(ch, "action_done", "L1 invalidations done");
    s.gds_in = read_channel(ch, "gds", "answers of the global data share");
    chip.link_message = read_channel(ch, "message", "interrupt messages to the interrupt unit");
}

}  // namespace archipelago::gcn
