// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/afuc/engine_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/image.h"
#include "models/common/error.h"
#include "models/config/suggest.h"
#include "testbenches/host/afuc/engine_alone.h"

namespace archipelago::host {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr uint64_t kImage = 0x1000;  // where memory has the image, bytes

std::string text(uint64_t value) {
    return fmt::format("{:#x}", value);
}

[[noreturn]] void refuse(const std::string& place, const std::string& reason) {
    throw std::invalid_argument(place + ": " + reason);
}

uint64_t parse_number(const std::string& place, const std::string& digits) {
    size_t used = 0;
    uint64_t value = 0;
    try {
        if (!digits.empty() && digits[0] >= '0' && digits[0] <= '9')
            value = std::stoull(digits, &used, 0);
    } catch (const std::exception&) {
        used = 0;
    }
    if (used == 0 || used != digits.size())
        refuse(place, "expected a number, got \"" + digits + "\"");
    return value;
}

// Numbers of JSON, and text as C writes them.
uint32_t word(const std::string& place, const json& value) {
    if (!value.is_string() && !value.is_number_unsigned())
        refuse(place, "expected a word, got " + value.dump());
    const uint64_t number =
        value.is_string() ? parse_number(place, value.get<std::string>()) : value.get<uint64_t>();
    if (number > UINT32_MAX)
        refuse(place, "expected a word, got " + text(number) + " with more than 32 bits");
    return static_cast<uint32_t>(number);
}

std::vector<uint32_t> words_of(const json& program, const char* key) {
    std::vector<uint32_t> words;
    if (!program.contains(key))
        return words;
    const json& list = program[key];
    if (!list.is_array())
        refuse(key, "expected a list of words, got " + list.dump());
    for (const json& value : list)
        words.push_back(word(fmt::format("{}[{}]", key, words.size()), value));
    return words;
}

void check_keys(const std::string& place, const json& given,
                const std::vector<std::string>& known) {
    if (!given.is_object())
        refuse(place, "expected an object, got " + given.dump());
    for (const auto& [key, value] : given.items())
        if (std::find(known.begin(), known.end(), key) == known.end())
            refuse(place, "unknown key \"" + key + "\"" + config::did_you_mean(key, known) +
                              ", expected one of: " + config::join_names(known));
}

// Places of a space, below `end` and multiples of `step`.
template <class Put>
void each(const json& from, const char* space, uint64_t end, uint64_t step, const Put& put) {
    if (!from.contains(space))
        return;
    const std::string key = std::string("init.") + space;
    if (!from[space].is_object())
        refuse(key, "expected places with values, got " + from[space].dump());
    for (const auto& [place, value] : from[space].items()) {
        const uint64_t at = parse_number(key, place);
        if (at >= end)
            refuse(key, fmt::format("{} is not there, the last is {:#x}", place, end - 1));
        if (at % step != 0)
            refuse(key, fmt::format("{} is not a multiple of {}", place, step));
        put(at, word(fmt::format("{}.{}", key, place), value));
    }
}

template <class Words>
void put_into(const json& from, const char* space, Words& words) {
    each(from, space, words.size(), 1, [&](uint64_t at, uint32_t value) { words[at] = value; });
}

void begin_state(const json& init, afuc::EngineAlone& alone) {
    check_keys("init", init, {"gpr", "ctrl", "sqe", "gpu", "mem"});
    afuc::EngineState& s = alone.engine.state();
    put_into(init, "gpr", s.gpr);
    put_into(init, "ctrl", s.control);
    put_into(init, "sqe", s.sqe);
    each(init, "gpu", afuc::kMaxRegister + 1, 1,
         [&](uint64_t at, uint32_t v) { alone.gpu[static_cast<uint32_t>(at)] = v; });
    each(init, "mem", UINT64_MAX, 4, [&](uint64_t at, uint32_t v) { alone.memory_words[at] = v; });
}

// As a driver does with an engine of a5xx, before it runs: from where the image's second word says,
// else from the image's end.
void load_packet_table(const std::vector<uint32_t>& image, afuc::EngineAlone& alone) {
    const char* const key = "load_packet_table";
    const afuc::Generation& generation = *alone.engine.spec().generation;
    if (generation.encoding != afuc::Encoding::A5)
        refuse(key, std::string("the microcode of ") + generation.name +
                        " loads its packet table itself");
    const auto count = static_cast<uint32_t>(image.size());
    if (count < afuc::kTableWords)
        refuse(key, fmt::format("the image has {} words, a packet table has {}", count,
                                afuc::kTableWords));
    const std::vector<afuc::Section> sections = afuc::sections(generation, image.data(), count);
    const uint32_t table = sections.empty() ? count - afuc::kTableWords : sections.front().table;
    std::copy_n(image.begin() + table, afuc::kTableWords,
                alone.engine.state().packet_table.begin());
}

void begin(const json& program, afuc::EngineAlone& alone) {
    const std::vector<uint32_t> image = words_of(program, "image");
    if (image.empty())
        refuse("image", "expected the words of a program");
    for (size_t i = 0; i < image.size(); ++i)
        alone.memory_words[kImage + 4 * i] = image[i];
    alone.load(image);
    if (program.contains("load_packet_table")) {
        const json& load = program["load_packet_table"];
        if (!load.is_boolean())
            refuse("load_packet_table", "expected true or false, got " + load.dump());
        if (load.get<bool>())
            load_packet_table(image, alone);
    }
    if (program.contains("init"))
        begin_state(program["init"], alone);
    for (const uint32_t w : words_of(program, "stream"))
        alone.stream.push_back(w);
}

const afuc::Generation& generation_of(const json& program) {
    std::vector<std::string> known;
    for (const afuc::Generation& g : afuc::kGenerations)
        known.emplace_back(g.name);
    const bool given = program.contains("isa") && program["isa"].is_string();
    const std::string name = given ? program["isa"].get<std::string>() : "";
    if (const afuc::Generation* found = afuc::find_generation(name))
        return *found;
    refuse("isa", "expected one of: " + config::join_names(known) +
                      (program.contains("isa") ? ", got " + program["isa"].dump() : "") +
                      config::did_you_mean(name, known));
}

// Those that are not 0.
template <class Words>
ordered_json left(const Words& words) {
    ordered_json found = ordered_json::object();
    for (size_t i = 0; i < words.size(); ++i)
        if (words[i] != 0)
            found[text(i)] = text(words[i]);
    return found;
}
ordered_json left(const std::map<uint32_t, uint32_t>& words) {
    ordered_json found = ordered_json::object();
    for (const auto& [place, value] : words)
        if (value != 0)
            found[text(place)] = text(value);
    return found;
}

ordered_json draw_states(const afuc::EngineState& s) {
    ordered_json found = ordered_json::object();
    const auto address = [](const auto& base) { return text(uint64_t{base[1]} << 32 | base[0]); };
    for (size_t i = 0; i < s.draw_states.size(); ++i) {
        const afuc::DrawState& d = s.draw_states[i];
        if (d.header != 0 || d.base[0] != 0 || d.base[1] != 0 || d.sds_dwords != 0)
            found[std::to_string(i)] = {{"hdr", text(d.header)},
                                        {"base", address(d.base)},
                                        {"sds_base", address(d.sds_base)},
                                        {"sds_dwords", text(d.sds_dwords)}};
    }
    return found;
}

}  // namespace

ordered_json run_engine_program(const json& program) {
    check_keys("program", program, {"isa", "image", "load_packet_table", "init", "stream"});
    afuc::EngineAlone alone(generation_of(program).name);
    begin(program, alone);
    std::string stop;
    try {
        stop = alone.run() ? "blocked_on_data" : "beats";
    } catch (const MachineStop& error) {
        stop = error.what();
    }
    const afuc::EngineState& s = alone.engine.state();
    ordered_json events = ordered_json::array();
    for (const afuc::Event& e : alone.events)
        events.push_back({e.kind, text(e.place), text(e.value)});
    return {{"stop", stop},
            {"pc", s.pc},
            {"instructions", s.instructions},
            {"events", std::move(events)},
            {"gpr", left(s.gpr)},
            {"ctrl", left(s.control)},
            {"sqe", left(s.sqe)},
            {"gpu", left(alone.gpu)},
            {"pipe", left(alone.pipe)},
            {"packet_table", left(s.packet_table)},
            {"draw_state", draw_states(s)},
            {"carry", text(s.carry)},
            {"stream_words_left", alone.stream.size()}};
}

ordered_json run_engine_text(const std::string& line) {
    json program;
    try {
        program = json::parse(line);
    } catch (const json::parse_error& error) {
        const std::string what = error.what();  // "[...] parse error at line 1, column 9: reason"
        throw std::invalid_argument(
            fmt::format("column {}: not JSON: {}", error.byte, what.substr(what.find(": ") + 2)));
    }
    return run_engine_program(program);
}

}  // namespace archipelago::host
