// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/raster.h"

#include <algorithm>

#include "models/asic/gcn/soft_reset_bits.h"
#include "models/common/archive.h"
#include "models/gcn/vgt_event.h"

namespace archipelago::gcn {

using BackEnd = tc::CacheActionBroadcaster::BackEnd;

EventLink<raster::ZpassCount>& ZpassGatherer::add() {
    in_.push_back(std::make_unique<EventLink<raster::ZpassCount>>());
    in_.back()->set_consumer(this);
    counts_.emplace_back();
    return *in_.back();
}

bool ZpassGatherer::tick(Cycle now) {
    bool progress = false;
    for (unsigned rb = 0; rb < in_.size(); ++rb)
        for (; in_[rb]->ready(now); progress = true)
            counts_[rb].push_back(in_[rb]->take().count);
    const auto come = [](const std::deque<uint64_t>& counts) { return !counts.empty(); };
    while (std::all_of(counts_.begin(), counts_.end(), come) && to_samples->can_push(now)) {
        SampleCounts sample;
        sample.event_type = vgt_event::kZpassDone;
        for (unsigned rb = 0; rb < counts_.size(); ++rb) {
            sample.counts[rb] = counts_[rb].front();
            counts_[rb].pop_front();
        }
        to_samples->push(now, sample);
        progress = true;
    }
    return progress;
}

void ZpassGatherer::reset() {
    for (const auto& in : in_)
        in->clear();
    for (std::deque<uint64_t>& counts : counts_)
        counts.clear();
}

void ZpassGatherer::archive(Archive& a) {
    for (const auto& in : in_)
        in->archive(a);
    a(counts_);
}

Raster::Raster(const Build& build, FrontEnd& front, Compute& compute) {
    raster::RasterCore& registers = front.block<raster::RasterBlock>();
    registers.add_copy(front.pa.register_writes);
    registers.add_copy(front.spi.context_writes);
    // An engine without render back ends scans nothing.
    for (unsigned se = 0; se * sc::ScSpec::kRbs < build.config.rbs(); ++se)
        add_engine(build, front, se);
    for (unsigned rb = 0; rb < build.config.rbs(); ++rb)
        add_rb(build, front, compute, rb);
    zpass.to_samples.connect(front.cp.expect_depth_counts());
    build.net.add(build.engine, zpass, "zpass");
}

void Raster::add_engine(const Build& build, FrontEnd& front, unsigned se) {
    sc::ScSpec spec = build.config.sc;
    spec.shader_engine = se;
    scs.push_back(std::make_unique<sc::ScCore>(spec));
    sc::ScCore& sc = *scs.back();
    build.net.add(build.engine, sc, indexed("sc", se));
    front.block<raster::RasterBlock>().add_copy(sc.register_writes);
    front.pa.to_scan[se].connect(build.net.channel(sc.primitives));
    front.soft_reset.add(SoftResetBits::kScan, sc);
}

void Raster::add_rb(const Build& build, FrontEnd& front, Compute& compute, unsigned rb) {
    constexpr unsigned kRbsOfEngine = sc::ScSpec::kRbs;
    const unsigned se = rb / kRbsOfEngine, number = rb % kRbsOfEngine;
    asic::Netlist& net = build.net;
    gb::GbCore& gb = front.block<gb::GbBlock>();

    db::DbSpec depth = build.config.db;
    depth.rb = rb;
    dbs.push_back(std::make_unique<db::DbCore>(depth));
    db::DbCore& db = *dbs.back();
    net.add(build.engine, db, indexed("db", rb));
    cb::CbSpec colour = build.config.cb;
    colour.rb = rb;
    cbs.push_back(std::make_unique<cb::CbCore>(colour));
    cb::CbCore& cb = *cbs.back();
    net.add(build.engine, cb, indexed("cb", rb));

    scs[se]->to_rb[number].connect(net.channel(db.early));
    db.to_spi.connect(net.channel(front.spi.from_rb(rb)));
    front.spi.to_rb[se][number].connect(net.channel(db.late));
    db.to_cb.connect(net.channel(cb.batches));
    cb.done.connect(front.spi.from_cb(rb));
    db.zpass.connect(zpass.add());

    for (EventLink<RegRequest>* copy : {&db.register_writes, &cb.register_writes})
        front.block<raster::RasterBlock>().add_copy(*copy);
    db.set_tiling(gb.tiling());
    cb.set_tiling(gb.tiling());
    db.connect_tiling(gb.add_unit());
    cb.connect_tiling(gb.add_unit());

    compute.actions.add_back_end(BackEnd::Depth, db.flushes, db.empty);
    compute.actions.add_back_end(BackEnd::Colour, cb.flushes, cb.empty);
    db.flush_done.connect(compute.actions.flush_done);
    cb.flush_done.connect(compute.actions.flush_done);
    front.soft_reset.add(SoftResetBits::kDepth, db);
    front.soft_reset.add(SoftResetBits::kColour, cb);
}

void Raster::continue_with_registers(FrontEnd& front) {
    const raster::RasterCore& registers = front.block<raster::RasterBlock>();
    front.pa.continue_with(registers.sets(0));
    front.spi.continue_with(registers.sets(0));
    for (unsigned se = 0; se < scs.size(); ++se)
        scs[se]->continue_with(registers.sets(se));
    const surface::TilingRegisters& tiling = front.block<gb::GbBlock>().tiling();
    for (unsigned rb = 0; rb < dbs.size(); ++rb) {
        dbs[rb]->continue_with(registers.sets(0));
        cbs[rb]->continue_with(registers.sets(0));
        dbs[rb]->set_tiling(tiling);
        cbs[rb]->set_tiling(tiling);
    }
}

std::vector<asic::HubClient> Raster::hub_clients(const Build& build) {
    std::vector<asic::HubClient> clients;
    for (unsigned rb = 0; rb < dbs.size(); ++rb) {
        db::DbCore& db = *dbs[rb];
        cb::CbCore& cb = *cbs[rb];
        clients.push_back(
            {indexed("db", rb) + "_hub", {build.engine, db.from_memory, db.to_memory}});
        clients.push_back(
            {indexed("cb", rb) + "_hub", {build.engine, cb.from_memory, cb.to_memory}});
    }
    return clients;
}

}  // namespace archipelago::gcn
