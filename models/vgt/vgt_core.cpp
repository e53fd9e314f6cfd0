// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/vgt_core.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/register_service.h"

namespace archipelago::vgt {
namespace {

VgtSpec checked(const VgtSpec& spec) {
    const std::vector<std::string> problems = spec.problems();
    if (!problems.empty())
        throw std::invalid_argument("vgt." + problems.front());
    return spec;
}

RegisterRoles<RegisterRole> roles_of(const RegisterMap& map) {
    RegisterRoles<RegisterRole> roles;
    roles.set(map.config_start, map.config_end, RegisterRole::Storage);
    roles.set(map.context.start, map.context.end, RegisterRole::Storage);
    roles.set(map.VGT_DRAW_INITIATOR, RegisterRole::DrawInitiator);
    roles.set(map.VGT_EVENT_INITIATOR, RegisterRole::EventInitiator);
    roles.set(map.VGT_IMMED_DATA, RegisterRole::ImmediateData);
    for (const regs::NamedRegister& offset : map.VGT_STRMOUT_BUFFER_OFFSET)
        roles.set(offset, RegisterRole::StreamoutOffset);
    roles.set(map.GFX_COPY_STATE, RegisterRole::CopyState);
    return roles;
}

}  // namespace

VgtCore::VgtCore(const VgtSpec& spec, rtl::PinBlock<rtl::VgtIndexDmaPins>* index_dma)
    : registers(spec.registers, "vgt.registers"),
      stage_done(spec.stage_done_latency),
      gs_messages(spec.gs_messages, "vgt.gs_messages"),
      spec_(checked(spec)),
      roles_(roles_of(spec.map)),
      state_{VgtRegisters(spec.map)},
      engine_(spec),
      dma_(spec.dma, index_dma),
      groups_(spec.dma.group, "vgt.indices") {
    add_inputs(registers, stage_done, gs_messages, groups_);
    dma_.to_group.connect(groups_);
    dma_.command.set_producer(this);
}

void VgtCore::archive(Archive& a) {
    Unit::archive(a);
    a.at_rest(groups_.empty(), "indices are on their way");
    dma_.archive(a);
    a(state_, engine_, busy, gs_busy, hs_busy, ia_busy, ia_busy_no_dma);
}

void VgtCore::reset() {
    Unit::reset();
    state_ = VgtState{VgtRegisters(spec_.map)};
    engine_.reset();
    dma_.reset();
    busy.reset();
    ia_busy.reset();
    ia_busy_no_dma.reset();
    gs_busy.reset();
    hs_busy.reset();
}

bool VgtCore::idle() const {
    return state_.queue.empty() && inputs_empty() && dma_.idle();
}

bool VgtCore::tick(Cycle now) {
    if (run_ == RunState::Paused)
        return false;
    bool progress = take_feedback(now);
    progress |= serve_register(now, registers, to_registers.get(), *this);
    progress |= fetch_indices(now);
    progress |= work(now);
    if (progress)
        update_wires(now);
    return progress;
}

void VgtCore::update_wires(Cycle now) {
    const bool working = !state_.queue.empty();
    note_stall(working, now, state_.busy_since, state_.counters.busy_cycles);
    if (busy.latest() != working)
        busy.set(now, working);
    const bool drawing = working && state_.queue.front().is_draw && state_.phase >= Phase::Drawing;
    if (const bool gs = drawing && engine_.draw().gs.enabled; gs_busy.latest() != gs)
        gs_busy.set(now, gs);
    if (const bool hs = drawing && engine_.draw().tess.enabled; hs_busy.latest() != hs)
        hs_busy.set(now, hs);
    // The input assembler has done its part of a draw when all indices are used.
    const bool assembling =
        std::any_of(state_.queue.begin(), state_.queue.end(), [&](const QueueItem& item) {
            return item.is_draw && (&item != &state_.queue.front() ||
                                    state_.phase <= Phase::Starting || !engine_.input_done());
        });
    if (ia_busy_no_dma.latest() != assembling)
        ia_busy_no_dma.set(now, assembling);
    const bool fetching = assembling || !groups_.empty();
    if (ia_busy.latest() != fetching)
        ia_busy.set(now, fetching);
}

// ---- registers ---------------------------------------------------------------------------------

bool VgtCore::take_feedback(Cycle now) {
    bool progress = false;
    while (gs_messages.can_pop(now)) {
        engine_.message(gs_messages.pop(now));
        progress = true;
    }
    while (stage_done.ready(now)) {
        engine_.stage_done(stage_done.take());
        progress = true;
    }
    return progress;
}

// Room for what a write starts comes by work, which wakes us.
bool VgtCore::register_ready(const RegRequest& request) const {
    if (!request.write)
        return true;
    switch (roles_.of(request.offset)) {
        case RegisterRole::DrawInitiator:
            return run_ != RunState::Draining && state_.queue.size() < spec_.draw_queue;
        case RegisterRole::EventInitiator:
            return request.ring != 0 || state_.queue.size() < spec_.draw_queue;
        case RegisterRole::ImmediateData:
            return state_.immediate.size() - state_.immediate_kept < spec_.immediate_queue;
        default:
            return true;
    }
}

std::string VgtCore::name_of_draw(uint32_t number, uint16_t place) const {
    return place_in_stream(places_, place, "vgt, draw " + std::to_string(number));
}

// Of the write of VGT_DRAW_INITIATOR.
Draw VgtCore::decode(const RegRequest& request) {
    state_.place = request.place;
    Draw draw;
    try {
        draw = decode_draw(state_.registers, request.context % spec_.map.context.contexts,
                           ++state_.draws, request.value, spec_);
    } catch (const MachineStop& stop) {
        const std::string place = places_ != nullptr ? places_->place(request.place) : "";
        if (place.empty())
            throw;
        throw MachineStop(stop.kind(), place, stop.what());
    }
    draw.place = draw.dma.place = request.place;
    draw.vmid = request.vmid;
    if (!draw.vmid_override)
        draw.dma.vmid = request.vmid;
    return draw;
}

// The immediate indices of a draw come before any other register write.
void VgtCore::need_no_indices() const {
    if (state_.immediate_expected != 0)
        throw MachineStop(StopKind::BadInput, name_of_draw(state_.draws, state_.place),
                          std::to_string(state_.immediate_expected) +
                              " dwords of its VGT_IMMED_DATA are missing");
}

bool VgtCore::is_plain_storage(uint32_t offset) const {
    return roles_.of(offset) == RegisterRole::Storage;
}

bool VgtCore::write_register(const RegRequest& request) {
    if (!state_.registers.write(request))
        return false;
    ++state_.counters.register_writes;
    switch (roles_.of(request.offset)) {
        case RegisterRole::DrawInitiator:
            begin_draw(request);
            break;
        case RegisterRole::EventInitiator:
            begin_event(request);
            break;
        case RegisterRole::ImmediateData:
            if (state_.immediate_expected == 0)
                throw MachineStop(StopKind::BadInput, name_of_draw(state_.draws, state_.place),
                                  "VGT_IMMED_DATA beyond the indices of the draw");
            --state_.immediate_expected;
            state_.immediate.push_back(request.value);
            break;
        case RegisterRole::StreamoutOffset:
            for (unsigned b = 0; b < kStreams; ++b)
                if (request.offset == spec_.map.VGT_STRMOUT_BUFFER_OFFSET[b])
                    state_.offsets_written |= static_cast<uint8_t>(1u << b);
            break;
        default:
            break;
    }
    return true;
}

void VgtCore::begin_draw(const RegRequest& request) {
    need_no_indices();
    QueueItem item;
    item.is_draw = true;
    item.draw = decode(request);
    item.draw.streamout.moved = state_.offsets_written;
    for (unsigned b = 0; b < kStreams; ++b)
        item.draw.streamout.offset[b] =
            state_.registers.get(spec_.map.VGT_STRMOUT_BUFFER_OFFSET[b], request.context);
    state_.offsets_written = 0;
    state_.immediate_expected = item.draw.immediate_dwords();
    state_.queue.push_back(item);
}

void VgtCore::begin_event(const RegRequest& request) {
    if (request.ring != 0)
        return;  // compute rings' events have no draws before them
    need_no_indices();
    QueueItem item;
    item.event_type = static_cast<uint8_t>(spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE(request.value));
    item.context = request.context;
    state_.queue.push_back(item);
}

bool VgtCore::read_register(const RegRequest& request, uint32_t& value) {
    const RegisterMap& m = spec_.map;
    for (unsigned b = 0; b < kStreams; ++b) {
        if (request.offset == m.VGT_STRMOUT_BUFFER_FILLED_SIZE[b]) {
            value = engine_.carry.streamout.filled[b];
            return true;
        }
    }
    if (request.offset == m.VGT_CNTL_STATUS) {
        value = m.VGT_CNTL_STATUS.VGT_BUSY.set(0, state_.queue.empty() ? 0 : 1);
        return true;
    }
    if (request.offset == m.IA_CNTL_STATUS) {
        value = m.IA_CNTL_STATUS.IA_BUSY.set(0, ia_busy.latest() ? 1 : 0);
        value = m.IA_CNTL_STATUS.IA_DMA_BUSY.set(value, dma_.idle() ? 0 : 1);
        return true;
    }
    return state_.registers.read(request, value);
}

// ---- indices -----------------------------------------------------------------------------------

// Draws in the queue have their indices fetched ahead of their turn, once for each instance.
bool VgtCore::fetch_indices(Cycle now) {
    for (QueueItem& item : state_.queue) {
        if (!item.is_draw || item.draw.source != IndexSource::Dma || item.draw.count == 0 ||
            item.fetched == item.draw.instances)
            continue;
        if (!dma_.command.can_push(now))
            return false;
        dma_.command.push(now, item.draw.dma);
        ++item.fetched;
        if (item.fetched != item.draw.instances)
            wake_at(now + 1);
        return true;
    }
    return false;
}

// The indices come once: every instance but the last leaves them for the next.
bool VgtCore::take_immediate(uint32_t& raw) {
    const Draw& d = engine_.draw();
    const auto index = static_cast<uint32_t>((d.indices() - engine_.left()) % d.count);
    const bool last_instance = engine_.left() <= d.count;
    const size_t place = last_instance ? 0 : d.index32 ? index : index / 2;
    if (place >= state_.immediate.size())
        return false;
    const uint32_t dword = state_.immediate[place];
    raw = d.index32 ? dword : index % 2 != 0 ? dword >> 16 : dword & 0xFFFF;
    // The upper half of the last dword of an odd count is unused.
    if (!d.index32 && index % 2 == 0 && index + 1 != d.count)
        return true;
    if (!last_instance) {
        state_.immediate_kept = std::max(state_.immediate_kept, place + 1);
    } else {
        state_.immediate.pop_front();
        state_.immediate_kept -= state_.immediate_kept != 0 ? 1 : 0;
    }
    return true;
}

bool VgtCore::next_index(Cycle now, uint32_t& raw) {
    switch (engine_.draw().source) {
        case IndexSource::Auto:
            raw = 0;
            return true;
        case IndexSource::Immediate:
            return take_immediate(raw);
        case IndexSource::Dma:
            break;
    }
    if (!state_.has_group) {
        if (!groups_.can_pop(now))
            return false;
        state_.group = groups_.pop(now);
        state_.group_used = 0;
        state_.has_group = true;
    }
    raw = state_.group.index[state_.group_used++];
    state_.has_group = state_.group_used < state_.group.count;
    return true;
}

// ---- draws and events --------------------------------------------------------------------------

bool VgtCore::work(Cycle now) {
    if (state_.queue.empty())
        return false;
    QueueItem& item = state_.queue.front();
    bool progress = false;
    if (state_.phase == Phase::Idle) {
        state_.phase = Phase::Starting;
        state_.begin = now;
        state_.ready = now + (item.is_draw ? spec_.draw_cycles : spec_.event_cycles);
        state_.spi_ended = state_.primitives_ended = state_.sampled = false;
        progress = true;
    }
    if (state_.phase == Phase::Starting) {
        if (now < state_.ready) {
            wake_at(state_.ready);
            return progress;
        }
        if (item.is_draw) {
            engine_.begin(item.draw);
            ++state_.counters.draws;
        } else {
            event_effect(item.event_type);
        }
        state_.phase = item.is_draw ? Phase::Drawing : Phase::Ending;
        progress = true;
    }
    if (!item.is_draw)
        return pass_event(now) || progress;
    progress |= send(now);
    if (state_.phase == Phase::Drawing) {
        progress |= draw(now);
        if (engine_.finished()) {
            state_.phase = Phase::Ending;
            progress = true;
        }
    }
    if (state_.phase == Phase::Ending)
        progress |= end_draw(now);
    return progress;
}

bool VgtCore::draw(Cycle now) {
    bool progress = false;
    bool no_index = false;
    const uint64_t enough = engine_.carry.primitives + spec_.primitives_per_cycle;
    for (unsigned n = 0; n < spec_.indices_per_cycle && !engine_.input_done(); ++n) {
        // A wave's primitives leave while those of the next one gather.
        if (engine_.carry.primitives >= enough || !engine_.waves.empty() || !engine_.ready() ||
            engine_.primitives.size() > spec_.wave_primitives)
            break;
        uint32_t raw = 0;
        if (!next_index(now, raw)) {
            no_index = true;
            break;
        }
        engine_.index(raw);
        ++state_.counters.indices;
        progress = true;
    }
    note_stall(no_index && !progress, now, state_.index_wait_since,
               state_.counters.index_wait_cycles);
    const bool waits = !progress && engine_.waves.empty() && engine_.primitives.empty() &&
                       !engine_.finished() && (engine_.input_done() || !engine_.ready());
    note_stall(waits, now, state_.shader_wait_since, state_.counters.shader_wait_cycles);
    return progress;
}

VgtMessage VgtCore::wave_message() {
    VgtMessage message;
    message.kind = VgtMessage::Kind::Wave;
    message.wave = engine_.waves.front();
    engine_.waves.pop_front();
    message.context = message.wave.context;
    message.draw = message.wave.draw;
    const unsigned stage = static_cast<unsigned>(message.wave.stage);
    ++state_.counters.waves[stage];
    state_.counters.lanes[stage] += message.wave.lanes;
    if (message.wave.stage == ShaderStage::Vs && engine_.draw().tess.enabled &&
        !engine_.draw().gs.enabled)
        state_.counters.ds_lanes += message.wave.lanes;
    return message;
}

// Waves and primitives that are made leave.
bool VgtCore::send(Cycle now) {
    bool progress = false;
    bool spi_full = false, primitives_full = false;
    if (!engine_.waves.empty()) {
        if (now < state_.wave_free) {
            wake_at(state_.wave_free);
        } else if (to_spi->can_push(now)) {
            to_spi->push(now, wave_message());
            state_.wave_free = now + spec_.wave_cycles;
            if (!engine_.waves.empty())
                wake_at(state_.wave_free);
            progress = true;
        } else {
            spi_full = true;
        }
    }
    for (unsigned n = 0; n < spec_.primitives_per_cycle && !engine_.primitives.empty(); ++n) {
        if (to_primitives) {
            if (!to_primitives->can_push(now)) {
                primitives_full = true;
                break;
            }
            to_primitives->push(now, engine_.primitives.front());
        }
        engine_.primitives.pop_front();
        ++state_.counters.primitives_out;
        progress = true;
    }
    const uint64_t waited = state_.counters.spi_wait_cycles;
    note_stall(spi_full, now, state_.spi_wait_since, state_.counters.spi_wait_cycles);
    state_.counters.stage_spi_wait[state_.spi_wait_stage] +=
        state_.counters.spi_wait_cycles - waited;
    if (spi_full)
        state_.spi_wait_stage = static_cast<uint8_t>(engine_.waves.front().stage);
    note_stall(primitives_full, now, state_.primitive_wait_since,
               state_.counters.primitive_wait_cycles);
    return progress;
}

// Each of the two once, when its link has room.
bool VgtCore::pass_on(Cycle now, const VgtMessage& to_waves, const PrimitiveMessage& to_assembler) {
    bool progress = false;
    if (!state_.spi_ended && to_spi->can_push(now)) {
        to_spi->push(now, to_waves);
        state_.spi_ended = progress = true;
    }
    if (!state_.primitives_ended && (!to_primitives || to_primitives->can_push(now))) {
        if (to_primitives)
            to_primitives->push(now, to_assembler);
        state_.primitives_ended = progress = true;
    }
    return progress;
}

bool VgtCore::end_draw(Cycle now) {
    const Draw& d = engine_.draw();
    VgtMessage to_waves;
    to_waves.kind = VgtMessage::Kind::DrawEnd;
    PrimitiveMessage to_assembler;
    to_assembler.kind = PrimitiveMessage::Kind::DrawEnd;
    to_waves.context = to_assembler.context = d.context;
    to_waves.draw = to_assembler.draw = d.number;
    const bool progress = pass_on(now, to_waves, to_assembler);
    if (!state_.spi_ended || !state_.primitives_ended)
        return progress;
    if (observers_.trace != nullptr)
        trace_draw(now + 1);
    finish_item(now);
    return true;
}

void VgtCore::finish_item(Cycle now) {
    state_.queue.pop_front();
    state_.phase = Phase::Idle;
    if (!state_.queue.empty())
        wake_at(now + 1);
}

bool VgtCore::pass_event(Cycle now) {
    const QueueItem& item = state_.queue.front();
    bool progress = false;
    if (!state_.sampled) {
        SampleCounts counts;
        if (!to_samples || !samples(item.event_type, counts)) {
            state_.sampled = true;
        } else if (to_samples->can_push(now)) {
            to_samples->push(now, counts);
            state_.sampled = progress = true;
        }
    }
    VgtMessage to_waves;
    to_waves.kind = VgtMessage::Kind::Event;
    PrimitiveMessage to_assembler;
    to_assembler.kind = PrimitiveMessage::Kind::Event;
    to_waves.event_type = to_assembler.event_type = item.event_type;
    to_waves.context = to_assembler.context = item.context;
    progress |= pass_on(now, to_waves, to_assembler);
    if (!state_.sampled || !state_.spi_ended || !state_.primitives_ended)
        return progress;
    ++state_.counters.events;
    finish_item(now);
    return true;
}

void VgtCore::event_effect(uint8_t type) {
    const auto& events = spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE;
    DrawCarry& carry = engine_.carry;
    if (type == events.VGT_STREAMOUT_RESET)
        carry.streamout.filled = {};
    else if (type == events.RESET_VTX_CNT)
        carry.vertices = 0;
    else if (type == events.PIPELINESTAT_START)
        carry.counts.counting = true;
    else if (type == events.PIPELINESTAT_STOP)
        carry.counts.counting = false;
}

bool VgtCore::samples(uint8_t type, SampleCounts& counts) const {
    const auto& events = spec_.map.VGT_EVENT_INITIATOR.EVENT_TYPE;
    const DrawCarry& carry = engine_.carry;
    counts.event_type = type;
    if (type == events.SAMPLE_PIPELINESTAT) {
        counts.counts[SampleCounts::kVsInvocations] = carry.counts.vs;
        counts.counts[SampleCounts::kGsInvocations] = carry.counts.gs;
        counts.counts[SampleCounts::kGsPrimitives] = carry.counts.gs_primitives;
        counts.counts[SampleCounts::kIaPrimitives] = carry.counts.ia_primitives;
        counts.counts[SampleCounts::kIaVertices] = carry.counts.ia_vertices;
        counts.counts[SampleCounts::kHsInvocations] = carry.counts.hs;
        counts.counts[SampleCounts::kDsInvocations] = carry.counts.ds;
        return true;
    }
    const uint32_t of_stream[] = {events.SAMPLE_STREAMOUTSTATS, events.SAMPLE_STREAMOUTSTATS1,
                                  events.SAMPLE_STREAMOUTSTATS2, events.SAMPLE_STREAMOUTSTATS3};
    for (unsigned stream = 0; stream < kStreams; ++stream) {
        if (type != of_stream[stream])
            continue;
        counts.counts[SampleCounts::kPrimitivesNeeded] = carry.streamout.needed[stream];
        counts.counts[SampleCounts::kPrimitivesWritten] = carry.streamout.written[stream];
        return true;
    }
    return false;
}

}  // namespace archipelago::vgt
