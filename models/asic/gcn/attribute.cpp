// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/attribute.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "models/common/ring_name.h"
#include "models/cu/pipeline/cu_peak.h"
#include "models/spi/occupancy.h"

namespace archipelago::gcn {
namespace {

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

// Most dispatches of a run have groups of few sizes.
class Rooms {
  public:
    explicit Rooms(const spi::SpiSpec& spec) : spec_(spec) {}
    const spi::Occupancy& of(const GroupSize& group) {
        const auto [at, is_new] = known_.try_emplace(group);
        if (is_new)
            at->second = spi::occupancy(spec_, group);
        return at->second;
    }

  private:
    const spi::SpiSpec& spec_;
    std::map<GroupSize, spi::Occupancy> known_;
};

}  // namespace

asic::Ceilings ceilings(const ChipConfig& config) {
    const double engine = 1e15 / static_cast<double>(config.identity.clock_period_fs);
    const cu::CuPeak peak = cu::peak_of(config.cu);
    asic::Ceilings c;
    c.valu_cycles = engine * config.cu.simds * config.cus();
    c.f32_flops = engine * peak.f32_flops * config.cus();
    c.f64_flops = engine * peak.f64_flops * config.cus();
    c.lds_bytes = engine * peak.lds_bytes * config.cus();
    c.l1_bytes = engine * config.cu.td_bytes_per_cycle * config.cus();
    c.l2_bytes = engine * kLineBytes * config.channel_map.channels;
    c.dram_bytes = config.dram_bytes_per_second();
    return c;
}

void attribute_waves(const Compute& compute, const spi::SpiSpec& spi, const asic::Sampler& sampler,
                     Cycle now, asic::Attribution& to) {
    std::vector<cu::DispatchRecord> records = compute.ledger->records();
    add_resident(compute, now, records);
    Rooms rooms(spi);
    for (size_t i = 0; i < records.size(); ++i) {
        to.waves.add(records[i].work);
        const spi::Occupancy& room = rooms.of(records[i].group);
        to.dispatches.push_back({records[i], sampler.before(i, now), sampler.after(i, now), true,
                                 room.waves, room.limits});
    }
    std::sort(to.dispatches.begin(), to.dispatches.end(), [](const auto& x, const auto& y) {
        const auto order = [](const cu::DispatchRecord& r) {
            return std::make_tuple(r.start, r.key.dispatch, r.key.stage);
        };
        return order(x.record) < order(y.record);
    });
    mark_overlaps(to.dispatches);
    to.compute_units = static_cast<unsigned>(compute.cus.size());
    for (const auto& unit : compute.cus)
        to.wave_slots += uint64_t{unit->spec().simds} * unit->spec().wave_slots;
    for (const auto& [key, work] : compute.ledger->pcs())
        to.instructions.push_back(
            {key, work,
             work.decoded != nullptr ? isa::disassemble(work.decoded->inst, key.pc) : ""});
}

void attribute_packets(const cp::CpCore& cp, uint64_t cycles, asic::Attribution& to) {
    std::map<std::string, uint64_t> at_work;  // by engine and ring
    for (const cp::PacketUse& use : cp.packet_uses()) {
        const std::string engine = std::string("cp.") + use.engine + "." + ring_name(use.ring);
        to.packets.push_back({engine, use.packet, use.time.count, use.time.cycles, use.time.most});
        at_work[engine] += use.time.cycles;
    }
    for (const auto& [engine, used] : at_work)
        to.packets.push_back({engine, "no packet", 0, cycles - std::min(cycles, used), 0});
}

}  // namespace archipelago::gcn
