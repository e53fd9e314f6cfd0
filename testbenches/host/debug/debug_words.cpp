// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/debug/debug_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>

#include "models/afuc/cp/gpu_registers.h"
#include "models/afuc/engine/engine_state.h"
#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/text.h"
#include "models/config/suggest.h"

namespace archipelago::host {
namespace {

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Whether `value` has what `text` says, a number without a sign.
bool parse_number(const std::string& text, uint64_t& value) {
    size_t used = 0;
    if (text.empty() || !is_digit(text[0]))
        return false;
    try {
        value = std::stoull(text, &used, 0);
    } catch (const std::exception&) {
        return false;
    }
    return used == text.size();
}

// NAME, NAME+n, NAME[n]; what is none of them is a name.
struct Place {
    std::string name;
    uint64_t offset = 0;
    bool array = false;
};
Place place_in(const std::string& text) {
    const size_t at = text.find_first_of("+[");
    if (at == std::string::npos)
        return {text};
    const bool array = text[at] == '[';
    if (array && text.back() != ']')
        return {text};
    Place place{text.substr(0, at), 0, array};
    const bool number =
        parse_number(text.substr(at + 1, text.size() - at - (array ? 2 : 1)), place.offset);
    return number ? place : Place{text};
}

[[noreturn]] void no_such(const std::string& what, const std::string& name,
                          const std::vector<std::string>& known) {
    throw std::invalid_argument(fmt::format("no {} {}{}", what, name.empty() ? "\"\"" : name,
                                            config::did_you_mean(name, known)));
}

// The index that a name or number without a meaning of its own stands for, below `end`.
uint32_t index_below(uint64_t end, const std::string& what, const std::string& text,
                     const std::vector<std::string>& known) {
    uint64_t index = 0;
    if (!parse_number(text, index))
        no_such(what, text, known);
    if (index >= end)
        throw std::invalid_argument(
            fmt::format("no {} {}, they end at {:#x}", what, text, end - 1));
    return static_cast<uint32_t>(index);
}

// The lines of each source with instructions of these engines.
std::map<std::string, std::set<uint64_t>> source_lines(
    const std::vector<const afuc::Processor*>& engines) {
    std::map<std::string, std::set<uint64_t>> lines;
    for (const afuc::Processor* engine : engines)
        for (uint32_t pc = 0; pc < engine->spec().words; ++pc) {
            const std::string place = engine->source_of(pc);
            const size_t colon = place.rfind(':');
            if (colon != std::string::npos)
                lines[place.substr(0, colon)].insert(std::stoull(place.substr(colon + 1)));
        }
    return lines;
}

}  // namespace

uint64_t debug_number(const std::string& text, const char* what) {
    uint64_t value = 0;
    if (!parse_number(text, value))
        throw std::invalid_argument(fmt::format("{}: \"{}\" is not a number", what, text));
    return value;
}

uint64_t debug_count(const std::string& text) {
    uint64_t value = 0;
    if (!parse_number(text, value) || value == 0)
        throw std::invalid_argument("expected a count from 1 on, got " + text);
    return value;
}

uint32_t gpu_register_index(const regs::RegisterDatabase& registers, const std::string& text) {
    const Place place = place_in(text);
    const std::string name =
        place.array ? fmt::format("{}[{:#x}]", place.name, place.offset) : text;
    if (const auto* info = registers.find_by_name(name))
        return info->offset / 4;
    std::vector<std::string> known;
    for (const regs::NameInfo& n : registers.names) {
        const auto bracket = n.name.find('[');
        if (text == n.name.substr(0, bracket))
            throw std::invalid_argument(fmt::format("which of {}? {} and on", text, n.name));
        known.emplace_back(place.array ? n.name : n.name.substr(0, bracket));
    }
    return index_below(afuc::kGpuRegisters, "register", text, known);
}

uint32_t engine_register_index(afuc::Names names, afuc::Space space, const std::string& text) {
    const bool control = space == afuc::Space::Control;
    const Place place = place_in(text);
    const auto* const found = afuc::find_register(names, space, place.name);
    if (found != nullptr && place.offset < found->count)
        return found->first + static_cast<uint32_t>(place.offset);
    return index_below(control ? afuc::kControlRegisters : afuc::kSqeRegisters,
                       control ? "control register" : "SQE register", text,
                       afuc::register_names(names, space));
}

uint32_t general_register(const std::string& text) {
    for (uint32_t named = 0; named < afuc::kDataOut; ++named)
        if (text == afuc::destination_text(named))
            return named;
    uint64_t n = 0;
    const bool hex =
        text.size() > 1 && text.size() < 4 && std::all_of(text.begin() + 1, text.end(), [](char c) {
            return std::isxdigit(static_cast<unsigned char>(c)) != 0;
        });
    if (!hex || !parse_number("0x" + text.substr(1), n) || n >= afuc::kRegisters)
        throw std::invalid_argument(
            fmt::format("no register {}, there are $00 to ${:02x}, $sp, $lr, $rem, "
                        "$addr and $usraddr",
                        text, afuc::kRegisters - 1));
    return static_cast<uint32_t>(n);
}

uint32_t packet_entry(afuc::Names names, const std::string& text) {
    if (text == "PKT4")
        return afuc::kType4Entry;
    const int opcode = afuc::packet_opcode(names, text);
    if (opcode >= 0)
        return static_cast<uint32_t>(opcode);
    std::vector<std::string> known{"PKT4"};
    for (const afuc::PacketName& packet : afuc::packet_list(names))
        known.emplace_back(packet.name);
    no_such("packet", text, known);
}

void check_pc(const std::vector<const afuc::Processor*>& engines, uint64_t pc) {
    const auto most = *std::max_element(engines.begin(), engines.end(),
                                        [](const afuc::Processor* a, const afuc::Processor* b) {
                                            return a->spec().words < b->spec().words;
                                        });
    if (pc >= most->spec().words)
        throw std::invalid_argument(fmt::format("{} has {} instructions, from pc 0 on",
                                                most->spec().engine.path, most->spec().words));
}

void check_source(const std::vector<const afuc::Processor*>& engines, const std::string& place) {
    const auto sources = source_lines(engines);
    if (sources.empty())
        throw std::invalid_argument("the microcode comes without lines of a source");
    const size_t colon = place.rfind(':');
    const std::string file = place.substr(0, colon);
    const auto lines = sources.find(file);
    if (lines == sources.end()) {
        std::vector<std::string> known;
        known.reserve(sources.size());
        for (const auto& source : sources)
            known.push_back(source.first);
        throw std::invalid_argument(
            fmt::format("no source {}{}; those of the microcode: {}", file.empty() ? "\"\"" : file,
                        config::did_you_mean(file, known), config::join_names(known)));
    }
    const uint64_t line = debug_number(place.substr(colon + 1), "line");
    if (lines->second.count(line) != 0)
        return;
    const auto next = lines->second.lower_bound(line);
    throw std::invalid_argument(
        fmt::format("no instruction stands there, the {} {} on line {}",
                    next != lines->second.end() ? "next" : "last", "of " + file + " is",
                    next != lines->second.end() ? *next : *lines->second.rbegin()));
}

}  // namespace archipelago::host
