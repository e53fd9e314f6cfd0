// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/wave_ledger.h"

#include "models/common/archive.h"

namespace archipelago::cu {
namespace {

template <class Array>
void add_each(Array& to, const Array& from) {
    for (size_t i = 0; i < to.size(); ++i)
        to[i] += from[i];
}

}  // namespace

void WaveWork::add(const WaveWork& other) {
    add_each(cycles, other.cycles);
    add_each(instructions, other.instructions);
    add_each(flops, other.flops);
    valu_lanes += other.valu_lanes;
    lds_bytes += other.lds_bytes;
    waves += other.waves;
    life += other.life;
}

DispatchRecord& WaveLedger::record_of(const DispatchKey& key) {
    const auto [it, is_new] = index_.try_emplace(number_of(key), records_.size());
    if (is_new) {
        records_.emplace_back();
        records_.back().key = key;
    }
    return records_[it->second];
}

void WaveLedger::begin(const DispatchKey& key, const WaveLaunch& first, Cycle now) {
    const size_t known = records_.size();
    DispatchRecord& record = record_of(key);
    ++record.units;
    if (records_.size() == known)
        return;
    record.program = first.pc;
    record.group = {first.waves_in_group, first.vgpr_count, first.sgpr_count, first.lds_bytes};
    record.start = record.end = now;
    if (watcher_)
        watcher_(known, now);
}

void WaveLedger::end(const DispatchKey& key, const WaveWork& work, Cycle now) {
    DispatchRecord& record = record_of(key);
    record.work.add(work);
    record.end = now;
    if (--record.units == 0 && watcher_)
        watcher_(static_cast<size_t>(&record - records_.data()), now);
}

// Instructions are distinguished from where a run begins: their decoded words are work in flight.
void WaveLedger::archive(Archive& a) {
    a.at_rest(pcs_.empty(), "it tells instructions apart (--profile)");
    a(records_);
    index_.clear();
    for (size_t i = 0; i < records_.size(); ++i)
        index_.emplace(number_of(records_[i].key), i);
}

}  // namespace archipelago::cu
