// SPDX-License-Identifier: Apache-2.0
// What programs read their options with, over CLI11: bad usage is refused, never guessed at.
#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "models/config/scalar.h"
#include "models/config/suggest.h"

namespace archipelago::command_line {

constexpr int kBadUsage = 2;  // exit status

// A check() of options that are counts, addresses or seeds: CLI11 alone would let -1 wrap around
// and larger numbers saturate. Whether the number fits the option's own type, CLI11 does check.
inline std::string check_count(const std::string& text) {
    const config::IntegerText number = config::parse_integer(text);
    if (number.status == config::IntegerText::Status::Ok && !number.negative)
        return {};
    return "got \"" + text + "\", expected a whole number from 0 to 18446744073709551615";
}

// ` (did you mean "--trace"?)` for the first word that no option of the subcommand has; may be
// empty.
inline std::string hint(const CLI::App& app) {
    const CLI::App* command = &app;
    while (!command->get_subcommands().empty())
        command = command->get_subcommands().front();
    const std::vector<std::string> unknown = command->remaining(true);
    const auto word = std::find_if(unknown.begin(), unknown.end(),
                                   [](const auto& w) { return w.compare(0, 2, "--") == 0; });
    if (word == unknown.end())
        return {};
    std::vector<std::string> known;
    for (const CLI::Option* option : command->get_options())
        for (const std::string& name : option->get_lnames())
            known.push_back("--" + name);
    return config::did_you_mean(word->substr(0, word->find('=')), known);
}

// Fills in the options of `app`. Nothing: go on. Else the exit status: 0 when help was asked for,
// kBadUsage when the error is on standard error.
inline std::optional<int> parse(CLI::App& app, int argc, const char* const* argv) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& e) {
        return app.exit(e);
    } catch (const CLI::ParseError& e) {
        app.exit(CLI::Error(e.get_name(), e.what() + hint(app), e.get_exit_code()));
        return kBadUsage;
    }
    return std::nullopt;
}

}  // namespace archipelago::command_line
