// SPDX-License-Identifier: Apache-2.0
// What functions called from the Verilog compute unit through DPI have in common: a wave as the
// Verilog passes it, and registers of which it passes some. Vectors of Verilog are words of 32
// bits, the lowest first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

#include <svdpi.h>

#include "models/cu/isa/isa.h"
#include "models/cu/isa/special.h"
#include "models/cu/pipeline/decoded.h"

namespace archipelago {

// ---- an instruction, decoded once

inline const cu::Decoded& decoded(const svBitVecVal* words) {
    thread_local cu::DecodeCache cache;
    return cache.get(words[0], words[1]);
}

// ---- a wave's registers but VGPRs: context_t

// Calls move(word, member) for each member of a WaveState that is a word of a context.
template <class Wave, class Move>
void each_member(Wave& w, Move&& move) {
    unsigned word = 130;
    move(word++, w.num_vgprs);
    move(word++, w.num_sgprs);
    move(word++, w.scc);
    word += 3;  // MODE
    move(word++, w.mode.excp_en);
    move(word++, w.mode.others);
    move(word++, w.lds_base);
    move(word++, w.lds_size);
    move(word++, w.vmid);
    move(word++, w.priority);
    move(word++, w.privileged);
    move(word++, w.hw_id);
    move(word++, w.trapsts);
    move(word++, w.ib_sts);
    move(word++, w.csp);
    move(word++, w.vskip);
    move(word++, w.halt);
    move(word++, w.killed);
    move(word++, w.trap_en);
    move(word++, w.in_group);
    move(word++, w.spi_priority);
    move(word++, w.vgpr_base);
    move(word++, w.sgpr_base);
}
// Where the registers have the operand LDS_DIRECT; no operand code names the place.
inline constexpr uint16_t kLdsDirectPlace = 125;
inline constexpr unsigned kFloatMode = 133, kDx10 = 134, kIeee = 135;

inline void read_context(const svBitVecVal* context, isa::WaveState& w) {
    std::memcpy(w.s, context, sizeof w.s);
    w.pc = context[128] | uint64_t{context[129]} << 32;
    w.mode = isa::Mode::from_float_mode(static_cast<uint8_t>(context[kFloatMode]),
                                        context[kDx10] != 0, context[kIeee] != 0);
    each_member(w, [&](unsigned word, auto& member) {
        member = static_cast<std::decay_t<decltype(member)>>(context[word]);
    });
}
inline void write_context(const isa::WaveState& w, svBitVecVal* context) {
    std::memcpy(context, w.s, sizeof w.s);
    context[128] = static_cast<uint32_t>(w.pc);
    context[129] = static_cast<uint32_t>(w.pc >> 32);
    context[kFloatMode] = w.mode.float_mode();
    context[kDx10] = w.mode.dx10_clamp;
    context[kIeee] = w.mode.ieee;
    each_member(w, [&](unsigned word, const auto& member) { context[word] = member; });
}

// A register file of which instructions see the rows they are given.
struct Registers {
    alignas(64) isa::VReg rows[256 + 8] = {};
    // `count` rows from the number `first` on, as far as there are such; negative: none.
    void put(int first, const svBitVecVal* from, unsigned count) {
        if (first >= 0)
            std::memcpy(rows[first], from,
                        std::min<size_t>(count, std::size(rows) - static_cast<size_t>(first)) *
                            sizeof(isa::VReg));
    }
};
inline Registers& registers() {
    thread_local Registers all;
    return all;
}

}  // namespace archipelago
