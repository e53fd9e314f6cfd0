// SPDX-License-Identifier: Apache-2.0
// What a compute unit says and is told, as its pins have it: each message to pins and back. What
// belongs to the unit's place in the chip (its number, transaction ids) is not on pins.
#pragma once

#include "models/common/gds_message.h"
#include "models/common/memory_message.h"
#include "models/gcn/compute_message.h"
#include "models/gcn/export_message.h"
#include "models/gcn/sqc_message.h"
#include "pins/cu_pins.h"

namespace archipelago::cu {

using CuPins = rtl::CuPins;

// Numbers of waves on pins.
constexpr uint8_t wave_number(unsigned simd, unsigned slot) {
    return static_cast<uint8_t>(16 * simd + slot);
}

void to_pins(const WaveLaunch& from, CuPins::Launch& to);
// Sets the rows v0 to v2 of `data` of a compute wave, and has the launch name it.
void from_pins(const CuPins::Launch& from, WaveLaunch& to, LaunchData& data);

void to_pins(const FetchResponse& from, CuPins::Fetched& to);
void from_pins(const CuPins::Fetched& from, FetchResponse& to);
void to_pins(const ScalarResponse& from, CuPins::Loaded& to);
void from_pins(const CuPins::Loaded& from, ScalarResponse& to);
void to_pins(const MemResponse& from, CuPins::Answer& to);
void from_pins(const CuPins::Answer& from, MemResponse& to);
void to_pins(const GdsResponse& from, CuPins::Quad& to);
void from_pins(const CuPins::Quad& from, GdsResponse& to);

void to_pins(const FetchRequest& from, CuPins::Out& to);
void from_pins(const CuPins::Out& from, FetchRequest& to);
void to_pins(const ScalarRequest& from, CuPins::Out& to);
void from_pins(const CuPins::Out& from, ScalarRequest& to);
void to_pins(const MemRequest& from, CuPins::Request& to);
void from_pins(const CuPins::Request& from, MemRequest& to);
void to_pins(const GdsRequest& from, CuPins::Gds& to);
void from_pins(const CuPins::Gds& from, GdsRequest& to);
void to_pins(const ExportMessage& from, CuPins::Export& to);
void from_pins(const CuPins::Export& from, ExportMessage& to);
void to_pins(const ShaderMessage& from, CuPins::Message& to);
void from_pins(const CuPins::Message& from, ShaderMessage& to);

}  // namespace archipelago::cu
