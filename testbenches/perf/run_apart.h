// SPDX-License-Identifier: Apache-2.0
// A measurement in a process of its own: SystemC keeps one simulation in each.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <functional>
#include <type_traits>

namespace archipelago {

// False when it failed. Measured goes through a pipe.
template <class Measured>
bool run_apart(const std::function<Measured()>& run, Measured& m) {
    static_assert(std::is_trivially_copyable_v<Measured>);
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        close(ends[0]);
        int status = 1;
        try {
            const Measured result = run();
            status = write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1;
        } catch (const std::exception& e) {
            std::fprintf(stderr, "%s\n", e.what());
        }
        std::fflush(nullptr);
        _exit(status);
    }
    close(ends[1]);
    const bool complete = read(ends[0], &m, sizeof m) == sizeof m;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return complete && status == 0;
}

}  // namespace archipelago
