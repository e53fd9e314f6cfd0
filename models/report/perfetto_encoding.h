// SPDX-License-Identifier: Apache-2.0
// The parts of Perfetto's protobuf that PerfettoSink writes: field numbers
// (protos/perfetto/trace of the Perfetto project), and fields put into a buffer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace archipelago::report {

// Bytes being put together. Room is made once for many, not per byte.
class EncodeBuffer {
  public:
    const char* data() const { return bytes_.data(); }
    size_t size() const { return size_; }
    operator std::string_view() const { return {bytes_.data(), size_}; }
    void clear() { size_ = 0; }
    // Where up to `count` further bytes may be written; grow_to() says where they end.
    char* room(size_t count) {
        if (bytes_.size() - size_ < count)
            bytes_.resize(2 * (size_ + count));
        return bytes_.data() + size_;
    }
    void grow_to(const char* end) { size_ = static_cast<size_t>(end - bytes_.data()); }

  private:
    std::vector<char> bytes_;
    size_t size_ = 0;
};

namespace perfetto {

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
constexpr unsigned kCounter = 8;
constexpr unsigned kChildOrdering = 11;
constexpr unsigned kSiblingOrderRank = 12;
constexpr uint64_t kExplicitOrder = 3;
}  // namespace track_descriptor
namespace counter_descriptor {
constexpr unsigned kUnit = 3;
constexpr unsigned kUnitName = 6;
constexpr uint64_t kUnitCount = 2;
}  // namespace counter_descriptor
namespace track_event {
constexpr unsigned kDebugAnnotations = 4;
constexpr unsigned kType = 9;
constexpr unsigned kNameIid = 10;
constexpr unsigned kTrackUuid = 11;
constexpr unsigned kName = 23;
constexpr unsigned kCounterValue = 30;
constexpr unsigned kDoubleCounterValue = 44;
constexpr unsigned kFlowIds = 47;
constexpr unsigned kSliceBegin = 1;
constexpr unsigned kSliceEnd = 2;
constexpr unsigned kInstant = 3;
constexpr unsigned kCounter = 4;
}  // namespace track_event
namespace interned_data {
constexpr unsigned kEventNames = 2;
constexpr unsigned kDebugAnnotationNames = 3;
constexpr unsigned kIid = 1;   // EventName, DebugAnnotationName
constexpr unsigned kName = 2;  // likewise
}  // namespace interned_data
namespace debug_annotation {
constexpr unsigned kNameIid = 1;
constexpr unsigned kUintValue = 3;
constexpr unsigned kStringValue = 6;
}  // namespace debug_annotation

constexpr uint64_t kSequence = 1;
constexpr uint64_t kRootUuid = 0;
constexpr uint64_t kDetailIid = 1;
constexpr uint64_t kCycleIid = 2;

enum WireType : unsigned { kVarint = 0, kFixed64 = 1, kBytes = 2 };

constexpr size_t kLongestVarint = 10;
// Of an event's packet, but for its texts and the definition of its name.
constexpr size_t kLongestEvent = 20 * kLongestVarint;

inline char* varint_at(char* at, uint64_t value) {
    while (value >= 0x80) {
        *at++ = static_cast<char>(value | 0x80);
        value >>= 7;
    }
    *at++ = static_cast<char>(value);
    return at;
}

// Seven bits a byte: 9 / 64 is a little less than 1 / 7.
inline size_t varint_size(uint64_t value) {
    const auto bits = static_cast<size_t>(64 - __builtin_clzll(value | 1));
    return (9 * bits + 64) / 64;
}

// Fields put one after the other where there is room for them. Events are most of a trace, so the
// sizes of their messages are computed beforehand and their fields go straight into the file's
// buffer.
template <unsigned kField, WireType kType>
char* tag_at(char* at) {
    constexpr unsigned kTag = kField << 3 | kType;
    static_assert(kTag < 1U << 14);
    if constexpr (kTag >= 0x80) {
        *at++ = static_cast<char>(kTag | 0x80);
        *at++ = static_cast<char>(kTag >> 7);
    } else {
        *at++ = static_cast<char>(kTag);
    }
    return at;
}

template <unsigned kField>
constexpr size_t kTagSize = kField < 16 ? 1 : 2;

template <unsigned kField>
char* number_at(char* at, uint64_t value) {
    return varint_at(tag_at<kField, kVarint>(at), value);
}

template <unsigned kField>
size_t number_size(uint64_t value) {
    return kTagSize<kField> + varint_size(value);
}

template <unsigned kField>
char* fixed64_at(char* at, uint64_t value) {
    at = tag_at<kField, kFixed64>(at);
    const auto put = [&](unsigned i) { at[i] = static_cast<char>(value >> (8 * i)); };
    put(0), put(1), put(2), put(3), put(4), put(5), put(6), put(7);  // one store
    return at + 8;
}

// Tag and size of a message or text of `size` bytes.
template <unsigned kField>
char* header_at(char* at, size_t size) {
    return varint_at(tag_at<kField, kBytes>(at), size);
}

template <unsigned kField>
size_t bytes_size(size_t size) {
    return kTagSize<kField> + varint_size(size) + size;
}

inline char* text_at(char* at, std::string_view text) {
    return std::copy(text.begin(), text.end(), at);
}

template <unsigned kField>
char* bytes_at(char* at, std::string_view bytes) {
    return text_at(header_at<kField>(at, bytes.size()), bytes);
}

inline void put_number(EncodeBuffer& to, unsigned field, uint64_t value) {
    char* const at = to.room(2 * kLongestVarint);
    to.grow_to(varint_at(varint_at(at, field << 3 | kVarint), value));
}

inline void put_bytes(EncodeBuffer& to, unsigned field, std::string_view value) {
    char* at = varint_at(to.room(2 * kLongestVarint + value.size()), field << 3 | kBytes);
    at = varint_at(at, value.size());
    std::copy(value.begin(), value.end(), at);
    to.grow_to(at + value.size());
}

}  // namespace perfetto
}  // namespace archipelago::report
