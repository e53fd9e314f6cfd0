// SPDX-License-Identifier: Apache-2.0
#include "models/db/db_core.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "models/common/archive.h"
#include "models/common/invariant.h"

namespace archipelago::db {
namespace {

using raster::PixelTouch;
using raster::Primitive;
using raster::QuadBatch;
using raster::ShadedBatch;

constexpr uint8_t kDataKind = 0, kHtileKind = 1;  // of requests to memory

DbSpec checked(const DbSpec& spec) {
    const std::vector<std::string> problems = spec.problems();
    if (!problems.empty())
        throw std::invalid_argument("db." + problems.front());
    return spec;
}

raster::PixelCacheIdentity identity(const DbSpec& spec, const char* name, uint8_t kind) {
    return {"db" + std::to_string(spec.rb) + "." + name, Client::Db, TransactionUnit::Db,
            static_cast<uint16_t>(spec.rb), kind};
}

const QuadBatch& quads_of(const QuadBatch& batch) {
    return batch;
}
const QuadBatch& quads_of(const ShadedBatch& batch) {
    return batch.quads;
}

bool is_message(const QuadBatch& batch) {
    return batch.primitive.kind != Primitive::Kind::Primitive;
}

}  // namespace

std::vector<std::string> DbSpec::problems() const {
    // A batch of 64 pixels with 8 samples touches 32 lines of depth and 8 of stencil for each tile
    // that it expands, and lies in 16 tiles at most.
    constexpr unsigned kDataLines = 16 * (32 + 8), kHtileLines = 16;
    std::vector<std::string> found;
    const auto need = [&](bool holds, const std::string& what) {
        if (!holds)
            found.push_back(what);
    };
    need(rb < kMaxRenderBackends, "rb: 0 to 15");
    need(z_samples_per_cycle >= 1, "z_samples_per_cycle: at least 1");
    need(quads_per_cycle >= 1, "quads_per_cycle: at least 1");
    need(early_latency >= 1, "early_latency: at least 1");
    need(late_latency >= 1, "late_latency: at least 1");
    need(lookahead >= 1, "lookahead: at least 1");
    need(data.lines >= kDataLines,
         "data.lines: at least " + std::to_string(kDataLines) + ", which a batch may touch");
    need(htile.lines >= kHtileLines,
         "htile.lines: at least " + std::to_string(kHtileLines) + ", which a batch may touch");
    need(data.in_flight >= 1 && htile.in_flight >= 1, "in_flight: at least 1");
    need(register_latency >= 1, "register_latency: at least 1");
    return found;
}

DbCore::DbCore(const DbSpec& spec)
    : early(spec.early, "db.early"),
      late(spec.late, "db.late"),
      from_memory(spec.memory, "db.from_memory"),
      flushes(spec.flushes, "db.flushes"),
      register_writes(spec.register_latency),
      spec_(checked(spec)),
      sets_(spec.map.context, spec.map.GFX_COPY_STATE),
      states_(spec_.map, tiling_),
      data_(spec.data, identity(spec, "data", kDataKind)),
      htile_(spec.htile, identity(spec, "htile", kHtileKind)),
      caches_(data_, htile_),
      probe_({&data_, &htile_}) {
    add_inputs(early, late, from_memory, flushes, register_writes);
}

void DbCore::reset() {
    Unit::reset();
    sets_.reset();
    tiling_ = tiling_reset_;
    states_.forget();
    unit_.reset();
    data_.reset();
    htile_.reset();
    state_ = DbState();
    noted_ = false;
    busy.reset();
    clean.reset(true);
    empty.reset(true);
}

void DbCore::archive(Archive& a) {
    Unit::archive(a);
    a(sets_, tiling_, unit_, data_, htile_, state_.late_draw, state_.passed_early,
      state_.passed_late, state_.passed_at_event, state_.draw, state_.draw_begin, state_.stall,
      state_.busy_since, state_.busy_cycles, state_.counters, state_.early.free, state_.late.free,
      state_.test_free, busy, clean, empty);
    if (!a.saving())
        states_.forget();
}

bool DbCore::working() const {
    return state_.work != DbState::Work::None || !state_.early.waiting.empty() ||
           !state_.early.leaving.empty() || !state_.late.waiting.empty() ||
           !state_.late.leaving.empty() || state_.flushing;
}

bool DbCore::idle() const {
    const bool more = run_ != RunState::Draining && !early.empty();
    return !more && !working() && late.empty() && from_memory.empty() && flushes.empty() &&
           register_writes.empty() && data_.idle() && htile_.idle();
}

void DbCore::connect_tiling(EventLink<surface::TilingWrite>& in) {
    tiling_in_ = &in;
    in.set_consumer(this);
}

void DbCore::write_register(const RegRequest& request) {
    if (sets_.write(request))
        ++state_.counters.register_writes;
}

bool DbCore::tick(Cycle now) {
    if (run_ == RunState::Paused)
        return false;
    const bool answered = take_answers(now);
    bool progress = answered;
    progress |= send_outputs(now);
    progress |= take_inputs(now);
    progress |= act(now);
    progress |= work(now);
    progress |= fetch_ahead(state_.late, answered);
    progress |= fetch_ahead(state_.early, answered);
    progress |= send_requests(now);
    note_stall(working(), now, state_.busy_since, state_.busy_cycles);
    if (busy.latest() != working())
        busy.set(now, working());
    if (clean.latest() != (data_.clean() && htile_.clean()))
        clean.set(now, !clean.latest());
    if (empty.latest() != (data_.empty() && htile_.empty()))
        empty.set(now, !empty.latest());
    return progress;
}

// ---- channels -----------------------------------------------------------------------------------

bool DbCore::take_inputs(Cycle now) {
    bool progress = false;
    while (register_writes.ready(now)) {
        write_register(register_writes.take());
        progress = true;
    }
    while (tiling_in_ != nullptr && tiling_in_->ready(now)) {
        tiling_.write(tiling_in_->take());
        progress = true;
    }
    if (run_ != RunState::Draining && state_.early.waiting.size() < spec_.lookahead &&
        early.can_pop(now)) {
        state_.early.waiting.push_back({early.pop(now)});
        progress = true;
    }
    if (state_.late.waiting.size() < spec_.lookahead && late.can_pop(now)) {
        state_.late.waiting.push_back({late.pop(now)});
        progress = true;
    }
    return progress;
}

bool DbCore::take_answers(Cycle now) {
    if (!from_memory.can_pop(now))
        return false;
    const MemResponse& answer = from_memory.front();
    invariant(data_.take(answer) || htile_.take(answer), "db", "memory answers what was asked");
    from_memory.drop(now);
    return true;
}

// One a cycle; HTILE first, since the lines of pixels follow from it.
bool DbCore::send_requests(Cycle now) {
    return htile_.send(now, *to_memory) || data_.send(now, *to_memory);
}

bool DbCore::send_outputs(Cycle now) {
    bool progress = false;
    auto& to_shade = state_.early.leaving;
    if (!to_shade.empty() && to_shade.front().ready > now) {
        wake_at(to_shade.front().ready);
    } else if (!to_shade.empty() && to_spi->can_push(now)) {
        to_spi->push(now, to_shade.front().batch);
        to_shade.pop_front();
        progress = true;
    }
    auto& to_colour = state_.late.leaving;
    if (!to_colour.empty() && to_colour.front().ready > now) {
        wake_at(to_colour.front().ready);
    } else if (!to_colour.empty() && to_cb->can_push(now)) {
        to_cb->push(now, std::move(to_colour.front().batch));
        to_colour.pop_front();
        progress = true;
    }
    return progress;
}

// ---- lines of a batch ---------------------------------------------------------------------------

void DbCore::Caches::use(const DepthState& state, uint8_t vmid) {
    state_ = &state;
    data_.set_vmid(vmid);
    htile_.set_vmid(vmid);
}
bool DbCore::Caches::is_htile(uint64_t line_address) const {
    const surface::MetadataSurface& s = state_->htile_surface;
    return state_->htile && line_address - s.layout.base < s.size_bytes;
}
uint8_t* DbCore::Caches::line(uint64_t line_address, bool write) {
    return is_htile(line_address) ? htile_.line(line_address, write)
                                  : data_.line(line_address, write);
}
void DbCore::Caches::merge(uint64_t line_address, const uint8_t* bytes, uint64_t mask) {
    if (is_htile(line_address))
        htile_.merge(line_address, bytes, mask);
    else
        data_.merge(line_address, bytes, mask);
}

const DepthState& DbCore::use(const QuadBatch& batch) {
    const DepthState& state = states_.get(sets_, batch.primitive.context);
    caches_.use(state, batch.primitive.vmid);
    return state;
}

void DbCore::note_lines(const QuadBatch& batch, Lines& lines) {
    const DepthState& state = use(batch);
    probe_.clear();
    QuadBatch copy = batch;
    probe_unit_.early(state, copy, probe_);
    sort_lines(lines);
}
void DbCore::note_lines(const ShadedBatch& batch, Lines& lines) {
    const DepthState& state = use(batch.quads);
    probe_.clear();
    ShadedBatch copy = batch;
    probe_unit_.late(state, copy, probe_);
    sort_lines(lines);
}

// Lines of pixels count only when the words of HTILE are here: they decide which.
void DbCore::sort_lines(Lines& lines) const {
    lines.data.clear();
    lines.htile.clear();
    lines.missing_htile = DbState::kNoLine;
    for (const PixelTouch& touch : probe_.lines()) {
        const bool htile = caches_.is_htile(touch.line);
        (htile ? lines.htile : lines.data).push_back(touch);
        if (htile && htile_.resident(touch.line) == nullptr)
            lines.missing_htile = touch.line;
    }
    if (lines.missing_htile != DbState::kNoLine)
        lines.data.clear();
    lines.complete = !probe_.missed();
}

// Fetches for the batches after the one in work: first their words of HTILE, when these are here
// the lines of pixels.
template <class Batch>
bool DbCore::fetch_ahead(DbState::Stream<Batch>& stream, bool answered) {
    bool progress = false;
    for (auto& entry : stream.waiting) {
        const QuadBatch& quads = quads_of(entry.batch);
        if (entry.fetched || is_message(quads) || (entry.asked && !answered))
            continue;
        htile_.set_vmid(quads.primitive.vmid);
        if (entry.needs != DbState::kNoLine && htile_.resident(entry.needs) == nullptr)
            continue;
        note_lines(entry.batch, ahead_lines_);
        const bool all = htile_.fetch(ahead_lines_.htile) && data_.fetch(ahead_lines_.data);
        progress = progress || !entry.asked;
        entry.asked = true;
        entry.needs = ahead_lines_.missing_htile;
        entry.fetched = all && entry.needs == DbState::kNoLine;
        if (!all)
            break;
    }
    return progress;
}

template <class Batch>
bool DbCore::lines_are_here(Cycle now, const Batch& batch) {
    use(quads_of(batch));
    for (;;) {
        if (!std::exchange(noted_, true))
            note_lines(batch, work_lines_);
        if (!htile_.prepare(work_lines_.htile)) {
            state_.stall.note(now, htile_.flushed() ? TestStall::Htile : TestStall::Flush);
            return false;
        }
        if (!data_.prepare(work_lines_.data)) {
            state_.stall.note(now, data_.flushed() ? TestStall::Data : TestStall::Flush);
            return false;
        }
        noted_ = false;
        if (work_lines_.complete)
            return true;
    }
}

// ---- work ---------------------------------------------------------------------------------------

bool DbCore::work(Cycle now) {
    bool progress = false;
    // A batch of each stream may end in a cycle.
    for (unsigned i = 0; i < 2; ++i) {
        if (state_.work == DbState::Work::None && !begin_late(now) && !begin_early(now))
            break;
        if (state_.work == DbState::Work::Late) {
            if (!lines_are_here(now, state_.late.waiting.front().batch))
                break;
            run_late(now);
        } else if (state_.work == DbState::Work::Early) {
            if (!lines_are_here(now, state_.early.waiting.front().batch))
                break;
            run_early(now);
        }
        progress = true;
    }
    if (state_.early.waiting.empty() && state_.late.waiting.empty())
        state_.stall.note(now, TestStall::None);
    return progress;
}

// True: a message has passed, or a batch is in work now.
bool DbCore::begin_late(Cycle now) {
    if (state_.late.waiting.empty())
        return false;
    if (state_.late.leaving.size() >= spec_.lookahead) {
        state_.stall.note(now, TestStall::Output);
        return false;
    }
    if (is_message(state_.late.waiting.front().batch.quads))
        return pass_late_message(now);
    const Cycle from = std::max(state_.late.free, state_.test_free);
    if (now < from) {
        wake_at(from);
        return false;
    }
    state_.work = DbState::Work::Late;
    return true;
}

bool DbCore::begin_early(Cycle now) {
    if (state_.early.waiting.empty())
        return false;
    const QuadBatch& batch = state_.early.waiting.front().batch;
    if (state_.early.leaving.size() >= spec_.lookahead) {
        state_.stall.note(now, TestStall::Output);
        return false;
    }
    if (is_message(batch))
        return pass_early_message(now);
    const Cycle from = std::max(state_.early.free, state_.test_free);
    if (now < from) {
        wake_at(from);
        return false;
    }
    if (state_.flushing || waits_for_late_draws(batch)) {
        state_.stall.note(now, state_.flushing ? TestStall::Flush : TestStall::LateDraws);
        return false;
    }
    if (state_.draw == 0) {
        state_.draw = batch.primitive.draw;
        state_.draw_begin = now;
    }
    state_.work = DbState::Work::Early;
    return true;
}

// What an earlier draw still writes after its shader decides the tests of this one.
bool DbCore::waits_for_late_draws(const QuadBatch& batch) {
    if (state_.late_draw == 0 || state_.late_draw >= batch.primitive.draw)
        return false;
    const DepthState& s = use(batch);
    return (s.uses_z || s.uses_stencil) &&
           (s.order != Order::Late || s.hierarchical.depth || s.hierarchical.bounds);
}

uint64_t DbCore::tested() const {
    const DepthCounts& c = unit_.counts();
    return c.bounds_failed + c.stencil_failed + c.depth_failed + c.passed;
}

// The batch has been worked on: when its last sample is tested and its last quad passes.
Cycle DbCore::finish(Cycle now, uint64_t tested_before, unsigned quads, Cycle& stream_free) {
    const auto cycles = [](uint64_t work, unsigned per_cycle) {
        return std::max<Cycle>(1, (work + per_cycle - 1) / per_cycle);
    };
    const uint64_t samples = tested() - tested_before;
    Cycle last = now + cycles(quads, spec_.quads_per_cycle);
    stream_free = last;
    if (samples != 0) {
        const Cycle tests = cycles(samples, spec_.z_samples_per_cycle);
        state_.test_free = now + tests;
        state_.counters.test_cycles += tests;
        state_.counters.z_samples += samples;
        last = std::max(last, state_.test_free);
    }
    data_.release();
    htile_.release();
    state_.work = DbState::Work::None;
    state_.stall.note(now, TestStall::None);
    return last;
}

void DbCore::run_early(Cycle now) {
    QuadBatch batch = state_.early.waiting.front().batch;
    state_.early.waiting.pop_front();
    const DepthState& s = use(batch);
    const uint64_t before = tested(), passed = unit_.zpass(spec_.rb);
    const unsigned quads = batch.quads;
    batch.rb = static_cast<uint8_t>(spec_.rb);
    unit_.early(s, batch, caches_);
    ++state_.counters.early_batches;
    state_.counters.quads += quads;
    state_.passed_early += unit_.zpass(spec_.rb) - passed;
    const Cycle last = finish(now, before, batch.quads, state_.early.free);
    if (batch.quads == 0) {
        ++state_.counters.dropped_batches;
        return;
    }
    if (s.order != Order::Early && !batch.killed)
        state_.late_draw = std::max(state_.late_draw, batch.primitive.draw);
    state_.early.leaving.push_back({last - 1 + spec_.early_latency, batch});
}

void DbCore::run_late(Cycle now) {
    ShadedBatch batch = std::move(state_.late.waiting.front().batch);
    state_.late.waiting.pop_front();
    const DepthState& s = use(batch.quads);
    const uint64_t before = tested(), passed = unit_.zpass(spec_.rb);
    unit_.late(s, batch, caches_);
    ++state_.counters.late_batches;
    state_.passed_late += unit_.zpass(spec_.rb) - passed;
    const Cycle last = finish(now, before, batch.quads.quads, state_.late.free);
    if (batch.quads.covered() != 0)
        state_.late.leaving.push_back({last - 1 + spec_.late_latency, std::move(batch)});
}

// ---- messages without quads ---------------------------------------------------------------------

bool DbCore::pass_early_message(Cycle now) {
    const QuadBatch batch = state_.early.waiting.front().batch;
    state_.early.waiting.pop_front();
    if (batch.primitive.kind == Primitive::Kind::Event &&
        batch.primitive.event_type == spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE.ZPASS_DONE)
        state_.passed_at_event.push_back(state_.passed_early);
    const Cycle after = std::max(now, state_.early.free);
    state_.early.leaving.push_back({after + spec_.early_latency, batch});
    return true;
}

// False: the event's flush has begun or goes on.
bool DbCore::pass_late_message(Cycle now) {
    ShadedBatch& front = state_.late.waiting.front().batch;
    const Primitive& message = front.quads.primitive;
    const auto& type = spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE;
    if (message.kind == Primitive::Kind::Event) {
        if (!state_.flushing && !state_.late.waiting.front().asked) {
            state_.late.waiting.front().asked = true;  // its flush has begun, if it has one
            ++state_.counters.events;
            if (message.event_type == type.ZPASS_DONE) {
                invariant(!state_.passed_at_event.empty(), "db",
                          "an event comes before the shader, then after it");
                if (zpass)
                    zpass->send(now, {static_cast<uint8_t>(spec_.rb), message.ring,
                                      state_.passed_at_event.front() + state_.passed_late});
                state_.passed_at_event.pop_front();
            } else if (flush_for(message.event_type)) {
                return true;
            }
        }
        if (state_.flushing) {
            if (!data_.flushed() || !htile_.flushed() || state_.acting) {
                state_.stall.note(now, TestStall::Flush);
                return false;
            }
            state_.flushing = false;
        }
    }
    if (message.kind == Primitive::Kind::DrawEnd) {
        if (state_.late_draw <= message.draw)
            state_.late_draw = 0;
        trace_draw(now);
        state_.draw = 0;
    }
    if (message.kind != Primitive::Kind::Release) {
        const Cycle after = std::max(now, state_.late.free);
        state_.late.leaving.push_back({after + spec_.late_latency, std::move(front)});
    }
    state_.late.waiting.pop_front();
    return true;
}

// ---- flushes ------------------------------------------------------------------------------------

// True: the event writes caches back.
bool DbCore::flush_for(unsigned event_type) {
    const auto& type = spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE;
    const bool keep = event_type == type.CACHE_FLUSH || event_type == type.CACHE_FLUSH_TS;
    const bool both = keep || event_type == type.CACHE_FLUSH_AND_INV_EVENT ||
                      event_type == type.CACHE_FLUSH_AND_INV_TS_EVENT ||
                      event_type == type.DB_CACHE_FLUSH_AND_INV;
    const bool data = both || event_type == type.FLUSH_AND_INV_DB_DATA_TS;
    const bool htile = both || event_type == type.FLUSH_AND_INV_DB_META;
    if (!data && !htile)
        return false;
    begin_flush(data, htile, !keep);
    return true;
}

void DbCore::begin_flush(bool data, bool htile, bool invalidate) {
    state_.flushing = true;
    ++state_.counters.flushes;
    if (data)
        data_.flush(invalidate);
    if (htile)
        htile_.flush(invalidate);
}

// SURFACE_SYNC: while no batch is in work and no event flushes.
bool DbCore::act(Cycle now) {
    if (state_.acting) {
        if (!data_.flushed() || !htile_.flushed())
            return false;
        state_.acting = state_.flushing = false;
        if (flush_done)
            flush_done->send(now, {state_.action.tag});
        return true;
    }
    if (state_.flushing || state_.work != DbState::Work::None || !flushes.can_pop(now))
        return false;
    state_.action = flushes.pop(now);
    state_.acting = true;
    begin_flush(true, true, true);
    return true;
}

}  // namespace archipelago::db
