// SPDX-License-Identifier: Apache-2.0
// VGT in functional mode: draws and events of its queue, untimed.
#include "models/common/error.h"
#include "models/vgt/vgt_core.h"

namespace archipelago::vgt {

void VgtCore::pass_waves(const FunctionalPorts& ports) {
    while (!engine_.waves.empty()) {
        const VgtMessage message = wave_message();
        ports.message(message);
        engine_.stage_done({message.wave.stage, message.draw, message.wave.wave});
    }
    state_.counters.primitives_out += engine_.primitives.size();
    if (ports.primitive)
        for (const PrimitiveMessage& primitive : engine_.primitives)
            ports.primitive(primitive);
    engine_.primitives.clear();
}

void VgtCore::run_draw(const Draw& draw, const FunctionalPorts& ports) {
    engine_.begin(draw);
    ++state_.counters.draws;
    IndexGroup group;
    unsigned taken = 0;
    const auto take = [&](uint32_t raw) {
        engine_.index(raw);
        ++state_.counters.indices;
        if (++taken % VertexWave::kLanes == 0 && ports.indices)
            ports.indices(draw.number);
    };
    while (!engine_.input_done()) {
        if (draw.source == IndexSource::Dma) {
            IndexReader reader(
                draw.dma, spec_.dma.indices_per_cycle,
                [&](uint64_t line, uint64_t mask, uint8_t vmid, Line& data) {
                    dma_.count_request();
                    return ports.read(line, mask, vmid, data);
                },
                [&] { return dma_.where(draw.place); });
            while (reader.next(group)) {
                for (unsigned i = 0; i < group.count; ++i)
                    take(group.index[i]);
                pass_waves(ports);
            }
            continue;
        }
        uint32_t raw = 0;
        if (draw.source == IndexSource::Immediate && !take_immediate(raw))
            throw MachineStop(StopKind::Protocol, path_, "immediate indices run out");
        take(raw);
        pass_waves(ports);
    }
    pass_waves(ports);
    if (!engine_.finished())
        throw MachineStop(StopKind::Hang, name_of_draw(draw.number, draw.place),
                          "waits for " + engine_.waiting_for());
    VgtMessage end;
    end.kind = VgtMessage::Kind::DrawEnd;
    end.context = draw.context;
    end.draw = draw.number;
    ports.message(end);
    if (!ports.primitive)
        return;
    PrimitiveMessage last;
    last.kind = PrimitiveMessage::Kind::DrawEnd;
    last.context = draw.context;
    last.draw = draw.number;
    ports.primitive(last);
}

void VgtCore::run(const FunctionalPorts& ports) {
    while (!state_.queue.empty()) {
        const QueueItem item = state_.queue.front();
        if (item.is_draw) {
            if (item.draw.source == IndexSource::Immediate && state_.immediate_expected != 0 &&
                state_.queue.size() == 1)
                return;  // its indices are still to come
            state_.queue.pop_front();
            run_draw(item.draw, ports);
            continue;
        }
        state_.queue.pop_front();
        event_effect(item.event_type);
        SampleCounts counts;
        if (ports.sample && samples(item.event_type, counts))
            ports.sample(counts);
        VgtMessage message;
        message.kind = VgtMessage::Kind::Event;
        message.event_type = item.event_type;
        message.context = item.context;
        ports.message(message);
        ++state_.counters.events;
    }
}

}  // namespace archipelago::vgt
