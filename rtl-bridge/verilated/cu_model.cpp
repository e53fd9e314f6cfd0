// SPDX-License-Identifier: Apache-2.0
// Vector instructions that the Verilog compute unit takes from the model, through DPI:
// rtl-bridge/rtl/cu/cu_model_pkg.sv declares the function. It keeps nothing between calls but
// decoded instructions.
#include <cstring>

#include "rtl-bridge/verilated/cu_context.h"

extern "C" {

using namespace archipelago;

void cu_model_valu(const svBitVecVal* words, const svBitVecVal* before, int a_row, int b_row,
                   int c_row, int d_row, const svBitVecVal* a, const svBitVecVal* b,
                   const svBitVecVal* c, const svBitVecVal* d, svBitVecVal* after,
                   svBitVecVal* result, svBitVecVal* written) {
    const cu::Decoded& found = decoded(words);
    isa::Inst inst = found.inst;
    if (found.action == cu::Action::LdsDirect)
        inst.src[0] = kLdsDirectPlace;
    Registers& r = registers();
    r.put(a_row, a, 2);
    r.put(b_row, b, 2);
    r.put(c_row, c, 2);
    r.put(d_row, d, 2);
    isa::WaveState w;
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
