// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/cu_peak.h"

#include <algorithm>

#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/decoded.h"

namespace archipelago::cu {
namespace {

// Cycles from one VALU instruction of a SIMD to the next: the SIMD is free, and it is its turn.
unsigned valu_interval(const CuSpec& spec, isa::Rate rate) {
    const unsigned busy = spec.rate_cycles[static_cast<size_t>(rate)];
    return (busy + spec.simds - 1) / spec.simds * spec.simds;
}

// What the operands of a DS instruction let it move in a cycle, without the banks.
double operand_bytes(const CuSpec& spec, const isa::OpInfo& info) {
    const LdsCost cost = lds_cost(info);
    return 4.0 * isa::kLanes * cost.dwords / std::max(cost.operands * spec.lds_operand_cycles, 1u);
}

}  // namespace

CuPeak peak_of(const CuSpec& spec) {
    CuPeak peak;
    for (unsigned i = 0; i < isa::kOpCount; ++i) {
        const auto op = static_cast<isa::Op>(i);
        const isa::OpInfo& info = isa::op_info(op);
        if (const Flops flops = flops_of(op); flops.count != 0) {
            double& most = flops.f64 ? peak.f64_flops : peak.f32_flops;
            most = std::max(most, static_cast<double>(flops.count) * isa::kLanes * spec.simds /
                                      valu_interval(spec, info.rate));
        }
        if (info.format == isa::Format::Ds)
            peak.lds_bytes = std::max(peak.lds_bytes, operand_bytes(spec, info));
    }
    if (spec.lds_bank_cycles != 0)
        peak.lds_bytes = std::min(peak.lds_bytes, 4.0 * spec.lds_banks / spec.lds_bank_cycles);
    return peak;
}

}  // namespace archipelago::cu
