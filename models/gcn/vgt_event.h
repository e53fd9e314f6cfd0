// SPDX-License-Identifier: Apache-2.0
// VGT_EVENT_TYPE: the events that CP posts to the pipe, by number, name and kind.
// "Radeon Southern Islands Acceleration" 2.8.3.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/register_info.h"

namespace archipelago {

namespace vgt_event {
constexpr uint8_t kSampleStreamoutstats1 = 1;
constexpr uint8_t kSampleStreamoutstats2 = 2;
constexpr uint8_t kSampleStreamoutstats3 = 3;
constexpr uint8_t kCacheFlushTs = 4;
constexpr uint8_t kContextDone = 5;
constexpr uint8_t kCacheFlush = 6;
constexpr uint8_t kCsPartialFlush = 7;
constexpr uint8_t kVgtStreamoutSync = 8;
constexpr uint8_t kVgtStreamoutReset = 10;
constexpr uint8_t kEndOfPipeIncrDe = 11;
constexpr uint8_t kEndOfPipeIbEnd = 12;
constexpr uint8_t kRstPixCnt = 13;
constexpr uint8_t kVsPartialFlush = 15;
constexpr uint8_t kPsPartialFlush = 16;
constexpr uint8_t kFlushHsOutput = 17;
constexpr uint8_t kFlushLsOutput = 18;
constexpr uint8_t kCacheFlushAndInvTsEvent = 20;
constexpr uint8_t kZpassDone = 21;
constexpr uint8_t kCacheFlushAndInvEvent = 22;
constexpr uint8_t kPerfcounterStart = 23;
constexpr uint8_t kPerfcounterStop = 24;
constexpr uint8_t kPipelinestatStart = 25;
constexpr uint8_t kPipelinestatStop = 26;
constexpr uint8_t kPerfcounterSample = 27;
constexpr uint8_t kFlushEsOutput = 28;
constexpr uint8_t kFlushGsOutput = 29;
constexpr uint8_t kSamplePipelinestat = 30;
constexpr uint8_t kSoVgtstreamoutFlush = 31;
constexpr uint8_t kSampleStreamoutstats = 32;
constexpr uint8_t kResetVtxCnt = 33;
constexpr uint8_t kBlockContextDone = 34;
constexpr uint8_t kCsContextDone = 35;
constexpr uint8_t kVgtFlush = 36;
constexpr uint8_t kSqNonEvent = 38;
constexpr uint8_t kScSendDbVpz = 39;
constexpr uint8_t kBottomOfPipeTs = 40;
constexpr uint8_t kFlushSxTs = 41;
constexpr uint8_t kDbCacheFlushAndInv = 42;
constexpr uint8_t kFlushAndInvDbDataTs = 43;
constexpr uint8_t kFlushAndInvDbMeta = 44;
constexpr uint8_t kFlushAndInvCbDataTs = 45;
constexpr uint8_t kFlushAndInvCbMeta = 46;
constexpr uint8_t kCsDone = 47;
constexpr uint8_t kPsDone = 48;
constexpr uint8_t kFlushAndInvCbPixelData = 49;
constexpr uint8_t kSxCbRatAckRequest = 50;
constexpr uint8_t kThreadTraceStart = 51;
constexpr uint8_t kThreadTraceStop = 52;
constexpr uint8_t kThreadTraceMarker = 53;
constexpr uint8_t kThreadTraceFlush = 54;
constexpr uint8_t kThreadTraceFinish = 55;
constexpr uint8_t kPixelPipeStatControl = 56;
constexpr uint8_t kPixelPipeStatDump = 57;
constexpr uint8_t kPixelPipeStatReset = 58;
constexpr uint8_t kContextSuspend = 59;
}  // namespace vgt_event

constexpr ValueName kEventNames[] = {
    {vgt_event::kSampleStreamoutstats1, "SAMPLE_STREAMOUTSTATS1"},
    {vgt_event::kSampleStreamoutstats2, "SAMPLE_STREAMOUTSTATS2"},
    {vgt_event::kSampleStreamoutstats3, "SAMPLE_STREAMOUTSTATS3"},
    {vgt_event::kCacheFlushTs, "CACHE_FLUSH_TS"},
    {vgt_event::kContextDone, "CONTEXT_DONE"},
    {vgt_event::kCacheFlush, "CACHE_FLUSH"},
    {vgt_event::kCsPartialFlush, "CS_PARTIAL_FLUSH"},
    {vgt_event::kVgtStreamoutSync, "VGT_STREAMOUT_SYNC"},
    {vgt_event::kVgtStreamoutReset, "VGT_STREAMOUT_RESET"},
    {vgt_event::kEndOfPipeIncrDe, "END_OF_PIPE_INCR_DE"},
    {vgt_event::kEndOfPipeIbEnd, "END_OF_PIPE_IB_END"},
    {vgt_event::kRstPixCnt, "RST_PIX_CNT"},
    {vgt_event::kVsPartialFlush, "VS_PARTIAL_FLUSH"},
    {vgt_event::kPsPartialFlush, "PS_PARTIAL_FLUSH"},
    {vgt_event::kFlushHsOutput, "FLUSH_HS_OUTPUT"},
    {vgt_event::kFlushLsOutput, "FLUSH_LS_OUTPUT"},
    {vgt_event::kCacheFlushAndInvTsEvent, "CACHE_FLUSH_AND_INV_TS_EVENT"},
    {vgt_event::kZpassDone, "ZPASS_DONE"},
    {vgt_event::kCacheFlushAndInvEvent, "CACHE_FLUSH_AND_INV_EVENT"},
    {vgt_event::kPerfcounterStart, "PERFCOUNTER_START"},
    {vgt_event::kPerfcounterStop, "PERFCOUNTER_STOP"},
    {vgt_event::kPipelinestatStart, "PIPELINESTAT_START"},
    {vgt_event::kPipelinestatStop, "PIPELINESTAT_STOP"},
    {vgt_event::kPerfcounterSample, "PERFCOUNTER_SAMPLE"},
    {vgt_event::kFlushEsOutput, "FLUSH_ES_OUTPUT"},
    {vgt_event::kFlushGsOutput, "FLUSH_GS_OUTPUT"},
    {vgt_event::kSamplePipelinestat, "SAMPLE_PIPELINESTAT"},
    {vgt_event::kSoVgtstreamoutFlush, "SO_VGTSTREAMOUT_FLUSH"},
    {vgt_event::kSampleStreamoutstats, "SAMPLE_STREAMOUTSTATS"},
    {vgt_event::kResetVtxCnt, "RESET_VTX_CNT"},
    {vgt_event::kBlockContextDone, "BLOCK_CONTEXT_DONE"},
    {vgt_event::kCsContextDone, "CS_CONTEXT_DONE"},
    {vgt_event::kVgtFlush, "VGT_FLUSH"},
    {vgt_event::kSqNonEvent, "SQ_NON_EVENT"},
    {vgt_event::kScSendDbVpz, "SC_SEND_DB_VPZ"},
    {vgt_event::kBottomOfPipeTs, "BOTTOM_OF_PIPE_TS"},
    {vgt_event::kFlushSxTs, "FLUSH_SX_TS"},
    {vgt_event::kDbCacheFlushAndInv, "DB_CACHE_FLUSH_AND_INV"},
    {vgt_event::kFlushAndInvDbDataTs, "FLUSH_AND_INV_DB_DATA_TS"},
    {vgt_event::kFlushAndInvDbMeta, "FLUSH_AND_INV_DB_META"},
    {vgt_event::kFlushAndInvCbDataTs, "FLUSH_AND_INV_CB_DATA_TS"},
    {vgt_event::kFlushAndInvCbMeta, "FLUSH_AND_INV_CB_META"},
    {vgt_event::kCsDone, "CS_DONE"},
    {vgt_event::kPsDone, "PS_DONE"},
    {vgt_event::kFlushAndInvCbPixelData, "FLUSH_AND_INV_CB_PIXEL_DATA"},
    {vgt_event::kSxCbRatAckRequest, "SX_CB_RAT_ACK_REQUEST"},
    {vgt_event::kThreadTraceStart, "THREAD_TRACE_START"},
    {vgt_event::kThreadTraceStop, "THREAD_TRACE_STOP"},
    {vgt_event::kThreadTraceMarker, "THREAD_TRACE_MARKER"},
    {vgt_event::kThreadTraceFlush, "THREAD_TRACE_FLUSH"},
    {vgt_event::kThreadTraceFinish, "THREAD_TRACE_FINISH"},
    {vgt_event::kPixelPipeStatControl, "PIXEL_PIPE_STAT_CONTROL"},
    {vgt_event::kPixelPipeStatDump, "PIXEL_PIPE_STAT_DUMP"},
    {vgt_event::kPixelPipeStatReset, "PIXEL_PIPE_STAT_RESET"},
    {vgt_event::kContextSuspend, "CONTEXT_SUSPEND"},
};

// "event 53" when it has no name.
inline std::string event_name(uint8_t type) {
    for (const ValueName& name : kEventNames)
        if (name.value == type)
            return name.name;
    return "event " + std::to_string(type);
}
constexpr bool event_is_defined(uint8_t type) {
    for (const ValueName& name : kEventNames)
        if (name.value == type)
            return true;
    return false;
}

constexpr bool is_counter_event(uint8_t type) {
    return type == vgt_event::kPerfcounterStart || type == vgt_event::kPerfcounterStop ||
           type == vgt_event::kPerfcounterSample;
}
// Events that come with a place in memory for counters.
constexpr bool is_sample_event(uint8_t type) {
    return (type >= vgt_event::kSampleStreamoutstats1 &&
            type <= vgt_event::kSampleStreamoutstats3) ||
           type == vgt_event::kZpassDone || type == vgt_event::kSamplePipelinestat ||
           type == vgt_event::kSampleStreamoutstats;
}

}  // namespace archipelago
