// SPDX-License-Identifier: Apache-2.0
// The registers of Southern Islands' CP.
#pragma once

#include <array>

#include "models/cp/cp_spec.h"
#include "models/cp/register_file.h"

namespace archipelago::cp {

class SiRegisterFile final : public RegisterFile {
  public:
    explicit SiRegisterFile(const Spec& spec);

    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest& request, uint32_t& value) override;
    // CP_RBn_RPTR, and its mirror in memory when a block of 2^RB_BLKSZ qwords is passed or the ring
    // is empty, unless RB_NO_UPDATE.
    void advance_read_pointer(unsigned ring, uint32_t pointer) override;
    void ring_error(unsigned ring, uint32_t bits, uint8_t vmid) override;
    uint32_t interrupt_control(unsigned ring) const override;  // CP_INT_CNTL_RINGn
    // PRIV_REG_INT_STAT.
    void privilege_fault(const PrivilegeFault& fault) override;
    void poll_timeout(unsigned ring, uint8_t vmid) override;
    void streamout_flushed() override;  // CP_STRMOUT_CNTL
    void reset() override;
    void announce() override;
    void archive(Archive& a) override {
        RegisterFile::archive(a);
        a(state_);
    }

    struct State {
        static constexpr uint32_t kConfigStart = 0x8400, kConfigDwords = 0x100;
        static constexpr uint32_t kRingStart = 0xC100, kRingDwords = 0x40;
        static constexpr uint32_t kContextStart = 0x28360, kContextDwords = 3;
        std::array<uint32_t, kConfigDwords> config{};
        std::array<uint32_t, kRingDwords> ring{};
        std::array<uint32_t, kContextDwords> context{};
        std::array<uint32_t, 256> scratch_ram{};  // CP_SCRATCH_INDEX, CP_SCRATCH_DATA
    };
    const State& state() const { return state_; }

  protected:
    void fence_written(uint64_t data) override;  // CP_EOP_LAST_FENCE
    void end_of_pipe_interrupt(unsigned ring, uint8_t vmid) override;

  private:
    uint32_t* slot(uint32_t offset);
    uint32_t at(uint32_t offset) const { return *const_cast<SiRegisterFile*>(this)->slot(offset); }
    void configure(unsigned ring);
    void configure_changed(unsigned ring, bool reset);
    void start_coherency();
    bool write_ring_register(unsigned ring, uint32_t offset, uint32_t value);
    uint32_t status(uint32_t offset) const;
    void mirror_scratch(unsigned index);
    void interrupt(unsigned ring, uint32_t bit, uint8_t source, uint8_t vmid);

    const Spec spec_;
    State state_;
};

}  // namespace archipelago::cp
