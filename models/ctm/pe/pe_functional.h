// SPDX-License-Identifier: Apache-2.0
// The PE in functional mode: a buffer runs to its end when it is submitted, each thread when it is
// launched.
#pragma once

#include <string>

#include "models/common/trace_sink.h"
#include "models/ctm/pe/pe_settings.h"
#include "models/ctm/pe/register_file.h"

namespace archipelago::ctm {

// The machine around it.
class PeMachine {
  public:
    virtual ~PeMachine() = default;
    virtual void memory_controller_command(const UnitCommand& command) = 0;
    virtual void conditional_operation_command(const UnitCommand& command) = 0;
    // A request of the PE; the lanes that pass.
    virtual uint8_t test(const ConditionRequest& request) = 0;
    // Runs the thread to its end.
    virtual void run(const ThreadLaunch& thread) = 0;
    // Memory downstream of the caches. False: unmapped.
    virtual bool read(uint64_t address, uint32_t* dwords, size_t count) = 0;
    virtual bool write(uint64_t address, const uint32_t* dwords, size_t count) = 0;
    virtual PerfClocks clocks() = 0;
    virtual void consumed(uint32_t buffer) = 0;
};

class PeFunctional {
  public:
    PeFunctional(const WalkSpec& walk, bool allow_undefined, RegisterFile& registers,
                 PeMachine& machine)
        : walk_(walk), allow_(allow_undefined), registers_(registers), machine_(machine) {}

    // Runs the buffers submitted; whether there was one.
    bool run();
    uint64_t commands() const { return commands_; }
    const PeSettings& settings() const { return settings_; }
    const PerfCounters& counters() const { return counters_; }
    void observe(const Observers& observers, std::string path);
    // Back to the state after construction; the registers are their owner's to reset.
    void reset() {
        settings_ = {};
        counters_ = {};
        program_info_ = 0;
        commands_ = 0;
    }
    template <class Archive>
    void archive(Archive& a) {
        a(settings_, counters_, program_info_, commands_);
    }

  private:
    void run_buffer(const SubmittedBuffer& submitted);
    void run_command(const ReadCommand& command);
    void start();
    void count(const ReadCommand& command);

    const WalkSpec walk_;
    const bool allow_;
    RegisterFile& registers_;
    PeMachine& machine_;
    PeSettings settings_;
    PerfCounters counters_;
    uint32_t program_info_ = 0;
    uint64_t commands_ = 0;
    Observers observers_;
    std::string path_;
};

}  // namespace archipelago::ctm
