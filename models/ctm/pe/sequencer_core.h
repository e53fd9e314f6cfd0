// SPDX-License-Identifier: Apache-2.0
// The PE's sequencer, a cycle at a time: reads commands from dwords, keeps the PE's settings, and
// hands out what each command asks for, one command after the other. Its Verilog twin is
// rtl-bridge/rtl/ctm_pe.
#pragma once

#include <cstdint>

#include "models/ctm/command/command_reader.h"
#include "models/ctm/pe/pe_settings.h"
#include "pins/ctm_pe_pins.h"

namespace archipelago::ctm {

struct SequencerState {
    enum class Phase : uint8_t {
        Idle,     // no buffer
        Read,     // a header or a parameter
        Delay,    // what a command takes
        Act,      // ... as soon as what it waits for is there
        End,      // of the buffer, whose programs run
        Stopped,  // for good
    };
    Phase phase = Phase::Idle;
    uint32_t dwords = 0, taken = 0;  // of the buffer
    ReadCommand command;
    uint8_t missing = 0;     // parameters
    uint8_t delay = 0;       // cycles
    uint8_t to_units = 0;    // CommandUnits that have not taken the command
    uint16_t in_flight = 0;  // unit commands not done
    uint8_t stop = 0;        // CtmPePins::Stop
    PeSettings settings;
};

class SequencerCore final : public rtl::PinBlock<rtl::CtmPePins> {
  public:
    void step(const In& in, Out& out) override;
    const SequencerState& state() const { return state_; }
    void reset() { state_ = {}; }
    void take_over(const PeSettings& settings) { state_.settings = settings; }
    template <class Archive>
    void archive(Archive& a) {
        a(state_);
    }

  private:
    void present(const In& in, Out& out) const;
    // Why the command at hand cannot have its effect yet.
    rtl::CtmPePins::Wait blocked(const In& in) const;
    void edge(const In& in, const Out& out);
    void read(uint32_t dword);
    void arrive(const In& in);
    void act(const In& in, const Out& out);
    void finish();

    SequencerState state_;
};

}  // namespace archipelago::ctm
