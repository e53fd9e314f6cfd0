// SPDX-License-Identifier: Apache-2.0
// What a chip that does not move is doing, for the watchdog: one screen of text, everything as JSON
// (models/report/stats_json.h).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "models/cp/ring_report.h"

namespace archipelago::asic {

struct WaveReport {
    std::string cu;
    unsigned simd = 0;
    unsigned slot = 0;
    uint32_t dispatch = 0;
    uint64_t pc = 0;    // bytes
    const char* state;  // "ready", "fetch", "memory", "barrier", "halted", "ending"
    unsigned vm_count = 0, lgkm_count = 0, exp_count = 0;
};

struct HangReport {
    cp::CpReport cp;
    std::vector<WaveReport> waves;
    std::vector<std::pair<std::string, std::string>> units;  // name, what it waits for
    // Those that wait in this cycle and have moved since Asic::watch(): requests of others, polls
    // among them, are on their way through these.
    std::vector<std::pair<std::string, std::string>> moving;
    uint64_t watched_since = 0;  // cycle
};

// The rings that have something to do, then every unit that waits, cut to a screen.
std::string to_text(const HangReport& report);

}  // namespace archipelago::asic
