// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/perfetto_sink.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace archipelago::host {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kMaxNames = 65536;       // interned before the table starts anew
constexpr size_t kLongestInterned = 128;  // longer names are rarely the same twice
constexpr uint64_t kFsPerNs = 1'000'000;
constexpr uint64_t kMaxPeriodFs = 1'000'000'000'000;  // 1 ms

// Field numbers, by message.
namespace trace {
constexpr unsigned kPacket = 1;
}
namespace trace_packet {
constexpr unsigned kTimestamp = 8;
constexpr unsigned kTrustedPacketSequenceId = 10;
constexpr unsigned kTrackEvent = 11;
constexpr unsigned kInternedData = 12;
constexpr unsigned kSequenceFlags = 13;
constexpr unsigned kTrackDescriptor = 60;
constexpr unsigned kFirstPacketOnSequence = 87;
constexpr uint64_t kIncrementalStateCleared = 1;
constexpr uint64_t kNeedsIncrementalState = 2;
}  // namespace trace_packet
namespace track_descriptor {
constexpr unsigned kUuid = 1;
constexpr unsigned kName = 2;
constexpr unsigned kParentUuid = 5;
constexpr unsigned kChildOrdering = 11;
constexpr unsigned kSiblingOrderRank = 12;
constexpr uint64_t kExplicitOrder = 3;
}  // namespace track_descriptor
namespace track_event {
constexpr unsigned kDebugAnnotations = 4;
constexpr unsigned kType = 9;
constexpr unsigned kNameIid = 10;
constexpr unsigned kTrackUuid = 11;
constexpr unsigned kName = 23;
constexpr unsigned kFlowIds = 47;
constexpr unsigned kSliceBegin = 1;
constexpr unsigned kSliceEnd = 2;
constexpr unsigned kInstant = 3;
}  // namespace track_event
namespace interned_data {
constexpr unsigned kEventNames = 2;
constexpr unsigned kDebugAnnotationNames = 3;
constexpr unsigned kIid = 1;   // EventName, DebugAnnotationName
constexpr unsigned kName = 2;  // likewise
}  // namespace interned_data
namespace debug_annotation {
constexpr unsigned kNameIid = 1;
constexpr unsigned kStringValue = 6;
}  // namespace debug_annotation

constexpr uint64_t kSequence = 1;
constexpr uint64_t kRootUuid = 0;
constexpr uint64_t kDetailIid = 1;

enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2 };

constexpr size_t kLongestVarint = 10;

char* varint_at(char* at, uint64_t value) {
    while (value >= 0x80) {
        *at++ = static_cast<char>(value | 0x80);
        value >>= 7;
    }
    *at++ = static_cast<char>(value);
    return at;
}

void put_number(EncodeBuffer& to, unsigned field, uint64_t value) {
    char* const at = to.room(2 * kLongestVarint);
    to.grow_to(varint_at(varint_at(at, field << 3 | kVarint), value));
}

void put_fixed64(EncodeBuffer& to, unsigned field, uint64_t value) {
    char* at = varint_at(to.room(kLongestVarint + 8), field << 3 | kFixed64);
    for (unsigned i = 0; i < 8; ++i) {
        *at++ = static_cast<char>(value >> (8 * i));
    }
    to.grow_to(at);
}

void put_bytes(EncodeBuffer& to, unsigned field, std::string_view value) {
    char* at = varint_at(to.room(2 * kLongestVarint + value.size()), field << 3 | kBytes);
    at = varint_at(at, value.size());
    std::copy(value.begin(), value.end(), at);
    to.grow_to(at + value.size());
}

// "cu12" is "cu" and 12.
std::pair<std::string, uint32_t> split_number(std::string_view name) {
    constexpr uint32_t kLargest = 0xffff;
    size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') {
        --digits;
    }
    uint32_t number = 0;
    for (const char c : name.substr(digits)) {
        number = std::min(kLargest, number * 10 + static_cast<uint32_t>(c - '0'));
    }
    return {std::string(name.substr(0, digits)), number};
}

}  // namespace

PerfettoSink::PerfettoSink(const std::string& path) : out_(file_), name_(path) {
    file_.open(path, std::ios::binary | std::ios::trunc);
    if (!file_) {
        throw std::runtime_error("cannot write the trace " + path + ": " + std::strerror(errno));
    }
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
        // Whoever wants to know calls finish().
    }
}

// --- tracks

PerfettoSink::Component& PerfettoSink::component(const std::string& path) {
    const auto [it, is_new] = components_.try_emplace(path);
    if (!is_new) {
        return it->second;
    }
    const size_t dot = path.rfind('.');
    const std::string name = dot == std::string::npos ? path : path.substr(dot + 1);
    // The empty path is the root of all.
    Component& parent = component(dot == std::string::npos ? std::string() : path.substr(0, dot));
    const auto [prefix, number] = split_number(name);
    const uint32_t group =
        parent.groups.try_emplace(prefix, static_cast<uint32_t>(parent.groups.size()))
            .first->second;
    it->second.uuid = next_uuid_++;
    write_descriptor(it->second.uuid, parent.uuid, name,
                     std::min<uint32_t>(group, 0x7fff) << 16 | number);
    return it->second;
}

TrackId PerfettoSink::track(const std::string& path, uint64_t period_fs) {
    if (path.empty() || path.front() == '.' || path.back() == '.' ||
        path.find("..") != std::string::npos) {
        throw std::invalid_argument("not a path of a track: \"" + path + "\"");
    }
    if (period_fs == 0 || period_fs > kMaxPeriodFs) {
        throw std::invalid_argument("track " + path + ": a period of " + std::to_string(period_fs) +
                                    " fs");
    }
    Component& leaf = component(path);
    if (leaf.row == ~size_t{0}) {
        leaf.row = rows_.size();
        rows_.push_back({leaf.uuid, {}, {}});
    }
    const auto [it, is_new] =
        handle_of_.try_emplace({leaf.row, period_fs}, static_cast<TrackId>(handles_.size()));
    if (is_new) {
        handles_.push_back({leaf.row, period_fs});
    }
    return it->second;
}

// --- events

uint64_t PerfettoSink::nanoseconds(const Handle& handle, Cycle cycle) const {
    // Exact, and without a product that could overflow: the period is at most 10^12.
    return cycle / kFsPerNs * handle.period_fs + cycle % kFsPerNs * handle.period_fs / kFsPerNs;
}

void PerfettoSink::slice(TrackId track, Cycle begin, Cycle end, std::string_view name,
                         uint64_t flow, std::string_view detail) {
    const Handle& handle = handles_.at(track);
    Row& row = rows_[handle.row];
    const uint64_t from = nanoseconds(handle, begin);
    row.held.push_back({from, std::max(from, nanoseconds(handle, end)), flow, next_order_++,
                        std::string(name), std::string(detail)});
    if (row.held.size() > kHeldSlices) {
        write_held(row, kHeldSlices / 2);
    }
}

void PerfettoSink::instant(TrackId track, Cycle at, std::string_view name, uint64_t flow) {
    const Handle& handle = handles_.at(track);
    write_event(rows_[handle.row].uuid, nanoseconds(handle, at), track_event::kInstant, name, flow);
}

void PerfettoSink::write_held(Row& row, size_t count) {
    const auto before = [](const Slice& a, const Slice& b) {
        if (a.begin != b.begin) {
            return a.begin < b.begin;
        }
        // Of two that begin together the longer is around the shorter, else the later reported.
        return a.end != b.end ? a.end > b.end : a.order > b.order;
    };
    // Rows without nested slices are in order already.
    if (!std::is_sorted(row.held.begin(), row.held.end(), before)) {
        std::sort(row.held.begin(), row.held.end(), before);
    }
    for (size_t i = 0; i < count; ++i) {
        write_slice(row, row.held[i]);
    }
    row.held.erase(row.held.begin(), row.held.begin() + static_cast<std::ptrdiff_t>(count));
}

// Perfetto sorts by time and keeps the order of the file among equal times; an end closes the
// innermost open slice. So ends are written before what begins at the same time.
void PerfettoSink::write_slice(Row& row, const Slice& slice) {
    while (!row.open.empty() && row.open.back().end <= slice.begin) {
        write_event(row.uuid, row.open.back().end, track_event::kSliceEnd);
        row.open.pop_back();
    }
    // Usually on top; below what began later when it was around more slices than are held.
    const auto above =
        std::upper_bound(row.open.begin(), row.open.end(), slice.begin,
                         [](uint64_t begin, const Open& open) { return begin < open.begin; });
    uint64_t end = slice.end;
    if (above != row.open.end()) {
        end = std::max(end, above->end);
    }
    if (above != row.open.begin()) {
        end = std::min(end, std::prev(above)->end);
    }
    moved_ends_ += end != slice.end ? 1 : 0;
    row.open.insert(above, {slice.begin, end});
    write_event(row.uuid, slice.begin, track_event::kSliceBegin, slice.name, slice.flow,
                slice.detail);
}

void PerfettoSink::write_event(uint64_t uuid, uint64_t at, unsigned type, std::string_view name,
                               uint64_t flow, std::string_view detail) {
    if (names_.size() >= kMaxNames) {
        start_names();
    }
    body_.clear();
    part_.clear();
    put_number(body_, trace_packet::kTimestamp, at);
    put_number(body_, trace_packet::kTrustedPacketSequenceId, kSequence);
    put_number(body_, trace_packet::kSequenceFlags, trace_packet::kNeedsIncrementalState);
    put_number(part_, track_event::kType, type);
    put_number(part_, track_event::kTrackUuid, uuid);
    if (name.size() > kLongestInterned) {
        put_bytes(part_, track_event::kName, name);
    } else if (type != track_event::kSliceEnd && last_iid_ != 0 && name == last_name_) {
        put_number(part_, track_event::kNameIid, last_iid_);
    } else if (type != track_event::kSliceEnd) {
        const auto [it, is_new] = names_.try_emplace(std::string(name), names_.size() + 1);
        if (is_new) {
            subpart_.clear();
            put_number(subpart_, interned_data::kIid, it->second);
            put_bytes(subpart_, interned_data::kName, name);
            EncodeBuffer interned;
            put_bytes(interned, interned_data::kEventNames, subpart_);
            put_bytes(body_, trace_packet::kInternedData, interned);
        }
        put_number(part_, track_event::kNameIid, it->second);
        last_name_ = name;
        last_iid_ = it->second;
    }
    if (flow != 0) {
        put_fixed64(part_, track_event::kFlowIds, flow);
    }
    if (!detail.empty()) {
        subpart_.clear();
        put_number(subpart_, debug_annotation::kNameIid, kDetailIid);
        put_bytes(subpart_, debug_annotation::kStringValue, detail);
        put_bytes(part_, track_event::kDebugAnnotations, subpart_);
    }
    put_bytes(body_, trace_packet::kTrackEvent, part_);
    write_packet();
}

void PerfettoSink::write_descriptor(uint64_t uuid, uint64_t parent, std::string_view name,
                                    uint32_t rank) {
    body_.clear();
    part_.clear();
    put_number(body_, trace_packet::kTrustedPacketSequenceId, kSequence);
    put_number(part_, track_descriptor::kUuid, uuid);
    put_bytes(part_, track_descriptor::kName, name);
    put_number(part_, track_descriptor::kParentUuid, parent);
    put_number(part_, track_descriptor::kChildOrdering, track_descriptor::kExplicitOrder);
    put_number(part_, track_descriptor::kSiblingOrderRank, rank);
    put_bytes(body_, trace_packet::kTrackDescriptor, part_);
    write_packet();
}

// A packet that starts an empty table of names; the first of the file also describes the root.
void PerfettoSink::start_names() {
    const bool is_first = components_.empty();
    names_.clear();
    last_iid_ = 0;
    body_.clear();
    put_number(body_, trace_packet::kTrustedPacketSequenceId, kSequence);
    put_number(body_, trace_packet::kSequenceFlags, trace_packet::kIncrementalStateCleared);
    if (is_first) {
        put_number(body_, trace_packet::kFirstPacketOnSequence, 1);
    }
    subpart_.clear();
    put_number(subpart_, interned_data::kIid, kDetailIid);
    put_bytes(subpart_, interned_data::kName, "detail");
    part_.clear();
    put_bytes(part_, interned_data::kDebugAnnotationNames, subpart_);
    put_bytes(body_, trace_packet::kInternedData, part_);
    if (is_first) {
        components_[""].uuid = kRootUuid;
        part_.clear();
        put_number(part_, track_descriptor::kUuid, kRootUuid);
        put_number(part_, track_descriptor::kChildOrdering, track_descriptor::kExplicitOrder);
        put_bytes(body_, trace_packet::kTrackDescriptor, part_);
    }
    write_packet();
}

void PerfettoSink::write_packet() {
    put_bytes(buffer_, trace::kPacket, body_);
    if (buffer_.size() >= kBufferBytes) {
        flush();
    }
}

void PerfettoSink::flush() {
    if (!failed_) {
        out_.write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
        failed_ = !out_;
    }
    bytes_written_ += buffer_.size();
    buffer_.clear();
}

void PerfettoSink::finish() {
    if (finished_) {
        return;
    }
    finished_ = true;
    for (Row& row : rows_) {
        write_held(row, row.held.size());
        while (!row.open.empty()) {
            write_event(row.uuid, row.open.back().end, track_event::kSliceEnd);
            row.open.pop_back();
        }
    }
    flush();
    out_.flush();
    if (file_.is_open()) {
        file_.close();
    }
    if (failed_ || !out_) {
        throw std::runtime_error("cannot write the trace " + name_ +
                                 ": the file is incomplete (is the disk full?)");
    }
}

}  // namespace archipelago::host
