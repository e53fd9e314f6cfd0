// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/stop_signals.h"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace archipelago::host {

volatile std::sig_atomic_t* StopSignals::wanted_ = nullptr;

void StopSignals::note(int) {
    *wanted_ = 1;
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
}

StopSignals::StopSignals() {
    if (wanted_ == nullptr) {
        void* const page = mmap(nullptr, sizeof *wanted_, PROT_READ | PROT_WRITE,
                                MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED)
            throw std::system_error(errno, std::generic_category(), "signals");
        wanted_ = static_cast<volatile std::sig_atomic_t*>(page);
    }
    struct sigaction action {};
    action.sa_handler = note;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    for (const auto& [signal, before] : {std::pair(SIGINT, &interrupt_), {SIGTERM, &terminate_}}) {
        sigaction(signal, nullptr, before);
        if (before->sa_handler != SIG_IGN)
            sigaction(signal, &action, nullptr);
    }
}

StopSignals::~StopSignals() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
}

}  // namespace archipelago::host
