// SPDX-License-Identifier: Apache-2.0
// A TraceSink that writes a Perfetto trace, the protobuf file that https://ui.perfetto.dev opens.
//
// Every component of a dotted path is a track, nested as the path is: "se0.sh0.cu2" makes three.
// A track without any event, also below it, is not in the file. kFirstRows come first; siblings are
// shown in the order they were first named, numbered ones by number. Times are nanoseconds, rounded
// down, of the default clock (BOOTTIME, which the file starts at 0); each slice and instant has the
// cycle in which it begins as an argument.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/common/files.h"
#include "models/common/trace_sink.h"
#include "models/report/perfetto_encoding.h"

namespace archipelago::report {

// Slices of a track nest or follow each other. They are reported when they end, inner ones before
// the one around them, but Perfetto wants them in the order they begin; so each track keeps its
// last kHeldSlices back, sorted. A slice around more than that many others that begins in
// the very nanosecond of the first of them exchanges its length with it. Slices that overlap
// without nesting are the reporter's fault; their ends are moved until they nest, and counted.
class PerfettoSink : public TraceSink {
  public:
    static constexpr size_t kHeldSlices = 128;
    static constexpr std::string_view kOpenAtEnd = "open at the end of the run";
    static constexpr std::array<const char*, 4> kFirstRows{"timeline", "overview", "cp", "host"};

    // Writes to `path`, which finish() puts in its place; throws std::runtime_error when it cannot
    // be opened.
    explicit PerfettoSink(const std::string& path);
    // Writes to `out`, which must outlive the sink; `name` is how errors call it.
    PerfettoSink(std::ostream& out, std::string name);
    // Calls finish(), but cannot report what goes wrong then.
    ~PerfettoSink() override;
    PerfettoSink(const PerfettoSink&) = delete;
    PerfettoSink& operator=(const PerfettoSink&) = delete;

    // Cycles in arguments are of a clock with this period, else of the row's own.
    void count_cycles_of(uint64_t period_fs) { cycle_fs_ = period_fs; }
    // The file ends before it has more bytes than these (0: no limit, as at first), with an instant
    // in the row "timeline" that says so; then `reached` is called with the cycle it ends at.
    void limit(uint64_t bytes, std::function<void(Cycle)> reached = {}) {
        limit_ = bytes;
        limit_reached_ = std::move(reached);
    }
    // Leaves no file behind.
    void discard() { finished_ = true; }

    // The same path may be given again, also with another clock: it stays one row. Throws
    // std::invalid_argument for an empty path, an empty component or a period of 0 or above 1 ms.
    TrackId track(const std::string& path, uint64_t period_fs) override;
    // A slice that ends before it begins is taken as empty. Throws std::invalid_argument for a name
    // or a detail of more than 8 MiB.
    void slice(TrackId track, Cycle begin, Cycle end, std::string_view name, uint64_t flow = 0,
               std::string_view detail = {}) override;
    void instant(TrackId track, Cycle at, std::string_view name, uint64_t flow = 0) override;
    // What is reported from now on has kOpenAtEnd after its detail.
    void end_of_run() override { ended_ = true; }
    // A row of its own, that is neither a slice's nor the parent of others. Values come in the
    // order of time. Throws as track().
    TrackId counter_track(const std::string& path, uint64_t period_fs,
                          std::string_view unit = {}) override;
    void counter(TrackId track, Cycle at, uint64_t value) override;
    void fraction(TrackId track, Cycle at, double value) override;

    // Writes what is held back; nothing may be reported afterwards. Throws std::runtime_error with
    // the file's name when anything could not be written (a full disk).
    void finish();

    // Ends moved because slices of one row overlapped.
    uint64_t moved_ends() const { return moved_ends_; }
    uint64_t bytes_written() const { return bytes_written_ + buffer_.size(); }

  private:
    // A name a slice may bear by number.
    struct Known {
        std::string name;
        uint64_t iid;  // of the file's table, 0: not in it
    };
    static constexpr uint32_t kNone = ~uint32_t{0};
    struct Slice {
        uint64_t begin;  // ns
        uint64_t end;
        uint64_t flow;
        Cycle cycle;    // of its begin, as shown
        uint32_t name;  // of the known, kNone: in the text
        uint32_t text;  // where in the row's text its Text is; kNone: it needs none
    };
    // Of a slice: followed by its name unless that is known, and its detail.
    struct Text {
        uint32_t name_size;
        uint32_t detail_size;
    };
    struct Reported {
        Cycle begin;
        Cycle end;
        uint64_t flow;
        uint32_t text;  // where in the text of all that is reported its name lies
        uint32_t name_size;
        uint32_t detail_size;
        TrackId track;
    };
    struct Open {
        uint64_t begin;
        uint64_t end;
    };
    // What holds slices of a row: few rows hold many, and all take these in turn.
    static constexpr size_t kBlockSlices = 16;
    struct alignas(64) Block {
        std::array<Slice, kBlockSlices> slices;
    };
    // The held of a row, in the order they are to be written: a ring of blocks, of which those
    // exist that hold one.
    static constexpr size_t kRowBlocks = kHeldSlices / kBlockSlices + 1;
    static_assert(kHeldSlices % (2 * kBlockSlices) == 0, "half of the held are whole blocks");
    struct alignas(64) Row {
        std::array<uint32_t, kRowBlocks> blocks{};
        uint16_t first = 0;  // block
        uint16_t held = 0;
        Slice* next = nullptr;  // after the last; that is in the block before
        uint64_t uuid = 0;
    };
    struct Component;
    struct RowRest {
        Component* component;
        EncodeBuffer text;       // of the held
        std::vector<Open> open;  // begun in the file and not ended; the innermost is last
    };
    struct Clock {
        uint64_t period_fs;
        Cycle exact;  // up to here a cycle times the period fits 64 bits
        uint64_t nanoseconds(Cycle cycle) const;
        // As a cycle of a clock of this period; 0: of this one.
        Cycle cycle_of(uint64_t other_fs, Cycle cycle) const;
    };
    struct Handle {
        uint32_t row;
        uint32_t clock;
        bool counts;
    };
    struct Component {
        uint64_t uuid = 0;
        size_t row = ~size_t{0};
        bool counts = false;
        bool declared = false;  // in the file
        uint32_t rank = 0;      // among its siblings
        std::string name;
        std::string unit;  // of numbers
        Component* parent = nullptr;
        // Of the children: the place of each name without its number.
        std::map<std::string, uint32_t> groups;
    };

    Component& component(const std::string& path, bool counts = false);
    TrackId row(const std::string& path, uint64_t period_fs, bool counts);
    // Puts the component and those above it into the file, if they are not there.
    void declare(Component& component) {
        if (!component.declared)
            write_descriptor(component);
    }
    // Takes what has been reported to the rows.
    void flush_reported();
    void hold(const Reported& slice);
    uint32_t known(std::string_view name);
    void add_block(Row& row);
    Slice& held(const Row& row, size_t index) {
        const size_t place = row.first * kBlockSlices + index;
        const size_t block = place / kBlockSlices;
        const uint32_t number = row.blocks[block < kRowBlocks ? block : block - kRowBlocks];
        return chunks_[number / kChunkBlocks][number % kChunkBlocks].slices[place % kBlockSlices];
    }
    // The first `count` of the held slices: whole blocks or all.
    void write_held(size_t row, size_t count);
    void write_slice(uint64_t uuid, RowRest& rest, const Slice& slice);
    static Text text_sizes(const char* text);
    // Begins a slice or shows an instant, by `type`. Its name is the known one or `name`.
    void write_event(uint64_t uuid, uint64_t at, unsigned type, uint32_t known,
                     std::string_view name, uint64_t flow, std::string_view detail, Cycle cycle);
    // The uuid of the row of a counter, which is in the file now.
    uint64_t counting(TrackId track);
    // Whether an event may still be written: the file is below its limit.
    bool has_room() {
        if (limit_ != 0 && bytes_written() + held_bytes_ >= limit_ && !full_)
            end_early();
        return !full_;
    }
    void end_early();
    void write_rows();
    void write_end(uint64_t uuid, uint64_t at);
    // Room for an event without texts, whose message has `size` bytes; after its packet's head.
    char* head_of_event(uint64_t at, size_t size);
    // The number of a name in the file. A new one's definition is put into body_.
    uint64_t iid_of(std::string_view name);
    void write_descriptor(Component& component);
    void write_packet();  // body_
    void start_names();
    void flush_full();
    void flush();

    std::unique_ptr<OutputFile> file_;
    std::ostream& out_;
    std::string name_;
    EncodeBuffer buffer_;
    EncodeBuffer body_;  // of a rare packet being made, and parts of it
    EncodeBuffer part_;
    EncodeBuffer subpart_;
    EncodeBuffer spare_;  // a row's text before this one
    std::map<std::string, Component> components_;
    std::vector<Row> rows_;
    std::vector<RowRest> rests_;  // likewise
    static constexpr size_t kChunkBlocks = 512;
    std::vector<std::unique_ptr<Block[]>> chunks_;
    std::vector<uint32_t> free_blocks_;
    std::vector<Clock> clocks_;
    std::vector<Handle> handles_;
    // A run has thousands of rows, each in memory of its own, and they take turns. So slices are
    // collected, and the rows of those to come fetched while one is taken to its own.
    std::array<Reported, 256> reported_;
    size_t reported_count_ = 0;
    EncodeBuffer reported_text_;
    std::map<std::pair<size_t, uint64_t>, TrackId> handle_of_;
    // Only looked up, never walked.
    std::unordered_map<std::string, uint64_t> names_;
    // The first names reported, for all of the run: rows hold numbers of them.
    std::deque<Known> known_;
    std::unordered_map<std::string_view, uint32_t> known_of_;
    // Some of them, looked up first: nearly all slices bear one of very few names.
    struct Recent {
        std::string_view name;
        char first = 0;  // of the name: compared before the rest is
        uint32_t known = kNone;
    };
    std::array<Recent, 8> recent_;
    size_t next_recent_ = 0;
    uint64_t next_uuid_ = 1;
    uint64_t moved_ends_ = 0;
    uint64_t bytes_written_ = 0;
    uint64_t held_bytes_ = 0;  // about what the held slices will take in the file
    uint64_t cycle_fs_ = 0;    // period; 0: of each row's clock
    uint64_t limit_ = 0;       // bytes; 0: none
    std::function<void(Cycle)> limit_reached_;
    uint64_t latest_ = 0;  // ns: the latest end of what was held
    Cycle latest_cycle_ = 0;
    bool full_ = false;   // the limit is reached
    bool ended_ = false;  // the run
    bool failed_ = false;
    bool finished_ = false;
};

}  // namespace archipelago::report
