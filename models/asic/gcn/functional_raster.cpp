// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/functional_raster.h"

#include <algorithm>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/gcn/vgt_event.h"

namespace archipelago::gcn {

uint8_t* PixelPages::line(uint64_t line_address, bool) {
    const uint64_t number = line_address / kPageBytes;
    Page& page = pages_[number % kPages];
    if (page.number != number || page.vmid != vmid_) {
        uint8_t* const host = memory_.page(number * kPageBytes, vmid_);
        if (host == nullptr)
            throw MachineStop(StopKind::Fault, "raster back end",
                              refused_address(MemStatus::Unmapped, line_address));
        page = {number, vmid_, host};
    }
    return page.host + line_address % kPageBytes;
}

FunctionalRaster::FunctionalRaster(const ChipConfig& config, const raster::RasterCore& registers,
                                   FunctionalGraphics& graphics, cu::FunctionalMemory& memory)
    : config_(config),
      graphics_(graphics),
      memory_(memory),
      registers_(registers),
      depth_states_(config.db.map, tiling_) {
    graphics.expect_pixels(registers.sets(0));
    graphics.on_vertices = [this](VertexExports v) { positions_.add(std::move(v)); };
    graphics.on_shaded = [this](raster::ShadedBatch& batch) { finish(batch); };
}

const pa::SetupState& FunctionalRaster::setup_state(unsigned context) {
    return setup_states_.get(registers_.sets(0), context, [this](const raster::RegisterView& view) {
        return pa::decode(config_.pa.map, view);
    });
}

const sc::ScanState& FunctionalRaster::scan_state(unsigned context) {
    return scan_states_.get(registers_.sets(0), context, [&](const raster::RegisterView& view) {
        std::array<uint32_t, sc::kMaxEngines> words{};
        for (unsigned se = 0; se < config_.shader_engines; ++se)
            words[se] = registers_.sets(se).get(config_.pa.map.PA_SC_RASTER_CONFIG, context);
        return sc::decode_scan_state(config_.sc.map, view, words, config_.sc.rbs);
    });
}

const db::DepthState& FunctionalRaster::depth_state(unsigned context) {
    return depth_states_.get(registers_.sets(0), context);
}

const cb::ColourState& FunctionalRaster::colour_state(unsigned context) {
    if (tiling_changes_ != tiling_.changes) {
        colour_states_.forget();
        tiling_changes_ = tiling_.changes;
    }
    return colour_states_.get(registers_.sets(0), context,
                              [this](const raster::RegisterView& view) {
                                  return cb::decode_colour_state(config_.cb.map, view, tiling_);
                              });
}

void FunctionalRaster::take(const PrimitiveMessage& message) {
    primitives_.clear();
    if (message.kind == PrimitiveMessage::Kind::Primitive)
        setup_.setup(setup_state(message.context), message, positions_, primitives_,
                     setup_counters_);
    else
        setup_.pass(message, primitives_);
    for (const raster::Primitive& primitive : primitives_)
        draw(primitive);
    if (message.kind == PrimitiveMessage::Kind::DrawEnd)
        positions_.release_through(message.draw);
}

void FunctionalRaster::draw(const raster::Primitive& primitive) {
    if (primitive.kind != raster::Primitive::Kind::Primitive) {
        raster::QuadBatch marker;
        marker.primitive = primitive;
        graphics_.run(marker);
        return;
    }
    const sc::ScanState& scan = scan_state(primitive.context);
    const db::DepthState& depth = depth_state(primitive.context);
    scan_(scan, primitive, [&](raster::QuadBatch& batch) {
        memory_.use(primitive.vmid);
        depth_.early(depth, batch, memory_);
        if (batch.quads != 0)
            graphics_.run(batch);
    });
}

void FunctionalRaster::finish(raster::ShadedBatch& batch) {
    const unsigned context = batch.quads.primitive.context;
    memory_.use(batch.quads.primitive.vmid);
    depth_.late(depth_state(context), batch, memory_);
    colour_.write(colour_state(context), batch, memory_);
}

void FunctionalRaster::event(uint8_t type) {
    pa::count_by_event(config_.pa.map, type, setup_counters_.pipeline);
}

void FunctionalRaster::sample(SampleCounts& counts) const {
    for (unsigned rb = 0;
         counts.event_type == vgt_event::kZpassDone && rb < SampleCounts::kMaxDepthBlocks; ++rb)
        counts.counts[rb] = depth_.zpass(rb);
    if (counts.event_type != vgt_event::kSamplePipelinestat)
        return;
    counts.counts[SampleCounts::kClipperInvocations] = setup_counters_.pipeline.invocations;
    counts.counts[SampleCounts::kClipperPrimitives] = setup_counters_.pipeline.primitives;
}

void FunctionalRaster::reset() {
    positions_.clear();
    setup_.reset();
    setup_counters_ = {};
    depth_.reset();
}

void FunctionalRaster::archive(Archive& a) {
    a.at_rest(positions_.empty(), "a draw is at work");
    a(tiling_, setup_, setup_counters_, depth_);
}

}  // namespace archipelago::gcn
