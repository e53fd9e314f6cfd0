// SPDX-License-Identifier: Apache-2.0
// packet_soak [--packets N] [--seed S] [--mode functional|cycle|both] [--corrupted N]
//             [--from SCENARIO] [--stops] [--show TEXT [--dump]]
//
// Mostly legal packets, N of them (default 100000), through the command processors: how streams
// ended, and the rate. Every stream that ends done in both modes and has one ring, no constants
// and no clocks leaves the same memory in both. Status 1 and the number of the scenario when not.
// --stops lists the kinds of ends, --show the scenarios whose end has TEXT in it, with --dump their
// packets; --from begins with that scenario.
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <map>
#include <optional>
#include <string>

#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/text.h"
#include "testbenches/fuzz/packet_streams.h"
#include "testbenches/support/command_line.h"

const archipelago::fuzz::TargetInfo archipelago::fuzz::kTarget = {"packet_soak", false, 0, 0, 0};

namespace {

using namespace archipelago::fuzz;
using archipelago::command_line::check_count;

struct Options {
    uint64_t packets = 100'000;
    uint64_t seed = 1;
    bool functional = true, timed = true;
    unsigned corrupted = 4;
    bool verbose = false;
    std::string show;    // ends whose text has this
    uint64_t first = 0;  // scenario
    bool dump = false;
};

// Nothing when all is well; else the exit status.
std::optional<int> parse(int argc, char** argv, Options& o) {
    CLI::App app{"mostly legal packets through the command processors", "packet_soak"};
    const auto count = [&](const char* name, auto& value, const char* what) {
        app.add_option(name, value, what)->check(check_count)->capture_default_str();
    };
    std::string mode = "both";
    count("--packets", o.packets, "how many, at least");
    count("--seed", o.seed, "of the scenarios");
    app.add_option("--mode", mode, "functional, cycle or both")
        ->check(CLI::IsMember({"functional", "cycle", "both"}))
        ->capture_default_str();
    count("--corrupted", o.corrupted, "one word in so many scenarios is wrong; 0: none");
    count("--from", o.first, "scenario to begin with");
    app.add_flag("--stops", o.verbose, "list the kinds of ends");
    CLI::Option* show = app.add_option("--show", o.show, "scenarios whose end has this text in it");
    app.add_flag("--dump", o.dump, "their packets as well")->needs(show);
    const auto status = archipelago::command_line::parse(app, argc, argv);
    o.functional = mode != "cycle";
    o.timed = mode != "functional";
    return status;
}

struct Mode {
    const char* name;
    StreamResult (*run)(const PacketScenario&);
    bool used;
    uint64_t packets = 0;
    double seconds = 0;
    std::map<std::string, uint64_t> ends;
};

// "ring gfx, IB1 0x300000 dword 12: packet X: reason 0x12" without its numbers.
std::string kind_of(const std::string& text) {
    const size_t start = text.find("packet ");
    std::string kind = start == std::string::npos ? text : text.substr(start);
    for (char& c : kind)
        if (c >= '0' && c <= '9')
            c = '#';
    return kind.substr(0, std::min(kind.find(" memory "), size_t{100}));
}

void dump(const PacketScenario& s) {
    const auto list = [](const char* name, const std::vector<uint32_t>& words) {
        if (!words.empty())
            std::printf("# %s, %zu dwords\n%s", name, words.size(),
                        archipelago::cp::si_pm4().disassemble(words.data(), words.size()).c_str());
    };
    list("ring gfx", s.rings[0]);
    list("ring compute0", s.rings[1]);
    list("ring compute1", s.rings[2]);
    list("IB1", s.ib1);
    list("IB2", s.ib2);
    list("constants", s.constants);
}

int run(int argc, char** argv) {
    Options options;
    if (const auto status = parse(argc, argv, options))
        return *status;
    Mode modes[] = {{"functional", run_functional, options.functional, 0, 0, {}},
                    {"cycle", run_timed, options.timed, 0, 0, {}}};
    std::map<std::string, uint64_t> stops;
    uint64_t made = 0, compared = 0;
    for (uint64_t number = options.first; made < options.packets; ++number) {
        const uint64_t seed = options.seed * 1'000'003 + number;
        Random random(seed);
        const PacketScenario scenario = make_scenario(random, {40, options.corrupted});
        made += scenario.packets;
        StreamResult results[2];
        for (unsigned m = 0; m < 2; ++m) {
            if (!modes[m].used)
                continue;
            const auto start = std::chrono::steady_clock::now();
            results[m] = modes[m].run(scenario);
            modes[m].seconds +=
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            modes[m].packets += scenario.packets;
            ++modes[m].ends[to_string(results[m].end)];
            const bool shown =
                !options.show.empty() && results[m].text.find(options.show) != std::string::npos;
            if (shown && options.dump)
                dump(scenario);
            if (shown)
                std::printf("scenario %" PRIu64 ", %s: %s: %s\n", number, modes[m].name,
                            to_string(results[m].end), results[m].text.c_str());
            if (options.verbose && results[m].end != StreamEnd::Done)
                ++stops[std::string(to_string(results[m].end)) + ": " + kind_of(results[m].text)];
        }
        if (!options.functional || !options.timed || !scenario.comparable)
            continue;
        if (results[0].end != results[1].end ||
            (results[0].end == StreamEnd::Done && results[0].memory != results[1].memory)) {
            std::printf("scenario %" PRIu64 " of seed %" PRIu64
                        " differs:\n  functional %s: %s\n"
                        "  cycle %s: %s\n",
                        number, options.seed, to_string(results[0].end), results[0].text.c_str(),
                        to_string(results[1].end), results[1].text.c_str());
            return 1;
        }
        ++compared;
    }
    for (const Mode& mode : modes) {
        if (!mode.used)
            continue;
        std::printf("%s: %" PRIu64 " packets, %.0f a second;", mode.name, mode.packets,
                    static_cast<double>(mode.packets) / mode.seconds);
        for (const auto& [end, count] : mode.ends)
            std::printf(" %" PRIu64 " %s", count, end.c_str());
        std::printf("\n");
    }
    std::printf("%" PRIu64 " compared\n", compared);
    const std::string never = packets_never_made();
    if (options.packets >= 50'000 && !never.empty()) {
        std::printf("packets that were never made: %s\n", never.c_str());
        return 1;
    }
    for (const auto& [text, count] : stops)
        std::printf("%8" PRIu64 " %s\n", count, text.c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "packet_soak: %s\n", e.what());
        return 1;
    }
}
