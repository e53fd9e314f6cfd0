// SPDX-License-Identifier: Apache-2.0
#include "models/spi/pixel_exports.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/common/error.h"
#include "models/common/text.h"
#include "models/gcn/wave_name.h"

namespace archipelago::spi {
namespace {

using namespace export_target;
using Target = raster::PixelExports::Target;

std::string target_name(unsigned target) {
    return target < kColours  ? "MRT" + std::to_string(target)
           : target == kDepth ? std::string("MRTZ")
                              : std::string("NULL");
}

// Quads from `first` to before `end` become the first ones of `batch`.
void copy_quads(const PackedWave& from, unsigned first, unsigned end, raster::QuadBatch& batch) {
    batch.quads = static_cast<uint8_t>(end - first);
    batch.rb = from.rb[first];
    batch.shader_engine = from.shader_engine;
    batch.depth_done = from.depth_done[first];
    batch.killed = from.killed[first];
    std::copy(from.x.begin() + first, from.x.begin() + end, batch.x.begin());
    std::copy(from.y.begin() + first, from.y.begin() + end, batch.y.begin());
    std::copy(from.coverage.begin() + 4 * first, from.coverage.begin() + 4 * end,
              batch.coverage.begin());
    if (batch.killed)
        std::fill_n(batch.coverage.begin(), 4 * batch.quads, uint16_t{0});
    batch.primitive = from.primitives[from.primitive[first]];
}

void copy_lanes(const Target& from, unsigned first, unsigned lanes, Target& to) {
    to.enabled = from.enabled;
    to.compressed = from.compressed;
    if (from.enabled == 0)
        return;
    const unsigned components = from.compressed ? 2 : 4;
    for (unsigned k = 0; k < components; ++k)
        std::copy_n(from.data[k].begin() + first, lanes, to.data[k].begin());
}

// `from` has no other use: where all its lanes are asked for, its memory is exchanged.
void move_exports(raster::PixelExports& from, unsigned first, unsigned lanes, bool all,
                  raster::PixelExports& to) {
    to.valid = from.valid >> first;
    to.colours = from.colours;
    to.has_depth = from.has_depth;
    if (from.has_depth)
        copy_lanes(from.depth, first, lanes, to.depth);
    if (all) {
        std::swap(from.colour, to.colour);
        return;
    }
    to.colour.resize(from.colour.size());
    for (size_t n = 0; n < from.colour.size(); ++n)
        copy_lanes(from.colour[n], first, lanes, to.colour[n]);
}

}  // namespace

void refuse_export(const ExportMessage& m, const std::string& why) {
    throw MachineStop(StopKind::BadInput, wave_name(m.wave) + " pc " + hex(m.wave.pc), why);
}

void PixelExportBuffer::open(std::unique_ptr<PackedWave>& packed, const StageProgram& program) {
    if (free_.empty())
        free_.push_back(std::make_unique<Entry>());
    entries_.push_back(std::move(free_.back()));
    free_.pop_back();
    Entry& e = *entries_.back();
    std::swap(e.packed, packed);
    packed->quads = 0;
    packed->primitives.clear();
    e.exports.valid = ~uint64_t{0};
    e.exports.colours = 0;
    e.exports.has_depth = false;
    for (Target& target : e.exports.colour)
        target.enabled = 0;
    e.vectors = program.color_vectors();
    vectors_ += e.vectors;
    e.exported = e.done = e.ended = false;
}

PixelExportBuffer::Entry* PixelExportBuffer::find(uint32_t draw, uint32_t wave) const {
    const auto key = [](const auto& e) { return std::pair{e->packed->draw, e->packed->wave}; };
    const std::pair wanted{draw, wave};
    const auto it =
        std::lower_bound(entries_.begin(), entries_.end(), wanted,
                         [&](const auto& e, const auto& value) { return key(e) < value; });
    return it != entries_.end() && key(*it) == wanted ? it->get() : nullptr;
}

void PixelExportBuffer::take(const ExportMessage& m) {
    Entry* const e = find(m.wave.dispatch, m.wave.group);
    if (e == nullptr)
        throw MachineStop(StopKind::Protocol, "exports", "an export of a wave not launched");
    if (m.target > kNull)
        refuse_export(
            m, "a PS wave exports to target " + std::to_string(m.target) + ", which is a vertex's");
    if (e->done)
        refuse_export(m, "exports to " + target_name(m.target) + " after its last export (DONE)");
    raster::PixelExports& exports = e->exports;
    const bool again = m.target < kColours ? (exports.colours >> m.target & 1) != 0
                                           : m.target == kDepth && exports.has_depth;
    if (again)
        refuse_export(m, "exports to " + target_name(m.target) + " twice");
    e->exported = true;
    e->done = m.done;
    if (m.valid_mask && e->vectors != 0)
        exports.valid = m.exec;
    if (m.target == kNull)
        return;
    if (m.target < kColours && exports.colour.size() <= m.target)
        exports.colour.resize(m.target + 1);
    Target& to = m.target == kDepth ? exports.depth : exports.colour[m.target];
    to.enabled = m.enabled;
    to.compressed = m.compressed;
    for (unsigned k = 0; k < (m.compressed ? 2u : 4u); ++k)
        to.data[k] = m.data[k];
    if (m.target == kDepth)
        exports.has_depth = true;
    else
        exports.colours |= static_cast<uint8_t>(1u << m.target);
}

void PixelExportBuffer::ended(uint32_t draw, uint32_t wave) {
    Entry* const e = find(draw, wave);
    if (e == nullptr)
        return;
    const auto refuse_end = [&](const char* why) {
        throw MachineStop(StopKind::BadInput, wave_name(ShaderStage::Ps, draw, wave), why);
    };
    if (!e->exported)
        refuse_end("ended without an export: a PS has at least one, to NULL if to nothing else");
    if (!e->done)
        refuse_end("ended without its last colour, depth or null export (DONE)");
    // Targets up to the last one exported.
    unsigned targets = 0;
    while (e->exports.colours >> targets != 0)
        ++targets;
    e->exports.colour.resize(targets);
    e->ended = true;
}

bool PixelExportBuffer::next(raster::ShadedBatch& batch) {
    Entry& e = *entries_.front();
    const PackedWave& p = *e.packed;
    unsigned end = first_ + 1;
    while (end < p.quads && p.primitive[end] == p.primitive[first_] && p.rb[end] == p.rb[first_] &&
           p.depth_done[end] == p.depth_done[first_] && p.killed[end] == p.killed[first_])
        ++end;
    copy_quads(p, first_, end, batch.quads);
    move_exports(e.exports, 4 * first_, 4 * (end - first_), first_ == 0 && end == p.quads,
                 batch.exports);
    first_ = end;
    if (end < p.quads)
        return false;
    first_ = 0;
    vectors_ -= e.vectors;
    free_.push_back(std::move(entries_.front()));
    entries_.pop_front();
    return true;
}

void PixelExportBuffer::reset() {
    entries_.clear();
    first_ = vectors_ = 0;
}

}  // namespace archipelago::spi
