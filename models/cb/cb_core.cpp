// SPDX-License-Identifier: Apache-2.0
#include "models/cb/cb_core.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/archive.h"

namespace archipelago::cb {
namespace {

using raster::PixelTouch;
using raster::ShadedBatch;

constexpr uint8_t kMissingMetadata = 0xFF;

CbSpec checked(const CbSpec& spec) {
    const std::vector<std::string> problems = spec.problems();
    if (!problems.empty())
        throw std::invalid_argument("cb." + problems.front());
    return spec;
}

raster::PixelCacheIdentity identity_of(const CbSpec& spec, const char* what, uint8_t kind) {
    return {"cb" + std::to_string(spec.rb) + "." + what, Client::Cb, TransactionUnit::Cb,
            static_cast<uint16_t>(spec.rb), kind};
}

// A batch in which the quads from `first` to `end` alone are covered, while this lives.
class OnlyQuads {
  public:
    OnlyQuads(ShadedBatch& batch, unsigned first, unsigned end)
        : batch_(batch), all_(batch.quads.coverage) {
        for (unsigned lane = 0; lane < kLanes; ++lane)
            if (lane < 4 * first || lane >= 4 * end)
                batch.quads.coverage[lane] = 0;
    }
    ~OnlyQuads() { batch_.quads.coverage = all_; }
    OnlyQuads(const OnlyQuads&) = delete;
    OnlyQuads& operator=(const OnlyQuads&) = delete;

  private:
    ShadedBatch& batch_;
    const std::array<uint16_t, kLanes> all_;
};

bool all_resident(const raster::PixelCache& cache, const std::vector<PixelTouch>& lines) {
    return std::all_of(lines.begin(), lines.end(), [&](const PixelTouch& touch) {
        return !touch.reads || cache.resident(touch.line) != nullptr;
    });
}

}  // namespace

std::vector<std::string> CbSpec::problems() const {
    std::vector<std::string> found;
    const auto need = [&](bool holds, const char* what) {
        if (!holds)
            found.emplace_back(what);
    };
    for (const QuadCycles& c : {up_to_4_bytes, of_8_bytes, of_16_bytes})
        need(c.write >= 1 && c.blend >= 1, "quad_cycles: at least 1");
    need(latency >= 1, "latency: at least 1");
    need(lookahead >= 1, "lookahead: at least 1");
    need(data.lines >= 32, "data.lines: at least 32");
    need(metadata.lines >= 32, "metadata.lines: at least 32");
    need(data.in_flight >= 1 && data.in_flight < data.lines, "data.in_flight: 1 to lines - 1");
    need(metadata.in_flight >= 1 && metadata.in_flight < metadata.lines,
         "metadata.in_flight: 1 to lines - 1");
    need(register_latency >= 1, "register_latency: at least 1");
    return found;
}

CbCore::CbCore(const CbSpec& spec)
    : batches(spec.batches, "cb.batches"),
      register_writes(spec.register_latency),
      from_memory(spec.memory, "cb.memory"),
      flushes(spec.flushes, "cb.flushes"),
      spec_(checked(spec)),
      sets_(spec.map.context, spec.map.GFX_COPY_STATE),
      data_(spec.data, identity_of(spec, "data", 0)),
      metadata_(spec.metadata, identity_of(spec, "metadata", 1)),
      data_probe_({&data_}),
      metadata_probe_({&metadata_}, kMissingMetadata) {
    add_inputs(batches, register_writes, from_memory, flushes);
}

void CbCore::reset() {
    Unit::reset();
    sets_.reset();
    tiling_ = tiling_reset_;
    if (tiling_in_ != nullptr)
        tiling_in_->clear();
    decoded_.forget();
    data_.reset();
    metadata_.reset();
    data_probe_.clear();
    metadata_probe_.clear();
    state_ = CbState{};
    busy.reset();
    clean.reset(true);
    empty.reset(true);
}

void CbCore::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(state_.batches.empty() && !state_.sync_flush, "quads are on their way");
    a(sets_, tiling_, data_, metadata_, state_.pipe_free, state_.pipe_empty, state_.draw,
      state_.draw_begin, state_.stall, state_.busy_since, state_.busy_cycles, state_.counters, busy,
      clean, empty);
    if (!a.saving())
        decoded_.forget();
}

bool CbCore::idle() const {
    const bool waiting = run_ != RunState::Draining && (!batches.empty() || !flushes.empty());
    return !waiting && state_.batches.empty() && !state_.sync_flush && data_.idle() &&
           metadata_.idle() && register_writes.empty() &&
           (tiling_in_ == nullptr || tiling_in_->empty()) && from_memory.empty();
}

bool CbCore::tick(Cycle now) {
    if (run_ == RunState::Paused)
        return false;
    bool progress = take_registers(now);
    progress |= take_answers(now);
    progress |= work(now);
    progress |= take_batch(now);
    progress |= look_ahead(now);
    progress |= send_requests(now);
    report_status(now);
    return progress;
}

void CbCore::connect_tiling(EventLink<surface::TilingWrite>& in) {
    tiling_in_ = &in;
    in.set_consumer(this);
}

void CbCore::write_register(const RegRequest& request) {
    if (sets_.write(request))
        ++state_.counters.register_writes;
}

bool CbCore::take_registers(Cycle now) {
    bool progress = false;
    for (; register_writes.ready(now); progress = true)
        write_register(register_writes.take());
    for (; tiling_in_ != nullptr && tiling_in_->ready(now); progress = true) {
        tiling_.write(tiling_in_->take());
        decoded_.forget();
    }
    return progress;
}

bool CbCore::take_answers(Cycle now) {
    bool progress = false;
    for (; from_memory.can_pop(now); progress = true) {
        const MemResponse answer = from_memory.pop(now);
        if (!data_.take(answer))
            metadata_.take(answer);
    }
    return progress;
}

bool CbCore::take_batch(Cycle now) {
    if (run_ == RunState::Draining || state_.batches.size() >= spec_.lookahead ||
        !batches.can_pop(now))
        return false;
    state_.batches.emplace_back().shaded = batches.pop(now);
    const raster::Primitive& p = state_.batches.back().shaded.quads.primitive;
    if (state_.draw == 0 && p.kind == Kind::Primitive) {
        state_.draw = p.draw;
        state_.draw_begin = now;
    }
    return true;
}

// One request a cycle; metadata first, as colours wait for them.
bool CbCore::send_requests(Cycle now) {
    return metadata_.send(now, *to_memory) || data_.send(now, *to_memory);
}

void CbCore::report_status(Cycle now) {
    const bool working = !state_.batches.empty() || state_.sync_flush || now < state_.pipe_empty;
    note_stall(working, now, state_.busy_since, state_.busy_cycles);
    if (busy.latest() != working)
        busy.set(now, working);
    if (working && now < state_.pipe_empty)
        wake_at(state_.pipe_empty);
    const bool nothing_dirty = data_.clean() && metadata_.clean();
    if (clean.latest() != nothing_dirty)
        clean.set(now, nothing_dirty);
    const bool no_line = data_.empty() && metadata_.empty();
    if (empty.latest() != no_line)
        empty.set(now, no_line);
}

const ColourState& CbCore::colour_state(const ShadedBatch& batch) {
    data_.set_vmid(batch.quads.primitive.vmid);
    metadata_.set_vmid(batch.quads.primitive.vmid);
    return decoded_.get(sets_, batch.quads.primitive.context,
                        [this](const raster::RegisterView& registers) {
                            return decode_colour_state(spec_.map, registers, tiling_);
                        });
}

bool CbCore::stall(Cycle now, WriteStall why) {
    state_.stall.note(now, why);
    return false;
}

// ---- the oldest batch ---------------------------------------------------------------------------

bool CbCore::work(Cycle now) {
    if (state_.sync_flush || state_.batches.empty())
        return act_on_flush(now);
    const raster::Primitive& p = state_.batches.front().shaded.quads.primitive;
    return p.kind == Kind::Primitive ? write_quads(now) : pass_message(now);
}

// Events and ends of draws, when all quads before them have left the pipe and what the event
// flushes is in memory.
bool CbCore::pass_message(Cycle now) {
    const raster::Primitive& p = state_.batches.front().shaded.quads.primitive;
    if (now < state_.pipe_empty) {
        wake_at(state_.pipe_empty);
        return false;
    }
    if (p.kind == Kind::Event && !state_.event_flush && begin_event_flush(p.event_type)) {
        state_.event_flush = true;
        return true;
    }
    if (!flushed())
        return stall(now, WriteStall::Flush);
    if (p.kind != Kind::Release)
        done->send(now, raster::BackEndDone{p.kind, static_cast<uint8_t>(spec_.rb), p.ring,
                                            p.event_type, p.context, p.draw});
    state_.event_flush = false;
    state_.counters.events += p.kind == Kind::Event ? 1 : 0;
    if (p.kind == Kind::DrawEnd) {
        trace_draw(now);
        state_.draw = 0;
    }
    stall(now, WriteStall::None);
    state_.batches.pop_front();
    return true;
}

// False: the event flushes nothing here.
bool CbCore::begin_event_flush(uint8_t event_type) {
    const auto& type = spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE;
    if (event_type == type.CACHE_FLUSH || event_type == type.CACHE_FLUSH_TS)
        flush(true, true, false);
    else if (event_type == type.CACHE_FLUSH_AND_INV_EVENT ||
             event_type == type.CACHE_FLUSH_AND_INV_TS_EVENT)
        flush(true, true, true);
    else if (event_type == type.FLUSH_AND_INV_CB_DATA_TS ||
             event_type == type.FLUSH_AND_INV_CB_PIXEL_DATA)
        flush(true, false, true);
    else if (event_type == type.FLUSH_AND_INV_CB_META)
        flush(false, true, true);
    else
        return false;
    return true;
}

void CbCore::flush(bool data, bool metadata, bool invalidate) {
    ++state_.counters.flushes;
    if (data)
        data_.flush(invalidate);
    if (metadata)
        metadata_.flush(invalidate);
}

// SURFACE_SYNC: CP sends it when the pipe is empty.
bool CbCore::act_on_flush(Cycle now) {
    if (now < state_.pipe_empty) {
        wake_at(state_.pipe_empty);
        return false;
    }
    if (!state_.sync_flush) {
        stall(now, WriteStall::None);
        if (run_ == RunState::Draining || !flushes.can_pop(now))
            return false;
        state_.sync = flushes.pop(now);
        state_.sync_flush = true;
        flush(true, true, true);
        return true;
    }
    if (!flushed())
        return stall(now, WriteStall::Flush);
    flush_done->send(now, raster::FlushDone{state_.sync.tag});
    state_.sync_flush = false;
    return true;
}

// ---- quads --------------------------------------------------------------------------------------

bool CbCore::write_quads(Cycle now) {
    if (now < state_.pipe_free) {
        stall(now, WriteStall::None);
        wake_at(state_.pipe_free);
        return false;
    }
    CbState::Batch& batch = state_.batches.front();
    colour_state(batch.shaded);  // its address space
    if (state_.phase == CbState::Phase::Probe) {
        choose_quads(batch);
        state_.phase = CbState::Phase::Metadata;
    }
    if (state_.phase == CbState::Phase::Metadata) {
        if (!prepare_metadata(batch))
            return stall(now, WriteStall::Metadata);
        state_.phase = CbState::Phase::Data;
    }
    if (!data_.prepare(state_.data, batch.counted))
        return stall(now, WriteStall::Data);
    stall(now, WriteStall::None);
    write_prepared(now);
    return true;
}

// As many quads from `first` on as touch half of the cache at most, or one.
void CbCore::choose_quads(CbState::Batch& batch) {
    const auto too_many = [](const std::vector<PixelTouch>& lines, const auto& cache) {
        return lines.size() > cache.lines / 2;
    };
    state_.end = batch.shaded.quads.quads;
    if (batch.known && batch.metadata.empty() && state_.first == 0 &&
        !too_many(batch.data, spec_.data)) {
        state_.data = batch.data;  // no write of metadata has changed them since
        state_.metadata.clear();
        state_.known = true;
        return;
    }
    state_.known = probe(batch.shaded, state_.first, state_.end, state_.data, state_.metadata);
    while (state_.end > state_.first + 1 &&
           (too_many(state_.data, spec_.data) || too_many(state_.metadata, spec_.metadata))) {
        state_.end = state_.first + (state_.end - state_.first) / 2;
        state_.known = probe(batch.shaded, state_.first, state_.end, state_.data, state_.metadata);
    }
}

// The lines that quads from `first` to `end` touch. True: the metadata that they follow from are
// here.
bool CbCore::probe(ShadedBatch& batch, unsigned first, unsigned end, std::vector<PixelTouch>& data,
                   std::vector<PixelTouch>& metadata) {
    const OnlyQuads only(batch, first, end);
    data_probe_.clear();
    metadata_probe_.clear();
    unit_.write(colour_state(batch), batch, TargetMemory{data_probe_, metadata_probe_});
    data = data_probe_.lines();
    metadata = metadata_probe_.lines();
    return all_resident(metadata_, metadata);
}

// True: all metadata are here, and the lines of pixels that follow from them are known.
bool CbCore::prepare_metadata(CbState::Batch& batch) {
    while (!state_.known) {
        if (!metadata_.prepare(state_.metadata))
            return false;
        state_.known = probe(batch.shaded, state_.first, state_.end, state_.data, state_.metadata);
    }
    return metadata_.prepare(state_.metadata);
}

void CbCore::write_prepared(Cycle now) {
    CbState::Batch& oldest = state_.batches.front();
    ShadedBatch& batch = oldest.shaded;
    const ColourState& colours = colour_state(batch);
    unsigned cycles = 0;
    CbCounters& c = state_.counters;
    {
        const OnlyQuads only(batch, state_.first, state_.end);
        const QuadAccesses accesses = unit_.write(colours, batch, TargetMemory{data_, metadata_});
        const uint64_t lanes = batch.quads.killed ? 0 : batch.quads.covered();
        const auto pixels = static_cast<uint64_t>(__builtin_popcountll(lanes));
        c.quads += quads_of(lanes);
        c.pixels += pixels;
        for (const Target& t : colours.target) {
            if (accesses[t.index] == 0)
                continue;
            const QuadCycles& rate = spec_.cycles_of(t.format.bytes);
            cycles += accesses[t.index] * (t.reads_destination ? rate.blend : rate.write);
            c.accesses += accesses[t.index];
            c.bytes += pixels * t.format.bytes;
            c.blended_pixels += t.blend.enabled ? pixels : 0;
        }
    }
    data_.release();
    metadata_.release();
    cycles = std::max(cycles, 1u);
    c.pipe_cycles += cycles;
    state_.pipe_free = now + cycles;
    state_.pipe_empty = state_.pipe_free + spec_.latency;
    state_.phase = CbState::Phase::Probe;
    state_.first = state_.end;
    if (state_.first >= batch.quads.quads)
        end_batch();
}

void CbCore::end_batch() {
    ++state_.counters.batches;
    state_.first = state_.end = 0;
    state_.batches.pop_front();
}

// Begins to fetch the lines of the first batch that is still without them, so that memory answers
// while those before it are written. True: it has come further.
bool CbCore::look_ahead(Cycle now) {
    const bool oldest_is_in_work =
        state_.phase != CbState::Phase::Probe || state_.first != 0 || now >= state_.pipe_free;
    size_t ahead = 0;
    for (size_t i = oldest_is_in_work ? 1 : 0; i < state_.batches.size(); ++i) {
        CbState::Batch& batch = state_.batches[i];
        if (batch.shaded.quads.primitive.kind != Kind::Primitive)
            return false;  // it may flush
        if (!batch.fetched)
            return fetch(batch, ahead);
        ahead += batch.data.size();
    }
    return false;
}

// `ahead`: lines of pixels of the batches before it.
bool CbCore::fetch(CbState::Batch& batch, size_t ahead) {
    colour_state(batch.shaded);  // its address space
    if (!batch.known) {
        if (all_resident(metadata_, batch.metadata))
            batch.known =
                probe(batch.shaded, 0, batch.shaded.quads.quads, batch.data, batch.metadata);
        if (!batch.known) {
            metadata_.fetch(batch.metadata);
            return false;
        }
    }
    if (ahead + batch.data.size() > spec_.data.lines / 2)
        return false;  // they would replace what batches before it need
    batch.fetched = data_.fetch(batch.data, !batch.counted);
    batch.counted = true;
    return batch.fetched;
}

}  // namespace archipelago::cb
