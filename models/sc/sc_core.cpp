// SPDX-License-Identifier: Apache-2.0
#include "models/sc/sc_core.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/archive.h"
#include "models/sc/scan.h"

namespace archipelago::sc {
namespace {

using raster::Primitive;

ScSpec checked(const ScSpec& spec) {
    const std::vector<std::string> problems = spec.problems();
    if (!problems.empty())
        throw std::invalid_argument("sc." + problems.front());
    return spec;
}

}  // namespace

std::vector<std::string> ScSpec::problems() const {
    std::vector<std::string> found;
    const auto need = [&](bool holds, const char* what) {
        if (!holds)
            found.emplace_back(what);
    };
    need(shader_engine < kMaxEngines, "shader_engine: 0 to 3");
    need((rbs.present >> kRbs * shader_engine & 0xF) != 0,
         "rbs: at least one of the shader engine's");
    need(primitives_per_cycle >= 1, "primitives_per_cycle: at least 1");
    need(supertiles_per_cycle >= 1, "supertiles_per_cycle: at least 1");
    need(tiles_per_cycle >= 1, "tiles_per_cycle: at least 1");
    need(quads_per_cycle >= 1, "quads_per_cycle: at least 1");
    need(tile_queue >= 1, "tile_queue: at least 1");
    need(latency >= 1, "latency: at least 1");
    need(register_latency >= 1, "register_latency: at least 1");
    return found;
}

ScCore::ScCore(const ScSpec& spec)
    : primitives(spec.primitives, "sc.primitives"),
      register_writes(spec.register_latency),
      spec_(checked(spec)),
      rbs_(spec.rbs.present >> ScSpec::kRbs * spec.shader_engine & 0xF),
      sets_(spec.map.context, spec.map.GFX_COPY_STATE) {
    add_inputs(primitives, register_writes);
    if (spec_.map.PA_SC_RASTER_CONFIG.exists())
        sets_.preset(spec_.map.PA_SC_RASTER_CONFIG, spec_.raster_config);
}

void ScCore::reset() {
    Unit::reset();
    sets_.reset();
    decoded_.forget();
    state_ = ScState{};
    busy.reset();
}

void ScCore::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(!state_.walking && state_.leaving.empty(), "a primitive is on its way");
    a(sets_, state_.free_draw, state_.free_through, state_.draw, state_.draw_begin,
      state_.walk_stall, state_.quad_stall, state_.busy_since, state_.busy_cycles, state_.counters,
      busy);
}

bool ScCore::idle() const {
    const bool waiting = run_ != RunState::Draining && !primitives.empty();
    return !waiting && !state_.walking && state_.leaving.empty() && register_writes.empty();
}

void ScCore::write_register(const RegRequest& request) {
    const bool for_another = !request.se_broadcast && request.se != spec_.shader_engine &&
                             request.offset == spec_.map.PA_SC_RASTER_CONFIG;
    if (!for_another && sets_.write(request))
        ++state_.counters.register_writes;
}

const ScanState& ScCore::scan_state(unsigned context) {
    return decoded_.get(sets_, context, [this](const raster::RegisterView& registers) {
        return decode_scan_state(spec_.map, registers, spec_.rbs);
    });
}

bool ScCore::tick(Cycle now) {
    if (run_ == RunState::Paused)
        return false;
    bool progress = false;
    while (register_writes.ready(now)) {
        write_register(register_writes.take());
        progress = true;
    }
    progress |= send_quads(now);
    progress |= walk_on(now);
    const bool working = state_.walking || !state_.leaving.empty();
    note_stall(working, now, state_.busy_since, state_.busy_cycles);
    if (busy.latest() != working)
        busy.set(now, working);
    return progress;
}

// ---- quads -------------------------------------------------------------------------------------

// Quads of the oldest tile pass, so many a cycle; the tile leaves with the last of them.
bool ScCore::send_quads(Cycle now) {
    if (state_.leaving.empty()) {
        state_.quad_stall.note(now, QuadStall::None);
        return false;
    }
    ScState::Leaving& tile = state_.leaving.front();
    if (now < tile.ready) {
        wake_at(tile.ready);
        return false;
    }
    const bool begins = !tile.begun;
    if (begins) {
        tile.begun = true;
        tile.left = tile.batch.quads;
    }
    if (tile.left > spec_.quads_per_cycle) {
        tile.left = static_cast<uint8_t>(tile.left - spec_.quads_per_cycle);
        return true;
    }
    const bool sent = send_to_rbs(now, tile);
    state_.quad_stall.note(now, tile.to != 0 ? QuadStall::RenderBackEnd : QuadStall::None);
    if (tile.to == 0)
        state_.leaving.pop_front();
    return sent || begins;
}

bool ScCore::send_to_rbs(Cycle now, ScState::Leaving& tile) {
    bool sent = false;
    for (unsigned rb = 0; rb < ScSpec::kRbs; ++rb) {
        if ((tile.to >> rb & 1) == 0 || !to_rb[rb]->can_push(now))
            continue;
        tile.batch.rb = static_cast<uint8_t>(ScSpec::kRbs * spec_.shader_engine + rb);
        to_rb[rb]->push(now, tile.batch);
        tile.to = static_cast<uint8_t>(tile.to & ~(1u << rb));
        sent = true;
    }
    if (tile.to == 0 && tile.batch.primitive.kind == Primitive::Kind::DrawEnd) {
        trace_draw(now);
        state_.draw = 0;
    }
    return sent;
}

// ---- the walk ----------------------------------------------------------------------------------

// Whether the walk of this cycle has another step.
bool ScCore::may_go_on(Cycle now, const Walked& walked) {
    if (walked.supertiles == spec_.supertiles_per_cycle || walked.tiles == spec_.tiles_per_cycle)
        return false;
    if (!state_.walking && (run_ == RunState::Draining || !primitives.can_pop(now) ||
                            walked.primitives == spec_.primitives_per_cycle))
        return false;
    const bool room = state_.leaving.size() < spec_.tile_queue;
    state_.walk_stall.note(now, room ? WalkStall::None : WalkStall::TileQueue);
    return room;
}

bool ScCore::walk_on(Cycle now) {
    if (!state_.walking && primitives.empty())
        state_.walk_stall.note(now, WalkStall::None);
    Walked walked;
    bool progress = false;
    while (may_go_on(now, walked)) {
        progress = true;
        if (state_.walking) {
            visit_tile(now, walked);
        } else {
            ++walked.primitives;
            state_.walking = take_primitive(now);
        }
    }
    return progress;
}

// False: nothing of it is to be walked.
bool ScCore::take_primitive(Cycle now) {
    state_.primitive = primitives.pop(now);
    const Primitive& p = state_.primitive;
    if (p.kind == Primitive::Kind::Event) {
        ++state_.counters.events;
        pass_on(now, p, rbs_);
        return false;
    }
    if (state_.free_draw != p.draw) {
        state_.free_draw = p.draw;
        state_.free_through = {};
    }
    if (p.kind != Primitive::Kind::Primitive) {
        pass_on(now, p, rbs_);
        return false;
    }
    ++state_.counters.primitives;
    if (state_.draw == 0) {
        state_.draw = p.draw;
        state_.draw_begin = now;
    }
    state_.covered = false;
    if (begin(state_.walk, scan_state(p.context), p))
        return true;
    end_primitive(now);
    return false;
}

void ScCore::visit_tile(Cycle now, Walked& walked) {
    const ScanState& scan = scan_state(state_.primitive.context);
    TileCoverage coverage;
    const Visit v = visit(state_.walk, scan, coverage, static_cast<uint8_t>(spec_.shader_engine));
    ScCounters& c = state_.counters;
    if (v == Visit::Supertile) {
        ++walked.supertiles;
        ++c.supertiles;
    } else if (v != Visit::End) {
        ++walked.tiles;
        ++c.tiles;
        c.empty_tiles += v == Visit::Empty ? 1 : 0;
    }
    if (v == Visit::Covered)
        send_tile(now, scan, coverage);
    if (state_.walk.ended()) {
        state_.walking = false;
        end_primitive(now);
    }
}

void ScCore::send_tile(Cycle now, const ScanState& scan, const TileCoverage& coverage) {
    ScState::Leaving tile;
    if (!to_quads(scan, coverage, tile.batch))
        return;
    const unsigned rb = tile.batch.rb % ScSpec::kRbs;
    tile.ready = now + spec_.latency;
    tile.to = static_cast<uint8_t>(1u << rb);
    tile.batch.primitive = state_.primitive;
    tile.batch.primitive.free_through = state_.free_through[rb];
    state_.counters.quads += tile.batch.quads;
    state_.counters.pixels += static_cast<uint64_t>(__builtin_popcountll(tile.batch.covered()));
    state_.leaving.push_back(tile);
    state_.covered = true;
}

// Parameters may be freed after the last quad of a primitive, which no quad says of itself: a
// release follows them, also to render back ends that own nothing of it.
void ScCore::end_primitive(Cycle now) {
    state_.counters.empty += state_.covered ? 0 : 1;
    uint8_t unaware = 0;
    for (unsigned rb = 0; rb < ScSpec::kRbs; ++rb)
        unaware = static_cast<uint8_t>(
            unaware | (state_.free_through[rb] < state_.primitive.free_through) << rb);
    unaware &= rbs_;
    if (unaware == 0)
        return;
    Primitive release = state_.primitive;
    release.kind = Primitive::Kind::Release;
    pass_on(now, release, unaware);
}

// A message without quads.
void ScCore::pass_on(Cycle now, const Primitive& message, uint8_t to) {
    if (message.kind == Primitive::Kind::Release) {
        ++state_.counters.releases;
        for (unsigned rb = 0; rb < ScSpec::kRbs; ++rb)
            if ((to >> rb & 1) != 0)
                state_.free_through[rb] = std::max(state_.free_through[rb], message.free_through);
    }
    ScState::Leaving tile;
    tile.ready = now + spec_.latency;
    tile.to = to;
    tile.batch.shader_engine = static_cast<uint8_t>(spec_.shader_engine);
    tile.batch.primitive = message;
    state_.leaving.push_back(tile);
}

}  // namespace archipelago::sc
