// SPDX-License-Identifier: Apache-2.0
#include "models/pa/pa_core.h"

#include <algorithm>
#include <utility>

#include "models/common/archive.h"
#include "models/common/invariant.h"

namespace archipelago::pa {

using Kind = raster::Primitive::Kind;

PaCore::PaCore(const PaSpec& spec)
    : PrimitiveAssembler(spec.primitives, spec.vertices, "pa"),
      samples(spec.samples, "pa.samples"),
      register_writes(spec.register_latency),
      spec_(spec),
      sets_(spec.map.contexts, spec.map.GFX_COPY_STATE) {
    invariant(spec.engines >= 1 && spec.engines <= PaSpec::kMaxEngines, "pa",
              "too few or many engines");
    sets_.preset(spec_.map.PA_SC_RASTER_CONFIG, spec_.raster_config);
    register_writes.set_consumer(this);
    for (unsigned engine = 0; engine < spec.engines; ++engine)
        to_scan.emplace_back(this);
    add_input(samples);
}

void PaCore::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(state_.entries.empty() && state_.to_free.empty() && state_.sampled.empty(),
              "primitives are in it");
    a(register_writes, sets_, setup_, busy, state_.positions, state_.first, state_.ended_through,
      state_.leaving, state_.leaving_since, state_.stalls, state_.busy_since, state_.counters);
    if (!a.saving())
        decoded_.forget();
}

void PaCore::reset() {
    Unit::reset();
    register_writes.clear();
    sets_.reset();
    decoded_.forget();
    setup_.reset();
    busy.reset();
    state_ = PaState{};
}

bool PaCore::idle() const {
    return state_.entries.empty() && state_.to_free.empty() && state_.positions.empty() &&
           inputs_empty() && register_writes.empty();
}

bool PaCore::tick(Cycle now) {
    bool moved = take_registers(now);
    if (run_ == RunState::Paused)
        return moved;
    moved |= take_vertices(now);
    moved |= send(now);
    moved |= take_primitives(now);
    moved |= set_up(now);
    moved |= send_frees(now);
    moved |= send_samples(now);
    const bool working = !state_.entries.empty() || primitives.can_pop(now);
    note_stall(working, now, state_.busy_since, state_.counters.busy_cycles);
    if (busy.latest() != working)
        busy.set(now, working);
    return moved;
}

bool PaCore::take_registers(Cycle now) {
    bool moved = false;
    while (register_writes.ready(now)) {
        state_.counters.register_writes += sets_.write(register_writes.take()) ? 1 : 0;
        moved = true;
    }
    return moved;
}

bool PaCore::take_vertices(Cycle now) {
    bool moved = false;
    while (vertices.can_pop(now)) {
        state_.counters.vertices += vertices.front().lanes;
        state_.positions.add(vertices.pop(now));
        moved = true;
    }
    // Of draws that have ended, waves without primitives.
    state_.positions.release_through(state_.ended_through, [&](uint32_t draw, uint32_t wave) {
        state_.to_free.push_back({draw, wave, true, false});
    });
    return moved;
}

// ---- from VGT ----------------------------------------------------------------------------------

bool PaCore::take_primitives(Cycle now) {
    bool moved = false;
    PaStall stall = PaStall::None;
    for (unsigned n = 0; n < spec_.engines * spec_.primitives_per_cycle; ++n) {
        if (!primitives.can_pop(now))
            break;
        stall = take(now, primitives.front());
        if (stall != PaStall::None)
            break;
        primitives.drop(now);
        moved = true;
    }
    if (stall == PaStall::None && !state_.entries.empty() && state_.entries.front().ready < now)
        stall = PaStall::ScanConverter;
    state_.stalls.note(now, stall);
    return moved;
}

// None: it is taken.
PaStall PaCore::take(Cycle now, const PrimitiveMessage& message) {
    if (message.kind != PrimitiveMessage::Kind::Primitive) {
        add_passing(now, message);
        return PaStall::None;
    }
    if (!has_positions(message))
        return PaStall::Positions;
    if (state_.held[message.shader_engine % spec_.engines] >= spec_.queue)
        return PaStall::Engine;
    add_primitive(message);
    return PaStall::None;
}

bool PaCore::has_positions(const PrimitiveMessage& message) const {
    for (unsigned v = 0; v < std::min<unsigned>(message.vertices, 3); ++v)
        if (state_.positions.find(message.draw, message.wave[v]) == nullptr)
            return false;
    return true;
}

void PaCore::add_primitive(const PrimitiveMessage& message) {
    const SetupState& state =
        decoded_.get(sets_, message.context,
                     [this](const raster::RegisterView& view) { return decode(spec_.map, view); });
    pieces_.clear();
    setup_.setup(state, message, state_.positions, pieces_, state_.counters.setup);
    Entry entry;
    entry.primitive = true;
    entry.engine = static_cast<uint8_t>(message.shader_engine % spec_.engines);
    entry.set_ups = std::max<uint32_t>(1, static_cast<uint32_t>(pieces_.size()));
    uint8_t informed = 0;  // scan converters that learn which waves are released
    for (const raster::Primitive& p : pieces_) {
        const uint8_t engines = engines_of(state, p);
        informed = engines;
        if (engines != 0)
            entry.departures.push_back({p, engines});
    }
    if (message.end_of_packet) {
        free_positions(message.draw, setup_.free_through() - 1);
        raster::Primitive release;
        release.kind = Kind::Release;
        release.context = message.context;
        release.draw = message.draw;
        release.free_through = setup_.free_through();
        const auto others = static_cast<uint8_t>(all_engines() & ~informed);
        if (others != 0)
            entry.departures.push_back({release, others});
        state_.counters.releases += others != 0 ? 1 : 0;
    }
    state_.to_set_up[entry.engine].push_back(state_.first + state_.entries.size());
    ++state_.held[entry.engine];
    state_.entries.push_back(std::move(entry));
}

void PaCore::add_passing(Cycle now, const PrimitiveMessage& message) {
    pieces_.clear();
    setup_.pass(message, pieces_);
    if (message.kind == PrimitiveMessage::Kind::Event) {
        ++state_.counters.events;
        count_by_event(spec_.map, message.event_type, state_.counters.setup.pipeline);
        if (to_samples &&
            message.event_type == spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE.SAMPLE_PIPELINESTAT)
            state_.sampled.push_back(state_.counters.setup.pipeline);
    } else {
        ++state_.counters.draws;
        state_.ended_through = std::max(state_.ended_through, message.draw);
        wake_at(now + 1);  // its waves are released
    }
    Entry entry;
    entry.ready = now + spec_.latency;
    entry.departures.push_back({pieces_.front(), all_engines()});
    state_.entries.push_back(std::move(entry));
}

// Scan converters that may own pixels of the primitive's bounding box.
uint8_t PaCore::all_engines() const {
    unsigned engines = 0;
    for (unsigned engine = 0; engine < spec_.engines; ++engine)
        engines |= to_scan[engine] ? 1u << engine : 0u;
    return static_cast<uint8_t>(engines);
}

uint8_t PaCore::engines_of(const SetupState& state, const raster::Primitive& p) const {
    raster::Point low = p.corner[0], high = p.corner[0];
    for (unsigned k = 1; k < p.corners; ++k) {
        low = {std::min(low.x, p.corner[k].x), std::min(low.y, p.corner[k].y)};
        high = {std::max(high.x, p.corner[k].x), std::max(high.y, p.corner[k].y)};
    }
    if (high.x < 0 || high.y < 0)
        return 0;
    if (spec_.engines == 1)
        return 1;
    const auto pixel = [](int32_t at) {
        return static_cast<uint32_t>(std::max(at, 0) / raster::kSubpixels);
    };
    return static_cast<uint8_t>(
        state.owners.engines(pixel(low.x), pixel(low.y), pixel(high.x), pixel(high.y)) &
        all_engines());
}

void PaCore::free_positions(uint32_t draw, uint32_t last_wave) {
    state_.positions.release(draw, last_wave, [&](uint32_t wave) {
        state_.to_free.push_back({draw, wave, true, false});
    });
}

// ---- set-up and departure ----------------------------------------------------------------------

bool PaCore::set_up(Cycle now) {
    bool moved = false;
    for (unsigned engine = 0; engine < spec_.engines; ++engine) {
        std::deque<uint64_t>& queue = state_.to_set_up[engine];
        uint32_t left = spec_.primitives_per_cycle;
        while (left != 0 && !queue.empty()) {
            Entry& entry = state_.entries[queue.front() - state_.first];
            const uint32_t done = std::min(left, entry.set_ups);
            entry.set_ups -= done;
            left -= done;
            moved = true;
            if (entry.set_ups != 0)
                continue;
            entry.ready = now + spec_.latency;
            queue.pop_front();
        }
    }
    if (!state_.entries.empty() && state_.entries.front().ready != kNever &&
        state_.entries.front().ready > now)
        wake_at(state_.entries.front().ready);
    return moved;
}

bool PaCore::send(Cycle now) {
    bool moved = false;
    std::array<unsigned, PaSpec::kMaxEngines> room{};
    room.fill(spec_.primitives_per_cycle);
    while (!state_.entries.empty() && state_.entries.front().ready <= now) {
        Entry& entry = state_.entries.front();
        const uint32_t before = entry.next;
        const bool done = send_entry(now, entry, room);
        moved |= done || entry.next != before;
        if (!done)
            break;
        if (entry.primitive)
            --state_.held[entry.engine];
        state_.entries.pop_front();
        ++state_.first;
    }
    return moved;
}

// False: a scan converter has no room, now or in this cycle.
bool PaCore::send_entry(Cycle now, Entry& entry, std::array<unsigned, PaSpec::kMaxEngines>& room) {
    for (; entry.next < entry.departures.size(); ++entry.next) {
        Departure& departure = entry.departures[entry.next];
        for (unsigned engine = 0; engine < spec_.engines; ++engine) {
            const auto bit = static_cast<uint8_t>(1u << engine);
            if ((departure.engines & bit) == 0)
                continue;
            if (room[engine] == 0) {
                wake_at(now + 1);
                continue;
            }
            if (!to_scan[engine]->can_push(now))
                continue;
            to_scan[engine]->push(now, departure.primitive);
            --room[engine];
            ++state_.counters.sent[engine];
            departure.engines = static_cast<uint8_t>(departure.engines & ~bit);
        }
        if (departure.engines != 0)
            return false;
        note_left(now, departure.primitive);
    }
    return true;
}

bool PaCore::send_frees(Cycle now) {
    bool moved = false;
    while (!state_.to_free.empty() && to_free->can_push(now)) {
        to_free->push(now, state_.to_free.front());
        state_.to_free.pop_front();
        ++state_.counters.freed;
        moved = true;
    }
    return moved;
}

// VGT sends counts when the event leaves it; the clipper's are those when it arrives here.
bool PaCore::send_samples(Cycle now) {
    bool moved = false;
    while (samples.can_pop(now) && to_samples->can_push(now)) {
        SampleCounts counts = samples.front();
        if (counts.event_type == spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE.SAMPLE_PIPELINESTAT) {
            if (state_.sampled.empty())
                break;
            fill(state_.sampled.front(), counts);
            state_.sampled.pop_front();
        }
        to_samples->push(now, counts);
        samples.drop(now);
        moved = true;
    }
    return moved;
}

}  // namespace archipelago::pa
