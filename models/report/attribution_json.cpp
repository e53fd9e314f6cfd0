// SPDX-License-Identifier: Apache-2.0
#include "models/report/attribution_json.h"

#include <algorithm>

#include "models/cu/pipeline/decoded.h"
#include "models/report/gap_totals.h"
#include "models/report/kernel_totals.h"

namespace archipelago::report {
namespace {

using asic::CacheCounts;
using asic::counted;
using asic::Sample;
using nlohmann::ordered_json;

// {name of the row: value}, as kWaveReasonRows or kPlaceRows name them.
template <class Rows, class Values>
ordered_json by_name(const Rows& rows, const Values& values) {
    ordered_json out = ordered_json::object();
    for (size_t i = 0; i < rows.size(); ++i)
        out[rows[i].name] = values[i];
    return out;
}

template <class Rows>
ordered_json meanings(const Rows& rows) {
    ordered_json out = ordered_json::object();
    for (const auto& row : rows)
        out[row.name] = row.meaning;
    return out;
}

ordered_json waves_json(const asic::Attribution& a, uint64_t cycles) {
    const uint64_t slots = a.wave_slots * cycles;
    return {{"unit", "wave cycles"},
            {"total", a.waves.life},
            {"reasons", by_name(cu::kWaveReasonRows, a.waves.cycles)},
            {"slots", {{"total", slots}, {"no_work", slots - a.waves.life}}}};
}

ordered_json memory_json(const asic::Attribution& a) {
    ordered_json clients = ordered_json::object();
    for (const auto& [name, time] : a.memory.clients)
        clients[name] = time;
    return {{"unit", "fs"},
            {"period_fs", a.period_fs},
            {"transactions", a.memory.transactions},
            {"open", a.memory.open},
            {"total", a.memory.total},
            {"clients", std::move(clients)},
            {"reasons", by_name(asic::kPlaceRows, a.memory.places)}};
}

ordered_json ceilings_json(const asic::Ceilings& c) {
    return {{"valu_cycles", c.valu_cycles}, {"f32_flops", c.f32_flops}, {"f64_flops", c.f64_flops},
            {"lds_bytes", c.lds_bytes},     {"l1_bytes", c.l1_bytes},   {"l2_bytes", c.l2_bytes},
            {"dram_bytes", c.dram_bytes}};
}

ordered_json cache_json(const CacheCounts& c) {
    return {{"reads", c.reads},
            {"hits", c.hits},
            {"merged", c.merged},
            {"writes", c.writes},
            {"bytes", c.bytes}};
}

ordered_json instructions_json(const cu::WaveWork& work) {
    ordered_json out = ordered_json::object();
    for (unsigned i = 0; i < cu::kClasses; ++i)
        out[cu::class_name(static_cast<isa::Class>(i))] = work.instructions[i];
    return out;
}

ordered_json memory_json(const asic::MemoryCounts& memory, bool alone, const cu::WaveWork& work) {
    return {{"alone", alone},
            {"l1", cache_json(memory.l1)},
            {"l2", cache_json(memory.l2)},
            {"dram", {{"read_bytes", memory.dram_read}, {"written_bytes", memory.dram_written}}},
            {"lds_bytes", work.lds_bytes}};
}

// Adds what a dispatch, or all those of a kernel, did.
void add_work(ordered_json& to, const cu::WaveWork& work, ordered_json memory) {
    to["waves"] = work.waves;
    to["wave_cycles"] = work.life;
    to["reasons"] = by_name(cu::kWaveReasonRows, work.cycles);
    to["instructions"] = instructions_json(work);
    to["valu_lanes"] = work.valu_lanes;
    to["flops"] = {{"f32", work.flops[0]}, {"f64", work.flops[1]}};
    to["memory"] = std::move(memory);
}

ordered_json kernel_json(const asic::DispatchProfile& d, const Programs* programs) {
    ordered_json out{{"kernel", program_name(d.record.program, programs)},
                     {"pc", d.record.program},
                     {"stage", stage_name(d.record.key.stage)},
                     {"dispatch", d.record.key.dispatch},
                     {"start", d.record.start},
                     {"end", d.record.end}};
    add_work(out, d.record.work,
             memory_json(asic::counted(d.before, d.after), d.alone, d.record.work));
    return out;
}

ordered_json total_json(const KernelTotal& k) {
    ordered_json of_peak = ordered_json::object();
    for (size_t i = 0; i < kPeaks; ++i)
        of_peak[kPeakNames[i]] = k.of_peak[i];
    ordered_json out{
        {"kernel", k.name},
        {"pc", k.program},
        {"stage", k.stage},
        {"dispatches", k.dispatches},
        {"cycles", k.cycles},
        {"busy_cycles", k.busy},
        {"least", k.least},
        {"most", k.most},
        {"bound", {{"by", k.bound_by}, {"share", k.share}, {"near_peak", k.near_peak}}},
        {"of_peak", std::move(of_peak)},
        {"waves_per_cu", {{"mean", k.waves_per_cu}, {"most", k.most_waves}, {"limits", k.limits}}}};
    add_work(out, k.work, memory_json({k.l1, k.l2, k.dram_read, k.dram_written}, k.alone, k.work));
    return out;
}

ordered_json kernel_gaps_json(const std::vector<KernelGaps>& gaps) {
    ordered_json kernels = ordered_json::array();
    for (const KernelGaps& k : gaps)
        kernels.push_back({{"kernel", k.name},
                           {"stage", k.stage},
                           {"dispatches", k.dispatches},
                           {"cycles", k.cycles},
                           {"least", k.least},
                           {"most", k.most},
                           {"reasons", by_name(asic::kGapReasonRows, k.reasons)}});
    return kernels;
}

ordered_json gaps_json(const GapTotals& gaps) {
    ordered_json packets = ordered_json::array();
    for (const PacketGaps& p : gaps.packets)
        packets.push_back({{"packet", p.packet},
                           {"reason", asic::kGapReasonRows[static_cast<size_t>(p.reason)].name},
                           {"cycles", p.cycles}});
    return {{"before_first", gaps.before_first},
            {"after_last", gaps.after_last},
            {"reasons", by_name(asic::kGapReasonRows, gaps.reasons)},
            {"kernels", kernel_gaps_json(gaps.kernels)},
            {"intervals", kernel_gaps_json(gaps.intervals)},
            {"packets", std::move(packets)},
            {"definitions", meanings(asic::kGapReasonRows)}};
}

// {group: [reason, ...]}, in the order to show them.
ordered_json groups_json() {
    ordered_json out = ordered_json::object();
    for (const char* name : cu::kWaveGroupNames)
        out[name] = ordered_json::array();
    for (const cu::WaveReasonRow& row : cu::kWaveReasonRows)
        out[cu::kWaveGroupNames[static_cast<size_t>(row.group)]].push_back(row.name);
    return out;
}

ordered_json instruction_json(const asic::InstructionProfile& i, const Programs* programs) {
    ordered_json cycles = ordered_json::object();
    for (size_t k = 0; k < cu::kWaveReasons; ++k)
        if (i.work.cycles[k] != 0)
            cycles[cu::kWaveReasonRows[k].name] = i.work.cycles[k];
    ordered_json source;
    if (programs != nullptr)
        if (const auto line = programs->source(i.key.program, i.key.pc))
            source = {{"file", line->file}, {"line", line->line}};
    return {{"kernel", program_name(i.key.program, programs)},
            {"pc", i.key.pc},
            {"offset", static_cast<int64_t>(i.key.pc - i.key.program)},
            {"text", i.text},
            {"issues", i.work.issues},
            {"cycles", std::move(cycles)},
            {"source", std::move(source)}};
}

ordered_json series_json(const asic::Attribution& a) {
    ordered_json out;
    out["interval"] = a.series_interval;
    // A row of each sample, which has what was counted since the one before.
    const auto row = [&](const char* name, const auto& value) {
        ordered_json values = ordered_json::array();
        Sample before;
        for (const Sample& s : a.series) {
            before.dram_read.resize(s.dram_read.size());
            before.dram_written.resize(s.dram_written.size());
            values.push_back(value(before, s));
            before = s;
        }
        out[name] = std::move(values);
    };
    row("cycle", [](const Sample&, const Sample& s) { return s.cycle; });
    row("resident_waves",
        [](const Sample&, const Sample& s) { return s.waves_launched - s.waves_ended; });
    row("instructions",
        [](const Sample& b, const Sample& s) { return counted(b.instructions, s.instructions); });
    const auto cache = [&](const std::string& name, CacheCounts Sample::*level) {
        const auto part = [&](const char* what, uint64_t CacheCounts::*count) {
            row((name + what).c_str(), [&](const Sample& b, const Sample& s) {
                return counted(b.*level.*count, s.*level.*count);
            });
        };
        part("_reads", &CacheCounts::reads);
        part("_hits", &CacheCounts::hits);
        part("_merged", &CacheCounts::merged);
    };
    cache("l1", &Sample::l1);
    cache("l2", &Sample::l2);
    const auto channels = [&](const char* name, std::vector<uint64_t> Sample::*bytes) {
        row(name, [&](const Sample& b, const Sample& s) {
            std::vector<uint64_t> moved = s.*bytes;
            for (size_t i = 0; i < moved.size(); ++i)
                moved[i] = counted((b.*bytes)[i], moved[i]);
            return moved;
        });
    };
    channels("dram_read_bytes", &Sample::dram_read);
    channels("dram_written_bytes", &Sample::dram_written);
    return out;
}

template <class Entries, class ToJson>
ordered_json list_of(const Entries& entries, const ToJson& to_json) {
    ordered_json list = ordered_json::array();
    for (const auto& entry : entries)
        list.push_back(to_json(entry));
    return list;
}

ordered_json packet_json(const asic::PacketProfile& p) {
    return {{"engine", p.engine},
            {"packet", p.packet},
            {"count", p.count},
            {"cycles", p.cycles},
            {"most", p.most}};
}

ordered_json microcode_json(const asic::MicrocodeProfile& m) {
    return {{"engine", m.engine}, {"pc", m.pc},        {"source", m.source},
            {"text", m.text},     {"beats", m.issues}, {"cycles", m.cycles}};
}

}  // namespace

std::vector<std::pair<std::string, ordered_json>> attribution_json(const asic::Attribution& a,
                                                                   uint64_t start, uint64_t cycles,
                                                                   const Programs* programs,
                                                                   bool profile) {
    std::vector<std::pair<std::string, ordered_json>> out;
    ordered_json attribution{{"waves", waves_json(a, cycles)},
                             {"memory", memory_json(a)},
                             {"definitions",
                              {{"waves", meanings(cu::kWaveReasonRows)},
                               {"groups", groups_json()},
                               {"memory", meanings(asic::kPlaceRows)}}}};
    out.emplace_back("attribution", std::move(attribution));
    if (a.wave_slots != 0) {
        out.emplace_back("ceilings", ceilings_json(a.ceilings));
        out.emplace_back("kernels", list_of(a.dispatches, [&](const auto& d) {
                             return kernel_json(d, programs);
                         }));
        out.emplace_back("kernel_cycles", kernel_cycles(a));
        out.emplace_back("kernel_totals", list_of(kernel_totals(a, programs), total_json));
        if (profile)
            out.emplace_back("pcs", list_of(a.instructions, [&](const auto& i) {
                                 return instruction_json(i, programs);
                             }));
    }
    if (!a.gaps.empty())
        out.emplace_back("gaps", gaps_json(gap_totals(a, start, cycles, programs)));
    if (!a.packets.empty())
        out.emplace_back("packets", list_of(a.packets, packet_json));
    if (!a.microcode.empty())
        out.emplace_back("microcode", list_of(a.microcode, microcode_json));
    if (a.series_interval != 0)
        out.emplace_back("series", series_json(a));
    return out;
}

}  // namespace archipelago::report
