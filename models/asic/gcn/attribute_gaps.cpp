// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/attribute_gaps.h"

#include <algorithm>
#include <cstring>
#include <deque>

namespace archipelago::gcn {
namespace {

using asic::GapReason;
using cp::StallReason;
using cp::WorkLog;

// Goes once through spans that follow each other, with cycles that do not decrease.
template <class T>
class Reader {
  public:
    explicit Reader(const std::vector<T>& spans) : spans_(&spans) {}
    // The span of cycle `c`; null: none.
    const T* at(Cycle c) {
        while (next_ < spans_->size() && (*spans_)[next_].end <= c)
            ++next_;
        return next_ < spans_->size() && (*spans_)[next_].begin <= c ? &(*spans_)[next_] : nullptr;
    }
    // The first cycle after `c` in which at() may have another answer.
    Cycle change(Cycle c) {
        if (const T* span = at(c))
            return span->end;
        return next_begin();
    }
    // After at(): where the next span begins, if it is in none.
    Cycle next_begin() const { return next_ < spans_->size() ? (*spans_)[next_].begin : kNever; }

  private:
    const std::vector<T>* spans_;
    size_t next_ = 0;
};

struct Cause {
    const char* packet = "";
    GapReason reason = GapReason::Host;
};

class EngineReader {
  public:
    explicit EngineReader(const WorkLog::Engine& engine)
        : stalls_(engine.stalls), register_writes_(engine.register_writes) {
        for (const auto& ring : engine.packets)
            packets_.emplace_back(ring);
    }
    // The packet at work: one of `ring` before those of other rings.
    const char* packet(Cycle c, unsigned ring) {
        if (ring < packets_.size())
            if (const WorkLog::Packet* p = packets_[ring].at(c))
                return p->name;
        for (auto& packets : packets_)
            if (const WorkLog::Packet* p = packets.at(c))
                return p->name;
        return nullptr;
    }
    StallReason stall(Cycle c) {
        const WorkLog::Stall* stall = stalls_.at(c);
        return stall != nullptr ? stall->reason : StallReason::None;
    }
    bool writes_register(Cycle c) { return register_writes_.at(c) != nullptr; }
    Cycle change(Cycle c) {
        Cycle next = std::min(stalls_.change(c), register_writes_.change(c));
        for (auto& packets : packets_)
            next = std::min(next, packets.change(c));
        return next;
    }
    // While it has none: where its next packet begins.
    Cycle next_packet() const {
        Cycle next = kNever;
        for (const auto& packets : packets_)
            next = std::min(next, packets.next_begin());
        return next;
    }

  private:
    std::vector<Reader<WorkLog::Packet>> packets_;  // by ring
    Reader<WorkLog::Stall> stalls_;
    Reader<WorkLog::Span> register_writes_;
};

// Reasons that ME and PFP have alike.
GapReason reason_of(StallReason stall, GapReason otherwise) {
    switch (stall) {
        case StallReason::RegBus:
        case StallReason::RegRead:
            return GapReason::RegisterBus;
        case StallReason::MemPort:
        case StallReason::MemData:
        case StallReason::MemWrite:
            return GapReason::Memory;
        case StallReason::Cache:
            return GapReason::CacheAction;
        case StallReason::Dma:
            return GapReason::Dma;
        case StallReason::Eop:
            return GapReason::Fence;
        case StallReason::Poll:
            return GapReason::Poll;
        case StallReason::Ce:
            return GapReason::ConstantEngine;
        case StallReason::Context:
            return GapReason::ContextRoll;
        case StallReason::Gds:
        case StallReason::GdsData:
        case StallReason::GdsStore:
            return GapReason::Gds;
        default:
            return otherwise;
    }
}

class Explainer {
  public:
    Explainer(const WorkLog& log, const LaunchLog& launches)
        : log_(log),
          pfp_(log.pfp),
          me_(log.me),
          cache_actions_(log.cache_actions),
          fences_(log.fences),
          full_(launches.full) {}

    // What a dispatch of `ring` that ME has not started yet waits for in cycle `c`.
    Cause at(Cycle c, unsigned ring) {
        if (const char* packet = me_.packet(c, ring))
            return {packet, on_bus(c, of_me(c))};
        const char* packet = pfp_.packet(c, ring);
        if (packet != nullptr || pfp_.stall(c) != StallReason::None)
            return {packet != nullptr ? packet : "", of_pfp(c)};
        if (on_its_way(c))
            return {"", GapReason::Parse};
        return {"", end_of_pipe(c, GapReason::Host)};
    }
    // Where SPI takes nothing, what waits for the bus waits for it.
    GapReason on_bus(Cycle c, GapReason reason) {
        const bool waits = reason == GapReason::RegisterBus && full_.at(c) != nullptr;
        return waits ? GapReason::DispatchQueue : reason;
    }
    // at() and on_bus() answer the same from `c` on until this cycle.
    Cycle change(Cycle c) {
        Cycle next = std::min({me_.change(c), pfp_.change(c), cache_actions_.change(c),
                               fences_.change(c), full_.change(c), next_submission(c)});
        return std::max(next, c + 1);
    }

  private:
    GapReason of_me(Cycle c) {
        switch (const StallReason stall = me_.stall(c)) {
            case StallReason::Queue:
                return of_pfp(c);
            case StallReason::Microcode:
                return GapReason::PacketStart;
            case StallReason::Event:
                return GapReason::WaitForIdle;
            case StallReason::Poll:
                return end_of_pipe(c, GapReason::Poll);
            default:
                return reason_of(
                    stall, me_.writes_register(c) ? GapReason::RegisterWrite : GapReason::Packet);
        }
    }
    GapReason of_pfp(Cycle c) {
        switch (const StallReason stall = pfp_.stall(c)) {
            case StallReason::Queue:
                return GapReason::Fetch;
            case StallReason::Poll:
                return end_of_pipe(c, GapReason::Poll);
            default:
                return reason_of(stall, GapReason::Parse);
        }
    }
    // What polls and the host wait for, if those are at work.
    GapReason end_of_pipe(Cycle c, GapReason otherwise) {
        if (cache_actions_.at(c) != nullptr)
            return GapReason::CacheAction;
        return fences_.at(c) != nullptr ? GapReason::Fence : otherwise;
    }
    // No engine has a packet, and there will be one before the host submits more.
    bool on_its_way(Cycle c) {
        return std::min(me_.next_packet(), pfp_.next_packet()) < next_submission(c);
    }
    Cycle next_submission(Cycle c) {
        while (submission_ < log_.submissions.size() && log_.submissions[submission_] <= c)
            ++submission_;
        return submission_ < log_.submissions.size() ? log_.submissions[submission_] : kNever;
    }

    const WorkLog& log_;
    EngineReader pfp_, me_;
    Reader<WorkLog::Span> cache_actions_, fences_;
    Reader<LaunchLog::Span> full_;
    size_t submission_ = 0;
};

// The start of a dispatch: written by its packet, then come to SPI.
struct Start {
    Cycle written = kNever, arrived = kNever;
    const char* packet = "";
    unsigned ring = 0;
};

template <class Map>
const typename Map::mapped_type* find(const Map& map, uint32_t number) {
    const auto at = map.find(number);
    return at != map.end() ? &at->second : nullptr;
}

Start start_of(const cu::DispatchRecord& record, const WorkLog& log, const LaunchLog& launches) {
    const bool compute = record.key.stage == ShaderStage::Cs;
    const uint32_t number = record.key.dispatch;
    Start start;
    if (const auto* arrival = find(compute ? launches.dispatches : launches.draws, number)) {
        start.arrived = start.written = arrival->at;
        start.ring = arrival->ring;
    }
    // The host's own register writes start dispatches, too: those have no packet.
    const auto* written = find(compute ? log.dispatches : log.draws, number);
    if (written != nullptr && written->at <= start.arrived) {
        start.written = written->at;
        start.packet = written->packet;
    }
    return start;
}

class Gaps {
  public:
    Gaps(const WorkLog& log, const LaunchLog& launches, std::vector<asic::GapPart>& parts)
        : explainer_(log, launches), parts_(parts) {}

    void add(size_t dispatch, Cycle begin, Cycle end, const Start& start) {
        const Cycle written = std::clamp(start.written, begin, end);
        const Cycle arrived = std::clamp(start.arrived, written, end);
        for (Cycle c = begin; c < written;) {
            const Cycle next = std::min(written, explainer_.change(c));
            add_part(dispatch, c, next, explainer_.at(c, start.ring));
            c = next;
        }
        for (Cycle c = written; c < arrived;) {
            const Cycle next = std::min(arrived, explainer_.change(c));
            add_part(dispatch, c, next,
                     {start.packet, explainer_.on_bus(c, GapReason::RegisterBus)});
            c = next;
        }
        add_part(dispatch, arrived, end, {start.packet, GapReason::Launch});
    }

  private:
    void add_part(size_t dispatch, Cycle begin, Cycle end, const Cause& cause) {
        if (begin == end)
            return;
        if (!parts_.empty()) {
            asic::GapPart& last = parts_.back();
            if (last.dispatch == dispatch && last.end == begin && last.reason == cause.reason &&
                std::strcmp(last.packet, cause.packet) == 0) {
                last.end = end;
                return;
            }
        }
        parts_.push_back({dispatch, begin, end, cause.packet, cause.reason});
    }

    Explainer explainer_;
    std::vector<asic::GapPart>& parts_;
};

// While SPI holds as many dispatches as it can, CP works ahead of it: the wait of one dispatch for
// SPI hides the work for the next. Without SPI's limit, CP's own work for a dispatch would be the
// time between two of them, so intervals have that work, and the rest of them is SPI's.
class IntervalsAhead {
  public:
    IntervalsAhead(const WorkLog& log, const LaunchLog& launches, std::vector<asic::GapPart>& parts)
        : explainer_(log, launches), parts_(parts) {}

    // From the first wave of the dispatch before in cycle `begin` to that of `dispatch` in `end`;
    // CP had written the one before in cycle `from`. False when CP is not ahead: then nothing is
    // hidden. Parts stand in an order of their own; their lengths count.
    bool add(size_t dispatch, Cycle begin, Cycle end, Cycle from, const Start& start) {
        const bool is_ahead = !work_.empty() || start.written < begin;
        if (!collect(from, start) && !is_ahead) {
            work_.clear();
            return false;
        }
        Cycle at = begin;
        while (at < end && !work_.empty()) {
            asic::GapPart& first = work_.front();
            const Cycle length = std::min(first.end - first.begin, end - at);
            parts_.push_back({dispatch, at, at + length, first.packet, first.reason});
            at += length;
            first.begin += length;
            if (first.begin == first.end)
                work_.pop_front();
        }
        if (at < end)
            parts_.push_back({dispatch, at, end, start.packet, GapReason::DispatchQueue});
        return true;
    }

  private:
    // CP's work for the dispatch but for its waits for SPI. Whether there were any.
    bool collect(Cycle from, const Start& start) {
        bool waited = false;
        for (Cycle c = std::max(from, done_); c < start.written;) {
            const Cycle next = std::min(start.written, explainer_.change(c));
            const Cause cause = explainer_.at(c, start.ring);
            if (cause.reason == GapReason::DispatchQueue)
                waited = true;
            else
                work_.push_back({0, c, next, cause.packet, cause.reason});
            c = next;
        }
        done_ = std::max(done_, start.written);
        return waited;
    }

    Explainer explainer_;
    std::vector<asic::GapPart>& parts_;
    std::deque<asic::GapPart> work_;  // of dispatches so far that is in no interval yet
    Cycle done_ = 0;
};

}  // namespace

void attribute_gaps(const WorkLog& log, const LaunchLog& launches, Cycle now,
                    asic::Attribution& to) {
    Gaps gaps(log, launches, to.gaps), intervals(log, launches, to.intervals);
    IntervalsAhead ahead(log, launches, to.intervals);
    Cycle ended = 0;
    Start before;
    for (size_t i = 0; i < to.dispatches.size(); ++i) {
        const cu::DispatchRecord& record = to.dispatches[i].record;
        const Start start = start_of(record, log, launches);
        if (record.start > ended)
            gaps.add(i, ended, record.start, start);
        if (i != 0) {
            const Cycle begin = to.dispatches[i - 1].record.start;
            if (!ahead.add(i, begin, record.start, before.written, start))
                intervals.add(i, begin, record.start, start);
        }
        ended = std::max(ended, record.end);
        before = start;
    }
    if (now > ended)
        gaps.add(to.dispatches.size(), ended, now, {});
}

}  // namespace archipelago::gcn
