// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/soak_process.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "models/common/error.h"
#include "testbenches/fuzz/fuzz_target.h"
#include "testbenches/support/child_process.h"
#include "testbenches/support/command_line.h"

namespace archipelago::fuzz {
namespace {

End end_of(StopKind kind) {
    switch (kind) {
        case StopKind::BadInput:
            return End::BadInput;
        case StopKind::Unimplemented:
            return End::Unimplemented;
        case StopKind::Fault:
            return End::Fault;
        case StopKind::Hang:
            return End::Hang;
        default:
            return End::OtherStop;
    }
}

void send(const ChildPipe& to, const SoakResult& result) {
    const auto put = [&](const void* data, size_t size) {
        if (!to.write(data, size))
            _exit(3);
    };
    const auto hashes = static_cast<uint32_t>(result.memory.size());
    const auto size = static_cast<uint32_t>(std::min<size_t>(result.text.size(), 1000));
    put(&result.end, sizeof result.end);
    put(&hashes, sizeof hashes);
    put(result.memory.data(), hashes * sizeof result.memory[0]);
    put(&size, sizeof size);
    put(result.text.data(), size);
}

// The next result of those sent; `at` goes after it. False when there is none, or a part of one.
bool receive(const std::string& sent, size_t& at, SoakResult& result) {
    const auto get = [&](void* data, size_t size) {
        if (size > sent.size() - at)
            return false;
        if (size != 0)
            std::memcpy(data, sent.data() + at, size);
        at += size;
        return true;
    };
    uint32_t hashes = 0, size = 0;
    if (!get(&result.end, sizeof result.end) || !get(&hashes, sizeof hashes))
        return false;
    result.memory.resize(hashes);
    if (!get(result.memory.data(), hashes * sizeof result.memory[0]) || !get(&size, sizeof size))
        return false;
    result.text.resize(size);
    return get(result.text.data(), size);
}

std::string crash_of(int status, unsigned cpu_seconds) {
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGXCPU
                   ? "did not end in " + std::to_string(cpu_seconds) + " s of CPU"
                   : "signal " + std::to_string(WTERMSIG(status));
    return WEXITSTATUS(status) != 0 ? "status " + std::to_string(WEXITSTATUS(status)) : "";
}

}  // namespace

CLI::Option* add_count(CLI::App& app, const char* name, uint64_t& value, const char* what) {
    return app.add_option(name, value, what)->check(command_line::check_count);
}
CLI::Option* add_count(CLI::App& app, const char* name, unsigned& value, const char* what) {
    return app.add_option(name, value, what)->check(command_line::check_count);
}

void add_options(CLI::App& app, SoakOptions& o) {
    add_count(app, "--scenarios", o.scenarios, "how many")->capture_default_str();
    add_count(app, "--seed", o.seed, "of the scenarios")->capture_default_str();
    app.add_option("--asic", o.asic, "chip name, or a YAML file")->capture_default_str();
    add_count(app, "--corrupted", o.corrupted, "one batch in so many has a wrong word; 0: none")
        ->capture_default_str();
    add_count(app, "--from", o.first, "scenario whose batch is the first")->capture_default_str();
    app.add_flag("--stops", o.stops, "list the kinds of ends");
    add_count(app, "--show", o.show, "print this scenario and run nothing");
}

std::optional<int> parse(CLI::App& app, int argc, char** argv, SoakOptions& options) {
    const auto status = command_line::parse(app, argc, argv);
    options.first = options.first / kSoakBatch * kSoakBatch;
    return status;
}

host::MachineOptions batch_options(const SoakOptions& options, uint64_t first, asic::Mode mode) {
    host::MachineOptions machine;
    machine.chip.mode = mode;
    Random random(first ^ options.seed << 32);
    if (random.one_in(3)) {
        machine.chip.stall_seed = 1 + random.below(1000);
        machine.chip.stall_percent = 20;
    }
    if (random.one_in(3))
        machine.chip.shuffle_seed = 1 + random.below(1000);
    return machine;
}

const char* to_string(End end) {
    static const char* const kNames[] = {"done", "bad input",  "unimplemented", "access fault",
                                         "hang", "other stop", "broken"};
    return kNames[static_cast<size_t>(end)];
}

uint64_t hash_of(const std::vector<uint64_t>& words) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (const uint64_t word : words)
        hash = (hash ^ word) * 0x100000001B3u;
    return hash;
}

uint64_t hash_of(host::Machine& machine, uint64_t address, uint64_t bytes) {
    std::vector<uint64_t> words(bytes / 8);
    machine.memory().read(address, words.data(), bytes);
    return hash_of(words);
}

void run_to_stop(host::Machine& machine, const std::function<void()>& program,
                 const SendResult& send) {
    SoakResult result;
    try {
        machine.run(program);
        return;
    } catch (const MachineStop& stop) {
        result.end = end_of(stop.kind());
        result.text = stop.what();
    } catch (const std::exception& e) {
        result.text = std::string("an exception that is no stop: ") + e.what();
    }
    send(result);
}

SoakBatch run_apart(unsigned cpu_seconds, const std::function<void(const SendResult&)>& run) {
    SoakBatch batch;
    const auto start = std::chrono::steady_clock::now();
    const ChildResult child = run_in_child([&](const ChildPipe& to) {
        const rlimit limit = {cpu_seconds, cpu_seconds + 5};
        setrlimit(RLIMIT_CPU, &limit);
        run([&](const SoakResult& result) { send(to, result); });
        return 0;
    });
    size_t at = 0;
    for (SoakResult result; receive(child.output, at, result); result = {})
        batch.results.push_back(std::move(result));
    batch.crash = crash_of(child.status, cpu_seconds);
    batch.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return batch;
}

std::string verdict(const SoakResult& functional, const SoakResult& cycle, bool corrupted,
                    const std::function<std::string(size_t)>& name_of) {
    for (const SoakResult* r : {&functional, &cycle}) {
        const std::string mode = r == &cycle ? "cycle: " : "functional: ";
        if (r->end == End::Broken || (!corrupted && r->end != End::Done))
            return mode + to_string(r->end) + ": " + r->text;
        if (r->end != End::Done && r->text.size() < 20)
            return mode + "a stop without a reason: " + r->text;
    }
    for (size_t i = 0; !corrupted && i < functional.memory.size(); ++i)
        if (functional.memory[i] != cycle.memory[i])
            return name_of(i);
    return "";
}

}  // namespace archipelago::fuzz
