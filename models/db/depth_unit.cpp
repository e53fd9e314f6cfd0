// SPDX-License-Identifier: Apache-2.0
#include "models/db/depth_unit.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "models/common/error.h"
#include "models/db/depth_value.h"
#include "models/raster/export_format.h"

namespace archipelago::db {
namespace {

using raster::ExportFormat;
using raster::PixelMemory;
using raster::QuadBatch;
using raster::ShadedBatch;

[[noreturn]] void refuse(const QuadBatch& batch, const std::string& why) {
    throw MachineStop(StopKind::BadInput, "db: draw " + std::to_string(batch.primitive.draw), why);
}

// A mask of 1, 2, 4, 8 or 16 samples, repeated for all sixteen.
uint16_t repeated(uint32_t mask, unsigned log2_count) {
    constexpr uint32_t kOnes[] = {0x1, 0x3, 0xF, 0xFF, 0xFFFF};
    constexpr uint32_t kOnce[] = {0xFFFF, 0x5555, 0x1111, 0x0101, 0x0001};
    return static_cast<uint16_t>((mask & kOnes[log2_count]) * kOnce[log2_count]);
}

// Lanes with one of these samples.
uint64_t lanes_with(const QuadBatch& batch, uint16_t samples) {
    LaneFlags flags;
    for (unsigned lane = 0; lane < kLanes; ++lane)
        flags[lane] = (batch.coverage[lane] & samples) != 0 ? 1 : 0;
    const uint64_t of_batch =
        batch.quads == 16 ? ~uint64_t{0} : (uint64_t{1} << 4 * batch.quads) - 1;
    return mask_of(flags) & of_batch;
}

// Closes the gaps of quads without covered samples.
void remove_empty(QuadBatch& batch) {
    unsigned kept = 0;
    for (unsigned quad = 0; quad < batch.quads; ++quad) {
        uint64_t covered;
        std::memcpy(&covered, &batch.coverage[4 * size_t{quad}], sizeof covered);
        if (covered == 0)
            continue;
        batch.x[kept] = batch.x[quad];
        batch.y[kept] = batch.y[quad];
        std::memcpy(&batch.coverage[4 * size_t{kept}], &covered, sizeof covered);
        ++kept;
    }
    std::fill(batch.coverage.begin() + 4 * kept, batch.coverage.begin() + 4 * batch.quads,
              uint16_t{0});
    batch.quads = static_cast<uint8_t>(kept);
}

void remove_all(QuadBatch& batch) {
    batch.coverage.fill(0);
    batch.quads = 0;
}

// Alpha of MRT0 as a number, of lanes that have exported it.
void read_alpha(ExportFormat format, const ShadedBatch& batch, Lanes<float>& alpha) {
    constexpr uint32_t kOne = 0x3F800000;
    raster::PixelExports::Vector components;
    raster::decode_exports(format, batch.exports.colour[0], 4u * batch.quads.quads, 0x8, kOne,
                           components);
    for (unsigned lane = 0; lane < 4u * batch.quads.quads; ++lane) {
        const uint32_t bits = components[3][lane];
        if (format == ExportFormat::Uint16)
            alpha[lane] = static_cast<float>(bits);
        else if (format == ExportFormat::Sint16)
            alpha[lane] = static_cast<float>(static_cast<int32_t>(bits));
        else
            alpha[lane] = raster::float_of(bits);
    }
}

void alpha_to_mask(const AlphaToMask& a, ShadedBatch& batch) {
    if ((batch.exports.colours & 1) == 0)
        return;
    Lanes<float> alpha;
    read_alpha(a.format, batch, alpha);
    const unsigned count = 1u << a.log2_samples;
    for (unsigned lane = 0; lane < 4u * batch.quads.quads; ++lane) {
        uint32_t mask = 0;
        for (unsigned k = 0; k < count; ++k)
            mask |= uint32_t{alpha[lane] * static_cast<float>(count) >
                             static_cast<float>(k) + a.threshold[lane % 4]}
                    << k;
        batch.quads.coverage[lane] &= repeated(mask, a.log2_samples);
    }
}

}  // namespace

void DepthUnit::reset() {
    zpass_.fill(0);
    counts_ = DepthCounts();
}

void DepthUnit::count(const DepthState& s, const QuadBatch& batch) {
    uint64_t samples = 0;
    for (unsigned sample = 0; sample < 1u << s.log2_counted; ++sample)
        samples += static_cast<unsigned>(
            __builtin_popcountll(lanes_with(batch, repeated(1u << sample, s.log2_counted))));
    zpass_[batch.rb % kMaxRenderBackends] += samples;
}

// ---- before the shader --------------------------------------------------------------------------

void DepthUnit::early(const DepthState& s, QuadBatch& batch, PixelMemory& memory) {
    if (batch.primitive.kind != raster::Primitive::Kind::Primitive || batch.quads == 0)
        return;
    if ((s.hierarchical.depth || s.hierarchical.bounds) && tile_fails(s, batch, memory)) {
        ++counts_.tiles_failed;
        batch.killed = s.shades_failed_tiles;
        if (!batch.killed)
            remove_all(batch);
        return;
    }
    if (s.order == Order::Early) {
        if (s.uses_z || s.uses_stencil)
            test(s, batch, memory, s.tests, true, nullptr);
        batch.depth_done = true;
        if (s.counts && !s.counts_late)
            count(s, batch);
        if (s.drops_all)
            remove_all(batch);
        else if (!s.colour_on_pass || s.colour_on_fail)
            select_colour(s, batch);
    } else if (s.order == Order::ReZ) {
        test(s, batch, memory, s.early_tests, false, nullptr);
    }
    remove_empty(batch);
}

// Of the batch's tile, by the range of what is stored.
bool DepthUnit::tile_fails(const DepthState& s, const QuadBatch& batch, PixelMemory& memory) {
    const uint32_t x = batch.x[0] & ~7u, y = batch.y[0] & ~7u;
    check_bounds(s, batch, 0);
    const uint64_t at = surface::metadata_address(s.htile_surface, x, y,
                                                  s.first_slice + uint32_t{batch.primitive.layer})
                            .byte;
    const HtileWord tile = decode_htile(memory.load<uint32_t>(at), s);
    const TileRange range =
        tile.z_cleared ? tile_range(s.format, s.z_clear, s.z_clear) : tile.range;
    const double low = lower_bound(range), high = upper_bound(range);
    if (s.hierarchical.bounds && (high < s.bounds_min || low > s.bounds_max))
        return true;
    return s.hierarchical.depth && primitive_fails(s, batch.primitive, x, y, low, high);
}

// ---- after the shader ---------------------------------------------------------------------------

void DepthUnit::late(const DepthState& s, ShadedBatch& batch, PixelMemory& memory) {
    QuadBatch& quads = batch.quads;
    if (quads.primitive.kind != raster::Primitive::Kind::Primitive || quads.quads == 0)
        return;
    if (quads.killed) {
        quads.coverage.fill(0);
        return;
    }
    mask_coverage(s, batch);
    if (!quads.depth_done && (s.uses_z || s.uses_stencil)) {
        const bool exports = s.z_export || s.test_export || s.operand_export;
        if (exports)
            read_exports(s, batch, values_);
        test(s, quads, memory, s.tests, true, exports ? &values_ : nullptr);
    }
    if (s.counts && s.counts_late)
        count(s, quads);
    if (!quads.depth_done && (!s.colour_on_pass || s.colour_on_fail))
        select_colour(s, quads);
    if (s.copies())
        copy_to_colour(s, batch, memory);
    if (s.colour_off)
        quads.coverage.fill(0);
}

void DepthUnit::mask_coverage(const DepthState& s, ShadedBatch& batch) {
    QuadBatch& quads = batch.quads;
    const unsigned lanes = 4u * quads.quads;
    if (s.kills)
        for (unsigned lane = 0; lane < lanes; ++lane)
            if ((batch.exports.valid >> lane & 1) == 0)
                quads.coverage[lane] = 0;
    if (s.alpha_to_mask.enable)
        alpha_to_mask(s.alpha_to_mask, batch);
    if (!s.z_export && !s.test_export && !s.operand_export && !s.mask_export)
        return;
    if (!batch.exports.has_depth) {
        if (quads.covered() != 0)
            refuse(quads,
                   "DB_SHADER_CONTROL expects an export of depth (MRTZ), the shader has none");
        return;
    }
    const bool packed = s.export_format == ExportFormat::Uint16;
    if (batch.exports.depth.compressed != packed)
        refuse(quads, "the export of depth (MRTZ) is not of the format of SPI_SHADER_Z_FORMAT");
    if (s.mask_export)
        for (unsigned lane = 0; lane < lanes; ++lane)
            quads.coverage[lane] &=
                repeated(batch.exports.depth.data[packed ? 1 : 2][lane], s.log2_mask_samples);
}

void DepthUnit::read_exports(const DepthState& s, const ShadedBatch& batch, ShaderValues& values) {
    const bool packed = s.export_format == ExportFormat::Uint16;
    const auto& data = batch.exports.depth.data;
    for (unsigned lane = 0; lane < 4u * batch.quads.quads; ++lane) {
        const uint32_t stencil = packed ? data[0][lane] >> 16 : data[1][lane];
        values.z[lane] = data[0][lane];
        values.test[lane] = static_cast<uint8_t>(stencil);
        values.operand[lane] = static_cast<uint8_t>(stencil >> 8);
    }
}

// Stored depth and stencil of one sample as colour of MRT0.
void DepthUnit::copy_to_colour(const DepthState& s, ShadedBatch& batch, PixelMemory& memory) {
    open(s, batch.quads, memory);
    if (s.copies_z && s.uses_z)
        load_z(s, memory);
    if (s.copies_stencil && s.uses_stencil)
        load_stencil(s, memory);
    raster::PixelExports& exports = batch.exports;
    if (exports.colour.empty())
        exports.colour.resize(1);
    exports.colours |= 1;
    raster::PixelExports::Target& target = exports.colour[0];
    target.enabled = 0xF;
    target.compressed = false;
    for (unsigned lane = 0; lane < 4u * batch.quads.quads; ++lane) {
        const double z =
            s.copies_z && s.uses_z ? depth_of(s.format, work_.stored_z[s.copy_sample][lane]) : 0;
        target.data[0][lane] = raster::bits_of(static_cast<float>(z));
        target.data[1][lane] =
            s.copies_stencil && s.uses_stencil ? work_.stored_stencil[s.copy_sample][lane] : 0;
        target.data[2][lane] = target.data[3][lane] = 0;
    }
}

// ---- coverage -----------------------------------------------------------------------------------

// Sample n of the buffers stands for samples n, n + N, ... of the coverage.
void DepthUnit::begin_coverage(const DepthState& s, const QuadBatch& batch) {
    work_.coverage = batch.coverage;
    for (unsigned sample = 0; sample < 1u << s.log2_samples; ++sample)
        work_.covered[sample] = lanes_with(batch, repeated(1u << sample, s.log2_samples));
}

// Of the coverage at the beginning of the tests, the samples with these lanes.
void DepthUnit::keep(const DepthState& s, const SampleMasks& lanes, QuadBatch& batch) const {
    const unsigned samples = 1u << s.log2_samples;
    if (std::equal(lanes.begin(), lanes.begin() + samples, work_.covered.begin())) {
        batch.coverage = work_.coverage;
        return;
    }
    Lanes<uint16_t> kept{};
    for (unsigned sample = 0; sample < samples; ++sample) {
        const uint16_t stands_for = repeated(1u << sample, s.log2_samples);
        for (unsigned lane = 0; lane < work_.lanes; ++lane)
            kept[lane] |= (lanes[sample] >> lane & 1) != 0 ? stands_for : 0;
    }
    for (unsigned lane = 0; lane < kLanes; ++lane)
        batch.coverage[lane] = work_.coverage[lane] & kept[lane];
}

// After the tests of the batch: what of it is written to colour.
void DepthUnit::select_colour(const DepthState& s, QuadBatch& batch) {
    if (!s.uses_z && !s.uses_stencil) {
        if (!s.colour_on_pass)
            batch.coverage.fill(0);
        return;
    }
    SampleMasks lanes{};
    for (unsigned sample = 0; sample < 1u << s.log2_samples; ++sample)
        lanes[sample] = (s.colour_on_pass ? work_.passed[sample] : 0) |
                        (s.colour_on_fail ? work_.failed[sample] : 0);
    keep(s, lanes, batch);
}

// ---- tiles --------------------------------------------------------------------------------------

void DepthUnit::check_bounds(const DepthState& s, const QuadBatch& batch, unsigned quad) {
    if (s.first_slice + uint32_t{batch.primitive.layer} > s.last_slice)
        refuse(batch, "layer " + std::to_string(batch.primitive.layer) +
                          " is not in the slices of DB_DEPTH_VIEW");
    if (batch.x[quad] >= s.width || batch.y[quad] >= s.height)
        refuse(batch, "pixel (" + std::to_string(batch.x[quad]) + ", " +
                          std::to_string(batch.y[quad]) + ") is not in the depth buffer of " +
                          std::to_string(s.width) + " x " + std::to_string(s.height));
}

// Divides the batch into runs of quads of one tile and reads the HTILE words of them.
void DepthUnit::open(const DepthState& s, const QuadBatch& batch, PixelMemory& memory) {
    work_.batch = &batch;
    work_.lanes = 4u * batch.quads;
    work_.slice = s.first_slice + uint32_t{batch.primitive.layer};
    work_.runs = 0;
    for (unsigned quad = 0; quad < batch.quads; ++quad) {
        const unsigned in_tile = (batch.x[quad] >> 1 & 3) | (batch.y[quad] >> 1 & 3) << 2;
        if (quad == 0 || batch.x[quad] >> 3 != batch.x[quad - 1] >> 3 ||
            batch.y[quad] >> 3 != batch.y[quad - 1] >> 3) {
            check_bounds(s, batch, quad);
            work_.run[work_.runs] = TileRun();
            work_.run[work_.runs++].first = quad;
        }
        TileRun& run = work_.run[work_.runs - 1];
        run.end = quad + 1;
        run.quads |= static_cast<uint16_t>(1u << in_tile);
    }
    if (s.htile)
        for (unsigned i = 0; i < work_.runs; ++i) {
            TileRun& run = work_.run[i];
            run.address = surface::metadata_address(s.htile_surface, batch.x[run.first],
                                                    batch.y[run.first], work_.slice)
                              .byte;
            run.word = memory.load<uint32_t>(run.address);
            run.before = run.now = decode_htile(run.word, s);
            for (unsigned before = 0; before < i; ++before)
                if (work_.run[before].address == run.address)
                    work_.run[before].alone = run.alone = false;
            if (run.now.z_cleared)
                run.now.range = tile_range(s.format, s.z_clear, s.z_clear);
        }
}

// Later runs in the same tile continue with what this one has left.
void DepthUnit::close(const DepthState& s, unsigned number, PixelMemory& memory) {
    TileRun& run = work_.run[number];
    if (!s.htile)
        return;
    const uint32_t word = encode_htile(run.word, run.now, s, run.stencil_changes);
    if ((!(run.now == run.before) || run.stencil_changes) && word != run.word)
        memory.store(run.address, word);
    for (unsigned i = number + 1; !run.alone && i < work_.runs; ++i)
        if (work_.run[i].address == run.address) {
            work_.run[i].word = word;
            work_.run[i].before = work_.run[i].now = run.now;
        }
}

void DepthUnit::load_z(const DepthState& s, PixelMemory& memory) {
    const QuadBatch& batch = *work_.batch;
    for (unsigned i = 0; i < work_.runs; ++i) {
        const TileRun& run = work_.run[i];
        if (run.now.z_cleared)
            for (unsigned sample = 0; sample < 1u << s.log2_samples; ++sample)
                std::fill(work_.stored_z[sample].begin() + 4 * run.first,
                          work_.stored_z[sample].begin() + 4 * run.end, s.z_clear);
        else if (s.format == DepthFormat::Z16)
            load_quads<uint16_t>(s.z, work_.slice, batch, run.first, run.end, memory,
                                 work_.stored_z);
        else
            load_quads<uint32_t>(s.z, work_.slice, batch, run.first, run.end, memory,
                                 work_.stored_z);
    }
    if (s.format == DepthFormat::Z24)
        for (unsigned sample = 0; sample < 1u << s.log2_samples; ++sample)
            for (uint32_t& z : work_.stored_z[sample])
                z &= stored_bits(DepthFormat::Z24);
    work_.z_loaded = true;
}

void DepthUnit::load_stencil(const DepthState& s, PixelMemory& memory) {
    for (unsigned i = 0; i < work_.runs; ++i) {
        const TileRun& run = work_.run[i];
        if (run.now.stencil_cleared)
            for (unsigned sample = 0; sample < 1u << s.log2_samples; ++sample)
                std::fill(work_.stored_stencil[sample].begin() + 4 * run.first,
                          work_.stored_stencil[sample].begin() + 4 * run.end, s.stencil_clear);
        else
            load_quads<uint8_t>(s.stencil, work_.slice, *work_.batch, run.first, run.end, memory,
                                work_.stored_stencil);
    }
}

// ---- writes -------------------------------------------------------------------------------------

uint64_t DepthUnit::lanes_of(const TileRun& run) {
    const uint64_t below_end = run.end == 16 ? ~uint64_t{0} : (uint64_t{1} << 4 * run.end) - 1;
    return below_end & ~uint64_t{0} << 4 * run.first;
}

bool DepthUnit::fills_tile(const DepthState& s, const TileRun& run, const SampleMasks& written) {
    const uint64_t lanes = lanes_of(run);
    bool all = run.quads == 0xFFFF;
    for (unsigned sample = 0; sample < 1u << s.log2_samples; ++sample)
        all &= (written[sample] & lanes) == lanes;
    return all;
}

bool DepthUnit::touches(const DepthState& s, const TileRun& run, const SampleMasks& written) {
    uint64_t lanes = 0;
    for (unsigned sample = 0; sample < 1u << s.log2_samples; ++sample)
        lanes |= written[sample];
    return (lanes & lanes_of(run)) != 0;
}

void DepthUnit::expand_z(const DepthState& s, TileRun& run, PixelMemory& memory) {
    if (!run.now.z_cleared)
        return;
    const unsigned x = work_.batch->x[run.first], y = work_.batch->y[run.first];
    if (s.format == DepthFormat::Z16)
        fill_tile(s.z, work_.slice, x, y, static_cast<uint16_t>(s.z_clear), memory);
    else
        fill_tile(s.z, work_.slice, x, y, s.z_clear, memory);
    run.now.z_cleared = false;
    ++counts_.tiles_expanded;
}

void DepthUnit::expand_stencil(const DepthState& s, TileRun& run, PixelMemory& memory) {
    if (!run.now.stencil_cleared)
        return;
    fill_tile(s.stencil, work_.slice, work_.batch->x[run.first], work_.batch->y[run.first],
              s.stencil_clear, memory);
    run.now.stencil_cleared = false;
    ++counts_.tiles_expanded;
}

void DepthUnit::write_z(const DepthState& s, TileRun& run, PixelMemory& memory) {
    if (!touches(s, run, work_.z_written))
        return;
    const bool fills = fills_tile(s, run, work_.z_written);
    update_range(s, run, fills);
    if (s.htile && s.keeps_clear_z && fills) {
        run.now.z_cleared = true;
        ++counts_.tiles_cleared;
        return;
    }
    if (!fills)
        expand_z(s, run, memory);
    run.now.z_cleared = false;
    const auto& from = work_.z_rows == 1 ? spread_z(s) : work_.new_z;
    if (s.format == DepthFormat::Z16)
        store_quads<uint16_t>(s.z, work_.slice, *work_.batch, run.first, run.end, work_.z_written,
                              from, memory);
    else
        store_quads<uint32_t>(s.z, work_.slice, *work_.batch, run.first, run.end, work_.z_written,
                              from, memory);
}

void DepthUnit::write_stencil(const DepthState& s, TileRun& run, PixelMemory& memory) {
    if (!touches(s, run, work_.stencil_written))
        return;
    run.stencil_changes = s.htile_has_stencil;
    const bool fills = fills_tile(s, run, work_.stencil_written);
    bool all_clear = s.htile && s.htile_has_stencil && s.keeps_clear_stencil && fills;
    for (unsigned sample = 0; all_clear && sample < 1u << s.log2_samples; ++sample)
        for (unsigned lane = 4 * run.first; lane < 4 * run.end; ++lane)
            all_clear &= work_.stored_stencil[sample][lane] == s.stencil_clear;
    if (all_clear) {
        run.now.stencil_cleared = true;
        ++counts_.tiles_cleared;
        return;
    }
    if (!fills)
        expand_stencil(s, run, memory);
    run.now.stencil_cleared = false;
    store_quads<uint8_t>(s.stencil, work_.slice, *work_.batch, run.first, run.end,
                         work_.stencil_written, work_.stored_stencil, memory);
}

// ---- ranges -------------------------------------------------------------------------------------

// Exact when all samples of the tile are known, else what was known before, widened.
void DepthUnit::update_range(const DepthState& s, TileRun& run, bool fills) {
    if (!s.htile)
        return;
    const bool all_known = fills || (work_.z_loaded && run.quads == 0xFFFF && run.alone);
    RangeOfValues values(s.format);
    for (unsigned sample = 0; sample < 1u << s.log2_samples; ++sample)
        for (unsigned lane = 4 * run.first; lane < 4 * run.end; ++lane)
            if ((work_.z_written[sample] >> lane & 1) != 0)
                values.include(work_.new_z[work_.z_rows == 1 ? 0 : sample][lane]);
            else if (all_known)
                values.include(work_.stored_z[sample][lane]);
    if (all_known)
        run.now.range = values.range();
    else
        run.now.range.include(values.range());
}

void DepthUnit::resummarize(const DepthState& s, TileRun& run, PixelMemory& memory) {
    if (!s.htile || !s.uses_z || run.now.z_cleared)
        return;
    QuadBatch tile;
    tile.quads = QuadBatch::kQuads;
    for (unsigned quad = 0; quad < QuadBatch::kQuads; ++quad) {
        tile.x[quad] = static_cast<uint16_t>((work_.batch->x[run.first] & ~7u) + quad % 4 * 2);
        tile.y[quad] = static_cast<uint16_t>((work_.batch->y[run.first] & ~7u) + quad / 4 * 2);
    }
    SampleLanes<uint32_t> z;
    if (s.format == DepthFormat::Z16)
        load_quads<uint16_t>(s.z, work_.slice, tile, 0, tile.quads, memory, z);
    else
        load_quads<uint32_t>(s.z, work_.slice, tile, 0, tile.quads, memory, z);
    RangeOfValues values(s.format);
    for (unsigned sample = 0; sample < 1u << s.log2_samples; ++sample)
        for (const uint32_t stored : z[sample])
            values.include(stored & stored_bits(s.format));
    run.now.range = values.range();
}

}  // namespace archipelago::db
