// SPDX-License-Identifier: Apache-2.0
// The programs of vectors/programs.json: what they write, in order, and the state that is left.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "testbenches/unit/afuc/engine_bench.h"

namespace archipelago::afuc::test {
namespace {

using nlohmann::json;

uint64_t number(const json& value) {
    return value.is_string() ? std::stoull(value.get<std::string>(), nullptr, 0)
                             : value.get<uint64_t>();
}
uint64_t number(const std::string& text) {
    return std::stoull(text, nullptr, 0);
}

const std::map<std::string, const char*> kGenerationOf{{"a5xx", "a5xx"}, {"a6xx", "a6xx"},
                                                       {"a660", "a660"}, {"a730", "a7xx"},
                                                       {"a740", "a7xx"}, {"a750", "a750"}};

constexpr uint64_t kImage = 0x1000;  // where memory has the image, bytes

// Of GPU registers and control registers, before the first instruction.
void preset(EngineBench& b, const std::string& gen, const std::string& processor) {
    EngineState& s = b.engine.state();
    if (gen == "a5xx")
        return;
    const auto base_of = [&](const char* name) -> uint32_t& {
        return s
            .control[find_register(b.engine.spec().generation->names, Space::Control, name)->first];
    };
    if (processor == "BV")
        base_of("BV_INSTR_BASE") = kImage;
    else if (processor == "LPAC")
        base_of("LPAC_INSTR_BASE") = kImage;
    else
        b.gpu[0x830] = kImage;
    if (gen != "a6xx")
        s.control[0] = (gen == "a660" ? 3u : 7u) << 28;
    if (gen == "a730" || gen == "a740")
        s.control[0xEF] = 1u << 21;
    if (gen == "a750")
        s.control[2] = 0x4000;
}

void initialize(EngineBench& b, const json& program) {
    preset(b, program["gen"], program["processor"]);
    EngineState& s = b.engine.state();
    std::vector<uint32_t> image;
    for (const json& word : program["image"]) {
        b.memory_words[kImage + 4 * image.size()] = static_cast<uint32_t>(number(word));
        image.push_back(static_cast<uint32_t>(number(word)));
    }
    b.load(image);
    const json& init = program["init"];
    const auto each = [&](const char* space, const auto& put) {
        if (init.contains(space))
            for (const auto& [place, value] : init[space].items())
                put(number(place), static_cast<uint32_t>(number(value)));
    };
    each("gpr", [&](uint64_t at, uint32_t v) { s.gpr[at] = v; });
    each("ctrl", [&](uint64_t at, uint32_t v) { s.control[at] = v; });
    each("sqe", [&](uint64_t at, uint32_t v) { s.sqe[at] = v; });
    each("gpu", [&](uint64_t at, uint32_t v) { b.gpu[static_cast<uint32_t>(at)] = v; });
    each("mem", [&](uint64_t at, uint32_t v) { b.memory_words[at] = v; });
    for (const json& word : program["stream"])
        b.stream.push_back(static_cast<uint32_t>(number(word)));
}

// Those that are not 0, as the files have them.
template <class Words>
std::map<uint64_t, uint64_t> left(const Words& words) {
    std::map<uint64_t, uint64_t> found;
    for (size_t i = 0; i < words.size(); ++i)
        if (words[i] != 0)
            found[i] = words[i];
    return found;
}
std::map<uint64_t, uint64_t> left(const std::map<uint32_t, uint32_t>& words) {
    std::map<uint64_t, uint64_t> found;
    for (const auto& [place, value] : words)
        if (value != 0)
            found[place] = value;
    return found;
}
std::map<uint64_t, uint64_t> wanted(const json& words) {
    std::map<uint64_t, uint64_t> found;
    for (const auto& [place, value] : words.items())
        found[number(place)] = number(value);
    return found;
}

void expect_events(const std::vector<Event>& events, const json& expected) {
    ASSERT_EQ(events.size(), expected.size());
    for (size_t i = 0; i < events.size(); ++i) {
        const Event want{expected[i][0], number(expected[i][1]),
                         static_cast<uint32_t>(number(expected[i][2]))};
        ASSERT_TRUE(events[i] == want)
            << "event " << i << ": expected " << expected[i] << ", got " << events[i].kind << " "
            << events[i].place << " " << events[i].value;
    }
}

void expect_draw_states(const EngineState& s, const json& expected) {
    for (const auto& [group, want] : expected.items()) {
        const DrawState& d = s.draw_states[number(group)];
        EXPECT_EQ(d.header, number(want["hdr"])) << group;
        EXPECT_EQ(uint64_t{d.base[1]} << 32 | d.base[0], number(want["base"])) << group;
        EXPECT_EQ(uint64_t{d.sds_base[1]} << 32 | d.sds_base[0], number(want["sds_base"])) << group;
        EXPECT_EQ(d.sds_dwords, number(want["sds_dwords"])) << group;
    }
}

void run_and_compare(const json& program) {
    SCOPED_TRACE(program["name"].get<std::string>());
    EngineBench b(kGenerationOf.at(program["gen"]));
    initialize(b, program);
    b.run();
    const json& expect = program["expect"];
    const EngineState& s = b.engine.state();
    expect_events(b.events, expect["events"]);
    EXPECT_EQ(s.pc, expect["pc"]);
    EXPECT_EQ(s.instructions, expect["instructions"]);
    EXPECT_EQ(left(s.gpr), wanted(expect["gpr"]));
    EXPECT_EQ(left(s.control), wanted(expect["ctrl"]));
    EXPECT_EQ(left(s.sqe), wanted(expect["sqe"]));
    EXPECT_EQ(left(s.packet_table), wanted(expect["packet_table"]));
    EXPECT_EQ(left(b.gpu), wanted(expect["gpu"]));
    EXPECT_EQ(left(b.pipe), wanted(expect["pipe"]));
    EXPECT_EQ(b.stream.size(), expect["stream_words_left"]);
    EXPECT_EQ(s.carry, number(expect["carry"]));
    expect_draw_states(s, expect["draw_state"]);
}

TEST(AfucEngine, ProgramsWriteAndLeaveWhatTheyShould) {
    std::ifstream file(ARCHIPELAGO_SOURCE_DIR "/testbenches/unit/afuc/vectors/programs.json");
    const json data = json::parse(file);
    ASSERT_EQ(data["programs"].size(), 64u);
    for (const json& program : data["programs"])
        run_and_compare(program);
}

}  // namespace
}  // namespace archipelago::afuc::test
