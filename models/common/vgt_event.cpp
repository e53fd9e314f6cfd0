// SPDX-License-Identifier: Apache-2.0
#include "models/common/vgt_event.h"

#include <algorithm>

namespace archipelago {

namespace {

using namespace vgt_event;

constexpr ValueName kNames[] = {
    {kSampleStreamoutstats1, "SAMPLE_STREAMOUTSTATS1"},
    {kSampleStreamoutstats2, "SAMPLE_STREAMOUTSTATS2"},
    {kSampleStreamoutstats3, "SAMPLE_STREAMOUTSTATS3"},
    {kCacheFlushTs, "CACHE_FLUSH_TS"},
    {kContextDone, "CONTEXT_DONE"},
    {kCacheFlush, "CACHE_FLUSH"},
    {kCsPartialFlush, "CS_PARTIAL_FLUSH"},
    {kVgtStreamoutSync, "VGT_STREAMOUT_SYNC"},
    {kVgtStreamoutReset, "VGT_STREAMOUT_RESET"},
    {kEndOfPipeIncrDe, "END_OF_PIPE_INCR_DE"},
    {kEndOfPipeIbEnd, "END_OF_PIPE_IB_END"},
    {kRstPixCnt, "RST_PIX_CNT"},
    {kVsPartialFlush, "VS_PARTIAL_FLUSH"},
    {kPsPartialFlush, "PS_PARTIAL_FLUSH"},
    {kFlushHsOutput, "FLUSH_HS_OUTPUT"},
    {kFlushLsOutput, "FLUSH_LS_OUTPUT"},
    {kCacheFlushAndInvTsEvent, "CACHE_FLUSH_AND_INV_TS_EVENT"},
    {kZpassDone, "ZPASS_DONE"},
    {kCacheFlushAndInvEvent, "CACHE_FLUSH_AND_INV_EVENT"},
    {kPerfcounterStart, "PERFCOUNTER_START"},
    {kPerfcounterStop, "PERFCOUNTER_STOP"},
    {kPipelinestatStart, "PIPELINESTAT_START"},
    {kPipelinestatStop, "PIPELINESTAT_STOP"},
    {kPerfcounterSample, "PERFCOUNTER_SAMPLE"},
    {kFlushEsOutput, "FLUSH_ES_OUTPUT"},
    {kFlushGsOutput, "FLUSH_GS_OUTPUT"},
    {kSamplePipelinestat, "SAMPLE_PIPELINESTAT"},
    {kSoVgtstreamoutFlush, "SO_VGTSTREAMOUT_FLUSH"},
    {kSampleStreamoutstats, "SAMPLE_STREAMOUTSTATS"},
    {kResetVtxCnt, "RESET_VTX_CNT"},
    {kBlockContextDone, "BLOCK_CONTEXT_DONE"},
    {kCsContextDone, "CS_CONTEXT_DONE"},
    {kVgtFlush, "VGT_FLUSH"},
    {kSqNonEvent, "SQ_NON_EVENT"},
    {kScSendDbVpz, "SC_SEND_DB_VPZ"},
    {kBottomOfPipeTs, "BOTTOM_OF_PIPE_TS"},
    {kFlushSxTs, "FLUSH_SX_TS"},
    {kDbCacheFlushAndInv, "DB_CACHE_FLUSH_AND_INV"},
    {kFlushAndInvDbDataTs, "FLUSH_AND_INV_DB_DATA_TS"},
    {kFlushAndInvDbMeta, "FLUSH_AND_INV_DB_META"},
    {kFlushAndInvCbDataTs, "FLUSH_AND_INV_CB_DATA_TS"},
    {kFlushAndInvCbMeta, "FLUSH_AND_INV_CB_META"},
    {kCsDone, "CS_DONE"},
    {kPsDone, "PS_DONE"},
    {kFlushAndInvCbPixelData, "FLUSH_AND_INV_CB_PIXEL_DATA"},
    {kSxCbRatAckRequest, "SX_CB_RAT_ACK_REQUEST"},
    {kThreadTraceStart, "THREAD_TRACE_START"},
    {kThreadTraceStop, "THREAD_TRACE_STOP"},
    {kThreadTraceMarker, "THREAD_TRACE_MARKER"},
    {kThreadTraceFlush, "THREAD_TRACE_FLUSH"},
    {kThreadTraceFinish, "THREAD_TRACE_FINISH"},
    {kPixelPipeStatControl, "PIXEL_PIPE_STAT_CONTROL"},
    {kPixelPipeStatDump, "PIXEL_PIPE_STAT_DUMP"},
    {kPixelPipeStatReset, "PIXEL_PIPE_STAT_RESET"},
    {kContextSuspend, "CONTEXT_SUSPEND"},
};

const ValueName* find(uint8_t type) {
    const auto* end = std::end(kNames);
    const auto* at = std::find_if(std::begin(kNames), end,
                                  [type](const ValueName& name) { return name.value == type; });
    return at == end ? nullptr : at;
}

}  // namespace

regs::TableSpan<ValueName> event_names() {
    return {kNames, sizeof kNames / sizeof *kNames};
}

std::string event_name(uint8_t type) {
    const ValueName* name = find(type);
    return name != nullptr ? name->name : "event " + std::to_string(type);
}

bool event_is_defined(uint8_t type) {
    return find(type) != nullptr;
}

}  // namespace archipelago
