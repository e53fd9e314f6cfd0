// SPDX-License-Identifier: Apache-2.0
// The wave allocator pin by pin: WaveAllocator after registers, a query taking as many cycles as
// it tries units and waves. Its Verilog twin is rtl-bridge/rtl/spi_alloc.
#pragma once

#include "models/spi/wave_allocator.h"
#include "pins/spi_alloc_pins.h"

namespace archipelago::spi {

// Plain and serialisable.
struct SpiAllocState {
    enum class Phase : uint8_t { Idle, Looking, Granting };
    Phase phase = Phase::Idle;
    unsigned looking = 0;  // cycles to go
    rtl::SpiAllocPins::Out grant;
    AllocatorState allocator;
};

class SpiAllocCore : public rtl::PinBlock<rtl::SpiAllocPins> {
  public:
    SpiAllocCore();
    void step(const In& in, Out& out) override;
    const SpiAllocState& state() const { return state_; }

  private:
    void allocate(const In& in);

    WaveAllocator allocator_;
    SpiAllocState state_;
    AllocatorGrant grant_;  // no meaning between calls
};

// The pins that say what there is. Throws std::invalid_argument naming the key of what is more than
// they can say.
void shape_to_pins(const AllocatorShape& shape, rtl::SpiAllocPins::In& pins);

// Allocates by the allocator on pins.
class PinAllocatorUnit : public AllocatorUnit {
  public:
    // The allocator must outlive this.
    explicit PinAllocatorUnit(rtl::PinBlock<rtl::SpiAllocPins>& allocator)
        : allocator_(allocator) {}
    void reset(const AllocatorShape& shape) override;
    void allocate(const AllocatorQuery& query, AllocatorGrant& grant) override;
    AllocatorFreed free(unsigned cu, unsigned simd, unsigned slot) override;

  private:
    void pass(rtl::SpiAllocPins::Out& out, uint8_t rtl::SpiAllocPins::Out::*ready,
              const char* stuck);

    rtl::PinBlock<rtl::SpiAllocPins>& allocator_;
    AllocatorShape shape_;
    rtl::SpiAllocPins::In in_;
};

// The pins of a query, and what the pins of a grant say of a group of so many waves.
void query_to_pins(const AllocatorQuery& query, rtl::SpiAllocPins::In& pins);
void grant_from_pins(const AllocatorShape& shape, const rtl::SpiAllocPins::Out& pins,
                     unsigned waves, AllocatorGrant& grant);

}  // namespace archipelago::spi
