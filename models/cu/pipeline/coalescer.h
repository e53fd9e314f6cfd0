// SPDX-License-Identifier: Apache-2.0
// The address unit's rule for turning the lanes of a vector memory instruction into requests for
// 64-byte lines. Pure; knows no time beyond the group of lanes a request belongs to. AMD OpenCL
// guide 2.1.2; rates: gcn.ta.rate, gcn.qwave of testbenches/timing/truth.yaml.
#pragma once

#include <cstdint>
#include <vector>

#include "models/common/memory_message.h"
#include "models/cu/isa/isa.h"

namespace archipelago::cu {

struct LineAccess {
    uint64_t line = 0;
    uint64_t lanes = 0;   // lanes with bytes (atomics: with their operation) in this request
    uint32_t cycle = 0;   // cycles after the start of the instruction when it can leave
    bool linear = false;  // one dword per lane, those of neighbouring lanes beside each other
    uint8_t offset = 0;   // linear: byte of the line where the dword of the first lane begins
};

struct CoalesceRates {
    unsigned load_quad = 1;
    unsigned load_quarter = 1;
    unsigned store_quarter = 2;
    unsigned atomic_quad = 1;
    // A load beyond its groups of lanes: of two dwords a lane; of 16 and of 12 bytes, when its
    // quads lie in more than `linear_lines` lines.
    unsigned load_pair = 0;
    unsigned load_scattered = 0;
    unsigned load_scattered_triple = 0;
    unsigned linear_lines = 2;
};

// Whether the lanes of a quarter wave, of which `quarter` (not 0) access memory, are one group;
// else each quad is one.
bool is_one_group(const isa::VectorMemOp& op, uint64_t quarter);

// Fills `out` with the requests of `op` in the order they leave, and returns how many cycles the
// address unit is occupied. False in `aligned` when an atomic operand is not naturally aligned.
//
// Lanes are taken in groups: sixteen for stores and for loads whose sixteen lanes read an element
// of up to a dword each, in sequence or all the same one, else four. A group makes one
// request per line it touches; a line that the group before touched last is not requested again
// (its request waits for this group). An atomic request has at most one operation per location, and
// one in all for compare-and-swap; operations of several lanes on one location are in separate
// requests, in lane order.
unsigned coalesce(const isa::VectorMemOp& op, const CoalesceRates& rates,
                  std::vector<LineAccess>& out, bool& aligned);

// Bytes of the line that `lane` reads or writes: calls visit(k, byte_in_lane_dword, byte_in_line,
// count) for each piece; k is the register.
template <class Visit>
inline void visit_bytes(const isa::VectorMemOp& op, unsigned lane, uint64_t line, Visit&& visit) {
    const unsigned dwords = (op.bytes + 3u) / 4;
    for (unsigned k = 0; k < dwords; ++k) {
        if (!op.contiguous && (op.dword_lanes[k] >> lane & 1) == 0)
            continue;
        const uint64_t first = op.contiguous ? op.addr[0][lane] + 4 * k : op.addr[k][lane];
        const unsigned size = op.bytes >= 4 * (k + 1) ? 4 : op.bytes - 4 * k;
        if (first >= line && first + size <= line + kLineBytes && first + size > first) {
            visit(k, 0u, static_cast<unsigned>(first - line), size);
            continue;
        }
        for (unsigned b = 0; b < size; ++b)
            if (line_of(first + b) == line)
                visit(k, b, static_cast<unsigned>(first + b - line), 1u);
    }
}

// Bytes of the line that a load reads.
uint64_t load_bytes(const LineAccess& access, const isa::VectorMemOp& op);
// Takes the bytes of a returned line into op.data, for the lanes of `access`.
void scatter_load(const LineAccess& access, const Line& data, isa::VectorMemOp& op);
// Puts the store data of `access` into a line; returns the mask of bytes written.
uint64_t gather_store(const LineAccess& access, const isa::VectorMemOp& op, Line& data);
// Operands of an atomic; `compare` for the compare-and-swap operations.
uint64_t gather_atomic(const LineAccess& access, const isa::VectorMemOp& op, Line& data,
                       uint64_t& compare);
// Old values of an atomic that returns them.
void scatter_atomic(const LineAccess& access, const Line& data, isa::VectorMemOp& op);

}  // namespace archipelago::cu
