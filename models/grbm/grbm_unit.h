// SPDX-License-Identifier: Apache-2.0
// The register bus manager as its surroundings see it: channels, wires, counters, logs and control.
// GrbmCore is the model; GrbmOnPins (grbm_pins.h) has a block on pins, its Verilog twin.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/common/memory_message.h"
#include "models/common/register_bus.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/grbm/grbm_spec.h"
#include "models/grbm/grbm_state.h"

namespace archipelago::grbm {

// Registers of GRBM made of busy wires.
enum class Status : uint8_t { Status, Status2, Se0, Se1, kCount };

class GrbmUnit : public Unit {
  public:
    // Throws std::invalid_argument naming what is wrong with the spec.
    explicit GrbmUnit(const Spec& spec);

    std::vector<Channel<RegRequest>> request;    // by RegSource
    std::vector<Channel<RegResponse>> response;  // by port; those of kSelf and kStore stay unused
    Wire<uint32_t> soft_reset;                   // GRBM_SOFT_RESET

    std::vector<OutputChannel<RegRequest>> to_port;
    std::vector<OutputChannel<RegResponse>> to_source;  // by RegSource
    // Reads of unknown registers: in cycle mode, and in functional mode.
    OutputEvent<ReadError> to_read_errors{this};
    std::function<void(const ReadError&)> on_read_error;
    // Bit `bit` of a status register is high while the wire is; several wires may share a bit.
    void add_busy(Status status, unsigned bit, const Wire<bool>* wire);

    const Activity& activity() const { return activity_; }
    // ---- Control -------------------------------------------------------------------------------
    void reset() override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);

  protected:
    enum class Stall : uint8_t { None, Port, Response };
    struct BusyInput {
        Status status;
        uint8_t bit;
        const Wire<bool>* wire;
    };

    // Range the offset lies in; null for a hole in the map.
    const Range* range_of(uint32_t offset) const;
    // Counts, reports and logs a request for an offset without a register.
    void unknown(Cycle now, const RegRequest& r);
    bool logs() const {
        return observers_.log != nullptr && observers_.log->enabled(LogCategory::Reg);
    }
    void log(Cycle now, const RegRequest& r, uint32_t value) const {
        if (logs())
            log_line(now, r, value);
    }
    // Counts the cycles that a source's oldest request waits.
    void account(Cycle now, unsigned source, Stall stall) {
        if (stall != Stall::None || activity_.stalled_since[source] != kNever)
            note(now, source, stall);
    }
    [[noreturn]] void stop(StopCause cause, uint32_t place);

    const Spec spec_;
    Activity activity_;
    std::vector<BusyInput> busy_;
    Observers observers_;

  private:
    void log_line(Cycle now, const RegRequest& r, uint32_t value) const;
    void note(Cycle now, unsigned source, Stall stall);

    std::string path_;
};

}  // namespace archipelago::grbm
