// SPDX-License-Identifier: Apache-2.0
// The events that performance counters of Southern Islands select, and what they are in the model.
// Event numbers: public gfx7 enumerations, where the blocks are those of SI.
#include <iterator>
#include <vector>

#include "models/gcn/si/front_end.h"

namespace archipelago::gcn::si {

namespace {

using perf::Block, perf::EventRow;

constexpr EventRow kGrbmEvents[] = {
    {Block::Grbm, 0x00, "COUNT", "", ""},
    {Block::GrbmSe0, 0x00, "COUNT", "", ""},
    {Block::GrbmSe1, 0x00, "COUNT", "", ""},
};

// IA and VGT. Counters of IA, VGT and SPI run in the window of the PERFCOUNTER events only: it is
// open in every cycle they count.
constexpr EventRow kVgtEvents[] = {
    {Block::Ia, 0x00, "GRP_INPUT_EVENT_WINDOW_ACTIVE", "", ""},
    {Block::Ia, 0x0E, "ia_dma_return", "vgt.index_dma", "requests"},
    {Block::Vgt, 0x00, "VGT_SPI_ESTHREAD_EVENT_WINDOW_ACTIVE", "", ""},
    {Block::Vgt, 0x01, "VGT_SPI_ESVERT_VALID", "vgt", "es_threads"},
    {Block::Vgt, 0x02, "VGT_SPI_ESVERT_EOV", "vgt", "es_waves"},
    {Block::Vgt, 0x03, "VGT_SPI_ESVERT_STALLED", "vgt", "es_stall_cycles"},
    {Block::Vgt, 0x08, "VGT_SPI_ESTHREAD_SEND", "vgt", "es_waves"},
    {Block::Vgt, 0x09, "VGT_SPI_GSPRIM_VALID", "vgt", "gs_threads"},
    {Block::Vgt, 0x0A, "VGT_SPI_GSPRIM_EOV", "vgt", "gs_waves"},
    {Block::Vgt, 0x0C, "VGT_SPI_GSPRIM_STALLED", "vgt", "gs_stall_cycles"},
    {Block::Vgt, 0x10, "VGT_SPI_GSTHREAD_EVENT_WINDOW_ACTIVE", "", ""},
    {Block::Vgt, 0x12, "VGT_SPI_GSTHREAD_SEND", "vgt", "gs_waves"},
    {Block::Vgt, 0x13, "VGT_SPI_VSTHREAD_EVENT_WINDOW_ACTIVE", "", ""},
    {Block::Vgt, 0x14, "VGT_SPI_VSVERT_SEND", "vgt", "vs_threads"},
    {Block::Vgt, 0x15, "VGT_SPI_VSVERT_EOV", "vgt", "vs_waves"},
    {Block::Vgt, 0x16, "VGT_SPI_VSVERT_STALLED", "vgt", "vs_stall_cycles"},
    // Events go to SPI between the VS waves.
    {Block::Vgt, 0x1A, "VGT_SPI_VSTHREAD_IS_EVENT", "vgt", "events"},
    {Block::Vgt, 0x1B, "VGT_SPI_VSTHREAD_SEND", "vgt", "vs_waves"},
    {Block::Vgt, 0x1C, "VGT_PA_EVENT_WINDOW_ACTIVE", "", ""},
    {Block::Vgt, 0x23, "VGT_PA_CLIPP_SEND", "vgt", "primitives_out"},
    {Block::Vgt, 0x23, "VGT_PA_CLIPP_SEND", "vgt", "events"},
    {Block::Vgt, 0x25, "VGT_PA_CLIPP_IS_EVENT", "vgt", "events"},
    {Block::Vgt, 0x28, "VGT_PA_CLIPP_STALLED", "vgt", "primitive_wait_cycles"},
    {Block::Vgt, 0x31, "vsvert_ds_send", "vgt", "ds_threads"},
    {Block::Vgt, 0x39, "vgt_pa_clipp_send_not_event", "vgt", "primitives_out"},
    {Block::Vgt, 0x3A, "vgt_pa_clipp_valid_prim", "vgt", "primitives_out"},
    {Block::Vgt, 0x3B, "reused_es_indices", "vgt", "reused_es"},
    {Block::Vgt, 0x3C, "vs_cache_hits", "vgt", "reused_vs"},
    {Block::Vgt, 0x3E, "ds_cache_hits", "vgt", "reused_ds"},
    {Block::Vgt, 0x3F, "total_cache_hits", "vgt", "reused_vs"},
    {Block::Vgt, 0x3F, "total_cache_hits", "vgt", "reused_es"},
    {Block::Vgt, 0x3F, "total_cache_hits", "vgt", "reused_ds"},
    {Block::Vgt, 0x5A, "reused_vs_indices", "vgt", "reused_vs"},
    {Block::Vgt, 0x60, "VGT_SPI_LSVERT_VALID", "vgt", "ls_threads"},
    {Block::Vgt, 0x61, "VGT_SPI_LSVERT_EOV", "vgt", "ls_waves"},
    {Block::Vgt, 0x62, "VGT_SPI_LSVERT_STALLED", "vgt", "ls_stall_cycles"},
    {Block::Vgt, 0x66, "VGT_SPI_LSWAVE_EVENT_WINDOW_ACTIVE", "", ""},
    {Block::Vgt, 0x68, "VGT_SPI_LSWAVE_SEND", "vgt", "ls_waves"},
    {Block::Vgt, 0x69, "VGT_SPI_HSVERT_VALID", "vgt", "hs_threads"},
    {Block::Vgt, 0x6A, "VGT_SPI_HSVERT_EOV", "vgt", "hs_waves"},
    {Block::Vgt, 0x6B, "VGT_SPI_HSVERT_STALLED", "vgt", "hs_stall_cycles"},
    {Block::Vgt, 0x6F, "VGT_SPI_HSWAVE_EVENT_WINDOW_ACTIVE", "", ""},
    {Block::Vgt, 0x71, "VGT_SPI_HSWAVE_SEND", "vgt", "hs_waves"},
    {Block::Vgt, 0x72, "ds_prims", "vgt", "ds_primitives"},
    {Block::Vgt, 0x74, "ls_thread_groups", "vgt", "patch_groups"},
    {Block::Vgt, 0x75, "hs_thread_groups", "vgt", "patch_groups"},
    // A wave of these stages is a group of its own.
    {Block::Vgt, 0x76, "es_thread_groups", "vgt", "es_waves"},
    {Block::Vgt, 0x77, "vs_thread_groups", "vgt", "vs_waves"},
    {Block::Vgt, 0x84, "es_done", "vgt", "es_done"},
    {Block::Vgt, 0x85, "gs_done", "vgt", "gs_done"},
};

constexpr EventRow kSpiEvents[] = {
    {Block::Spi, 0x00, "VS_WINDOW_VALID", "", ""},
    {Block::Spi, 0x05, "VS_PC_STALL", "spi", "no_parameter_room_cycles"},
    {Block::Spi, 0x0A, "VS_WAVE", "spi", "vs_waves"},
    {Block::Spi, 0x10, "GS_WINDOW_VALID", "", ""},
    {Block::Spi, 0x14, "GS_WAVE", "spi", "gs_waves"},
    {Block::Spi, 0x19, "ES_WINDOW_VALID", "", ""},
    {Block::Spi, 0x20, "ES_WAVE", "spi", "es_waves"},
    {Block::Spi, 0x25, "HS_WINDOW_VALID", "", ""},
    {Block::Spi, 0x2C, "HS_WAVE", "spi", "hs_waves"},
    {Block::Spi, 0x2F, "LS_WINDOW_VALID", "", ""},
    {Block::Spi, 0x36, "LS_WAVE", "spi", "ls_waves"},
    // CSG: of the graphics ring, CSN: of the compute rings.
    {Block::Spi, 0x39, "CSG_WINDOW_VALID", "", ""},
    {Block::Spi, 0x3B, "CSG_NUM_THREADGROUPS", "spi", "csg_groups"},
    {Block::Spi, 0x3E, "CSG_WAVE", "spi", "csg_waves"},
    {Block::Spi, 0x3F, "CSN_WINDOW_VALID", "", ""},
    {Block::Spi, 0x41, "CSN_NUM_THREADGROUPS", "spi", "csn_groups"},
    {Block::Spi, 0x44, "CSN_WAVE", "spi", "csn_waves"},
    {Block::Spi, 0x45, "PS_CTL_WINDOW_VALID", "", ""},
    {Block::Spi, 0x4B, "PS_CTL_WAVE", "spi", "ps_waves"},
    {Block::Spi, 0x63, "RA_REQ_NO_ALLOC", "spi", "no_alloc_cycles"},
    {Block::Spi, 0x64, "RA_REQ_NO_ALLOC_PS", "spi", "ps_no_alloc_cycles"},
    {Block::Spi, 0x65, "RA_REQ_NO_ALLOC_VS", "spi", "vs_no_alloc_cycles"},
    {Block::Spi, 0x66, "RA_REQ_NO_ALLOC_GS", "spi", "gs_no_alloc_cycles"},
    {Block::Spi, 0x67, "RA_REQ_NO_ALLOC_ES", "spi", "es_no_alloc_cycles"},
    {Block::Spi, 0x68, "RA_REQ_NO_ALLOC_HS", "spi", "hs_no_alloc_cycles"},
    {Block::Spi, 0x69, "RA_REQ_NO_ALLOC_LS", "spi", "ls_no_alloc_cycles"},
    {Block::Spi, 0x6A, "RA_REQ_NO_ALLOC_CSG", "spi", "csg_no_alloc_cycles"},
    {Block::Spi, 0x6B, "RA_REQ_NO_ALLOC_CSN", "spi", "csn_no_alloc_cycles"},
    {Block::Spi, 0x6C, "RA_RES_STALL_PS", "spi", "ps_no_room_cycles"},
    {Block::Spi, 0x6D, "RA_RES_STALL_VS", "spi", "vs_no_room_cycles"},
    {Block::Spi, 0x6E, "RA_RES_STALL_GS", "spi", "gs_no_room_cycles"},
    {Block::Spi, 0x6F, "RA_RES_STALL_ES", "spi", "es_no_room_cycles"},
    {Block::Spi, 0x70, "RA_RES_STALL_HS", "spi", "hs_no_room_cycles"},
    {Block::Spi, 0x71, "RA_RES_STALL_LS", "spi", "ls_no_room_cycles"},
    {Block::Spi, 0x72, "RA_RES_STALL_CSG", "spi", "csg_no_room_cycles"},
    {Block::Spi, 0x73, "RA_RES_STALL_CSN", "spi", "csn_no_room_cycles"},
    {Block::Spi, 0x74, "RA_TMP_STALL_PS", "spi", "ps_no_scratch_cycles"},
    {Block::Spi, 0x75, "RA_TMP_STALL_VS", "spi", "vs_no_scratch_cycles"},
    {Block::Spi, 0x76, "RA_TMP_STALL_GS", "spi", "gs_no_scratch_cycles"},
    {Block::Spi, 0x77, "RA_TMP_STALL_ES", "spi", "es_no_scratch_cycles"},
    {Block::Spi, 0x78, "RA_TMP_STALL_HS", "spi", "hs_no_scratch_cycles"},
    {Block::Spi, 0x79, "RA_TMP_STALL_LS", "spi", "ls_no_scratch_cycles"},
    {Block::Spi, 0x7A, "RA_TMP_STALL_CSG", "spi", "csg_no_scratch_cycles"},
    {Block::Spi, 0x7B, "RA_TMP_STALL_CSN", "spi", "csn_no_scratch_cycles"},
    // Vectors; those to depth and nowhere take the way of colours.
    {Block::Spi, 0xB1, "EXP_ARB_COL_CNT", "spi", "color_exports"},
    {Block::Spi, 0xB1, "EXP_ARB_COL_CNT", "spi", "depth_exports"},
    {Block::Spi, 0xB1, "EXP_ARB_COL_CNT", "spi", "null_exports"},
    {Block::Spi, 0xB2, "EXP_ARB_PAR_CNT", "spi", "parameter_exports"},
    {Block::Spi, 0xB3, "EXP_ARB_POS_CNT", "spi", "position_exports"},
};

// L1 of a compute unit. What glc reads is not kept: it misses and evicts.
constexpr EventRow kTcpEvents[] = {
    {Block::Tcp, 0x05, "TCR_TCP_STALL_CYCLES", ".l1", "downstream_full_cycles"},
    {Block::Tcp, 0x17, "TCC_READ_REQ", ".l1", "read_misses"},
    {Block::Tcp, 0x17, "TCC_READ_REQ", ".l1", "glc_reads"},
    {Block::Tcp, 0x18, "TCC_WRITE_REQ", ".l1", "writes"},
    {Block::Tcp, 0x1C, "TOTAL_GLOBAL_READ", ".l1", "reads"},
    {Block::Tcp, 0x1E, "TOTAL_GLOBAL_WRITE", ".l1", "writes"},
    {Block::Tcp, 0x21, "TOTAL_WBINVL1", ".l1", "cache_actions"},
    {Block::Tcp, 0x6E, "TCC_REQ", ".l1", "read_misses"},
    {Block::Tcp, 0x6E, "TCC_REQ", ".l1", "glc_reads"},
    {Block::Tcp, 0x6E, "TCC_REQ", ".l1", "writes"},
    {Block::Tcp, 0x6E, "TCC_REQ", ".l1", "atomics"},
    {Block::Tcp, 0x6F, "TCC_NON_READ_REQ", ".l1", "writes"},
    {Block::Tcp, 0x6F, "TCC_NON_READ_REQ", ".l1", "atomics"},
    {Block::Tcp, 0x7B, "TCC_ATOMIC_REQ", ".l1", "atomics"},
    {Block::Tcp, 0x7E, "TOTAL_ACCESSES", ".l1", "reads"},
    {Block::Tcp, 0x7E, "TOTAL_ACCESSES", ".l1", "writes"},
    {Block::Tcp, 0x7E, "TOTAL_ACCESSES", ".l1", "atomics"},
    {Block::Tcp, 0x7F, "TOTAL_READ", ".l1", "reads"},
    {Block::Tcp, 0x80, "TOTAL_HIT_LRU_READ", ".l1", "read_hits"},
    {Block::Tcp, 0x82, "TOTAL_MISS_LRU_READ", ".l1", "read_misses"},
    {Block::Tcp, 0x82, "TOTAL_MISS_LRU_READ", ".l1", "read_merged"},
    {Block::Tcp, 0x83, "TOTAL_MISS_EVICT_READ", ".l1", "glc_reads"},
    {Block::Tcp, 0x84, "TOTAL_NON_READ", ".l1", "writes"},
    {Block::Tcp, 0x84, "TOTAL_NON_READ", ".l1", "atomics"},
    {Block::Tcp, 0x85, "TOTAL_WRITE", ".l1", "writes"},
};

// An L2 channel.
constexpr EventRow kTccEvents[] = {
    {Block::Tcc, 0x01, "CYCLE", "", ""},
    {Block::Tcc, 0x02, "BUSY", "tcc", "busy_cycles"},
    {Block::Tcc, 0x03, "REQ", "tcc", "reads"},
    {Block::Tcc, 0x03, "REQ", "tcc", "writes"},
    {Block::Tcc, 0x03, "REQ", "tcc", "atomics"},
    {Block::Tcc, 0x05, "READ", "tcc", "reads"},
    {Block::Tcc, 0x06, "WRITE", "tcc", "writes"},
    {Block::Tcc, 0x07, "ATOMIC", "tcc", "atomics"},
    {Block::Tcc, 0x08, "WBINVL2", "tcc", "cache_actions"},
    {Block::Tcc, 0x0A, "HIT", "tcc", "read_hits"},
    {Block::Tcc, 0x0A, "HIT", "tcc", "write_hits"},
    {Block::Tcc, 0x0B, "MISS", "tcc", "read_misses"},
    {Block::Tcc, 0x0E, "WRITEBACK", "tcc", "writebacks"},
    {Block::Tcc, 0x12, "MC_WRREQ", "tcc", "writebacks"},
    {Block::Tcc, 0x12, "MC_WRREQ", "tcc", "write_throughs"},
    // Counted when memory has answered.
    {Block::Tcc, 0x18, "MC_RDREQ", "tcc", "fills"},
    {Block::Tcc, 0x18, "MC_RDREQ", "tcc", "failed_fills"},
    {Block::Tcc, 0x1E, "TAG_MISS_NOTHING_REPLACEABLE_STALL", "tcc", "set_full_cycles"},
};

// The crossbar between the L1s and the first eight L2 channels.
constexpr EventRow kTcaEvents[] = {
    {Block::Tca, 0x01, "CYCLE", "", ""},
    {Block::Tca, 0x0B, "REQ_TCC0", "=fabric.request0", "messages"},
    {Block::Tca, 0x0C, "REQ_TCC1", "=fabric.request1", "messages"},
    {Block::Tca, 0x0D, "REQ_TCC2", "=fabric.request2", "messages"},
    {Block::Tca, 0x0E, "REQ_TCC3", "=fabric.request3", "messages"},
    {Block::Tca, 0x0F, "REQ_TCC4", "=fabric.request4", "messages"},
    {Block::Tca, 0x10, "REQ_TCC5", "=fabric.request5", "messages"},
    {Block::Tca, 0x11, "REQ_TCC6", "=fabric.request6", "messages"},
    {Block::Tca, 0x12, "REQ_TCC7", "=fabric.request7", "messages"},
};

template <size_t... N>
std::vector<EventRow> join(const EventRow (&... tables)[N]) {
    std::vector<EventRow> rows;
    (rows.insert(rows.end(), std::begin(tables), std::end(tables)), ...);
    return rows;
}

}  // namespace

// Busy signals are not here: they are wires (PerfCore::add_busy).
const std::vector<EventRow>& perf_events() {
    static const std::vector<EventRow> rows =
        join(kGrbmEvents, kVgtEvents, kSpiEvents, kTcpEvents, kTccEvents, kTcaEvents);
    return rows;
}

}  // namespace archipelago::gcn::si
