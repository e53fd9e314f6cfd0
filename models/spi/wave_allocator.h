// SPDX-License-Identifier: Apache-2.0
// Which compute unit takes a work-group, and which wave slots, registers and LDS: the decision of
// SPI apart from what it does with it. Knows no time. The pin-level core (spi_alloc_core) and its
// Verilog twin (rtl-bridge/rtl/spi_alloc) decide by these rules:
//
// Shader engines, arrays and compute units are tried round robin, each from the one after the last
// that took a group; an engine that still launches and an array at its limit of waves are passed
// over. On a compute unit the group needs, all at once: it is enabled; fewer groups than the limit;
// wave slots for all its waves; a barrier when it has more than one wave; a free run of LDS
// granules; and for one wave after the other, SIMDs in turn from the one after the last used, a
// SIMD with a free slot and free runs of VGPR and SGPR granules. Of slots and runs the lowest is
// taken. A wave that ends releases its slot and registers, the last of its group LDS, barrier
// and the group's number.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/spi/range_allocator.h"
#include "models/spi/spi_spec.h"

namespace archipelago::spi {

// What there is to give. Registers and LDS are counted in granules.
struct AllocatorShape {
    unsigned shader_engines = 2, sh_per_se = 2, cu_per_sh = 8;
    unsigned simds = 4, slots_per_simd = 10;
    unsigned vgprs = 64, sgprs = 64;    // per SIMD
    unsigned lds = 256, barriers = 16;  // per CU
    unsigned group_waves = 16;          // of a dispatch's groups, at most
    unsigned cus() const { return shader_engines * sh_per_se * cu_per_sh; }
};
AllocatorShape allocator_shape(const SpiSpec& spec);

// A group that wants room.
struct AllocatorQuery {
    static constexpr unsigned kMaxWaves = 32;
    // Queries of the same tag and number of waves ask for the same otherwise; 0: nothing is known.
    uint32_t tag = 0;
    unsigned waves = 1;             // 1 .. kMaxWaves
    unsigned vgprs = 0, sgprs = 0;  // granules of each wave
    unsigned lds = 0;               // granules of the group
    unsigned waves_per_sh = 0;      // limits; 0 is none
    unsigned groups_per_cu = 0;
    std::array<uint32_t, 2> enabled{};  // per shader engine: bit 16 * array + CU
    uint32_t launching = 0;             // bit per shader engine: takes no group
};

struct AllocatorGrant {
    struct Wave {
        uint8_t simd = 0, slot = 0;
        uint16_t vgpr = 0, sgpr = 0;  // first granule
    };
    bool placed = false;
    uint16_t cu = 0;  // counted through arrays and engines
    uint8_t group_slot = 0;
    uint16_t lds = 0;  // first granule
    // Compute units and waves tried, arrays passed over counting one: the cycles of hardware that
    // tries one per cycle. Exact for tag 0; refusals may be cached for others.
    unsigned attempts = 0;
    std::array<Wave, AllocatorQuery::kMaxWaves> waves{};
};

struct AllocatorFreed {
    bool known = false;  // the wave had been granted
    bool last = false;   // of its group
    uint8_t group_slot = 0;
};

// Plain and serialisable.
struct AllocatorState {
    struct Group {
        bool used = false;
        bool barrier = false;
        uint8_t waves_left = 0;
        uint16_t lds_first = 0, lds_count = 0;
    };
    struct Wave {
        uint8_t group_slot = 0;
        uint16_t vgpr_first = 0, vgpr_count = 0;
        uint16_t sgpr_first = 0, sgpr_count = 0;
    };
    struct Cu {
        std::vector<RangeAllocator> vgprs;  // one per SIMD
        std::vector<RangeAllocator> sgprs;
        RangeAllocator lds{256};
        std::vector<uint32_t> slots;  // per SIMD: wave slots taken
        std::vector<Wave> waves;      // simd * slots_per_simd + slot
        std::vector<Group> groups;
        unsigned barriers_used = 0;
        unsigned groups_used = 0;
        unsigned waves_used = 0;
        unsigned next_simd = 0;
        // Groups of so many waves of this tag found no room, and nothing has left the CU since.
        uint32_t refused_tag = 0;
        unsigned refused_waves = 0;
    };
    std::vector<Cu> cus;
    unsigned next_se = 0;
    std::vector<unsigned> next_sh;  // per shader engine
    std::vector<unsigned> next_cu;  // per shader array
};

class WaveAllocator {
  public:
    explicit WaveAllocator(const AllocatorShape& shape);

    void reset(AllocatorState& state) const;
    // Looks for room and takes it. No room for 0 waves or more than kMaxWaves.
    void allocate(AllocatorState& state, const AllocatorQuery& query, AllocatorGrant& grant);
    AllocatorFreed free(AllocatorState& state, unsigned cu, unsigned simd, unsigned slot) const;

    const AllocatorShape& shape() const { return shape_; }

  private:
    bool fits(AllocatorState::Cu& cu, const AllocatorQuery& query, AllocatorGrant& grant);
    bool plan(const AllocatorState::Cu& cu, const AllocatorQuery& query, AllocatorGrant& grant);
    void take(AllocatorState::Cu& cu, const AllocatorQuery& query, AllocatorGrant& grant) const;

    AllocatorShape shape_;
    // scratch space for plan(); no meaning between calls
    struct SimdPlan {
        bool touched = false;  // else the CU's state holds
        uint32_t slots = 0;
        RangeAllocator vgprs, sgprs;
    };
    std::vector<SimdPlan> simds_;
};

// Decides in place of SPI's own allocator, keeping the state itself: a Verilog allocator, or an
// observer.
class AllocatorUnit {
  public:
    virtual ~AllocatorUnit() = default;
    // Nothing is taken. Called before anything else.
    virtual void reset(const AllocatorShape& shape) = 0;
    virtual void allocate(const AllocatorQuery& query, AllocatorGrant& grant) = 0;
    virtual AllocatorFreed free(unsigned cu, unsigned simd, unsigned slot) = 0;
};

}  // namespace archipelago::spi
