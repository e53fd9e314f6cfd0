// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/afuc/engine_program.h"

#include <fmt/format.h>

#include <map>
#include <stdexcept>
#include <string>

#include "models/common/error.h"
#include "testbenches/host/afuc/engine_alone.h"

namespace archipelago::host {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr uint64_t kImage = 0x1000;  // where memory has the image, bytes

uint64_t number(const json& value) {
    return value.is_string() ? std::stoull(value.get<std::string>(), nullptr, 0)
                             : value.get<uint64_t>();
}
uint32_t word(const json& value) {
    return static_cast<uint32_t>(number(value));
}
std::string text(uint64_t value) {
    return fmt::format("{:#x}", value);
}

template <class Put>
void each(const json& from, const char* space, const Put& put) {
    if (from.contains(space))
        for (const auto& [place, value] : from[space].items())
            put(std::stoull(place, nullptr, 0), word(value));
}

template <class Words>
void put_into(const json& from, const char* space, Words& words) {
    each(from, space, [&](uint64_t at, uint32_t value) {
        if (at >= words.size())
            throw std::invalid_argument(fmt::format("{} {:#x} is not there", space, at));
        words[at] = value;
    });
}

void begin(const json& program, afuc::EngineAlone& alone) {
    std::vector<uint32_t> image;
    for (const json& w : program.at("image")) {
        alone.memory_words[kImage + 4 * image.size()] = word(w);
        image.push_back(word(w));
    }
    alone.load(image);
    afuc::EngineState& s = alone.engine.state();
    const json& init = program.at("init");
    put_into(init, "gpr", s.gpr);
    put_into(init, "ctrl", s.control);
    put_into(init, "sqe", s.sqe);
    each(init, "gpu", [&](uint64_t at, uint32_t v) { alone.gpu[static_cast<uint32_t>(at)] = v; });
    each(init, "mem", [&](uint64_t at, uint32_t v) { alone.memory_words[at] = v; });
    for (const json& w : program.at("stream"))
        alone.stream.push_back(word(w));
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
    const std::string isa = program.at("isa");
    if (afuc::find_generation(isa) == nullptr)
        throw std::invalid_argument("isa: no generation " + isa);
    afuc::EngineAlone alone(isa.c_str());
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

}  // namespace archipelago::host
