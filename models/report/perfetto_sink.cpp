// SPDX-License-Identifier: Apache-2.0
#include "models/report/perfetto_sink.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace archipelago::report {
using namespace perfetto;
namespace {

constexpr size_t kBufferBytes = size_t{1} << 18;  // stays in a core's cache
constexpr size_t kMaxNames = 65536;               // interned before the table starts again
constexpr size_t kMaxKnown = 4096;                // numbered in what is held back
constexpr size_t kLongestInterned = 128;          // longer names are rarely the same twice
constexpr size_t kLongestText = size_t{1} << 23;
constexpr uint64_t kFsPerNs = 1'000'000;
constexpr uint64_t kMaxPeriodFs = 1'000'000'000'000;  // 1 ms
constexpr uint64_t kSliceBytes = 80;  // about what a slice takes in the file, but for its texts

// What the packet of every event begins with, and the size of that but for the time's.
char* head_at(char* at, uint64_t time) {
    at = number_at<trace_packet::kTimestamp>(at, time);
    at = number_at<trace_packet::kTrustedPacketSequenceId>(at, kSequence);
    return number_at<trace_packet::kSequenceFlags>(at, trace_packet::kNeedsIncrementalState);
}
constexpr size_t kEventHeadSize = 5;

// "cu12" is "cu" and 12.
std::pair<std::string, uint32_t> split_number(std::string_view name) {
    constexpr uint32_t kLargest = 0xffff;
    size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        --digits;
    uint32_t number = 0;
    for (const char c : name.substr(digits))
        number = std::min(kLargest, number * 10 + static_cast<uint32_t>(c - '0'));
    return {std::string(name.substr(0, digits)), number};
}

}  // namespace

PerfettoSink::PerfettoSink(const std::string& path)
    : file_(std::make_unique<OutputFile>(path, "the trace")), out_(file_->stream()), name_(path) {
    start_names();
}

PerfettoSink::PerfettoSink(std::ostream& out, std::string name)
    : out_(out), name_(std::move(name)) {
    start_names();
}

PerfettoSink::~PerfettoSink() {
    try {
        finish();
    } catch (const std::exception&) {
        // finish() reports the error.
    }
}

// --- tracks

PerfettoSink::Component& PerfettoSink::component(const std::string& path, bool counts) {
    const auto [it, is_new] = components_.try_emplace(path);
    if (!is_new)
        return it->second;
    it->second.counts = counts;
    const size_t dot = path.rfind('.');
    const std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
    // The empty path is the root of all.
    Component& parent = component(dot == std::string::npos ? std::string() : path.substr(0, dot));
    if (parent.counts)
        throw std::invalid_argument("track " + path + ": below one of numbers");
    const auto [prefix, number] = split_number(name);
    const uint32_t group =
        parent.groups.try_emplace(prefix, static_cast<uint32_t>(parent.groups.size()))
            .first->second;
    Component& made = it->second;
    made.uuid = next_uuid_++;
    made.rank = std::min<uint32_t>(group, 0x7fff) << 16 | number;
    made.name = name;
    made.parent = &parent;
    return made;
}

TrackId PerfettoSink::track(const std::string& path, uint64_t period_fs) {
    return row(path, period_fs, false);
}

TrackId PerfettoSink::counter_track(const std::string& path, uint64_t period_fs,
                                    std::string_view unit) {
    const TrackId track = row(path, period_fs, true);
    components_[path].unit = unit;
    return track;
}

TrackId PerfettoSink::row(const std::string& path, uint64_t period_fs, bool counts) {
    if (path.empty() || path.front() == '.' || path.back() == '.' ||
        path.find("..") != std::string::npos)
        throw std::invalid_argument("not a path of a track: \"" + path + "\"");
    if (period_fs == 0 || period_fs > kMaxPeriodFs)
        throw std::invalid_argument("track " + path + ": a period of " + std::to_string(period_fs) +
                                    " fs");
    Component& leaf = component(path, counts);
    if (leaf.counts != counts)
        throw std::invalid_argument("track " + path + ": both numbers and slices");
    if (leaf.row == ~size_t{0}) {
        leaf.row = rows_.size();
        rows_.emplace_back();
        rows_.back().uuid = leaf.uuid;
        rests_.emplace_back();
        rests_.back().component = &leaf;
    }
    const auto [it, is_new] =
        handle_of_.try_emplace({leaf.row, period_fs}, static_cast<TrackId>(handles_.size()));
    if (is_new) {
        const auto clock = std::find_if(clocks_.begin(), clocks_.end(), [&](const Clock& known) {
            return known.period_fs == period_fs;
        });
        handles_.push_back({static_cast<uint32_t>(leaf.row),
                            static_cast<uint32_t>(clock - clocks_.begin()), counts});
        if (clock == clocks_.end())
            clocks_.push_back({period_fs, ~uint64_t{0} / period_fs});
    }
    return it->second;
}

// --- events

uint64_t PerfettoSink::Clock::nanoseconds(Cycle cycle) const {
    if (cycle <= exact)
        return cycle * period_fs / kFsPerNs;
    // The same without a product that could overflow: the period is at most 10^12.
    return cycle / kFsPerNs * period_fs + cycle % kFsPerNs * period_fs / kFsPerNs;
}

// Without a product that could overflow: periods are at most 10^12.
Cycle PerfettoSink::Clock::cycle_of(uint64_t other_fs, Cycle cycle) const {
    if (other_fs == 0 || other_fs == period_fs)
        return cycle;
    if (cycle <= exact)
        return cycle * period_fs / other_fs;
    return cycle / other_fs * period_fs + cycle % other_fs * period_fs / other_fs;
}

void PerfettoSink::slice(TrackId track, Cycle begin, Cycle end, std::string_view name,
                         uint64_t flow, std::string_view detail) {
    if (track >= handles_.size())
        throw std::out_of_range("no track " + std::to_string(track));
    if (full_)
        return;
    if (name.size() > kLongestText || detail.size() > kLongestText)
        throw std::invalid_argument("a slice with a text of more than 8 MiB");
    std::string marked;
    if (ended_)
        detail = marked =
            std::string(detail) + (detail.empty() ? "" : "; ") + std::string(kOpenAtEnd);
    reported_[reported_count_] = {begin,
                                  end,
                                  flow,
                                  static_cast<uint32_t>(reported_text_.size()),
                                  static_cast<uint32_t>(name.size()),
                                  static_cast<uint32_t>(detail.size()),
                                  track};
    char* const text = reported_text_.room(name.size() + detail.size());
    reported_text_.grow_to(text_at(text_at(text, name), detail));
    if (++reported_count_ == reported_.size() || reported_text_.size() >= kBufferBytes)
        flush_reported();
}

void PerfettoSink::flush_reported() {
    constexpr size_t kRowAhead = 16;
    constexpr size_t kSlicesAhead = 8;
    const auto row_of = [&](size_t i) -> const Row& {
        return rows_[handles_[reported_[i].track].row];
    };
    for (size_t i = 0; i < reported_count_; ++i) {
        if (i + kRowAhead < reported_count_)
            __builtin_prefetch(&row_of(i + kRowAhead));
        if (i + kSlicesAhead < reported_count_) {
            const Row& row = row_of(i + kSlicesAhead);
            if (row.next != nullptr) {
                __builtin_prefetch(row.next - 1, 1);
                __builtin_prefetch(row.next, 1);
            }
        }
        hold(reported_[i]);
    }
    reported_count_ = 0;
    reported_text_.clear();
    has_room();
}

void PerfettoSink::hold(const Reported& reported) {
    const Handle& handle = handles_[reported.track];
    const Clock& clock = clocks_[handle.clock];
    Row& row = rows_[handle.row];
    const uint64_t from = clock.nanoseconds(reported.begin);
    const uint64_t to = std::max(from, clock.nanoseconds(reported.end));
    std::string_view text{reported_text_.data() + reported.text,
                          size_t{reported.name_size} + reported.detail_size};
    Slice slice{from,
                to,
                reported.flow,
                clock.cycle_of(cycle_fs_, reported.begin),
                known(text.substr(0, reported.name_size)),
                kNone};
    if (to > latest_) {
        latest_ = to;
        latest_cycle_ = clock.cycle_of(cycle_fs_, std::max(reported.begin, reported.end));
    }
    held_bytes_ += kSliceBytes;
    if (slice.name == kNone || reported.detail_size != 0) {
        Text sizes{reported.name_size, reported.detail_size};
        if (slice.name != kNone) {
            text.remove_prefix(sizes.name_size);
            sizes.name_size = 0;
        }
        EncodeBuffer& to_text = rests_[handle.row].text;
        slice.text = static_cast<uint32_t>(to_text.size());
        char* const at = to_text.room(sizeof sizes + text.size());
        std::memcpy(at, &sizes, sizeof sizes);
        to_text.grow_to(text_at(at + sizeof sizes, text));
        held_bytes_ += sizeof sizes + text.size();
    }

    const bool is_first = row.held == 0;
    const Slice* const last = is_first ? nullptr : row.next - 1;
    if (row.held % kBlockSlices == 0)
        add_block(row);
    // Of two that begin together the longer is around the shorter, else the later reported. Rows
    // without nested slices come in order.
    const auto is_inside = [&](const Slice& other) {
        return other.begin > from || (other.begin == from && other.end <= to);
    };
    *row.next++ = slice;
    if (!is_first && is_inside(*last)) {
        size_t place = row.held;
        for (; place != 0 && is_inside(held(row, place - 1)); --place)
            held(row, place) = held(row, place - 1);
        held(row, place) = slice;
    }
    if (++row.held > kHeldSlices)
        write_held(handle.row, kHeldSlices / 2);
}

void PerfettoSink::add_block(Row& row) {
    if (free_blocks_.empty()) {
        const auto number = static_cast<uint32_t>(chunks_.size() * kChunkBlocks);
        chunks_.emplace_back(new Block[kChunkBlocks]);
        for (uint32_t i = kChunkBlocks; i-- > 0;)
            free_blocks_.push_back(number + i);
    }
    row.blocks[(row.first + row.held / kBlockSlices) % kRowBlocks] = free_blocks_.back();
    free_blocks_.pop_back();
    row.next = &held(row, row.held);
}

uint32_t PerfettoSink::known(std::string_view name) {
    const char first = name.empty() ? '\0' : name.front();
    for (const Recent& recent : recent_)
        if (recent.first == first && recent.name == name && recent.known != kNone)
            return recent.known;
    auto it = known_of_.find(name);
    if (it == known_of_.end()) {
        if (known_.size() == kMaxKnown || name.size() > kLongestInterned)
            return kNone;
        known_.push_back({std::string(name), 0});
        it = known_of_.emplace(known_.back().name, known_.size() - 1).first;
    }
    recent_[next_recent_] = {it->first, first, it->second};
    next_recent_ = (next_recent_ + 1) % recent_.size();
    return it->second;
}

void PerfettoSink::instant(TrackId track, Cycle at, std::string_view name, uint64_t flow) {
    const Handle& handle = handles_.at(track);
    flush_reported();
    if (!has_room())
        return;
    const Clock& clock = clocks_[handle.clock];
    declare(*rests_[handle.row].component);
    write_event(rows_[handle.row].uuid, clock.nanoseconds(at), track_event::kInstant, kNone, name,
                flow, {}, clock.cycle_of(cycle_fs_, at));
}

uint64_t PerfettoSink::counting(TrackId track) {
    const Handle& handle = handles_.at(track);
    if (!handle.counts)
        throw std::invalid_argument("a number in a row of slices");
    declare(*rests_[handle.row].component);
    return rows_[handle.row].uuid;
}

void PerfettoSink::counter(TrackId track, Cycle at, uint64_t value) {
    if (!has_room())
        return;
    const uint64_t uuid = counting(track);
    const uint64_t time = clocks_[handles_[track].clock].nanoseconds(at);
    const size_t event = number_size<track_event::kType>(track_event::kCounter) +
                         number_size<track_event::kTrackUuid>(uuid) +
                         number_size<track_event::kCounterValue>(value);
    char* to = head_of_event(time, event);
    to = number_at<track_event::kType>(to, track_event::kCounter);
    to = number_at<track_event::kTrackUuid>(to, uuid);
    buffer_.grow_to(number_at<track_event::kCounterValue>(to, value));
    flush_full();
}

void PerfettoSink::fraction(TrackId track, Cycle at, double value) {
    if (!has_room())
        return;
    const uint64_t uuid = counting(track);
    const uint64_t time = clocks_[handles_[track].clock].nanoseconds(at);
    uint64_t bits = 0;
    static_assert(sizeof bits == sizeof value);
    std::memcpy(&bits, &value, sizeof bits);
    const size_t event = number_size<track_event::kType>(track_event::kCounter) +
                         number_size<track_event::kTrackUuid>(uuid) +
                         kTagSize<track_event::kDoubleCounterValue> + sizeof bits;
    char* to = head_of_event(time, event);
    to = number_at<track_event::kType>(to, track_event::kCounter);
    to = number_at<track_event::kTrackUuid>(to, uuid);
    buffer_.grow_to(fixed64_at<track_event::kDoubleCounterValue>(to, bits));
    flush_full();
}

void PerfettoSink::write_held(size_t index, size_t count) {
    Row& row = rows_[index];
    RowRest& rest = rests_[index];
    for (size_t i = 0; i < count; ++i)
        write_slice(row.uuid, rest, held(row, i));
    for (size_t i = 0; i < count; i += kBlockSlices) {
        free_blocks_.push_back(row.blocks[row.first]);
        row.first = static_cast<uint16_t>((row.first + 1) % kRowBlocks);
    }
    row.held = static_cast<uint16_t>(row.held - count);
    held_bytes_ -= count * kSliceBytes;
    if (rest.text.size() == 0)
        return;
    const size_t text_before = rest.text.size();
    // Only the text of those left is kept.
    spare_.clear();
    for (size_t i = 0; i < row.held; ++i) {
        Slice& slice = held(row, i);
        if (slice.text == kNone)
            continue;
        const char* const text = rest.text.data() + slice.text;
        const Text sizes = text_sizes(text);
        const size_t size = sizeof sizes + sizes.name_size + sizes.detail_size;
        slice.text = static_cast<uint32_t>(spare_.size());
        spare_.grow_to(text_at(spare_.room(size), {text, size}));
    }
    std::swap(rest.text, spare_);
    held_bytes_ -= text_before - rest.text.size();
}

// Perfetto sorts by time and keeps the order of the file among equal times; an end closes the
// innermost open slice. So ends are written before what begins at the same time.
void PerfettoSink::write_slice(uint64_t uuid, RowRest& rest, const Slice& slice) {
    declare(*rest.component);
    while (!rest.open.empty() && rest.open.back().end <= slice.begin) {
        write_end(uuid, rest.open.back().end);
        rest.open.pop_back();
    }
    // Usually on top; below what began later when it was around more slices than are held.
    const auto above =
        std::upper_bound(rest.open.begin(), rest.open.end(), slice.begin,
                         [](uint64_t begin, const Open& open) { return begin < open.begin; });
    uint64_t end = slice.end;
    if (above != rest.open.end())
        end = std::max(end, above->end);
    if (above != rest.open.begin())
        end = std::min(end, std::prev(above)->end);
    moved_ends_ += end != slice.end ? 1 : 0;
    rest.open.insert(above, {slice.begin, end});
    std::string_view name;
    std::string_view detail;
    if (slice.text != kNone) {
        const char* const text = rest.text.data() + slice.text;
        const Text sizes = text_sizes(text);
        name = {text + sizeof sizes, sizes.name_size};
        detail = {name.data() + name.size(), sizes.detail_size};
    }
    write_event(uuid, slice.begin, track_event::kSliceBegin, slice.name, name, slice.flow, detail,
                slice.cycle);
}

PerfettoSink::Text PerfettoSink::text_sizes(const char* text) {
    Text sizes{};
    std::memcpy(&sizes, text, sizeof sizes);
    return sizes;
}

uint64_t PerfettoSink::iid_of(std::string_view name) {
    const auto [it, is_new] = names_.try_emplace(std::string(name), names_.size() + 1);
    if (is_new) {
        subpart_.clear();
        put_number(subpart_, interned_data::kIid, it->second);
        put_bytes(subpart_, interned_data::kName, name);
        part_.clear();
        put_bytes(part_, interned_data::kEventNames, subpart_);
        put_bytes(body_, trace_packet::kInternedData, part_);
    }
    return it->second;
}

void PerfettoSink::write_event(uint64_t uuid, uint64_t at, unsigned type, uint32_t known,
                               std::string_view name, uint64_t flow, std::string_view detail,
                               Cycle cycle) {
    if (names_.size() >= kMaxNames)
        start_names();
    body_.clear();
    uint64_t iid = 0;
    if (known != kNone) {
        uint64_t& known_iid = known_[known].iid;
        if (known_iid == 0)
            known_iid = iid_of(known_[known].name);
        iid = known_iid;
    } else if (name.size() <= kLongestInterned) {
        iid = iid_of(name);
    }
    const std::string_view definition = body_;

    const size_t annotation = number_size<debug_annotation::kNameIid>(kDetailIid) +
                              bytes_size<debug_annotation::kStringValue>(detail.size());
    const size_t count = number_size<debug_annotation::kNameIid>(kCycleIid) +
                         number_size<debug_annotation::kUintValue>(cycle);
    const size_t event =
        number_size<track_event::kType>(type) + number_size<track_event::kTrackUuid>(uuid) +
        (iid != 0 ? number_size<track_event::kNameIid>(iid)
                  : bytes_size<track_event::kName>(name.size())) +
        (flow != 0 ? kTagSize<track_event::kFlowIds> + 8 : 0) +
        bytes_size<track_event::kDebugAnnotations>(count) +
        (detail.empty() ? 0 : bytes_size<track_event::kDebugAnnotations>(annotation));
    const size_t packet = kEventHeadSize + varint_size(at) + definition.size() +
                          bytes_size<trace_packet::kTrackEvent>(event);

    char* to = buffer_.room(kLongestEvent + name.size() + definition.size() + detail.size());
    to = head_at(header_at<trace::kPacket>(to, packet), at);
    to = header_at<trace_packet::kTrackEvent>(text_at(to, definition), event);
    to = number_at<track_event::kType>(to, type);
    to = number_at<track_event::kTrackUuid>(to, uuid);
    to = iid != 0 ? number_at<track_event::kNameIid>(to, iid)
                  : bytes_at<track_event::kName>(to, name);
    if (flow != 0)
        to = fixed64_at<track_event::kFlowIds>(to, flow);
    to = header_at<track_event::kDebugAnnotations>(to, count);
    to = number_at<debug_annotation::kNameIid>(to, kCycleIid);
    to = number_at<debug_annotation::kUintValue>(to, cycle);
    if (!detail.empty()) {
        to = header_at<track_event::kDebugAnnotations>(to, annotation);
        to = number_at<debug_annotation::kNameIid>(to, kDetailIid);
        to = bytes_at<debug_annotation::kStringValue>(to, detail);
    }
    buffer_.grow_to(to);
    flush_full();
}

char* PerfettoSink::head_of_event(uint64_t at, size_t size) {
    const size_t packet =
        kEventHeadSize + varint_size(at) + bytes_size<trace_packet::kTrackEvent>(size);
    char* const to = buffer_.room(kLongestEvent);
    return header_at<trace_packet::kTrackEvent>(head_at(header_at<trace::kPacket>(to, packet), at),
                                                size);
}

void PerfettoSink::write_end(uint64_t uuid, uint64_t at) {
    if (names_.size() >= kMaxNames)
        start_names();
    const size_t event = number_size<track_event::kType>(track_event::kSliceEnd) +
                         number_size<track_event::kTrackUuid>(uuid);
    char* to = head_of_event(at, event);
    to = number_at<track_event::kType>(to, track_event::kSliceEnd);
    buffer_.grow_to(number_at<track_event::kTrackUuid>(to, uuid));
    flush_full();
}

void PerfettoSink::write_descriptor(Component& component) {
    declare(*component.parent);
    component.declared = true;
    body_.clear();
    part_.clear();
    put_number(body_, trace_packet::kTrustedPacketSequenceId, kSequence);
    put_number(part_, track_descriptor::kUuid, component.uuid);
    put_bytes(part_, track_descriptor::kName, component.name);
    put_number(part_, track_descriptor::kParentUuid, component.parent->uuid);
    put_number(part_, track_descriptor::kChildOrdering, track_descriptor::kExplicitOrder);
    put_number(part_, track_descriptor::kSiblingOrderRank, component.rank);
    if (component.counts) {
        subpart_.clear();
        if (component.unit.empty())
            put_number(subpart_, counter_descriptor::kUnit, counter_descriptor::kUnitCount);
        else
            put_bytes(subpart_, counter_descriptor::kUnitName, component.unit);
        put_bytes(part_, track_descriptor::kCounter, subpart_);
    }
    put_bytes(body_, trace_packet::kTrackDescriptor, part_);
    write_packet();
}

// A packet that starts an empty table of names; the first of the file also describes the root.
void PerfettoSink::start_names() {
    const bool is_first = components_.empty();
    names_.clear();
    for (Known& known : known_)
        known.iid = 0;
    body_.clear();
    put_number(body_, trace_packet::kTrustedPacketSequenceId, kSequence);
    put_number(body_, trace_packet::kSequenceFlags, trace_packet::kIncrementalStateCleared);
    if (is_first)
        put_number(body_, trace_packet::kFirstPacketOnSequence, 1);
    part_.clear();
    for (const auto& [iid, argument] : {std::pair(kDetailIid, "detail"), {kCycleIid, "cycle"}}) {
        subpart_.clear();
        put_number(subpart_, interned_data::kIid, iid);
        put_bytes(subpart_, interned_data::kName, argument);
        put_bytes(part_, interned_data::kDebugAnnotationNames, subpart_);
    }
    put_bytes(body_, trace_packet::kInternedData, part_);
    if (is_first) {
        Component& root = components_[""];
        root.uuid = kRootUuid;
        root.declared = true;
        for (const char* const first : kFirstRows)
            root.groups.try_emplace(first, static_cast<uint32_t>(root.groups.size()));
        part_.clear();
        put_number(part_, track_descriptor::kUuid, kRootUuid);
        put_number(part_, track_descriptor::kChildOrdering, track_descriptor::kExplicitOrder);
        put_bytes(body_, trace_packet::kTrackDescriptor, part_);
    }
    write_packet();
}

void PerfettoSink::write_packet() {
    put_bytes(buffer_, trace::kPacket, body_);
    flush_full();
}

void PerfettoSink::flush_full() {
    if (buffer_.size() >= kBufferBytes)
        flush();
}

void PerfettoSink::flush() {
    if (!failed_) {
        out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        failed_ = !out_;
    }
    bytes_written_ += buffer_.size();
    buffer_.clear();
}

void PerfettoSink::write_rows() {
    for (size_t i = 0; i < rows_.size(); ++i) {
        write_held(i, rows_[i].held);
        std::vector<Open>& open = rests_[i].open;
        while (!open.empty()) {
            write_end(rows_[i].uuid, open.back().end);
            open.pop_back();
        }
    }
}

void PerfettoSink::end_early() {
    full_ = true;
    flush_reported();
    write_rows();
    Component& row = component("timeline");
    declare(row);
    write_event(row.uuid, latest_, track_event::kInstant, kNone,
                "the timeline ends early: it has reached the limit of its size", 0, {},
                latest_cycle_);
    flush();
    if (limit_reached_)
        limit_reached_(latest_cycle_);
}

void PerfettoSink::finish() {
    if (finished_)
        return;
    finished_ = true;
    flush_reported();
    write_rows();
    flush();
    out_.flush();
    if (file_)
        file_->complete();
    if (failed_ || !out_)
        throw std::runtime_error("cannot write the trace " + name_ +
                                 ": the file is incomplete (is the disk full?)");
}

}  // namespace archipelago::report
