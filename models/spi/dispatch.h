// SPDX-License-Identifier: Apache-2.0
// A compute dispatch as the registers describe it, and the initial state of each of its waves.
// Knows no time: the timed SPI and the functional mode share it. SI document 1.2.1.5, 2.6; facts:
// launch_state.
#pragma once

#include <array>
#include <cstdint>

#include "models/common/group_selection.h"
#include "models/gcn/compute_message.h"
#include "models/spi/spi_spec.h"

namespace archipelago::spi {

// The COMPUTE_* registers, one set per ring: those from RegisterMap::compute_start on.
struct ComputeRegisters {
    std::array<uint32_t, RegisterMap::kMaxCompute> raw{};
};

// A dispatch with its registers as they were when the initiator was written.
struct Dispatch {
    uint32_t number = 0;
    uint8_t ring = 0;
    uint64_t uid = 0;
    std::array<uint32_t, 3> start{};       // first group id
    std::array<uint32_t, 3> end{};         // one past the last group id
    std::array<uint16_t, 3> group_size{};  // threads of a full group
    std::array<uint16_t, 3> last_size{};   // threads of the last group of each dimension
    uint64_t pc = 0;
    uint16_t vgprs = 0, sgprs = 0;  // allocated per wave
    uint32_t lds_bytes = 0;         // per group
    uint8_t float_mode = 0;
    bool dx10_clamp = false, ieee = false, privileged = false;
    bool trap_present = false;
    uint8_t exceptions = 0;     // EXCP_EN
    uint64_t tba = 0, tma = 0;  // trap handler and its memory, bytes
    uint8_t priority = 0;
    uint8_t user_sgprs = 0;
    bool tgid_x = false, tgid_y = false, tgid_z = false, tg_size = false, scratch = false;
    bool ordered = false;           // waves have numbers for ds_ordered_count
    bool ordered_by_group = false;  // one for all waves of a group
    uint8_t id_components = 1;
    uint8_t vmid = 0;
    std::array<uint32_t, 16> user_data{};
    uint32_t scratch_waves = 0;  // scratch slots
    uint32_t scratch_wave_bytes = 0;
    unsigned waves_per_sh = 0;  // limits; 0 is none
    unsigned groups_per_cu = 0;
    unsigned lock_threshold = 0;          // waves on a shader array; 0 is none
    std::array<uint32_t, 2> cu_enable{};  // COMPUTE_STATIC_THREAD_MGMT_SE0/1
    GroupSelection chosen;                // only these run

    // All ones when they do not fit 64 bits.
    uint64_t groups() const {
        uint64_t n = 1;
        bool over = false;
        for (unsigned i = 0; i < 3; ++i) {
            const uint64_t size = end[i] > start[i] ? end[i] - start[i] : 0;
            if (size == 0)
                return 0;
            over = __builtin_mul_overflow(n, size, &n) || over;
        }
        return over ? ~uint64_t{0} : n;
    }
    // Of all groups; there are fewer than 2^32 groups.
    uint64_t threads() const {
        uint64_t n = 1;
        for (unsigned i = 0; i < 3; ++i)
            n *= end[i] > start[i] ? uint64_t{end[i] - start[i] - 1} * group_size[i] + last_size[i]
                                   : 0;
        return n;
    }
};

// Reads the registers; whose address space it is only its packet knows. Throws
// MachineStop(BadInput) naming the register when no CU could ever run it: more threads, registers
// or LDS than exist, scratch without slots or beyond a wave's 32-bit offset, no CU enabled; and
// MachineStop(Unimplemented) for 2^32 groups or more.
Dispatch decode_dispatch(const ComputeRegisters& registers, const SpiSpec& spec);

constexpr unsigned kWaveThreads = 64;

// One work-group of a dispatch.
struct Group {
    uint32_t number = 0;  // x fastest
    std::array<uint32_t, 3> id{};
    std::array<uint16_t, 3> size{};
    unsigned threads = 0;
    unsigned waves = 0;
};

// Walks the chosen groups in order, x fastest.
class GroupWalk {
  public:
    GroupWalk() = default;
    explicit GroupWalk(const Dispatch& d);
    bool done() const { return done_; }
    // Of the group it is at; how many remain when it is done.
    uint32_t number() const { return number_; }
    Group current(const Dispatch& d) const;
    void next(const Dispatch& d);
    template <class Archive>
    void archive(Archive& a) {
        a(id_, number_, done_);
    }

  private:
    void step(const Dispatch& d);
    void skip(const Dispatch& d) {
        while (!done_ && !d.chosen.has(number_))
            step(d);
    }

    std::array<uint32_t, 3> id_{};
    uint32_t number_ = 0;
    bool done_ = true;
};

// The term of TG_SIZE in ordered dispatches: their waves (or groups) are counted in the order they
// are placed in, across dispatches and rings, as ds_ordered_count expects them.
struct OrderedNumbers {
    static constexpr unsigned kBits = 11;
    uint32_t next = 0;
    // That of the group's first wave; 0 when the dispatch is not ordered.
    uint32_t take(const Dispatch& d, const Group& g) {
        if (!d.ordered)
            return 0;
        const uint32_t first = next;
        next = (next + (d.ordered_by_group ? 1 : g.waves)) % (1u << kBits);
        return first;
    }
};

// TG_SIZE: waves of the group [5:0], `term` [16:6], first wave of the group [31]. The term is the
// number of an ordered wave, and else the wave's number in its group, which Mesa's compilers read
// in [11:6] for gl_LocalInvocationIndex (ac_nir_to_llvm.c, aco_instruction_selection.cpp).
constexpr uint32_t tg_size_word(unsigned waves, unsigned wave, uint32_t term) {
    return waves | term << 6 | (wave == 0 ? 0x80000000u : 0);
}

// Names a wave in traces: by dispatch, group, and wave within the group.
constexpr uint64_t wave_uid(uint32_t dispatch, uint32_t group, unsigned wave) {
    return uint64_t{dispatch} << 40 | uint64_t{group} << 8 | wave;
}

// Everything of a launch that does not depend on where the wave runs. `scratch_slot` is used when
// the dispatch has scratch; `ordered` is what OrderedNumbers gave the group.
WaveLaunch make_wave(const Dispatch& d, const Group& g, unsigned wave, uint32_t scratch_slot,
                     uint32_t ordered = 0);

}  // namespace archipelago::spi
