// SPDX-License-Identifier: Apache-2.0
// The constant engine in functional mode: the same units as in cycle mode, run until nothing moves,
// before a memory that answers at once.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "models/cp/ce_fetch_core.h"
#include "models/cp/ce_unit.h"

namespace archipelago::cp {

class CpBackend;

class CeFunctional : private Clocked {
  public:
    // `file` takes note of privileged writes.
    CeFunctional(const Spec& spec, CpBackend& backend, RegisterFile& file);

    // Both run the engine as far as it comes. Throw MachineStop.
    void submit(unsigned ring, const CeCommand& command);
    void send(const DeMessage& message);
    // Requests a grant, once per wait: 0 while there is none, else 1 + buffer.
    unsigned request_grant(const DeMessage& message);

    void set_halted(bool halted);

    bool idle() const;
    std::string waiting_for() const;
    const Warnings& warnings() const { return fetch_.warnings(); }
    void reset();
    void archive(Archive& a);
    // As CpCore::archive_constants().
    void archive_constants(Archive& a) { a(fetch_, engine_); }
    void observe(const Observers& observers, const std::string& path);

  private:
    bool tick(Cycle now) override;
    void run();
    bool serve(Cycle now, Channel<MemRequest>& from, Channel<MemResponse>& to);

    CpBackend& backend_;
    RegisterFile& file_;
    CeFetchCore fetch_;
    CeUnit engine_;
    Scheduler clock_;
    Channel<MemRequest> hub_, l2_;
    Channel<MemRequest> data_hub_, data_l2_;  // of packets that move data
    Channel<RegRequest> registers_;
    EventLink<PrivilegeFault> privilege_;
    Channel<CeGrant> grant_;
    std::vector<std::deque<CeCommand>> commands_;  // by ring
    std::deque<DeMessage> messages_;
    struct Wait {
        bool requested = false;
        unsigned grant = 0;
    };
    std::vector<Wait> waits_;
};

}  // namespace archipelago::cp
