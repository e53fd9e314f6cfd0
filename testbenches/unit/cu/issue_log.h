// SPDX-License-Identifier: Apache-2.0
// Observers that record when instructions issue and how long waves live.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include "models/common/trace_sink.h"

namespace archipelago::cu::test {

class IssueLog : public LogSink {
  public:
    IssueLog() { mask_ = 1u << static_cast<unsigned>(LogCategory::Isa); }
    struct Entry {
        Cycle at;
        unsigned simd, slot;
        uint64_t pc;
        std::string text;
    };
    void line(LogCategory, Cycle at, std::string_view, std::string_view text) override {
        const std::string line(text);  // "simdN slotM 0xPC: disassembly"
        Entry e;
        e.at = at;
        e.simd = static_cast<unsigned>(std::strtoul(&line[4], nullptr, 10));
        e.slot = static_cast<unsigned>(std::strtoul(&line[line.find("slot") + 4], nullptr, 10));
        e.pc = std::strtoull(&line[line.find("0x")], nullptr, 16);
        e.text = line.substr(line.find(": ") + 2);
        entries.push_back(e);
    }
    // Issue cycles of one wave, in program order.
    std::vector<Cycle> cycles(unsigned simd = 0, unsigned slot = 0) const {
        std::vector<Cycle> result;
        for (const Entry& e : entries)
            if (e.simd == simd && e.slot == slot)
                result.push_back(e.at);
        return result;
    }
    // Cycles from each instruction to the next.
    std::vector<Cycle> gaps(unsigned simd = 0, unsigned slot = 0) const {
        const std::vector<Cycle> at = cycles(simd, slot);
        std::vector<Cycle> result;
        for (size_t i = 1; i < at.size(); ++i)
            result.push_back(at[i] - at[i - 1]);
        return result;
    }
    std::vector<Entry> entries;
};

class SliceTrace : public TraceSink {
  public:
    TrackId track(const std::string& path, uint64_t) override {
        tracks.push_back(path);
        return static_cast<TrackId>(tracks.size() - 1);
    }
    void slice(TrackId track, Cycle begin, Cycle end, std::string_view name, uint64_t,
               std::string_view) override {
        const std::string& row = tracks[track];
        if (row.size() > 6 && row.compare(row.size() - 6, 6, ".waits") == 0) {
            waits += end - begin;
            return;
        }
        total += end - begin;
        slices.push_back(row + ": " + std::string(name));
    }
    void instant(TrackId, Cycle, std::string_view, uint64_t) override {}
    std::vector<std::string> tracks;
    std::vector<std::string> slices;
    Cycle total = 0;
    Cycle waits = 0;  // of the rows that show them
};

}  // namespace archipelago::cu::test
