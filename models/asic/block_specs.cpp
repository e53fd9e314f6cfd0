// SPDX-License-Identifier: Apache-2.0
#include "models/asic/block_specs.h"

#include <algorithm>
#include <vector>

#include "models/cp/ce_state.h"
#include "registers/si_register_table.h"

namespace archipelago::asic {
namespace {

using config::range;
using config::Reader;
using config::Unit;

const auto kAtLeastOne = range(1u, Reader::kMaxCycles);
const auto kAddressCycles = range(1u, 64u);  // of four or sixteen lanes

void read_geometry(Reader& r, tc::CacheGeometry& g) {
    const uint64_t size =
        r.required_quantity("size", Unit::Byte, range(256u, 16u << 20), "capacity");
    const unsigned ways = r.required<unsigned>("ways", range(1u, 64u), "associativity");
    const uint64_t lines = size / kLineBytes;
    if (!r.ok())
        return;
    const uint64_t sets = lines / ways;
    if (r.check(sets != 0 && sets * ways * kLineBytes == size && (sets & (sets - 1)) == 0, "size",
                std::to_string(size) + " bytes in " + std::to_string(ways) +
                    " ways of 64-byte lines do not give a power of two of sets"))
        g = tc::CacheGeometry{static_cast<uint32_t>(sets), ways};
}

}  // namespace

ChannelSpec read_channel(Reader& parent, const char* key, const char* doc) {
    Reader r = parent.map(key);
    ChannelSpec spec;
    spec.capacity = r.required<unsigned>("capacity", range(1u, 4096u), doc);
    spec.latency = r.timing("latency", kAtLeastOne, doc);
    return spec;
}

namespace {
// Constant engine.
void read_ce(Reader& parent, cp::CeSpec& s) {
    Reader r = parent.map("ce");
    s.packet_cycles = r.timing("packet_cycles", range(1u, 255u), "microcode per packet");
    s.loads_in_flight = r.required<unsigned>("loads_in_flight", range(1u, 255u), "lines");
    s.dumps_in_flight = r.required<unsigned>("dumps_in_flight", range(1u, 255u), "lines");
    s.sets_in_flight = r.required<unsigned>("sets_in_flight", range(2u, cp::kCeMaxSets),
                                            "constant sets being written, per ring");
    const auto boundary = [&](const char* key, const char* doc) {
        return static_cast<uint32_t>(
            r.required_quantity(key, Unit::Byte, range(0u, cp::kCeRamBytes - 64), doc));
    };
    s.cs1_base = boundary("cs1_base", "CE RAM before the partition of ring 1");
    s.cs2_base = boundary("cs2_base", "CE RAM before the partition of ring 2");
    s.fetch_lines = r.required<unsigned>("fetch_lines", range(1u, 255u), "read ahead, per ring");
    s.command = read_channel(r, "command", "PFP to the fetch of constant buffers, per ring");
    s.stream = read_channel(r, "stream", "dwords of constant buffers, per ring");
    s.message = read_channel(r, "message", "ME to the constant engine");
    s.grant = read_channel(r, "grant", "constant engine to ME");
}
}  // namespace

void read_cp(Reader& root, ChipConfig& chip) {
    Reader r = root.map("cp");
    cp::Spec& s = chip.cp;
    s.roq_units = r.required<unsigned>("roq_units", range(3u, 1024u), "reorder queue, 16 dwords");
    s.roq_ib1_start = r.required<unsigned>("roq_ib1_start", range(1u, 1024u), "units of the ring");
    s.roq_ib2_start =
        r.required<unsigned>("roq_ib2_start", range(2u, 1024u), "units before those of IB2");
    s.meq_dwords = r.required<unsigned>("meq_dwords", range(3u, 4096u), "micro engine queue");
    s.meq1_start = r.required<unsigned>("meq1_start", range(1u, 4096u), "dwords of ring 0");
    s.meq2_start = r.required<unsigned>("meq2_start", range(2u, 4096u), "dwords before ring 2's");
    s.meq_latency = r.timing("meq_latency", kAtLeastOne);
    s.fetch_outstanding =
        r.required<unsigned>("fetch_outstanding", range(1u, 1024u), "lines in flight");
    s.fetch_burst_lines =
        r.required<unsigned>("fetch_burst_lines", range(1u, 1024u), "lines of one stream in a row");
    s.roq_latency = r.timing("roq_latency", kAtLeastOne);
    s.pfp_dwords_per_cycle = r.required<unsigned>("pfp_dwords_per_cycle", range(1u, 16u), "");
    s.pfp_packet_cycles = r.timing("pfp_packet_cycles", kAtLeastOne, "microcode per packet");
    s.me_dwords_per_cycle = r.required<unsigned>("me_dwords_per_cycle", range(1u, 16u), "");
    s.me_packet_cycles = r.timing("me_packet_cycles", kAtLeastOne, "microcode per packet");
    s.events_in_flight = r.required<unsigned>("events_in_flight", range(1u, 1024u), "per ring");
    s.poll.unit_cycles = r.timing("poll_unit_cycles", kAtLeastOne, "a poll interval of 1");
    s.poll.minimum = r.required<unsigned>("poll_minimum", range(1u, 1024u), "poll interval");
    s.depth_blocks = r.required<unsigned>("depth_blocks", range(1u, 8u), "counters of ZPASS_DONE");
    s.eop_depth = r.required<unsigned>("eop_depth", range(1u, 1024u), "end-of-pipe commands");
    s.dma_read_lines = r.required<unsigned>("dma_read_lines", range(1u, 1024u), "in flight");
    s.dma_outstanding_writes =
        r.required<unsigned>("dma_outstanding_writes", range(1u, 1024u), "in flight");
    s.gds_store_reads =
        r.required<unsigned>("gds_store_reads", range(1u, 64u), "pieces read ahead");
    s.writeback_depth = r.required<unsigned>("writeback_depth", range(1u, 1024u),
                                             "scratch and read pointer writes");
    s.strobe_latency = r.timing("strobe_latency", kAtLeastOne, "doorbells, interrupts");
    read_ce(r, s.ce);
    read_packets(r, s);
    Reader c = r.map("channels");
    s.memory_client = read_channel(c, "memory_client", "unit to memory interface");
    s.memory_return = read_channel(c, "memory_return", "memory interface to unit");
    s.memory_in = read_channel(c, "memory_in", "responses of memory");
    s.register_client = read_channel(c, "register_client", "unit to register bus");
    s.register_return = read_channel(c, "register_return", "register bus to unit");
    s.register_in = read_channel(c, "register_in", "responses of the register bus");
    s.register_target = read_channel(c, "register_target", "requests to CP's registers");
    s.command = read_channel(c, "command", "between the units");
    s.done = read_channel(c, "done", "between the units");
    s.gds_client = read_channel(c, "gds_client", "unit to GDS interface");
    s.gds_return = read_channel(c, "gds_return", "GDS interface to unit");
    s.gds_in = read_channel(c, "gds_in", "answers of the global data share");
    s.register_namer = [](uint32_t offset, uint32_t value) {
        return regs::si::decode(offset, value);
    };
    if (r.ok())
        for (const std::string& problem : s.problems())
            r.error(problem);

    chip.grbm.database = &regs::si::database();
}

void read_spi(Reader& root, ChipConfig& chip) {
    Reader r = root.map("spi");
    spi::SpiSpec& s = chip.spi;
    s.queue_depth =
        r.required<unsigned>("queue_depth", range(1u, 1024u), "dispatches waiting per ring");
    s.event_depth = r.required<unsigned>("event_depth", range(1u, 1024u),
                                         "events behind running work, per ring");
    s.groups_per_cycle =
        r.required<unsigned>("groups_per_cycle", range(1u, 16u), "work-groups placed per cycle");
    s.wave_interval =
        r.timing("wave_interval", kAtLeastOne, "between two waves launched in one shader engine");
    s.registers = read_channel(r, "registers", "register writes from GRBM");
    s.wave_done = read_channel(r, "wave_done", "ended waves from each CU");
    s.draws_in_flight =
        r.required<unsigned>("draws_in_flight", range(1u, 65536u), "draws SPI keeps");
    s.sh_updates = r.required<unsigned>("sh_updates", range(1u, 1u << 20),
                                        "writes of SPI_SHADER_* since the oldest draw in flight");
    s.stage_queue = r.required<unsigned>("stage_queue", range(1u, 1024u),
                                         "waves of a graphics stage waiting for room");
    s.position_vectors = r.required<unsigned>("position_vectors", range(4u, 65536u),
                                              "position exports of waves, each shader engine");
    s.parameter_vectors = r.required<unsigned>("parameter_vectors", range(32u, 65536u),
                                               "parameter exports of waves, each shader engine");
    s.vgt = read_channel(r, "vgt", "waves and events from VGT");
    s.pixels = read_channel(r, "pixels", "pixel waves from the rasteriser");
    s.exports = read_channel(r, "exports", "exports from each CU");
    s.freed = read_channel(r, "freed", "export space given back");
    s.assembler = read_channel(r, "assembler", "primitives and positions to their assembler");
}

void read_cu(Reader& root, ChipConfig& chip) {
    Reader r = root.map("cu");
    spi::CuResources& res = chip.spi.cu;
    cu::CuSpec& s = chip.cu;
    {
        Reader q = r.map("resources");
        res.simds = q.required<unsigned>("simds", range(1u, 4u), "SIMDs");
        res.slots_per_simd = q.required<unsigned>("wave_slots", range(1u, 16u), "per SIMD");
        res.vgprs_per_simd = q.required<unsigned>("vgprs", range(4u, 256u), "per lane and SIMD");
        res.vgpr_granule = q.required<unsigned>("vgpr_granule", range(1u, 64u), "allocation unit");
        res.sgprs_per_simd = q.required<unsigned>("sgprs", range(8u, 2048u), "per SIMD");
        res.sgpr_granule = q.required<unsigned>("sgpr_granule", range(1u, 64u), "allocation unit");
        res.lds_bytes = static_cast<unsigned>(
            q.required_quantity("lds", Unit::Byte, range(256u, 65536u), "local data share"));
        res.lds_granule = static_cast<unsigned>(
            q.required_quantity("lds_granule", Unit::Byte, range(64u, 4096u), "allocation unit"));
        res.lds_max_per_group = static_cast<unsigned>(q.required_quantity(
            "lds_max_per_group", Unit::Byte, range(0u, 65536u), "largest allocation"));
        res.barriers =
            q.required<unsigned>("barriers", range(1u, 64u), "groups of more than one wave per CU");
        res.max_group_threads =
            q.required<unsigned>("max_group_threads", range(64u, 2048u), "threads of a work-group");
        if (q.ok()) {
            q.check(res.vgprs_per_simd % res.vgpr_granule == 0 &&
                        res.vgprs_per_simd / res.vgpr_granule <= 256,
                    "vgpr_granule", "does not divide vgprs into at most 256 granules");
            q.check(res.sgprs_per_simd % res.sgpr_granule == 0 &&
                        res.sgprs_per_simd / res.sgpr_granule <= 256,
                    "sgpr_granule", "does not divide sgprs into at most 256 granules");
            q.check(res.lds_bytes % res.lds_granule == 0 && res.lds_bytes / res.lds_granule <= 256,
                    "lds_granule", "does not divide lds into at most 256 granules");
            q.check(res.lds_max_per_group <= res.lds_bytes, "lds_max_per_group",
                    "is more than lds");
        }
    }
    {
        Reader f = r.map("fetch");
        s.fetch_blocks = f.required<unsigned>("blocks", range(2u, 8u),
                                              "instruction buffer per wave, 32 bytes each");
        f.check((s.fetch_blocks & (s.fetch_blocks - 1)) == 0, "blocks", "must be a power of two");
        s.fetch_two_dword_penalty = f.timing("two_dword_penalty");
        s.fetch_free_dwords =
            f.required<unsigned>("free_dwords", range(0u, 8u), "of a block, without that penalty");
        s.fetch_not_taken_penalty = f.timing("not_taken_penalty");
    }
    {
        Reader i = r.map("issue");
        s.issue_width =
            i.required<unsigned>("width", range(1u, cu::kClasses), "instructions per cycle");
        Reader v = i.map("valu_cycles");
        static const char* const kNames[] = {"full",  "trans", "mul_lo",  "f64_add", "f64_mul",
                                             "fma32", "cvt",   "div_f32", "div_f64"};
        for (unsigned k = 0; k < 9; ++k)
            s.rate_cycles[k] = v.timing(kNames[k], kAtLeastOne, "SIMD occupied per wave");
        v.finish();
        s.salu_cycles = i.timing("salu_cycles", kAtLeastOne);
        s.valu_to_salu_stall = i.timing("valu_to_salu_stall");
        s.compare_to_salu_stall = i.timing("compare_to_salu_stall");
        s.branch_not_taken_cycles = i.timing("branch_not_taken_cycles", kAtLeastOne);
        s.branch_taken_cycles = i.timing("branch_taken_cycles", kAtLeastOne);
        s.internal_cycles = i.timing("internal_cycles", kAtLeastOne);
        s.nop_cycles = i.timing("nop_cycles", kAtLeastOne);
        s.sleep_unit_cycles = i.timing("sleep_unit_cycles", kAtLeastOne);
        s.barrier_cycles = i.timing("barrier_cycles", kAtLeastOne);
        s.vm_max = i.required<unsigned>("vm_max", range(1u, 15u), "vmcnt");
        s.lgkm_max = i.required<unsigned>("lgkm_max", range(1u, 15u), "lgkmcnt");
        s.exp_max = i.required<unsigned>("exp_max", range(1u, 7u), "expcnt");
    }
    {
        Reader m = r.map("scalar_memory");
        static const char* const kNames[] = {"x1", "x2", "x4", "x8", "x16"};
        Reader c = m.map("issue_cycles");
        for (unsigned k = 0; k < 5; ++k)
            s.smem_issue_cycles[k] = c.timing(kNames[k], kAtLeastOne);
        s.smem_other_issue_cycles = c.timing("other", kAtLeastOne);
        c.finish();
        s.smem_queue = m.required<unsigned>("queue", range(1u, 16u), "per SIMD, not yet sent");
        s.smem_outstanding = m.required<unsigned>("outstanding", range(1u, 64u), "per CU");
        s.memtime_cycles = m.timing("memtime_cycles", kAtLeastOne);
    }
    {
        Reader l = r.map("lds");
        s.lds_operand_cycles = l.timing("operand_cycles", kAtLeastOne);
        s.lds_bank_cycles = l.timing("bank_cycles", kAtLeastOne);
        s.lds_issue_factor = l.required<unsigned>(
            "issue_factor", range(1u, 16u), "wave's next instruction: factor x conflict-free time");
        s.lds_latency = l.timing("latency", kAtLeastOne);
        s.lds_queue =
            l.required<unsigned>("queue", range(1u, cu::kMaxLdsQueue), "per SIMD, not yet served");
    }
    {
        Reader m = r.map("vector_memory");
        s.load_issue_cycles = m.timing("load_issue_cycles", kAtLeastOne);
        s.load_wide_issue_cycles = m.timing("load_wide_issue_cycles", kAtLeastOne);
        s.store_issue_cycles = m.timing("store_issue_cycles", kAtLeastOne);
        s.atomic_issue_cycles = m.timing("atomic_issue_cycles", kAtLeastOne);
        s.cmpswap_issue_cycles = m.timing("cmpswap_issue_cycles", kAtLeastOne);
        s.vmem_queue =
            m.required<unsigned>("queue", range(1u, 16u), "per SIMD, for the address unit");
        s.vmem_outstanding = m.required<unsigned>("outstanding", range(1u, 64u), "per CU");
        s.ta_latency = m.timing("ta_latency", kAtLeastOne);
        s.ta_load_quad_cycles = m.timing("ta_load_quad_cycles", kAddressCycles);
        s.ta_load_quarter_cycles = m.timing("ta_load_quarter_cycles", kAddressCycles);
        s.ta_store_quarter_cycles = m.timing("ta_store_quarter_cycles", kAddressCycles);
        s.ta_atomic_quad_cycles = m.timing("ta_atomic_quad_cycles", kAddressCycles);
        s.ta_requests_per_cycle =
            m.required<unsigned>("ta_requests_per_cycle", range(1u, 16u), "line requests to L1");
        s.td_responses_per_cycle =
            m.required<unsigned>("td_responses_per_cycle", range(1u, 16u), "lines taken from L1");
        s.td_bytes_per_cycle =
            m.required<unsigned>("td_bytes_per_cycle", range(4u, 1024u), "to the registers");
        s.td_latency = m.timing("td_latency", kAtLeastOne);
        s.ta_image_quad_cycles = m.timing("ta_image_quad_cycles", kAddressCycles);
        static const char* const kTexels[] = {"texel4", "texel8", "texel16"};
        Reader i = m.map("image_return_cycles");
        const auto by_texel = [&](const char* name, std::array<unsigned, 3>& cycles) {
            Reader t = i.map(name);
            for (unsigned k = 0; k < 3; ++k)
                cycles[k] = t.timing(kTexels[k], kAtLeastOne, "per wave");
            t.finish();
        };
        by_texel("load", s.image_load_cycles);
        by_texel("scattered", s.image_scattered_cycles);
        by_texel("filter", s.image_filter_cycles);
        i.finish();
        s.image_linear_lines =
            m.required<unsigned>("image_linear_lines", range(1u, 4u), "of a quad, not scattered");
    }
    {
        Reader e = r.map("export");
        s.export_issue_cycles = e.timing("issue_cycles", kAtLeastOne);
        s.export_cycles = e.timing("cycles", kAtLeastOne, "to read the registers of a wave");
        s.message_cycles = e.timing("message_cycles", kAtLeastOne, "s_sendmsg to its counter");
        s.interpolate_cycles = e.timing("interpolate_cycles", kAtLeastOne, "VINTRP");
        s.gds_outstanding = e.required<unsigned>("gds_outstanding", range(1u, 64u), "per CU");
    }
    Reader ch = r.map("channels");
    s.launch_in = read_channel(ch, "launch", "waves from SPI");
    s.fetch_in = read_channel(ch, "fetch", "blocks from the instruction cache");
    s.scalar_in = read_channel(ch, "scalar", "data from the scalar cache");
    s.mem_in = read_channel(ch, "memory", "lines from L1");
    s.l1_action_done_in = read_channel(ch, "action_done", "L1 invalidations done");
    s.gds_in = read_channel(ch, "gds", "answers of the global data share");
    chip.link_message = read_channel(ch, "message", "interrupt messages to the interrupt unit");
}

void read_gds(Reader& root, ChipConfig& chip) {
    Reader r = root.map("gds");
    gds::GdsSpec& s = chip.gds;
    s.bytes = static_cast<unsigned>(
        r.required_quantity("size", Unit::Byte, range(8u, 1u << 20), "global data share"));
    s.lanes_per_cycle =
        r.required<unsigned>("lanes_per_cycle", range(1u, 64u), "elements accessed per cycle");
    s.banks = r.required<unsigned>("banks", range(1u, 64u), "a dword wide each");
    s.request_cycles = r.timing("request_cycles", kAtLeastOne, "at least, per instruction");
    s.latency = r.timing("latency", kAtLeastOne, "end of the work to the answer's departure");
    s.request_in = read_channel(r, "request_in", "from each compute unit and CP");
    s.registers = read_channel(r, "registers", "writes and reads from GRBM");
}

void read_caches(Reader& root, ChipConfig& chip) {
    {
        Reader r = root.map("tcp");
        tc::TcpSpec& s = chip.tcp;
        read_geometry(r, s.geometry);
        s.mshrs = r.required<unsigned>("mshrs", range(1u, 1024u), "lines being fetched");
        s.order_entries =
            r.required<unsigned>("order_entries", range(1u, 4096u), "requests not yet answered");
        s.lookups_per_cycle =
            r.required<unsigned>("lookups_per_cycle", range(1u, 16u), "lines looked up");
        s.hit_latency = r.timing("hit_latency", kAtLeastOne);
        s.fill_latency = r.timing("fill_latency", kAtLeastOne);
        s.ack_latency = r.timing("ack_latency", kAtLeastOne);
        s.invalidate_cycles = r.timing("invalidate_cycles", kAtLeastOne);
        s.from_cu = read_channel(r, "from_cu", "line requests");
        s.from_l2 = read_channel(r, "from_l2", "answers of L2");
        s.actions = read_channel(r, "actions", "cache actions");
    }
    {
        Reader r = root.map("sqc_inst");
        tc::SqcInstSpec& s = chip.sqc_inst;
        read_geometry(r, s.geometry);
        s.mshrs = r.required<unsigned>("mshrs", range(1u, 1024u), "lines being fetched");
        s.outstanding = r.required<unsigned>("outstanding", range(1u, 4096u), "fetches per CU");
        s.lookups_per_cycle = r.required<unsigned>("lookups_per_cycle", range(1u, 16u), "");
        s.hit_latency = r.timing("hit_latency", kAtLeastOne);
        s.fill_latency = r.timing("fill_latency", kAtLeastOne);
        s.invalidate_cycles = r.timing("invalidate_cycles", kAtLeastOne);
        s.from_cu = read_channel(r, "from_cu", "fetches");
        s.from_l2 = read_channel(r, "from_l2", "answers of L2");
        s.actions = read_channel(r, "actions", "cache actions");
    }
    {
        Reader r = root.map("sqc_data");
        tc::SqcDataSpec& s = chip.sqc_data;
        read_geometry(r, s.geometry);
        s.mshrs = r.required<unsigned>("mshrs", range(1u, 1024u), "lines being fetched");
        s.outstanding = r.required<unsigned>("outstanding", range(1u, 4096u), "loads per CU");
        s.lookups_per_cycle = r.required<unsigned>("lookups_per_cycle", range(1u, 16u), "");
        s.return_bytes = r.required<unsigned>("return_bytes", range(1u, 64u), "per cycle and CU");
        s.hit_latency = r.timing("hit_latency", kAtLeastOne);
        s.fill_latency = r.timing("fill_latency", kAtLeastOne);
        s.invalidate_cycles = r.timing("invalidate_cycles", kAtLeastOne);
        s.from_cu = read_channel(r, "from_cu", "scalar loads");
        s.from_l2 = read_channel(r, "from_l2", "answers of L2");
        s.actions = read_channel(r, "actions", "cache actions");
    }
    {
        Reader r = root.map("tcc");
        tc::TccSpec& s = chip.tcc;
        read_geometry(r, s.geometry);
        s.mshrs = r.required<unsigned>("mshrs", range(1u, 1024u), "lines being fetched");
        s.waiting_requests = r.required<unsigned>("waiting_requests", range(1u, 4096u), "");
        s.response_entries = r.required<unsigned>("response_entries", range(1u, 4096u), "");
        s.memory_entries = r.required<unsigned>("memory_entries", range(2u, 4096u), "");
        s.write_through_entries =
            r.required<unsigned>("write_through_entries", range(1u, 4096u), "");
        s.hit_latency = r.timing("hit_latency", kAtLeastOne);
        s.fill_latency = r.timing("fill_latency", kAtLeastOne);
        s.ack_latency = r.timing("ack_latency", kAtLeastOne);
        s.atomic_cycles = r.timing("atomic_cycles", kAtLeastOne);
        s.walk_lines_per_cycle =
            r.required<unsigned>("walk_lines_per_cycle", range(1u, 4096u), "tags per cycle");
        s.from_fabric = read_channel(r, "from_fabric", "requests");
        s.from_memory = read_channel(r, "from_memory", "answers of memory");
        s.actions = read_channel(r, "actions", "cache actions");
    }
    chip.action_latency = root.timing("cache_action_latency", kAtLeastOne,
                                      "cache actions, CP to a cache and back, each way");
}

void read_memory(Reader& root, ChipConfig& chip) {
    Reader r = root.map("memory");
    chip.bus_bits = r.required<unsigned>("bus_bits", range(32u, 4096u), "width of the DRAM bus");
    chip.vram_bytes =
        r.required_quantity("vram", Unit::Byte, range(1u << 20, uint64_t{1} << 40), "of the board");
    {
        Reader m = r.map("channel_map");
        mc::ChannelMapSpec& s = chip.channel_map;
        s.kind = m.enumeration<mc::ChannelMapKind>(
            "kind", {{"bits", mc::ChannelMapKind::Bits}, {"tahiti", mc::ChannelMapKind::Tahiti}});
        s.channels =
            m.required<unsigned>("channels", range(1u, 64u), "L2 channels and memory controllers");
        s.interleave_bytes = static_cast<unsigned>(
            m.required_quantity("interleave", Unit::Byte, range(64u, 65536u), "bytes per channel"));
        if (m.ok()) {
            const bool power = (s.channels & (s.channels - 1)) == 0;
            m.check((s.interleave_bytes & (s.interleave_bytes - 1)) == 0, "interleave",
                    "must be a power of two");
            if (s.kind == mc::ChannelMapKind::Bits)
                m.check(power, "channels", "must be a power of two with kind bits");
            else
                m.check(s.channels == 12, "channels", "must be 12 with kind tahiti");
        }
    }
    Reader d = r.map("dram");
    mc::McSpec& s = chip.mc;
    mc::DramGeometry& g = s.geometry;
    g.banks = d.required<unsigned>("banks", range(1u, 64u), "per channel");
    g.bank_groups = d.required<unsigned>("bank_groups", range(1u, 16u), "");
    g.row_bytes = static_cast<unsigned>(
        d.required_quantity("row", Unit::Byte, range(64u, 65536u), "open per bank"));
    g.bank_block_bytes = static_cast<unsigned>(d.required_quantity(
        "bank_block", Unit::Byte, range(64u, 65536u), "consecutive bytes before the next bank"));
    if (d.ok()) {
        const auto power = [](unsigned v) { return (v & (v - 1)) == 0; };
        d.check(power(g.banks), "banks", "must be a power of two");
        d.check(power(g.bank_groups) && g.bank_groups <= g.banks, "bank_groups",
                "must be a power of two that divides banks");
        d.check(power(g.row_bytes), "row", "must be a power of two");
        d.check(power(g.bank_block_bytes) && g.bank_block_bytes <= g.row_bytes, "bank_block",
                "must be a power of two not above row");
    }
    Reader t = d.map("timing");
    mc::DramTiming& m = s.timing;
    const auto least0 = range(0u, Reader::kMaxCycles);
    struct Field {
        const char* name;
        unsigned* value;
        bool zero;
    };
    const Field fields[] = {{"burst", &m.burst, false},
                            {"ccd_long", &m.ccd_long, false},
                            {"cl", &m.cl, false},
                            {"wl", &m.wl, false},
                            {"rcd_read", &m.rcd_read, false},
                            {"rcd_write", &m.rcd_write, false},
                            {"rp", &m.rp, false},
                            {"ras", &m.ras, false},
                            {"rc", &m.rc, false},
                            {"rrd", &m.rrd, false},
                            {"faw", &m.faw, true},
                            {"rtp", &m.rtp, false},
                            {"wr", &m.wr, false},
                            {"wtr", &m.wtr, false},
                            {"rtw", &m.rtw, true},
                            {"refi", &m.refi, true},
                            {"rfc", &m.rfc, false}};
    for (const Field& f : fields)
        *f.value = t.timing(f.name, f.zero ? least0 : kAtLeastOne);
    if (t.ok()) {
        t.check(m.ccd_long >= m.burst, "ccd_long", "is shorter than burst");
        t.check(m.rc >= m.ras, "rc", "is shorter than ras");
        t.check(m.refi == 0 || m.refi > m.rfc + m.rp + m.ras + m.wl + m.burst + m.wr, "refi",
                "is too short to close all banks and refresh them (0: no refresh)");
    }
    t.finish();
    s.read_entries = d.required<unsigned>("read_entries", range(1u, 1024u), "");
    s.write_entries = d.required<unsigned>("write_entries", range(2u, 1024u), "");
    s.store_entries = d.required<unsigned>("store_entries", range(1u, 1024u), "");
    s.lookahead = d.required<unsigned>("lookahead", range(1u, 64u), "scheduler window");
    s.starvation_cycles = d.required<unsigned>("starvation_cycles", kAtLeastOne, "");
    s.write_high = d.required<unsigned>("write_high", range(1u, 1024u), "starts a write drain");
    s.write_low = d.required<unsigned>("write_low", range(0u, 1024u), "ends it");
    if (d.ok()) {
        d.check(s.write_high <= s.write_entries, "write_high", "is more than write_entries");
        d.check(s.write_low < s.write_high, "write_low", "is not below write_high");
    }
    s.from_l2 = read_channel(d, "from_l2", "requests of the L2 channel");
    s.from_hub = read_channel(d, "from_hub", "requests of the hub");
    s.from_store = read_channel(d, "from_store", "bytes read or written");
}

void read_links(Reader& root, ChipConfig& chip) {
    Reader r = root.map("links");
    const auto link = [&](const char* key, LinkSpec& spec) {
        Reader l = r.map(key);
        spec.depth = l.required<unsigned>("depth", range(1u, 1024u), "queue entries each way");
        spec.latency = l.timing("latency", kAtLeastOne, "annotated on each transaction");
    };
    link("l1", chip.link_l1);
    link("l2", chip.link_l2);
    link("mc", chip.link_mc);
    link("hub", chip.link_hub);
    link("store", chip.link_store);
    link("registers", chip.link_register);
    chip.synchroniser = r.timing("synchroniser", range(0u, 64u),
                                 "between engine and memory clock, cycles of the receiver");
    const auto crossbar = [&](const char* key, crossbar::CrossbarSpec& spec) {
        Reader x = r.map(key);
        spec.request_bytes = x.required<unsigned>("request_bytes", range(1u, 64u), "per cycle");
        spec.response_bytes = x.required<unsigned>("response_bytes", range(1u, 64u), "per cycle");
        spec.queue_depth =
            x.required<unsigned>("queue_depth", range(1u, 64u), "per input and output");
        spec.request_in = read_channel(x, "request_in", "requests of a source");
        spec.response_in = read_channel(x, "response_in", "responses of a destination");
    };
    crossbar("fabric", chip.fabric);
    crossbar("hub_crossbar", chip.hub);
}

void read_gb(Reader& root, ChipConfig& chip) {
    Reader r = root.map("tiling");
    gb::GbSpec& s = chip.gb;
    s.gb_addr_config = r.required<uint32_t>("gb_addr_config", "GB_ADDR_CONFIG after reset");
    const std::vector<uint32_t> modes = r.sequence<uint32_t>(
        "tile_modes", config::exactly(gb::GbSpec::kModes), "GB_TILE_MODE0..31 after reset");
    if (modes.size() == s.tile_modes.size())
        std::copy(modes.begin(), modes.end(), s.tile_modes.begin());
    s.registers = read_channel(r, "registers", "writes and reads from GRBM");
    s.broadcast = r.timing("broadcast", kAtLeastOne, "to the texture units");
}

void read_ih(Reader& root, ChipConfig& chip) {
    Reader r = root.map("interrupts");
    ih::IhSpec& s = chip.ih;
    s.registers = read_channel(r, "registers", "writes and reads from GRBM");
    s.memory_return = read_channel(r, "memory_return", "acknowledgements of its writes");
    s.timer_unit = r.timing("timer_unit", kAtLeastOne, "a step of the write-back timer");
}

void read_vgt(Reader& root, ChipConfig& chip) {
    Reader r = root.map("vgt");
    vgt::VgtSpec& s = chip.vgt;
    s.draw_queue = r.required<unsigned>("draw_queue", range(1u, 1024u), "draws and events waiting");
    s.immediate_queue =
        r.required<unsigned>("immediate_queue", range(1u, 16384u), "dwords of VGT_IMMED_DATA");
    s.reuse_most = r.required<unsigned>("reuse", range(3u, 64u), "vertices in the reuse buffer");
    s.wave_primitives = r.required<unsigned>("wave_primitives", range(1u, 65536u),
                                             "that wait for their wave of vertices to end");
    s.indices_per_cycle =
        r.required<unsigned>("indices_per_cycle", range(1u, 64u), "taken by the grouper");
    s.primitives_per_cycle =
        r.required<unsigned>("primitives_per_cycle", range(1u, 16u), "made and sent");
    s.gs_waves = r.required<unsigned>("gs_waves", range(1u, 1024u),
                                      "GS waves, and ES waves, made and not yet through");
    s.gs_threads_per_es =
        r.required<unsigned>("gs_threads_per_es", range(1u, 4096u), "threads on one ES wave");
    s.ring_waves = r.required<unsigned>("ring_waves", range(1u, 65536u),
                                        "waves in the ESGS and in the GSVS ring at most");
    s.patch_groups = r.required<unsigned>("patch_groups", range(1u, 1024u),
                                          "groups of patches made and not yet through");
    s.draw_cycles = r.timing("draw_cycles", kAtLeastOne, "a draw's turn to its first index");
    s.event_cycles = r.timing("event_cycles", kAtLeastOne, "an event's turn to its departure");
    s.wave_cycles = r.timing("wave_cycles", kAtLeastOne, "sending a wave to SPI");
    s.stage_done_latency =
        r.timing("stage_done_latency", kAtLeastOne, "the end of a wave, from SPI");
    s.registers = read_channel(r, "registers", "writes and reads from GRBM");
    s.gs_messages = read_channel(r, "gs_messages", "s_sendmsg of GS waves");
    {
        Reader d = r.map("index_dma");
        s.dma.indices_per_cycle =
            d.required<unsigned>("indices_per_cycle", range(1u, 8u), "handed on at most");
        s.dma.lines_ahead =
            d.required<unsigned>("lines_ahead", range(1u, 16u), "asked for and not handed on");
        s.dma.lines_in_flight =
            d.required<unsigned>("lines_in_flight", range(1u, 16u), "asked for and not come");
        s.dma.commands_begun =
            d.required<unsigned>("commands_begun", range(1u, 4u), "taken and not handed on");
        s.dma.setup_cycles =
            d.timing("setup_cycles", kAtLeastOne, "from a command to its first request");
        s.dma.command = read_channel(d, "command", "VGT to the unit");
        s.dma.group = read_channel(d, "group", "the unit to VGT");
        s.dma.response = read_channel(d, "response", "memory to the unit");
    }
    if (r.ok())
        for (const std::string& problem : s.problems())
            r.error(problem);
}

void read_perf(Reader& root, ChipConfig& chip) {
    Reader r = root.map("performance");
    chip.perf.registers = read_channel(r, "registers", "writes and reads from GRBM");
    chip.perf.events = r.timing("events", kAtLeastOne, "from CP");
}

void read_blocks(Reader& root, ChipConfig& chip) {
    read_gb(root, chip);
    read_ih(root, chip);
    read_perf(root, chip);
    read_cp(root, chip);
    read_spi(root, chip);
    read_vgt(root, chip);
    read_cu(root, chip);
    read_gds(root, chip);
    read_caches(root, chip);
    read_memory(root, chip);
    read_links(root, chip);
}

}  // namespace archipelago::asic
