// SPDX-License-Identifier: Apache-2.0
// Messages of caches to pins and back.
#pragma once

#include "models/common/memory_message.h"
#include "pins/memory_messages.h"

namespace archipelago::tc {

void to_pins(const Line& line, rtl::LineData& data);
void from_pins(const rtl::LineData& data, Line& line);
// What a message does not carry is 0: data and operands of a read, data of a write's answer.
void to_pins(const MemRequest& from, rtl::MemoryRequestPins& to);
void from_pins(const rtl::MemoryRequestPins& from, MemRequest& to);
void to_pins(const MemResponse& from, rtl::MemoryAnswerPins& to);
void from_pins(const rtl::MemoryAnswerPins& from, MemResponse& to);

// What of an action concerns the caches of a level: L1 has nothing to write back.
enum class CacheLevel : uint8_t { L1, L2 };
void to_pins(const CacheAction& from, CacheLevel level, rtl::CacheActionPins& to);
CacheAction from_pins(const rtl::CacheActionPins& from, CacheLevel level);

}  // namespace archipelago::tc
