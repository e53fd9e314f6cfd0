// SPDX-License-Identifier: Apache-2.0
// Ctrl-C (SIGINT) and SIGTERM as a wish that a run ends in order.
#pragma once

#include <csignal>

namespace archipelago::host {

// While one exists, the first of these signals is noted, and the second ends the process at once.
// What a process has noted its children see, too. A signal that the parent has made the process
// ignore stays ignored.
class StopSignals {
  public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    static bool wanted() { return wanted_ != nullptr && *wanted_ != 0; }

  private:
    static void note(int signal);
    static volatile std::sig_atomic_t* wanted_;  // shared with children

    struct sigaction interrupt_ {};  // as they were
    struct sigaction terminate_ {};
};

}  // namespace archipelago::host
