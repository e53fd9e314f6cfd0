// SPDX-License-Identifier: Apache-2.0
// The dispatcher of SPI pin by pin: DispatchCore after registers, a cycle for each group passed
// over and each scratch slot taken, four for a wave; and how SPI drives the block
// on such pins. The Verilog twin is rtl-bridge/rtl/spi_dispatch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/spi/dispatch_core.h"
#include "pins/spi_dispatch_pins.h"

namespace archipelago::spi {

// Plain and serialisable.
struct SpiDispatchState {
    enum class Phase : uint8_t { Idle, Asking, Query, Grant, Slots, Walk, Walked };
    Phase phase = Phase::Idle;
    uint8_t ring = 0;      // it is about
    uint8_t engine = 0;    // that gets scratch slots
    bool ended = false;    // the walk
    unsigned slots = 0;    // cycles to go
    uint32_t walking = 0;  // groups to pass over
    rtl::SpiDispatchPins::Query query;
    std::array<uint8_t, rtl::SpiDispatchPins::kEngines> beat{};
    // By engine: where the group is.
    std::array<uint8_t, rtl::SpiDispatchPins::kEngines> array{}, cu{};
};

class SpiDispatchCore : public rtl::PinBlock<rtl::SpiDispatchPins> {
  public:
    SpiDispatchCore();
    void step(const In& in, Out& out) override;

  private:
    using Phase = SpiDispatchState::Phase;
    void present(const In& in, Out& out);
    void present_wave(unsigned engine, rtl::SpiDispatchPins::Launch& out);
    void take_in_idle(const In& in, const Out& out);
    void ask();
    void place(const rtl::SpiDispatchPins::Grant& grant);
    void advance(const In& in, const Out& out);
    void leave(unsigned engine);

    DispatchCore core_;
    SpiDispatchState state_;
};

// The pins of a dispatch. Throws MachineStop(Unimplemented) for more ranges of chosen groups than
// they can say.
void dispatch_to_pins(const Dispatch& d, const ProgramUnits& units,
                      rtl::SpiDispatchPins::Dispatch& pins);
// Those of an answer about a group of so many waves.
void grant_to_pins(const AllocatorGrant& grant, unsigned waves, const SpiSpec& spec,
                   rtl::SpiDispatchPins::Grant& pins);

// Walks and launches by the dispatcher on pins.
class PinDispatchUnit : public DispatchUnit {
  public:
    // The dispatcher must outlive this.
    explicit PinDispatchUnit(rtl::PinBlock<rtl::SpiDispatchPins>& dispatcher)
        : dispatcher_(dispatcher) {}
    // Throws std::invalid_argument naming the key of what is more than the pins can say.
    void reset(const SpiSpec& spec) override;
    bool start(const Dispatch& d) override;
    GroupNeeds ask(unsigned ring, AllocatorQuery& query) override;
    bool answer(unsigned ring, const AllocatorGrant& grant) override;
    const DispatchedWave& front(unsigned engine) override;
    void launched(unsigned engine) override { engines_[engine].there = false; }
    bool free_scratch(unsigned ring, uint32_t slot) override;

  private:
    using Pins = rtl::SpiDispatchPins;
    // Waves of a group that an engine launches.
    struct Engine {
        AllocatorGrant grant;
        unsigned next = 0;   // wave
        bool there = false;  // `wave` is it
        DispatchedWave wave;
    };
    void pass(uint8_t Pins::Out::*ready, const char* stuck);
    bool walked(unsigned ring);
    bool granted(const Engine& engine, const Pins::Launch& pins) const;
    void take_wave(const Pins::Launch& pins, DispatchedWave& wave) const;
    [[noreturn]] static void wrong(const char* what);

    rtl::PinBlock<Pins>& dispatcher_;
    SpiSpec spec_;
    Pins::In in_;
    Pins::Out out_;
    unsigned waves_ = 0;                           // of the group that was asked for
    std::array<uint64_t, Pins::kRings> groups_{};  // of the dispatch that is walked
    std::array<Engine, Pins::kEngines> engines_;
};

}  // namespace archipelago::spi
