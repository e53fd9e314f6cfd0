// SPDX-License-Identifier: Apache-2.0
#include "models/asic/hang_report.h"

#include "models/common/text.h"
#include "models/common/verilog_mark.h"

namespace archipelago::asic {
namespace {

constexpr size_t kMaxUnits = 24;   // lines of units in the text
constexpr size_t kMaxListed = 4;   // events and commands of a ring in the text
constexpr size_t kMaxText = 1000;  // characters of a line

std::string list(const std::vector<std::string>& all) {
    std::string text;
    for (size_t i = 0; i < all.size() && i < kMaxListed; ++i)
        text += (i == 0 ? "" : ", ") + all[i];
    if (all.size() > kMaxListed)
        text += " and " + std::to_string(all.size() - kMaxListed) + " more";
    return text;
}

std::string clipped(const std::string& text) {
    return text.size() <= kMaxText ? text : text.substr(0, kMaxText) + " ...";
}

bool is_verilog(const std::pair<std::string, std::string>& unit) {
    return unit.second.compare(0, kVerilogMark.size(), kVerilogMark) == 0;
}

// The first units, and those of Verilog among the others: what is not the chip's own is what a user
// looks for.
std::string units_text(const std::vector<std::pair<std::string, std::string>>& units) {
    std::string text;
    size_t left_out = 0, verilog = 0;
    for (size_t i = 0; i < units.size(); ++i) {
        const bool shown = i < kMaxUnits || (is_verilog(units[i]) && verilog++ < kMaxUnits);
        if (shown)
            text += "  " + units[i].first + ": " + clipped(units[i].second) + "\n";
        left_out += shown ? 0 : 1;
    }
    if (left_out != 0)
        text += "  and " + std::to_string(left_out) + " more units that wait\n";
    return text;
}

}  // namespace

std::string to_text(const HangReport& report) {
    std::string text;
    for (const cp::RingReport& r : report.cp.rings) {
        const bool nothing =
            r.read == r.write && r.engine.empty() && r.events.empty() && r.end_of_pipe.empty();
        if (nothing)
            continue;
        text += "  ring " + r.ring + ": read " + hex(r.read) + ", write " + hex(r.write) + " of " +
                hex(r.dwords) + " dwords" + (r.enabled ? "\n" : ", held in reset\n");
        if (!r.packet.empty())
            text += "    " + r.engine + " has " + clipped(r.packet) + " at " + r.place + "\n";
        if (!r.waits_for.empty())
            text += "    " + r.engine + " waits for " + clipped(r.waits_for) + "\n";
        if (!r.events.empty())
            text += "    in the pipe: " + list(r.events) + "\n";
        if (!r.end_of_pipe.empty())
            text += "    end of pipe: " + list(r.end_of_pipe) + "\n";
    }
    if (!report.cp.contexts.empty()) {
        text += "  render contexts in the pipe:";
        for (const unsigned context : report.cp.contexts)
            text += " " + std::to_string(context);
        text += "; the next draw has " + std::to_string(report.cp.context) + "\n";
    }
    text += units_text(report.units);
    if (!report.moving.empty())
        text += "  requests in flight, which have moved since cycle " +
                std::to_string(report.watched_since) + ":\n" + units_text(report.moving);
    if (!report.waves.empty())
        text += "  " + std::to_string(report.waves.size()) + " waves are resident\n";
    return text;
}

}  // namespace archipelago::asic
