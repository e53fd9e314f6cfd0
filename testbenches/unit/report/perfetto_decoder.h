// SPDX-License-Identifier: Apache-2.0
// Reads a Perfetto trace back the way its importer does: packets in the order of the file, events
// sorted by time with ties in file order, an end closing the innermost open slice of its track.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace archipelago::report::test {

struct Field {
    unsigned number = 0;
    unsigned wire = 0;
    uint64_t value = 0;  // wire types 0 and 1
    std::string bytes;   // wire type 2
};

inline uint64_t read_varint(std::string_view& in) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (in.empty()) {
            ADD_FAILURE() << "a varint runs over the end";
            return 0;
        }
        const auto byte = static_cast<uint8_t>(in.front());
        in.remove_prefix(1);
        value |= static_cast<uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    ADD_FAILURE() << "a varint of more than ten bytes";
    return value;
}

inline std::vector<Field> read_message(std::string_view in) {
    std::vector<Field> out;
    while (!in.empty() && !testing::Test::HasFailure()) {
        Field field;
        const uint64_t tag = read_varint(in);
        field.number = static_cast<unsigned>(tag >> 3);
        field.wire = tag & 7;
        if (field.wire == 0) {
            field.value = read_varint(in);
        } else if (field.wire == 1 && in.size() >= 8) {
            for (unsigned i = 0; i < 8; ++i) {
                field.value |= static_cast<uint64_t>(static_cast<uint8_t>(in[i])) << (8 * i);
            }
            in.remove_prefix(8);
        } else if (field.wire == 2) {
            const uint64_t size = read_varint(in);
            if (size > in.size()) {
                ADD_FAILURE() << "a field runs over the end of its message";
                return out;
            }
            field.bytes = std::string(in.substr(0, size));
            in.remove_prefix(size);
        } else {
            ADD_FAILURE() << "wire type " << field.wire << " of field " << field.number;
            return out;
        }
        out.push_back(std::move(field));
    }
    return out;
}

inline const Field* find(const std::vector<Field>& message, unsigned number) {
    const auto it = std::find_if(message.begin(), message.end(),
                                 [&](const Field& f) { return f.number == number; });
    return it == message.end() ? nullptr : &*it;
}

inline uint64_t number_of(const std::vector<Field>& message, unsigned number) {
    const Field* field = find(message, number);
    return field == nullptr ? 0 : field->value;
}

struct DecodedTrack {
    std::string path;
    uint64_t rank = 0;
    bool counts = false;
    std::string unit;  // of what it counts; empty: a number
};

struct DecodedEvent {
    uint64_t at = 0;
    uint64_t type = 0;  // 1 begin, 2 end, 3 instant, 4 counter
    std::string path;
    std::string name;
    std::string detail;
    std::vector<uint64_t> flows;
    uint64_t value = 0;
    double fraction = 0;
    uint64_t cycle = 0;
};

struct DecodedSlice {
    std::string path;
    std::string name;
    uint64_t begin = 0;
    uint64_t end = 0;
    size_t depth = 0;
    std::string detail;
    std::vector<uint64_t> flows;
};

inline bool operator==(const DecodedSlice& a, const DecodedSlice& b) {
    return a.path == b.path && a.name == b.name && a.begin == b.begin && a.end == b.end &&
           a.depth == b.depth;
}

inline std::ostream& operator<<(std::ostream& out, const DecodedSlice& s) {
    return out << s.path << ' ' << s.name << " [" << s.begin << ", " << s.end << ") depth "
               << s.depth;
}

struct DecodedTrace {
    std::map<uint64_t, DecodedTrack> tracks;
    std::vector<DecodedEvent> events;  // by time
    std::vector<DecodedSlice> slices;  // in the order they begin
    size_t packets = 0;
    size_t name_tables = 0;
};

inline DecodedTrace decode_trace(const std::string& bytes) {
    DecodedTrace out;
    std::map<uint64_t, std::string> names;
    std::map<uint64_t, std::string> annotations;
    const auto intern = [](std::map<uint64_t, std::string>& table, const Field& entry) {
        const std::vector<Field> message = read_message(entry.bytes);
        EXPECT_NE(number_of(message, 1), 0U) << "zero is no interning id";
        EXPECT_TRUE(table.emplace(number_of(message, 1), find(message, 2)->bytes).second);
    };
    for (const Field& field : read_message(bytes)) {
        EXPECT_EQ(field.number, 1U);
        const std::vector<Field> packet = read_message(field.bytes);
        ++out.packets;
        EXPECT_EQ(number_of(packet, 10), 1U) << "every packet is of the one sequence";
        const uint64_t flags = number_of(packet, 13);
        if ((flags & 1) != 0) {
            names.clear();
            annotations.clear();
            ++out.name_tables;
        }
        if (const Field* interned = find(packet, 12)) {
            for (const Field& entry : read_message(interned->bytes)) {
                EXPECT_TRUE(entry.number == 2 || entry.number == 3);
                intern(entry.number == 2 ? names : annotations, entry);
            }
        }
        if (const Field* descriptor = find(packet, 60)) {
            const std::vector<Field> track = read_message(descriptor->bytes);
            const uint64_t uuid = number_of(track, 1);
            EXPECT_EQ(number_of(track, 11), 3U) << "children are in explicit order";
            if (uuid != 0) {
                const uint64_t parent = number_of(track, 5);
                std::string path = find(track, 2)->bytes;
                if (parent != 0) {
                    EXPECT_EQ(out.tracks.count(parent), 1U) << "parents come first";
                    path = out.tracks[parent].path + "." + path;
                }
                const Field* counter = find(track, 8);
                std::string unit;
                if (counter != nullptr) {
                    const std::vector<Field> counted = read_message(counter->bytes);
                    if (const Field* named = find(counted, 6))
                        unit = named->bytes;
                    else
                        EXPECT_EQ(number_of(counted, 3), 2U) << "it is a count";
                }
                EXPECT_EQ(out.tracks.count(parent) != 0 && out.tracks[parent].counts, false)
                    << "numbers are under no other row";
                EXPECT_TRUE(out.tracks
                                .emplace(uuid, DecodedTrack{path, number_of(track, 12),
                                                            counter != nullptr, unit})
                                .second)
                    << "track " << path << " is described once";
            }
        }
        if (const Field* event_field = find(packet, 11)) {
            EXPECT_NE(flags & 2, 0U);
            EXPECT_NE(find(packet, 8), nullptr) << "events have times";
            const std::vector<Field> message = read_message(event_field->bytes);
            DecodedEvent event;
            event.at = number_of(packet, 8);
            event.type = number_of(message, 9);
            EXPECT_EQ(out.tracks.count(number_of(message, 11)), 1U) << "tracks come first";
            const DecodedTrack& track = out.tracks[number_of(message, 11)];
            event.path = track.path;
            EXPECT_EQ(track.counts, event.type == 4) << "slices and numbers have rows of their own";
            event.value = number_of(message, 30);
            const uint64_t bits = number_of(message, 44);
            std::memcpy(&event.fraction, &bits, sizeof bits);
            if (const Field* iid = find(message, 10)) {
                EXPECT_EQ(names.count(iid->value), 1U) << "names are interned before their use";
                event.name = names[iid->value];
            } else if (const Field* name = find(message, 23)) {
                event.name = name->bytes;
            }
            for (const Field& f : message) {
                if (f.number == 47) {
                    EXPECT_EQ(f.wire, 1U) << "flow ids are of fixed size";
                    event.flows.push_back(f.value);
                } else if (f.number == 4) {
                    const std::vector<Field> annotation = read_message(f.bytes);
                    if (annotations[number_of(annotation, 1)] == "cycle") {
                        event.cycle = number_of(annotation, 3);
                    } else {
                        EXPECT_EQ(annotations[number_of(annotation, 1)], "detail");
                        event.detail = find(annotation, 6)->bytes;
                    }
                }
            }
            out.events.push_back(std::move(event));
        }
    }
    std::stable_sort(out.events.begin(), out.events.end(),
                     [](const DecodedEvent& a, const DecodedEvent& b) { return a.at < b.at; });
    std::map<std::string, std::vector<size_t>> open;
    for (const DecodedEvent& event : out.events) {
        std::vector<size_t>& stack = open[event.path];
        if (event.type == 1) {
            out.slices.push_back(
                {event.path, event.name, event.at, 0, stack.size(), event.detail, event.flows});
            stack.push_back(out.slices.size() - 1);
        } else if (event.type == 2) {
            if (stack.empty()) {
                ADD_FAILURE() << event.path << ": an end without a begin at " << event.at;
            } else {
                out.slices[stack.back()].end = event.at;
                stack.pop_back();
            }
        } else {
            EXPECT_TRUE(event.type == 3 || event.type == 4);
        }
    }
    for (const auto& [path, stack] : open) {
        EXPECT_TRUE(stack.empty()) << path << ": a begin without an end";
    }
    return out;
}

}  // namespace archipelago::report::test
