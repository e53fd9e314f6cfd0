// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/attribute.h"

#include <algorithm>

namespace archipelago::gcn {
namespace {

// Of a rate, the floating-point operations of a whole chip in a cycle, two a lane.
double flops_per_cycle(const ChipConfig& config, isa::Rate rate) {
    const double lanes = static_cast<double>(isa::kLanes) * config.cu.simds * config.cus();
    return 2 * lanes / config.cu.rate_cycles[static_cast<size_t>(rate)];
}

// Adds to the records of a ledger what the waves that are still resident have done.
void add_resident(const Compute& compute, Cycle now, std::vector<cu::DispatchRecord>& records) {
    for (const auto& unit : compute.cus) {
        for (const cu::OpenDispatch& open : unit->resident_work(now)) {
            for (cu::DispatchRecord& record : records) {
                if (!(record.key == open.key))
                    continue;
                record.work.add(open.work);
                record.end = now;
            }
        }
    }
}

void mark_overlaps(std::vector<asic::DispatchProfile>& sorted) {
    for (size_t i = 0; i < sorted.size(); ++i) {
        for (size_t k = i + 1; k < sorted.size(); ++k) {
            if (sorted[k].record.start >= sorted[i].record.end)
                break;
            sorted[i].alone = sorted[k].alone = false;
        }
    }
}

}  // namespace

asic::Ceilings ceilings(const ChipConfig& config) {
    const double engine = static_cast<double>(config.identity.clock_hz);
    const double memory = 1e15 / static_cast<double>(config.memory_period_fs);
    const unsigned channels = config.channel_map.channels;
    asic::Ceilings c;
    c.f32_flops = engine * flops_per_cycle(config, isa::Rate::Full);
    c.f64_flops = engine * flops_per_cycle(config, isa::Rate::F64Mul);
    c.lds_bytes =
        engine * 4 * config.cu.lds_banks / std::max(config.cu.lds_bank_cycles, 1u) * config.cus();
    c.l1_bytes = engine * config.cu.td_bytes_per_cycle * config.cus();
    c.l2_bytes = engine * kLineBytes * channels;
    c.dram_bytes = memory * kLineBytes / config.mc.timing.burst * channels;
    return c;
}

void attribute_waves(const Compute& compute, const asic::Sampler& sampler, Cycle now,
                     asic::Attribution& to) {
    std::vector<cu::DispatchRecord> records = compute.ledger->records();
    add_resident(compute, now, records);
    for (size_t i = 0; i < records.size(); ++i) {
        to.waves.add(records[i].work);
        to.dispatches.push_back({records[i], sampler.before(i, now), sampler.after(i, now), true});
    }
    std::sort(to.dispatches.begin(), to.dispatches.end(), [](const auto& x, const auto& y) {
        const auto order = [](const cu::DispatchRecord& r) {
            return std::make_tuple(r.start, r.key.dispatch, r.key.stage);
        };
        return order(x.record) < order(y.record);
    });
    mark_overlaps(to.dispatches);
    for (const auto& unit : compute.cus)
        to.wave_slots += uint64_t{unit->spec().simds} * unit->spec().wave_slots;
    for (const auto& [key, work] : compute.ledger->pcs())
        to.instructions.push_back(
            {key, work,
             work.decoded != nullptr ? isa::disassemble(work.decoded->inst, key.pc) : ""});
}

}  // namespace archipelago::gcn
