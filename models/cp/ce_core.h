// SPDX-License-Identifier: Apache-2.0
// The constant engine (CE): keeps copies of shader resource tables in its RAM, writes them, dumps
// them to memory, loads them, and keeps in step with the drawing engine (DE).
// "Radeon Southern Islands Acceleration" 1.3.3, 2.2.3, 2.3, 2.5.8, 2.5.15, 2.5.16.
//
// Behaviour at the pins, one step() a cycle; ce_unit.h has the channels. Its Verilog twin is
// rtl-bridge/rtl/cp_ce.
#pragma once

#include <array>
#include <memory>

#include "models/cp/ce_state.h"
#include "models/cp/pm4/packet_table.h"
#include "pins/cp_ce_pins.h"

namespace archipelago::cp {

// ---- WAIT_ON_AVAIL_BUFFER ----------------------------------------------------------------------
enum class BufferAction : uint8_t {
    Wait,   // the CE has no buffer for DE yet
    Take0,  // DE sets its flag 0
    Take1,
    Invalid,  // DE has a buffer that the CE has not ("Invalid #1")
};
// The table of 2.5.15. `ce`, `de`: flags 1 and 0; `older`: which of two buffers CE set first.
BufferAction buffer_action(unsigned ce, unsigned de, unsigned older);

class CeCore : public rtl::PinBlock<rtl::CpCePins> {
  public:
    explicit CeCore(const PacketTable& packets);
    void step(const In& in, Out& out) override;

    const CeState& state() const { return state_; }
    // The contents of CE RAM; undefined by the document after reset, zero here.
    const CeRam& ram() const { return *ram_; }
    bool idle() const;
    template <class Archive>
    void archive(Archive& a) {
        a(state_, *ram_);
    }

  private:
    void execute(const In& in, Out& out, unsigned ring, CeState& next);
    CeReason blocked(const In& in, unsigned ring) const;
    void take_response(const In& in, CeState& next, Out& out, Out& stop);
    void take_message(const In& in, CeState& next, Out& stop) const;
    void parse(const In& in, unsigned ring, CeState& next, Out& stop) const;
    bool count_sets(const In& in, CeState& next) const;
    void grant(const In& in, CeState& next, Out& out, Out& stop) const;
    unsigned pick(const In& in, Out& out) const;
    void write_loaded(const rtl::CpCePins::Response& rsp);

    std::array<const PacketInfo*, static_cast<size_t>(CePacket::kCount)> instructions_{};
    CeState state_;
    std::unique_ptr<CeRam> ram_;
};

// The pins' static configuration.
rtl::CpCePins::Config ce_config_pins(const CeSpec& spec, const PacketTable& packets);

}  // namespace archipelago::cp
