// SPDX-License-Identifier: Apache-2.0
// dma_soak [--packets N] [--seed S] [--cycle N] [--from STREAM] [--stops]
//
// Mostly legal packets of async DMA, N of them (default 100000), through engines of all
// generations: how streams ended, and the rate. One stream in --cycle (default 20) runs in cycle
// mode too, every other of those with channels that stall and units out of order, and leaves the
// same memory. A stream that does not keep to this is printed, status 1; --from begins with its
// number.
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <string>

#include "models/dma/packet_text.h"
#include "testbenches/fuzz/dma_streams.h"
#include "testbenches/support/command_line.h"

const archipelago::fuzz::TargetInfo archipelago::fuzz::kTarget = {"dma_soak", false, 0, 0, 0};

namespace {

using namespace archipelago::fuzz;
using archipelago::command_line::check_count;

struct Options {
    uint64_t packets = 100'000;
    uint64_t seed = 1;
    uint64_t cycle = 20;
    uint64_t first = 0;
    bool stops = false;
};

// "ring dma0, IB 0x7c000 dword 12: packet X: reason 0x12" without its numbers.
std::string kind_of(const std::string& text) {
    const size_t start = text.find("packet ");
    std::string kind = start == std::string::npos ? text : text.substr(start);
    std::string short_form;
    for (size_t i = 0; i < kind.size(); ++i) {
        if (kind[i] < '0' || kind[i] > '9') {
            short_form += kind[i];
            continue;
        }
        while (i + 1 < kind.size() && std::strchr("0123456789abcdefx", kind[i + 1]) != nullptr)
            ++i;
        short_form += '#';
    }
    return short_form.substr(0, 100);
}

void dump(const DmaStream& stream) {
    const archipelago::dma::TextLanguage language(stream.generation->packets);
    for (const auto* words : {&stream.ring, &stream.buffers})
        std::printf("%s\n", language.disassemble(words->data(), words->size()).c_str());
}

int run(int argc, char** argv) {
    Options o;
    CLI::App app{"mostly legal packets through async DMA engines", "dma_soak"};
    const auto count = [&](const char* name, auto& value, const char* what) {
        app.add_option(name, value, what)->check(check_count)->capture_default_str();
    };
    count("--packets", o.packets, "how many, at least");
    count("--seed", o.seed, "of the streams");
    count("--cycle", o.cycle, "one stream in so many runs in cycle mode, too; 0: none");
    count("--from", o.first, "stream to begin with");
    app.add_flag("--stops", o.stops, "list the kinds of ends");
    if (const auto status = archipelago::command_line::parse(app, argc, argv))
        return *status;

    std::map<std::string, uint64_t> ends, stops;
    uint64_t made = 0, in_both = 0, compared = 0;
    const auto start = std::chrono::steady_clock::now();
    for (uint64_t number = o.first; made < o.packets; ++number) {
        Random random(o.seed * 1'000'003 + number);
        const DmaStream stream =
            make_dma_stream(random, *random.pick(archipelago::dma::generations()),
                            {30, random.one_in(2) ? 100u : 0u, random.one_in(8)});
        made += stream.packets;
        DmaResult result;
        if (o.cycle != 0 && number % o.cycle == 0) {
            in_both += stream.packets;
            std::string problem;
            result = run_dma_in_both(stream, number / o.cycle % 2 * number, problem);
            if (!problem.empty()) {
                std::printf("stream %" PRIu64 " of seed %" PRIu64 ": %s\n", number, o.seed,
                            problem.c_str());
                dump(stream);
                return 1;
            }
            compared += result.depends_on_time ? 0 : stream.packets;
        } else {
            result = run_dma(stream, {});
        }
        ++ends[to_string(result.end)];
        if (o.stops && result.end != DmaEnd::Done)
            ++stops[std::string(to_string(result.end)) + ": " + kind_of(result.text)];
    }
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%" PRIu64 " packets in %.0f s, %" PRIu64 " of them in cycle mode too, %" PRIu64
                " compared; streams:",
                made, took.count(), in_both, compared);
    for (const auto& [end, times] : ends)
        std::printf(" %" PRIu64 " %s", times, end.c_str());
    std::printf("\n");
    for (const auto& [text, times] : stops)
        std::printf("%8" PRIu64 " %s\n", times, text.c_str());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "dma_soak: %s\n", e.what());
        return 1;
    }
}
