// SPDX-License-Identifier: Apache-2.0
// `archipelago rtl`: the pins of the blocks in whose place a user's Verilog can stand.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "models/config/suggest.h"
#include "rtl-bridge/compare/pin_tables.h"
#include "testbenches/host/command/command.h"

namespace archipelago::host {
namespace {

using rtl::PinRow;
using rtl::PinTable;

const PinTable& find_table(const std::string& block) {
    if (const PinTable* table = rtl::find_pin_table(block))
        return *table;
    std::vector<std::string> names;
    for (const PinTable* table : rtl::pin_tables())
        names.emplace_back(table->block);
    throw std::invalid_argument(
        fmt::format("rtl: no block with documented pins is called {}, expected one of: {}{}", block,
                    config::join_names(names), config::did_you_mean(block, names)));
}

// What the port's valid and ready are.
std::string handshake(const PinTable& table, const std::string& port) {
    if (port == "cfg")
        return "still between resets";
    for (const bool in : {true, false}) {
        if (table.find(port, "valid", in) == nullptr)
            continue;
        const std::string way = in ? "in" : "out";
        return way + (table.find(port, "ready", !in) != nullptr ? ", ready/valid" : ", strobe");
    }
    return "levels";
}

std::vector<std::string> ports_of(const PinTable& table) {
    std::vector<std::string> ports;
    for (const PinRow& pin : table.pins)
        if (std::find(ports.begin(), ports.end(), pin.port) == ports.end())
            ports.emplace_back(pin.port);
    return ports;
}

std::string width_text(const PinRow& pin) {
    return pin.elements == 1 ? std::to_string(pin.bits)
                             : fmt::format("{} x {}", pin.elements, pin.bits);
}

// Two waits and two transfers of a port with ready and valid, by its pins' names.
std::string diagram(const PinTable& table) {
    for (const std::string& port : ports_of(table)) {
        const auto handshakes = [&](bool in) {
            return table.find(port, "valid", in) != nullptr &&
                   table.find(port, "ready", !in) != nullptr;
        };
        const bool in = handshakes(true), out = handshakes(false);
        if (!in && !out)
            continue;
        return fmt::format(
            "```\n"
            "{:<20}  __    __    __    __    __\n"
            "{:<20}_/  \\__/  \\__/  \\__/  \\__/  \\__   sampled and changed at the rising edge\n"
            "{:<20}_______/-----------------\\_____   {} holds its fields until they are taken\n"
            "{:<20}_____________/-----------\\_____   {}\n"
            "{:<20}-------< a         >< b  >------   a passes at the third edge, b at the fourth\n"
            "```\n",
            "", "clk", port + "_valid", in ? "the other side" : "the block", port + "_ready",
            in ? "the block takes" : "the other side takes", port + "_*");
    }
    return {};
}

std::string contract_text(const PinTable& table) {
    const rtl::Elastic& e = table.elastic;
    if (e.exact_only != nullptr)
        return fmt::format("Contract: `exact` only, as {}.\n", e.exact_only);
    std::string text = fmt::format(
        "Contract: `exact`, or `elastic`: in any cycle, inputs take effect in the order {} when "
        "several pass in a cycle; compared, each in its order: {}",
        e.inputs, e.outputs);
    if (*e.served != '\0')
        text += fmt::format("; {} lead to a memory, whose written contents are compared", e.served);
    if (*e.faults != '\0')
        text += fmt::format("; after an error ({}) nothing is compared until a reset", e.faults);
    text += ". `port/field`: in order for each value of the field.";
    if (std::string_view(e.inputs).find('=') != std::string_view::npos)
        text += " `a=b`: lanes of one port; transactions come on the first.";
    if (std::string_view(e.outputs).find('?') != std::string_view::npos)
        text += " `port?output`: only of a block that holds this output high.";
    return text + "\n";
}

// When the chip leaves cycles of the block out; empty: never.
std::string clock_text(const PinTable& table) {
    const rtl::ClockRule& rule = table.clock;
    if (*rule.stops == '\0')
        return {};
    std::string text = fmt::format("Clock: after a cycle with `{}` {}", rule.stops,
                                   rule.stops_when ? "high" : "low");
    if (*rule.resident != '\0') {
        const std::string_view ports(rule.resident);
        const size_t blank = ports.find(' ');
        text += fmt::format(", with no message of {} whose {} has not passed,",
                            ports.substr(0, blank), ports.substr(blank + 1));
    }
    text += " it stops until an input is valid";
    if (*rule.wakes != '\0')
        text += fmt::format(", or one of {} becomes ready", rule.wakes);
    text += ". A block that says so with work inside hangs the chip";
    if (*rule.empty != '\0')
        text += fmt::format("; so does one that holds `{}` high then", rule.empty);
    return text + ".\n";
}

// Enumerations of the Pins struct, as a list.
std::string enums_text(const PinTable& table) {
    std::string text;
    std::string_view rest = table.enums;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        text += fmt::format("{}- {}\n", text.empty() ? "\n" : "", rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return text;
}

std::string markdown(const PinTable& table) {
    std::string text = fmt::format("## {}\n\nPins of {}.{}{}\n\n", table.block, table.title,
                                   table.about.empty() ? "" : " ", table.about) +
                       contract_text(table) + clock_text(table) + "\n";
    text += diagram(table) + "\n| port | pin | | bits | meaning |\n|---|---|---|---|---|\n";
    text +=
        "| clock | `clk` | in | 1 | the chip's clock, or the block's own (TWINS.md): every pin "
        "belongs to it |\n";
    text +=
        "| reset | `rst` | in | 1 | high for a cycle at least, synchronous; other inputs "
        "are low or still |\n";
    for (const std::string& port : ports_of(table)) {
        std::string shown = fmt::format("{} ({})", port, handshake(table, port));
        for (const PinRow& pin : table.pins) {
            if (pin.port != port)
                continue;
            std::string meaning(pin.meaning);
            for (size_t at = 0; (at = meaning.find('|', at)) != std::string::npos; at += 2)
                meaning.insert(at, "\\");
            text += fmt::format("| {} | `{}` | {} | {} | {} |\n", shown, pin.name(),
                                pin.input ? "in" : "out", width_text(pin), meaning);
            shown.clear();
        }
    }
    return text + enums_text(table);
}

// Verilator warns of '0 for more bits.
constexpr size_t kMaxReplicated = 8192;

// An empty module with the pins of a block.
std::string module_text(const PinTable& table) {
    std::string text = fmt::format(
        "// {}: `archipelago rtl pins {}` documents the pins.\n"
        "module my_{} (\n  input  logic clk,\n  input  logic rst",
        table.block, table.block, table.block);
    std::string before = ",";
    for (const PinRow& pin : table.pins) {
        const std::string range = pin.elements > 1
                                      ? fmt::format("[{}:0][{}:0] ", pin.elements - 1, pin.bits - 1)
                                  : pin.bits > 1 ? fmt::format("[{}:0] ", pin.bits - 1)
                                                 : "";
        text += fmt::format("{}\n  {} logic {}{}", before, pin.input ? "input " : "output", range,
                            pin.name());
        before = fmt::format(",  // {}", pin.meaning);
    }
    text += fmt::format("  // {}\n);\n\n", table.pins.back().meaning);
    for (const PinRow& pin : table.pins)
        if (!pin.input)
            text += fmt::format("  assign {} = {};\n", pin.name(),
                                pin.width() > kMaxReplicated ? "'{default: '0}" : "'0");
    return text + "\nendmodule\n";
}

}  // namespace

RtlChoice rtl_choice(const std::string& text) {
    const auto refuse = [&] {
        throw std::invalid_argument("--rtl " + text +
                                    ": expected BLOCK, BLOCK=FILE or BLOCK@NUMBER=FILE");
    };
    const size_t equals = text.find('=');
    RtlChoice choice;
    if (equals != std::string::npos) {
        choice.file = text.substr(equals + 1);
        if (equals == 0 || choice.file.empty())
            refuse();
    }
    choice.block = text.substr(0, equals);
    const size_t at = choice.block.find('@');
    if (at == std::string::npos)
        return choice;
    const std::string number = choice.block.substr(at + 1);
    if (number.empty() || number.size() > 4 ||
        number.find_first_not_of("0123456789") != std::string::npos)
        refuse();
    choice.instance = static_cast<unsigned>(std::stoul(number));
    choice.block.resize(at);
    return choice;
}

int rtl_pins_command(const RtlArguments& a) {
    if (a.json) {
        fmt::print("{}", rtl::pin_tables_json());
        return kDone;
    }
    if (!a.block.empty()) {
        fmt::print("{}", markdown(find_table(a.block)));
        return kDone;
    }
    fmt::print("{}", rtl::pin_rules());
    const char* before = "\n";
    for (const PinTable* table : rtl::pin_tables()) {
        fmt::print("{}{}", before, markdown(*table));
        before = "\n";
    }
    return kDone;
}

int rtl_template_command(const RtlArguments& a) {
    fmt::print("{}", module_text(find_table(a.block)));
    return kDone;
}

}  // namespace archipelago::host
