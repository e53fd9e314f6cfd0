// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/soak_process.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "models/common/error.h"

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

void send(int to, const SoakResult& result) {
    const auto put = [&](const void* data, size_t size) {
        if (write(to, data, size) != static_cast<ssize_t>(size))
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

bool receive(int from, SoakResult& result) {
    const auto get = [&](void* data, size_t size) {
        auto* at = static_cast<char*>(data);
        while (size != 0) {
            const ssize_t n = read(from, at, size);
            if (n <= 0)
                return false;
            at += n;
            size -= static_cast<size_t>(n);
        }
        return true;
    };
    uint32_t hashes = 0, size = 0;
    if (!get(&result.end, sizeof result.end) || !get(&hashes, sizeof hashes))
        return false;
    result.memory.resize(hashes);
    if (!get(result.memory.data(), hashes * sizeof result.memory[0]) || !get(&size, sizeof size))
        return false;
    result.text.resize(size);
    return size == 0 || get(&result.text[0], size);
}

std::string crash_of(int status, unsigned cpu_seconds) {
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGXCPU
                   ? "did not end in " + std::to_string(cpu_seconds) + " s of CPU"
                   : "signal " + std::to_string(WTERMSIG(status));
    return WEXITSTATUS(status) != 0 ? "status " + std::to_string(WEXITSTATUS(status)) : "";
}

}  // namespace

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
    int ends[2];
    std::fflush(nullptr);
    if (pipe(ends) != 0)
        std::exit(3);
    const pid_t child = fork();
    if (child < 0)
        std::exit(3);
    if (child == 0) {
        close(ends[0]);
        const rlimit limit = {cpu_seconds, cpu_seconds + 5};
        setrlimit(RLIMIT_CPU, &limit);
        run([&](const SoakResult& result) { send(ends[1], result); });
        std::fflush(nullptr);
        _exit(0);  // SystemC keeps what a stopped simulation owns
    }
    close(ends[1]);
    for (SoakResult result; receive(ends[0], result); result = {})
        batch.results.push_back(std::move(result));
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    batch.crash = crash_of(status, cpu_seconds);
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
