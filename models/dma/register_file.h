// SPDX-License-Identifier: Apache-2.0
// The registers of an async DMA engine, in both modes. R6xx to SI have one set, CIK's SDMA another
// (Linux radeon r600d.h to cikd.h).
#pragma once

#include <array>
#include <cstdint>

#include "models/dma/packet_program.h"
#include "models/front/ring_message.h"

namespace archipelago::dma {

// Offsets in the engine's part of the register aperture, bytes; 0 of those that a set may be
// without.
struct RegisterMap {
    uint32_t rb_cntl, rb_base, rb_base_hi, rb_rptr, rb_wptr, rptr_addr_hi, rptr_addr_lo;
    uint32_t ib_cntl, ib_rptr, cntl, status, semaphore_incomplete, semaphore_wait, tiling, me_cntl;

    // Whether a write of the register starts, stops or moves the ring.
    bool moves_ring(uint32_t offset) const {
        return offset == rb_cntl || offset == rb_base || offset == rb_rptr || offset == rb_wptr ||
               (rb_base_hi != 0 && offset == rb_base_hi) || (me_cntl != 0 && offset == me_cntl);
    }
};
extern const RegisterMap kOldRegisters, kSdmaRegisters;
inline const RegisterMap& register_map_of(const Generation& generation) {
    return generation.sdma ? kSdmaRegisters : kOldRegisters;
}

// What a write of a register changes besides its value.
enum class RegisterChange : uint8_t { None, Ring, ReadPointer };

class RegisterFile {
  public:
    RegisterFile(const Generation& generation, uint32_t tiling_reset);

    // `offset`: in the engine's part, a dword's.
    RegisterChange write(uint32_t offset, uint32_t value);
    uint32_t read(uint32_t offset) const { return values_[offset / 4]; }
    void reset();

    const front::RingConfig& ring() const { return ring_; }
    uint32_t read_pointer() const { return pointer(map_.rb_rptr); }  // dwords
    uint32_t write_pointer() const { return pointer(map_.rb_wptr); }
    bool halted() const { return map_.me_cntl != 0 && (at(map_.me_cntl) & 1) != 0; }
    bool buffers_enabled() const { return (at(map_.ib_cntl) & 1) != 0; }
    unsigned buffer_swap() const { return (at(map_.ib_cntl) >> 4 & 1) != 0 ? 2 : 0; }
    const EngineControl& control() const { return control_; }

    // VMIDs of the buffers that were called, a bit each.
    void note_vmid(unsigned vmid) { vmids_ |= static_cast<uint16_t>(1u << vmid); }
    uint16_t vmids() const { return vmids_; }

    // Status that the engine sets.
    void set_read_pointer(uint32_t dword) { values_[map_.rb_rptr / 4] = 4 * dword; }
    void set_buffer_pointer(uint32_t dword) { values_[map_.ib_rptr / 4] = 4 * dword; }
    void set_idle(bool idle) {
        values_[map_.status / 4] = (at(map_.status) & ~1u) | (idle ? 1 : 0);
    }
    // Where the read pointer goes in memory: 0 with its mirror off. `value`: of the dword there.
    uint64_t mirror() const;
    uint32_t mirror_value() const;
    unsigned mirror_timer() const { return at(map_.rb_cntl) >> 16 & 0x1F; }  // log2
    // DMA_CNTL: which of its events raise an interrupt.
    bool semaphore_wait_interrupt() const { return (at(map_.cntl) >> 2 & 1) != 0; }
    template <class Archive>
    void archive(Archive& a) {
        a(values_, vmids_);
        decode();
    }

  private:
    uint32_t at(uint32_t offset) const { return values_[offset / 4]; }
    uint32_t pointer(uint32_t offset) const;
    void decode();

    const Generation& generation_;
    const RegisterMap& map_;
    const uint32_t tiling_reset_;
    std::array<uint32_t, kRegisterBytes / 4> values_{};
    uint16_t vmids_ = 0;
    front::RingConfig ring_;
    EngineControl control_;
};

}  // namespace archipelago::dma
