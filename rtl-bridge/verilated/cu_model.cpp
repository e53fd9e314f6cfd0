// SPDX-License-Identifier: Apache-2.0
// Vector instructions that the Verilog compute unit takes from the model, through DPI:
// rtl-bridge/rtl/cu/cu_model_pkg.sv declares the function. It keeps nothing between calls but
// decoded instructions. Vectors of Verilog are words of 32 bits, the lowest first.
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <svdpi.h>

#include "models/cu/isa/isa.h"
#include "models/cu/isa/special.h"
#include "models/cu/pipeline/decoded.h"

namespace archipelago {
namespace {

using isa::WaveState;

// ---- an instruction, decoded once

const cu::Decoded& decoded(const svBitVecVal* words) {
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
constexpr unsigned kFloatMode = 133, kDx10 = 134, kIeee = 135;

void read_context(const svBitVecVal* context, WaveState& w) {
    std::memcpy(w.s, context, sizeof w.s);
    w.pc = context[128] | uint64_t{context[129]} << 32;
    w.mode = isa::Mode::from_float_mode(static_cast<uint8_t>(context[kFloatMode]),
                                        context[kDx10] != 0, context[kIeee] != 0);
    each_member(w, [&](unsigned word, auto& member) {
        member = static_cast<std::decay_t<decltype(member)>>(context[word]);
    });
}
void write_context(const WaveState& w, svBitVecVal* context) {
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
    void put(int first, const svBitVecVal* from, unsigned count) {
        if (first >= 0)
            std::memcpy(rows[first], from, count * sizeof(isa::VReg));
    }
};
Registers& registers() {
    thread_local Registers all;
    return all;
}

}  // namespace
}  // namespace archipelago

extern "C" {

using namespace archipelago;

void cu_model_valu(const svBitVecVal* words, const svBitVecVal* before, int a_row, int b_row,
                   int c_row, int d_row, const svBitVecVal* a, const svBitVecVal* b,
                   const svBitVecVal* c, const svBitVecVal* d, svBitVecVal* after,
                   svBitVecVal* result, svBitVecVal* written) {
    const isa::Inst& inst = decoded(words).inst;
    Registers& r = registers();
    r.put(a_row, a, 2);
    r.put(b_row, b, 2);
    r.put(c_row, c, 2);
    r.put(d_row, d, 2);
    WaveState w;
    read_context(before, w);
    w.v = r.rows;
    inst.exec(inst, w);
    write_context(w, after);
    std::memcpy(result, r.rows[d_row], 2 * sizeof(isa::VReg));
    written[0] = 0;
    for (unsigned k = 0; k < 2; ++k)
        if (std::memcmp(result + k * isa::kLanes, d + k * isa::kLanes, sizeof(isa::VReg)) != 0)
            written[0] |= 1u << k;
}

}  // extern "C"
