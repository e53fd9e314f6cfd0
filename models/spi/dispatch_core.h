// SPDX-License-Identifier: Apache-2.0
// The dispatcher of SPI: walks the work-groups of dispatches and makes the launches of their waves.
// Knows no time; SPI says when a ring has its turn and when a wave may leave.
//
// Of each ring one dispatch is walked, x fastest, over the groups that are chosen. In its turn a
// ring says what its next group needs: scratch slots, or room on a compute unit, for which SPI asks
// the allocator. A group with room takes, wave by wave, the lowest free scratch slots of its ring
// and the numbers of ds_ordered_count, and its waves wait in the launch stage of the shader engine,
// which holds one group.
//
// At pins: dispatch_pins.h. Its Verilog twin is rtl-bridge/rtl/spi_dispatch.
#pragma once

#include <cstdint>

#include "models/spi/dispatch_state.h"
#include "models/spi/spi_spec.h"
#include "models/spi/wave_allocator.h"

namespace archipelago::spi {

enum class GroupNeeds : uint8_t {
    Nothing,  // no dispatch is walked
    Scratch,  // fewer slots are free than it has waves
    Room
};

// What SPI asks of its dispatcher.
class DispatchUnit {
  public:
    virtual ~DispatchUnit() = default;
    // Nothing is walked. Called before anything else.
    virtual void reset(const SpiSpec& spec) = 0;
    // Begins the walk; that of the ring's dispatch before has ended. False: it has no group.
    virtual bool start(const Dispatch& d) = 0;
    // The ring's next group; `query` is set unless it needs nothing.
    virtual GroupNeeds ask(unsigned ring, AllocatorQuery& query) = 0;
    // What the allocator says to a query for room. When the group was placed, the launch stage of
    // its shader engine was empty. False: no group of the dispatch is left.
    virtual bool answer(unsigned ring, const AllocatorGrant& grant) = 0;
    // The next wave of a shader engine that has waves to launch, and that it has left.
    virtual const DispatchedWave& front(unsigned engine) = 0;
    virtual void launched(unsigned engine) = 0;
    // A wave has ended. False: the slot was free.
    virtual bool free_scratch(unsigned ring, uint32_t slot) = 0;
};

class DispatchCore final : public DispatchUnit {
  public:
    void reset(const SpiSpec& spec) override;
    bool start(const Dispatch& d) override;
    GroupNeeds ask(unsigned ring, AllocatorQuery& query) override;
    bool answer(unsigned ring, const AllocatorGrant& grant) override;
    const DispatchedWave& front(unsigned engine) override {
        const DispatchState::Launching& out = state_.engines[engine];
        return out.waves[out.next];
    }
    void launched(unsigned engine) override {
        DispatchState::Launching& out = state_.engines[engine];
        if (++out.next == out.waves.size())
            out = {};
    }
    bool free_scratch(unsigned ring, uint32_t slot) override;

    bool has_scratch_slot(unsigned ring, uint32_t slot) const {
        const std::vector<uint64_t>& used = state_.rings[ring].scratch_used;
        return slot / 64 < used.size() && (used[slot / 64] >> (slot % 64) & 1) != 0;
    }
    bool walking(unsigned ring) const { return !state_.rings[ring].walk.done(); }
    bool launching(unsigned engine) const { return !state_.engines[engine].waves.empty(); }
    // Groups not chosen that the last start() or answer() has passed over.
    uint32_t passed_over() const { return passed_over_; }
    const DispatchState& state() const { return state_; }
    OrderedNumbers& ordered() { return state_.ordered; }
    // What the allocator is asked for a group.
    AllocatorQuery query_of(const Dispatch& d, const Group& g) const;
    template <class Archive>
    void archive(Archive& a) {
        a(state_);
    }

  private:
    void launch(DispatchState::Ring& ring, const AllocatorGrant& grant);

    CuResources res_;
    unsigned cus_per_engine_ = 0;
    uint32_t passed_over_ = 0;  // no meaning between calls
    DispatchState state_;
};

}  // namespace archipelago::spi
