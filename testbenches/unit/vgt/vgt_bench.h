// SPDX-License-Identifier: Apache-2.0
// VGT in cycle mode with everything around it: registers, index memory, a unit that ends waves.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "models/common/memory_image.h"
#include "models/gcn/si/front_end.h"
#include "models/vgt/vgt_core.h"
#include "registers/si_names.h"

namespace archipelago::vgt {

namespace si = regs::si;

// What left VGT, for comparing: waves with their lanes, events, ends of draws.
struct Left {
    int kind = 0;
    uint32_t draw = 0, wave = 0, lanes = 0;
    int stage = 0, event = 0;
    uint32_t group = 0, place = 0, es2gs = 0, gs2vs = 0, so_config = 0, so_index = 0;
    std::array<uint32_t, 4> so_offset{};
    std::vector<uint32_t> vgpr;
    bool operator==(const Left& o) const {
        return kind == o.kind && draw == o.draw && wave == o.wave && lanes == o.lanes &&
               stage == o.stage && event == o.event && group == o.group && place == o.place &&
               es2gs == o.es2gs && gs2vs == o.gs2vs && so_config == o.so_config &&
               so_index == o.so_index && so_offset == o.so_offset && vgpr == o.vgpr;
    }
};
inline Left left(const VgtMessage& m) {
    Left l;
    l.kind = static_cast<int>(m.kind);
    l.draw = m.draw;
    l.event = m.event_type;
    if (m.kind != VgtMessage::Kind::Wave)
        return l;
    l.wave = m.wave.wave;
    l.lanes = m.wave.lanes;
    l.stage = static_cast<int>(m.wave.stage);
    l.group = m.wave.group;
    l.place = m.wave.wave_in_group * 256u + m.wave.waves_in_group;
    l.es2gs = m.wave.es2gs_offset;
    l.gs2vs = m.wave.gs2vs_offset;
    l.so_config = m.wave.streamout_config;
    l.so_index = m.wave.streamout_index;
    l.so_offset = m.wave.streamout_offset;
    for (const auto& v : m.wave.vgpr)
        l.vgpr.insert(l.vgpr.end(), v.begin(), v.begin() + m.wave.lanes);
    return l;
}

// What a GS wave does: any number of messages, and GS_DONE.
using Shader = std::function<std::vector<ShaderMessage>(const VertexWave&)>;

struct VgtBench : public Clocked {
    explicit VgtBench(const VgtSpec& spec = gcn::si::vgt_spec(), unsigned stall = 0,
                      uint64_t shuffle = 0)
        : vgt(spec),
          to_spi({2, 1}),
          primitives({2, 1}),
          samples({2, 1}),
          answers({2, 1}),
          memory_out({2, 1}) {
        vgt.to_spi.connect(to_spi);
        vgt.to_primitives.connect(primitives);
        vgt.to_samples.connect(samples);
        vgt.to_registers.connect(answers);
        vgt.index_dma().to_memory.connect(memory_out);
        to_spi.set_consumer(this);
        primitives.set_consumer(this);
        samples.set_consumer(this);
        answers.set_consumer(this);
        memory_out.set_consumer(this);
        vgt.registers.set_producer(this);
        vgt.index_dma().response.set_producer(this);
        vgt.gs_messages.set_producer(this);
        scheduler.add(*this);
        scheduler.add(vgt);
        scheduler.add(vgt.index_dma());
        if (shuffle != 0)
            scheduler.shuffle(shuffle);
        if (stall != 0) {
            vgt.registers.random_stall(1, stall);
            to_spi.random_stall(2, stall);
            primitives.random_stall(3, stall);
            memory_out.random_stall(4, stall);
            vgt.index_dma().response.random_stall(5, stall);
            vgt.gs_messages.random_stall(7, stall);
        }
        memory.map(0x10000, 0x40000);
    }

    VgtBench& write(uint32_t offset, uint32_t value, uint8_t context = 1, uint8_t ring = 0) {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        r.context = context;
        r.ring = ring;
        writes.push_back(r);
        wake_at(0);
        return *this;
    }
    // True when all is through.
    bool run(Cycle limit = 3000000) {
        scheduler.run(limit);
        return vgt.idle() && writes.empty() && to_spi.empty() && primitives.empty();
    }

    bool tick(Cycle now) override {
        bool moved = false;
        if (!writes.empty() && vgt.registers.can_push(now)) {
            vgt.registers.push(now, writes.front());
            writes.pop_front();
            moved = true;
        }
        if (memory_out.can_pop(now)) {
            const MemRequest q = memory_out.pop(now);
            vmids.insert(q.vmid);
            MemResponse r;
            r.tag = q.tag;
            r.line = q.line;
            r.uid = q.uid;
            if (!memory.read(q.line, r.data.data(), kLineBytes))
                r.status = MemStatus::Unmapped;
            replies.emplace_back(now + memory_latency, r);
            wake_at(now + memory_latency);
            moved = true;
        }
        if (!replies.empty() && replies.front().first <= now &&
            vgt.index_dma().response.can_push(now)) {
            vgt.index_dma().response.push(now, replies.front().second);
            replies.pop_front();
            moved = true;
        }
        if (!hold && to_spi.can_pop(now)) {
            const VgtMessage m = to_spi.pop(now);
            out.push_back(left(m));
            cycles.push_back(now);
            if (m.kind == VgtMessage::Kind::Wave) {
                if (m.wave.stage == ShaderStage::Gs)
                    for (const ShaderMessage& s : shader(m.wave))
                        messages.push_back(s);
                done.push_back({now + wave_latency, {m.wave.stage, m.wave.draw, m.wave.wave}});
                wake_at(now + wave_latency);
            }
            moved = true;
        }
        if (!messages.empty() && vgt.gs_messages.can_push(now)) {
            vgt.gs_messages.push(now, messages.front());
            messages.pop_front();
            moved = true;
        }
        if (!done.empty() && done.front().first <= now) {
            vgt.stage_done.send(now, done.front().second);
            done.pop_front();
            moved = true;
        }
        if (!hold_primitives && primitives.can_pop(now)) {
            assembled.push_back(primitives.pop(now));
            moved = true;
        }
        if (samples.can_pop(now)) {
            sampled.push_back(samples.pop(now));
            moved = true;
        }
        if (answers.can_pop(now)) {
            answer = answers.pop(now).value;
            moved = true;
        }
        return moved;
    }

    VgtCore vgt;
    Channel<VgtMessage> to_spi;
    Channel<PrimitiveMessage> primitives;
    Channel<SampleCounts> samples;
    Channel<RegResponse> answers;
    Channel<MemRequest> memory_out;
    MemoryImage memory;
    Scheduler scheduler;
    Cycle memory_latency = 30, wave_latency = 40;
    bool hold = false, hold_primitives = false;
    std::deque<RegRequest> writes;
    std::deque<std::pair<Cycle, MemResponse>> replies;
    std::deque<std::pair<Cycle, StageDone>> done;
    std::deque<ShaderMessage> messages;
    std::set<uint8_t> vmids;  // of what was read
    std::vector<Left> out;
    std::vector<Cycle> cycles;
    std::vector<PrimitiveMessage> assembled;
    std::vector<SampleCounts> sampled;
    uint32_t answer = 0;
    Shader shader = [](const VertexWave&) { return std::vector<ShaderMessage>{}; };
};

// The same writes in functional mode.
struct FunctionalBench {
    explicit FunctionalBench(const VgtSpec& spec, const MemoryImage& image)
        : vgt(spec), memory(image) {
        ports.message = [this](const VgtMessage& m) {
            out.push_back(left(m));
            if (m.kind == VgtMessage::Kind::Wave && m.wave.stage == ShaderStage::Gs)
                for (const ShaderMessage& s : shader(m.wave))
                    vgt.take_message(s);
        };
        ports.sample = [this](const SampleCounts& counts) { sampled.push_back(counts); };
        ports.read = [this](uint64_t line, uint64_t, uint8_t vmid, Line& data) {
            vmids.insert(vmid);
            return memory.read(line, data.data(), kLineBytes) ? MemStatus::Ok : MemStatus::Unmapped;
        };
    }
    void write(const RegRequest& r) {
        vgt.write_register(r);
        vgt.run(ports);
    }
    VgtCore vgt;
    const MemoryImage& memory;
    FunctionalPorts ports;
    std::set<uint8_t> vmids;  // of what was read
    std::vector<Left> out;
    std::vector<SampleCounts> sampled;
    Shader shader = [](const VertexWave&) { return std::vector<ShaderMessage>{}; };
};

}  // namespace archipelago::vgt
