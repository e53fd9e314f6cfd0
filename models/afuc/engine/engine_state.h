// SPDX-License-Identifier: Apache-2.0
// All that a micro engine remembers. Document "Adreno Five Microcode": "Registers", "Control
// Registers", "SQE Registers", "Pipe Registers", "Packet Table", "Set Draw State".
#pragma once

#include <array>
#include <cstdint>

#include "models/afuc/isa/image.h"
#include "models/afuc/isa/instruction.h"

namespace archipelago::afuc {

inline constexpr unsigned kControlRegisters = 0x1000;
inline constexpr unsigned kPipeRegisters = 0x100;
inline constexpr unsigned kSqeRegisters = 0x10;
inline constexpr unsigned kStackDepth = 8;  // return addresses of call
inline constexpr unsigned kDrawStates = 32;

struct DrawState {
    uint32_t header = 0;  // bits 15:0 dwords, 22:20 modes in which it is used
    std::array<uint32_t, 2> base{};
    std::array<uint32_t, 2> sds_base{};  // how far it has been read: kept while another is selected
    uint32_t sds_dwords = 0;
};

// What comes after the instruction in a delay slot.
enum class Leads : uint8_t {
    On,
    Branch,  // to `target`
    Packet   // to the handler of the packet whose header is next
};

struct EngineState {
    uint32_t pc = 0;  // words from the beginning of the image
    Leads leads = Leads::On;
    uint32_t target = 0;
    bool repeating = false;  // the instruction at pc has been executed before, by (rep)
    std::array<uint32_t, kRegisters> gpr{};
    uint8_t port = kAddr;  // which of $addr and $usraddr was written last
    uint32_t carry = 0;    // what addhi and subhi add
    std::array<uint32_t, kControlRegisters> control{};
    std::array<uint32_t, kSqeRegisters> sqe{};
    std::array<uint32_t, kTableWords> packet_table{};
    std::array<DrawState, kDrawStates> draw_states{};
    uint8_t selected_draw_state = 0;
    bool preempting = false;    // up to iret
    uint32_t header = 0;        // of the packet at work
    uint64_t instructions = 0;  // a repeated one counts once
    uint64_t packets = 0;
};

}  // namespace archipelago::afuc
