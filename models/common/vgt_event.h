// SPDX-License-Identifier: Apache-2.0
// VGT_EVENT_TYPE: the events that CP posts to the pipe, by number, name and kind.
// "Radeon Southern Islands Acceleration" 2.8.3.
#pragma once

#include <cstdint>
#include <string>

#include "models/common/register_info.h"

namespace archipelago {

struct ValueName {
    uint32_t value;
    const char* name;
};

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

regs::TableSpan<ValueName> event_names();
// "event 53" when it has no name.
std::string event_name(uint8_t type);
bool event_is_defined(uint8_t type);

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
